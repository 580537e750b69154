"""The server's own indexing of Calibre libraries: a process beside it, at low priority."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from anyio.abc import Process

    from .settings import Settings

__all__ = ["index_in_background"]

logger = logging.getLogger(__name__)

_PATIENCE = 1.0
"""Seconds that the process has to end by itself, and again once it is killed, which loses nothing
but the book it reads."""


async def index_in_background(settings: Settings) -> None:
    """Bring the text index up to date in a process of its own; ends with it.

    The process lowers its priority, writes to stderr alone, does nothing where another one indexes
    already, and ends with its standard input: closed when this is cancelled, and by the system
    however else this process ends.
    """
    if settings.calibre_libraries is None or not settings.index_auto:
        return
    # A drive may keep whoever looks at it waiting for minutes.
    folders = await anyio.to_thread.run_sync(_usable, settings, abandon_on_cancel=True)
    if not folders:
        return
    try:
        process = await anyio.open_process(
            # -P: no module of the directory a host starts the server in.
            [sys.executable, "-P", "-m", "mcp_books", "index", "--background"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=None,
            env=_environment(settings, folders),
            creationflags=_creation_flags(),
        )
    except OSError:
        logger.exception("the libraries cannot be indexed in the background")
        return
    logger.info("indexing in the background, in process %d", process.pid)
    try:
        code = await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
    if code:
        logger.error("indexing in the background ended with %d", code)


def _usable(settings: Settings) -> str:
    """Return the libraries that can be used, in the manner of BOOKS_CALIBRE_LIBRARIES.

    The others are logged by this process, once, and not again by the one that is started.
    """
    from .sources.calibre.places import libraries

    return os.pathsep.join(f'{one.name}="{one.folder}"' for one in libraries(settings))


def _environment(settings: Settings, folders: str) -> dict[str, str]:
    """Return this process's environment with the settings that matter, which may differ from it."""
    environ = {
        **os.environ,
        "BOOKS_CALIBRE_LIBRARIES": folders,
        "BOOKS_CALIBRE_EXCLUDE_TAGS": settings.calibre_exclude_tags.strip() or ",",
        "BOOKS_LOG_LEVEL": settings.log_level,
    }
    if settings.index_dir is not None:
        environ["BOOKS_INDEX_DIR"] = str(settings.index_dir)
    return environ


def _creation_flags() -> int:
    """Return how Windows starts it: without a window, at low priority, which its children share."""
    if sys.platform == "win32":
        return subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW
    return 0


async def _end(process: Process) -> None:
    """Have the process end, and wait for it, but not for one that a drive keeps from dying."""
    if process.stdin is not None:
        await process.stdin.aclose()
    if process.returncode is None:
        with anyio.move_on_after(_PATIENCE):
            await process.wait()
    if process.returncode is None:
        process.kill()
        with anyio.move_on_after(_PATIENCE):
            await process.wait()
