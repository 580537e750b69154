"""The demonstration's stand-in and the real engine, holding the same records, answer alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcp_books._http import Http
from mcp_books.demo.data_bnf import DataBnfStandIn
from mcp_books.demo.data_bnf.records import records
from mcp_books.demo.data_bnf.statements import Statement
from mcp_books.demo.server import Server
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery
from mcp_books.sources.data_bnf import DataBnf
from mcp_books.sources.data_bnf.ark import reference_of

from .conftest import require_engine
from .engine import running
from .turtle import iri, text

pytestmark = pytest.mark.anyio

QUERIES = (
    "moby dick",
    '"cachalot blanc"',
    "démonstration",
    "neige histoire",
    "S.O.S.",
    "20.000",
    "l'été",
    "misérables",
    "miserables",
    "ŒUVRES",
    '"vent amis"',
    '"amis du vent"',
    "nothing of the kind",
)


@pytest.fixture(scope="module")
def stand_in() -> Iterator[str]:
    with Server([DataBnfStandIn()]) as server:
        yield server.address("bnf")


@pytest.fixture(scope="module")
def twin(stand_in: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the base address of an engine that holds what the stand-in holds."""
    require_engine()
    turtle = "\n".join(_written(one) for one in records(stand_in))
    with running(tmp_path_factory.mktemp("twin"), {"http://data.bnf.fr/test/twin": turtle}) as base:
        yield base


def _written(one: Statement) -> str:
    value, kind, language = one.value
    written = {"uri": iri(value), "literal": text(value, language)}.get(kind, value)
    return f"{iri(one.subject)} {iri(one.field)} {written} ."


async def test_the_stand_in_and_the_engine_answer_alike(stand_in: str, twin: str) -> None:
    references = sorted({reference_of(one.subject) or "" for one in records(stand_in)} - {""})
    answers = []
    for base in (stand_in, twin):
        async with Http(Settings(cache_ttl=0, max_retries=0)) as http:
            bnf = DataBnf(http, base_url=base)
            pages = [
                await bnf.search_items(CatalogueQuery(text=query, limit=4, page=page))
                for query in QUERIES
                for page in (1, 2)
            ]
            read = [await bnf.get_item(reference) for reference in references]
        answers.append(
            [
                *((tuple(row.dump() for row in page.rows), page.more) for page in pages),
                *(record.dump() for record in read),
            ]
        )
    standing_in, real = answers
    assert len(references) > 15
    for played, expected in zip(standing_in, real, strict=True):
        assert str(played).replace(stand_in, "@") == (
            str(expected).replace(twin, "@").replace(stand_in, "@")
        )
