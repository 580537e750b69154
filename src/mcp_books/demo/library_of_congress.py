"""A stand-in for the Library of Congress: newspaper pages, one catalogue per kind, records."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import quote_plus

from .library_of_congress_records import (
    Row,
    held,
    issue_document,
    page_document,
    page_row,
    page_text,
    record_document,
    record_row,
    title_item,
)
from .standin import Request, Response, json_response

__all__ = ["LibraryOfCongressStandIn"]

_NEWSPAPER_PAGES = "/collections/chronicling-america/"
_ROUTES = (
    *("books", "photos", "maps", "audio", "film-and-videos", "manuscripts", "notated-music"),
    "newspapers",
)
_NO_MATCH_IS_404 = ("photos", "maps")
"""Routes that say "nothing matched" with a 404 in JSON; the others with a count of zero."""

_PAGE = re.compile(r"/resource/([a-z0-9]+)/(\d{4}-\d{2}-\d{2})/ed-(\d+)/?")
_ISSUE = re.compile(r"/item/([a-z0-9]+)/(\d{4}-\d{2}-\d{2})/ed-(\d+)/?")
_ITEM = re.compile(r"/(item|resource)/([A-Za-z0-9._]+)/?")
_PHRASE = re.compile(r'"([^"]*)"')


class _Found(NamedTuple):
    """One row of a list, and what it is matched and sorted by."""

    row: Row
    text: str
    date: str


class LibraryOfCongressStandIn:
    """Answers as www.loc.gov does, from invented newspapers and records."""

    source = "loc"

    def answer(self, request: Request) -> Response:
        if request.query.get("fo") != "json":
            return _html("<p>A page for people; programs ask with fo=json.</p>", 200)
        if request.path == _NEWSPAPER_PAGES:
            return _search(request, _pages(request), on_none=200)
        route = request.path.strip("/")
        if route in _ROUTES:
            status = 404 if route in _NO_MATCH_IS_404 else 200
            return _search(request, _catalogue(route, request), on_none=status)
        document = _document(request)
        if document is None:
            return _html("<h1>404</h1><p>The page you requested was not found.</p>", 404)
        return _cached(_only(document, request.query.get("at")))


def _search(request: Request, everything: Iterable[_Found], *, on_none: int) -> Response:
    query = request.query
    found = [one for one in everything if _matches(one, query)]
    order = query.get("sb")
    if order in ("date", "date_desc"):
        found.sort(key=lambda one: one.date, reverse=order == "date_desc")
    elif order == "title_s":
        found.sort(key=lambda one: _fold(one.row["title"]))
    size, page = int(query.get("c", "25")), int(query.get("sp", "1"))
    pages = max(1, -(-len(found) // size))
    if page > pages or (not found and on_none == 404):
        return json_response({"status": 404, "title": "Not Found"}, status=404)
    rows = found[(page - 1) * size : page * size]
    answer = {
        "results": [{"index": n, **one.row} for n, one in enumerate(rows, (page - 1) * size + 1)],
        "pagination": {
            "current": page,
            "from": (page - 1) * size + 1,
            "to": (page - 1) * size + len(rows),
            "perpage": size,
            "of": len(found),
            "total": pages,
            "next": f"{request.base}{request.path}?sp={page + 1}" if page < pages else None,
            "previous": f"{request.base}{request.path}?sp={page - 1}" if page > 1 else None,
        },
        "options": {"is_partial": False, "default_count": 25},
    }
    return _cached(_only(answer, query.get("at")))


def _matches(found: _Found, query: Mapping[str, str]) -> bool:
    text = f" {_fold(found.text)} "
    asked = query.get("q", "")
    wanted = [_fold(phrase) for phrase in _PHRASE.findall(asked)]
    wanted += _fold(_PHRASE.sub(" ", asked)).split()
    if not all(f" {words} " in text for words in wanted):
        return False
    if "dates" not in query:
        return True
    first, _, last = query["dates"].partition("/")
    return found.date[:4].isdigit() and first <= found.date[:4] <= last


def _pages(request: Request) -> Iterator[_Found]:
    for page in held()["pages"]:
        text = page_text(page)
        row = page_row(page, request.base)
        row["url"] += f"&q={quote_plus(request.query.get('q', ''))}"
        yield _Found(row, text, page["date"])


def _catalogue(route: str, request: Request) -> Iterator[_Found]:
    if route == "newspapers":
        for paper in held()["newspapers"]:
            item = title_item(paper, request.base)
            yield _Found(item, f"{item['title']} {item['essay']}", item["date"])
        return
    everything = request.query.get("all") == "true"
    for record in held()["records"]:
        if route in record["routes"] and (record["digitized"] or everything):
            row = record_row(record, request.base)
            text = [record["title"], *record["contributors"], *record["subjects"], *record["notes"]]
            yield _Found(row, " ".join([*text, *record["summary"]]), record["date"])
    for other in held()["others"]:
        if route in other["routes"]:
            address = request.base + other["path"]
            row = {"id": address, "url": address, "title": other["title"]}
            row |= {"original_format": other["kinds"], "digitized": True}
            yield _Found(row, f"{other['title']} {other['text']}", "")


def _document(request: Request) -> Row | None:
    if found := _PAGE.fullmatch(request.path):
        issue = f"{found[1]}/{found[2]}/ed-{found[3]}"
        return page_document(issue, int(request.query.get("sp", "1")), request.base)
    if found := _ISSUE.fullmatch(request.path):
        return issue_document(f"{found[1]}/{found[2]}/ed-{found[3]}", request.base)
    found = _ITEM.fullmatch(request.path)
    if found is None:
        return None
    for paper in held()["newspapers"]:
        if paper["lccn"] == found[2]:
            return {"item": title_item(paper, request.base), "resources": []}
    name = "id" if found[1] == "item" else "resource"
    for record in held()["records"]:
        if record.get(name) == found[2]:
            return record_document(record, request.base)
    return None


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", letters))


def _only(document: Row, blocks: str | None) -> Row:
    return document if blocks is None else {n: document.get(n) for n in blocks.split(",")}


def _cached(document: Row) -> Response:
    return json_response(document, cache_control="no-transform, max-age=86400")


def _html(body: str, status: int) -> Response:
    page = f"<!DOCTYPE html><html><body>{body}</body></html>"
    return Response(page.encode(), status, "text/html; charset=utf-8")
