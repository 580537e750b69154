"""Readers for the extracting process that do what the file tells them, however bad that is."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from mcp_books.sources.calibre.extract.base import Incomplete, Stretch, Unreadable


def read(path: Path, kind: str) -> Iterator[Stretch]:
    """Obey each line: a word, and what it needs."""
    for line in path.read_text("utf-8").splitlines():
        order, _, rest = line.partition(" ")
        if order == "say":
            yield Stretch(rest, page_number=1)
        elif order == "many":
            for number in range(int(rest)):
                yield Stretch(f"page {number} " + "word " * 100, page_number=number + 1)
        elif order == "wrong":
            yield Stretch("text", page_number=cast(int, "one"))
        elif order == "surrogate":
            yield Stretch("a lone \ud800", section="\udfff")
        elif order == "damaged":
            raise Unreadable("damaged", rest)
        elif order == "asked":
            continue
        elif order == "partly":
            raise Incomplete(rest)
        else:
            _ORDERS[order](rest)


def _crash(_: str) -> None:
    signal.raise_signal(signal.SIGSEGV)


def _fail(rest: str) -> None:
    raise RecursionError(rest)


def _spin(_: str) -> None:
    """Hold the interpreter's lock for ever."""
    re.match(r"(a+)+$", "a" * 64 + "b")


def _hang(_: str) -> None:
    threading.Event().wait()


def _hold(rest: str) -> None:
    """Hang, and keep a pipe open for as long as this process lives."""
    with Path(rest).open("w", encoding="utf-8") as pipe:
        pipe.write(f"{os.getpid()}\n")
        pipe.flush()
        threading.Event().wait()


def _eat(_: str) -> None:
    eaten = []
    while True:
        eaten.append(b"x" * (1 << 24))


def _reserve(_: str) -> None:
    bytearray(1 << 40)


def _print(_: str) -> None:
    os.write(1, b"this is no frame")


def _warn(rest: str) -> None:
    logging.getLogger("some.library").warning(rest)


def _die(rest: str) -> None:
    """End by a signal, as if somebody had sent it; SIGSTOP only halts."""
    os.kill(os.getpid(), signal.Signals[rest])
    threading.Event().wait()


def _die_if(rest: str) -> None:
    """Be killed for as long as a file is there."""
    if Path(rest).exists():
        _die("SIGKILL")


def _die_once(rest: str) -> None:
    """Be killed the first time; the file that is named remembers it."""
    if not Path(rest).exists():
        Path(rest).touch()
        _die("SIGKILL")


def _leave(_: str) -> None:
    sys.exit(3)


_ORDERS: dict[str, Callable[[str], None]] = {
    "crash": _crash,
    "fail": _fail,
    "spin": _spin,
    "hang": _hang,
    "hold": _hold,
    "eat": _eat,
    "reserve": _reserve,
    "print": _print,
    "warn": _warn,
    "die": _die,
    "die-if": _die_if,
    "die-once": _die_once,
    "leave": _leave,
}


def states_pages(path: Path, kind: str) -> bool:
    """Return whether the file says so; be killed first while the file exists that `asked` names."""
    text = path.read_text("utf-8")
    for line in text.splitlines():
        asked, _, rest = line.partition(" ")
        if asked == "asked":
            _die_if(rest)
    return "labels" in text
