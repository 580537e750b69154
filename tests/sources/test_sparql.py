"""The wire of a SPARQL endpoint: every way it fails, by what it means and whether to ask again."""

from __future__ import annotations

import json

import pytest

from mcp_books._http import Reply
from mcp_books.errors import BooksError, InvalidInput, NetworkFailure, ParseFailure, SourceError
from mcp_books.settings import Settings
from mcp_books.sources._sparql import read_answer
from mcp_books.sources.base import CatalogueQuery

from .data_bnf_wire import answer, asked, counts, reply

ECHO = "\n\nSPARQL query:\nSELECT ?work WHERE { secret words }\n"
JSON = "application/sparql-results+json"


def a_reply(body: str, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, named, body.encode(), "http://127.0.0.1:9/sparql", "The archive")


def virtuoso(line: str) -> str:
    return f"Virtuoso {line} secret words{ECHO}"


@pytest.mark.proves("9.1")
@pytest.mark.parametrize(
    ("sent", "error", "retries"),
    [
        (a_reply(virtuoso("37000 Error SP030: SPARQL compiler, line 3: at"), 400), ParseFailure, 0),
        (a_reply(virtuoso("37000 Error SP031: SPARQL compiler:"), 400), ParseFailure, 0),
        (a_reply(virtuoso("22023 Error SR353: Sorted TOP clause"), 500), InvalidInput, None),
        (a_reply(virtuoso("37000 Error XM028: Free-text expression"), 500), InvalidInput, None),
        (a_reply(virtuoso("37000 Error XM029: Free-text expression"), 500), InvalidInput, None),
        (a_reply(virtuoso("22023 Error FT370: Wildcard word"), 500), InvalidInput, None),
        (
            a_reply(virtuoso("42000 Error The estimated execution time 5000 (sec)"), 500),
            NetworkFailure,
            1,
        ),
        (a_reply(virtuoso("S1T00 Error SR171: Transaction timed out"), 500), NetworkFailure, 1),
        (a_reply(virtuoso("42000 Error SR186: No permission"), 500), NetworkFailure, 0),
        (a_reply(virtuoso("42000 Error SQ070:SECURITY: Must have"), 500), NetworkFailure, 0),
        (a_reply(virtuoso("08C01 Error CL000: Cluster could not"), 500), NetworkFailure, 1),
        (a_reply(virtuoso("99999 Error ZZ001: unheard of"), 400), NetworkFailure, 0),
        (a_reply(virtuoso("37000 Error XM028: Free-text"), 200), InvalidInput, None),
        (a_reply("Virtuoso is busy", 200), NetworkFailure, 1),
        (a_reply('{"results": {"bindings": []}}', x_sql_state="S1TAT"), NetworkFailure, 1),
        (a_reply(""), NetworkFailure, 1),
        (a_reply(" \r\n"), NetworkFailure, 1),
        (a_reply('<?xml version="1.0"?><sparql/>'), ParseFailure, 0),
        (a_reply("<!DOCTYPE html><title>secret words</title>"), ParseFailure, 0),
        (a_reply('\n{"results": {"bindings": [{"a": '), ParseFailure, 1),
        (a_reply("[]"), ParseFailure, 1),
        (a_reply('{"results": {}}'), ParseFailure, 1),
        (a_reply('{"boolean": true}'), ParseFailure, 1),
        (a_reply("Not acceptable", 406), NetworkFailure, 0),
        (a_reply("<html>Bad gateway</html>", 502), NetworkFailure, 8),
        (a_reply("gone", 404), NetworkFailure, 0),
    ],
)
def test_each_failure_is_told_by_its_state_and_code(
    sent: Reply, error: type[BooksError], retries: int | None
) -> None:
    with pytest.raises(error) as caught:
        read_answer(sent)
    assert caught.value.hint
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"
    if isinstance(caught.value, SourceError):
        assert caught.value.retries == retries


def test_every_kind_of_term_is_read_and_an_unbound_variable_is_absent() -> None:
    terms = {
        "iri": {"type": "uri", "value": "http://data.bnf.fr/x"},
        "tagged": {"type": "literal", "xml:lang": "fr", "value": "été"},
        "year": {"type": "typed-literal", "datatype": "x", "value": "1902"},
        "blank": {"type": "bnode", "value": "nodeID://b1"},
    }
    read = read_answer(a_reply(json.dumps({"results": {"bindings": [terms, {}]}})))
    assert {name: term.value for name, term in read.rows[0].items()} == {
        "iri": "http://data.bnf.fr/x",
        "tagged": "été",
        "year": "1902",
        "blank": "nodeID://b1",
    }
    assert read.rows[0]["iri"].is_iri
    assert not read.rows[0]["year"].is_iri
    assert read.rows[1] == {}
    assert not read.cut


@pytest.mark.proves("5.5")
def test_a_row_that_cannot_be_read_is_counted() -> None:
    bindings: list[object] = [
        None,
        [],
        {"a": "x"},
        {"a": {"type": "triple", "value": "x"}},
        {"a": {}},
        {},
    ]
    read = read_answer(a_reply(json.dumps({"results": {"bindings": bindings}})))
    assert (len(read.rows), read.unreadable) == (1, 5)


def test_the_row_limit_of_the_server_is_noticed() -> None:
    body = '{"results": {"bindings": []}}'
    assert read_answer(a_reply(body, x_sparql_maxrows="10000")).cut


@pytest.mark.anyio
@pytest.mark.proves("9.3")
async def test_words_the_engine_refuses_are_not_asked_again() -> None:
    refused = reply(virtuoso("37000 Error XM028: Free-text"), status=500)
    settings = Settings(cache_ttl=0, max_retries=3)
    async with asked(refused, answer(counts(0, 0)), settings=settings) as wire:
        with pytest.raises(InvalidInput) as caught:
            await wire.bnf.search_items(CatalogueQuery(text="vent", limit=3))
    assert len(wire.requests) == 1
    assert caught.value.source == "bnf"
