"""data.bnf.fr: what is not settled; each test records what it saw."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mcp_books._http import Reply
from mcp_books.errors import InvalidInput, ParseFailure
from mcp_books.sources._sparql import ACCEPT, Row, read_answer
from mcp_books.sources.data_bnf import ark, queries

from .asking import Archive
from .reading import kind, simple
from .sparql import ENDPOINT, PROBE, require_index, run, window

pytestmark = [pytest.mark.anyio, pytest.mark.archive("bnf")]

Seen = Callable[..., None]
FRBR = "PREFIX frbr: <http://rdvocab.info/uri/schema/FRBRentitiesRDA/>\n"
DCTERMS = "PREFIX dcterms: <http://purl.org/dc/terms/>\n"


@pytest.mark.question("bnf-engine", "Which engine answers, in which build?")
async def test_engine(archive: Archive, seen: Seen) -> None:
    reply, _ = await run(archive, queries.search(PROBE, "dcterms:title", limit=25, offset=0))
    names = ("server", "vary", "content-type", "x-sparql-maxrows", "x-sql-state")
    seen(**{name: reply.headers.get(name) for name in names})
    assert kind(reply) == ACCEPT


@pytest.mark.question("bnf-labels", "Is a search by rdfs:label affordable, and of works alone?")
async def test_search_by_label(archive: Archive, seen: Seen) -> None:
    await require_index(archive)
    by_title = await window(archive, "'moby' AND 'dick'")
    by_label = await window(archive, "'moby' AND 'dick'", "rdfs:label")
    seen(
        title={"matches": by_title.matches, "works": by_title.works, "seconds": by_title.seconds},
        label={"matches": by_label.matches, "works": by_label.works, "seconds": by_label.seconds},
    )
    assert by_label.works > 0, "labels carry no work, and a crowded search is asked again by them"


@pytest.mark.question("bnf-score", "Is the score of a match affordable?")
async def test_score_of_a_match(archive: Archive, seen: Seen) -> None:
    query = (
        f"{DCTERMS}SELECT ?work ?sc WHERE {{ ?work dcterms:title ?text . "
        f"?text bif:contains \"'moby' AND 'dick'\" option (score ?sc) . }} LIMIT 50"
    )
    reply, seconds = await run(archive, query)
    scores = {row["sc"].value for row in _rows(reply) if "sc" in row}
    seen(status=reply.status, seconds=seconds, different_scores=len(scores))


@pytest.mark.question("bnf-accents", "Do accents count in the text index?")
async def test_accents(archive: Archive, seen: Seen) -> None:
    bare = await window(archive, "'miserables'")
    accented = await window(archive, "'misérables'")
    titles: dict[str, str] = {}
    for row in bare.rows:
        words = " ".join(row[name].value for name in ("title", "label") if name in row)
        titles[row["work"].value] = f"{titles.get(row['work'].value, '')} {words.lower()}"
    accented_alone = [text for text in titles.values() if "miserables" not in text]
    seen(without=bare.matches, with_accent=accented.matches, of_accented_alone=accented_alone[:3])
    assert not accented_alone, "accents do not count, and readers are told that they do"


@pytest.mark.question("bnf-articles", "Are articles and single letters indexed?")
async def test_articles(archive: Archive, seen: Seen) -> None:
    await require_index(archive)
    found = {word: (await window(archive, f"'{word}'")).matches for word in ("la", "l", "de")}
    seen(**found)
    assert all(found.values()), "a word that every query may hold is not in the index"


@pytest.mark.question("bnf-full-stop", "Does a full stop between digits part a word?")
async def test_full_stop_inside_a_word(archive: Archive, seen: Seen) -> None:
    await require_index(archive)
    whole = await window(archive, "'20.000'")
    apart = await window(archive, "'20' AND '000'")
    seen(whole=whole.matches, apart=apart.matches)
    assert whole.matches or not apart.matches, "'20.000' is asked as one word, and is none there"


@pytest.mark.question("bnf-error", "How is an expression refused that holds no word?")
async def test_refusal_of_an_expression(archive: Archive, seen: Seen) -> None:
    reply, _ = await run(archive, queries.search("'½'", "dcterms:title", limit=2, offset=0))
    seen(status=reply.status, content_type=kind(reply), starts=_first_line(reply))
    if reply.status != 200:
        with pytest.raises(InvalidInput):
            read_answer(reply)


@pytest.mark.question("bnf-unread-query", "How is a query refused that does not compile?")
async def test_refusal_of_a_query(archive: Archive, seen: Seen) -> None:
    reply, _ = await run(archive, "SELECT ?s WHERE { ?s ?p }")
    seen(status=reply.status, content_type=kind(reply), starts=_first_line(reply))
    with pytest.raises(ParseFailure):
        read_answer(reply)


@pytest.mark.question("bnf-most-rows", "How many rows does one answer hold at most?")
async def test_cap_of_rows(archive: Archive, seen: Seen) -> None:
    reply, seconds = await run(archive, f"{FRBR}SELECT ?w WHERE {{ ?w a frbr:Work }} LIMIT 10001")
    seen(
        status=reply.status,
        asked=10001,
        rows=len(_rows(reply)),
        cap=reply.headers.get("x-sparql-maxrows"),
        seconds=seconds,
    )


@pytest.mark.question("bnf-accept-alone", "Is JSON sent where only Accept asks for it?")
async def test_accept_alone(archive: Archive, seen: Seen) -> None:
    query = queries.search(PROBE, "dcterms:title", limit=1, offset=0)
    reply, _ = await archive.form(ENDPOINT, [("query", query)], accept=ACCEPT)
    seen(status=reply.status, content_type=kind(reply))


@pytest.mark.question("bnf-graphs", "In which named graphs does a work stand?")
async def test_named_graphs(archive: Archive, seen: Seen) -> None:
    await require_index(archive)
    work = ark.about(await _a_work(archive))
    reply, _ = await run(archive, f"SELECT DISTINCT ?g WHERE {{ GRAPH ?g {{ <{work}> ?p ?o }} }}")
    seen(status=reply.status, graphs=[row["g"].value for row in _rows(reply) if "g" in row][:10])


@pytest.mark.question("bnf-work", "What is stated of a work?")
async def test_statements_of_a_work(archive: Archive, seen: Seen) -> None:
    await require_index(archive)
    reply, seconds = await run(archive, queries.record(await _a_work(archive)))
    rows = _rows(reply)
    seen(
        seconds=seconds,
        rows=len(rows),
        parts=sorted({row["part"].value for row in rows if "part" in row}),
        fields=sorted({row["field"].value for row in rows if "field" in row}),
        types=sorted({term.type for row in rows for term in row.values()}),
    )
    assert any("field" in row for row in rows), "a work that a search named has no statement"


@pytest.mark.question("bnf-provisional", "Can a provisional work be read that a search names?")
async def test_provisional_works(archive: Archive, seen: Seen) -> None:
    await require_index(archive)
    answer, _ = await archive.items("moby dick", limit=25)
    provisional = [row for row in answer.items if ark.is_provisional(row.identifier)]
    seen(works=len(answer.items), provisional=len(provisional))
    if provisional:
        record = await archive.record(provisional[0].id)
        seen(title=simple(record.title or "")[:80], lasting_identifier=False)
        assert record.identifier == provisional[0].identifier


async def _a_work(archive: Archive) -> str:
    answer, _ = await archive.items("moby dick", limit=25)
    return answer.items[0].identifier


def _rows(reply: Reply) -> tuple[Row, ...]:
    """Return the rows of a question's own query; none where the engine does not take it."""
    try:
        return read_answer(reply).rows
    except (InvalidInput, ParseFailure):
        return ()


def _first_line(reply: Reply) -> str:
    """Return how an error starts; the rest of it repeats the query."""
    return reply.body.lstrip().split(b"\n", 1)[0][:120].decode("utf-8", "replace")
