"""Answers the adapter's own two queries from statements, as Virtuoso answers them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from mcp_books.demo.standin import Request, Response
from mcp_books.sources._sparql import words
from mcp_books.sources.data_bnf.queries import COPIES, WINDOW
from mcp_books.sources.data_bnf.statements import field_iri

from .records import records
from .statements import Statement, Term, number, text

__all__ = ["DataBnfStandIn"]

_EDITOR = b"<!DOCTYPE html><title>Demonstration</title><p>A query editor for people.</p>\n"
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_RESULTS = "application/sparql-results+json"
_COLUMNS = re.compile(r"SELECT ((?:\?\w+ )+)WHERE")
_SEARCH = re.compile(
    r'\?work (\w+:\w+) \?text \. \?text bif:contains "((?:[^"\\]|\\.)*)"'
    r".*?ORDER BY \?work LIMIT (\d+) OFFSET (\d+)",
    re.DOTALL,
)
_RECORD = re.compile(r"<(http://data\.bnf\.fr/[^<>#]+)#about> \?field \?value")
_ITEMS = re.compile(r"'((?:[^']|'')*)'(?: AND '((?:[^']|'')*)')*")
_ITEM = re.compile(r"'((?:[^']|'')*)'")
_COPIES = tuple(map(field_iri, ("rdarel:electronicReproduction", "rdam:P30016", "bnf-onto:OCR")))
_NAMES = (field_iri("foaf:name"), field_iri("skos:prefLabel"))
_MANIFESTED = field_iri("rdarel:workManifested")
_EXPRESSED = field_iri("rdarel:expressionManifested")
_TITLE, _LABEL = field_iri("dcterms:title"), field_iri("rdfs:label")
_DATE = field_iri("dcterms:date")
_TYPE, _WORK = field_iri("rdf:type"), field_iri("frbr:Work")
_NOT_LISTED = field_iri("rdaw:P10078")

Row = dict[str, Term]


class DataBnfStandIn:
    """Plays the SPARQL endpoint of data.bnf.fr with invented records."""

    source = "bnf"

    def answer(self, request: Request) -> Response:
        query = request.form.get("query") or request.query.get("query")
        if request.path.rstrip("/") != "/sparql":
            return Response(_EDITOR, 404, "text/html")
        if request.path.endswith("/") or query is None:
            return Response(_EDITOR, content_type="text/html")
        try:
            rows = _Facts.of(request.base).select(query)
        except _Refused as refused:
            body = f"Virtuoso {refused}\n\nSPARQL query:\n{query}\n"
            return Response(body.encode(), refused.status, "text/plain; charset=UTF-8")
        return _results(query, rows)


class _Refused(Exception):
    """The engine does not take the query; the text is its line without the leading name."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


class _Facts:
    """The records by subject, and the two queries over them."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._by_subject: dict[str, list[Statement]] = {}
        for statement in statements:
            self._by_subject.setdefault(statement.subject, []).append(statement)

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, base: str) -> _Facts:
        return cls(records(base))

    def select(self, query: str) -> list[Row]:
        if found := _SEARCH.search(query):
            matched, argument, limit, offset = found.groups()
            return self._search(field_iri(matched), argument, int(limit), int(offset))
        if found := _RECORD.search(query):
            return list(self._record(found[1]))
        raise _Refused(400, "37000 Error SP030: SPARQL compiler, line 0: syntax error")

    def _search(self, matched: str, argument: str, limit: int, offset: int) -> list[Row]:
        items = _items(argument)
        window = [
            subject
            for subject in self._by_subject
            if any(_carries(term.value, items) for term in self._values(subject, matched))
        ][:WINDOW]
        works = sorted(subject for subject in window if _WORK in self._texts(subject, _TYPE))
        rows = [{"matches": number(len(window)), "works": number(len(works))}]
        for work in works[offset : offset + limit]:
            rows += self._columns(work)
        return rows

    def _columns(self, work: str) -> Iterator[Row]:
        """Yield one row for each combination of the values of a work's columns."""
        creators: list[Row] = [
            {"creator": creator, **name}
            for creator in self._values(work, field_iri("dcterms:creator"))
            for name in self._optional(creator.value, "name", _NAMES[0])
        ]
        for combined in product(
            self._optional(work, "title", _TITLE),
            self._optional(work, "label", _LABEL),
            self._optional(work, "date", _DATE),
            creators or [{}],
        ):
            yield {"work": Term(work, "uri")} | {
                name: term for part in combined for name, term in part.items()
            }

    def _record(self, iri: str) -> Iterator[Row]:
        about = f"{iri}#about"
        editions = sorted(
            subject for subject in self._by_subject if about in self._texts(subject, _MANIFESTED)
        )
        copies = [
            (edition, one)
            for edition in editions
            for one in sorted(self._by_subject[edition], key=lambda one: (one.value, one.field))
            if one.field in _COPIES
        ]
        yield {"part": text("copies"), "value": number(len({one.value for _, one in copies}))}
        for edition, one in copies[:COPIES]:
            for name, date in product(
                self._optional(edition, "name", _TITLE), self._optional(edition, "date", _DATE)
            ):
                yield {**_row("copy", one, edition), **name, **date}
        yield {"part": text("editions"), "value": number(len(editions))}
        yield from self._part("entity", about)
        for expression in self._values(about, _EXPRESSED):
            yield from self._part("expression", expression.value, shown=True)
        for one in self._by_subject.get(iri, ()):
            yield _row("heading", one)
        for work in self._values(about, _MANIFESTED):
            for title, name in product(
                self._values(work.value, _TITLE), self._optional(work.value, "name", _LABEL)
            ):
                yield {"part": text("work"), "about": work, "value": title, **name}

    def _part(self, part: str, subject: str, *, shown: bool = False) -> Iterator[Row]:
        for one in self._by_subject.get(subject, ()):
            if one.field != _NOT_LISTED:
                for name in self._optional(one.value.value, "name", *_NAMES):
                    yield {**_row(part, one, subject if shown else None), **name}

    def _values(self, subject: str, *fields: str) -> list[Term]:
        return [one.value for one in self._by_subject.get(subject, ()) if one.field in fields]

    def _texts(self, subject: str, *fields: str) -> set[str]:
        return {term.value for term in self._values(subject, *fields)}

    def _optional(self, subject: str, column: str, *fields: str) -> list[Row]:
        return [{column: term} for term in self._values(subject, *fields)] or [{}]


def _row(part: str, one: Statement, about: str | None = None) -> Row:
    row = {"part": text(part), "field": Term(one.field, "uri"), "value": one.value}
    return row if about is None else {**row, "about": Term(about, "uri")}


def _items(argument: str) -> list[tuple[str, ...]]:
    if not _ITEMS.fullmatch(argument):
        raise _Refused(500, "37000 Error XM029: Free-text expression, line 1: syntax error")
    items = [_folded(item.replace("''", "'")) for item in _ITEM.findall(argument)]
    if not all(items):
        raise _Refused(
            500,
            "37000 Error XM028: Free-text expression, line 1: "
            "phrase consists of noise words exclusively",
        )
    return items


def _folded(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in words(text))


def _carries(title: str, items: Sequence[tuple[str, ...]]) -> bool:
    """Tell whether `title` holds every item, the words of one item side by side."""
    held = _folded(title)
    return all(
        any(held[i : i + len(item)] == item for i in range(len(held) - len(item) + 1))
        for item in items
    )


def _results(query: str, rows: Iterable[Row]) -> Response:
    columns = _COLUMNS.search(query)
    names = [name.removeprefix("?") for name in columns[1].split()] if columns else []
    value = {
        "head": {"link": [], "vars": names},
        "results": {
            "distinct": False,
            "ordered": True,
            "bindings": [{name: _json(term) for name, term in row.items()} for row in rows],
        },
    }
    return Response(b"\n" + json.dumps(value).encode(), content_type=_RESULTS)


def _json(term: Term) -> dict[str, str]:
    if term.type == "typed-literal":
        return {"type": term.type, "datatype": _INTEGER, "value": term.value}
    if term.language:
        return {"type": term.type, "xml:lang": term.language, "value": term.value}
    return {"type": term.type, "value": term.value}
