"""How the reading process can end, and whether that is the doing of the book it was at."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mcp_books.sources.calibre.extract.base import Unreadable
from mcp_books.sources.calibre.worker import Extractor, Killed, WorkerFailed
from mcp_books.sources.calibre.worker_process import was_ended

READERS = "tests.calibre.obeying_readers"

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")


def told(folder: Path, order: str) -> Path:
    path = folder / f"{order.replace(' ', '-')}.txt"
    path.write_text(order, "utf-8")
    return path


def texts(extractor: Extractor, path: Path) -> list[str]:
    return [one.text for one in extractor.read(path, "TXT")]


def refusal(extractor: Extractor, path: Path) -> tuple[str, str]:
    with pytest.raises(Unreadable) as raised:
        texts(extractor, path)
    return raised.value.status, raised.value.detail


@posix
@pytest.mark.parametrize(
    "signal", ["SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS"]
)
def test_a_crash_is_the_fault_of_the_book(tmp_path: Path, signal: str) -> None:
    with Extractor(readers=READERS) as extractor:
        status, detail = refusal(extractor, told(tmp_path, f"die {signal}"))
        assert (status, signal in detail) == ("damaged", True)
        assert texts(extractor, told(tmp_path, "say well")) == ["well"]


@posix
@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGXCPU"])
def test_a_process_that_somebody_ended_is_no_fault_of_a_book(tmp_path: Path, signal: str) -> None:
    with Extractor(readers=READERS) as extractor:
        with pytest.raises(Killed, match=signal):
            texts(extractor, told(tmp_path, f"die {signal}"))
        assert texts(extractor, told(tmp_path, "say well")) == ["well"]


@posix
def test_ctrl_c_in_a_terminal_reaches_the_parent_alone(tmp_path: Path) -> None:
    with Extractor(readers=READERS) as extractor:
        texts(extractor, told(tmp_path, "say well"))
        assert extractor.pid is not None
        assert os.getpgid(extractor.pid) != os.getpgid(0)


@pytest.mark.parametrize(
    ("code", "said", "platform", "expected"),
    [
        (1, "", "win32", True),
        (1, "ModuleNotFoundError: No module named 'lxml'", "win32", False),
        (0xC000013A, "Traceback", "win32", True),
        (0xC0000005, "", "win32", False),
        (1, "", "linux", False),
        (-9, "", "darwin", True),
        (-11, "", "linux", False),
    ],
)
def test_an_ending_is_laid_to_others_only_where_it_can_be(
    code: int, said: str, platform: str, *, expected: bool
) -> None:
    assert was_ended(code, said, platform) is expected


@posix
def test_a_process_that_is_ended_before_it_can_be_asked_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = "import os, signal\nos.write(2, b'no room')\nos.kill(os.getpid(), signal.SIGKILL)\n"
    (tmp_path / "dying_readers.py").write_text(dying, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with Extractor(readers="dying_readers") as extractor, pytest.raises(WorkerFailed) as raised:
        texts(extractor, told(tmp_path, "say well"))
    assert not isinstance(raised.value, Killed)
    assert str(raised.value).startswith("the reading process does not start: ")
    assert str(raised.value).endswith("(SIGKILL): no room")


def test_a_reader_that_leaves_is_the_fault_of_the_book(tmp_path: Path) -> None:
    with Extractor(readers=READERS) as extractor:
        assert refusal(extractor, told(tmp_path, "leave"))[0] == "damaged"
        assert texts(extractor, told(tmp_path, "say well")) == ["well"]


@pytest.mark.parametrize(
    "order", ["spin", "hang", pytest.param("die SIGSTOP", marks=posix, id="stopped")]
)
def test_a_book_that_takes_too_long_is_given_up_and_its_process_ended(
    tmp_path: Path, order: str
) -> None:
    with Extractor(readers=READERS, time_limit=0.3) as extractor:
        texts(extractor, told(tmp_path, "say well"))
        before = extractor.pid
        assert refusal(extractor, told(tmp_path, order)) == ("timed_out", "more than 0.3 seconds")
        assert extractor.pid is None
        assert texts(extractor, told(tmp_path, "say well")) == ["well"]
        assert extractor.pid != before


@posix
def test_the_limit_on_memory_says_so_whatever_ended_the_process(tmp_path: Path) -> None:
    with Extractor(readers=READERS, memory_limit=100 << 20) as extractor:
        for order in ("eat", "reserve") if sys.platform == "linux" else ("eat",):
            assert refusal(extractor, told(tmp_path, order))[0] == "too_large"
