"""Reading records on the engine: each kind as what it is."""

from __future__ import annotations

import pytest

from mcp_books.errors import RecordNotFound
from mcp_books.sources.data_bnf import DataBnf

from . import records
from .turtle import cb, digitised

pytestmark = pytest.mark.anyio


async def test_a_work_comes_with_everything_stated_of_it(bnf: DataBnf) -> None:
    work = await bnf.get_item(records.POEMS)
    assert work.media_type == "work"
    assert work.title == "Le vent de novembre"
    assert work.creator == "Hélène Vauquelin; Jean-Luc d'Aubrac"
    assert (work.year, work.date) == (1902, "1902")
    assert work.subjects == ("Littératures", "Vents dans la littérature")
    assert work.generated_entries == 1
    assert work.context == {
        "other titles": ("Vent de novembre. Poèmes", "November wind"),
        "creator records": (
            f"Hélène Vauquelin: bnf:{records.POET}",
            f"Jean-Luc d'Aubrac: bnf:{records.TRANSLATOR}",
        ),
        "languages": ("eng", "fre"),
        "forms": ("poesi", "te"),
        "status": ("fully established",),
        "record created": ("1990-01-02",),
        "record modified": ("2021-03-04",),
        "classes": ("841",),
        "editions": ("3",),
        "catalogue": (f"https://catalogue.bnf.fr/ark:/12148/{records.POEMS}",),
    }


async def test_the_copies_of_a_work_are_those_of_its_editions_over_https(bnf: DataBnf) -> None:
    work = await bnf.get_item(records.POEMS)
    assert [(copy.url, copy.format) for copy in work.copies] == [
        (digitised(11), "digitised pages"),
        (digitised(12), "digitised pages"),
        (digitised(13), "digitised pages"),
        (digitised(13) + ".texteBrut", "machine-read text"),
    ]
    assert work.copies[0].label == "Le vent de novembre (1902)"
    assert work.copies_available == 4


async def test_copies_past_those_read_are_counted(bnf: DataBnf) -> None:
    work = await bnf.get_item(records.MANY_COPIES)
    assert (len(work.copies), work.copies_available) == (200, 220)


async def test_a_computed_work_is_provisional_and_has_no_catalogue_page(bnf: DataBnf) -> None:
    work = await bnf.get_item(records.READING)
    assert work.identifier_provisional is True
    assert work.identifier == records.READING
    assert "catalogue" not in work.context
    assert work.context["status"] == ("provisional",)


async def test_a_person_is_read_as_a_person(bnf: DataBnf) -> None:
    person = await bnf.get_item(records.POET)
    assert (person.media_type, person.title, person.creator) == ("person", "Hélène Vauquelin", None)
    assert (person.date, person.year) == ("1871-03-04", 1871)
    assert person.context["died"] == ("1933-09-19",)
    assert person.description == "Poète. - Membre d'une société savante"
    assert person.context["languages"] == ("fre", "oci")
    assert person.context["fields of activity"] == ("Littératures", "800")
    assert person.context["same as"] == ("http://viaf.org/viaf/900000101",)
    assert person.generated_entries == 2
    assert "copies" not in person.model_fields_set


async def test_a_namesake_that_carries_a_name_alone_is_its_own_record(bnf: DataBnf) -> None:
    person = await bnf.get_item(records.NAMESAKE)
    assert (person.media_type, person.title) == ("person", "Hélène Vauquelin")
    assert (person.date, person.year, person.description) == (None, None, None)


async def test_a_living_person_is_dated_by_birth(bnf: DataBnf) -> None:
    person = await bnf.get_item(records.TRANSLATOR)
    assert (person.date, person.year) == ("1965", 1965)
    assert "died" not in person.context


async def test_an_organisation_is_read_as_one(bnf: DataBnf) -> None:
    society = await bnf.get_item(records.SOCIETY)
    assert society.media_type == "organisation"
    assert (society.date, society.year) == ("1934", 1934)
    assert society.context["ended"] == ("1951",)
    assert society.description == "Fondée par ses lecteurs"


async def test_an_edition_carries_its_work_its_contributors_and_its_own_copies(
    bnf: DataBnf,
) -> None:
    edition = await bnf.get_item(records.FIRST_EDITION)
    assert (edition.media_type, edition.title) == ("edition", "Le vent de novembre")
    assert edition.creator == "Hélène Vauquelin"
    assert edition.notes == ("Tiré à 300 exemplaires",)
    assert [copy.url for copy in edition.copies] == [digitised(11), digitised(12)]
    assert edition.context == {
        "works": (f"Le vent de novembre: bnf:{records.POEMS}",),
        "contributors": ("Hélène Vauquelin", "Jean-Luc d'Aubrac"),
        "languages": ("fre",),
        "imprint": ("Poitiers : Vve Delarue , 1902",),
        "extent": ("1 vol. (94 p.)",),
        "catalogue": (f"https://catalogue.bnf.fr/ark:/12148/{records.FIRST_EDITION}",),
    }


async def test_an_edition_of_two_works_names_both_and_keeps_its_date_as_printed(
    bnf: DataBnf,
) -> None:
    edition = await bnf.get_item(records.SECOND_EDITION)
    assert (edition.date, edition.year) == ("cop. 1978", None)
    assert edition.context["isbn"] == ("2-87042-000-1",)
    assert edition.context["works"] == (
        f"Le vent de novembre: bnf:{records.POEMS}",
        f"L'été à Charleville-Mézières: bnf:{records.SUMMER}",
    )


async def test_a_heading_that_describes_nothing_else_is_read_as_a_heading(bnf: DataBnf) -> None:
    heading = await bnf.get_item(records.WINDS)
    assert (heading.media_type, heading.title) == ("heading", "Vents dans la littérature")
    assert heading.description == "Voir aussi : Tempêtes"


async def test_a_periodical_keeps_its_note_and_its_imprint(bnf: DataBnf) -> None:
    review = await bnf.get_item(records.REVIEW)
    assert (review.description, review.notes) == ("In-8", ("La couverture porte : Bulletin",))
    assert review.context["imprint"] == ("Grenoble : [s.n.] , [19..-19..]",)


@pytest.mark.parametrize("reference", [cb(99999999), "temp-work/" + "0" * 32])
async def test_an_identifier_nothing_is_stated_of_is_not_found(
    bnf: DataBnf, reference: str
) -> None:
    with pytest.raises(RecordNotFound) as caught:
        await bnf.get_item(reference)
    assert caught.value.hint
    assert caught.value.retries == 0
