"""Reading in a process of its own: what a file does to its reader costs one book."""

from __future__ import annotations

import io
import logging
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_books.sources.calibre.extract.base import Stretch, Unreadable
from mcp_books.sources.calibre.extract.epub import read as read_epub
from mcp_books.sources.calibre.extract.mobi import read as read_mobi
from mcp_books.sources.calibre.extract.pdf import read as read_pdf
from mcp_books.sources.calibre.worker import Extractor, Stopped, WorkerFailed
from mcp_books.sources.calibre.worker_protocol import Garbage, read_frame, read_stretches
from tests.calibre.epub_files import epub
from tests.calibre.mobi_files import palmdoc_book
from tests.calibre.pdf_files import pdf

READERS = "tests.calibre.obeying_readers"
MEMORY = 160 * 1024 * 1024

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such thing")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")


@pytest.fixture
def extractor() -> Iterator[Extractor]:
    with Extractor(readers=READERS, time_limit=60, memory_limit=MEMORY) as one:
        yield one


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return told(tmp_path, "say all is well", name="good")


def told(folder: Path, *orders: str, name: str = "bad") -> Path:
    path = folder / f"{name}.txt"
    path.write_text("\n".join(orders), "utf-8")
    return path


def texts(extractor: Extractor, path: Path) -> list[str]:
    return [one.text for one in extractor.read(path, "TXT")]


def refusal(extractor: Extractor, path: Path) -> str:
    with pytest.raises(Unreadable) as raised:
        texts(extractor, path)
    return raised.value.status


def test_real_files_give_what_their_readers_give_in_one_process(tmp_path: Path) -> None:
    paths = {"PDF": tmp_path / "a.pdf", "EPUB": tmp_path / "a.epub", "MOBI": tmp_path / "a.mobi"}
    paths["PDF"].write_bytes(pdf(["one whale", "two whales"], labels=[(0, "/S /r")]))
    epub(paths["EPUB"], {"a.xhtml": "<p>A whale at sea.</p>"})
    paths["MOBI"].write_bytes(palmdoc_book(b"A whale in a pond. " * 300))
    with Extractor() as extractor:
        found, pids = {}, set()
        for kind, path in paths.items():
            found[kind] = list(extractor.read(path, kind))
            pids.add(extractor.pid)
        stated = extractor.states_pages(paths["PDF"], "PDF")
    assert found["PDF"] == list(read_pdf(paths["PDF"]))
    assert found["EPUB"] == list(read_epub(paths["EPUB"]))
    assert found["MOBI"] == list(read_mobi(paths["MOBI"]))
    assert len(pids) == 1
    assert stated


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        (pdf(["text"], labels=[(0, "/S /r")]), True),
        (pdf(["text"]), False),
        (pdf(["text"], password="secret"), False),
        (b"", False),
        (b"%PDF-1.4 nothing", False),
    ],
)
def test_a_pdf_states_pages_only_if_it_has_labels(
    tmp_path: Path, content: bytes, stated: bool
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    with Extractor() as extractor:
        assert extractor.states_pages(path, "PDF") is stated


def test_a_book_of_many_pages_arrives_whole_and_in_order(
    extractor: Extractor, tmp_path: Path
) -> None:
    pages = [one.page_number for one in extractor.read(told(tmp_path, "many 5000"), "TXT")]
    assert pages == list(range(1, 5001))


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ("crash", "damaged"),
        ("fail", "damaged"),
        ("wrong", "damaged"),
        ("damaged", "damaged"),
        pytest.param("eat", "too_large", marks=posix),
        pytest.param("reserve", "too_large", marks=linux),
    ],
)
def test_a_bad_book_costs_itself_alone(
    extractor: Extractor, tmp_path: Path, good: Path, order: str, status: str
) -> None:
    assert texts(extractor, good) == ["all is well"]
    assert refusal(extractor, told(tmp_path, order)) == status
    assert texts(extractor, good) == ["all is well"]


def test_what_was_read_before_the_damage_arrives_before_it(
    extractor: Extractor, tmp_path: Path
) -> None:
    reading = extractor.read(told(tmp_path, "many 300", "crash"), "TXT")
    before = [next(reading).page_number for _ in range(200)]
    with pytest.raises(Unreadable) as raised:
        next(reading)
    assert raised.value.status == "damaged"
    assert before == list(range(1, 201))


def test_what_a_library_prints_disturbs_nothing(extractor: Extractor, tmp_path: Path) -> None:
    assert texts(extractor, told(tmp_path, "print", "say after it")) == ["after it"]


def test_warnings_of_a_library_reach_the_log(
    extractor: Extractor, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        texts(extractor, told(tmp_path, "warn a circular outline", "say x"))
    assert [one.getMessage() for one in caplog.records] == ["some.library: a circular outline"]


def test_half_characters_arrive_as_they_are(extractor: Extractor, tmp_path: Path) -> None:
    (found,) = extractor.read(told(tmp_path, "surrogate"), "TXT")
    assert (found.text, found.section) == ("a lone \ud800", "\udfff")


def test_a_missing_file_is_no_fault_of_a_book(
    extractor: Extractor, tmp_path: Path, good: Path
) -> None:
    texts(extractor, good)
    before = extractor.pid
    with pytest.raises(FileNotFoundError):
        texts(extractor, tmp_path / "not there")
    assert texts(extractor, good) == ["all is well"]
    assert extractor.pid == before


def test_a_book_left_early_does_not_run_into_the_next(
    extractor: Extractor, tmp_path: Path, good: Path
) -> None:
    reading = extractor.read(told(tmp_path, "many 5000"), "TXT")
    next(reading)
    reading.close()  # type: ignore[attr-defined]  # a generator
    assert texts(extractor, good) == ["all is well"]


def test_a_reader_that_hangs_can_be_stopped(extractor: Extractor, tmp_path: Path) -> None:
    answers = iter([False, False, True])
    with pytest.raises(Stopped):
        list(extractor.read(told(tmp_path, "hang"), "TXT", stopped=lambda: next(answers)))
    assert extractor.pid is None


def test_an_idle_process_that_ended_is_replaced(extractor: Extractor, good: Path) -> None:
    texts(extractor, good)
    pid = extractor.pid
    assert pid is not None
    os.kill(pid, signal.SIGTERM)
    extractor._child.process.wait()  # type: ignore[union-attr]  # noqa: SLF001  # no race
    assert texts(extractor, good) == ["all is well"]
    assert extractor.pid != pid


def test_readers_that_cannot_be_imported_are_no_fault_of_a_book(good: Path) -> None:
    with Extractor(readers="no.such.module") as extractor, pytest.raises(WorkerFailed) as raised:
        texts(extractor, good)
    assert "No module named 'no'" in str(raised.value)


@posix
def test_low_priority_is_that_of_the_process(good: Path) -> None:
    with Extractor(readers=READERS, low_priority=True) as extractor:
        texts(extractor, good)
        assert extractor.pid is not None
        mine = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, extractor.pid) == min(mine + 10, 19)


@posix
def test_the_process_ends_with_its_parent_in_the_middle_of_a_book(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"""
from pathlib import Path
from mcp_books.sources.calibre.worker import Extractor
with Extractor(readers={READERS!r}) as extractor:
    list(extractor.read(Path({str(told(tmp_path, f"hold {pipe}"))!r}), "TXT"))
"""
    root = Path(__file__).parents[2]
    places = os.pathsep.join((str(root / "src"), str(root)))
    parent = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": places}
    )
    try:
        with pipe.open(encoding="utf-8") as held:
            child = int(held.readline())
            parent.kill()
            assert held.read() == ""  # the end comes when the last process that holds it has ended
    finally:
        parent.kill()
        parent.wait()
    assert child != parent.pid


@pytest.mark.parametrize(
    "sent",
    [
        b"Z\0\0\0\2{}",
        b"S\0\0\0\2}{",
        b"S\xff\xff\xff\xff",
        b"S" + struct.pack(">L", 200_000) + b"[" * 200_000,
        b"S\0\0\0\1\xff",
        b"this is no frame",
    ],
)
def test_bytes_that_are_no_frame_are_told_from_one(sent: bytes) -> None:
    with pytest.raises(Garbage):
        read_frame(io.BytesIO(sent))


@pytest.mark.parametrize("sent", [b"", b"S\0", b"S\0\0\0\5[]"])
def test_a_pipe_that_ends_ends_the_frames(sent: bytes) -> None:
    assert read_frame(io.BytesIO(sent)) is None


@pytest.mark.parametrize(
    "body",
    [
        None,
        {"text": "x"},
        ["x"],
        [["x"]],
        [[5, None, None, None, None, "body"]],
        [["x", True, None, None, None, "body"]],
        [["x", 1, 2, None, None, "body"]],
        [["x", 1, None, "guessed", None, "body"]],
        [["x", 1, None, ["pagelist"], None, "body"]],
        [["x", 1, None, None, None, "poem"]],
        [["x", 1, None, None, 3, "body"]],
    ],
)
def test_values_that_are_no_stretch_are_told_from_one(body: object) -> None:
    with pytest.raises(Garbage):
        read_stretches(body)


def test_a_stretch_is_read_with_all_that_it_states() -> None:
    row = ["x", 1, "i", "pagelabels", "A › B", "contents"]
    assert read_stretches([row]) == [Stretch("x", 1, "i", "pagelabels", "A › B", "contents")]


def test_a_file_read_ahead_gives_what_it_would_have_given(
    extractor: Extractor, tmp_path: Path, good: Path
) -> None:
    long = told(tmp_path, "many 3000", name="long")
    texts(extractor, good)
    before = extractor.pid
    extractor.prepare(long, "TXT")
    assert len(texts(extractor, long)) == 3000
    extractor.prepare(good, "TXT")
    assert texts(extractor, good) == ["all is well"]
    assert extractor.pid == before


def test_a_file_read_ahead_in_vain_does_not_run_into_another(
    extractor: Extractor, tmp_path: Path, good: Path
) -> None:
    extractor.prepare(told(tmp_path, "many 3000"), "TXT")
    assert texts(extractor, good) == ["all is well"]
    extractor.prepare(told(tmp_path, "many 3000"), "TXT")
    assert not extractor.states_pages(good, "TXT")


def test_a_file_that_changed_after_it_was_read_ahead_is_read_again(
    extractor: Extractor, tmp_path: Path, good: Path
) -> None:
    extractor.prepare(good, "TXT")
    told(tmp_path, "say something longer than before", name="good")
    assert texts(extractor, good) == ["something longer than before"]


def test_a_crash_while_reading_ahead_is_that_of_its_file(
    extractor: Extractor, tmp_path: Path, good: Path
) -> None:
    bad = told(tmp_path, "crash")
    extractor.prepare(bad, "TXT")
    assert refusal(extractor, bad) == "damaged"
    assert texts(extractor, good) == ["all is well"]
