"""What each archive did in one call, and the three answers that carry it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ._phrases import Kind
from .errors import BooksError, ErrorCode
from .models import BriefRecord, Hit, Model, Record, TextWindow

__all__ = [
    "Absent",
    "Answered",
    "Coverage",
    "DroppedFilter",
    "ErrorReport",
    "ExcerptKinds",
    "Failed",
    "InsideAnswer",
    "ItemsAnswer",
    "MediaTypesAsked",
    "Note",
    "QueryAttempt",
    "RecordAnswer",
    "SourceReport",
]


_ERROR_LENGTH = 1000
"""Characters of a message, and of a hint, that a report holds."""


class Note(Model):
    """Something that qualifies the answer; `source` where it is about one archive."""

    kind: Kind
    text: str
    source: str | None = None


class ErrorReport(Model):
    """Why an archive did not answer, and what to do next."""

    code: ErrorCode
    message: str
    hint: str | None = None

    @classmethod
    def of(cls, error: BooksError) -> ErrorReport:
        """Publish `error`; an error without a hint leaves the field out."""
        message = error.message[:_ERROR_LENGTH]
        if error.hint is None:
            return cls(code=error.code, message=message)
        return cls(code=error.code, message=message, hint=error.hint[:_ERROR_LENGTH])


class DroppedFilter(Model):
    """A narrowing that never reached the archive."""

    filter: str
    because: str


class QueryAttempt(Model):
    """One wording, sent or withheld."""

    query: str
    derivation: Annotated[str, Field(description="How it was made from the query.")]
    ran: bool
    count: Annotated[int | None, Field(description="Rows it returned.")] = None
    added: Annotated[int | None, Field(description="Rows it added to the answer.")] = None
    sent_as: Annotated[str | None, Field(description="What was sent, if not the wording.")] = None
    not_run_because: str | None = None
    error: ErrorReport | None = None


class Coverage(Model):
    """How much of what a local library could be searched for is indexed."""

    indexed: int
    readable: int
    unreadable: dict[str, int] = Field(default_factory=dict)


class Answered(Model):
    """An archive that answered; zero rows is an answer."""

    source: str
    name: str
    status: Literal["answered"]
    count: Annotated[int, Field(description="Rows from this archive in the answer.")]
    reported_total: Annotated[int | None, Field(description="The archive's own count.")]
    reported_total_means: str | None
    skipped: Annotated[int, Field(description="Rows it sent that could not be read.")]
    set_aside: Annotated[int, Field(description="Rows left out because they are no records.")]
    more_on_this_archive: Annotated[bool | None, Field(description="Null: not established.")]
    ordered_on: Annotated[str | None, Field(description="Its own order.")]
    attribution: str
    filters_dropped: tuple[DroppedFilter, ...]
    queries: tuple[QueryAttempt, ...]
    year_means: str
    requires_every_word: bool
    cached: bool
    credit_note: Annotated[
        str | None, Field(description="What its licence asks beyond being named.")
    ] = None
    media_type_asked: str | None = None
    searches_on: tuple[str, ...] = ()
    searches_on_caveat: str | None = None
    row_describes: str | None = None
    corpus: str | None = None
    publishes_page_number: bool | None = None
    coverage: Coverage | None = None


class Failed(Model):
    """An archive that was asked and did not answer: this says nothing of what it holds."""

    source: str
    name: str
    status: Literal["failed"]
    stage: Annotated[
        Literal["search", "read"], Field(description="search: no answer; read: unreadable answer.")
    ]
    error: ErrorReport
    queries: tuple[QueryAttempt, ...]
    filters_dropped: tuple[DroppedFilter, ...] = ()


class Absent(Model):
    """An archive that was not asked."""

    source: str
    name: str
    status: Literal["absent"]
    absent_because: str


SourceReport = Annotated[Answered | Failed | Absent, Field(discriminator="status")]


class ExcerptKinds(Model):
    """How many hits carry an excerpt of each kind."""

    passage: int
    page_opening: int


class MediaTypesAsked(Model):
    """The kinds of material one archive was asked for, and those it knows."""

    asked_with: str | None
    vocabulary: tuple[str, ...]


class _SearchAnswer(Model):
    query: str
    page: int
    per_source: tuple[SourceReport, ...]
    queries_run: Annotated[
        tuple[str, ...], Field(description="Every wording sent to at least one archive.")
    ]
    non_word_characters: Annotated[
        tuple[str, ...],
        Field(description="Characters of the query no archive's index is sure to hold."),
    ]
    order: Annotated[str, Field(description="How the list was built.")]
    notes: tuple[Note, ...]


class InsideAnswer(_SearchAnswer):
    """The answer of search_inside."""

    hits: tuple[Hit, ...]
    hit_count: int
    excerpt_kinds: ExcerptKinds


class ItemsAnswer(_SearchAnswer):
    """The answer of search_items."""

    items: tuple[BriefRecord, ...]
    item_count: int
    media_types: dict[str, MediaTypesAsked]


class RecordAnswer(Model):
    """The answer of get_item."""

    item: Record
    sections_returned: tuple[str, ...]
    sections_omitted: tuple[str, ...]
    fields_not_read_from_this_archive: tuple[str, ...]
    notes: tuple[Note, ...]
    id_read_as: Annotated[str | None, Field(description="How a bare identifier was read.")] = None
    text_window: TextWindow | None = None
