"""What data.bnf.fr recognises as its own, and what it refuses without a request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.errors import InvalidInput
from mcp_books.sources.base import Claim
from mcp_books.sources.data_bnf import DataBnf
from mcp_books.sources.data_bnf.ark import about, check_character, path, read, reference_of

OWN = "https://data.bnf.fr"
STAND_IN = "http://127.0.0.1:8000/demonstration/bnf"
NAME = "cb119187467"
HEX = "0123456789abcdef0123456789abcdef"
TEMPORARY = f"temp-work/{HEX}"
ARCHIVE = "cc98765" + check_character("cc98765")
DIGITISED = "bpt6k5619759" + check_character("bpt6k5619759")


@pytest.mark.proves("8.2")
@pytest.mark.parametrize(
    ("text", "reference"),
    [
        (NAME, NAME),
        ("CB119187467", NAME),
        (f"{NAME}#about", NAME),
        (ARCHIVE, ARCHIVE),
        (f"ark:/12148/{NAME}", NAME),
        (f"ark:12148/{NAME}", NAME),
        (f"/ark:/12148/{NAME}", NAME),
        (f"ark:/12148/{NAME}#about", NAME),
        (f"https://data.bnf.fr/ark:/12148/{NAME}", NAME),
        (f"http://data.bnf.fr/ark:/12148/{NAME}#foaf:Person", NAME),
        (f"https://data.bnf.fr/ark%3A/12148/{NAME}", NAME),
        (f"https://data.bnf.fr/ark:/12148/{NAME}.rdfxml", NAME),
        (f"data.bnf.fr/ark:/12148/{NAME}", NAME),
        (f"Data.BNF.fr/ark:/12148/{NAME}", NAME),
        (f"https://data.bnf.fr:443/ark:/12148/{NAME}", NAME),
        (f"http://catalogue.bnf.fr:80/ark:/12148/{NAME}", NAME),
        (f"https://catalogue.bnf.fr/ark:/12148/{NAME}", NAME),
        (f"http://catalogue.bnf.fr/ark:/12148/{NAME}/PUBLIC", NAME),
        ("https://data.bnf.fr/fr/11918746/michel_pastoureau/", NAME),
        ("https://data.bnf.fr/en/11918746/michel_pastoureau/", NAME),
        ("http://data.bnf.fr/11918746/michel_pastoureau/", NAME),
        ("https://data.bnf.fr/11918746", NAME),
        ("FRBNF11918746", NAME),
        ("frbnf 119187467", NAME),
        (TEMPORARY, TEMPORARY),
        (f"{TEMPORARY}/#about", TEMPORARY),
        (TEMPORARY.upper(), TEMPORARY),
        (f"http://data.bnf.fr/{TEMPORARY}/#about", TEMPORARY),
        (f"https://data.bnf.fr/{TEMPORARY}", TEMPORARY),
    ],
)
def test_its_own_shapes_are_claimed_exactly(text: str, reference: str) -> None:
    assert read(text, OWN) == Claim(reference, exact=True)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        (f"{STAND_IN}/ark:/12148/{NAME}", NAME),
        (f"{STAND_IN}/{TEMPORARY}/", TEMPORARY),
        (f"{STAND_IN}/catalogue/ark:/12148/{NAME}", None),
        (f"http://127.0.0.1:8000/demonstration/loc/ark:/12148/{NAME}", None),
        (f"http://127.0.0.1:9000/demonstration/bnf/ark:/12148/{NAME}", None),
        (f"http://reader@127.0.0.1:8000/demonstration/bnf/ark:/12148/{NAME}", None),
    ],
)
def test_addresses_under_the_base_that_is_asked_are_its_own(
    text: str, reference: str | None
) -> None:
    if reference is None and (text.startswith(STAND_IN) or "@" in text):
        with pytest.raises(InvalidInput):
            read(text, STAND_IN)
    else:
        expected = Claim(reference, exact=True) if reference else None
        assert read(text, STAND_IN) == expected


@pytest.mark.proves("8.3")
@pytest.mark.parametrize(
    "text",
    [
        "cb119187468",
        "cb11918746a",
        f"ark:/12148/{NAME[:-1]}8",
        "ark:/12148/cb1191874",
        "ark:/12148/",
        "ark:/12148/xyz",
        "https://data.bnf.fr/ark:/12148/cb119187468",
        "FRBNF119187468",
        "https://data.bnf.fr/",
        "https://data.bnf.fr/sparql",
        "https://data.bnf.fr/fr/see_all_activities/11918746",
        "https://catalogue.bnf.fr/rechercher.do?motRecherche=vent",
        "https://data.bnf.fr/temp-work/0123",
        "data.bnf.fr",
        f"https://reader@data.bnf.fr/ark:/12148/{NAME}",
        f"https://reader:word@catalogue.bnf.fr/ark:/12148/{NAME}",
        f"https://data.bnf.fr:8443/ark:/12148/{NAME}",
        f"data.bnf.fr:8443/ark:/12148/{NAME}",
    ],
)
def test_a_mistyped_ark_or_an_address_of_no_record_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(text, OWN)
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        DIGITISED,
        f"ark:/12148/{DIGITISED}",
        "ark:/12148/btv1b8451604g/f3.item",
        f"https://gallica.bnf.fr/ark:/12148/{DIGITISED}.texteBrut",
        "gallica.bnf.fr/ark:/12148/cb32726206b/date",
        "https://gallica.bnf.fr/",
        f"https://data.bnf.fr/ark:/12148/{DIGITISED}",
    ],
)
def test_gallica_is_explained_and_not_read(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(text, OWN)
    assert "Gallica" in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "mobydick00melv",
        "cbarchive_1234",
        "cb1191874",
        "cctv",
        "cc98765" + ("0" if ARCHIVE[-1] != "0" else "1"),
        HEX,
        "2010645678",
        "bpt6k1",
        "ark:/13960/t5z61k86m",
        f"https://n2t.net/ark:/12148/{NAME}",
        f"https://data.bnf.fr.example/ark:/12148/{NAME}",
        f"data.bnf.fr.example/ark:/12148/{NAME}",
        f"ftp://data.bnf.fr/ark:/12148/{NAME}",
        f"https://data.bnf.fr@elsewhere.example/ark:/12148/{NAME}",
        f"https://data.bnf.fr:port/ark:/12148/{NAME}",
        "http://[bad",
        "",
        "https://archive.org/details/mobydick00melv",
    ],
)
def test_what_others_mint_is_left_to_them(text: str) -> None:
    assert read(text, OWN) is None


def test_eight_digits_are_a_shape_of_others_too() -> None:
    assert read("11918746", OWN) == Claim(NAME, exact=False)


@pytest.mark.parametrize("example", DataBnf.profile.examples)
def test_every_example_is_claimed_exactly(example: str) -> None:
    claim = read(example, OWN)
    assert claim is not None
    assert claim.exact


@given(st.integers(0, 99_999_999), st.integers(2, 9), st.characters(codec="ascii"))
def test_no_single_wrong_digit_passes_the_check(number: int, place: int, wrong: str) -> None:
    name = f"cb{number:08d}"
    whole = name + check_character(name)
    claim = read(whole, OWN)
    assert claim == Claim(whole, exact=True)
    if wrong.isdigit() and wrong != whole[place]:
        with pytest.raises(InvalidInput):
            read(whole[:place] + wrong + whole[place + 1 :], OWN)


@pytest.mark.parametrize("reference", [NAME, TEMPORARY, ARCHIVE])
def test_a_reference_survives_the_store_and_the_site(reference: str) -> None:
    assert reference_of(about(reference)) == reference
    assert reference_of(about(reference).replace("http:", "https:")) == reference
    assert read(f"{OWN}/{path(reference)}", OWN) == Claim(reference, exact=True)


@pytest.mark.parametrize(
    "stored", ["http://data.bnf.fr/date/1934/", "http://viaf.org/viaf/1", "nothing", ""]
)
def test_other_addresses_of_the_store_are_no_references(stored: str) -> None:
    assert reference_of(stored) is None
