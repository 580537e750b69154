"""Writes records in the catalogue's shape, as Turtle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import md5

from mcp_books.sources.data_bnf.ark import check_character

__all__ = ["Catalogue", "cb", "digitised", "temporary"]

STORE = "http://data.bnf.fr/"
PREFIXES = {
    "bio": "http://vocab.org/bio/0.1/",
    "bnf-onto": "http://data.bnf.fr/ontology/bnf-onto/",
    "bnfroles": "http://data.bnf.fr/vocabulary/roles/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "frbr": "http://rdvocab.info/uri/schema/FRBRentitiesRDA/",
    "marcrel": "http://id.loc.gov/vocabulary/relators/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdae": "http://rdvocab.info/Elements/",
    "rdag2": "http://rdvocab.info/ElementsGr2/",
    "rdarel": "http://rdvocab.info/RDARelationshipsWEMI/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}

Values = Mapping[str, str | Sequence[str]]
"""Prefixed name to one or several values, each already written as Turtle."""


def cb(number: int) -> str:
    """Return the ARK name of an invented record; the BnF has minted none that starts with cb9."""
    name = f"cb{number:08d}"
    return name + check_character(name)


def digitised(number: int) -> str:
    """Return the address of an invented reproduction."""
    name = f"bpt6k9{number:06d}"
    return f"https://gallica.bnf.fr/ark:/12148/{name}{check_character(name)}"


def temporary(key: str) -> str:
    """Return the reference of an invented provisional work."""
    return f"temp-work/{md5(key.encode(), usedforsecurity=False).hexdigest()}"


def text(value: str, language: str = "") -> str:
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        value = value.replace(plain, escaped)
    return f'"{value}"' + (f"@{language}" if language else "")


def iri(value: str) -> str:
    return f"<{value}>"


def about(reference: str) -> str:
    below = f"{reference}/" if reference.startswith("temp-work/") else f"ark:/12148/{reference}"
    return iri(f"{STORE}{below}#about")


@dataclass
class Catalogue:
    """Records as they are added; each method returns the reference of what it added."""

    blocks: list[str] = field(default_factory=list)

    def turtle(self) -> str:
        prefixes = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
        return prefixes + "".join(self.blocks)

    def add(self, subject: str, values: Values) -> None:
        pairs = [
            f"  {name} {value}"
            for name, several in values.items()
            for value in ([several] if isinstance(several, str) else several)
        ]
        self.blocks.append(f"{subject}\n" + " ;\n".join(pairs) + " .\n")

    def heading(self, reference: str, label: str, **more: str) -> str:
        self.add(
            iri(f"{STORE}ark:/12148/{reference}"),
            {
                "a": "skos:Concept",
                "bnf-onto:FRBNF": reference[2:10],
                "foaf:focus": about(reference),
                "skos:prefLabel": text(label, "fr"),
                "dcterms:created": text("1990-01-02"),
                "dcterms:modified": text("2021-03-04"),
                "rdfs:seeAlso": iri(f"https://catalogue.bnf.fr/ark:/12148/{reference}"),
                **{name.replace("_", ":"): value for name, value in more.items()},
            },
        )
        return reference

    def agent(
        self, number: int, name: str, kind: str = "Person", more: Values | None = None
    ) -> str:
        reference = cb(number)
        self.add(about(reference), {"a": f"foaf:{kind}", "foaf:name": text(name), **(more or {})})
        return self.heading(reference, name)

    def work(
        self,
        reference: str,
        titles: Sequence[str],
        creators: Iterable[str] = (),
        *,
        dates: Sequence[str] = (),
        language: str = "fr",
        label: bool = True,
        more: Values | None = None,
    ) -> str:
        provisional = reference.startswith("temp-work/")
        values: dict[str, str | Sequence[str]] = {
            "a": "frbr:Work",
            "dcterms:title": [text(title, language) for title in titles],
            "dcterms:creator": [about(creator) for creator in creators],
            "dcterms:date": [text(date) for date in dates],
            "rdae:statusOfIdentification": text(
                "provisional" if provisional else "fully established", "en"
            ),
            **(more or {}),
        }
        if label:
            values["rdfs:label"] = text(titles[0])
        self.add(about(reference), values)
        return reference

    def edition(
        self, number: int, works: Iterable[str], title: str, more: Values | None = None
    ) -> str:
        reference = cb(number)
        self.add(
            about(reference),
            {
                "a": "frbr:Manifestation",
                "dcterms:title": text(title),
                "rdarel:workManifested": [about(work) for work in works],
                **(more or {}),
            },
        )
        return reference
