"""The Internet Archive: what is not settled; each test records what it saw."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from mcp_books._http import Reply
from mcp_books.errors import InvalidInput
from mcp_books.sources.internet_archive.reading import read_found

from .asking import ABSENT_WORD, Archive, anything
from .reading import as_json, ascending, found, kind, look

pytestmark = [pytest.mark.anyio, pytest.mark.archive("archive")]

Seen = Callable[..., None]
PHRASE = '"call me ishmael"'
LARGEST = 4_000_000
"""Bytes of the largest text that is fetched."""
WITH_PAGE_NUMBERS = "journalofexpedit00ford"
"""An item whose leaf 0 is hidden and whose page numbers stand in its record."""


@pytest.mark.question("archive-fts-or", "Does a capital OR widen a full-text search?")
async def test_or_in_capitals(archive: Archive, seen: Seen) -> None:
    alone = await found(archive, "fts", "whale")
    either = await found(archive, "fts", f"whale OR {ABSENT_WORD}")
    seen(whale=alone.total, whale_or_absent=either.total, widens=bool(either.rows))


@pytest.mark.question("archive-fts-and", "Does a capital AND join words in a full-text search?")
async def test_and_in_capitals(archive: Archive, seen: Seen) -> None:
    plain = await found(archive, "fts", "whale ishmael")
    joined = await found(archive, "fts", "whale AND ishmael")
    seen(without=plain.total, with_and=joined.total, joins=bool(joined.rows))


@pytest.mark.question("archive-fields-repeated", "Is fields[]= repeated honoured as well?")
async def test_fields_repeated(archive: Archive, seen: Seen) -> None:
    repeated = (("fields[]", "identifier"), ("fields[]", "title"))
    sent = await found(archive, "metadata", "whale", *repeated)
    seen(fields=sorted({name for fields in sent.fields for name in fields})[:40])


@pytest.mark.question("archive-sort-repeated", "Is sort[]= honoured as well as sort=?")
async def test_sort_repeated(archive: Archive, seen: Seen) -> None:
    narrowed = (("fields", "identifier,date"), ("sort[]", "date:asc"))
    sent = await found(archive, "metadata", "whale", *narrowed)
    dates = [fields["date"] for fields in sent.fields if "date" in fields]
    seen(ascending=ascending(dates), first=dates[:1], last=dates[-1:])


@pytest.mark.question("archive-page-zero", "What does page=0 answer?")
async def test_page_zero(archive: Archive, seen: Seen) -> None:
    reply = await look(archive, "fts", PHRASE, ("page", "0"), size=5)
    seen(status=reply.status, rows=_rows_in(reply))


@pytest.mark.question("archive-hits-per-page-most", "Are more than 50 hits a page sent?")
async def test_a_hundred_hits_a_page(archive: Archive, seen: Seen) -> None:
    reply = await look(archive, "fts", "whale", size=100)
    seen(status=reply.status, asked=100, rows=_rows_in(reply))


@pytest.mark.question("archive-fragments", "How many fragments come with a full-text hit?")
async def test_fragments_of_a_hit(archive: Archive, seen: Seen) -> None:
    sent = await found(archive, "fts", "whale", size=50)
    counts = [len((row.get("highlight") or {}).get("text") or ()) for row in sent.rows]
    marked = [fragment for row in sent.rows for fragment in _fragments(row)]
    seen(fewest=min(counts), most=max(counts), marked=sum("{{{" in text for text in marked))
    assert any(counts), "no hit carries a fragment, so that no passage can be shown"


@pytest.mark.question("archive-fts-sort", "Does the full-text search honour sort?")
async def test_sort_of_the_full_text_search(archive: Archive, seen: Seen) -> None:
    sent = await found(archive, "fts", "whale", ("sort", "date:asc"), size=25)
    years = [str(fields["year"]) for fields in sent.fields if "year" in fields]
    seen(ascending=ascending(years), years=years[:10])


@pytest.mark.question("archive-page-num", "What numbers does page_num hold?")
async def test_values_of_page_num(archive: Archive, seen: Seen) -> None:
    sent = await found(archive, "fts", "whale", size=50)
    values = [fields.get("page_num") for fields in sent.fields]
    hocr = [
        str(fields.get("filename", "")).endswith("_hocr_searchtext.txt.gz")
        for fields in sent.fields
    ]
    seen(
        types=sorted({type(value).__name__ for value in values}),
        of_hocr_text=sorted({str(v) for v, new in zip(values, hocr, strict=True) if new})[:10],
        of_older_text=sorted({str(v) for v, new in zip(values, hocr, strict=True) if not new})[:10],
    )


@pytest.mark.question("archive-item-hit", "What types do the fields of a catalogue hit have?")
async def test_fields_of_a_catalogue_hit(archive: Archive, seen: Seen) -> None:
    names = "identifier,title,creator,date,year,mediatype,downloads"
    sent = await found(archive, "metadata", "whale", ("fields", names), size=25)
    types: dict[str, set[str]] = {}
    for fields in sent.fields:
        for name, value in fields.items():
            types.setdefault(name, set()).add(type(value).__name__)
    seen(types={name: sorted(found) for name, found in sorted(types.items())})
    assert all("identifier" in fields for fields in sent.fields)


@pytest.mark.question("archive-envelope", "What does the envelope of an anonymous search hold?")
async def test_envelope_of_a_search(archive: Archive, seen: Seen) -> None:
    sent = await found(archive, "fts", PHRASE)
    response = sent.document["response"]
    seen(
        keys=sorted(sent.document),
        response=sorted(response),
        header=sorted(response["header"]),
        hit_schema=type(response.get("hit_schema")).__name__,
        total=type(sent.total).__name__,
        holds_session_context="session_context" in sent.document,
    )
    assert response["header"]["succeeded"] is True


@pytest.mark.question("archive-refused-query", "How is a query refused that cannot be read?")
async def test_a_query_left_open(archive: Archive, seen: Seen) -> None:
    reply = await look(archive, "fts", '"call me ishmael')
    seen(status=reply.status, rows=_rows_in(reply))
    if not _rows_in(reply):
        with pytest.raises(InvalidInput) as refusal:
            read_found(reply)
        seen(reason=refusal.value.message[:200])


@pytest.mark.question("archive-inside-wrong-document", "How is a wrong document of an item told?")
async def test_inside_of_a_wrong_document(archive: Archive, seen: Seen) -> None:
    item, identifier = await _item(archive, WITH_PAGE_NUMBERS)
    reply = await _inside(archive, item, identifier, f"no-{ABSENT_WORD}", "lake")
    body = as_json(reply)
    seen(
        status=reply.status,
        content_type=kind(reply),
        keys=sorted(body),
        error=str(body.get("error"))[:120],
        indexed=body.get("indexed"),
    )


@pytest.mark.question(
    "archive-inside-leaves", "Does inside.php count leaves where the leaf numbers have gaps?"
)
async def test_inside_counts_leaves(archive: Archive, seen: Seen) -> None:
    item, identifier = await _item(archive, WITH_PAGE_NUMBERS)
    reply = await _inside(archive, item, identifier, identifier, "lake")
    matches = as_json(reply).get("matches") or []
    pages = {part.get("page") for match in matches for part in match.get("par", ())}
    shown = {page["leafNum"] for page in (item.get("page_numbers") or {}).get("pages", ())}
    seen(
        status=reply.status,
        matches=len(matches),
        leaves_shown=len(shown),
        first_leaf=min(shown, default=None),
        pages_that_are_no_shown_leaf=sorted(map(str, pages - shown)) if shown else None,
    )


@pytest.mark.question("archive-page-numbers-file", "What does _page_numbers.json hold as a file?")
async def test_page_numbers_as_a_file(archive: Archive, seen: Seen) -> None:
    item, _ = await _item(archive, WITH_PAGE_NUMBERS)
    name = _file(item, "_page_numbers.json")
    seen(name=name)
    if name is not None:
        body = as_json(await _fetch(archive, item, name))
        pages = body.get("pages") or [{}]
        seen(keys=sorted(body), page=sorted(pages[0]), pages=len(pages))


@pytest.mark.question("archive-text-offsets", "Do page offsets count characters or bytes?")
async def test_offsets_of_a_text_in_another_script(archive: Archive, seen: Seen) -> None:
    sent = await found(
        archive,
        "metadata",
        "ведомости",
        ("fields", "identifier"),
        ("filter_map", '{"mediatype":{"texts":"inc"}}'),
    )
    for fields in sent.fields[:3]:
        item, identifier = await _item(archive, fields["identifier"])
        index, text = (
            _file(item, f"_hocr_{part}.gz") for part in ("pageindex.json", "searchtext.txt")
        )
        seen(identifier=identifier, index=index, text=text)
        if index is not None and text is not None and _size(item, text) <= LARGEST:
            entries = json.loads(_unpacked(await _fetch(archive, item, index)))
            raw = _unpacked(await _fetch(archive, item, text))
            seen(
                last_offset=entries[-1][1],
                characters=len(raw.decode("utf-8", "replace")),
                bytes=len(raw),
            )
            return


async def _item(archive: Archive, identifier: str) -> tuple[Mapping[str, Any], str]:
    """Return an item as sent; where it is not held (a stand-in), one that the search names."""
    reply = await archive.wire(f"/metadata/{identifier}")
    if not as_json(reply):
        identifier = (await found(archive, "fts", PHRASE)).fields[0]["identifier"]
        reply = await archive.wire(f"/metadata/{identifier}")
    return as_json(reply), identifier


async def _inside(
    archive: Archive, item: Mapping[str, Any], identifier: str, document: str, words: str
) -> Reply:
    params = [("item_id", identifier), ("doc", document), ("path", item["dir"]), ("q", words)]
    reply: Reply = await archive.wire(
        "/fulltext/inside.php", params, anything, channel=archive.beside(item["server"])
    )
    return reply


async def _fetch(archive: Archive, item: Mapping[str, Any], name: str) -> Reply:
    reply: Reply = await archive.wire(
        f"{item['dir']}/{name}", (), anything, channel=archive.beside(item["server"])
    )
    return reply


def _file(item: Mapping[str, Any], ending: str) -> str | None:
    names = (file["name"] for file in item.get("files", ()))
    return next((name for name in names if name.endswith(ending)), None)


def _size(item: Mapping[str, Any], name: str) -> int:
    return next(int(file["size"]) for file in item["files"] if file["name"] == name)


def _unpacked(reply: Reply) -> bytes:
    assert reply.status == 200, f"HTTP {reply.status}"
    packed = reply.body.startswith(b"\x1f\x8b")
    return gzip.decompress(reply.body) if packed else reply.body


def _fragments(row: Mapping[str, Any]) -> list[str]:
    return [text for text in (row.get("highlight") or {}).get("text") or () if text]


def _rows_in(reply: Reply) -> int:
    hits = ((as_json(reply).get("response") or {}).get("body") or {}).get("hits") or {}
    return len(hits.get("hits") or ())
