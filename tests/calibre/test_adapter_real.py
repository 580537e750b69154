"""The source as it is asked, on libraries that calibredb made, changed and that were indexed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from mcp_books import BooksClient
from mcp_books.arguments import Section
from mcp_books.errors import RecordNotFound
from mcp_books.reports import InsideAnswer
from mcp_books.settings import Settings
from mcp_books.sources.calibre.indexing import Indexing, IndexRun
from mcp_books.sources.calibre.places import index_file, libraries

from .epub_files import epub, nav, page_list
from .libraries import REAL_COLUMNS, Calibredb, Column, Volume, calibredb, make_library
from .mobi_files import Chapter, Mobi
from .pdf_files import Entry, pdf

pytestmark = pytest.mark.anyio

SECTIONS: Sequence[Section] = ("description", "subjects", "copies", "context")
LOG, LETTERS, TALES, DIARY, GONE = range(1, 6)
COLUMNS: Mapping[str, tuple[str, ...]] = {**REAL_COLUMNS, "weight": ("Weight", "float")}
STATED = {
    "title": "The Log: A/B?",
    "authors": "Anonymous, Editor & Ada Brook",
    "pubdate": "1899-05-11",
    "publisher": "Harbour Press",
    "tags": "Sea, Lamps",
    "languages": "eng,fra",
    "series": "Coast",
    "series_index": "2",
    "identifiers": "isbn:9780306406157,doi:10.1000/1",
    "#shelf": "upper, lower",
    "#cycle": "Tides",
    "#cycle_index": "3.0",
    "#state": "worn",
    "#stars": "3.5",
    "#read": "true",
    "#when": "2020-05-06",
    "#count": "7",
    "#weight": "0.25",
    "#note": "<p>kept <b>dry</b></p>",
}
CONTEXT = {
    "library": ("home",),
    "authors": ("Anonymous, Editor", "Ada Brook"),
    "series": ("Coast [2]",),
    "publisher": ("Harbour Press",),
    "languages": ("eng", "fra"),
    "isbn": ("9780306406157",),
    "identifiers": ("doi 10.1000/1",),
    "Shelf (#shelf)": ("upper", "lower"),
    "Cycle (#cycle)": ("Tides [3]",),
    "State (#state)": ("worn",),
    "Stars (#stars)": ("3.5 of 5 stars",),
    "Read (#read)": ("yes",),
    "When (#when)": ("2020-05-06",),
    "Count (#count)": ("7",),
    "Weight (#weight)": ("0.25",),
    "Note (#note)": ("kept dry",),
}
PAGES = (
    "Title page of the log.",
    "A preface names the keeper.\nii",
    "The lamp was lit at dusk.\n1",
    "A schooner went by in the fog.\n2",
)
LOG_PDF = pdf(
    PAGES,
    labels=[(0, "/S /r"), (2, "/S /D")],
    outline=[Entry("Preface", 1), Entry("Part I", 2, (Entry("The lamp", 2), Entry("Fog", 3)))],
)
SPLIT = {
    "one.xhtml": '<h1>First letter</h1><p id="p7">A walrus slept on the quay.</p>'
    '<p id="p8">Its whiskers froze overnight.</p>',
    "two.xhtml": '<h1>Second letter</h1><p id="p9">The thaw came late that spring.</p>',
}
NAV = nav(
    toc='<li><a href="one.xhtml">First letter</a></li>'
    '<li><a href="two.xhtml">Second letter</a></li>',
    pages=page_list("7 one.xhtml#p7", "8 one.xhtml#p8", "9 two.xhtml#p9"),
)
_TALE = b"<html><body><h1>The inn</h1><p>A peddler sold brass buttons.</p></body></html>"
TALES_MOBI = Mobi(_TALE, chapters=[Chapter("The inn", _TALE.index(b"<h1>"))]).file()


@dataclass(frozen=True)
class Made:
    """Two libraries of calibredb's, and the folder that their index is in."""

    run: Calibredb
    papers: Path
    index: Path

    @property
    def settings(self) -> Settings:
        return Settings(
            calibre_libraries=os.pathsep.join((f"home={self.run.folder}", f"papers={self.papers}")),
            calibre_exclude_tags="private",
            index_dir=self.index,
        )


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make both libraries with calibredb, once; the index holds their books."""
    root = tmp_path_factory.mktemp("real")
    run = calibredb(root / "Home Books", root / "home")
    files = {
        "log.pdf": LOG_PDF,
        "tales.mobi": TALES_MOBI,
        "diary.pdf": pdf(["A secret walrus in the fog."]),
    }
    for name, content in files.items():
        (root / name).write_bytes(content)
    epub(root / "log.epub", {"a.xhtml": "<p>The lamp, as an e-book.</p>"})
    epub(root / "letters.epub", SPLIT, nav=NAV)
    epub(root / "gone.epub", {"a.xhtml": "<p>A walrus that leaves.</p>"})
    run("add", str(root / "log.pdf"), "--title", "Log")
    run("add_format", "1", str(root / "log.epub"))
    run("add", str(root / "letters.epub"), "--title", "Letters", "--authors", "Tom Reed")
    run("add", str(root / "tales.mobi"), "--title", "Tales", "--authors", "Ann Gray")
    run("set_metadata", str(TALES), "--field", "pubdate:1950-06-03")
    run("add", str(root / "diary.pdf"), "--title", "Diary", "--tags", "Private")
    run("add", str(root / "gone.epub"), "--title", "Leaving", "--authors", "Nobody")
    for label, (name, *rest) in COLUMNS.items():
        run("add_custom_column", label, name, *rest)
    fields = [part for name, value in STATED.items() for part in ("--field", f"{name}:{value}")]
    run("set_metadata", str(LOG), *fields)
    (root / "paper.pdf").write_bytes(pdf(["On the diet of the walrus.\nNo labels here."]))
    papers = run.on(root / "Papers")
    papers("add", str(root / "paper.pdf"), "--title", "Diets", "--authors", "Lee, Kim")
    result = Made(run, papers.folder, root / "index")
    indexed(result.settings)
    return result


@pytest.fixture
def own(made: Made, tmp_path: Path) -> Made:
    """Return a copy of it all, to be changed."""
    folder = Path(shutil.copytree(made.run.folder, tmp_path / "Home Books"))
    papers = Path(shutil.copytree(made.papers, tmp_path / "Papers"))
    index = Path(shutil.copytree(made.index, tmp_path / "index"))
    return Made(made.run.on(folder), papers, index)


def indexed(settings: Settings) -> IndexRun:
    return Indexing(libraries(settings), index_file(settings)).run()


@asynccontextmanager
async def asking(settings: Settings) -> AsyncIterator[BooksClient]:
    with anyio.fail_after(30):
        async with BooksClient(settings, sources=["calibre"]) as books:
            yield books


async def inside(settings: Settings, query: str) -> InsideAnswer:
    async with asking(settings) as books:
        return await books.search_inside(query, fan_out=False, limit=10)


async def test_a_page_of_a_real_pdf_has_its_number_its_label_and_its_chapter(made: Made) -> None:
    (hit,) = (await inside(made.settings, '"schooner went by"')).hits
    assert (hit.id, hit.title, hit.year) == (f"calibre:home/{LOG}", STATED["title"], 1899)
    assert hit.creator == "Anonymous, Editor; Brook, Ada"
    assert (hit.page_number, hit.page_label, hit.label_source) == (4, "2", "printed")
    assert (hit.section, hit.excerpt_kind, hit.matched_file) == (
        "Part I › Fog",
        "passage",
        "PDF",
    )
    assert hit.source_url.startswith(f"calibre://view-book/Home_Books/{LOG}/PDF?open_at=search:")


async def test_a_label_that_its_page_does_not_bear_is_that_of_the_file(made: Made) -> None:
    (hit,) = (await inside(made.settings, '"title page of the log"')).hits
    assert (hit.page_number, hit.page_label, hit.label_source) == (1, "i", "pagelabels")
    assert hit.section is None


async def test_of_a_book_in_two_formats_the_one_with_printed_pages_is_indexed(made: Made) -> None:
    answer = await inside(made.settings, "lamp")
    assert {hit.matched_file for hit in answer.hits} == {"PDF"}
    assert not (await inside(made.settings, '"as an e-book"')).hits


async def test_a_place_in_a_real_epub_has_its_printed_page_and_no_physical_one(made: Made) -> None:
    (hit,) = (await inside(made.settings, '"whiskers froze"')).hits
    assert (hit.page_number, hit.page_label, hit.label_source) == (None, "8", "pagelist")
    assert (hit.section, hit.matched_file, hit.year) == ("First letter", "EPUB", None)


async def test_a_place_in_a_real_mobi_has_its_chapter_and_no_page(made: Made) -> None:
    (hit,) = (await inside(made.settings, '"brass buttons"')).hits
    assert (hit.id, hit.section, hit.matched_file) == (
        f"calibre:home/{TALES}",
        "The inn",
        "MOBI",
    )
    assert hit.page_number is None
    assert not {"page_label", "label_source"} & hit.model_fields_set


async def test_two_real_libraries_are_searched_inside_at_once_and_nothing_private_is_shown(
    made: Made,
) -> None:
    answer = await inside(made.settings, "walrus")
    assert {hit.id for hit in answer.hits} == {
        f"calibre:home/{LETTERS}",
        f"calibre:home/{GONE}",
        "calibre:papers/1",
    }
    (paper,) = (hit for hit in answer.hits if hit.identifier == "papers/1")
    assert (paper.creator, paper.page_number) == ("Lee, Kim", 1)
    assert "page_label" not in paper.model_fields_set
    assert answer.per_source[0].status == "answered"


async def test_an_edit_that_renames_folders_keeps_text_and_gives_the_new_names(own: Made) -> None:
    before = next(own.run.folder.glob(f"*/*({LETTERS})"))
    own.run("set_metadata", str(LETTERS), "--field", "title:Frost", "--field", "authors:Ada Brook")
    assert not before.exists()
    (hit,) = (await inside(own.settings, '"whiskers froze"')).hits
    assert (hit.title, hit.creator, hit.page_label) == ("Frost", "Brook, Ada", "8")
    assert hit.source_url.startswith(f"calibre://view-book/Home_Books/{LETTERS}/EPUB?open_at=")
    async with asking(own.settings) as books:
        record = (await books.get_item(hit.source_url)).item
    assert (record.id, record.title) == (f"calibre:home/{LETTERS}", "Frost")


async def test_after_such_an_edit_a_run_reads_nothing_again(own: Made) -> None:
    own.run("set_metadata", str(LETTERS), "--field", "title:Frost", "--field", "authors:Ada Brook")
    run = indexed(own.settings)
    assert (run.added, run.removed, run.pages) == (0, 0, 0)


async def test_a_book_that_calibre_deletes_is_gone_from_every_answer(own: Made) -> None:
    async with asking(own.settings) as books:
        found = await books.search_inside('"walrus that leaves"', fan_out=False)
        assert [hit.identifier for hit in found.hits] == [f"home/{GONE}"]
        own.run("remove", "--permanent", str(GONE))
        found = await books.search_inside('"walrus that leaves"', fan_out=False)
        assert not found.hits
        assert not (await books.search_items("leaving", fan_out=False)).items
        with pytest.raises(RecordNotFound):
            await books.get_item(f"calibre:home/{GONE}")
    assert indexed(own.settings).removed == 1


async def test_the_catalogue_of_real_libraries_is_searched_by_year(made: Made) -> None:
    async with asking(made.settings) as books:
        old = await books.search_items("the", year_to=1900, fan_out=False, limit=10)
        new = await books.search_items("tales", year_from=1949, year_to=1951, fan_out=False)
        none = await books.search_items("tales", year_to=1900, fan_out=False)
    assert [(item.identifier, item.year) for item in old.items] == [(f"home/{LOG}", 1899)]
    assert [(item.identifier, item.year) for item in new.items] == [(f"home/{TALES}", 1950)]
    assert not none.items


async def test_a_real_book_without_a_date_has_none_and_no_year_finds_it(made: Made) -> None:
    async with asking(made.settings) as books:
        (item,) = (await books.search_items("letters", fan_out=False)).items
        dated = await books.search_items("letters", year_from=1000, year_to=2100, fan_out=False)
    assert (item.identifier, item.year, item.date) == (f"home/{LETTERS}", None, None)
    assert not dated.items


async def test_a_private_book_is_in_no_catalogue(made: Made) -> None:
    async with asking(made.settings) as books:
        assert not (await books.search_items("diary", fan_out=False)).items
        with pytest.raises(RecordNotFound):
            await books.get_item(f"calibre:home/{DIARY}")


async def test_the_record_of_a_real_book_holds_its_columns_authors_and_copies(made: Made) -> None:
    async with asking(made.settings) as books:
        record = (await books.get_item(f"calibre:home/{LOG}", sections=SECTIONS)).item
    added = record.context["added to the library"]
    assert dict(record.context) == {**CONTEXT, "added to the library": added}
    assert record.creator == "Anonymous, Editor; Brook, Ada"
    assert (record.year, record.date, record.subjects) == (1899, "1899-05-11", ("Sea", "Lamps"))
    assert [(copy.format, copy.url) for copy in record.copies] == [
        ("epub", f"calibre://view-book/Home_Books/{LOG}/EPUB"),
        ("pdf", f"calibre://view-book/Home_Books/{LOG}/PDF"),
    ]


async def test_no_answer_holds_a_path_of_the_disk(made: Made) -> None:
    async with asking(made.settings) as books:
        answers = (
            await books.search_inside("lamp walrus", limit=10),
            await books.search_items("log", limit=10),
            await books.get_item(f"calibre:home/{LOG}", sections=SECTIONS),
        )
    for answer in answers:
        dumped = json.dumps(answer.model_dump(mode="json"), ensure_ascii=False)
        for place in (made.run.folder.parent, made.run.folder, made.papers, made.index):
            assert str(place) not in dumped
            assert place.as_posix() not in dumped


async def test_a_library_of_schema_27_is_asked_like_any_other(tmp_path: Path) -> None:
    volumes = [
        Volume(
            title="The Log",
            authors=("Ada Brook",),
            pubdate="1899-05-01 00:00:00+00:00",
            files={"PDF": LOG_PDF},
        ),
        Volume(title="Letters", authors=("Tom Reed",)),
    ]
    column = Column(label="shelf", datatype="text", is_multiple=True, values={1: ("upper",)})
    folder = make_library(tmp_path / "Library", volumes, schema=27, columns=[column])
    settings = Settings(calibre_libraries=f"new={folder}", index_dir=tmp_path / "index")
    assert indexed(settings).added == 1
    async with asking(settings) as books:
        (hit,) = (await books.search_inside('"lamp was lit"', fan_out=False)).hits
        (item,) = (await books.search_items("letters", fan_out=False)).items
        record = (await books.get_item("calibre:new/1", sections=SECTIONS)).item
    assert (hit.page_number, hit.page_label, hit.section) == (3, "1", "Part I › The lamp")
    assert (item.identifier, item.year) == ("new/2", None)
    assert record.context["Shelf (#shelf)"] == ("upper",)
    assert record.context["authors"] == ("Ada Brook",)
