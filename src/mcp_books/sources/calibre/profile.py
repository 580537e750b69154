"""What the Calibre libraries are to the rest of the package; nothing is opened to say it."""

from __future__ import annotations

from dataclasses import replace

from mcp_books.settings import Settings
from mcp_books.sources.base import Profile

__all__ = ["PROFILE", "profile_of"]

PROFILE = Profile(
    id="calibre",
    name="Calibre libraries",
    home_url="https://calibre-ebook.com",
    examples=("Calibre_Library/12", "calibre://show-book/Calibre_Library/12"),
    attribution="The reader's own Calibre library",
    credit_note=None,
    searches_on=(
        "titles",
        "authors",
        "series",
        "tags",
        "publishers",
        "identifiers",
        "comments",
    ),
    row_describes="a book in the reader's own library",
    corpus="the reader's own e-books, as far as they are indexed",
    year_means="date of publication in the catalogue, often that of the edition",
    description_means="comments of the catalogue",
    publishes_page_number=True,
    page_unit="p.",
    media_types=(
        "epub",
        "pdf",
        "azw3",
        "mobi",
        "azw",
        "azw4",
        "prc",
        "kfx",
        "fb2",
        "docx",
        "rtf",
        "txt",
        "htmlz",
        "lit",
        "odt",
        "lrf",
        "pdb",
        "djvu",
        "cbz",
        "cbr",
    ),
    honours=frozenset({"year_range", "sort"}),
    probe="the",
    reader_owned=True,
)


def profile_of(settings: Settings) -> Profile:
    """Return the profile as it is under `settings`: a demonstration says that it is one."""
    if not settings.demonstration:
        return PROFILE
    return replace(
        PROFILE,
        name=f"{PROFILE.name} (demonstration)",
        attribution="Demonstration library that comes with mcp-books",
    )
