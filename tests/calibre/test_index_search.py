from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.index import Found, Index, Reader, Writer, matching, read_query
from mcp_books.sources.calibre.index.shelf import Shelf
from tests.calibre.index_builders import add, book_file, find, stretches, texts


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Writer]:
    with Index.open_writing(tmp_path / "index.sqlite") as writer:
        yield writer


@pytest.fixture
def reader(tmp_path: Path, index: Writer) -> Iterator[Reader]:
    with Index.open_reading(tmp_path / "index.sqlite") as reader:
        yield reader


def books(found: Found) -> list[int]:
    return [place.document.file.book for place in found.places]


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("whale", [1, 2]),
        ("WHALE ship", [2]),
        ('"white whale"', [1]),
        ("levia*", [3]),
        ("ete", [4]),
        ("oeuvre", [4]),
        ("软件", [5]),
        ("包读", []),
        ("路山", []),
        ("山路", [6]),
        ("책", [7]),
        ("كتاب", [8]),
        ("שלום", [8]),
        ("state-of-the-art", [9]),
        ("ภาษา", [10]),
        ("absent", []),
        ("AND OR NOT NEAR( whale", []),
    ],
)
def test_words_of_every_script_are_found(
    index: Writer, reader: Reader, query: str, pages: list[int]
) -> None:
    add(
        index,
        1,
        "The white whale",
        "A whale, no white one, and a ship",
        "Leviathans",
        "L'œuvre d'Été",
        "今天我们阅读软件包维护者指南",
        "山路を登りながら",
        "책을 읽다",
        "كِتَابٌ שָׁלוֹם",
        "a state of the art machine, state and art",
        "นี่คือภาษาไทย",
    )
    found = find(reader, query)
    assert sorted(place.page_number or 0 for place in found.places) == pages
    assert (found.total, found.ranked, found.timed_out) == (len(pages), True, False)


def test_the_better_match_comes_first(index: Writer, reader: Reader) -> None:
    add(index, 1, "whale " + "other words " * 60)
    add(index, 2, "whale whale whale")
    assert books(find(reader, "whale")) == [2, 1]


def test_one_book_fills_no_page_of_the_answer(index: Writer, reader: Reader) -> None:
    add(index, 1, *["whale whale whale"] * 8)
    add(index, 2, "whale and some other words here")
    answers = [find(reader, "whale", limit=5, offset=offset) for offset in (0, 5, 10, 15)]
    assert [books(answer) for answer in answers] == [[1, 1, 1, 2], [1, 1, 1], [1, 1], []]
    assert [answer.more for answer in answers] == [True, True, False, False]
    assert {answer.total for answer in answers} == {9}
    rows = [place.row for answer in answers for place in answer.places]
    assert sorted(rows) == list(range(1, 10))


def test_contents_and_index_pages_come_last(index: Writer, reader: Reader) -> None:
    index.add(book_file(1), [Stretch("whale", kind="contents"), Stretch("whale", kind="index")])
    add(index, 2, "whale " + "other words " * 50)
    found = find(reader, "whale")
    assert [place.kind for place in found.places] == ["body", "contents", "index"]
    assert found.total == 3


def test_only_allowed_documents_are_searched(index: Writer, reader: Reader) -> None:
    for book in range(60):
        add(index, book, "a whale", "a squid")
    ids = [document.id for document in index.documents()]
    for allowed in (ids[:1], ids[10:13], [ids[0], ids[59]], ids[::2], ids[:59], []):
        found = reader.search(
            read_query("whale"),
            limit=100,
            deadline=time.monotonic() + 60,
            allowed=frozenset(allowed),
        )
        assert sorted(place.document.id for place in found.places) == sorted(allowed)
        assert found.total == len(allowed)


def test_a_shared_text_shows_only_the_allowed_documents(index: Writer, reader: Reader) -> None:
    for book in (1, 2):
        index.add(book_file(book, content="same"), stretches("a whale"))
    first, second = (document.id for document in index.documents())
    assert first != second
    found = reader.search(
        read_query("whale"), limit=5, deadline=time.monotonic() + 60, allowed=frozenset((second,))
    )
    assert [(place.document.id, place.others) for place in found.places] == [(second, ())]


def test_a_reader_sees_what_was_written_after_it_opened(index: Writer, reader: Reader) -> None:
    assert find(reader, "whale").total == 0
    add(index, 1, "a whale")
    assert find(reader, "whale").total == 1


def test_no_time_gives_no_place_and_says_so(index: Writer, reader: Reader) -> None:
    add(index, 1, *["the whale"] * 500)
    found = reader.search(read_query("the"), limit=5, deadline=time.monotonic() - 1)
    assert (found.places, found.total, found.more) == ((), None, None)
    assert (found.ranked, found.timed_out) == (False, True)


def test_where_ranking_takes_too_long_the_first_places_of_each_book_answer(
    index: Writer, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = Stretch("the contents", kind="contents")
    index.add(book_file(0), [contents, *stretches(*["the whale"] * 400)])
    for book in (1, 2):
        add(index, book, *["the whale"] * 400)
    monkeypatch.setattr(matching, "_UNRANKED_SHARE", 1.0)
    monkeypatch.setattr(matching, "_UNRANKED_SECONDS", 3600.0)
    asked = [find(reader, "the", limit=5, offset=offset) for offset in (0, 5)]
    assert [books(found) for found in asked] == [[0, 0, 1, 1, 0], [1, 2, 2, 2]]
    assert asked[0].places[-1].kind == "contents"
    assert [found.more for found in asked] == [True, False]
    assert {(found.total, found.ranked, found.timed_out) for found in asked} == {
        (None, False, False)
    }


def test_ranks_are_compared_across_books_far_apart(index: Writer, reader: Reader) -> None:
    add(index, 0, "whale " + "other words " * 60)
    for book in range(1, 40):
        add(index, book, "a squid")
    add(index, 40, "whale whale")
    ids = [document.id for document in index.documents()]
    found = reader.search(
        read_query("whale"),
        limit=5,
        deadline=time.monotonic() + 60,
        allowed=frozenset((ids[0], ids[40])),
    )
    assert books(found) == [40, 0]


@pytest.mark.parametrize("step", [1, 2])
def test_many_matches_are_counted_without_being_read(
    index: Writer, reader: Reader, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(matching, "_FEW", 3)
    for book in range(80):
        add(index, book, "a whale", "a squid", "whale")
    allowed = frozenset(document.id for document in index.documents()[::step])
    found = reader.search(
        read_query("whale"), limit=5, deadline=time.monotonic() + 60, allowed=allowed
    )
    assert (found.total, len(found.places)) == (160 // step, 5)


def test_matches_there_is_no_time_to_count_have_no_total(
    index: Writer, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(shelf: Shelf, db: sqlite3.Connection, expression: str) -> int:
        db.set_progress_handler(lambda: True, 1)
        return counted(shelf, db, expression)

    counted = Shelf.count
    monkeypatch.setattr(Shelf, "count", stopped)
    monkeypatch.setattr(matching, "_FEW", 3)
    for book in range(20):
        add(index, book, "a whale")
    found = find(reader, "whale", limit=5)
    assert (len(found.places), found.total, found.more) == (5, None, True)
    assert (found.ranked, found.timed_out) == (True, False)


def test_an_unranked_answer_that_is_cut_off_says_so(
    index: Writer, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(deadline: float, share: float, most: float) -> float:
        return 0.0

    monkeypatch.setattr(matching, "_before", too_late)
    add(index, 1, *["a whale"] * 500)
    add(index, 2, "a whale")
    found = find(reader, "whale")
    assert {place.document.file.book for place in found.places} <= {1}
    assert (found.total, found.more, found.ranked, found.timed_out) == (None, None, False, True)


def test_a_search_that_waits_for_another_keeps_its_own_deadline(
    index: Writer, reader: Reader
) -> None:
    add(index, 1, "a whale")
    inside, leave = threading.Event(), threading.Event()

    class Held(frozenset[int]):
        def __contains__(self, member: object) -> bool:
            inside.set()
            return leave.wait(30)

    holding = threading.Thread(
        target=reader.search,
        args=(read_query("whale"),),
        kwargs={"limit": 1, "deadline": time.monotonic() + 60, "allowed": Held((1,))},
    )
    holding.start()
    assert inside.wait(30)
    found = reader.search(read_query("whale"), limit=1, deadline=time.monotonic())
    leave.set()
    holding.join(30)
    assert found.timed_out
    assert find(reader, "whale").total == 1


def test_several_threads_search_with_one_reader(index: Writer, reader: Reader) -> None:
    add(index, 1, *(f"whale number{page}" for page in range(50)))
    found: dict[int, list[str]] = {}

    def ask(number: int) -> None:
        found[number] = texts(find(reader, f"number{number}"))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == {number: [f"whale number{number}"] for number in range(8)}


def test_deep_pages_of_many_books_hold_every_match_once(index: Writer, reader: Reader) -> None:
    for book in range(30):
        add(index, book, *(f"whale {'word ' * (page + book)}" for page in range(7)))
    rows: list[int] = []
    offset, more = 0, True
    while more:
        found = find(reader, "whale", limit=20, offset=offset)
        assert max(books(found).count(book) for book in books(found)) <= 3
        rows += [place.row for place in found.places]
        offset, more = offset + 20, bool(found.more)
    assert sorted(rows) == list(range(1, 211))
