"""The stand-in for data.bnf.fr: the adapter's own queries, answered as the engine answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcp_books._http import Http
from mcp_books.demo.data_bnf import DataBnfStandIn
from mcp_books.demo.data_bnf.records import records
from mcp_books.demo.server import Server
from mcp_books.demo.standin import Request
from mcp_books.errors import InvalidInput, RecordNotFound
from mcp_books.settings import Settings
from mcp_books.sources._sparql import form
from mcp_books.sources.base import CatalogueQuery
from mcp_books.sources.data_bnf import DataBnf, queries
from mcp_books.sources.data_bnf.ark import reference_of

BASE = "http://127.0.0.1:8000/demonstration/bnf"
REFERENCES = sorted({reference_of(one.subject) or "" for one in records(BASE)} - {""})


def request(query: str | None, path: str = "/sparql") -> Request:
    sent = {} if query is None else dict(form(query))
    return Request(method="POST", path=path, query={}, form=sent, base=BASE)


@pytest.fixture
def base() -> Iterator[str]:
    with Server([DataBnfStandIn()]) as server:
        yield server.address("bnf")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "count"),
    [("Moby Dick", 2), ('"cachalot blanc"', 1), ("S.O.S.", 1), ("miserables", 0), ("neige", 2)],
)
async def test_a_search_finds_the_invented_works(base: str, text: str, count: int) -> None:
    async with Http(Settings()) as http:
        bnf = DataBnf(http, base_url=base, demonstration=True)
        page = await bnf.search_items(CatalogueQuery(text=text, limit=5))
    assert len(page.rows) == count
    assert all("(démonstration)" in (row.title or "") for row in page.rows)
    assert all(row.source_url.startswith(base) for row in page.rows)


@pytest.mark.anyio
async def test_pages_hold_every_work_once(base: str) -> None:
    async with Http(Settings()) as http:
        bnf = DataBnf(http, base_url=base, demonstration=True)
        pages = [
            await bnf.search_items(CatalogueQuery(text="démonstration", limit=5, page=number))
            for number in (1, 2, 3, 4)
        ]
    seen = [row.identifier for page in pages for row in page.rows]
    assert len(seen) == len(set(seen)) >= 12
    assert [page.more for page in pages] == [True, True, False, False]
    assert {row.identifier_provisional for page in pages for row in page.rows} == {None, True}


@pytest.mark.anyio
async def test_no_record_of_it_can_be_taken_for_one_of_the_bnf(base: str) -> None:
    async with Http(Settings()) as http:
        bnf = DataBnf(http, base_url=base, demonstration=True)
        for reference in REFERENCES:
            record = await bnf.get_item(reference)
            published = " ".join([record.source_url, *(copy.url for copy in record.copies)])
            published += str(record.context)
            assert "bnf.fr/" not in published
            assert "demonstration" in record.source_name
            assert "Bibliothèque nationale" not in record.attribution
            assert "(démonstration)" in (record.title or "")
        with pytest.raises(RecordNotFound):
            await bnf.get_item("temp-work/" + "f" * 32)


@pytest.mark.parametrize(
    ("argument", "code"), [("'?'", "XM028"), ("vent octobre", "XM029"), ("'vent", "XM029")]
)
def test_a_bad_expression_is_refused_as_the_engine_refuses_it(argument: str, code: str) -> None:
    query = queries.search(argument, "dcterms:title", limit=3, offset=0)
    response = DataBnfStandIn().answer(request(query))
    assert response.status == 500
    assert response.content_type.startswith("text/plain")
    assert response.body.startswith(f"Virtuoso 37000 Error {code}:".encode())


@pytest.mark.anyio
async def test_its_refusals_reach_the_adapter_as_the_engines_do(
    base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Http(Settings()) as http:
        bnf = DataBnf(http, base_url=base)
        search = queries.search("'?'", "dcterms:title", limit=3, offset=0)
        monkeypatch.setattr(queries, "search", lambda *_, **__: search)
        with pytest.raises(InvalidInput):
            await bnf.search_items(CatalogueQuery(text="vent", limit=3))


def test_another_query_does_not_compile() -> None:
    assert DataBnfStandIn().answer(request("SELECT * WHERE { ?s ?p ?o }")).status == 400


@pytest.mark.parametrize(
    ("path", "status"), [("/sparql/", 200), ("/sparql", 200), ("/fr/11907966/x/", 404)]
)
def test_without_a_query_it_is_a_page_for_people(path: str, status: int) -> None:
    response = DataBnfStandIn().answer(request(None, path))
    assert (response.status, response.content_type) == (status, "text/html")


def test_a_label_is_searched_where_the_query_says_so() -> None:
    stand_in = DataBnfStandIn()
    by_title, by_label = (
        stand_in.answer(request(queries.search("'conte'", matched, limit=3, offset=0))).body
        for matched in ("dcterms:title", "rdfs:label")
    )
    assert b'"matches": {"type": "typed-literal"' in by_title
    assert b"90101001" in by_title
    assert b"90101001" not in by_label
