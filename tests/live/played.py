"""Stand-ins for the live suite: what the demonstration's leave out, and wires that changed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_books.demo.data_bnf import DataBnfStandIn
from mcp_books.demo.internet_archive import InternetArchiveStandIn
from mcp_books.demo.library_of_congress import LibraryOfCongressStandIn
from mcp_books.demo.standin import Request, Response, StandIn, json_response

__all__ = ["Ignoring", "Library", "TextArchive", "Works"]

_ROBOTS = "User-agent: *\nCrawl-delay: 1\nDisallow: {closed}\n"
_NUMBERED = "journalofexpedit00ford"
_TEXT = "Ведомости\nсеверного края"


def _robots(closed: str) -> Response:
    return Response(_ROBOTS.format(closed=closed).encode(), content_type="text/plain")


class TextArchive(InternetArchiveStandIn):
    """The Internet Archive with its item servers: search inside one item, and files."""

    def __init__(self, closed: str = "/control/") -> None:
        self._closed = closed

    def answer(self, request: Request) -> Response:
        if request.path == "/robots.txt":
            return _robots(self._closed)
        if request.path == "/fulltext/inside.php":
            return json_response(_inside(request.query))
        if request.path.startswith("/0/items/"):
            return _item_file(request.path)
        if request.path == f"/metadata/{_NUMBERED}":
            return json_response(_numbered_item())
        response = super().answer(request)
        if request.path == "/metadata/vedomosti-demo":
            item = json.loads(response.body)
            item["files"].append({"name": "vedomosti-demo_hocr_pageindex.json.gz", "size": "40"})
            return json_response(item)
        return response


def _numbered_item() -> dict[str, Any]:
    pages = [{"leafNum": leaf, "pageNumber": str(leaf)} for leaf in range(1, 8)]
    return {
        "server": "demonstration.invalid",
        "dir": f"/0/items/{_NUMBERED}",
        "metadata": {"identifier": _NUMBERED, "mediatype": "texts", "title": "A journal"},
        "files": [{"name": f"{_NUMBERED}_page_numbers.json", "size": "900"}],
        "page_numbers": {"format-version": "2", "pages": pages},
    }


def _inside(query: Mapping[str, str]) -> dict[str, Any]:
    if query["doc"] != _NUMBERED:
        return {"error": "No hOCR or Abbyy file present"}
    match = {"text": "the <IA_FTS_MATCH>lake</IA_FTS_MATCH>", "par": [{"page": 6}]}
    return {"ia": _NUMBERED, "q": query["q"], "indexed": True, "matches": [match]}


def _item_file(path: str) -> Response:
    packed = "application/gzip"
    if path.endswith("_page_numbers.json"):
        return json_response(_numbered_item()["page_numbers"])
    if path.endswith("_hocr_pageindex.json.gz"):
        entries = json.dumps([[0, len(_TEXT), 0, 900]]).encode()
        return Response(gzip.compress(entries), content_type=packed)
    return Response(gzip.compress(_TEXT.encode()), content_type=packed)


class Library(LibraryOfCongressStandIn):
    """The Library of Congress with its host for texts."""

    def answer(self, request: Request) -> Response:
        if request.path == "/robots.txt":
            return _robots("/search")
        if request.path.startswith("/text-services/"):
            return json_response({request.query["segment"]: {"full_text": "Call me Ishmael"}})
        if request.path.startswith("/storage-services/"):
            return json_response([{"page": 1, "text": "Call me Ishmael"}])
        response = super().answer(request)
        if request.path == "/books/":
            found = json.loads(response.body)
            for row in found["results"]:
                text = f"{request.base}/storage-services/public/gdc/1/1.text.json"
                row["resources"] = [{"files": 2, "fulltext_derivative": text}]
            return replace(response, body=json.dumps(found).encode())
        return response


class Works(DataBnfStandIn):
    """data.bnf.fr with its robots.txt."""

    def answer(self, request: Request) -> Response:
        if request.path == "/robots.txt":
            return _robots("/*cross-documents")
        return super().answer(request)


class Ignoring:
    """An archive that no longer honours some parameters: they are dropped before it answers."""

    def __init__(self, played: StandIn, *names: str) -> None:
        self.source = played.source
        self._played = played
        self._names = frozenset(names)

    def answer(self, request: Request) -> Response:
        kept = {name: value for name, value in request.query.items() if name not in self._names}
        return self._played.answer(replace(request, query=kept))
