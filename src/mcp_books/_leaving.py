"""How the process ends where the interpreter would wait: what was written is out before."""

from __future__ import annotations

import logging
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn

__all__ = ["is_held", "leave"]

_PATIENCE = 0.5
"""Seconds that threads have to end, which they do once nothing is left for them."""


def is_held() -> bool:
    """Return whether a thread keeps the interpreter from ending: one that a drive keeps waiting."""
    held = [
        thread
        for thread in threading.enumerate()
        if thread is not threading.current_thread() and not thread.daemon
    ]
    for thread in held:
        thread.join(_PATIENCE)
    return any(thread.is_alive() for thread in held)


def leave(code: int) -> NoReturn:
    """End the process at once."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or never open
            stream.flush()
    os._exit(code)
