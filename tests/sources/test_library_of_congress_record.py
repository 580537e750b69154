"""Reading one record, one issue, one page."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_books.errors import InvalidInput
from mcp_books.models import DigitalCopy, Record, Rights

from .library_of_congress_wire import document, html, library, page_row, sent

pytestmark = pytest.mark.anyio

PAGE = "sn99990001/1924-11-20/ed-1/seq-6"
TILE = "https://tile.loc.gov"
TEXT = f"{TILE}/text-services/word-coordinates-service?segment=/service/1270.xml&full_text=1"


async def record(answer: dict[str, Any], reference: str = "51006716") -> Record:
    async with library(sent(answer)) as asked:
        return await asked.source.get_item(reference)


def page_document(**blocks: object) -> dict[str, Any]:
    held: dict[str, Any] = {
        "item": {
            "id": "http://www.loc.gov/item/sn99990001/1924-11-20/ed-1/",
            "title": "Valley press (El Centro, Calif.), November 20, 1924",
            "original_format": ["newspaper"],
            "date": "1924-11-20",
            "contributor_names": ["A university that scanned it"],
            "rights": ["<p>Believed to be in the public domain.</p>"],
        },
        "resource": {
            "url": "https://www.loc.gov/resource/sn99990001/1924-11-20/ed-1/?sp=6",
            "pdf": f"{TILE}/storage-services/1270.pdf",
            "fulltext_file": TEXT,
            "image": f"{TILE}/image-services/iiif/1265/full/pct:6.25/0/default.jpg",
            "files": 8,
        },
        "page": [
            {"mimetype": "image/jp2", "url": f"{TILE}/storage-services/1270.jp2"},
            {"mimetype": "application/pdf", "url": f"{TILE}/storage-services/1270.pdf"},
            {"mimetype": "text/plain", "use": "text", "fulltext_service": TEXT},
        ],
        "segments": [page_row("ANOTHER PAGE", sp=5), page_row("THE SIXTH PAGE", sp=6)],
        "cite_this": {"chicago": "<cite>Valley press</cite>. (El Centro, CA), Nov. 20 1924."},
    }
    return held | blocks


@pytest.mark.parametrize(
    ("reference", "path", "params"),
    [
        ("51006716", "/item/51006716/", {"at": "item,resources,cite_this"}),
        (
            "sn99990001/1924-11-20/ed-1",
            "/item/sn99990001/1924-11-20/ed-1/",
            {"at": "item,resources,cite_this"},
        ),
        (
            PAGE,
            "/resource/sn99990001/1924-11-20/ed-1/",
            {"sp": "6", "at": "item,resource,page,segments,cite_this"},
        ),
        ("resource/mal.3745600", "/resource/mal.3745600/", {"at": "item,resources,cite_this"}),
    ],
)
async def test_a_record_or_page_is_asked_for_without_a_query(
    reference: str, path: str, params: dict[str, str]
) -> None:
    async with library(sent(page_document())) as asked:
        await asked.source.get_item(reference)
        assert asked.path == path
        assert asked.params == {"fo": "json"} | params


async def test_what_is_no_identifier_is_refused_before_anything_is_sent() -> None:
    async with library(html("", 404)) as asked:
        with pytest.raises(InvalidInput):
            await asked.source.get_item("a/b/c")
        assert asked.router.calls.call_count == 0


async def test_a_record_is_read_in_full() -> None:
    read = await record(
        document(
            {
                "title": "Map showing the railroad.",
                "date": "1865",
                "contributor_names": ["G.W. & C.B. Colton & Co."],
                "created_published": ["New York, 1865."],
                "summary": ["Map of the <i>eastern</i> half."],
                "description": ["Map of the eastern half."],
                "notes": ["Scale 1:3,168,000.", "LC Railroad maps, 475"],
                "subject_headings": ["Railroads--Maps", "United States"],
                "subject": ["railroads", "maps"],
                "call_number": ["G3701.P3 1865 .G15"],
                "repository": "Geography and Map Division",
                "language": [{"english": "https://www.loc.gov/search/?fa=language:english"}],
                "location": ["united states"],
                "partof": [{"count": 635, "title": "railroad maps", "url": "https://x/"}],
                "online_format": ["image"],
                "original_format": ["map"],
                "rights_advisory": [],
                "rights_information": "No known restrictions on publication.",
            },
            cite_this={"chicago": "<cite>Map</cite>. &lt;www.loc.gov/item/98688726&gt;"},
        ),
        "98688726",
    )
    assert read.dump() == {
        "id": "loc:98688726",
        "source": "loc",
        "source_name": "Library of Congress",
        "identifier": "98688726",
        "title": "Map showing the railroad.",
        "creator": "G.W. & C.B. Colton & Co.",
        "year": 1865,
        "year_means": "year the Library files it under; of a newspaper page, its issue",
        "date": "1865",
        "media_type": "map",
        "source_url": "https://www.loc.gov/item/98688726/",
        "attribution": "Library of Congress",
        "rights": {
            "statement": "No known restrictions on publication.",
            "url": None,
            "covers": "this item",
        },
        "description": "Map of the eastern half.",
        "description_means": "summary, essay or description as catalogued",
        "notes": ["Scale 1:3,168,000.", "LC Railroad maps, 475"],
        "subjects": ["Railroads--Maps", "United States"],
        "copies": [],
        "copies_available": 0,
        "generated_entries": 0,
        "context": {
            "contributors": ["G.W. & C.B. Colton & Co."],
            "published": ["New York, 1865."],
            "language": ["english"],
            "places": ["united states"],
            "repository": ["Geography and Map Division"],
            "call number": ["G3701.P3 1865 .G15"],
            "part of": ["railroad maps"],
            "online formats": ["image"],
            "citation generated by the Library": ["Map. <www.loc.gov/item/98688726>"],
        },
    }


async def test_a_record_that_states_next_to_nothing_is_read() -> None:
    read = await record({"item": {"id": "http://www.loc.gov/item/51006716/"}})
    assert (read.title, read.creator, read.date, read.year, read.media_type) == (None,) * 5
    assert (read.description, read.notes, read.subjects, read.context) == (None, (), (), {})
    assert read.rights == Rights(statement=None, url=None, covers="this item")


@pytest.mark.parametrize(
    ("item", "description"),
    [
        ({"summary": [], "description": "1 print."}, "1 print."),
        ({"description": ["Weekly Began in 1901."], "notes": ["Weekly", "Began in 1901."]}, None),
        ({"essay": "<p>Set up in 1901.</p>", "description": "Weekly"}, "Set up in 1901."),
        ({"summary": ["One.", "Two.", "One."]}, "One.\nTwo."),
    ],
)
async def test_the_description_is_prose_and_not_the_notes_again(
    item: dict[str, Any], description: str | None
) -> None:
    assert (await record(document(item))).description == description


@pytest.mark.parametrize(
    ("item", "subjects"),
    [
        ({"subjects": [{"maps": "https://x"}, {"railroads": "https://y"}]}, ("maps", "railroads")),
        ({"subject": ["maps", "maps"]}, ("maps",)),
        ({"subjects": "maps"}, ("maps",)),
    ],
)
async def test_subjects_are_read_in_any_shape(
    item: dict[str, Any], subjects: tuple[str, ...]
) -> None:
    assert (await record(document(item))).subjects == subjects


HELD_BY_COLLECTION = (
    '<p>Public domain &amp; <a href="/partners/">free</a>.</p>\r\n'
    '<p>More: <a class="x" href="/legal/">Copyright</a>.</p>'
)


@pytest.mark.parametrize(
    ("item", "statement", "url", "covers"),
    [
        (
            {"rights_advisory": ["Own terms."], "rights_information": "x", "rights": ["y"]},
            "Own terms.",
            None,
            "this item",
        ),
        ({"rights_advisory": [], "rights_information": "Short."}, "Short.", None, "this item"),
        (
            {"item": {"rights": "No known restrictions."}, "rights": [HELD_BY_COLLECTION]},
            "No known restrictions.",
            None,
            "this item",
        ),
        (
            {"rights_advisory": "See https://www.loc.gov/rr/print/res/217.html."},
            "See https://www.loc.gov/rr/print/res/217.html.",
            "https://www.loc.gov/rr/print/res/217.html",
            "this item",
        ),
        (
            {"rights": [HELD_BY_COLLECTION]},
            "Public domain & free.\nMore: Copyright.",
            "https://www.loc.gov/legal/",
            "the whole collection",
        ),
        (
            {"rights": '<a href="//memory.loc.gov/x.html">Restrictions</a>'},
            "Restrictions",
            "https://memory.loc.gov/x.html",
            "the whole collection",
        ),
        (
            {"rights": '<a href="mailto:rights@loc.gov">Ask</a> https://www.loc.gov/x'},
            "Ask https://www.loc.gov/x",
            None,
            "the whole collection",
        ),
        ({"rights": ["<p></p>"], "rights_advisory": None}, None, None, "this item"),
    ],
)
async def test_terms_are_the_item_s_own_before_those_of_its_collection(
    item: dict[str, Any], statement: str | None, url: str | None, covers: str
) -> None:
    rights = (await record(document(item))).rights
    assert (rights.statement, rights.url, rights.covers) == (statement, url, covers)


async def test_copies_are_one_of_each_kind_and_the_rest_is_counted() -> None:
    stem = f"{TILE}/storage-services/service/mss/3745600"
    resource = {
        "caption": "Vol. 1",
        "url": "//www.loc.gov/resource/mal.3745600/",
        "pdf": f"{stem}.pdf",
        "fulltext_file": f"{stem}.xml",
        "text_file": f"{stem}.text.txt",
        "fulltext_derivative": f"{stem}.text.json",
        "image": f"{TILE}/image-services/iiif/001/full/pct:6.25/0/default.jpg",
        "files": [
            [
                {"mimetype": "image/jpeg", "url": f"{TILE}/iiif/001/pct:6.25/default.jpg"},
                {"mimetype": "image/jp2", "url": f"{stem}/001.jp2", "info": "https://x/info.json"},
                {"mimetype": "text/xml", "use": "text", "fulltext": "<ammemxml>"},
            ],
            [{"mimetype": "image/jp2", "url": f"{stem}/002.jp2"}, "not a file"],
        ],
    }
    read = await record(document(resources=[resource, "not a resource"]))
    assert read.copies == (
        DigitalCopy(
            label="image viewer, Vol. 1",
            format="text/html",
            url="https://www.loc.gov/resource/mal.3745600/",
        ),
        DigitalCopy(label="PDF, Vol. 1", format="application/pdf", url=f"{stem}.pdf"),
        DigitalCopy(label="text, Vol. 1", format="text/plain", url=f"{stem}.text.txt"),
    )
    assert (read.copies_available, read.generated_entries) == (3, 5)


async def test_the_resources_a_record_sums_up_serve_where_the_document_lists_none() -> None:
    summed_up = [{"files": 2, "pdf": f"{TILE}/a.pdf", "url": "https://www.loc.gov/resource/a1234/"}]
    read = await record(document({"resources": summed_up}))
    assert [copy.label for copy in read.copies] == ["image viewer", "PDF"]
    assert read.generated_entries == 0


async def test_an_issue_lists_the_files_of_each_page() -> None:
    pages = [
        [{"mimetype": "application/pdf", "url": f"{TILE}/{scan}.pdf"}] for scan in ("0502", "0503")
    ]
    answer = document(
        {"title": "Ocala banner", "contributor": ["a library"], "date": "1897-07-29"},
        resources=[{"files": pages}],
    )
    read = await record(answer, "sn84027621/1897-07-29/ed-1")
    assert read.copies == tuple(
        DigitalCopy(label=f"PDF, image {place}", format="application/pdf", url=f"{TILE}/{scan}.pdf")
        for place, scan in ((1, "0502"), (2, "0503"))
    )
    assert (read.creator, read.date) == (None, "1897-07-29")
    assert read.context["contributed by"] == ("a library",)


async def test_a_page_is_read_as_that_page() -> None:
    read = await record(page_document(), PAGE)
    assert (read.id, read.date, read.year) == (f"loc:{PAGE}", "1924-11-20", 1924)
    assert read.title == "Image 6 of Valley press (El Centro, Calif.), November 20, 1924"
    assert read.source_url == "https://www.loc.gov/resource/sn99990001/1924-11-20/ed-1/?sp=6"
    assert (read.creator, read.description) == (None, "THE SIXTH PAGE")
    assert read.description_means == "the opening of the page's machine-read text"
    assert [(copy.label, copy.format, copy.url) for copy in read.copies] == [
        (
            "image viewer",
            "text/html",
            "https://www.loc.gov/resource/sn99990001/1924-11-20/ed-1/?sp=6",
        ),
        ("PDF", "application/pdf", f"{TILE}/storage-services/1270.pdf"),
        ("text", "application/json", TEXT),
    ]
    assert read.generated_entries == 2
    assert read.rights.covers == "the whole collection"
    assert read.context == {
        "newspaper": ("valley press (el centro, calif.) 1907-current",),
        "issue date": ("1924-11-20",),
        "page number": ("6",),
        "contributed by": ("a university that scanned it",),
        "citation generated by the Library": ("Valley press. (El Centro, CA), Nov. 20 1924.",),
    }


async def test_a_page_whose_own_segment_did_not_come_takes_none_of_another_s() -> None:
    answer = page_document(segments=[page_row("ANOTHER PAGE", sp=5)], resource=None)
    read = await record(answer, PAGE)
    assert read.title == "Valley press (El Centro, Calif.), November 20, 1924"
    assert read.description is None
    assert read.context["page number"] == ("6",)
    assert [copy.label for copy in read.copies] == ["PDF", "text"]
