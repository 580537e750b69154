"""Every sentence said about an answer, by kind and weight. A table; conditions are elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import NamedTuple

__all__ = [
    "DERIVATIONS",
    "FILES_NOTHING",
    "IN_ANOTHER_FIELD",
    "NOT_OFFERED",
    "ORDERS",
    "TOTALS",
    "WITHHELD",
    "WORDINGS",
    "Derivation",
    "Kind",
    "Order",
    "Total",
    "Weight",
    "Withheld",
    "say",
]


class Weight(IntEnum):
    """How much an answer loses when a note is not read; heavier notes come first."""

    HELPFUL = 1
    QUALIFYING = 2
    DECISIVE = 3


class Kind(StrEnum):
    """What a note is about."""

    NOTHING_ESTABLISHED = "nothing_established"
    NOTHING_ASKED = "nothing_asked"
    SOURCE_FAILED = "source_failed"
    PAGE_OPENINGS = "page_openings"
    NO_EXCERPT = "no_excerpt"
    NO_PAGE_NUMBER = "no_page_number"
    MACHINE_READ_TEXT = "machine_read_text"
    WHOLE_BUNDLE = "whole_bundle"
    DEFAULT_MEDIA_TYPE = "default_media_type"
    WORDING_FAILED = "wording_failed"
    WINDOW_FULL = "window_full"
    WINDOW_WITHOUT_WORKS = "window_without_works"
    ROWS_CUT = "rows_cut"
    WORDS_SET_ASIDE = "words_set_aside"
    PHRASE_APPROXIMATE = "phrase_approximate"
    FILED_YEARS = "filed_years"
    INDEX_PARTIAL = "index_partial"
    UNRANKED = "unranked"
    LIBRARY_UNREAD = "library_unread"
    LIBRARY_PROBLEM = "library_problem"
    PAST_THE_END = "past_the_end"
    MORE_AVAILABLE = "more_available"
    ROWS_LEFT_OUT = "rows_left_out"
    PARTS_LEFT_OUT = "parts_left_out"
    NO_TERMS_STATED = "no_terms_stated"
    TERMS_OF_COLLECTION = "terms_of_collection"
    PAST_THE_PROSE = "past_the_prose"
    MORE_PROSE = "more_prose"
    MORE_COPIES = "more_copies"


class Wording(NamedTuple):
    """A sentence with named places, and its weight."""

    weight: Weight
    text: str


_H, _Q, _D = Weight.HELPFUL, Weight.QUALIFYING, Weight.DECISIVE

WORDINGS: Mapping[Kind, Wording] = {
    Kind.NOTHING_ESTABLISHED: Wording(
        _D, "No archive answered: nothing was established about what they hold."
    ),
    Kind.NOTHING_ASKED: Wording(_D, "No archive was asked: none of those named can answer this."),
    Kind.SOURCE_FAILED: Wording(
        _D, "{name} gave no usable answer ({code}): this says nothing about what it holds."
    ),
    Kind.PAGE_OPENINGS: Wording(
        _Q, "{count} of {name}'s excerpts open the page and do not show the match; open the page."
    ),
    Kind.NO_EXCERPT: Wording(
        _Q, "{count} of {name}'s hits came without an excerpt; open the address."
    ),
    Kind.NO_PAGE_NUMBER: Wording(
        _Q, "{name} gives no page number: find the passage at the address before citing a page."
    ),
    Kind.MACHINE_READ_TEXT: Wording(
        _Q, "Excerpts are mostly machine-read text: check the page image before quoting."
    ),
    Kind.WHOLE_BUNDLE: Wording(
        _Q, "Where a file is named, title, creator and year are the whole bundle's."
    ),
    Kind.DEFAULT_MEDIA_TYPE: Wording(
        _Q, "{name} was asked for {media_type} alone; it also files {others}."
    ),
    Kind.WORDING_FAILED: Wording(
        _Q, "{name} answered, but not for the further wording {wording!r} ({code})."
    ),
    Kind.WINDOW_FULL: Wording(
        _Q, "{name}: only {window} matches were looked through; more exist than were read."
    ),
    Kind.WINDOW_WITHOUT_WORKS: Wording(
        _Q,
        "{name}: the {window} matches looked through are editions, not works; whether a work "
        "matches was not established.",
    ),
    Kind.ROWS_CUT: Wording(_Q, "{name} cut its answer at its own row limit."),
    Kind.WORDS_SET_ASIDE: Wording(_Q, "{name} was asked without these words: {words}."),
    Kind.PHRASE_APPROXIMATE: Wording(
        _Q, "{name} treats a quoted phrase as approximate: check the words on the page."
    ),
    Kind.FILED_YEARS: Wording(
        _Q, "{name}: years are as filed and can be wrong, and so can a range or order of them."
    ),
    Kind.INDEX_PARTIAL: Wording(
        _Q, "{name}: {indexed} of {readable} readable books are indexed; the rest was not searched."
    ),
    Kind.UNRANKED: Wording(
        _Q, "{name}: there was no time to rank the matches; others may fit the words better."
    ),
    Kind.LIBRARY_UNREAD: Wording(
        _D, "{name}: the library {library!r} was not searched: {because}."
    ),
    Kind.LIBRARY_PROBLEM: Wording(
        _Q, "{name}: the library {library!r} is shown as it was {age} ago: {because}."
    ),
    Kind.PAST_THE_END: Wording(_Q, "{name}: page {page} lies past its last row."),
    Kind.MORE_AVAILABLE: Wording(_H, "More at {names}: ask for page {page}."),
    Kind.ROWS_LEFT_OUT: Wording(
        _Q, "{count} more rows did not fit: ask with limit {limit}, from page {page} on."
    ),
    Kind.PARTS_LEFT_OUT: Wording(
        _Q, "{count} more {what} did not fit: ask for fewer sections, or open the address."
    ),
    Kind.NO_TERMS_STATED: Wording(
        _Q, "No terms of reuse are stated: nothing has been granted by that silence."
    ),
    Kind.TERMS_OF_COLLECTION: Wording(
        _Q, "The terms are those of {covers}, not of this record alone."
    ),
    Kind.PAST_THE_PROSE: Wording(
        _Q, "text_offset {offset} lies past the end ({total} characters)."
    ),
    Kind.MORE_PROSE: Wording(_H, "The text goes on: ask with text_offset {offset}."),
    Kind.MORE_COPIES: Wording(
        _H, "{shown} of {available} copies are listed: max_copies takes up to 50."
    ),
}


class Derivation(StrEnum):
    """How a wording was made from the query."""

    AS_ASKED = "as_asked"
    UNQUOTED = "unquoted"
    NFC = "nfc"
    NAMES = "names"
    LONGEST_WORDS = "longest_words"
    FOLDED = "folded"
    JOINED = "joined"
    JOINED_FOLDED = "joined_folded"


DERIVATIONS: Mapping[Derivation, str] = {
    Derivation.AS_ASKED: "as asked",
    Derivation.UNQUOTED: "without its quotation marks",
    Derivation.NFC: "with its accents composed",
    Derivation.NAMES: "the names it marks with capitals",
    Derivation.LONGEST_WORDS: "its longest words",
    Derivation.FOLDED: "without diacritics",
    Derivation.JOINED: "its two words run together",
    Derivation.JOINED_FOLDED: "run together, without diacritics",
}


IN_ANOTHER_FIELD = ", in another field"
"""Follows a derivation where the same words were asked once more."""


class Withheld(StrEnum):
    """Why a wording was not sent."""

    ENOUGH_FOUND = "enough_found"
    REQUESTS_SPENT = "requests_spent"
    EARLIER_FAILURE = "earlier_failure"
    NO_TIME = "no_time"
    NOT_SENT = "not_sent"


WITHHELD: Mapping[Withheld, str] = {
    Withheld.ENOUGH_FOUND: "earlier wordings found enough",
    Withheld.REQUESTS_SPENT: "three requests an archive is the limit",
    Withheld.EARLIER_FAILURE: "an earlier wording failed",
    Withheld.NO_TIME: "no time was left for it",
    Withheld.NOT_SENT: "it was refused before anything was sent: see the error",
}


class Order(StrEnum):
    """How a merged list was built."""

    EMPTY = "empty"
    ONE_ARCHIVE = "one_archive"
    INTERLEAVED = "interleaved"
    PASSAGES_FIRST_ONE = "passages_first_one"
    PASSAGES_FIRST = "passages_first"


ORDERS: Mapping[Order, str] = {
    Order.EMPTY: "no rows",
    Order.ONE_ARCHIVE: "the archive's own order",
    Order.INTERLEAVED: (
        "one row from each archive in turn, in its own order; no score spans archives"
    ),
    Order.PASSAGES_FIRST_ONE: "passages before page openings, else the archive's own order",
    Order.PASSAGES_FIRST: (
        "passages before page openings, else one row from each archive in turn, in its own order; "
        "no score spans archives"
    ),
}


class Total(StrEnum):
    """What an archive's count is a count of."""

    OF_THE_QUERY = "of_the_query"
    OF_ONE_WORDING = "of_one_wording"


TOTALS: Mapping[Total, str] = {
    Total.OF_THE_QUERY: "{counts}, by its own count",
    Total.OF_ONE_WORDING: "{counts}, by its own count, for {wording!r} ({derivation}) alone",
}

FILES_NOTHING = "it files nothing under {media_type!r}; its own names: {vocabulary}"
"""Why an archive is not asked for a kind of material that it does not know."""

NOT_OFFERED = "it does not offer this"
"""Why an archive that states no reason does not answer a question or apply a narrowing."""


def say(kind: Kind, **values: object) -> str:
    """Return the sentence of `kind` with its places filled."""
    return WORDINGS[kind].text.format(**values)
