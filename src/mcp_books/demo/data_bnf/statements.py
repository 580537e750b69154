"""Statements as a store holds them, and a builder that writes records in the catalogue's shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mcp_books.sources.data_bnf.ark import about, check_character, iri
from mcp_books.sources.data_bnf.statements import field_iri

__all__ = ["Statement", "Store", "Term", "cb", "digitised", "link", "number", "text"]


class Term(NamedTuple):
    """The object of a statement: an IRI, a text with or without language, or a whole number."""

    value: str
    type: str
    language: str = ""


class Statement(NamedTuple):
    """One triple; `field` is a whole IRI."""

    subject: str
    field: str
    value: Term


Values = Mapping[str, Sequence[Term]]


def text(value: str, language: str = "") -> Term:
    return Term(value, "literal", language)


def link(address: str) -> Term:
    return Term(address, "uri")


def number(value: int) -> Term:
    return Term(str(value), "typed-literal")


def cb(serial: int) -> str:
    """Return the ARK name of an invented record, in a range the BnF has not reached."""
    name = f"cb{serial:08d}"
    return name + check_character(name)


def digitised(serial: int) -> str:
    """Return the ARK name of an invented reproduction."""
    name = f"bpt6k9{serial:06d}"
    return name + check_character(name)


@dataclass
class Store:
    """The statements of one catalogue; `base` stands before every address they publish."""

    base: str
    statements: list[Statement] = field(default_factory=list)

    def add(self, subject: str, values: Values) -> None:
        self.statements += [
            Statement(subject, field_iri(name), value)
            for name, several in values.items()
            for value in several
        ]

    def heading(self, reference: str, label: str, also: Sequence[str] = ()) -> None:
        self.add(
            iri(reference),
            {
                "rdf:type": [link(field_iri("skos:Concept"))],
                "skos:prefLabel": [text(label, "fr")],
                "skos:altLabel": [text(other, "fr") for other in also],
                "dcterms:created": [text("2025-01-02")],
                "dcterms:modified": [text("2026-03-04")],
                "rdfs:seeAlso": [link(f"{self.base}/catalogue/ark:/12148/{reference}")],
                "foaf:focus": [link(about(reference))],
            },
        )

    def agent(self, reference: str, name: str, kind: str, values: Values) -> str:
        self.add(
            about(reference),
            {"rdf:type": [link(field_iri(kind))], "foaf:name": [text(name)], **values},
        )
        self.heading(reference, name)
        return reference

    def work(
        self,
        reference: str,
        titles: Sequence[str],
        creators: Sequence[str] = (),
        date: str | None = None,
        values: Values | None = None,
    ) -> str:
        provisional = reference.startswith("temp-work/")
        self.add(
            about(reference),
            {
                "rdf:type": [link(field_iri("frbr:Work"))],
                "dcterms:title": [text(title, "fr") for title in titles],
                "rdfs:label": [text(titles[0])],
                "dcterms:creator": [link(about(creator)) for creator in creators],
                "dcterms:date": [text(date)] if date else [],
                "rdae:statusOfIdentification": [
                    text("provisional" if provisional else "fully established", "en")
                ],
                **(values or {}),
            },
        )
        if not provisional:
            self.heading(reference, titles[0])
        return reference

    def edition(
        self,
        reference: str,
        works: Sequence[str],
        title: str,
        date: str,
        copies: Sequence[str] = (),
        values: Values | None = None,
    ) -> str:
        pages = [f"{self.base}/gallica/ark:/12148/{name}" for name in copies]
        self.add(
            about(reference),
            {
                "rdf:type": [link(field_iri("frbr:Manifestation"))],
                "dcterms:title": [text(title)],
                "dcterms:date": [text(date)],
                "rdarel:workManifested": [link(about(work)) for work in works],
                "rdarel:expressionManifested": [link(f"{iri(reference)}#Expression")],
                "rdarel:electronicReproduction": [link(page) for page in pages],
                "bnf-onto:OCR": [link(f"{page}.texteBrut") for page in pages[:1]],
                "rdfs:seeAlso": [link(f"{self.base}/catalogue/ark:/12148/{reference}")],
                **(values or {}),
            },
        )
        return reference

    def expression(self, edition: str, authors: Sequence[str], others: Sequence[str] = ()) -> None:
        self.add(
            f"{iri(edition)}#Expression",
            {
                "rdf:type": [link(field_iri("frbr:Expression"))],
                "dcterms:language": [link("http://id.loc.gov/vocabulary/iso639-2/fre")],
                "marcrel:aut": [link(about(author)) for author in authors],
                "dcterms:contributor": [link(about(one)) for one in (*authors, *others)],
            },
        )
