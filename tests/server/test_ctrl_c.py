"""Ctrl-C before anything is ready."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

INTERRUPTED_AT = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
sys.argv[1:] = {arguments!r}
from mcp_books.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child process")
@pytest.mark.parametrize(
    ("module", "arguments", "code"),
    [
        ("mcp_books.cli", ["search", "whale"], -signal.SIGINT),
        ("mcp_books.server", [], -signal.SIGINT),
        ("mcp_books.demo.tour", ["demo"], 130),
    ],
)
def test_ctrl_c_while_modules_are_loaded_ends_without_a_traceback(
    module: str, arguments: list[str], code: int
) -> None:
    program = INTERRUPTED_AT.format(module=module, arguments=arguments)
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (code, b"")
