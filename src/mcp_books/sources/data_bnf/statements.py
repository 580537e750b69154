"""What the store states of one record, one statement a row, sorted into parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mcp_books.errors import ParseFailure
from mcp_books.sources._sparql import Answer, Row, Term
from mcp_books.sources._values import number, texts

from .queries import VOCABULARIES

__all__ = ["Statement", "Statements", "field_iri"]

_COUNTS = ("editions", "copies")


class Statement(NamedTuple):
    """One value of one field; `about` is what it is said of where that is not the record."""

    part: str
    about: str
    value: Term
    field: str
    names: tuple[str, ...]
    dates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statements:
    """All statements of one record; false where there is none."""

    stated: tuple[Statement, ...]
    counts: dict[str, int]

    @classmethod
    def of(cls, answer: Answer) -> Statements:
        """Read the rows of a record query, in an order that no answer changes.

        Several names or dates of one value are one statement.

        Raises:
            ParseFailure: the answer was cut, or a row of it cannot be read.
        """
        if answer.cut or answer.unreadable:
            raise ParseFailure(
                f"{answer.archive} sent the record incomplete",
                hint="Ask again later, or open its page.",
            )
        grouped: dict[tuple[str, str, Term, str], tuple[set[str], set[str]]] = {}
        counts: dict[str, int] = {}
        for row in answer.rows:
            part = _text(row, "part")
            if part in _COUNTS:
                counts[part] = number(_text(row, "value")) or 0
            elif "value" in row:
                key = (part, _text(row, "about"), row["value"], _text(row, "field"))
                names, dates = grouped.setdefault(key, (set(), set()))
                names.update(texts(_text(row, "name")))
                dates.update(texts(_text(row, "date")))
        return cls(
            tuple(
                Statement(part, about, value, field, tuple(sorted(names)), tuple(sorted(dates)))
                for (part, about, value, field), (names, dates) in sorted(
                    grouped.items(), key=lambda item: item[0]
                )
            ),
            counts,
        )

    def __bool__(self) -> bool:
        return bool(self.stated)

    def of_part(self, part: str, *fields: str) -> Iterator[Statement]:
        """Yield the statements of `part`, of all `fields` (`foaf:name`) where none is named."""
        wanted = {field_iri(field) for field in fields}
        return (
            one for one in self.stated if one.part == part and (not wanted or one.field in wanted)
        )

    def texts(self, part: str, *fields: str) -> tuple[str, ...]:
        """Return the literal values of `fields`, spaces folded, without repeats."""
        return _distinct(
            text
            for one in self.of_part(part, *fields)
            if not one.value.is_iri
            for text in texts(one.value.value)
        )

    def names(self, part: str, *fields: str) -> tuple[str, ...]:
        """Return the names of what `fields` point at, in the order of spelling."""
        return tuple(sorted({min(one.names) for one in self.of_part(part, *fields) if one.names}))


def field_iri(field: str) -> str:
    """Return the IRI of a prefixed name (`dcterms:title`)."""
    prefix, _, name = field.partition(":")
    return VOCABULARIES[prefix] + name


def _text(row: Row, column: str) -> str:
    return row[column].value if column in row else ""


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
