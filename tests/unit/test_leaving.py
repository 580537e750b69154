"""A command ends with its answer, whatever a drive still keeps waiting."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys, threading
from mcp_books import __main__, cli

def run(arguments):
    {thread}
    sys.stdout.write("an answer")
    return 3

cli.run = run
sys.argv = ["mcp-books", "search", "whale"]
sys.exit(__main__.main())
"""
HELD = "threading.Thread(target=threading.Event().wait).start()"


@pytest.mark.parametrize("thread", [HELD, "pass"])
def test_a_command_ends_with_its_answer_though_a_thread_is_held(thread: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(thread=thread)],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "an answer", "")
