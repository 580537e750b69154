"""What the files of a release have to agree on, read from where each fact is kept."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple, get_args

from mcp_books.settings import VARIABLES, LogLevel, Settings

__all__ = ["ROOT", "Lacking", "Setting", "marker", "project", "settings"]

ROOT = Path(__file__).parent.parent

_FORMATS = {"index_auto": "boolean", "index_dir": "filepath"}


class Lacking(Exception):
    """A file does not hold a fact that others repeat."""


class Setting(NamedTuple):
    """One variable, in its own unit; None is said of what it does not have."""

    variable: str
    default: str | None
    low: int | None
    high: int | None
    choices: tuple[str, ...]
    format: str
    meaning: str


def project() -> dict[str, Any]:
    """Return the [project] table of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads(_read("pyproject.toml"))["project"]
    return table


def marker() -> str:
    """Return the server's name in the registry, as the README states it.

    Raises:
        Lacking: it does not.
    """
    found = re.search(r"<!-- mcp-name: (\S+) -->", _read("README.md"))
    if found is None:
        raise Lacking("README.md holds no ownership marker")
    return found[1]


def settings() -> list[Setting]:
    """Return every setting: bounds and default from the code, the meaning from README.md.

    Raises:
        Lacking: the table there has no row for one of them.
    """
    meanings = dict(
        re.findall(r"^\| `(BOOKS_\w+)` \|[^|]*\| (.+) \|$", _read("README.md"), re.MULTILINE)
    )
    for variable in VARIABLES:
        if variable not in meanings:
            raise Lacking(
                f"README.md has no row for {variable} in its table of settings: add one there, and "
                "in README.fr.md"
            )
    return [
        _setting(variable, field, divisor, meanings[variable].replace("`", ""))
        for variable, (field, divisor) in VARIABLES.items()
    ]


def _setting(variable: str, field: str, divisor: int, meaning: str) -> Setting:
    described = Settings.model_fields[field]
    bounds = {
        kind: round(getattr(bound, kind) * divisor)
        for bound in described.metadata
        for kind in ("ge", "le")
        if getattr(bound, kind, None) is not None
    }
    return Setting(
        variable,
        _text(described.default, divisor),
        bounds.get("ge"),
        bounds.get("le"),
        get_args(LogLevel) if field == "log_level" else (),
        "number" if divisor else _FORMATS.get(field, "string"),
        meaning,
    )


def _text(default: object, divisor: int) -> str | None:
    if default is None:
        return None
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default * divisor:.0f}" if isinstance(default, int | float) else str(default)


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
