"""A stand-in for the Internet Archive: its search route, both backends, and its records."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from .standin import Request, Response, json_response

__all__ = ["InternetArchiveStandIn"]

_SEARCH = "/services/search/beta/page_production/"
_METADATA = "/metadata/"
_MARK = " (demonstration)"
_DEPTH = 10_000
_FRAGMENTS = 5
_MATCHED = ("title", "creator", "description", "subject", "publisher", "date", "identifier")
_DESCRIBED = (
    *("title", "creator", "date", "mediatype", "subject", "language", "publisher", "collection"),
    *("licenseurl", "rights", "possible-copyright-status", "imagecount", "description"),
    *("access-restricted-item", "call_number", "volume", "runtime"),
)

Item = Mapping[str, Any]
Runs = tuple[tuple[str, ...], ...]
"""What has to stand in a text: words and phrases, as runs of folded words."""


class _Refusal(Exception):
    """A query the archive answers with HTTP 400, and the reason it states."""


class InternetArchiveStandIn:
    """Answers as archive.org does, from invented records."""

    source = "archive"

    def answer(self, request: Request) -> Response:
        if request.path == _SEARCH:
            try:
                return _search(request.query)
            except _Refusal as refusal:
                return _refused(str(refusal))
        if request.path.startswith(_METADATA):
            return json_response(_metadata(request.path.removeprefix(_METADATA).partition("/")[0]))
        return Response(b"<html><body>Not found</body></html>", 404, "text/html")


def _search(query: Mapping[str, str]) -> Response:
    words = query.get("user_query", "")
    page, size = int(query.get("page", "1")), int(query.get("hits_per_page", "50"))
    if page * size > _DEPTH:
        raise _Refusal(
            f"Invalid request ([RANGE_OUT_OF_BOUNDS] paging is only supported through {_DEPTH} "
            "results; scraping is supported through the Scraping API)"
        )
    wanted = _read_query(words)
    if query.get("service_backend") == "fts":
        if not wanted:
            raise _Refusal("a full-text search needs a query")
        found = list(_text_hits(wanted, words))
    else:
        found = list(_item_hits(wanted, query))
    return _envelope(found[(page - 1) * size : page * size], len(found))


def _envelope(hits: list[dict[str, Any]], total: int) -> Response:
    return json_response(
        {
            "version": "1v2",
            "response": {
                "header": {"succeeded": True},
                "body": {"hits": {"total": total, "returned": len(hits), "hits": hits}},
                "hit_schema": [],
            },
        }
    )


def _refused(reason: str) -> Response:
    return json_response(
        {
            "response": {"header": {"succeeded": False}, "body": {"hits": None}},
            "errors": [{"message": reason, "forensics": None, "context": "client_request"}],
        },
        status=400,
    )


def _read_query(text: str) -> Runs:
    """Read words and quoted phrases; refuse what the archive's parser refuses."""
    pieces = text.split('"')
    if len(pieces) % 2 == 0:
        raise _Refusal(
            "a structure was opened but not closed "
            f"(quoted phrase open at position {text.rindex(chr(34)) + 1})"
        )
    runs: list[tuple[str, ...]] = []
    for position, piece in enumerate(pieces):
        if re.search(r"\w&|&\w", piece):
            raise _Refusal("an ampersand touches a word")
        if position % 2:
            runs.append(tuple(word for word, _, _ in _words(piece)))
        elif "/" in piece:
            raise _Refusal("[BACKEND_ERROR] Invalid or no response from Elasticsearch")
        else:
            runs.extend((word,) for word, _, _ in _words(piece))
    return tuple(run for run in runs if run)


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    for found in re.finditer(r"[\w\u0300-\u036f]+", text):
        yield _folded(found[0]), found.start(), found.end()


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _places(text: str, wanted: Runs) -> list[list[tuple[int, int]]]:
    """Return, for each run wanted, where it stands in `text`."""
    words = list(_words(text))
    folded = [word for word, _, _ in words]
    return [
        [
            (words[i][1], words[i + len(run) - 1][2])
            for i in range(len(words) - len(run) + 1)
            if tuple(folded[i : i + len(run)]) == run
        ]
        for run in wanted
    ]


def _text_hits(wanted: Runs, words: str) -> Iterator[dict[str, Any]]:
    found: list[tuple[int, dict[str, Any]]] = []
    for item in _items():
        for document in item.get("documents", ()):
            places = _places("\n".join(document["text"]), wanted)
            if all(places):
                score = sum(map(len, places))
                found.append((score, _text_hit(item, document, wanted, words, score)))
    found.sort(key=lambda scored: -scored[0])
    yield from (hit for _, hit in found)


def _text_hit(
    item: Item, document: Mapping[str, Any], wanted: Runs, words: str, score: int
) -> dict[str, Any]:
    identifier, basename = item["identifier"], document["basename"]
    subfile = document.get("subfile", False)
    within = f"/{basename}" if subfile else ""
    fields = _index_fields(item) | {
        "filename": f"{basename}_hocr_searchtext.txt.gz",
        "file_basename": basename,
        "page_num": 0,
        "creator": _listed(item.get("creator")),
        "result_in_subfile": subfile,
        "__href__": f"/details/{identifier}{within}?q={quote(words)}",
    }
    return {
        "index": "fts_main",
        "service_backend": "fts",
        "hit_type": "text",
        "fields": fields,
        "highlight": {"text": _highlights(document["text"], wanted)[:_FRAGMENTS]},
        "_score": float(score),
    }


def _highlights(paragraphs: Iterable[str], wanted: Runs) -> list[str]:
    marked: list[str] = []
    for paragraph in paragraphs:
        places = sorted(place for run in _places(paragraph, wanted) for place in run)
        text, done = "", 0
        for start, end in places:
            if start >= done:
                text += f"{paragraph[done:start]}{{{{{{{paragraph[start:end]}}}}}}}"
                done = end
        if done:
            marked.append(text + paragraph[done:])
    return marked


def _item_hits(wanted: Runs, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    found = [item for item in _items() if not item.get("dark") and _matches(item, wanted)]
    filters = json.loads(query.get("filter_map", "{}"))
    found = [item for item in found if _passes(item, filters)]
    key, _, direction = query.get("sort", "").partition(":")
    if key == "date":
        found.sort(key=lambda item: _year(item) or 0, reverse=direction == "desc")
    elif key == "titleSorter":
        found.sort(key=lambda item: _folded(item["title"]), reverse=direction == "desc")
    names = query.get("fields", "identifier").split(",")
    for item in found:
        fields = _index_fields(item)
        yield {
            "index": "prod-h-001",
            "service_backend": "metadata",
            "hit_type": "item",
            "fields": {name: fields[name] for name in names if name in fields},
            "_score": None if key else 1.0,
        }


def _matches(item: Item, wanted: Runs) -> bool:
    text = "\n".join(value for name in _MATCHED for value in _listed(item.get(name)))
    return all(_places(text, wanted))


def _passes(item: Item, filters: Mapping[str, Mapping[str, str | list[str]]]) -> bool:
    kinds = filters.get("mediatype", {})
    if kinds and item["mediatype"] not in kinds:
        return False
    year = _year(item)
    for bound, constraints in filters.get("year", {}).items():
        if year is None:
            return False
        if "gte" in constraints and year < int(bound):
            return False
        if "lte" in constraints and year > int(bound):
            return False
    return True


def _index_fields(item: Item) -> dict[str, Any]:
    """Return an item as the index holds it: a bare year as its first of January, at midnight."""
    year, date = _year(item), str(item.get("date") or "")
    full = date if re.fullmatch(r"\d{4}-\d\d-\d\d", date) else f"{year or 0:04}-01-01"
    fields: dict[str, Any] = {
        "identifier": item["identifier"],
        "title": item["title"] + _MARK,
        "creator": item.get("creator"),
        "mediatype": item["mediatype"],
        "downloads": item["downloads"],
        "collection": item["collection"],
        "date": f"{full}T00:00:00Z",
        "year": year,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _year(item: Item) -> int | None:
    found = re.search(r"\d{4}", str(item.get("date") or ""))
    return int(found[0]) if found else None


def _listed(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(one) for one in values if one is not None]


def _metadata(identifier: str) -> dict[str, Any]:
    item = next((item for item in _items() if item["identifier"] == identifier), None)
    if item is None:
        return {}
    routing = {"created": 1, "server": "demonstration.invalid", "dir": f"/0/items/{identifier}"}
    if item.get("dark"):
        return routing | {"is_dark": True}
    described = {name: item[name] for name in _DESCRIBED if item.get(name) is not None}
    metadata = described | {
        "identifier": identifier,
        "title": f" {item['title']}{_MARK}",
        "uploader": "somebody@demonstration.invalid",
        "addeddate": "2020-01-01 00:00:00",
    }
    listing = list(_files(item))
    return routing | {"metadata": metadata, "files": listing, "files_count": len(listing)}


def _files(item: Item) -> Iterator[dict[str, str]]:
    identifier = item["identifier"]
    yield _file("__ia_thumb.jpg", "Item Tile", "original")
    yield _file(f"{identifier}_meta.xml", "Metadata", "metadata")
    yield _file(f"{identifier}_files.xml", "Metadata", "metadata")
    for document in item.get("documents", ()):
        stem = document["basename"]
        if item.get("lending"):
            yield _file(f"{stem}.pdf", "Text PDF", "derivative") | {"private": "true"}
            yield _file(f"{stem}_lcp.epub", "LCP Encrypted EPUB", "derivative")
            continue
        yield _file(f"{stem}.pdf", "Text PDF", "original")
        yield _file(f"{stem}.epub", "EPUB", "derivative")
        yield _file(f"{stem}_djvu.txt", "DjVuTXT", "derivative")
        yield _file(f"{stem}_jp2.zip", "Single Page Processed JP2 ZIP", "derivative")
        yield _file(f"{stem}_hocr_searchtext.txt.gz", "OCR Search Text", "derivative")
    if item.get("audio"):
        yield _file("Side A/01 Bells & gulls.flac", "Flac", "original") | {"title": "Bells & gulls"}
        yield _file("Side A/01 Bells & gulls.mp3", "VBR MP3", "derivative") | {
            "original": "Side A/01 Bells & gulls.flac"
        }
    if item.get("film"):
        yield _file("lighthouse.mp4", "h.264", "original")
    if item.get("images"):
        yield from (_file(f"plate {n}.jpg", "JPEG", "original") for n in range(1, 7))


def _file(name: str, kind: str, source: str) -> dict[str, str]:
    return {"name": name, "format": kind, "source": source, "size": "1000"}


@cache
def _items() -> tuple[Item, ...]:
    text = files("mcp_books.demo").joinpath("records", "internet_archive.json").read_text("utf-8")
    return tuple(json.loads(text)["items"])
