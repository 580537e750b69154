"""What an answer is made of. Field names are the contract; an absent field does not apply.

Three states of a field: a value; null, where it applies and nothing is known; left out, where it
does not apply to this archive or this call. Answers are dumped with unset fields left out, so an
adapter sets exactly the fields its archive has.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "THIS_ITEM",
    "BriefRecord",
    "DigitalCopy",
    "ExcerptKind",
    "Hit",
    "LabelSource",
    "Model",
    "Record",
    "Rights",
    "TextWindow",
]

ExcerptKind = Literal["passage", "page_opening"]
LabelSource = Literal["pagelabels", "printed", "pagelist", "archive"]


class Model(BaseModel):
    """The base of every published value: frozen, and dumped without what was never set."""

    model_config = ConfigDict(frozen=True)

    def dump(self) -> dict[str, Any]:
        """Return the value as plain JSON types, unset fields left out."""
        return self.model_dump(mode="json", exclude_unset=True)


Id = Annotated[str, Field(description="Identifier across archives; pass it to get_item.")]
Year = Annotated[int | None, Field(description="Year as filed by the archive; null if unknown.")]


class _Provenance(Model):
    id: Id
    source: Annotated[str, Field(description="Id of the archive.")]
    source_name: Annotated[str, Field(description="Name of the archive.")]
    identifier: Annotated[str, Field(description="The archive's own identifier.")]
    title: str | None
    creator: Annotated[str | None, Field(description="Null where none is stated.")]
    year: Year
    source_url: Annotated[str, Field(description="Address to open and to cite.")]


class Hit(_Provenance):
    """One match inside a text."""

    page_number: Annotated[
        int | None,
        Field(description="The number the archive counts by; null where its index holds none."),
    ]
    excerpts: tuple[str, ...]
    excerpt_kind: Annotated[
        ExcerptKind,
        Field(description="passage: around the words; page_opening: does not carry the match."),
    ]
    found_by_query: Annotated[str, Field(description="The wording that found it.")]
    matched_file: Annotated[str | None, Field(description="Document of the item that matched.")] = (
        None
    )
    inside_container: Annotated[
        bool | None,
        Field(description="True: title, creator and year are those of the whole bundle."),
    ] = None
    published_on: Annotated[str | None, Field(description="Date of the issue.")] = None
    publication: Annotated[str | None, Field(description="Newspaper or periodical.")] = None
    page_label: Annotated[str | None, Field(description="Number printed on the page.")] = None
    label_source: LabelSource | None = None
    label_confidence: float | None = None
    section: Annotated[str | None, Field(description="Chapter path.")] = None


class BriefRecord(_Provenance):
    """One catalogue record in a result list."""

    date: Annotated[str | None, Field(description="As published.")]
    media_type: Annotated[str | None, Field(description="The record's own word.")]
    found_by_query: Annotated[str, Field(description="The wording that found it.")]
    downloads: int | None = None
    location: Annotated[str | None, Field(description="Where a copy is kept.")] = None
    online: Annotated[bool | None, Field(description="A digital copy can be opened.")] = None
    identifier_provisional: Annotated[
        bool | None, Field(description="True: this identifier may change.")
    ] = None


THIS_ITEM = "this item"
"""What terms cover when they are the record's own."""


class Rights(Model):
    """Terms of reuse. A record that states none has granted nothing."""

    statement: Annotated[str | None, Field(description="As published; null: none stated.")]
    url: str | None
    covers: Annotated[str, Field(description="What the terms are about.")]
    note: str | None = None


class DigitalCopy(Model):
    """A file or viewer address offered to a reader."""

    label: str
    format: str | None
    url: str


class TextWindow(Model):
    """Which part of the prose was returned, in characters."""

    offset: int
    returned_chars: int
    total_chars: int
    next_offset: Annotated[int | None, Field(description="Null at the end.")]


class Record(Model):
    """One record in full, or the sections of it that were asked for."""

    id: Id
    source: str
    source_name: str
    identifier: str
    title: str | None
    creator: str | None
    year: Year
    year_means: str
    date: str | None
    media_type: str | None
    source_url: str
    attribution: str
    rights: Rights
    identifier_provisional: bool | None = None
    description: str | None = None
    description_means: str | None = None
    notes: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    copies: tuple[DigitalCopy, ...] = ()
    copies_available: Annotated[int | None, Field(description="Of those copies, in all.")] = None
    generated_entries: Annotated[
        int | None, Field(description="By-products and bookkeeping left out of copies.")
    ] = None
    context: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="What else the record states, by label."
    )
