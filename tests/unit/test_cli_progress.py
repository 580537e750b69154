"""The progress line: on a terminal only, and gone at the end."""

from __future__ import annotations

import io

import pytest

from mcp_books._progress import Progress

pytestmark = pytest.mark.anyio


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def screens(terminal: Terminal) -> list[str]:
    """Return what the line shows each time something is written and the cursor stays behind it."""
    line: list[str] = []
    shown: list[str] = []
    for piece in terminal.getvalue().split("\r"):
        line[: len(piece)] = piece
        if piece.strip():
            shown.append("".join(line))
    return [*shown, "".join(line)]


async def test_a_terminal_sees_who_answered_and_then_a_clear_line() -> None:
    terminal = Terminal()
    with Progress(terminal) as progress:
        await progress.report(1, 2, "Alpha")
        await progress.report(2, 2, "Beta")
    assert [screen.strip() for screen in screens(terminal)] == [
        "asking the archives ...",
        "1 of 2: Alpha, waiting for 1 more ...",
        "2 of 2: Beta",
        "",
    ]


async def test_the_line_is_cleared_when_the_question_fails() -> None:
    terminal = Terminal()
    with pytest.raises(RuntimeError), Progress(terminal):
        raise RuntimeError
    assert screens(terminal)[-1].strip() == ""
    assert terminal.getvalue().endswith("\r")


async def test_a_terminal_that_knows_no_sequences_sees_none() -> None:
    terminal = Terminal()
    with Progress(terminal) as progress:
        await progress.report(1, 2, "Alpha")
    assert terminal.getvalue().replace("\r", "").isprintable()


async def test_a_line_never_reaches_the_last_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    terminal = Terminal()
    with Progress(terminal) as progress:
        await progress.report(1, 2, "Alpha")
    assert {len(piece) for piece in terminal.getvalue().split("\r")} == {0, 11}


async def test_a_pipe_sees_nothing() -> None:
    pipe = io.StringIO()
    with Progress(pipe) as progress:
        await progress.report(1, 2, "Alpha")
    assert pipe.getvalue() == ""
