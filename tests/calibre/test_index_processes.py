"""Several processes on one index, and processes that end in the middle of their work."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from mcp_books.sources.calibre.index import Index, IndexInUse
from tests.calibre.index_builders import add, find, rows_kept, rows_with

PAGES = 12
BOOKS = 6

PREAMBLE = """
    import sys
    from pathlib import Path
    from mcp_books.sources.calibre.index import DiskFull, Index, IndexUnreachable, adding, writer
    from tests.calibre.index_builders import add, book_file, stretches

    adding.BATCH_PAGES = 5
    writer._REMOVED_AT_ONCE = 3
    path = Path(sys.argv[1])

    def say(text):
        print(text, flush=True)

    def pages(book):
        for page in range(12):
            say(f"page {page}")
            yield f"whale {book} {page} " + "word " * 200
"""

INDEXING = """
    with Index.open_writing(path) as index:
        done = {document.file.book for document in index.documents()}
        say("open")
        for book in range(6):
            if book not in done:
                index.add(book_file(book), (s for t in pages(book) for s in stretches(t)))
                say("done")
        say("end")
        sys.stdin.read()
"""

REMOVING = """
    normalise = writer.normalise

    def watched(text):
        say("removing")
        return normalise(text)

    writer.normalise = watched
    with Index.open_writing(path) as index:
        index.remove([document.id for document in index.documents()])
    say("end")
"""

TIDYING = """
    with Index.open_writing(path) as index:
        say("open")
        while True:
            index.add(book_file(99, content=""), (s for t in pages(99) for s in stretches(t)))
            index.tidy(60)
"""


@contextmanager
def running(path: Path, script: str) -> Iterator[subprocess.Popen[str]]:
    root = Path(__file__).parents[2]
    code = textwrap.dedent(PREAMBLE) + textwrap.dedent(script)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(root / "src"), str(root)))},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_lines(process: subprocess.Popen[str], until: str, times: int = 1) -> list[str]:
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(line.strip())
        times -= seen[-1] == until
        if not times:
            return seen
    raise AssertionError(f"the process ended: {seen}")


def killed(path: Path, script: str, until: str, times: int) -> list[str]:
    with running(path, script) as process:
        seen = read_lines(process, until, times)
        process.kill()
        process.wait()
    return seen


@pytest.mark.parametrize(
    ("line", "times"),
    [("open", 1), ("page 0", 1), ("page 5", 1), ("page 11", 1), ("done", 1), ("page 7", 4)],
)
def test_a_killed_run_leaves_whole_books_and_the_next_one_finishes(
    tmp_path: Path, line: str, times: int
) -> None:
    path = tmp_path / "index.sqlite"
    seen = killed(path, INDEXING, line, times)
    with Index.open_reading(path) as reader:
        whole = len(reader.documents())
        assert whole >= seen.count("done")
        assert find(reader, "whale").total == whole * PAGES
    with running(path, INDEXING) as process:
        read_lines(process, "end")
        with Index.open_reading(path) as reader:
            assert find(reader, "whale").total == BOOKS * PAGES
    assert len(rows_with(path, "whale")) == BOOKS * PAGES
    assert rows_with(path, "whale") == rows_kept(path)


@pytest.mark.parametrize("moment", [1, 5, 20])
def test_a_removal_that_was_killed_is_finished_by_the_next_writer(
    tmp_path: Path, moment: int
) -> None:
    path = tmp_path / "index.sqlite"
    with Index.open_writing(path) as index:
        for book in range(3):
            add(index, book, *(f"whale {page}" for page in range(PAGES)))
    killed(path, REMOVING, "removing", moment)
    with Index.open_reading(path) as reader:
        assert (find(reader, "whale").total, reader.documents()) == (0, ())
    Index.open_writing(path).close()
    assert rows_with(path, "whale") == rows_kept(path) == []


def test_a_run_killed_while_it_tidies_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    with Index.open_writing(path) as index:
        add(index, 1, *(f"whale {page}" for page in range(PAGES)))
    killed(path, TIDYING, "page 11", 8)
    with Index.open_writing(path), Index.open_reading(path) as reader:
        assert find(reader, '"whale 3"').total == 1
        assert find(reader, '"whale 99 3"').total == 1
    assert rows_with(path, "whale") == rows_kept(path)


def test_one_process_writes_and_others_read_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    with running(path, INDEXING) as process:
        read_lines(process, "done", 2)
        with pytest.raises(IndexInUse) as refused:
            Index.open_writing(path)
        assert refused.value.pid == process.pid
        with Index.open_reading(path) as reader:
            before = find(reader, "whale").total or 0
            assert before % PAGES == 0
            read_lines(process, "end")
            assert find(reader, "whale").total == BOOKS * PAGES
        process.kill()
        process.wait()
        Index.open_writing(path).close()


def test_a_reader_in_the_middle_of_a_transaction_holds_up_no_writer(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    with Index.open_writing(path) as index:
        add(index, 0, "a whale")
        with closing(sqlite3.connect(path, isolation_level=None)) as slow:
            slow.execute("BEGIN")
            assert slow.execute("SELECT count(*) FROM page").fetchone() == (1,)
            add(index, 1, "another whale")
            index.remove([index.documents()[0].id])
            index.tidy(5)
            assert slow.execute("SELECT count(*) FROM page").fetchone() == (1,)


FILLING = """
    import random
    import resource

    letters = random.Random(2)

    def heavy(page):
        say(f"page {page}")
        return " ".join(letters.randbytes(5).hex() for _ in range(400)) + " whale"

    with Index.open_writing(path) as index:
        add(index, 0, "whale zero")
        limit = path.stat().st_size + 1_500_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            for book in range(1, 1000):
                index.add(book_file(book), (s for p in range(12) for s in stretches(heavy(p))))
                say("done")
        except (DiskFull, IndexUnreachable):
            say("full")
        say(f"kept {len(index.documents())}")
    say("end")
"""


@pytest.mark.skipif(os.name == "nt", reason="limits the size of files as POSIX does")
def test_a_file_that_may_not_grow_costs_the_document_being_written_and_no_other(
    tmp_path: Path,
) -> None:
    path = tmp_path / "index.sqlite"
    with running(path, FILLING) as process:
        seen = read_lines(process, "end")
    assert "full" in seen
    whole = 1 + seen.count("done")
    assert whole > 2
    assert f"kept {whole}" in seen
    with Index.open_reading(path) as reader:
        assert len(reader.documents()) == whole
        assert find(reader, "whale").total == 1 + (whole - 1) * PAGES
    with Index.open_writing(path) as index:
        add(index, 5000, "a whale")
    assert rows_with(path, "whale") == rows_kept(path)
