"""The way to the wire for a program's own archives: paced, retried, bounded, cached.

`Http` opens it; `RemoteSource` asks through it; `Reply` is what a reader of answers is given.
"""

from __future__ import annotations

from ._http import Http
from ._replies import Reply

__all__ = ["Http", "Reply"]
