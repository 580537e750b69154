"""One record as what it is: a work, an edition, a person, an organisation, or a heading alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from urllib.parse import urlsplit

from mcp_books.models import DigitalCopy
from mcp_books.sources._values import texts

from .ark import HOST, reference_of
from .queries import COPIES
from .statements import Statement, Statements, field_iri
from .works import in_order, plain_year

__all__ = ["fields"]

Identify = Callable[[str], str]
"""A reference to its identifier across archives."""

_MEDIA_TYPES = {
    "frbr:Work": "work",
    "rdac:C10001": "work",
    "frbr:Manifestation": "edition",
    "foaf:Person": "person",
    "foaf:Organization": "organisation",
}
_HEADING = "heading"

_TITLES = ("dcterms:title", "foaf:name", "rdfs:label", "skos:prefLabel")
_AUTHORS = ("marcrel:aut", "bnfroles:r70")
_DESCRIPTIONS = (
    "dcterms:abstract",
    "rdag2:biographicalInformation",
    "rdag2:corporateHistory",
    "skos:note",
    "skos:scopeNote",
)
_NOTES = ("rdae:note", "rdam:P60470")
_REPRODUCTIONS = ("rdarel:electronicReproduction", "rdam:P30016")
_OCR = "bnf-onto:OCR"
_DEWEY = "http://dewey.info/class/"
_BEGINNING = ("bio:birth", "rdag2:dateOfEstablishment")

_CONTEXT: Mapping[str, tuple[str, ...]] = {
    "languages": ("dcterms:language", "rdag2:languageOfThePerson"),
    "forms": ("rdae:formOfWork", "rdaw:P10004"),
    "status": ("rdae:statusOfIdentification",),
    "gender": ("foaf:gender",),
    "born": ("bio:birth",),
    "place of birth": ("rdag2:placeOfBirth",),
    "died": ("bio:death",),
    "place of death": ("rdag2:placeOfDeath",),
    "established": ("rdag2:dateOfEstablishment",),
    "ended": ("rdag2:dateOfTermination",),
    "countries": ("rdag2:countryAssociatedWithThePerson",),
    "fields of activity": ("rdag2:fieldOfActivityOfThePerson",),
    "imprint": ("dcterms:publisher",),
    "publishers": ("rdae:publishersName", "rdam:P30176"),
    "places of publication": ("rdae:placeOfPublication", "rdam:P30279"),
    "edition statement": ("rdae:editionStatement", "rdam:P30133"),
    "isbn": ("bnf-onto:isbn",),
    "ean": ("bnf-onto:ean",),
    "issn": ("bibo:issn",),
}
"""What is said of the thing described, or of the text an edition carries."""

_OF_THE_RECORD: Mapping[str, str] = {
    "isni": "isni:identifierValid",
    "record created": "dcterms:created",
    "record modified": "dcterms:modified",
}

_DESCRIPTION_MEANS = {
    "work": "note of the authority record",
    "person": "biographical note",
    "organisation": "historical note",
    _HEADING: "note of the authority record",
}


def fields(
    stated: Statements, reference: str, identify: Identify, catalogue: str | None
) -> dict[str, object]:
    """Return the fields of the record that depend on what it describes.

    `catalogue` is its address in the general catalogue, for where the record gives none.
    """
    media_type = _media_type(stated)
    titles = _titles(stated)
    context = dict(_context(stated, media_type, titles[1:], identify))
    if catalogue := _catalogue(stated, reference) or catalogue:
        context["catalogue"] = (catalogue,)
    found: dict[str, object] = {
        "title": next(iter(titles), None),
        "creator": "; ".join(_creators(stated)) or None,
        "media_type": media_type,
        "generated_entries": len(list(stated.of_part("entity", "foaf:depiction"))),
        "context": context,
        **_dated(stated, media_type),
    }
    if media_type != "edition":
        found["description"] = "\n".join(_descriptions(stated)) or None
        found["description_means"] = _DESCRIPTION_MEANS[media_type]
    if media_type in ("work", "edition"):
        copies, available = _copies(stated), stated.counts.get("copies", 0)
        found["subjects"] = _subjects(stated)
        found["notes"] = stated.texts("entity", *_NOTES)
        found["copies"] = copies
        found["copies_available"] = available if available > COPIES else len(copies)
    return found


def _media_type(stated: Statements) -> str:
    types = {one.value.value for one in stated.of_part("entity", "rdf:type")}
    return next((word for kind, word in _MEDIA_TYPES.items() if field_iri(kind) in types), _HEADING)


def _titles(stated: Statements) -> tuple[str, ...]:
    for part in ("entity", "heading"):
        for field in _TITLES:
            if titles := stated.texts(part, field):
                return tuple(in_order(titles, stated.texts(part, "rdfs:label")))
    return ()


def _creators(stated: Statements) -> tuple[str, ...]:
    return stated.names("entity", "dcterms:creator") or stated.names("expression", *_AUTHORS)


def _descriptions(stated: Statements) -> tuple[str, ...]:
    own = stated.texts("entity", "dcterms:description", *_DESCRIPTIONS)
    return tuple(dict.fromkeys((*own, *stated.texts("heading", *_DESCRIPTIONS))))


def _dated(stated: Statements, media_type: str) -> dict[str, object]:
    if media_type in ("person", "organisation"):
        begun = tuple(dict.fromkeys(_values(stated.of_part("entity", *_BEGINNING))))
        return {
            "date": "; ".join(begun) or None,
            "year": plain_year(begun),
            "year_means": f"year of {'birth' if media_type == 'person' else 'foundation'}",
        }
    dates = stated.texts("entity", "dcterms:date")
    return {
        "date": "; ".join(sorted(dates)) or None,
        "year": plain_year(dates),
        "year_means": f"date of the {media_type}, where it is a plain year",
    }


def _subjects(stated: Statements) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            (
                *stated.texts("entity", "bnf-onto:subject"),
                *stated.names("entity", "dcterms:subject"),
                *stated.names("expression", "dcterms:subject"),
            )
        )
    )


def _copies(stated: Statements) -> tuple[DigitalCopy, ...]:
    found: dict[str, DigitalCopy] = {}
    own_title = next(iter(_titles(stated)), None)
    own_dates = stated.texts("entity", "dcterms:date")
    for one in chain(stated.of_part("copy"), stated.of_part("entity", *_REPRODUCTIONS, _OCR)):
        url = _secure(one.value.value)
        title = min(one.names, default=None) or own_title or "digitised copy"
        dates = one.dates or (own_dates if one.part == "entity" else ())
        is_text = one.field == field_iri(_OCR)
        found.setdefault(
            url,
            DigitalCopy(
                label=f"{title} ({'; '.join(dates)})" if dates else title,
                format="machine-read text" if is_text else "digitised pages",
                url=url,
            ),
        )
    return tuple(found.values())


def _context(
    stated: Statements, media_type: str, other_titles: tuple[str, ...], identify: Identify
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what else the record states, by label; what it does not state is left out."""
    others = dict.fromkeys((*other_titles, *stated.texts("heading", "skos:altLabel")))
    gathered: dict[str, Iterable[str]] = {
        "other titles" if media_type in ("work", "edition") else "other names": others,
        "creator records": _linked(stated.of_part("entity", "dcterms:creator"), identify),
        "works": _linked_works(stated, identify),
        "contributors": stated.names("expression", "dcterms:contributor"),
        **{label: _either(stated, names) for label, names in _CONTEXT.items()},
        **{label: stated.texts("heading", name) for label, name in _OF_THE_RECORD.items()},
        "classes": _classes(stated),
        "same as": _same_as(stated),
    }
    if media_type == "edition":
        gathered["extent"] = stated.texts("entity", "dcterms:description")
    if editions := stated.counts.get("editions"):
        gathered["editions"] = (str(editions),)
    for label, found in gathered.items():
        if values := tuple(dict.fromkeys(found)):
            yield label, values


def _either(stated: Statements, names: tuple[str, ...]) -> Iterator[str]:
    yield from _values(stated.of_part("entity", *names))
    yield from _values(stated.of_part("expression", *names))


def _values(statements: Iterable[Statement]) -> Iterator[str]:
    """Yield literals as they are, and what is pointed at by its name, else its IRI's end."""
    for one in statements:
        if one.value.is_iri:
            yield min(one.names, default=one.value.value.rstrip("/").rpartition("/")[2])
        else:
            yield from texts(one.value.value)


def _classes(stated: Statements) -> Iterator[str]:
    unnamed = (one for one in stated.of_part("entity", "dcterms:subject") if not one.names)
    return _values(one for one in unnamed if one.value.value.startswith(_DEWEY))


def _linked(statements: Iterable[Statement], identify: Identify) -> Iterator[str]:
    for one in statements:
        reference = reference_of(one.value.value)
        if one.names and reference:
            yield f"{min(one.names)}: {identify(reference)}"


def _linked_works(stated: Statements, identify: Identify) -> Iterator[str]:
    titles: dict[str, list[str]] = {}
    labels: set[str] = set()
    for one in stated.of_part("work"):
        labels.update(one.names)
        if reference := reference_of(one.about):
            titles.setdefault(reference, []).append(one.value.value)
    for reference, each in titles.items():
        yield f"{in_order(each, labels)[0]}: {identify(reference)}"


def _same_as(stated: Statements) -> Iterator[str]:
    for one in chain(
        stated.of_part("entity", "owl:sameAs"),
        stated.of_part("heading", "owl:sameAs", "skos:exactMatch"),
    ):
        if _host(one.value.value) != HOST:
            yield one.value.value


def _catalogue(stated: Statements, reference: str) -> str | None:
    see_also = chain(
        stated.of_part("heading", "rdfs:seeAlso"), stated.of_part("entity", "rdfs:seeAlso")
    )
    addresses = (_secure(one.value.value) for one in see_also)
    return next((found for found in addresses if found.endswith(f"/ark:/12148/{reference}")), None)


def _secure(address: str) -> str:
    """Return an address on the BnF's own sites over https, as they are served; others as given."""
    if address.startswith("http://") and _host(address).endswith(".bnf.fr"):
        return "https" + address.removeprefix("http")
    return address


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
