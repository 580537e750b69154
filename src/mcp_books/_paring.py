"""Which part of a record an answer carries: sections, a window of its prose, copies. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from .arguments import RecordRequest, Section
from .models import Record, TextWindow

__all__ = ["SECTION_FIELDS", "pare", "unread_fields", "window"]

SECTION_FIELDS: Mapping[Section, tuple[str, ...]] = {
    "description": ("description", "description_means", "notes"),
    "subjects": ("subjects",),
    "copies": ("copies", "copies_available", "generated_entries"),
    "context": ("context",),
}


def pare(record: Record, request: RecordRequest) -> tuple[Record, TextWindow | None]:
    """Return `record` with the sections asked for, and where its prose was cut."""
    values = {name: getattr(record, name) for name in record.model_fields_set}
    for section in get_args(Section):
        if section not in request.sections:
            for name in SECTION_FIELDS[section]:
                values.pop(name, None)
    if "copies" in values:
        values["copies"] = record.copies[: request.max_copies]
    cut = None
    if "description" in request.sections and {"description", "notes"} & set(values):
        cut = _cut_prose(values, record, request)
    return Record(**values), cut


def unread_fields(record: Record) -> tuple[str, ...]:
    """Return the fields this archive's records never fill, as against those that are empty."""
    optional = [name for fields in SECTION_FIELDS.values() for name in fields]
    return tuple(name for name in optional if name not in record.model_fields_set)


def window(text: str, offset: int, limit: int) -> TextWindow:
    """Return the part of `text` from `offset`, ended at a line boundary (else a space)."""
    end = min(len(text), offset + limit)
    if end < len(text):
        # A line end in the first half would return too little of what was asked for.
        line, space = text.rfind("\n", (offset + end) // 2, end), text.rfind(" ", offset + 1, end)
        found = line if line > offset else space
        end = found + 1 if found > offset else end
    returned = max(0, end - offset)
    return TextWindow(
        offset=offset,
        returned_chars=returned,
        total_chars=len(text),
        next_offset=end if returned and end < len(text) else None,
    )


def _cut_prose(values: dict[str, object], record: Record, request: RecordRequest) -> TextWindow:
    """Page the description and the notes after it as one text, and share the window out again."""
    description = record.description or ""
    text = "\n".join(part for part in (description, *record.notes) if part)
    cut = window(text, request.text_offset, request.max_text_chars)
    start, end = cut.offset, cut.offset + cut.returned_chars
    if record.description is not None and start < len(description):
        values["description"] = description[start:end].rstrip("\n")
    elif record.description:
        del values["description"]  # this window lies in the notes
    if "notes" in values:
        values["notes"] = _lines(text[max(start, len(description)) : end])
    return cut


def _lines(text: str) -> Sequence[str]:
    return tuple(line for line in text.split("\n") if line)
