"""The files of the package as these tests read them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["ROOT", "Row", "document", "project", "settings_table", "text"]

ROOT = Path(__file__).parent.parent.parent

_ROW = re.compile(r"^\| `(BOOKS_\w+)` \| ([^|]+) \| (.+) \|$", re.MULTILINE)
_RANGE = re.compile(r"\((\d+) (?:to|à) (\d+)")


class Row(NamedTuple):
    """A line of a README's table of settings: default as written, and the range if one is given."""

    default: str
    low: int | None
    high: int | None


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def document(name: str) -> Any:
    return json.loads(text(name))


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads(text("pyproject.toml"))["project"]
    return table


def settings_table(readme: str) -> dict[str, Row]:
    rows = {}
    for variable, cell, _ in _ROW.findall(text(readme)):
        bounds = _RANGE.search(cell)
        low, high = (int(bounds[1]), int(bounds[2])) if bounds else (None, None)
        rows[variable] = Row(cell.partition(" (")[0], low, high)
    return rows
