"""How much memory a process uses, and a limit on it, as far as the system allows.

Linux: what is resident now, and a limit on the address space. macOS: the most that was ever
resident; the system has no limit that holds. Windows: neither, so only time is limited there.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["limit_address_space", "resident"]

_STATM = Path("/proc/self/statm")
_SLACK = 512 * 1024 * 1024
"""Address space that is reserved and never used: the stacks and arenas of threads, libraries."""


def resident() -> int | None:
    """Return the bytes of memory this process uses; None where that cannot be told."""
    if sys.platform == "win32":
        return None
    import resource

    try:
        return int(_STATM.read_bytes().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def limit_address_space(more: int) -> None:
    """Let the address space grow by so many bytes, and some slack, from here on; Linux only."""
    if sys.platform != "linux":
        return
    import resource

    with suppress(OSError, ValueError, IndexError):
        used = int(_STATM.read_bytes().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = used + more + _SLACK
        if hard not in (resource.RLIM_INFINITY, -1):
            wanted = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
