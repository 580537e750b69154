"""Texts for the MOBI files that tests write."""

from __future__ import annotations

from collections.abc import Sequence

from tests.calibre.mobi_files import Chapter, Kf8File

__all__ = ["FILES", "chaptered", "kf8_chapters", "markup"]


def markup(text: str) -> bytes:
    """Return a document of one paragraph."""
    return f"<html><body><p>{text}</p></body></html>".encode()


def chaptered(titles: Sequence[str], words: int) -> tuple[bytes, list[Chapter]]:
    """Return a document with a chapter for each title, and the entries that lead to them."""
    text = "<html><head></head><body><p>before the first</p>"
    chapters: list[Chapter] = []
    for title in titles:
        chapters.append(Chapter(title, len(text)))
        text += f"<h1>{title}</h1><p>{'words of the chapter ' * (words // 4)}</p><mbp:pagebreak/>"
    return f"{text}</body></html>".encode(), chapters


def _file(name: str) -> Kf8File:
    head = f"<html><head><title>{name}</title></head><body>".encode()
    first = f"<div><p>{name} starts here</p>".encode()
    return Kf8File(head, (first, b"<p>and goes on there</p></div>"), b"</body></html>")


FILES = [_file(name) for name in ("one", "two", "three")]


def kf8_chapters() -> list[Chapter]:
    """Return entries into `FILES`: a chapter, one below it, and one that lasts to the end."""
    return [
        Chapter("Première", 0, fragment=0),
        Chapter("Second", 0, fragment=2),
        Chapter("Inside", 0, parent=0, fragment=1),
    ]
