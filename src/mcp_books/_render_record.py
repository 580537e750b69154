"""One record as its text block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ._defuse import LINE_MARK, address, identifier, one_line, quoted_lines
from ._lines import NOT_STATED, dated, handle, joined, labelled, note_line, or_not_stated
from .models import DigitalCopy, Rights
from .reports import RecordAnswer
from .sources.base import Profile

__all__ = ["render_record"]


def render_record(answer: RecordAnswer, profiles: Mapping[str, Profile] | None = None) -> str:
    """Return the text block of one record; it needs nothing of `profiles`."""
    item = answer.item
    lines = [
        f"record: {or_not_stated(item.title)}",
        handle(item.id, item.source_url),
        joined(
            f"  by {or_not_stated(item.creator)}",
            dated(item.date, item.year),
            one_line(item.media_type or ""),
            "id may change" if item.identifier_provisional else "",
        ),
        *labelled("read as", identifier(answer.id_read_as or "")),
        f"terms: {_terms(item.rights)}",
        *_prose(answer),
    ]
    if item.subjects:
        subjects = "; ".join(map(one_line, item.subjects))
        lines.append(f"subjects ({len(item.subjects)}): {subjects}")
    if "copies" in item.model_fields_set:
        lines += _copies(item.copies, item.copies_available, item.generated_entries)
    if item.context:
        lines.append("context:")
        lines += [
            f"{LINE_MARK}{one_line(label)}: {'; '.join(map(one_line, values))}"
            for label, values in item.context.items()
        ]
    lines += labelled("sections left out", ", ".join(answer.sections_omitted))
    lines += labelled("not filled here", ", ".join(answer.fields_not_read_from_this_archive))
    lines += map(note_line, answer.notes)
    lines.append(f"credit: {one_line(item.attribution)}")
    return "\n".join(lines)


def _prose(answer: RecordAnswer) -> Iterator[str]:
    item, window = answer.item, answer.text_window
    if "description" in item.model_fields_set:
        means = one_line(item.description_means or "")
        part = ""
        if window is not None:
            end = window.offset + window.returned_chars
            part = f"characters {window.offset} to {end} of {window.total_chars}"
        detail = "; ".join(filter(None, (means, part)))
        label = f"description ({detail}):" if detail else "description:"
        if item.description is None:
            yield f"{label} {NOT_STATED}"
        else:
            yield label
            yield from quoted_lines(item.description)
    if item.notes:
        yield "record notes:"
        for note in item.notes:
            yield from quoted_lines(note)


def _copies(
    copies: Sequence[DigitalCopy], available: int | None, generated: int | None
) -> Iterator[str]:
    in_all = f" of {available}" if available is not None else ""
    left_out = f"; {generated} generated entries left out" if generated else ""
    yield f"copies ({len(copies)}{in_all}{left_out}):"
    for copy in copies:
        described = joined(one_line(copy.label), one_line(copy.format or ""), address(copy.url))
        yield f"{LINE_MARK}{described}"


def _terms(rights: Rights) -> str:
    stated = one_line(rights.statement) if rights.statement else ""
    link = address(rights.url) if rights.url else ""
    return joined(
        stated or ("" if link else "none stated"),
        link,
        f"about {one_line(rights.covers)}",
        one_line(rights.note or ""),
    )
