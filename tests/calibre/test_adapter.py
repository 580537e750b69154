"""The Calibre source as it is asked: beside other archives, in the models of any source."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from mcp_books._merging import hit_key
from mcp_books.errors import InvalidInput, RecordNotFound
from mcp_books.settings import Settings
from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.indexing import Indexing
from mcp_books.sources.calibre.places import libraries

from .asked_shelves import WHALE, answered, asking, fake_archive, indexed, pages, shelf
from .libraries import Volume, connect, make_library

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_hit_names_the_book_the_page_its_label_and_the_chapter(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("Title page.", "There the  white\nwhale blew.")})
    async with asking(made.settings) as books:
        answer = await books.search_inside('"white whale"', fan_out=False)
    (hit,) = answer.hits
    assert (hit.id, hit.title, hit.creator, hit.year) == (
        "calibre:home/1",
        "The Whale at Sea",
        "Brook, Ada",
        1899,
    )
    assert (hit.page_number, hit.page_label, hit.label_source) == (2, "1", "pagelabels")
    assert (hit.section, hit.matched_file, hit.excerpt_kind) == ("Chapter 2", "PDF", "passage")
    assert hit.excerpts == ("There the white whale blew.",)
    assert hit.source_url == (
        "calibre://view-book/Calibre_Library/1/PDF"
        "?open_at=search:There%20the%20white%20whale%20blew."
    )


async def test_what_was_indexed_of_what_can_be_read_is_told_with_every_search_inside(
    tmp_path: Path,
) -> None:
    volumes = [*WHALE, Volume(title="Only a table", files={"XLSX": b"x"}), Volume(title="No file")]
    made = shelf(tmp_path, volumes, {1: pages("A whale.")})
    async with asking(made.settings) as books:
        answer = await books.search_inside("whale", fan_out=False)
    coverage = answered(answer.per_source[0]).coverage
    assert coverage is not None
    assert (coverage.indexed, coverage.readable) == (1, 3)
    assert coverage.unreadable == {"unsupported": 1}
    assert [note.kind for note in answer.notes] == ["index_partial"]


async def test_a_book_whose_files_just_left_counts_as_long_as_its_text_is_found(
    tmp_path: Path,
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    with closing(connect(made.folder)) as db:
        db.execute("DELETE FROM data WHERE book = 1")
    async with asking(made.settings) as books:
        answer = await books.search_inside("whale", fan_out=False)
    coverage = answered(answer.per_source[0]).coverage
    assert coverage is not None
    assert (len(answer.hits), coverage.indexed, coverage.readable) == (1, 1, 3)
    status = Indexing(libraries(made.settings), made.index).status()["home"]
    assert (status.indexed, status.readable) == (1, 3)


async def test_a_library_stands_beside_another_archive(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    async with asking(made.settings, fake_archive()) as books:
        inside = await books.search_inside("whale", fan_out=False)
        items = await books.search_items("whale", fan_out=False)
    assert {hit.source for hit in inside.hits} == {"calibre", "alpha"}
    assert {item.source for item in items.items} == {"calibre", "alpha"}


async def test_two_places_of_one_chapter_without_pages_are_two_hits(tmp_path: Path) -> None:
    texts = [Stretch(f"Part {n} has a whale in it.", section="One") for n in ("one", "two")]
    made = shelf(tmp_path, WHALE, {2: texts})
    async with asking(made.settings) as books:
        answer = await books.search_inside("whale")
    assert len(answer.hits) == 2
    assert len({hit_key(hit) for hit in answer.hits}) == 2
    for hit in answer.hits:
        assert hit.page_number is None
        assert "page_label" not in hit.model_fields_set
        assert parse_qs(urlsplit(hit.source_url).query)["open_at"][0].startswith("search:Part")


async def test_the_address_of_a_hit_is_read_back_whatever_the_text_holds(tmp_path: Path) -> None:
    text = "A\u00ad whale? \u200fهنا 100% #1 &c. \u2028 \x85 a/b = 鯨 " + "y" * 300
    made = shelf(tmp_path, WHALE, {2: [Stretch(text)]})
    async with asking(made.settings) as books:
        answer = await books.search_inside("whale", fan_out=False)
        record = await books.get_item(answer.hits[0].source_url)
    assert answer.hits[0].source_url.isascii()
    assert record.item.id == "calibre:home/2"


async def test_a_place_found_by_two_wordings_is_one_hit(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {2: [Stretch("The whale, being white, swam off. " * 20)]})
    async with asking(made.settings) as books:
        answer = await books.search_inside('"the whale" white')
    assert len(answer.queries_run) > 1
    assert len(answer.hits) == 1


async def test_one_book_takes_at_most_three_places_of_a_page(tmp_path: Path) -> None:
    many = pages(*(f"Whale number {n}." for n in range(9)))
    made = shelf(tmp_path, WHALE, {1: many, 2: [Stretch("One whale.")]})
    async with asking(made.settings) as books:
        answer = await books.search_inside("whale", limit=10, fan_out=False)
    found = [hit.identifier for hit in answer.hits]
    assert (found.count("home/1"), found.count("home/2")) == (3, 1)


async def test_excerpts_are_apart_and_within_their_length(tmp_path: Path) -> None:
    text = "The whale. " + "water " * 200 + "A whale again. " + "water " * 200 + "Last whale."
    made = shelf(tmp_path, WHALE, {1: pages(text)})
    async with asking(made.settings) as books:
        answer = await books.search_inside(
            "whale", max_excerpt_chars=80, max_excerpts_per_match=10, fan_out=False
        )
    excerpts = answer.hits[0].excerpts
    assert [excerpt.lower().count("whale") for excerpt in excerpts] == [1, 1, 1]
    assert "The whale" in excerpts[0]
    assert "Last whale" in excerpts[2]
    assert max(map(len, excerpts)) <= 80


async def test_a_book_with_an_excluded_tag_is_nowhere(tmp_path: Path) -> None:
    letters = Volume(title="Whale letters", tags=("Private.letters",), files={"PDF": b"%"})
    made = shelf(tmp_path, [*WHALE, letters], {1: pages("A whale.")})
    with closing(connect(made.folder)) as db:
        db.execute("BEGIN")
        db.execute("INSERT INTO tags (id, name) VALUES (90, 'private')")
        db.execute("INSERT INTO books_tags_link (book, tag) VALUES (1, 90)")
        db.execute("COMMIT")
    async with asking(made.settings) as books:
        inside = await books.search_inside("whale", fan_out=False)
        items = await books.search_items("whale", fan_out=False)
        with pytest.raises(RecordNotFound):
            await books.get_item("calibre:home/1")
    assert not inside.hits
    assert [item.identifier for item in items.items] == ["home/2"]


async def test_a_book_that_left_is_no_longer_found_in_the_index(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale."), 2: [Stretch("Another whale.")]})
    async with asking(made.settings) as books:
        before = await books.search_inside("whale", fan_out=False)
        with closing(connect(made.folder)) as db:
            db.execute("DELETE FROM books WHERE id = 1")
        after = await books.search_inside("whale", fan_out=False)
    assert len(before.hits) == 2
    assert [hit.identifier for hit in after.hits] == ["home/2"]
    assert answered(after.per_source[0]).reported_total == 1


async def test_a_number_that_is_another_book_by_now_shows_nothing_of_the_old_one(
    tmp_path: Path,
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale."), 2: pages("Another whale.")})
    with closing(connect(made.folder)) as db:
        db.execute("UPDATE books SET uuid = 'another' WHERE id = 1")
    async with asking(made.settings) as books:
        answer = await books.search_inside("whale", fan_out=False)
    assert [hit.id for hit in answer.hits] == ["calibre:home/2"]
    coverage = answered(answer.per_source[0]).coverage
    assert coverage is not None
    assert (coverage.indexed, coverage.readable) == (1, 3)


async def test_an_edit_of_the_catalogue_shows_without_indexing_again(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    async with asking(made.settings) as books:
        await books.search_inside("whale", fan_out=False)
        with closing(connect(made.folder)) as db:
            db.execute("UPDATE books SET title = 'Renamed' WHERE id = 1")
        answer = await books.search_inside("whale", fan_out=False)
    assert answer.hits[0].title == "Renamed"


async def test_books_indexed_meanwhile_are_found_by_the_next_question(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    async with asking(made.settings) as books:
        await books.search_inside("whale", fan_out=False)
        indexed(made.settings, made.folder, {2: [Stretch("Another whale.")]})
        answer = await books.search_inside("whale", fan_out=False)
    assert len(answer.hits) == 2
    coverage = answered(answer.per_source[0]).coverage
    assert coverage is not None
    assert coverage.indexed == 2


async def test_the_same_file_in_two_libraries_is_one_hit(tmp_path: Path) -> None:
    one = make_library(tmp_path / "one", WHALE)
    two = make_library(tmp_path / "two", WHALE)
    settings = Settings(
        calibre_libraries=os.pathsep.join([str(one), str(two)]), index_dir=tmp_path / "index"
    )
    for folder in (one, two):
        indexed(settings, folder, {1: pages("A whale.")}, content="same")
    async with asking(settings) as books:
        answer = await books.search_inside("whale", fan_out=False)
        with closing(connect(one)) as db:
            db.execute("DELETE FROM books WHERE id = 1")
        after = await books.search_inside("whale", fan_out=False)
    assert [hit.identifier for hit in answer.hits] == ["one/1"]
    assert [hit.identifier for hit in after.hits] == ["two/1"]


async def test_years_kinds_and_orders_reach_the_catalogue(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE)
    async with asking(made.settings) as books:
        late = await books.search_items("whale", year_from=1900, fan_out=False)
        paged = await books.search_items("whale", media_type="PDF", fan_out=False)
        oldest = await books.search_items("whale", sort="oldest", fan_out=False)
    assert [item.identifier for item in late.items] == ["home/2"]
    assert [item.identifier for item in paged.items] == ["home/1"]
    assert [item.year for item in oldest.items] == [1899, 1920]
    report = answered(oldest.per_source[0])
    assert report.reported_total == 2
    assert report.reported_total_means == "books, by its own count"


@pytest.mark.parametrize(
    "spelling",
    [
        "calibre:home/1",
        "calibre:HOME/1",
        "home/1",
        "calibre://show-book/Calibre_Library/1",
        "calibre://show-book/_/1",
        "calibre://show-book/Calibre%20Library/1",
        "calibre://view-book/Calibre_Library/1/PDF?open_at=search:There%20the",
    ],
)
async def test_a_record_is_read_by_its_id_and_by_calibres_own_addresses(
    tmp_path: Path, spelling: str
) -> None:
    made = shelf(tmp_path, WHALE)
    async with asking(made.settings) as books:
        answer = await books.get_item(spelling, sections=("copies", "subjects"))
    assert answer.item.id == "calibre:home/1"
    assert answer.item.subjects == ("whaling",)
    assert str(tmp_path) not in answer.model_dump_json()
    assert [copy.format for copy in answer.item.copies] == ["epub", "pdf"]


@pytest.mark.parametrize(
    "spelling",
    [
        "calibre:home/0",
        "calibre:home/01",
        "calibre:home/x",
        "calibre:other/1",
        "calibre:1",
        "calibre://show-book/Other/1",
        "calibre://switch-library/Calibre_Library",
        "calibre://show-book/Calibre_Library/one",
        "/etc/passwd/1",
        "../home/1",
    ],
)
async def test_what_names_no_book_of_a_configured_library_is_refused(
    tmp_path: Path, spelling: str
) -> None:
    made = shelf(tmp_path, WHALE)
    async with asking(made.settings) as books:
        with pytest.raises(InvalidInput):
            await books.get_item(spelling)


async def test_a_number_the_library_does_not_hold_is_not_found(tmp_path: Path) -> None:
    async with asking(shelf(tmp_path, WHALE).settings) as books:
        with pytest.raises(RecordNotFound, match="home"):
            await books.get_item("calibre:home/99")
