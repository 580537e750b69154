"""What a snapshot of 50,000 books costs beside the bare SELECTs, and a search of it.

The library is synthetic, of schema 27, with about 800 characters of comments a book. The bare
SELECTs are the statements of the snapshot, run and fetched by a connection that does nothing else.
"""

from __future__ import annotations

import gc
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from _figures import Figures

from mcp_books.sources.calibre.catalogue import search
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.tables import SELECTS, custom_select, read_custom_columns

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.calibre.libraries import Column, Volume, make_library

BOOKS = 50_000
ROUNDS = 5
RATIO = 1.3
QUERIES = ("whale harbour", '"harbour of"', "the", "goodreads 49998")
_SYLLABLES = ("ba", "be", "bi", "da", "de", "do", "la", "li", "lo", "ma", "me", "ra", "ro", "sa")


def words(rng: random.Random, count: int) -> str:
    """Return `count` invented words."""
    return " ".join("".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(count))


def volumes(rng: random.Random) -> list[Volume]:
    """Return the books."""
    authors = [words(rng, 2).title() for _ in range(12_000)]
    series = [words(rng, 2).title() for _ in range(3_000)]
    publishers = [words(rng, 1).title() for _ in range(900)]
    tags = list(dict.fromkeys(words(rng, 1) for _ in range(900)))
    made = []
    for number in range(BOOKS):
        paragraph = words(rng, 110)
        accent = "é ü" if number % 3 == 0 else ""
        made.append(
            Volume(
                title=f"{words(rng, 4).capitalize()} {number}",
                authors=tuple(dict.fromkeys(rng.choices(authors, k=rng.randint(1, 2)))),
                series=rng.choice(series) if number % 2 else None,
                series_index=float(number % 12),
                publisher=rng.choice(publishers),
                pubdate=f"{1800 + number % 220}-05-01 00:00:00+00:00",
                tags=tuple(dict.fromkeys(rng.choices(tags, k=3))),
                languages=("eng",),
                rating=number % 11,
                identifiers={"isbn": f"{number:013}", "goodreads": str(number)},
                comments=(
                    f"<div><p>{paragraph} {accent} the <b>whale</b> at the harbour of "
                    f"{words(rng, 2)}</p></div>"
                ),
                sizes={"EPUB": 100_000 + number, "PDF": 200_000 + number},
            )
        )
    return made


def milliseconds(work: Callable[[], object]) -> float:
    """Return how long `work` takes; what it made is thrown away outside of the time."""
    gc.collect()
    start = time.perf_counter()
    kept = work()
    taken = time.perf_counter() - start
    del kept
    return taken * 1000


def bare(folder: Path) -> object:
    """Run the statements, fetch the rows, and keep them until the end, as a snapshot does."""
    address = (folder / "metadata.db").as_uri() + "?mode=ro"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        rows = [connection.execute(select).fetchall() for select in SELECTS.values()]
        rows += [
            connection.execute(custom_select(column)).fetchall()
            for column in read_custom_columns(connection)
        ]
        connection.execute("COMMIT")
    return rows


def opened_by(work: Callable[[], object]) -> int:
    """Return how many databases `work` opens."""
    opened: list[str] = []

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "sqlite3.connect":
            opened.append(str(arguments[0]))

    sys.addaudithook(hook)
    work()
    return len(opened)


def main() -> int:
    figures = Figures()
    with tempfile.TemporaryDirectory() as name:
        column = Column(
            label="shelf",
            datatype="text",
            is_multiple=True,
            values={number: (f"shelf {number % 40}",) for number in range(1, BOOKS + 1, 2)},
        )
        folder = make_library(
            Path(name) / "Library", volumes(random.Random(7)), schema=27, columns=[column]
        )
        size = (folder / "metadata.db").stat().st_size
        figures.note(f"{BOOKS:,} books, metadata.db of {size / 1e6:.0f} MB")
        pairs = []
        for _ in range(ROUNDS):
            raw = milliseconds(lambda: bare(folder))
            pairs.append((raw, milliseconds(Library("synthetic", folder).current)))
        figures.note(
            f"bare SELECTs {statistics.median(raw for raw, _ in pairs):,.0f} ms, "
            f"snapshot {statistics.median(ours for _, ours in pairs):,.0f} ms (medians)"
        )
        ratio = statistics.median(ours / raw for raw, ours in pairs)
        figures.figure("snapshot beside the bare SELECTs", ratio, RATIO, "times")

        library = Library("synthetic", folder)
        library.current()

        def ask(query: str) -> int:
            return search([library.current().snapshot], query).total

        first = milliseconds(lambda: ask(QUERIES[0]))
        figures.note(
            f"first search, which groups the rows and folds every text once: {first:,.0f} ms"
        )
        for query in QUERIES:
            taken = milliseconds(partial(ask, query))
            figures.note(f"search for {query!r}: {ask(query):,} books, {taken:.1f} ms")
        opened = opened_by(lambda: ask(QUERIES[0]))
        figures.figure("databases opened by a search of the unchanged library", opened, 0, "")
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
