"""What the text index adds to plain FTS5: time of a query, size on disk, time to write.

`--full` measures 1,000,000 pages instead of 100,000; `--pages N` any number.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from statistics import median

from _figures import Figures

from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.index import BookFile, Index, Reader, read_query

PAGES = 100_000
FULL = 1_000_000
PAGES_OF_A_BOOK = 300
WORDS_OF_A_PAGE = 300
VOCABULARY = 60_000
WORDS = 2_000_000
QUERIES = 15
ROUNDS = 3
LIMIT = 10
RATIO = 1.3
ALLOWANCE = 0.005
SIZE = 1.1
DEADLINE = 1.0
TIGHT = 0.1


class Writing:
    """Invented prose: words of syllables, as frequent as words are, in sentences."""

    def __init__(self) -> None:
        self._random = random.Random(7)
        onsets = ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "th", "st"]
        syllables = [o + v + e for o in onsets for v in "aeiou" for e in ("", "n", "r", "s")]
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            longest = 1 if len(words) < 100 else 2 if len(words) < 5_000 else 4
            size = self._random.randint(max(1, longest - 1), longest)
            words["".join(self._random.choices(syllables, k=size))] = None
        self.words = list(words)
        weights = list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))
        text = self._random.choices(self.words, cum_weights=weights, k=WORDS)
        for end in range(12, WORDS, 13):
            text[end] += "."
        self._text = text

    def page(self) -> str:
        """Return the words of one page."""
        return " ".join(self.passage(WORDS_OF_A_PAGE))

    def passage(self, size: int) -> list[str]:
        """Return words that follow each other somewhere in the text."""
        start = self._random.randrange(WORDS - size)
        return self._text[start : start + size]


def build(path: Path, writing: Writing, pages: int) -> tuple[int, float]:
    """Index so many pages; return the bytes of their text and the seconds it took, theirs aside."""
    size, making = 0, 0.0

    def book(length: int) -> Iterator[Stretch]:
        nonlocal size, making
        for number in range(length):
            began = time.perf_counter()
            text = writing.page()
            size += len(text)
            making += time.perf_counter() - began
            yield Stretch(text, page_number=number + 1, section=f"Chapter {number // 20 + 1}")

    began = time.perf_counter()
    with Index.open_writing(path) as writer:
        for number, start in enumerate(range(0, pages, PAGES_OF_A_BOOK)):
            length = min(PAGES_OF_A_BOOK, pages - start)
            file = BookFile(
                library="benchmark",
                book=number,
                format="PDF",
                book_uuid=str(number),
                size=length,
                mtime_ns=0,
                content_hash=str(number),
            )
            writer.add(file, book(length))
        writer.tidy(3600)
    return size, time.perf_counter() - began - making


def queries(writing: Writing) -> dict[str, list[str]]:
    """Return some queries of each kind."""
    common, rare = writing.words[20:400], writing.words[5_000:30_000]
    pick = random.Random(11)
    return {
        "phrase": [f'"{" ".join(writing.passage(3)).replace(".", "")}"' for _ in range(QUERIES)],
        "rare word": pick.sample(rare, QUERIES),
        "two words": [" ".join(pick.sample(common, 2)) for _ in range(QUERIES)],
    }


def timed(ask: Callable[[str], object], wanted: Sequence[str]) -> float:
    """Return the median seconds of `ask` over the queries, the best round of each."""
    times = []
    for query in wanted:
        rounds = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            ask(query)
            rounds.append(time.perf_counter() - began)
        times.append(min(rounds))
    return median(times)


def ask_ours(reader: Reader) -> Callable[[str], object]:
    """Return how the index is asked: from the words of a query to the texts of the places."""

    def ask(query: str) -> object:
        found = reader.search(read_query(query), limit=LIMIT, deadline=time.monotonic() + 60)
        assert found.ranked
        assert found.places
        return found

    return ask


def ask_raw(db: sqlite3.Connection) -> Callable[[str], object]:
    """Return how FTS5 is asked for the best rows."""

    def ask(query: str) -> object:
        return db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            (read_query(query).expression, LIMIT),
        ).fetchall()

    return ask


def common_words(figures: Figures, reader: Reader, writing: Writing) -> None:
    """Measure what a query of common words alone takes, by its deadline."""
    query = read_query(" ".join(writing.words[:3]))
    for deadline in (TIGHT, DEADLINE):
        began = time.perf_counter()
        found = reader.search(query, limit=LIMIT, deadline=time.monotonic() + deadline)
        took = time.perf_counter() - began
        how = "ranked" if found.ranked else "unranked"
        figures.note(f"common words: {len(found.places)} places, {how}, total {found.total}")
        figures.figure("common words alone", took * 1000, deadline * 1000, "ms")


def main() -> int:
    """Build an index of invented pages and print its figures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--full", action="store_true")
    asked.add_argument("--pages", type=int)
    options = asked.parse_args()
    pages: int = options.pages or (FULL if options.full else PAGES)
    figures = Figures()
    writing = Writing()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.sqlite"
        text, took = build(path, writing, pages)
        figures.note(f"{pages:,} pages, {text / 1e6:.0f} MB of text, {pages / took:,.0f} pages/s")
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        figures.figure("index over its text", size / text, SIZE, "times")
        with Index.open_reading(path) as reader, closing(sqlite3.connect(path)) as db:
            for name, wanted in queries(writing).items():
                raw = timed(ask_raw(db), wanted)
                ours = timed(ask_ours(reader), wanted)
                bound = raw * RATIO + ALLOWANCE
                figures.note(f"{name}: plain FTS5 {raw * 1000:.2f} ms")
                figures.figure(name, ours * 1000, bound * 1000, "ms")
            common_words(figures, reader, writing)
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
