"""Printing a figure with its bound."""

from __future__ import annotations

import sys


class Figures:
    """Figures of one script; `code` is its exit code."""

    def __init__(self) -> None:
        self.code = 0

    def note(self, text: str) -> None:
        """Print what explains a figure."""
        sys.stdout.write(f"  {text}\n")

    def figure(self, name: str, value: float, bound: float, unit: str) -> None:
        """Print one figure; it is missed when `value` is not below or at `bound`."""
        kept = value <= bound
        if not kept:
            self.code = 1
        said = "ok" if kept else "MISSED"
        sys.stdout.write(f"{said:6} {name}: {_short(value)} {unit} (at most {_short(bound)})\n")


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
