"""What a server keeps while its libraries are indexed beside it, against the server alone."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from _figures import Figures
from _stdio import Host, ours, resident
from calibre_indexing import invented, library_of

ROUNDS = 3
WAIT = 60.0
RATIO = 1.2


def measure(library: Path, *, indexing: bool) -> float:
    """Return the most MiB a server kept until its index was begun, or as long without one."""
    with tempfile.TemporaryDirectory() as folder:
        environ: Mapping[str, str] = {
            "BOOKS_CALIBRE_LIBRARIES": str(library),
            "BOOKS_INDEX_DIR": folder,
            "BOOKS_INDEX_AUTO": "1" if indexing else "0",
        }
        with Host(ours(), environ) as host:
            host.greet()
            host.ask("tools/list")
            most = 0.0
            until = time.monotonic() + WAIT
            begun = 0
            # Twenty looks once the index is there: books are being read and written meanwhile.
            while begun < 20 and time.monotonic() < until:
                time.sleep(0.1)  # a look at a process of its own, not a wait for an outcome
                most = max(most, resident(host.pid))
                begun += not indexing or any(Path(folder).glob("*.sqlite3"))
            if begun < 20:
                raise RuntimeError("no index was begun")
            return most


def main() -> int:
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        books = Path(folder) / "books"
        books.mkdir()
        library = library_of(Path(folder) / "library", invented(books))
        alone = median(measure(library, indexing=False) for _ in range(ROUNDS))
        beside = median(measure(library, indexing=True) for _ in range(ROUNDS))
    figures.note(f"alone: {alone:.1f} MiB; while indexing: {beside:.1f} MiB")
    figures.figure("server while its libraries are indexed", beside / alone, RATIO, "times")
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
