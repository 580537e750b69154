"""The parent's side of the extracting process: starting it, asking it, telling how it ended."""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, BinaryIO, cast

from .extract.base import Unreadable
from .worker_child import ENDED_FOR_MEMORY
from .worker_protocol import (
    Frame,
    Garbage,
    Kind,
    read_frame,
    read_oserror,
    read_unreadable,
    write_frame,
)

__all__ = ["Child", "Killed", "Stopped", "WorkerFailed", "was_ended"]

logger = logging.getLogger(__name__)

_MODULE = "mcp_books.sources.calibre.worker"
_START_LIMIT = 60.0
_LOOKED_AROUND_EVERY = 0.1
_DEATH_LIMIT = 5.0
_FRAMES_AHEAD = 8
_LAST_WORDS = 300
_CRASHES = tuple(
    -number
    for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS", "SIGEMT")
    if (number := getattr(signal, name, None)) is not None
)
"""How a process ends over what it did itself; any other signal was sent by somebody else."""
_ENDED_ON_WINDOWS = (0xFFFFFFFF, 0xC000013A, 0x40010004)
"""Exit codes of a process that was ended there: by another one, with its console, at shutdown."""
_ENDED_OR_RAISED = 1
"""What most programs that end another one on Windows give it, and Python after an exception."""


class WorkerFailed(Exception):
    """There is no child to read with; no book is to blame."""


class Killed(WorkerFailed):
    """The child was ended from outside, as by a system short of memory; the next may do better."""


class Stopped(Exception):
    """Reading was given up because the caller asked for it."""


class Child:
    """One extracting process. It ends by itself when this process does: its input closes."""

    def __init__(self, options: Mapping[str, object], *, low_priority: bool) -> None:
        """Start it and wait until it can be asked.

        Raises:
            WorkerFailed: it does not start.
        """
        self.idle = False
        """Whether every answer to what it was asked has been taken."""
        self._over = False
        self._frames: queue.Queue[Frame | Garbage | None] = queue.Queue(_FRAMES_AHEAD)
        try:
            self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `end`
        except OSError as problem:
            raise WorkerFailed(f"no temporary file can be made: {problem}") from problem
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", _MODULE, json.dumps(options)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=_environment(),
                creationflags=_creation_flags(low_priority=low_priority),
                # Ctrl-C is for the parent, which then ends this one: not for it, half started.
                process_group=None if sys.platform == "win32" else 0,
            )
        except OSError as problem:
            self._errors.close()
            raise WorkerFailed(f"no process can be started: {problem}") from problem
        self._requests = cast(BinaryIO, self.process.stdin)
        self._thread = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()
        try:
            self._greet()
        except BaseException:
            self.end()
            raise

    def ask(self, kind: Kind, path: Path, format_name: str) -> None:
        """Send one request.

        Raises:
            OSError: the process is not there any more.
        """
        with suppress(OSError):
            self._errors.truncate(0)
        self.idle = False
        write_frame(self._requests, kind, {"path": str(path), "format": format_name})

    def answers(self, limit: float, stopped: Callable[[], bool]) -> Iterator[Frame]:
        """Yield the frames of an answer, up to its last.

        `limit` is the seconds that may be spent waiting for them.

        Raises:
            Unreadable: the answer says so, took too long, or the process ended over it.
            OSError: the answer says so.
            Garbage: it is no answer.
            Stopped: `stopped` said so.
            Killed: the process was ended from outside.
            WorkerFailed: it cannot do its work.
        """
        for frame in self._arriving(limit, stopped):
            match frame.kind:
                case Kind.STRETCHES:
                    yield frame
                case Kind.END | Kind.LOOKED:
                    self.idle = True
                    yield frame
                    return
                case Kind.UNREADABLE:
                    problem = read_unreadable(frame.body)
                    # Once memory was short, little is left to read the next book with.
                    self.idle = problem.status != "too_large"
                    raise problem
                case Kind.OS_ERROR:
                    self.idle = True
                    raise read_oserror(frame.body)
                case Kind.BROKEN:
                    raise WorkerFailed(f"books cannot be read here: {frame.body}")
                case _:
                    raise Garbage(f"{frame.kind.name} as an answer")

    def end(self) -> None:
        """End the process and wait until it has ended."""
        self.process.kill()
        while not self._over:
            self._over = self._frames.get() is None
        self._thread.join()
        self.process.wait()
        for pipe in (self._requests, self.process.stdout, self._errors):
            with suppress(OSError):
                cast(IO[bytes], pipe).close()

    def _greet(self) -> None:
        try:
            frame = next(self._arriving(_START_LIMIT, lambda: False))
        except Unreadable as problem:
            raise WorkerFailed(f"the reading process does not start: {problem.detail}") from problem
        except Killed as problem:  # it had no book yet
            raise WorkerFailed(f"the reading process does not start: {problem}") from problem
        except Garbage as problem:
            raise WorkerFailed(f"the reading process greets with nonsense: {problem}") from problem
        if frame.kind is not Kind.READY:
            raise WorkerFailed(f"the reading process greets with {frame.kind.name}")
        self.idle = True

    def _arriving(self, limit: float, stopped: Callable[[], bool]) -> Iterator[Frame]:
        """Yield what arrives, without the log."""
        waited = 0.0
        while True:
            if stopped():
                raise Stopped
            began = time.monotonic()
            try:
                frame = self._frames.get(timeout=_LOOKED_AROUND_EVERY)
            except queue.Empty:
                frame = Frame(Kind.LOG, None)
            waited += time.monotonic() - began
            if frame is None:
                self._over = True
                raise self._cause_of_death()
            if isinstance(frame, Garbage):
                raise frame
            if waited > limit:
                raise Unreadable("timed_out", f"more than {limit:g} seconds")
            if frame.kind is not Kind.LOG:
                yield frame
            elif frame.body is not None:
                _log(frame.body)

    def _receive(self) -> None:
        """Take frames from the pipe until it ends; then, and always, say that nothing follows."""
        pipe = cast(BinaryIO, self.process.stdout)
        try:
            while (frame := read_frame(pipe)) is not None:
                self._frames.put(frame)
        except Garbage as problem:
            self._frames.put(problem)
        except (OSError, ValueError):
            logger.debug("the pipe broke", exc_info=True)
        finally:
            self._frames.put(None)

    def _cause_of_death(self) -> Exception:
        try:
            code = self.process.wait(_DEATH_LIMIT)
        except subprocess.TimeoutExpired:
            return Unreadable("damaged", "its reader closed the pipe")
        if code == ENDED_FOR_MEMORY:
            return Unreadable("too_large", "it takes too much memory")
        said = self._last_words()
        how = f"({_named(code)}){said and ': ' + said}"
        if was_ended(code, said, sys.platform):
            return Killed(f"the reading process was ended from outside {how}")
        return Unreadable("damaged", f"its reader crashed {how}")

    def _last_words(self) -> str:
        try:
            self._errors.seek(0)
            said = self._errors.read(64 * 1024).replace(b"\0", b"").decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""
        return " ".join(said.split())[-_LAST_WORDS:]


def _environment() -> dict[str, str]:
    """Return an environment in which the same modules are found as here."""
    places = [place for place in sys.path if place]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}


def _creation_flags(*, low_priority: bool) -> int:
    if sys.platform != "win32":
        return 0
    flags = subprocess.CREATE_NO_WINDOW
    return flags | subprocess.BELOW_NORMAL_PRIORITY_CLASS if low_priority else flags


def was_ended(code: int, said: str, platform: str) -> bool:
    """Return whether another process ended one that ended with this code and these last words."""
    if platform == "win32":
        return code in _ENDED_ON_WINDOWS or (code == _ENDED_OR_RAISED and not said)
    return code < 0 and code not in _CRASHES


def _named(code: int) -> str:
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit code {code}"


def _log(body: object) -> None:
    match body:
        case [int(level), str(name), str(message)]:
            logger.log(min(max(level, logging.DEBUG), logging.ERROR), "%s: %s", name, message)
        case _:
            raise Garbage(f"a log line is {body!r}"[:80])
