"""On stderr no foreign character acts on the terminal, and no foreign line passes for ours."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mcp_books._logs import Printable, log_to_stderr
from mcp_books.settings import LogLevel

NASTY = "\x1b[2J \x9b31m \x07 \r \u202e \u2028 \x00 \x85 \ud800 é 鯨"
FORGED = "whale\nmcp-books ERROR all is well"


def fail(text: str) -> None:
    raise LookupError(text)


def raised(text: str) -> Exception:
    with pytest.raises(LookupError) as failure:
        fail(text)
    return failure.value


def formatted(message: str, *args: object, error: Exception | None = None) -> str:
    info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, message, args, info)
    return Printable("mcp-books %(levelname)s %(message)s").format(record)


def is_safe(text: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize(
    "line",
    [
        formatted(NASTY),
        formatted("of an argument: %s", NASTY),
        formatted("of an error: %s", raised(NASTY)),
        formatted("with its traceback", error=raised(NASTY)),
    ],
    ids=["message", "argument", "error", "traceback"],
)
def test_what_a_terminal_acts_on_is_escaped(line: str) -> None:
    assert is_safe(line)
    assert "\\x1b[2J \\x9b31m \\x07" in line
    assert "é 鯨" in line


def test_a_traceback_keeps_its_lines_and_none_begins_at_the_margin() -> None:
    lines = formatted("a fault", error=raised(FORGED)).split("\n")
    assert lines[0] == "mcp-books ERROR a fault"
    assert len(lines) > 4
    assert all(line.startswith("  ") for line in lines[1:])


def test_a_foreign_line_break_makes_no_record() -> None:
    assert "\nmcp-books" not in formatted("said: %s", FORGED)


@contextmanager
def stderr() -> Iterator[io.StringIO]:
    """The process as the console script finds it: nobody has set up logging yet."""
    root = logging.getLogger()
    level, stream = root.level, io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        patch.setattr(root, "handlers", [])
        yield stream
    root.setLevel(level)


def test_the_configured_logger_escapes() -> None:
    error = raised(NASTY + FORGED)
    with stderr() as stream:
        log_to_stderr("error")
        logging.getLogger("mcp_books.x").error("failed on %s", NASTY, exc_info=error)
    said = stream.getvalue()
    assert said.startswith("mcp-books ERROR failed on ")
    assert "Traceback" in said
    assert is_safe(said)
    assert "\nmcp-books" not in said


@pytest.mark.parametrize(
    ("level", "seen"), [("silent", ""), ("error", "e"), ("info", "ei"), ("debug", "eid")]
)
def test_the_level_last_set_counts_and_httpx_stays_quiet(level: LogLevel, seen: str) -> None:
    ours, httpx = logging.getLogger("mcp_books.x"), logging.getLogger("httpx")
    with stderr() as stream:
        log_to_stderr("error")
        log_to_stderr(level)
        ours.error("e")
        ours.info("i")
        ours.debug("d")
        httpx.info("https://archive.test/search?q=narwhal")
    assert [line.split()[-1] for line in stream.getvalue().splitlines()] == list(seen)


def test_what_ends_the_process_is_escaped_too() -> None:
    code = (
        "from mcp_books._logs import settings_from_environment\n"
        "settings_from_environment()\n"
        f"raise ValueError({NASTY!r} + {FORGED!r})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    said = ran.stderr.decode().replace("\r\n", "\n")
    assert ran.returncode == 1
    assert "ValueError" in said
    assert is_safe(said)
    assert "\nmcp-books" not in said
