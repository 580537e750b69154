from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mcp_books.sources.calibre.index import (
    DamagedIndex,
    Index,
    IndexInUse,
    IndexUnreachable,
    NoIndex,
    OutdatedIndex,
    SearchUnavailable,
    schema,
)
from tests.calibre.index_builders import add, book_file, find, rows_with, stretches


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def written(path: Path) -> Path:
    with Index.open_writing(path) as index:
        for book in range(40):
            add(index, book, *(f"whale {book} {page} " + "word " * 200 for page in range(20)))
    return path


def overwrite(path: Path, start: int, junk: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(junk)


def test_before_anything_is_indexed_there_is_no_index(path: Path) -> None:
    with pytest.raises(NoIndex):
        Index.open_reading(path)
    path.touch()
    with pytest.raises(NoIndex):
        Index.open_reading(path)
    assert list(path.parent.iterdir()) == [path]


def test_a_file_left_before_its_tables_were_made_is_no_index_yet(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    with pytest.raises(NoIndex):
        Index.open_reading(path)
    with Index.open_writing(path) as index:
        add(index, 1, "a whale")


def test_a_second_writer_is_refused_and_told_who_writes(path: Path) -> None:
    with Index.open_writing(path), pytest.raises(IndexInUse) as refused:
        Index.open_writing(path)
    assert refused.value.pid == os.getpid()
    Index.open_writing(path).close()


def test_a_writer_that_could_not_open_lets_the_next_one_in(path: Path) -> None:
    path.write_bytes(b"not a database " * 1000)
    with pytest.raises(DamagedIndex):
        Index.open_writing(path)
    with Index.open_writing(path, rebuild=True) as index:
        index.close()
        Index.open_writing(path).close()


def test_a_damaged_lock_is_replaced(path: Path) -> None:
    path.with_name(path.name + "-writer").write_bytes(b"not a database " * 1000)
    Index.open_writing(path).close()


def test_an_index_of_another_version_is_emptied_by_the_next_writer(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Index.open_reading(written) as reader:
        assert find(reader, "whale").total == 800
        monkeypatch.setattr(schema, "_VERSION", 99_001)
        with pytest.raises(OutdatedIndex):
            find(reader, "whale")
        with Index.open_writing(written) as index:
            assert index.documents() == ()
            add(index, 1, "a whale")
        assert find(reader, "whale").total == 1
    assert rows_with(written, "whale") == [1]


def test_a_rebuilt_index_is_read_anew_by_a_reader_that_had_it_open(written: Path) -> None:
    reader = Index.open_reading(written)
    if os.name == "nt":
        reader.close()
    with Index.open_writing(written, rebuild=True) as index:
        add(index, 1, "a squid")
        assert (find(reader, "whale").total, find(reader, "squid").total) == (0, 1)
    reader.close()


def test_an_index_that_vanishes_is_no_index(written: Path) -> None:
    with Index.open_reading(written) as reader:
        if os.name == "nt":
            reader.close()
        for file in written.parent.iterdir():
            file.unlink()
        with pytest.raises(NoIndex):
            find(reader, "whale")


def test_a_file_of_something_else_is_never_touched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    for opening in (Index.open_reading, Index.open_writing):
        with pytest.raises(DamagedIndex):
            opening(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("junk", [b"\x00", b"\xff", b"junk"])
def test_a_damaged_index_is_reported_and_rebuilt_on_request(written: Path, junk: bytes) -> None:
    size = written.stat().st_size
    overwrite(written, 100, junk * ((size - 100) // len(junk)))
    with pytest.raises(DamagedIndex):
        Index.open_reading(written)
    with pytest.raises(DamagedIndex):
        Index.open_writing(written)
    with Index.open_writing(written, rebuild=True) as index:
        add(index, 1, "a whale")
    with Index.open_reading(written) as reader:
        assert find(reader, "whale").total == 1


def test_damage_met_in_a_search_is_reported(written: Path) -> None:
    size = written.stat().st_size
    overwrite(written, size // 4, b"\xa5" * (size // 2))
    with Index.open_reading(written) as reader, pytest.raises(DamagedIndex):
        find(reader, "whale", limit=800)
    with Index.open_writing(written, rebuild=True) as index:
        assert index.documents() == ()


def test_a_truncated_index_is_reported(written: Path) -> None:
    with written.open("r+b") as file:
        file.truncate(written.stat().st_size // 2)
    with pytest.raises(DamagedIndex), Index.open_reading(written) as reader:
        find(reader, "whale", limit=800)


def test_a_page_whose_text_is_damaged_is_reported(written: Path) -> None:
    with closing(sqlite3.connect(written)) as db, db:
        db.execute("UPDATE page SET text = x'00' WHERE id = 1")
    with Index.open_reading(written) as reader, pytest.raises(DamagedIndex):
        find(reader, '"whale 0 0"')


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(IndexUnreachable):
        Index.open_writing(tmp_path / "file" / "index.sqlite")
    (tmp_path / "index.sqlite").mkdir()
    with pytest.raises(IndexUnreachable):
        Index.open_writing(tmp_path / "index.sqlite")


def test_an_older_sqlite_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 39, 4))
    with pytest.raises(SearchUnavailable):
        Index.open_writing(path)
    with pytest.raises(SearchUnavailable):
        Index.open_reading(path)


def test_a_sqlite_without_full_text_search_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Without(sqlite3.Connection):
        def execute(self, sql: str, *parameters: object) -> sqlite3.Cursor:
            return super().execute(sql.replace("fts5", "absent"))

    def connect(where: str) -> sqlite3.Connection:
        return Without(where)

    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(SearchUnavailable):
        Index.open_writing(path)


def test_a_name_with_marks_of_an_address_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "100% of #books? é.sqlite"
    with Index.open_writing(path) as index:
        index.add(book_file(1), stretches("a whale"))
    with Index.open_reading(path) as reader:
        assert find(reader, "whale").total == 1
