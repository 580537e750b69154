"""A library of one book with a clock of its own, and what tests ask of a reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_books.sources.calibre import library as library_module
from mcp_books.sources.calibre.library import Library, Reading
from mcp_books.sources.calibre.metadata_db import read_file
from mcp_books.sources.calibre.problems import LibraryUnavailable, Problem

from .libraries import Volume, make_library

__all__ = ["Clock", "clock", "counted", "files_of", "folder", "library", "titles", "why"]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_library(tmp_path / "Library", [Volume(title="First")])


@pytest.fixture
def library(folder: Path, clock: Clock) -> Library:
    return Library("mine", folder, busy_timeout=0, retry_after=5.0, clock=clock)


def titles(reading: Reading) -> list[str]:
    return [book.title for book in reading.snapshot.books()]


def why(library: Library) -> Problem:
    with pytest.raises(LibraryUnavailable) as raised:
        library.current()
    return raised.value.problem


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return a list that grows with every reading of a metadata.db."""
    read: list[Path] = []

    def reading(path: Path, **arguments: float) -> object:
        read.append(path)
        return read_file(path, **arguments)

    monkeypatch.setattr(library_module, "read_file", reading)
    return read
