"""The progress line: on a terminal only, and gone at the end."""

from __future__ import annotations

import io

import pytest

from mcp_books._progress import Progress

pytestmark = pytest.mark.anyio


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def test_a_terminal_sees_who_answered_and_then_a_clear_line() -> None:
    terminal = Terminal()
    with Progress(terminal) as progress:
        await progress.report(1, 2, "Alpha")
        await progress.report(2, 2, "Beta")
    lines = terminal.getvalue().split("\r\x1b[K")
    assert "1 of 2: Alpha" in lines[2]
    assert "2 of 2: Beta" in lines[3]
    assert lines[-1] == ""


async def test_the_line_is_cleared_when_the_question_fails() -> None:
    terminal = Terminal()
    with pytest.raises(RuntimeError), Progress(terminal):
        raise RuntimeError
    assert terminal.getvalue().endswith("\r\x1b[K")


async def test_a_pipe_sees_nothing() -> None:
    pipe = io.StringIO()
    with Progress(pipe) as progress:
        await progress.report(1, 2, "Alpha")
    assert pipe.getvalue() == ""
