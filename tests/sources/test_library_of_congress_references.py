"""Which strings are identifiers of the Library, and what is asked for each."""

from __future__ import annotations

import pytest

from mcp_books._http import Http
from mcp_books.errors import InvalidInput
from mcp_books.identifiers import Claim
from mcp_books.settings import Settings
from mcp_books.sources.library_of_congress import LibraryOfCongress
from mcp_books.sources.library_of_congress.references import parse_reference

MIRROR = "http://127.0.0.1:8000/demonstration/loc"
PAGE = "sn83030214/1897-07-29/ed-1/seq-6"
ISSUE = "sn83030214/1897-07-29/ed-1"


def claimed(text: str, base_url: str | None = None) -> Claim | None:
    return LibraryOfCongress(Http(Settings()), base_url=base_url).claim(text)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        (PAGE, PAGE),
        (ISSUE, ISSUE),
        ("SN83030214/1897-07-29/ed-01/seq-006/", PAGE),
        (PAGE.upper(), PAGE),
        (ISSUE.upper(), ISSUE),
        (f"https://www.loc.gov/resource/{ISSUE.upper()}/?sp=6", PAGE),
        (f"https://chroniclingamerica.loc.gov/lccn/{PAGE.upper()}/", PAGE),
        ("RESOURCE/mal.3745600/SEQ-2", "resource/mal.3745600/seq-2"),
        ("https://www.loc.gov/item/SN85059812/", "sn85059812"),
        ("https://lccn.loc.gov/SN85059812", "sn85059812"),
        ("https://www.loc.gov:443/item/98688726/", "98688726"),
        ("http://loc.gov:80/item/98688726/", "98688726"),
        ("LCCN.loc.gov/98688726", "98688726"),
        ("20001931/1918-04-05/ed-2", "20001931/1918-04-05/ed-2"),
        ("https://www.loc.gov/item/98688726/", "98688726"),
        ("http://www.loc.gov/item/98688726/?fo=json&q=map#note", "98688726"),
        ("https://loc.gov/item/mal3745600", "mal3745600"),
        ("www.loc.gov/item/sanborn00192_001/", "sanborn00192_001"),
        ("https://WWW.LOC.GOV/item/lcwaN0010234/", "lcwaN0010234"),
        ("https://www.loc.gov/pictures/item/2007680728/", "2007680728"),
        ("https://www.loc.gov/pictures/collection/bbc/item/2007680728/", "2007680728"),
        (f"https://www.loc.gov/item/{ISSUE}/", ISSUE),
        (f"https://www.loc.gov/item/{ISSUE}/?sp=6", PAGE),
        (f"https://www.loc.gov/resource/{ISSUE}/", ISSUE),
        (f"https://www.loc.gov/resource/{ISSUE}/?sp=6&q=ishmael&st=image", PAGE),
        (f"https://www.loc.gov/resource/{ISSUE}/?clip=1,2,3,4&sp=6", PAGE),
        ("https://www.loc.gov/resource/gdc.00198495517/?sp=25", "resource/gdc.00198495517/seq-25"),
        ("https://www.loc.gov/resource/mal.3745600/", "resource/mal.3745600"),
        ("resource/mal.3745600/seq-2", "resource/mal.3745600/seq-2"),
        ("https://lccn.loc.gov/sn85059812", "sn85059812"),
        ("https://lccn.loc.gov/98688726/marcxml", "98688726"),
        (f"https://chroniclingamerica.loc.gov/lccn/{PAGE}/ocr.txt", PAGE),
        ("https://chroniclingamerica.loc.gov/lccn/sn83030214/", "sn83030214"),
    ],
)
def test_an_address_or_newspaper_page_is_claimed_exactly(text: str, reference: str) -> None:
    assert claimed(text) == Claim(reference, exact=True)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("sn85059812", "sn85059812"),
        ("98688726", "98688726"),
        ("2007680728", "2007680728"),
        ("unk81054391", "unk81054391"),
        ("SN 85059812", "sn85059812"),
        ("SN85059812", "sn85059812"),
        ("ITEM/SN85059812", "sn85059812"),
        ("mal3745600", "mal3745600"),
        ("sanborn00192_001", "sanborn00192_001"),
        ("item/98688726", "98688726"),
    ],
)
def test_a_number_or_local_id_is_claimed_loosely(text: str, reference: str) -> None:
    assert claimed(text) == Claim(reference, exact=False)


@pytest.mark.parametrize(
    "text",
    [
        "https://archive.org/details/98688726",
        "https://www.loc.gov.example.org/item/98688726/",
        "https://www.loc.gov@example.org/item/98688726/",
        "ftp://www.loc.gov/item/98688726/",
        "https://[broken/item/98688726/",
        "https://www.loc.gov:port/item/98688726/",
        "www.loc.gov.example.org/item/98688726/",
        "ark:/12148/cb11915793r",
        "temp-work/0123456789abcdef0123456789abcdef",
        "whale",
        "a/b/c",
        "1925 1926",
        "resource/whale",
        "resource/mal.3745600/page-2",
        "",
    ],
)
def test_anything_else_is_left_to_others(text: str) -> None:
    assert claimed(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "https://www.loc.gov/collections/civil-war-maps/",
        "https://www.loc.gov/collections/civil-war-maps/about-this-collection/",
        "https://www.loc.gov/search/?q=whale",
        "https://www.loc.gov/item/civil-war/",
        "https://www.loc.gov/item/a1b2/c3d4/",
        "https://www.loc.gov/",
        "https://lccn.loc.gov/",
        "www.loc.gov",
        "https://reader@www.loc.gov/item/98688726/",
        "https://reader:word@lccn.loc.gov/98688726",
        "https://www.loc.gov:8443/item/98688726/",
        "lccn.loc.gov:8443/98688726",
        "https://chroniclingamerica.loc.gov/newspapers/",
        "https://www.loc.gov/item/a%2Fb1234/",
        "sn83030214/1897-02-30/ed-1/seq-6",
        "sn83030214/1897-07-29/ed-0",
        "sn83030214/1897-07-29",
        "sn83030214/1897-07-29/ed-1/seq-0",
        "sn83030214/1897-07-29/ed-1/page-6",
    ],
)
def test_an_address_of_no_record_or_a_mistyped_page_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        claimed(text)
    assert refused.value.hint


def test_a_stand_in_claims_its_own_addresses_as_well_as_the_library_s() -> None:
    assert claimed(f"{MIRROR}/resource/{ISSUE}/?sp=6", MIRROR) == Claim(PAGE, exact=True)
    assert claimed("https://www.loc.gov/item/98688726/", MIRROR) == Claim("98688726", exact=True)
    assert claimed(f"{MIRROR}/item/98688726/") is None
    with pytest.raises(InvalidInput):
        claimed(f"{MIRROR}/item/98688726/".replace("//", "//reader@", 1), MIRROR)
    assert claimed("http://127.0.0.1:8000/demonstration/locale/item/98688726/", MIRROR) is None


@pytest.mark.parametrize(
    ("reference", "path", "public"),
    [
        ("98688726", "/item/98688726/", "/item/98688726/"),
        (ISSUE, f"/item/{ISSUE}/", f"/item/{ISSUE}/"),
        (PAGE, f"/resource/{ISSUE}/", f"/resource/{ISSUE}/?sp=6"),
        ("resource/mal.37/seq-2", "/resource/mal.37/", "/resource/mal.37/?sp=2"),
        ("resource/mal.37", "/resource/mal.37/", "/resource/mal.37/"),
    ],
)
def test_a_reference_reads_back_as_itself_and_knows_its_paths(
    reference: str, path: str, public: str
) -> None:
    read = parse_reference(reference)
    assert read is not None
    assert (str(read[0]), read[0].path, read[0].public_path) == (reference, path, public)


def test_every_example_of_the_profile_is_claimed_exactly() -> None:
    claims = [claimed(example) for example in LibraryOfCongress.profile.examples]
    assert all(claim is not None and claim.exact for claim in claims)
