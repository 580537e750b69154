"""Nothing in a demonstration's answer can be taken for what an archive holds."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from importlib.resources import files
from typing import Any

import pytest

from mcp_books.client import BooksClient
from mcp_books.demo.calibre import demonstration_library
from mcp_books.demo.data_bnf.records import records
from mcp_books.demo.server import Server, stand_ins
from mcp_books.models import Model
from mcp_books.reports import Absent, Answered
from mcp_books.settings import Settings

pytestmark = pytest.mark.anyio

ADDRESS = re.compile(r"\b(?:https?|calibre):/[^\s\"'<>()\[\]]+")
OPENS_CALIBRE = re.compile(r"calibre://(?:show|view)-book/Demonstration/\d")
WORDS = (
    "whale",
    "call me ishmael",
    "moby dick",
    "neige",
    "lighthouse",
    "demonstration",
    "baleine",
    "北冥有魚",
)
BOOKS_OF_THE_LIBRARY = 3


def _held(name: str) -> dict[str, list[dict[str, Any]]]:
    text = files("mcp_books.demo").joinpath("records", f"{name}.json").read_text("utf-8")
    return dict(json.loads(text))


def _identifiers() -> Iterator[str]:
    """Yield the id of every record that a stand-in holds."""
    for item in _held("internet_archive")["items"]:
        if not item.get("dark"):
            yield f"archive:{item['identifier']}"
    library = _held("library_of_congress")
    for paper in library["newspapers"]:
        yield f"loc:{paper['lccn']}"
    for page in library["pages"]:
        yield f"loc:{page['lccn']}/{page['date']}/ed-{page['edition']}/seq-{page['seq']}"
    for record in library["records"]:
        yield f"loc:{record['id']}"
    subjects = {statement.subject for statement in records("http://127.0.0.1")}
    for subject in sorted(subjects):
        if found := re.search(r"/(cb\w+|temp-work/\w+)#about$", subject):
            yield f"bnf:{found[1]}"
    for number in range(1, BOOKS_OF_THE_LIBRARY + 1):
        yield f"calibre:Demonstration/{number}"


IDENTIFIERS = tuple(_identifiers())


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(stand_ins()) as running:
        yield running


@pytest.fixture(scope="module")
def settings(server: Server) -> Iterator[Settings]:
    with demonstration_library(server.settings(Settings(max_retries=0))) as made:
        yield made


@pytest.fixture
async def books(settings: Settings) -> AsyncIterator[BooksClient]:
    async with BooksClient(settings) as client:
        yield client


def addresses(value: object) -> Iterator[str]:
    """Yield every address in `value` but those of the texts of licences."""
    if isinstance(value, Mapping):
        for name, below in value.items():
            yield from addresses({} if name == "rights" else below)
    elif isinstance(value, list):
        for below in value:
            yield from addresses(below)
    elif isinstance(value, str):
        yield from ADDRESS.findall(value)


def attributions(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        if "attribution" in value:
            yield str(value["attribution"])
        for below in value.values():
            yield from attributions(below)
    elif isinstance(value, list):
        for below in value:
            yield from attributions(below)


def elsewhere(server: Server, answer: Model) -> list[str]:
    """Return the addresses of `answer` that are not the demonstration's."""
    found = list(addresses(answer.dump()))
    assert found
    return [
        each
        for each in found
        if not each.startswith(f"{server.origin}/demonstration/") and not OPENS_CALIBRE.match(each)
    ]


def uncredited(answer: Model) -> list[str]:
    """Return the attributions of `answer` that do not say what it is."""
    found = list(attributions(answer.dump()))
    assert found
    return [each for each in found if "demonstration" not in each.casefold()]


@pytest.mark.parametrize("words", WORDS)
async def test_every_address_and_credit_of_a_search_says_demonstration(
    server: Server, books: BooksClient, words: str
) -> None:
    inside = await books.search_inside(words, limit=25)
    items = await books.search_items(words, limit=25)
    for answer in (inside, items):
        for report in answer.per_source:
            assert isinstance(report, Answered | Absent)
            assert "demonstration" in report.name
        assert uncredited(answer) == []
    assert inside.hits or items.items
    if inside.hits:
        assert elsewhere(server, inside) == []
    if items.items:
        assert elsewhere(server, items) == []


@pytest.mark.parametrize("kind", ["photos", "maps", "audio", "film-and-videos", "manuscripts"])
async def test_every_kind_of_material_says_demonstration(
    server: Server, books: BooksClient, kind: str
) -> None:
    items = await books.search_items("whale", media_type=kind, limit=25, sources=["loc", "archive"])
    assert items.items
    assert elsewhere(server, items) == []
    assert uncredited(items) == []


@pytest.mark.parametrize("identifier", IDENTIFIERS)
async def test_every_address_and_credit_of_a_record_says_demonstration(
    server: Server, books: BooksClient, identifier: str
) -> None:
    answer = await books.get_item(
        identifier, sections=["description", "subjects", "copies", "context"], max_copies=50
    )
    assert answer.item.id == identifier
    assert elsewhere(server, answer) == []
    assert uncredited(answer) == []


def test_the_stand_ins_hold_a_few_dozen_records_of_every_archive() -> None:
    for source in ("archive", "loc", "bnf"):
        assert sum(each.startswith(f"{source}:") for each in IDENTIFIERS) >= 12


@pytest.mark.parametrize(
    ("words", "book", "page", "label", "source", "section"),
    [
        ('"call me ishmael"', 1, 3, "1", "printed", "Chapter 1. Loomings"),
        ('"sub-sub-librarian"', 1, 2, "ii", "printed", "Extracts"),
        ("baleine", 2, None, "2", "pagelist", "Première partie › Chapitre I. Un écueil fuyant"),
        ("胡蝶", 3, None, None, None, "內篇 › 齊物論"),
    ],
)
async def test_a_passage_of_the_library_has_its_page_label_and_chapter(
    books: BooksClient,
    words: str,
    book: int,
    page: int | None,
    label: str | None,
    source: str | None,
    section: str,
) -> None:
    answer = await books.search_inside(words, sources=["calibre"])
    (hit,) = answer.hits
    assert hit.id == f"calibre:Demonstration/{book}"
    assert "(demonstration)" in str(hit.title)
    assert (hit.page_number, hit.page_label, hit.label_source) == (page, label, source)
    assert hit.section == section
    (report,) = answer.per_source
    assert isinstance(report, Answered)
    assert report.coverage is not None
    assert (report.coverage.indexed, report.coverage.readable) == (3, 3)


async def test_a_book_of_the_library_says_that_it_was_made_for_this(books: BooksClient) -> None:
    answer = await books.get_item("calibre:Demonstration/1", sections=["description", "copies"])
    assert answer.item.description is not None
    assert "made on this computer" in str(answer.item.description)
    assert answer.item.creator == "Melville, Herman"
