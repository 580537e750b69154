"""What a model is told before it asks: instructions and tool descriptions, from the profiles."""

from __future__ import annotations

from collections.abc import Sequence

from .sources.base import Profile, Question

__all__ = ["DESCRIPTIONS", "TITLES", "choices", "describe", "guidance", "instructions"]

TITLES: dict[Question, str] = {
    "search_inside": "Search inside books and newspapers",
    "search_items": "Search catalogues",
    "get_item": "Read one record",
}

DESCRIPTIONS: dict[Question, str] = {
    "search_inside": """\
Find words, or a phrase in double quotes, inside the text of books and newspapers. Every archive \
that holds text is asked at once:
{corpora}
A hit carries its id (for get_item), address, title, page and excerpts. excerpt_kind says what \
they are: `passage` is the text around the words; `page_opening` is only the start of the page \
and does NOT carry the match. page_number is what the archive counts by, null where its index \
holds none. Text is machine-read: quote it only after opening the address.""",
    "search_items": """\
Find records in catalogues by title, creator or subject. All archives are asked at once; what \
each one matches:
{catalogues}
media_type is in an archive's own words and never translated; an archive without that word is \
not asked. Words of each: {vocabularies}. Years and sort are not sent to an archive that cannot \
apply them, and filters_dropped says so. A row's year and date are as filed.""",
    "get_item": """\
Read one record: description, subjects, digital copies, terms of reuse. Takes the id of a hit or \
row, an address on an archive's own site, or a bare identifier if only one archive has that \
shape. E.g. {examples}. Terms of reuse always come; a record that states none has granted \
nothing. Long prose is read on with text_offset = text_window.next_offset.""",
}

_INSTRUCTIONS = """\
Searches inside digitised books and newspapers, and in library catalogues, in several archives at \
once; what each archive said stays apart.
{demonstration}\
{archives}
Words said or printed in a text: search_inside. A title, creator or subject: search_items. An id \
or address: get_item. Use the words that would be printed; an exact phrase goes in double quotes.
limit is per archive; page pages each archive apart. If too little is found, wordings made from \
the query are sent too; found_by_query and queries say which.
per_source says what each archive did. answered with 0: asked, found nothing for that wording. \
failed: no usable answer, so nothing is known about what it holds. absent: not asked, with \
the reason. A total is one archive's own count of one wording: never add totals or compare them; \
no order spans archives.
Cite source_url and credit the archive as the answer does. A page_opening does not show the match.\
"""

_DEMONSTRATION = """\
DEMONSTRATION: the archives are stand-ins on this machine with invented records; no archive holds \
them.
"""


_SOURCES = "Archives to ask; leave out for all that can answer."
_GUIDANCE: dict[Question, dict[str, str]] = {
    "search_inside": {
        "sources": _SOURCES,
        "max_excerpt_chars": "Length of an excerpt.",
        "max_excerpts_per_match": "Excerpts of one match.",
    },
    "search_items": {
        "sources": _SOURCES,
        "media_type": "Kind of material, in an archive's own word; leave out for each one's usual.",
        "year_from": "Earliest year, as the archive files it.",
        "year_to": "Latest year.",
        "sort": "Order within each archive.",
    },
    "get_item": {
        "sections": "What to return; terms of reuse always come.",
        "max_copies": "Digital copies listed.",
        "max_text_chars": "Characters of prose in one answer.",
    },
}


def instructions(profiles: Sequence[Profile], *, demonstration: bool = False) -> str:
    """Return the server's instructions: what it is for, what to choose, how to read an answer."""
    return _INSTRUCTIONS.format(
        demonstration=_DEMONSTRATION if demonstration else "",
        archives="\n".join(map(_archive, profiles)),
    )


def describe(question: Question, profiles: Sequence[Profile]) -> str:
    """Return the description of the tool that asks `question`."""
    able = [one for one in profiles if question not in one.cannot]
    return DESCRIPTIONS[question].format(
        corpora="\n".join(f"- {one.id}: {one.corpus}" for one in able),
        catalogues="\n".join(f"- {one.id}: {', '.join(one.searches_on)}" for one in able),
        vocabularies="; ".join(map(_vocabulary, filter(_has_vocabulary, able))),
        examples=", ".join(_example(one) for one in able),
    )


def choices(question: Question, profiles: Sequence[Profile]) -> dict[str, list[str]]:
    """Return, by argument, the values that exist among `profiles`."""
    if question == "get_item":
        return {}
    found = {"sources": [one.id for one in profiles]}
    if question == "search_items":
        words = dict.fromkeys(word for one in profiles for word in one.media_types)
        found["media_type"] = list(words)
    return found


def guidance(question: Question) -> dict[str, str]:
    """Return, by argument, what a model is told of it where the argument does not say it itself."""
    return _GUIDANCE[question]


def _archive(profile: Profile) -> str:
    refused = "".join(f" No {question} ({reason})." for question, reason in profile.cannot.items())
    questions = ", ".join(name for name in TITLES if name not in profile.cannot)
    return f"{profile.id} ({profile.name}): {questions}.{refused}"


def _has_vocabulary(profile: Profile) -> bool:
    return bool(profile.media_types)


def _vocabulary(profile: Profile) -> str:
    words = f"{profile.id}: {', '.join(profile.media_types)}"
    usual = profile.default_media_type if len(profile.media_types) > 1 else None
    return f"{words} (default {usual})" if usual else words


def _example(profile: Profile) -> str:
    first = profile.examples[0]
    return first if "://" in first else f"{profile.id}:{first.removeprefix(f'{profile.id}:')}"
