"""One record of the Internet Archive."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_books.errors import InvalidInput, NetworkFailure, ParseFailure, RecordNotFound
from mcp_books.models import DigitalCopy, Record
from tests.sources.internet_archive_wire import Canned, answers, asked, item

pytestmark = pytest.mark.anyio


async def read(value: object, reference: str = "a-book") -> Record:
    async with asked(answers(value)) as wire:
        return await wire.archive.get_item(reference)


def file(name: str, kind: str, source: str = "derivative", **more: object) -> dict[str, object]:
    return {"name": name, "format": kind, "source": source} | more


async def test_a_record_is_read_from_the_metadata_route() -> None:
    async with asked(answers(item())) as wire:
        await wire.archive.get_item("A.book_1-2")
    assert [(sent.path, sent.params) for sent in wire.sent] == [("/metadata/A.book_1-2", {})]


async def test_a_record_carries_what_its_metadata_states() -> None:
    hyphenated: dict[str, Any] = {
        "access-restricted-item": "true",
        "oclc-id": "123",
        "identifier-ark": "ark:/13960/t1",
    }
    record = await read(
        item(
            title=" A <b>Book</b> &amp; more ",
            creator=["Ford, David, 1761-1835", "Hough, Franklin"],
            date="1862",
            description=["<p>First.</p><p>Second &amp; third.</p>", "Plain\r\nlines."],
            subject="Ukraine;history; ;Church;",
            publisher=["One", "Two"],
            language="ukr",
            volume="3",
            collection=["books", "fav-somebody"],
            call_number="31735060392028",
            imagecount="26",
            lccn="a  33000172",
            **hyphenated,
        )
    )
    assert record.id == "archive:a-book"
    assert record.title == "A Book & more"
    assert record.creator == "Ford, David, 1761-1835; Hough, Franklin"
    assert (record.year, record.date) == (1862, "1862")
    assert record.description == "First.\nSecond & third.\n\nPlain\nlines."
    assert record.subjects == ("Ukraine", "history", "Church")
    assert record.source_url == "https://archive.org/details/a-book"
    assert record.context == {
        "publisher": ("One", "Two"),
        "language": ("ukr",),
        "volume": ("3",),
        "collection": ("books",),
        "call number": ("31735060392028",),
        "lccn": ("a 33000172",),
        "oclc": ("123",),
        "ark": ("ark:/13960/t1",),
        "images": ("26",),
        "access-restricted-item": ("true",),
    }


@pytest.mark.parametrize(
    "subject", [["Whiskey Rebellion, Pa., 1794"], "Whiskey Rebellion, Pa., 1794;"]
)
async def test_a_comma_does_not_part_subjects(subject: object) -> None:
    assert (await read(item(subject=subject))).subjects == ("Whiskey Rebellion, Pa., 1794",)


async def test_what_names_the_people_who_handled_an_item_never_leaves() -> None:
    handled = (
        *("uploader", "updater", "adder", "operator", "republisher_operator", "scanner"),
        *("curation", "user_mail", "notes", "transferer", "taper"),
    )
    private: dict[str, Any] = dict.fromkeys(handled, "somebody@private.example")
    value = item((), **private) | {"reviews": [{"reviewer": "somebody@private.example"}]}
    assert "private.example" not in (await read(value)).model_dump_json()


@pytest.mark.proves("10.5")
async def test_a_bare_record_has_nulls_and_empty_lists() -> None:
    record = await read(item(title=None, mediatype=None))
    dumped = record.dump()
    for name in ("title", "creator", "year", "date", "media_type", "description"):
        assert dumped[name] is None
    assert dumped["subjects"] == []
    assert dumped["context"] == {}
    assert dumped["rights"] == {"statement": None, "url": None, "covers": "this item"}
    assert "identifier_provisional" not in dumped


@pytest.mark.parametrize("stated", [True, "true"])
async def test_a_restriction_is_read_as_a_word_and_as_a_truth_value(stated: object) -> None:
    restricted: dict[str, Any] = {"access-restricted-item": stated}
    assert (await read(item(**restricted))).context == {"access-restricted-item": ("true",)}


@pytest.mark.parametrize(
    ("metadata", "rights"),
    [
        (
            {"licenseurl": "http://licence.example/by/4.0/"},
            {"statement": None, "url": "http://licence.example/by/4.0/"},
        ),
        ({"rights": "<p>Ask &amp; wait.</p>"}, {"statement": "Ask & wait.", "url": None}),
        (
            {"rights": 'See <a href="https://terms.example/?a=1&amp;b=2">the <i>terms</i></a>.'},
            {"statement": "See the terms.", "url": "https://terms.example/?a=1&b=2"},
        ),
        (
            {"rights": ["Ask.", '<a href="/about/terms.php">Terms</a>']},
            {"statement": "Ask.\n\nTerms", "url": "https://archive.org/about/terms.php"},
        ),
        (
            {"rights": "CC BY (https://licence.example/by/4.0/)."},
            {
                "statement": "CC BY (https://licence.example/by/4.0/).",
                "url": "https://licence.example/by/4.0/",
            },
        ),
        (
            {
                "rights": '<a href="https://terms.example/">Terms</a>',
                "licenseurl": "https://licence.example/by/4.0/",
            },
            {"statement": "Terms", "url": "https://licence.example/by/4.0/"},
        ),
        (
            {"rights": '<a href="mailto:a@b.example">Ask</a>'},
            {"statement": "Ask", "url": None},
        ),
        ({"licenseurl": "Public domain"}, {"statement": "Public domain", "url": None}),
        (
            {"possible-copyright-status": "NOT_IN_COPYRIGHT"},
            {
                "statement": "NOT_IN_COPYRIGHT",
                "url": None,
                "note": "as possible-copyright-status",
            },
        ),
        (
            {"rights": "Ask.", "possible-copyright-status": "NOT_IN_COPYRIGHT"},
            {
                "statement": "Ask.",
                "url": None,
                "note": "possible-copyright-status: NOT_IN_COPYRIGHT",
            },
        ),
    ],
)
async def test_terms_are_those_the_record_states(
    metadata: dict[str, Any], rights: dict[str, object]
) -> None:
    record = await read(item(**metadata))
    assert record.rights.dump() == rights | {"covers": "this item"}


async def test_copies_are_what_a_reader_can_open_and_the_rest_is_counted() -> None:
    record = await read(
        item(
            [
                file("__ia_thumb.jpg", "Item Tile", "original"),
                file("a-book_djvu.txt", "DjVuTXT"),
                file("a-book.epub", "EPUB"),
                file("sub folder/A & B #1.pdf", "Text PDF", "original"),
                file("secret.pdf", "Text PDF", private="true"),
                file("a-book_lcp.epub", "LCP Encrypted EPUB"),
                file("a-book_jp2.zip", "Single Page Processed JP2 ZIP"),
                file("a-book_hocr.html", "hOCR"),
                file("a-book_meta.xml", "Metadata", "metadata"),
                file("history/files/a-book.pdf.~1~", "Text PDF", "original"),
                file("cover.JPG", "JPEG", "original", title="A Book"),
                file("page.png", "PNG"),
                {"format": "no name"},
                "no object",
            ]
        )
    )
    assert record.copies == (
        DigitalCopy(
            label="Read on the archive", format=None, url="https://archive.org/details/a-book"
        ),
        DigitalCopy(
            label="sub folder/A & B #1.pdf",
            format="Text PDF",
            url="https://archive.org/download/a-book/sub%20folder/A%20%26%20B%20%231.pdf",
        ),
        DigitalCopy(
            label="a-book.epub",
            format="EPUB",
            url="https://archive.org/download/a-book/a-book.epub",
        ),
        DigitalCopy(
            label="a-book_djvu.txt",
            format="DjVuTXT",
            url="https://archive.org/download/a-book/a-book_djvu.txt",
        ),
        DigitalCopy(
            label="cover.JPG", format="JPEG", url="https://archive.org/download/a-book/cover.JPG"
        ),
    )
    assert record.copies_available == 5
    assert record.generated_entries == 8


async def test_a_recording_is_offered_as_a_derivative_only_where_its_original_is_not() -> None:
    record = await read(
        item(
            [
                file("one.flac", "Flac", "original", private="true", title="One"),
                file("one.mp3", "VBR MP3", original="one.flac", title="One"),
                file("one.ogg", "Ogg Vorbis", original="one.flac"),
                file("two.flac", "24bit Flac", "original"),
                file("two.mp3", "VBR MP3", original="two.flac"),
            ],
            mediatype="etree",
        )
    )
    assert [(copy.label, copy.format) for copy in record.copies] == [
        ("Open on the archive", None),
        ("two.flac", "24bit Flac"),
        ("One", "VBR MP3"),
    ]
    assert record.generated_entries == 3


async def test_nothing_is_offered_for_download_where_the_item_forbids_it() -> None:
    record = await read(item([file("a.pdf", "Text PDF")]) | {"nodownload": True})
    assert record.copies_available == 1
    assert record.generated_entries == 1


@pytest.mark.parametrize(("stated", "identifier"), [("a-book", "a-book"), (None, "A-Book")])
async def test_the_identifier_is_the_one_the_record_states(
    stated: str | None, identifier: str
) -> None:
    assert (await read(item(identifier=stated), "A-Book")).identifier == identifier


@pytest.mark.parametrize("unknown", [{}, []])
async def test_an_unknown_item_is_not_found(unknown: object) -> None:
    with pytest.raises(RecordNotFound) as missing:
        await read(unknown)
    assert "apital" in (missing.value.hint or "")


@pytest.mark.parametrize("dark", [True, "true"])
async def test_a_withdrawn_item_is_not_found_and_says_so(dark: object) -> None:
    with pytest.raises(RecordNotFound) as missing:
        await read({"server": "host.invalid", "dir": "/1", "is_dark": dark})
    assert "withdrawn" in missing.value.message


async def test_an_error_in_place_of_a_record_is_the_archives_own_failure() -> None:
    with pytest.raises(NetworkFailure) as failed:
        await read({"error": "Couldn't locate item"})
    assert failed.value.retries == 8


@pytest.mark.parametrize("value", [[1], "text", {"server": "host.invalid"}, {"metadata": []}])
async def test_a_reply_of_another_shape_cannot_be_read(value: object) -> None:
    with pytest.raises(ParseFailure):
        await read(value)


async def test_a_page_in_place_of_a_record_cannot_be_read() -> None:
    async with asked(Canned(b"<html>maintenance</html>")) as wire:
        with pytest.raises(ParseFailure):
            await wire.archive.get_item("a-book")


@pytest.mark.parametrize(
    "value",
    [
        item(identifier="@somebody", mediatype="account"),
        item(identifier="fav-somebody", mediatype="collection"),
    ],
)
async def test_an_account_and_its_favourites_are_no_records(value: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        await read(value, "fav-somebody")
    assert refused.value.sent
    assert refused.value.hint


async def test_a_reference_of_another_shape_is_refused_and_not_sent() -> None:
    async with asked() as wire:
        with pytest.raises(InvalidInput) as refused:
            await wire.archive.get_item("a/b")
    assert wire.sent == []
    assert not refused.value.sent
    assert refused.value.hint


async def test_every_address_stands_on_the_base_that_was_asked() -> None:
    base = "http://127.0.0.1:8080/demonstration/archive"
    async with asked(answers(item([file("a.pdf", "Text PDF")])), base_url=base) as wire:
        record = await wire.archive.get_item("a-book")
    assert wire.sent[0].path == "/demonstration/archive/metadata/a-book"
    assert record.source_url == f"{base}/details/a-book"
    assert [copy.url for copy in record.copies] == [
        f"{base}/details/a-book",
        f"{base}/download/a-book/a.pdf",
    ]
