"""`mcp-books index`: bring the text index of the Calibre libraries up to date, or say its state."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from ._defuse import one_line
from ._index_progress import IndexingShown
from ._index_status import problems_told, run_told, status_told

if TYPE_CHECKING:
    from .settings import Settings
    from .sources.calibre.index import TextIndexError
    from .sources.calibre.indexing import Indexing, IndexRun
    from .sources.calibre.library import Library
    from .sources.calibre.worker import WorkerFailed

__all__ = ["Wanted", "index"]

logger = logging.getLogger(__name__)

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

_NICENESS = 10
_LONGEST_STOP = 3.0
"""Seconds after which an indexer whose server has gone ends in the middle of what it does."""

_NO_LIBRARY = """\
mcp-books index: no Calibre library is configured. Set BOOKS_CALIBRE_LIBRARIES to the folder that
holds the library's metadata.db; several are separated by {separator!r}, each may be name=folder:

  {example}
"""
_NO_SUCH = (
    "mcp-books index: there is no library {name!r} in BOOKS_CALIBRE_LIBRARIES; there is {all}\n"
)
_NOT_ALONE = (
    "mcp-books index: --rebuild makes the whole index again and cannot be confined to a library\n"
)
_NO_STATUS = "mcp-books index: --all goes with --status\n"


class Wanted(NamedTuple):
    """What the command line asks for."""

    status: bool = False
    rebuild: bool = False
    names: Sequence[str] = ()
    """The libraries meant; none: all of them."""
    background: bool = False
    """Whether a server started this: nothing is printed, and it ends with its standard input."""
    every: bool = False
    """Whether the status lists every title, however many there are."""


def index(settings: Settings, wanted: Wanted) -> int:
    """Do what is wanted and return the exit code."""
    from .sources.calibre.index import TextIndexError
    from .sources.calibre.indexing import Indexing
    from .sources.calibre.places import index_file, libraries
    from .sources.calibre.worker import WorkerFailed

    configured = libraries(settings)
    if not configured:
        return _refuse(_no_library())
    if wanted.rebuild and wanted.names:
        return _refuse(_NOT_ALONE)
    if wanted.every and not wanted.status:
        return _refuse(_NO_STATUS)
    names, unknown = _chosen(configured, wanted.names)
    if unknown is not None:
        every = ", ".join(library.name for library in configured)
        return _refuse(_NO_SUCH.format(name=unknown, all=every))
    file = index_file(settings)
    indexing = Indexing(configured, file, names=names)
    try:
        if wanted.status:
            told = status_told(indexing.status(), every=wanted.every)
            sys.stdout.write(f"Index: {file}\n{told}")
            return DONE
        if wanted.background:
            return _in_background(indexing)
        run = _in_front(indexing, rebuild=wanted.rebuild)
    except (TextIndexError, WorkerFailed) as problem:
        return _failed(problem, background=wanted.background)
    if run.stopped:
        return INTERRUPTED
    # A script's author wants to know that something was not done, though the rest was.
    return FAILED if run.problems or run.left or run.texts_unread else DONE


def _refuse(said: str) -> int:
    sys.stderr.write(said)
    return BAD_INPUT


def _no_library() -> str:
    example = 'export BOOKS_CALIBRE_LIBRARIES="$HOME/Calibre Library"'
    if sys.platform == "win32":
        example = (
            '$env:BOOKS_CALIBRE_LIBRARIES = "$HOME\\Calibre Library"          (PowerShell)\n'
            '  set "BOOKS_CALIBRE_LIBRARIES=%USERPROFILE%\\Calibre Library"   (cmd)'
        )
    return _NO_LIBRARY.format(separator=os.pathsep, example=example)


def _chosen(
    configured: Sequence[Library], names: Sequence[str]
) -> tuple[Sequence[str], str | None]:
    """Return the names of the libraries meant, as configured, and the first name that none has."""
    known = {library.name.casefold(): library.name for library in configured}
    found = [known[name.casefold()] for name in names if name.casefold() in known]
    return found, next((name for name in names if name.casefold() not in known), None)


def _in_front(indexing: Indexing, *, rebuild: bool) -> IndexRun:
    with IndexingShown(sys.stderr) as shown, _interruptible(shown) as stopped:
        run = indexing.run(on_progress=shown.report, stopped=stopped, rebuild=rebuild)
    sys.stderr.write(problems_told(run))
    sys.stdout.write(run_told(run))
    return run


@contextmanager
def _interruptible(shown: IndexingShown) -> Iterator[Callable[[], bool]]:
    """Yield what tells that Ctrl-C was pressed. A second one ends at once, and loses nothing."""
    pressed = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()
        shown.clear()
        sys.stderr.write("stopping; what is done is kept ...\n")

    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _in_background(indexing: Indexing) -> int:
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    run = indexing.run(stopped=_gone_with_server())
    for name, problem in run.problems.items():
        logger.error("the library %r cannot be indexed: %s", name, problem)
    for name, reason in run.copies.items():
        logger.info("the library %r is not indexed: %s", name, reason)
    logger.info("%s", run_told(run).strip())
    return DONE


def _gone_with_server() -> Callable[[], bool]:
    """Return what tells that standard input has ended: its other end is the server's, however that
    came to its end."""
    gone = threading.Event()

    def watch() -> None:
        # Without Python's own stream, whose lock would be held when the interpreter ends.
        with suppress(OSError):
            while os.read(0, 1):
                pass
        gone.set()
        threading.Event().wait(_LONGEST_STOP)
        os._exit(DONE)

    threading.Thread(target=watch, name="mcp-books-server-gone", daemon=True).start()
    return gone.is_set


def _failed(problem: TextIndexError | WorkerFailed, *, background: bool) -> int:
    from .sources.calibre.index import DamagedIndex, DiskFull, IndexInUse
    from .sources.calibre.worker import Killed

    if isinstance(problem, IndexInUse):
        if background:
            logger.info("another process is indexing")
            return DONE
        who = f" (process {problem.pid})" if problem.pid else ""
        said = f"another process is indexing{who}; `mcp-books index --status` says how far it is"
    else:
        said = str(problem).rstrip(".")
        if isinstance(problem, DamagedIndex):
            said += "; `mcp-books index --rebuild` makes it again"
        elif isinstance(problem, DiskFull | Killed):
            said += "; what is done is kept, and the next run goes on from there"
    if background:
        logger.error("indexing failed: %s", said)
    else:
        sys.stderr.write(f"mcp-books index: {one_line(said)}\n")
    return FAILED
