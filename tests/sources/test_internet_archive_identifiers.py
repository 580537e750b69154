"""Which strings name an item of the Internet Archive."""

from __future__ import annotations

import pytest

from mcp_books.errors import InvalidInput
from mcp_books.identifiers import Claim
from mcp_books.sources.internet_archive import InternetArchive
from tests.sources.internet_archive_wire import asked

pytestmark = pytest.mark.anyio


async def claimed(text: str, base_url: str | None = None) -> Claim | None:
    async with asked(base_url=base_url) as wire:
        return wire.archive.claim(text)


@pytest.mark.parametrize(
    "text", ["gray-diary", "Svoboda-1910-01", "1234", "cb12515307z", "a.b_c@d"]
)
async def test_a_bare_identifier_is_claimed_loosely(text: str) -> None:
    assert await claimed(text) == Claim(text, exact=False)


@pytest.mark.proves("8.2")
@pytest.mark.parametrize(
    "text",
    [
        "https://archive.org/details/gray-diary",
        "https://www.archive.org/details/gray-diary/",
        "http://ARCHIVE.org/details/gray-diary?q=whale",
        "https://archive.org/details/gray-diary/GrayDiary/page/leaf5",
        "https://archive.org/download/gray-diary/Gray%20Diary.pdf",
        "https://archive.org/metadata/gray-diary#files",
        "https://archive.org/stream/gray-diary/GrayDiary_djvu.txt",
        "https://archive.org:443/details/gray%2Ddiary",
        "http://archive.org:80/details/gray-diary",
        "archive.org/details/gray-diary",
        "www.archive.org/details/gray-diary",
        "Archive.org/download/gray-diary/Gray.pdf",
        "archive.org:443/details/gray-diary?q=whale",
    ],
)
async def test_an_address_of_an_item_is_claimed_exactly(text: str) -> None:
    assert await claimed(text) == Claim("gray-diary", exact=True)


@pytest.mark.proves("8.2")
@pytest.mark.parametrize(
    "text",
    [
        "https://archive.org.evil.example/details/gray-diary",
        "https://archive.org@evil.example/details/gray-diary",
        "https://web.archive.org/details/gray-diary",
        "https://archive.org:port/details/gray-diary",
        "archive.org.evil.example/details/gray-diary",
        "reader@evil.example/details/gray-diary",
        "ftp://archive.org/details/gray-diary",
        "https://[broken/details/gray-diary",
        "https://www.loc.gov/item/1234/",
        "ark:/12148/cb12515307z",
        "two words",
        "-leading",
        "gray-diary\n",
        "",
    ],
)
async def test_what_is_not_this_archives_is_not_claimed(text: str) -> None:
    assert await claimed(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "@somebody",
        "ark:/13960/t12p26019",
        "https://archive.org/details/@somebody",
        "https://archive.org/search?query=whale",
        "https://archive.org/details/",
        "https://archive.org",
        "archive.org",
        "archive.org/details/",
        "archive.org/search?query=whale",
        "https://reader@archive.org/details/gray-diary",
        "https://reader:word@www.archive.org/details/gray-diary",
        "https://@archive.org/details/gray-diary",
        "https://archive.org:8443/details/gray-diary",
        "archive.org:8443/details/gray-diary",
    ],
)
async def test_what_is_plainly_meant_as_an_item_and_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await claimed(text)
    assert refused.value.hint


async def test_an_address_under_another_base_is_its_own_too() -> None:
    base = "http://127.0.0.1:8080/demonstration/archive"
    assert await claimed(f"{base}/details/a-book", base) == Claim("a-book", exact=True)
    assert await claimed("https://archive.org/details/a-book", base) == Claim("a-book", exact=True)
    assert await claimed(f"{base}else/details/a-book", base) is None
    for refused in (f"{base}/item/a-book", f"{base}/details/a".replace("//", "//reader@")):
        with pytest.raises(InvalidInput):
            await claimed(refused, base)
    assert await claimed("http://127.0.0.1:8081/demonstration/archive/details/a", base) is None


async def test_every_example_of_the_profile_is_claimed() -> None:
    for example in InternetArchive.profile.examples:
        assert await claimed(example) is not None
