"""Programs that stand in for real ones: each keeps what it was called with in a file."""

from __future__ import annotations

from pathlib import Path

__all__ = ["calls", "stand_in"]


def stand_in(path: Path, script: str = "") -> None:
    """Write a program that adds its arguments to the file `calls` where it runs, then does
    `script`."""
    path.write_text(f'#!/bin/sh\necho "${{0##*/}} $*" >>calls\n{script}\n', "utf-8")
    path.chmod(0o755)


def calls(folder: Path) -> list[str]:
    """Return how the programs were called that ran in `folder`."""
    path = folder / "calls"
    return path.read_text("utf-8").splitlines() if path.exists() else []
