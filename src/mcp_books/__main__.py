"""The console script `mcp-books`: decides between serving and a command before loading either."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

__all__ = ["main"]

DEMO = "--demo"

_UNUSED = ("rich", "httpx._main")
"""What the SDK loads for its log lines, and httpx for its command line, wherever it happens to be
installed: 20 ms of every start and 4 MiB, for nothing that this server uses."""

_WAITING = """\
mcp-books is an MCP server: it now waits for a host (Claude Desktop, an editor) on standard input.
To ask something from this terminal, press Ctrl-C and try: mcp-books --help
"""


def main() -> int:
    """Serve MCP on stdio where no command is given, else run the command; return the exit code."""
    # What the imports below create lives as long as the process: collecting it costs 0.1 s.
    gc.disable()
    arguments = sys.argv[1:]
    with _ended_by_ctrl_c():
        if all(argument == DEMO for argument in arguments):
            _serve(demonstration=bool(arguments))
        from .cli import run

    gc.freeze()
    gc.enable()
    code = run(arguments)
    from ._leaving import is_held, leave

    if is_held():
        leave(code)
    return code


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the process, as it does any program, instead of failing an import."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # a parent ignores it
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _serve(*, demonstration: bool) -> None:
    if sys.stdin is None or sys.stdout is None:
        sys.exit("mcp-books: an MCP server needs its standard input and output open")
    if sys.stdin.isatty():
        sys.stderr.write(_WAITING)
    for module in _UNUSED:
        sys.modules[module] = None  # type: ignore[assignment]  # how Python marks one as absent
    from ._logs import settings_from_environment
    from .server import serve

    settings = settings_from_environment()
    if not demonstration:
        serve(settings)
    from .demo.server import demonstration as stand_ins

    with ExitStack() as playing:
        serve(playing.enter_context(stand_ins(settings)), at_end=playing.close)


if __name__ == "__main__":
    sys.exit(main())
