"""Starting and ending: what is decided before the heavy imports, and how the process ends."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

import mcp_books.__main__ as script
from mcp_books import server
from mcp_books.settings import Settings
from tests.server.pipe import Pipe


class Ended(BaseException):
    """The process would have ended here."""


@pytest.fixture(autouse=True)
def _this_process_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(script, "_UNUSED", ())
    interrupt = signal.getsignal(signal.SIGINT)
    terminate = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, terminate)
    gc.unfreeze()
    gc.enable()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """Return the settings that were served with."""
    seen: list[Settings] = []

    def serve(settings: Settings, *, at_end: Callable[[], None] | None = None) -> NoReturn:
        seen.append(settings)
        raise Ended

    monkeypatch.setattr("mcp_books.server.serve", serve)
    return seen


def start(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["mcp-books", *arguments])
    with contextlib.suppress(Ended):
        script.main()


def test_no_argument_serves_with_the_settings_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, served: list[Settings]
) -> None:
    monkeypatch.setenv("BOOKS_MAX_RETRIES", "1")
    start(monkeypatch)
    assert [settings.max_retries for settings in served] == [1]


def test_demo_alone_serves_the_stand_ins(
    monkeypatch: pytest.MonkeyPatch, served: list[Settings]
) -> None:
    start(monkeypatch, "--demo")
    assert [settings.demonstration for settings in served] == [True]


def test_a_command_is_run_and_nothing_is_served(
    monkeypatch: pytest.MonkeyPatch, served: list[Settings], capsys: pytest.CaptureFixture[str]
) -> None:
    start(monkeypatch, "--version")
    assert served == []
    assert capsys.readouterr().out.startswith("mcp-books ")


@pytest.mark.parametrize("terminal", [True, False])
def test_somebody_at_a_terminal_is_told_what_this_waits_for(
    monkeypatch: pytest.MonkeyPatch,
    served: list[Settings],
    capsys: pytest.CaptureFixture[str],
    terminal: bool,
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: terminal)
    start(monkeypatch)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert ("--help" in shown.err) is terminal
    assert shown.err.count("\n") == (2 if terminal else 0)


@pytest.mark.parametrize(("fault", "code"), [(None, 0), (OSError("no stdin"), 1)])
def test_the_end_of_serving_ends_the_process_at_once(
    monkeypatch: pytest.MonkeyPatch, fault: Exception | None, code: int
) -> None:
    codes: list[int] = []

    def run(*_: object) -> None:
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        assert gc.isenabled()
        if fault is not None:
            raise fault

    def end(code: int) -> NoReturn:
        codes.append(code)
        raise Ended

    monkeypatch.setattr("anyio.run", run)
    monkeypatch.setattr("os._exit", end)
    monkeypatch.setattr("logging.shutdown", lambda: None)
    with pytest.raises(Ended):
        server.serve(Settings())
    assert codes == [code]


def test_what_is_given_for_the_end_is_done_before_the_process_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []

    def end(code: int) -> NoReturn:
        done.append("ended")
        raise Ended

    monkeypatch.setattr("anyio.run", lambda *_: None)
    monkeypatch.setattr("os._exit", end)
    monkeypatch.setattr("logging.shutdown", lambda: None)
    with pytest.raises(Ended):
        server.serve(Settings(), at_end=lambda: done.append("cleared away"))
    assert done == ["cleared away", "ended"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals for a child process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_demonstration_that_is_interrupted_leaves_no_folder_behind(
    tmp_path: Path, number: signal.Signals
) -> None:
    with Pipe("--demo", environ={"TMPDIR": str(tmp_path)}) as demonstration:
        demonstration.greet()
        assert list(tmp_path.glob("mcp-books-demonstration-*"))
        assert demonstration.interrupt(number) == -number
    assert list(tmp_path.iterdir()) == []
