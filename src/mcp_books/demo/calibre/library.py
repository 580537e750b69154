"""Makes the demonstration's library with its files and its index, in a folder that goes away."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from mcp_books.demo.calibre.catalogue import Volume, write_catalogue
from mcp_books.demo.calibre.epub import write_epub
from mcp_books.demo.calibre.pdf import write_pdf
from mcp_books.demo.calibre.texts import MOBY_DICK, VINGT_MILLE_LIEUES, ZHUANGZI
from mcp_books.settings import Settings

__all__ = ["NAME", "demonstration_library", "make_library"]

NAME = "Demonstration"
"""The name of the library and of its folder, hence in every address of a book."""

_MARK = " (demonstration)"
_PUBLISHER = "Demonstration of mcp-books"
_COMMENTS = (
    "<p>A demonstration of mcp-books: {what}, in the public domain, in a file made on this "
    "computer a moment ago. Its page numbers are those of no edition.</p>"
)


class _Made(NamedTuple):
    title: str
    author: str
    author_sort: str
    folder: str
    published: str | None
    language: str
    tags: tuple[str, ...]
    what: str
    format: str
    content: bytes


def make_library(folder: Path, *, identity: str = "library") -> None:
    """Make the library in `folder`, which is made as well; its uuid is derived from `identity`."""
    folder.mkdir(parents=True)
    volumes = []
    for number, made in enumerate(_books(), 1):
        path = f"{made.folder} ({number})"
        stem = path.rpartition("/")[2].rpartition(" (")[0]
        (folder / path).mkdir(parents=True)
        (folder / path / f"{stem}.{made.format.lower()}").write_bytes(made.content)
        volumes.append(
            Volume(
                title=made.title,
                author=made.author,
                author_sort=made.author_sort,
                path=path,
                uuid=_uuid(made.folder),
                published=made.published,
                language=made.language,
                publisher=_PUBLISHER,
                tags=made.tags,
                comments=_COMMENTS.format(what=made.what),
                files={made.format: (stem, len(made.content))},
            )
        )
    write_catalogue(folder / "metadata.db", volumes, uuid=_uuid(identity))


@contextmanager
def demonstration_library(settings: Settings) -> Iterator[Settings]:
    """Make and index the library; yield `settings` with it as the only one."""
    from mcp_books.sources.calibre.indexing import Indexing
    from mcp_books.sources.calibre.places import index_file, libraries

    # A program that still reads a file keeps its folder from being removed on Windows.
    with TemporaryDirectory(prefix="mcp-books-demonstration-", ignore_cleanup_errors=True) as place:
        folder = Path(place).resolve() / NAME
        make_library(folder)
        changes = {
            "calibre_libraries": f"{NAME}={folder}",
            "index_dir": Path(place).resolve() / "index",
            "index_auto": False,
        }
        shown = Settings.model_validate({**settings.model_dump(), **changes})
        Indexing(libraries(shown), index_file(shown)).run()
        yield shown


def _books() -> Iterator[_Made]:
    title = f"Moby-Dick; or, The Whale{_MARK}"
    yield _Made(
        title=title,
        author="Herman Melville",
        author_sort="Melville, Herman",
        folder="Herman Melville/Moby-Dick_ or, The Whale",
        published="1851-10-18",
        language="eng",
        tags=("Whaling", "Sea stories"),
        what="the opening of Herman Melville’s novel of 1851",
        format="PDF",
        content=write_pdf(MOBY_DICK, title=title),
    )
    title = f"Vingt mille lieues sous les mers{_MARK}"
    yield _Made(
        title=title,
        author="Jules Verne",
        author_sort="Verne, Jules",
        folder="Jules Verne/Vingt mille lieues sous les mers",
        published="1869-10-28",
        language="fra",
        tags=("Sous-marins", "Sea stories"),
        what="the opening of Jules Verne’s novel of 1869",
        format="EPUB",
        content=write_epub(
            VINGT_MILLE_LIEUES,
            title=title,
            author="Jules Verne",
            language="fr",
            uuid=_uuid("Verne"),
        ),
    )
    title = f"莊子{_MARK}"
    yield _Made(
        title=title,
        author="莊周",
        author_sort="莊周",
        folder="Zhuang Zhou/Zhuangzi",
        published=None,
        language="zho",
        tags=("道家",),
        what="the openings of two chapters of the Zhuangzi",
        format="EPUB",
        content=write_epub(
            ZHUANGZI, title=title, author="莊周", language="zh-Hant", uuid=_uuid("Zhuangzi")
        ),
    )


def _uuid(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"mcp-books demonstration {name}"))
