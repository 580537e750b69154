"""The parts from which the lines of a text block are put together. Foreign text is made safe."""

from __future__ import annotations

from ._defuse import address, identifier, one_line
from .reports import Note

__all__ = [
    "NOT_STATED",
    "dated",
    "explained",
    "handle",
    "joined",
    "labelled",
    "note_line",
    "or_not_stated",
]

NOT_STATED = "[not stated]"

_SENTENCE_ENDS = (".", "!", "?", "…", ":", ".'", '."', ".)")


def handle(record_id: str, url: str) -> str:
    """Return the line that gives a row's identifier and address."""
    return f"  id: {identifier(record_id)} · {address(url)}"


def note_line(note: Note) -> str:
    """Return the line of `note`."""
    return f"note: {one_line(note.text)}"


def explained(code: str, message: str, hint: str | None, *, source: str | None = None) -> str:
    """Return an error in one line, the code in brackets first."""
    where = f" {source}:" if source else ""
    said = f"[{code}]{where} {one_line(message)}"
    if not hint:
        return said
    return f"{said}{'' if said.endswith(_SENTENCE_ENDS) else '.'} {one_line(hint)}"


def dated(published: str | None, year: int | None) -> str:
    """Return a date as published, with the year as filed where the date does not show it."""
    text = one_line(published or "")
    if year is None:
        return text or "no date"
    if not text:
        return str(year)
    return text if str(year) in text else f"{text} ({year})"


def or_not_stated(text: str | None) -> str:
    """Return `text` made safe, or what stands for a value that nobody stated."""
    return one_line(text or "") or NOT_STATED


def labelled(label: str, text: str) -> list[str]:
    """Return the line of `label`, none where there is nothing to say."""
    return [f"{label}: {text}"] if text else []


def joined(*parts: str) -> str:
    """Return the parts that say something, in one line."""
    return " · ".join(part for part in parts if part)
