"""The extracting process: reads the books it is told to and sends their text, until it is ended.

It ends when its parent does (its input closes), when it uses too much memory, and, should neither
its parent nor Python be able to end it, when one step takes far longer than a book may.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import logging
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from .extract.base import Incomplete, Stretch, Unreadable
from .worker_memory import limit_address_space, resident
from .worker_protocol import Frame, Kind, read_frame, read_mapping, stretches_body, write_frame

__all__ = ["ENDED_FOR_MEMORY", "main"]

ENDED_FOR_MEMORY = 79
"""Exit code of a process that used too much memory."""

_BATCH_CHARS = 128 * 1024
_BATCH_STRETCHES = 200
_MOST_CHARS = 256 * 1024 * 1024
"""Characters of one book; real ones have a tenth of it at most."""
_WATCHED_EVERY = 0.05
_BELOW_NORMAL = 10


class _Readers(Protocol):
    """The module that reads the formats."""

    def read(self, path: Path, kind: str) -> Iterator[Stretch]: ...

    def states_pages(self, path: Path, kind: str) -> bool: ...


class _Child:
    def __init__(self, answers: BinaryIO, readers: _Readers, seconds: float) -> None:
        self._answers = answers
        self._readers = readers
        self._seconds = seconds

    def send(self, kind: Kind, body: object = None) -> None:
        write_frame(self._answers, kind, body)
        self._set_alarm()

    def _set_alarm(self) -> None:
        # A thread of C's: it works where Python's own threads have no turn.
        faulthandler.dump_traceback_later(self._seconds, exit=True)

    def serve(self, request: Frame) -> None:
        """Answer one request, whatever its file does to the reader."""
        self._set_alarm()
        try:
            asked = read_mapping(request.body)
            path, kind = Path(str(asked["path"])), str(asked["format"])
            if request.kind is Kind.LOOK:
                self.send(Kind.LOOKED, self._readers.states_pages(path, kind))
            else:
                lost = self._read(path, kind)
                self.send(Kind.END, [resident() or 0, lost])
        except Unreadable as problem:
            self.send(Kind.UNREADABLE, [problem.status, problem.detail[:1000]])
        except OSError as problem:
            self.send(Kind.OS_ERROR, [problem.errno or 0, problem.strerror or str(problem)])
        except MemoryError:
            self.send(Kind.UNREADABLE, ["too_large", "no memory is left"])
        except ImportError as problem:
            self.send(Kind.BROKEN, str(problem))
        except (Exception, SystemExit) as problem:
            logging.getLogger(__name__).exception("a reader failed")
            self.send(Kind.UNREADABLE, ["damaged", f"{type(problem).__name__}: {problem}"[:1000]])
        faulthandler.cancel_dump_traceback_later()

    def _read(self, path: Path, kind: str) -> str | None:
        """Send the text of a file; return what could not be read of it, None for nothing."""
        batch: list[Stretch] = []
        waiting = total = 0
        lost = None
        try:
            for stretch in self._readers.read(path, kind):
                batch.append(stretch)
                waiting += len(stretch.text)
                if waiting >= _BATCH_CHARS or len(batch) >= _BATCH_STRETCHES:
                    total += waiting
                    if total > _MOST_CHARS:
                        raise Unreadable("too_large", f"more than {_MOST_CHARS} characters")
                    self._send_all(batch)
                    batch, waiting = [], 0
        except Incomplete as problem:
            lost = problem.detail[:1000]
        self._send_all(batch)
        return lost

    def _send_all(self, batch: list[Stretch]) -> None:
        try:
            self.send(Kind.STRETCHES, stretches_body(batch))
        except ValueError as problem:
            raise Unreadable("too_large", str(problem)) from problem


class _Logs(logging.Handler):
    """Sends what is logged to the parent, whose log it belongs in."""

    def __init__(self, child: _Child) -> None:
        super().__init__(logging.WARNING)
        self._child = child

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._child.send(Kind.LOG, [record.levelno, record.name, record.getMessage()[:1000]])
        except Exception:  # noqa: BLE001  # the logging module's own way out
            self.handleError(record)


def main() -> None:
    """Serve until the parent closes the pipe; the one argument is a JSON object of options."""
    options = json.loads(sys.argv[1])
    # The pipes are kept where no library writes; what one prints goes to the error output.
    requests = os.fdopen(os.dup(0), "rb")
    answers = cast(BinaryIO, os.fdopen(os.dup(1), "wb"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    # The parent decides what an interruption means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if options["low_priority"] and hasattr(os, "nice"):
        os.nice(_BELOW_NORMAL)
    readers = cast(_Readers, importlib.import_module(options["readers"]))
    child = _Child(answers, readers, 2.0 * options["seconds"] + 60.0)
    logging.getLogger().addHandler(_Logs(child))
    limit_address_space(options["memory"])
    threading.Thread(target=_watch_memory, args=(options["memory"],), daemon=True).start()
    asked: queue.SimpleQueue[Frame] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, asked), daemon=True).start()
    write_frame(answers, Kind.READY)
    while True:
        try:
            child.serve(asked.get())
        except MemoryError:  # not enough is left to say so
            os._exit(ENDED_FOR_MEMORY)


def _listen(requests: BinaryIO, asked: queue.SimpleQueue[Frame]) -> None:
    """Take requests while the book before is still read; end with the parent."""
    try:
        while (request := read_frame(requests)) is not None:
            asked.put(request)
    finally:
        os._exit(0)


def _watch_memory(most: int) -> None:
    pause = threading.Event()
    while True:
        if (resident() or 0) > most:
            os._exit(ENDED_FOR_MEMORY)
        pause.wait(_WATCHED_EVERY)
