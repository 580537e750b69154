"""Reading one record: terms, credit, what is absent, what is incomplete."""

from __future__ import annotations

import pytest

from mcp_books.errors import InvalidInput, ParseFailure, RecordNotFound
from mcp_books.sources.data_bnf import DataBnf
from mcp_books.sources.data_bnf.statements import field_iri

from .data_bnf_wire import BASE, Bindings, answer, asked, integer, literal, stated, uri

pytestmark = pytest.mark.anyio

WORK = "cb119187467"
NOTHING = (
    {"part": literal("copies"), "value": integer(0)},
    {"part": literal("editions"), "value": integer(0)},
)


def entity(field: str, value: dict[str, str], **columns: dict[str, str]) -> Bindings:
    return stated("entity", field_iri(field), value, **columns)


A_WORK = (
    *NOTHING,
    entity("rdf:type", uri(field_iri("frbr:Work"))),
    entity("dcterms:title", literal("Le  vent\nd'octobre", "fr")),
)


async def test_one_request_reads_a_record_of_any_kind() -> None:
    async with asked(answer(*A_WORK)) as wire:
        record = await wire.bnf.get_item(WORK)
    (sparql,) = wire.queries
    assert f"<http://data.bnf.fr/ark:/12148/{WORK}#about>" in sparql
    assert (record.id, record.title, record.media_type) == (
        f"bnf:{WORK}",
        "Le vent d'octobre",
        "work",
    )


async def test_terms_cover_the_whole_catalogue_and_the_credit_carries_the_date() -> None:
    async with asked(answer(*A_WORK)) as wire:
        record = await wire.bnf.get_item(WORK)
    assert record.rights.statement is not None
    assert record.rights.note is not None
    assert record.attribution.startswith("Source: Bibliothèque nationale de France, data.bnf.fr, ")
    assert record.attribution[-10:].count("-") == 2
    assert "{" not in record.attribution


@pytest.mark.proves("10.5")
async def test_what_applies_and_is_unknown_is_null_and_what_does_not_apply_is_left_out() -> None:
    async with asked(answer(*A_WORK)) as wire:
        dumped = (await wire.bnf.get_item(WORK)).dump()
    assert dumped["creator"] is None
    assert dumped["description"] is None
    assert dumped["copies_available"] == 0
    assert "identifier_provisional" not in dumped


@pytest.mark.parametrize(
    ("born", "died", "date", "year"),
    [
        ("1871-03-04", "1933-09-19", "1871-03-04", 1871),
        ("1902", None, "1902", 1902),
        ("1700/1799", "1810", "1700/1799", None),
        ("0044", None, "0044", None),
        ("19..", None, "19..", None),
        (None, "1933", None, None),
    ],
)
async def test_a_person_is_dated_by_birth_alone_and_the_death_stands_in_the_context(
    born: str | None, died: str | None, date: str | None, year: int | None
) -> None:
    facts = [entity("rdf:type", uri(field_iri("foaf:Person")))]
    if born:
        facts.append(entity("bio:birth", literal(born)))
    if died:
        facts.append(entity("bio:death", literal(died)))
    async with asked(answer(*NOTHING, *facts)) as wire:
        person = await wire.bnf.get_item(WORK)
    assert (person.date, person.year) == (date, year)
    assert person.context.get("born") == ((born,) if born else None)
    assert person.context.get("died") == ((died,) if died else None)


async def test_depictions_are_counted_and_not_listed() -> None:
    pictures = [entity("foaf:depiction", uri(f"https://gallica.bnf.fr/{n}")) for n in range(3)]
    async with asked(answer(*A_WORK, *pictures)) as wire:
        record = await wire.bnf.get_item(WORK)
    assert record.generated_entries == 3
    assert record.copies == ()


async def test_the_catalogue_address_is_the_archives_own_only_where_it_was_asked() -> None:
    async with asked(answer(*A_WORK), base="https://data.bnf.fr") as wire:
        own = await wire.bnf.get_item(WORK)
    async with asked(answer(*A_WORK), demonstration=True) as wire:
        played = await wire.bnf.get_item(WORK)
    assert own.context["catalogue"] == (f"https://catalogue.bnf.fr/ark:/12148/{WORK}",)
    assert own.source_url == f"https://data.bnf.fr/ark:/12148/{WORK}"
    assert "bnf.fr" not in str(played.context)
    assert played.source_url == f"{BASE}/ark:/12148/{WORK}"
    assert "{" not in played.attribution


async def test_nothing_stated_is_not_found_and_points_at_the_catalogue() -> None:
    async with asked(answer(*NOTHING), base="https://data.bnf.fr") as wire:
        with pytest.raises(RecordNotFound) as caught:
            await wire.bnf.get_item(WORK)
    assert WORK in (caught.value.hint or "")
    assert caught.value.source == "bnf" or caught.value.source is None


@pytest.mark.parametrize(
    "incomplete",
    [
        answer(*A_WORK, X_SPARQL_MaxRows="10"),
        answer(*A_WORK, {"part": literal("entity"), "value": {"type": "uri"}}),
    ],
)
async def test_an_incomplete_record_is_no_record(incomplete: object) -> None:
    async with asked(incomplete) as wire:  # type: ignore[arg-type]  # a reply; parametrize hides it
        with pytest.raises(ParseFailure) as caught:
            await wire.bnf.get_item(WORK)
    assert "data.bnf.fr" in caught.value.message
    assert caught.value.hint


@pytest.mark.proves("9.3")
@pytest.mark.parametrize("reference", ["cb119187468", "nonsense", "bpt6k5619759j", ""])
async def test_what_is_no_identifier_is_refused_before_anything_is_sent(reference: str) -> None:
    async with asked() as wire:
        with pytest.raises(InvalidInput):
            await wire.bnf.get_item(reference)
    assert wire.requests == []


async def test_an_address_nobody_can_read_is_passed_on_as_it_stands() -> None:
    odd = entity("owl:sameAs", uri("http://[bad"))
    async with asked(answer(*A_WORK, odd)) as wire:
        record = await wire.bnf.get_item(WORK)
    assert record.context["same as"] == ("http://[bad",)


def test_the_profile_is_within_its_budgets() -> None:
    profile = DataBnf.profile
    assert max(len(profile.row_describes), len(profile.year_means)) <= 80
    assert all(len(reason) <= 90 for reason in profile.cannot_filter.values())
    assert set(profile.cannot_filter) == {"year_range", "sort"}
    assert "search_inside" in profile.cannot
    assert (profile.media_types, profile.default_media_type) == (("work",), "work")
