"""A small library whose index was written directly, and a client that asks it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from mcp_books import BooksClient
from mcp_books.reports import Answered, SourceReport
from mcp_books.settings import Settings
from mcp_books.sources.base import Source
from mcp_books.sources.calibre.adapter import CalibreLibraries
from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.index import BookFile, Index
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.places import index_file
from tests.fakes import FakeArchive, answering, hit, listing, row

from .libraries import Volume, make_library

__all__ = ["WHALE", "Made", "answered", "asking", "fake_archive", "indexed", "pages", "shelf"]

WHALE = (
    Volume(
        title="The Whale at Sea",
        authors=("Ada Brook",),
        author_sorts=("Brook, Ada",),
        pubdate="1899-05-01 00:00:00+00:00",
        tags=("whaling",),
        files={"EPUB": b"an epub", "PDF": b"a pdf of it"},
    ),
    Volume(
        title="Songs of the Whale",
        authors=("Tom Reed",),
        pubdate="1920-01-01 00:00:00+00:00",
        files={"EPUB": b"songs"},
    ),
    Volume(title="Roses", authors=("Ann Gray",), files={"EPUB": b"roses"}),
)


@dataclass(frozen=True)
class Made:
    """A library, its index and the settings that name both."""

    settings: Settings
    folder: Path
    index: Path


def pages(*texts: str) -> list[Stretch]:
    """Return the pages of a PDF whose first is labelled i and whose second is labelled 1."""
    return [
        Stretch(
            text,
            page_number=number,
            page_label="i" if number == 1 else str(number - 1),
            label_source="pagelabels",
            section=f"Chapter {number}",
        )
        for number, text in enumerate(texts, 1)
    ]


def shelf(
    tmp_path: Path,
    volumes: Sequence[Volume],
    texts: Mapping[int, Iterable[Stretch]] | None = None,
    *,
    name: str = "home",
) -> Made:
    """Make a library called `name` here; without `texts` there is no index at all."""
    folder = make_library(tmp_path / "Calibre Library", volumes)
    settings = Settings(calibre_libraries=f"{name}={folder}", index_dir=tmp_path / "index")
    if texts is not None:
        indexed(settings, folder, texts)
    return Made(settings, folder, index_file(settings))


def indexed(
    settings: Settings,
    folder: Path,
    texts: Mapping[int, Iterable[Stretch]],
    *,
    content: str | None = None,
) -> None:
    """Write `texts` into the index as those of the books of these numbers."""
    snapshot = Library("any", folder).current().snapshot
    path = index_file(settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    with Index.open_writing(path) as writer:
        for number, stretches in texts.items():
            book = snapshot.book(number)
            assert book is not None
            file = book.format("PDF") or book.formats[0]
            facts = BookFile(
                library=snapshot.key,
                book=number,
                format=file.name,
                book_uuid=book.uuid,
                size=1,
                mtime_ns=1,
                content_hash=content or f"{snapshot.key}-{number}",
            )
            writer.add(facts, iter(stretches))


@asynccontextmanager
async def asking(settings: Settings, *more: Source) -> AsyncIterator[BooksClient]:
    """Yield a client of the libraries, and of whatever else is given."""
    source = CalibreLibraries(settings)
    try:
        with anyio.fail_after(20):
            async with BooksClient(settings, sources=[source, *more]) as books:
                yield books
    finally:
        source.close()


def fake_archive() -> FakeArchive:
    """Return another archive, which holds a whale."""
    return FakeArchive("alpha", inside=answering(hit()), items=listing(row()))


def answered(report: SourceReport) -> Answered:
    """Return the report of an archive that answered."""
    assert isinstance(report, Answered), report
    return report
