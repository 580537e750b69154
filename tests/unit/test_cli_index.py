"""`mcp-books index`: what it does with real libraries, what it says, and how it ends."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_books import cli
from mcp_books._index_progress import IndexingShown
from mcp_books.demo.calibre import make_library
from mcp_books.sources.calibre.index import DiskFull, Index
from mcp_books.sources.calibre.indexing import Indexing, IndexProgress
from mcp_books.sources.calibre.worker import Killed, WorkerFailed
from mcp_books.sources.calibre.worker_process import Child
from mcp_books.sources.calibre.worker_protocol import Kind

KEPT = "what is done is kept, and the next run goes on from there"

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the libraries `one` and `two`, both configured."""
    for name in ("one", "two"):
        make_library(tmp_path / name, identity=name)
    configure(monkeypatch, tmp_path, "one", "two")
    monkeypatch.setenv("BOOKS_INDEX_DIR", str(tmp_path / "index"))
    return tmp_path


def configure(monkeypatch: pytest.MonkeyPatch, folder: Path, *names: str) -> None:
    text = os.pathsep.join(str(folder / name) for name in names)
    monkeypatch.setenv("BOOKS_CALIBRE_LIBRARIES", text)


def test_without_a_library_it_says_how_to_name_one(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.delenv("BOOKS_CALIBRE_LIBRARIES", raising=False)
    assert cli.run(["index"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "BOOKS_CALIBRE_LIBRARIES=" in shown.err


def test_a_first_run_indexes_and_a_second_one_finds_nothing_to_do(
    shelf: Path, capsys: Captured
) -> None:
    assert cli.run(["index"]) == 0
    assert "6 indexed, 0 unchanged" in capsys.readouterr().out
    assert cli.run(["index"]) == 0
    shown = capsys.readouterr()
    assert "0 indexed, 6 unchanged" in shown.out
    assert shown.err == ""


def test_where_no_terminal_is_the_progress_is_plain_lines_on_stderr(
    shelf: Path, capsys: Captured
) -> None:
    assert cli.run(["index"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines
    for line in lines:
        assert re.match(r"\d+ of \d+ books, \d+ pages", line)
        assert line.isprintable()


def test_the_status_counts_by_library_and_changes_nothing(shelf: Path, capsys: Captured) -> None:
    assert cli.run(["index", "--status"]) == 0
    before = capsys.readouterr().out
    assert "one: 0 of 3 readable books indexed\n  3 waiting" in before
    assert not (shelf / "index").exists()
    assert cli.run(["index", "--library", "one"]) == 0
    capsys.readouterr()
    assert cli.run(["index", "--status"]) == 0
    after = capsys.readouterr().out
    assert "one: 3 of 3 readable books indexed\ntwo: 0 of 3" in after
    assert str(shelf / "index") in after


def test_an_unreadable_book_is_counted_by_its_reason(shelf: Path, capsys: Captured) -> None:
    (book,) = (shelf / "one").rglob("*.pdf")
    book.write_bytes(b"%PDF-1.7\nnothing of the kind")
    assert cli.run(["index", "--library", "one"]) == 0
    assert "1 damaged" in capsys.readouterr().out
    assert cli.run(["index", "--status", "--library", "one"]) == 0
    shown = capsys.readouterr().out
    assert "one: 2 of 2 readable books indexed\n  1 damaged" in shown


def test_a_named_library_leaves_the_others_as_they_are(shelf: Path, capsys: Captured) -> None:
    assert cli.run(["index"]) == 0
    assert cli.run(["index", "--library", "TWO", "--library", "two"]) == 0
    assert "0 indexed, 3 unchanged" in capsys.readouterr().out
    assert cli.run(["index", "--status", "--library", "one"]) == 0
    assert "one: 3 of 3" in capsys.readouterr().out


def test_a_library_that_is_not_configured_is_refused_with_those_that_are(
    shelf: Path, capsys: Captured
) -> None:
    assert cli.run(["index", "--library", "three"]) == 2
    shown = capsys.readouterr().err
    assert "'three'" in shown
    assert "one, two" in shown


def test_a_rebuild_reads_every_book_again(shelf: Path, capsys: Captured) -> None:
    assert cli.run(["index"]) == 0
    capsys.readouterr()
    assert cli.run(["index", "--rebuild"]) == 0
    assert "6 indexed, 0 unchanged" in capsys.readouterr().out
    assert cli.run(["index", "--rebuild", "--library", "one"]) == 2


def test_a_damaged_index_is_named_with_what_repairs_it(shelf: Path, capsys: Captured) -> None:
    (shelf / "index").mkdir()
    (shelf / "index" / "text-index.sqlite3").write_bytes(b"not an index " * 1000)
    assert cli.run(["index"]) == 1
    assert "mcp-books index --rebuild" in capsys.readouterr().err
    assert cli.run(["index", "--rebuild"]) == 0


def test_a_library_that_cannot_be_read_is_named_and_the_others_are_indexed(
    shelf: Path, capsys: Captured
) -> None:
    (shelf / "one" / "metadata.db").unlink()
    assert cli.run(["index"]) == 1
    shown = capsys.readouterr()
    assert "one: cannot be read: its folder, or metadata.db in it, is not there" in shown.err
    assert "3 indexed" in shown.out
    assert cli.run(["index", "--status"]) == 0
    assert "one: cannot be read" in capsys.readouterr().out
    assert cli.run(["index", "--library", "two"]) == 0


def test_a_copy_is_named_in_the_same_words_by_a_run_and_by_the_status(
    shelf: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(shelf / "two")
    shutil.copytree(shelf / "one", shelf / "two")
    said = "two: is not read: it is a copy of the library 'one'\n"
    assert cli.run(["index"]) == 0
    assert said in capsys.readouterr().err
    for options in ([], ["--library", "two"]):
        assert cli.run(["index", "--status", *options]) == 0
        told = capsys.readouterr().out
        assert (said in told, "two: 0 of" in told) == (True, False)


def test_while_another_indexes_it_says_so_and_the_status_still_works(
    shelf: Path, capsys: Captured
) -> None:
    with Index.open_writing(shelf / "index" / "text-index.sqlite3"):
        assert cli.run(["index"]) == 1
        assert "another process is indexing" in capsys.readouterr().err
        assert cli.run(["index", "--status"]) == 0
        assert "one: 0 of 3" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child process")
def test_ctrl_c_keeps_what_is_done_and_the_next_run_goes_on(
    shelf: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def once_reported(self: IndexingShown, progress: IndexProgress) -> None:
        if progress.books == 1:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(IndexingShown, "report", once_reported)
        assert cli.run(["index"]) == 130
    shown = capsys.readouterr()
    assert "what is done is kept" in shown.err
    assert "1 indexed" in shown.out
    assert "Stopped." in shown.out
    assert cli.run(["index"]) == 0
    assert "5 indexed, 1 unchanged" in capsys.readouterr().out


def test_a_second_ctrl_c_ends_at_once(
    shelf: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(self: IndexingShown, progress: IndexProgress) -> None:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(IndexingShown, "report", twice)
    assert cli.run(["index"]) == 130
    assert capsys.readouterr().err.count("stopping") == 1
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (DiskFull("The disk is full."), f"The disk is full; {KEPT}"),
        (Killed("ended (SIGKILL)"), f"ended (SIGKILL); {KEPT}"),
        (WorkerFailed("no process"), "no process"),
    ],
)
def test_what_stops_indexing_is_said_in_one_line(
    shelf: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, problem: Exception, said: str
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(Indexing, "run", failing)
    assert cli.run(["index"]) == 1
    shown = capsys.readouterr()
    assert shown.err == f"mcp-books index: {said}\n"
    assert shown.out == ""


LIMITED = """
import resource, sys
from mcp_books import cli
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(cli.run(["index"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX does")
@pytest.mark.parametrize("most", [0, 60_000, 200_000])
def test_no_room_to_write_names_the_index_and_the_next_run_goes_on(
    shelf: Path, capsys: Captured, most: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(most)], capture_output=True, timeout=60, check=False
    )
    said = done.stderr.decode().splitlines()[-1]
    index = shelf / "index" / "text-index.sqlite3"
    assert said.startswith(f"mcp-books index: The index {str(index)!r} cannot be written: a quota")
    assert said.endswith(KEPT)
    assert done.returncode == 1
    assert cli.run(["index"]) == 0
    assert re.search(r"\d indexed", capsys.readouterr().out)


def test_an_indexed_book_without_its_file_is_counted(shelf: Path, capsys: Captured) -> None:
    assert cli.run(["index"]) == 0
    next((shelf / "one").rglob("*.pdf")).unlink()
    capsys.readouterr()
    assert cli.run(["index"]) == 0
    told = "0 indexed, 6 unchanged.\n  1 indexed, but without their file now; their text stays\n"
    assert told in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_a_book_whose_reader_is_killed_is_named_and_the_exit_code_tells(
    shelf: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = Child.ask

    def killed_at_a_pdf(self: Child, kind: Kind, path: Path, format_name: str) -> None:
        if format_name == "PDF" and shelf / "one" in path.parents:
            self.process.kill()
            self.process.wait()
        asking(self, kind, path, format_name)

    with monkeypatch.context() as patch:
        patch.setattr(Child, "ask", killed_at_a_pdf)
        assert cli.run(["index"]) == 1
    told = capsys.readouterr().out
    assert "Books: 5 indexed, 0 unchanged.\n  1 left to the next run" in told
    assert "\n    Moby-Dick; or, The Whale" in told
    assert cli.run(["index"]) == 0
    assert "1 indexed, 5 unchanged" in capsys.readouterr().out


def test_in_the_background_it_prints_nothing_and_ends_with_its_input(shelf: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mcp_books", "index", "--background"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_in_the_background_a_second_one_leaves_quietly(shelf: Path) -> None:
    with Index.open_writing(shelf / "index" / "text-index.sqlite3"):
        done = subprocess.run(
            [sys.executable, "-m", "mcp_books", "index", "--background"],
            stdin=subprocess.PIPE,
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown_at(seconds: float, terminal: io.StringIO, progress: IndexProgress) -> str:
    """Return what is newly written for `progress`, `seconds` after the line before."""
    now = iter((0.0, seconds))
    with IndexingShown(terminal, clock=lambda: next(now)) as shown:
        shown.report(IndexProgress(books=0, of=9, pages=0, seconds=0.0, current=None))
        before = len(terminal.getvalue())
        shown.report(progress)
        return terminal.getvalue()[before:]


HALFWAY = IndexProgress(books=3, of=9, pages=1200, seconds=60.0, current="莊\x1b[2J子")


def test_a_terminal_sees_a_bar_with_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    line = shown_at(1.0, Terminal(), HALFWAY).rpartition("\r")[2]
    assert line.startswith(
        "[######--------------] 3 of 9 books, 1200 pages, 20 pages/s, 2 min left"
    )
    assert "莊" in line
    assert line.isprintable()


def test_a_narrow_terminal_is_never_overrun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "84")
    wide = IndexProgress(books=3, of=9, pages=1200, seconds=60.0, current="莊" * 99)
    line = shown_at(1.0, Terminal(), wide).rpartition("\r")[2]
    assert len(line) + line.count("莊") <= 83


@pytest.mark.parametrize(("terminal", "soon"), [(Terminal(), 0.05), (io.StringIO(), 2.0)])
def test_what_comes_a_moment_later_is_passed_over_unless_it_is_the_last(
    terminal: io.StringIO, soon: float
) -> None:
    assert shown_at(soon, terminal, HALFWAY) == ""
    last = IndexProgress(books=9, of=9, pages=3600, seconds=7200.0, current=None)
    assert "9 of 9 books" in shown_at(soon, terminal, last)


def test_long_waits_are_told_in_minutes_and_hours() -> None:
    for seconds, told in ((8.0, "16 s left"), (600.0, "20 min left"), (7200.0, "4.0 h left")):
        progress = IndexProgress(books=3, of=9, pages=1200, seconds=seconds, current=None)
        assert told in shown_at(9.0, io.StringIO(), progress)
