"""Which part of a record an answer carries: sections, a window of its prose, copies. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from .arguments import RecordRequest, Section
from .models import Record, TextWindow

__all__ = ["SECTION_FIELDS", "pare", "part_of_prose", "prose", "unread_fields", "window"]

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


def prose(record: Record) -> str:
    """Return the description and the notes after it as the one text that is paged."""
    return "\n".join(part for part in (record.description or "", *record.notes) if part)


def part_of_prose(record: Record, start: int, end: int) -> dict[str, object]:
    """Return the description and the notes that stand in the prose from `start` to `end`.

    A description that ends before `start` is left out.
    """
    described = len(record.description or "")
    part: dict[str, object] = {}
    if record.description is not None and (start < described or not described):
        part["description"] = record.description[start:end].rstrip("\n")
    if "notes" in record.model_fields_set:
        part["notes"] = _lines(prose(record)[max(start, described) : end])
    return part


def _cut_prose(values: dict[str, object], record: Record, request: RecordRequest) -> TextWindow:
    cut = window(prose(record), request.text_offset, request.max_text_chars)
    if record.description:
        del values["description"]
    values |= part_of_prose(record, cut.offset, cut.offset + cut.returned_chars)
    return cut


def _lines(text: str) -> Sequence[str]:
    return tuple(line for line in text.split("\n") if line)
