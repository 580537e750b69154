from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from mcp_books.sources.calibre.extract.base import Stretch, Unreadable
from mcp_books.sources.calibre.index import (
    Counts,
    DiskFull,
    Index,
    adding,
    compression,
    writer,
)
from mcp_books.sources.calibre.index.schema import connect_writing
from tests.calibre.index_builders import (
    add,
    book_file,
    find,
    rows_kept,
    rows_with,
    stretches,
    texts,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "index.sqlite"


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "BATCH_PAGES", 3)
    monkeypatch.setattr(writer, "_REMOVED_AT_ONCE", 2)


def pages(number: int, word: str) -> list[str]:
    return [f"{word} page {page}" for page in range(number)]


def test_a_stretch_comes_back_as_it_was_given(path: Path) -> None:
    stretch = Stretch(
        "  Été\r\n— naïve\x00 \U0001f600 ",
        page_number=19,
        page_label="xii",
        label_source="printed",
        section="Part I › Chapter 2",
        kind="contents",
    )
    with Index.open_writing(path) as index:
        assert index.add(book_file(1), [stretch]) == Counts(1, len(stretch.text))
        (document,) = index.documents()
    with Index.open_reading(path) as reader:
        (place,) = find(reader, "ete").places
        assert reader.documents() == (document,)
    assert place.document == document
    assert (document.file, document.status, document.pages) == (book_file(1), "indexed", 1)
    given = (stretch.text, stretch.page_number, stretch.page_label, stretch.label_source)
    assert (place.text, place.page_number, place.label, place.label_source) == given
    assert (place.section, place.kind) == (stretch.section, stretch.kind)


def test_blank_stretches_are_left_out_and_a_book_of_them_is_empty(path: Path) -> None:
    with Index.open_writing(path) as index:
        assert index.add(book_file(1), stretches("", "whale", " \n")) == Counts(1, 5)
        assert index.add(book_file(2), stretches("", "\t")) == Counts(0, 0)
        assert [document.status for document in index.documents()] == ["indexed", "empty"]
    with Index.open_reading(path) as reader:
        assert find(reader, "whale").places[0].page_number == 2


def test_lone_surrogates_are_written_as_question_marks(path: Path) -> None:
    broken = Stretch("a \ud800 whale", page_label="\ud800", section="\udfff", page_number=1)
    with Index.open_writing(path) as index:
        index.add(book_file(1), [broken])
        index.mark(book_file(2), "damaged", "name \udcff.epub")
        with Index.open_reading(path) as reader:
            (place,) = find(reader, "whale").places
        assert (place.text, place.label, place.section) == ("a ? whale", "?", "?")
        index.remove([place.document.id])
    assert rows_with(path, "whale") == []


def test_the_same_content_is_read_once_and_belongs_to_both(path: Path) -> None:
    def untouched() -> Iterator[Stretch]:
        raise AssertionError
        yield

    elsewhere = book_file(7, library="other", content="hash-1")
    with Index.open_writing(path) as index:
        add(index, 1, "a whale")
        assert index.add(elsewhere, untouched()) == Counts(1, 7, shared=True)
        with Index.open_reading(path) as reader:
            (place,) = find(reader, "whale").places
        assert [place.document.file, *(other.file for other in place.others)] == [
            book_file(1),
            elsewhere,
        ]
        index.remove([place.document.id])
    with Index.open_reading(path) as reader:
        (place,) = find(reader, "whale").places
    assert (place.document.file, place.others) == (elsewhere, ())


def test_another_reader_or_an_unknown_content_is_read_again(path: Path) -> None:
    with Index.open_writing(path) as index:
        for book, kind in ((1, "old"), (2, "new")):
            file = book_file(book, content="same", reader=kind)
            assert not index.add(file, stretches("a whale")).shared
        for book in (3, 4):
            assert not index.add(book_file(book, content=""), stretches("a whale")).shared


@pytest.mark.usefixtures("small_batches")
def test_a_changed_book_replaces_its_text(path: Path) -> None:
    with Index.open_writing(path) as index, Index.open_reading(path) as reader:
        index.add(book_file(1, content="before"), stretches(*pages(8, "whale")))

        def watched() -> Iterator[Stretch]:
            for stretch in stretches(*pages(8, "squid")):
                found = (find(reader, "whale").total, find(reader, "squid").total)
                assert found == (8, 0)
                yield stretch

        index.add(book_file(1, content="after"), watched())
        assert (find(reader, "whale").total, find(reader, "squid").total) == (0, 8)
        assert len(index.documents()) == 1
    assert rows_with(path, "whale") == []
    assert rows_kept(path) == rows_with(path, "squid")


@pytest.mark.usefixtures("small_batches")
def test_an_error_of_the_reader_leaves_the_index_as_it_was(path: Path) -> None:
    def breaking() -> Iterator[Stretch]:
        yield from stretches(*pages(8, "squid"))
        raise Unreadable("damaged", "in the middle")

    with Index.open_writing(path) as index:
        index.add(book_file(1, content="before"), stretches("whale"))
        with pytest.raises(Unreadable):
            index.add(book_file(1, content="after"), breaking())
        assert rows_with(path, "squid") == []
        with Index.open_reading(path) as reader:
            assert find(reader, "whale").total == 1
        assert [document.file.content_hash for document in index.documents()] == ["before"]


def test_a_database_error_of_the_reader_is_not_taken_for_ours(path: Path) -> None:
    def breaking() -> Iterator[Stretch]:
        with closing(sqlite3.connect(":memory:")) as foreign:
            foreign.execute("SELECT * FROM absent")
        yield Stretch("never")

    with Index.open_writing(path) as index, pytest.raises(sqlite3.OperationalError):
        index.add(book_file(1), breaking())


def test_a_book_that_gives_no_text_any_longer_leaves_only_its_status(path: Path) -> None:
    with Index.open_writing(path) as index:
        add(index, 1, "a whale")
        index.mark(book_file(1, content="locked"), "password", "asks for one")
        index.mark(book_file(2, content=""), "drm")
        found = [(document.status, document.detail) for document in index.documents()]
        assert found == [("password", "asks for one"), ("drm", "")]
        assert [document.pages for document in index.documents()] == [0, 0]
    assert rows_with(path, "whale") == rows_kept(path) == []


@pytest.mark.usefixtures("small_batches")
def test_removed_books_leave_nothing_behind(path: Path) -> None:
    with Index.open_writing(path) as index:
        for book in range(4):
            add(index, book, *pages(5, "whale"))
        ids = [document.id for document in index.documents()]
        assert index.remove([ids[0], ids[2], 999]) == 2
        assert [document.id for document in index.documents()] == [ids[1], ids[3]]
    assert rows_with(path, "whale") == rows_kept(path) == [*range(6, 11), *range(16, 21)]


def test_rows_are_never_used_twice(path: Path) -> None:
    with Index.open_writing(path) as index:
        add(index, 1, "a whale")
        index.remove([index.documents()[0].id])
    with Index.open_writing(path) as index:
        add(index, 1, "a whale")
    assert rows_kept(path) == [2]


def test_texts_of_every_dictionary_stay_readable(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "TRAINED_AT", (40, 120))
    monkeypatch.setattr(compression, "_SIZE", 1024)
    vocabulary = "whale ship sea captain harpoon voyage island deck sail storm"
    written: list[str] = []
    with Index.open_writing(path) as index, Index.open_reading(path) as reader:
        for book in range(5):
            texts_of_book = [
                f"{vocabulary} {book * 40 + page} " * (4 + page % 5) for page in range(40)
            ]
            add(index, book, *texts_of_book)
            written += texts_of_book
            assert find(reader, "whale").total == len(written)
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT count(*) FROM dictionary").fetchone() == (2,)
        got: list[str] = []
        for number in range(200):
            got += texts(find(reader, f'"captain harpoon" {number}', limit=1))[:1]
        assert set(got) <= set(written)
        assert len(got) == 200
        index.remove([document.id for document in index.documents()])
    assert rows_with(path, "whale") == []


def test_pages_too_short_to_train_a_dictionary_are_written_without(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def train(pages: Sequence[str], number: int) -> bytes | None:
        asked.append(len(pages))
        return compression.train(pages, number)

    monkeypatch.setattr(writer, "train", train)
    monkeypatch.setattr(writer, "TRAINED_AT", (4,))
    with Index.open_writing(path) as index, Index.open_reading(path) as reader:
        for book in range(20):
            add(index, book, "a")
        assert find(reader, "a", limit=20).total == 20
    assert asked == [4, 8, 16]


@pytest.mark.usefixtures("small_batches")
def test_a_full_disk_costs_the_document_being_written_and_no_other(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_a_small_disk(path: Path, *, rebuild: bool) -> sqlite3.Connection:
        db = connect_writing(path, rebuild=rebuild)
        db.execute("PRAGMA max_page_count = 120")
        return db

    def heavy(book: int) -> list[str]:
        return [" ".join(f"{number:x}" for number in range(page, 30_000, 97)) for page in range(20)]

    with Index.open_writing(path) as index:
        add(index, 0, "a whale")
    monkeypatch.setattr(writer, "connect_writing", on_a_small_disk)
    with Index.open_writing(path) as index:
        with pytest.raises(DiskFull):
            deque((add(index, book, *heavy(book)) for book in range(1, 100)), maxlen=0)
        written = len(index.documents()) - 1
        assert 0 < written < 99
        with Index.open_reading(path) as reader:
            assert find(reader, "whale").total == 1
    monkeypatch.undo()
    with Index.open_writing(path) as index:
        assert len(rows_kept(path)) == 1 + 20 * written
        add(index, 99, *heavy(99))
        assert index.tidy(60)
    assert len(rows_kept(path)) == 21 + 20 * written


def test_tidying_gives_back_the_room_of_removed_books(path: Path) -> None:
    with Index.open_writing(path) as index:
        for book in range(60):
            add(index, book, *(f"{book} {page} " + "whale " * 300 for page in range(30)))
        assert index.tidy(60)
        before = path.stat().st_size
        index.remove([document.id for document in index.documents()[:59]])
        assert index.tidy(60)
        assert path.stat().st_size < before / 2
        with Index.open_reading(path) as reader:
            assert find(reader, "whale").total == 30


def test_tidying_without_time_says_that_work_is_left(path: Path) -> None:
    with Index.open_writing(path) as index:
        add(index, 1, "a whale")
        assert not index.tidy(0)


def test_a_small_change_of_a_large_index_is_not_worth_merging_it_all(path: Path) -> None:
    with Index.open_writing(path) as index:
        for book in range(40):
            add(index, book, *pages(5, "whale"))
        assert index.tidy(60)
        add(index, 99, *pages(5, "squid"))
        assert index.tidy(60)
        with closing(sqlite3.connect(path)) as db:
            left = db.execute("SELECT value FROM meta WHERE key = 'unmerged'").fetchone()
        assert left == (5,)
        with Index.open_reading(path) as reader:
            assert find(reader, "squid", limit=9).total == 5
