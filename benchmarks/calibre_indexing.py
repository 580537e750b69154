"""What indexing a library costs, beside reading its books and filling FTS5 with their text.

`--books FOLDER` takes the book files of a folder; otherwise a library of invented prose is made.
Where Calibre is installed its own full-text index is made of the same library, unless told
`--no-calibre`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
from _figures import Figures
from calibre_index import Writing

from mcp_books.sources.calibre.extract.base import Incomplete, Unreadable
from mcp_books.sources.calibre.indexing import Indexing
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.worker import READABLE, Extractor
from mcp_books.sources.calibre.worker_readers import read

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.calibre.epub_files import epub
from tests.calibre.libraries import Calibredb, Volume, make_library
from tests.calibre.mobi_files import palmdoc_book
from tests.calibre.pdf_files import pdf

ROUNDS = 3
BOOKS_EACH = 8
PAGES = 150
MANY = 10_000
RATIO = 1.5
CALIBRE_RATIO = 0.7
RESCAN = 2.0
MEMORY = 200.0


class Measured(Extractor):
    """An extractor that keeps the peak memory of its child."""

    child = 0.0

    def close(self) -> None:
        """Look at the child before it ends."""
        if self.pid is not None:
            Measured.child = max(Measured.child, peak(self.pid))
        super().close()


def peak(pid: int) -> float:
    """Return the most memory that a process ever had, in MB; 0 where that is not told."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))


def invented(folder: Path) -> list[Path]:
    """Write books of invented prose."""
    writing = Writing()
    paths = []
    for number in range(BOOKS_EACH):
        pages = [writing.page() for _ in range(PAGES)]
        lines = [page.replace(". ", ".\n") for page in pages]
        paths += [folder / f"{number}.pdf", folder / f"{number}.epub", folder / f"{number}.mobi"]
        paths[-3].write_bytes(pdf(lines, labels=[(0, "/S /r"), (12, "/S /D")]))
        chapters = {
            f"{place}.xhtml": "".join(f"<p>{writing.page()}</p>" for _ in range(10))
            for place in range(PAGES // 10)
        }
        epub(paths[-2], chapters)
        paths[-1].write_bytes(palmdoc_book("\n\n".join(map(str, pages)).encode()))
    return paths


def library_of(folder: Path, paths: Sequence[Path]) -> Path:
    """Make a library with one book for each file."""
    return make_library(
        folder,
        [Volume(title=one.stem, files={one.suffix[1:].upper(): one.read_bytes()}) for one in paths],
    )


def extract(paths: Sequence[Path]) -> Iterator[str]:
    """Read the books with nothing around: PDFium's text of each page, the readers for the rest."""
    for path in paths:
        kind = path.suffix[1:].upper()
        try:
            if kind == "PDF":
                yield from pdf_texts(path)
            else:
                yield from (one.text for one in read(path, kind))
        except (Unreadable, Incomplete, pypdfium2.PdfiumError):
            continue


def pdf_texts(path: Path) -> Iterator[str]:
    """Yield the text of each page that can be read."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        for number in range(len(document)):
            try:
                with closing(document[number]) as page, closing(page.get_textpage()) as text:
                    found = text.get_text_range()
            except pypdfium2.PdfiumError:
                continue
            yield found


def insert(path: Path, texts: Sequence[str]) -> None:
    """Fill an FTS5 table that keeps no text."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE VIRTUAL TABLE words USING fts5 (text, content='')")
        db.execute("BEGIN")
        db.executemany("INSERT INTO words (text) VALUES (?)", ((one,) for one in texts))
        db.execute("COMMIT")


def timed(do: Callable[[], object]) -> float:
    """Return the seconds something takes."""
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def indexed(library: Path, index: Path) -> None:
    """Index a library once more from nothing."""
    Indexing([Library("sample", library)], index).run(rebuild=True)


def measure_time(figures: Figures, folder: Path, library: Path, paths: Sequence[Path]) -> float:
    """Print what indexing takes beside its two parts; return its seconds."""
    ours, reading, filling = [], [], []
    for number in range(ROUNDS):
        texts: list[str] = []
        reading.append(timed(lambda texts=texts: texts.extend(extract(paths))))  # type: ignore[misc]
        raw = folder / f"raw-{number}"
        filling.append(timed(lambda raw=raw, texts=texts: insert(raw, texts)))  # type: ignore[misc]
        ours.append(timed(lambda: indexed(library, folder / "index" / "index")))
    parts = min(one + other for one, other in zip(reading, filling, strict=True))
    figures.note(
        f"{len(paths)} books, {len(texts):,} pages and pieces, {sum(map(len, texts)) / 1e6:.1f} MB:"
        f" reading {min(reading):.2f} s, FTS5 {min(filling):.2f} s, indexing {min(ours):.2f} s"
    )
    figures.figure("indexing over reading and FTS5", min(ours) / parts, RATIO, "times")
    return min(ours)


def measure_memory(figures: Figures, folder: Path, library: Path) -> None:
    """Print the peak memory of the indexing process and its child together."""
    shown = subprocess.run(
        [sys.executable, __file__, "--memory-of", str(library), str(folder / "memory" / "index")],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )
    own, child = json.loads(shown.stdout)
    if not own:
        figures.note("peak memory: this system does not tell it")
        return
    figures.note(f"peak memory: indexer {own:.0f} MB, its reading process {child:.0f} MB")
    figures.figure("peak memory of both", own + child, MEMORY, "MB")


def print_memory(library: Path, index: Path) -> int:
    """Index, in a process of its own, and print the peaks."""
    Indexing([Library("sample", library)], index, extractor=Measured).run()
    sys.stdout.write(json.dumps([peak(os.getpid()), Measured.child]))
    return 0


def measure_rescan(figures: Figures, folder: Path) -> None:
    """Print what going through an unchanged library takes."""
    content = epub(folder / "one.epub", {"a.xhtml": "<p>A whale at sea.</p>"}).read_bytes()
    volume = Volume(files={"EPUB": content}, comments="About a whale. " * 40)
    library = make_library(folder / "Many", [volume] * MANY)
    index = folder / "many" / "index"
    took = timed(lambda: Indexing([Library("many", library)], index).run())
    figures.note(f"{MANY:,} copies of one book: first run {took:.1f} s")
    rescan = min(
        timed(lambda: Indexing([Library("many", library)], index).run()) for _ in range(ROUNDS)
    )
    figures.figure(f"rescan of {MANY:,} unchanged books", rescan, RESCAN, "s")
    status = timed(Indexing([Library("many", library)], index).status)
    figures.note(f"status of {MANY:,} books: {status:.2f} s")


def measure_calibre(figures: Figures, folder: Path, paths: Sequence[Path]) -> None:
    """Print what indexing takes beside Calibre's own full-text index of the same library."""
    program = shutil.which("calibredb")
    if program is None:
        figures.note("calibredb is not installed: not compared")
        return
    library, home = folder / "Calibre", folder / "home"
    library.mkdir()
    home.mkdir()
    calibre = Calibredb(program, library, home)
    calibre("add", "--duplicates", *map(str, paths))
    theirs = timed(
        lambda: calibre("fts_index", "enable", "--wait-for-completion", "--indexing-speed", "fast")
    )
    ours = timed(lambda: indexed(library, folder / "beside" / "index"))
    figures.note(f"calibredb fts_index {theirs:.1f} s, indexing {ours:.1f} s")
    figures.figure("indexing over calibredb fts_index", ours / theirs, CALIBRE_RATIO, "times")


def main() -> int:
    """Print the figures of indexing."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--books", type=Path)
    asked.add_argument("--no-calibre", action="store_true")
    asked.add_argument("--memory-of", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = asked.parse_args()
    if options.memory_of:
        return print_memory(*options.memory_of)
    figures = Figures()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.books is None:
            paths = invented(folder)
        else:
            paths = [one for one in options.books.iterdir() if one.suffix[1:].upper() in READABLE]
        library = library_of(folder / "Sample", paths)
        measure_time(figures, folder, library, paths)
        measure_memory(figures, folder, library)
        measure_rescan(figures, folder)
        if not options.no_calibre:
            measure_calibre(figures, folder, paths)
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
