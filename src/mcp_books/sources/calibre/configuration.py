"""Which libraries there are: BOOKS_CALIBRE_LIBRARIES and BOOKS_CALIBRE_EXCLUDE_TAGS, read."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mcp_books._quotes import QUOTATION_MARKS

__all__ = ["Configuration", "Configured", "Refused", "read_libraries", "read_tags"]

_LONGEST_NAME = 60


class Configured(NamedTuple):
    """One library: the name its identifiers carry, and its folder, which may not be there now."""

    name: str
    folder: Path


class Refused(NamedTuple):
    """An entry that is no library, and why."""

    entry: str
    because: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """The libraries that can be used, and the entries that cannot."""

    libraries: tuple[Configured, ...]
    refused: tuple[Refused, ...]


def read_libraries(text: str, *, separator: str = os.pathsep) -> Configuration:
    """Read folders separated by `separator` (`:`; on Windows `;`), each of them `name=folder` or a
    folder alone, which is then named like its folder. Between double quotation marks the separator
    is part of a folder's name.

    A bad entry is refused with a reason, and the others stand.
    """
    libraries: dict[str, Configured] = {}
    refused: list[Refused] = []
    folders: dict[Path, str] = {}
    for entry in filter(None, map(str.strip, _entries(text, separator))):
        try:
            found = _read(entry)
            taken = libraries.get(found.name.casefold())
            same = folders.get(found.folder.resolve())
            if same is not None:
                raise ValueError(f"the folder is already in use as {same!r}")  # noqa: TRY301
            if taken is not None:
                raise ValueError(  # noqa: TRY301
                    f"the name {found.name!r} is taken; write another one before it: name=folder"
                )
        except (ValueError, OSError, RuntimeError) as problem:
            refused.append(Refused(entry, str(problem)))
        else:
            libraries[found.name.casefold()] = found
            folders[found.folder.resolve()] = found.name
    return Configuration(tuple(libraries.values()), tuple(refused))


def read_tags(text: str) -> tuple[str, ...]:
    """Read tags separated by commas, without repeats."""
    return tuple(dict.fromkeys(filter(None, (" ".join(tag.split()) for tag in text.split(",")))))


def _entries(text: str, separator: str) -> list[str]:
    between = re.escape(separator)
    quoted = rf'\s*(?:[^{between}"]*=\s*)?"[^"]*"\s*(?={between}|\Z)'
    return re.findall(rf"{quoted}|[^{between}]+", text)


def _read(entry: str) -> Configured:
    name, equals, folder = _unquoted(entry).partition("=")
    if not equals or "/" in name or "\\" in name or name.strip().startswith("~"):
        path = _folder(entry)
        return Configured(_name_of(path), path)
    name = unicodedata.normalize("NFC", name.strip())
    if not _is_name(name):
        raise ValueError(
            f"a name is at most {_LONGEST_NAME} letters, digits, '-', '_' and '.', and begins with "
            "a letter or a digit"
        )
    return Configured(name, _folder(folder))


def _folder(text: str) -> Path:
    text = _unquoted(text)
    if not text or "\0" in text:
        raise ValueError("no folder is named")
    if text[0] in QUOTATION_MARKS:
        raise ValueError('its quotation marks are no pair of "')
    path = Path(text).expanduser()
    if path.name == "metadata.db":
        raise ValueError("the folder that holds metadata.db is needed, not the file")
    return path.absolute()


def _unquoted(text: str) -> str:
    """Return `text` without the quotation marks that a copied path can bring along."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].strip()
    return text


def _name_of(path: Path) -> str:
    """Return the name of a folder as identifiers can carry it: other characters become `_`."""
    kept = "".join(
        one if _is_of_names(one) else "_"
        for one in unicodedata.normalize("NFC", path.resolve().name)
    )
    name = kept.lstrip("_-.")[:_LONGEST_NAME]
    if not _is_name(name):
        raise ValueError("the folder's own name cannot serve; write one before it: name=folder")
    return name


def _is_name(name: str) -> bool:
    return (
        0 < len(name) <= _LONGEST_NAME
        and unicodedata.category(name[0])[0] in "LN"
        and all(map(_is_of_names, name))
    )


def _is_of_names(character: str) -> bool:
    return character in "-_." or unicodedata.category(character)[0] in "LMN"
