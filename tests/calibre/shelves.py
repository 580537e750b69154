"""A library with its index, for the tests of indexing: each step as a new process sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from mcp_books.sources.calibre import worker_readers
from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.index import Index
from mcp_books.sources.calibre.indexing import Indexing, IndexRun
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.worker import MEMORY_LIMIT, TIME_LIMIT, Extractor
from tests.calibre.epub_files import epub
from tests.calibre.index_builders import find, texts
from tests.calibre.libraries import Volume, add, connect, make_library
from tests.calibre.mobi_files import palmdoc_book
from tests.calibre.pdf_files import pdf

MOBI = palmdoc_book(b"A narwhal in a pond. " * 50)
LABELLED = pdf(["A whale on a labelled page."], labels=[(0, "/S /r")])
UNLABELLED = pdf(["A whale on a page."])
LOCKED = pdf(["A secret."], password="secret")


class Counting(Extractor):
    """Keeps what it was asked to read."""

    def __init__(
        self,
        read: list[str],
        readers: str | None = None,
        *,
        time_limit: float = TIME_LIMIT,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        super().__init__(
            time_limit=time_limit,
            memory_limit=memory_limit,
            readers=readers or worker_readers.__name__,
        )
        self._read = read

    def read(
        self,
        path: Path,
        format: str,  # noqa: A002  # as in the class
        *,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Stretch]:
        self._read.append(f"{path.parent.name}/{format}")
        return super().read(path, format, stopped=stopped)


class Shelf:
    """A library and its index, and a new process's view of them at each step."""

    def __init__(self, folder: Path, index: Path, *more: tuple[str, Path]) -> None:
        self.folder = folder
        self.path = index
        self.more = more
        self.readers: str | None = None
        self.read: list[str] = []

    def indexing(self, excluded: Sequence[str] = ("private",)) -> Indexing:
        folders = (("mine", self.folder), *self.more)
        libraries = [Library(name, one, excluded_tags=excluded) for name, one in folders]
        return Indexing(libraries, self.path, extractor=partial(Counting, self.read, self.readers))

    def run(self) -> IndexRun:
        self.read.clear()
        return self.indexing().run()

    def found(self, words: str) -> list[str]:
        with Index.open_reading(self.path) as reader:
            return texts(find(reader, words))

    def formats(self) -> list[tuple[int, str, str]]:
        with Index.open_reading(self.path) as reader:
            return [(one.file.book, one.file.format, one.status) for one in reader.documents()]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    volumes = [
        Volume(title="Whales", files={"EPUB": book(tmp_path, "A whale at sea.")}),
        Volume(title="Narwhals", files={"MOBI": MOBI}),
        Volume(title="Locked", files={"PDF": LOCKED}),
        Volume(title="Paper only"),
    ]
    return Shelf(make_library(tmp_path / "Library", volumes), tmp_path / "data" / "index.sqlite3")


def book(folder: Path, text: str) -> bytes:
    return epub(folder / "a.epub", {"a.xhtml": f"<p>{text}</p>"}).read_bytes()


def change(folder: Path, *statements: str) -> None:
    with closing(connect(folder)) as db:
        for one in statements:
            db.execute(one)


def add_book(folder: Path, volume: Volume) -> None:
    with closing(connect(folder)) as db:
        add(db, volume, folder=folder)


def add_file(folder: Path, number: int, kind: str, content: bytes) -> None:
    change(
        folder,
        "INSERT INTO data (book, format, uncompressed_size, name) "
        f"VALUES ({number}, '{kind}', {len(content)}, 'Book')",
    )
    (folder / f"Somebody/Book ({number})/Book.{kind.lower()}").write_bytes(content)
