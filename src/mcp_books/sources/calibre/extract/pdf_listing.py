"""Tells the pages of a table of contents and of a back-of-book index from those of the text.

A page is one when at least half of its lines, and three, end in a page number, and besides

- one of its first three lines, or its path in the outline, is a name for contents or for an index;
- or it follows such a page, and four fifths of its lines end in a number;
- or half of its lines lead to the number by a row of dots (contents, after an index: index).

Anything less is text: a page wrongly listed last is harder to find than one listed first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from mcp_books.sources.calibre.extract.base import StretchKind

__all__ = ["ListingPages"]

_FEWEST_LINES = 3
_HEADING_LINES = 3
_DIGITS = "0123456789٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹０１２３４５６７８９"
_LEADERS = ".·․‥…"
_REFERENCE = _DIGITS + "ivxlc,–-*fn "
_ROMAN = re.compile(r"[ivxlc]{1,7}")
_AROUND_NAME = re.compile(r"^(?:\d+|[ivxlc]+)\b[ .|–—-]*|[ .:|–—-]*\b(?:\d+|[ivxlc]+)$|[.: ]+$")


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in re.split(r"[|\n]", text) if name.strip())


_CONTENTS = _names(
    """
    contents|table of contents|brief contents|detailed contents|contents in brief|inhalt
    inhaltsverzeichnis|inhaltsübersicht|table des matières|sommaire|índice|índice general|contenido
    sumario|sumário|conteúdo|indice|indice generale|sommario|inhoud|inhoudsopgave|innehåll
    innehållsförteckning|indhold|indholdsfortegnelse|innhold|innholdsfortegnelse|sisällys
    sisällysluettelo|spis treści|obsah|tartalom|tartalomjegyzék|cuprins|içindekiler|содержание
    оглавление|зміст|съдържание|садржај|περιεχόμενα|תוכן|תוכן העניינים|المحتويات|الفهرس|فهرست
    目录|目錄|目次|차례|목차|mục lục|daftar isi
    """
)
_INDEX = _names(
    """
    index|general index|subject index|author index|name index|index of names|index of subjects
    index of persons|index of places|register|sachregister|personenregister|namenregister
    namensregister|ortsregister|stichwortverzeichnis|sachverzeichnis|namensverzeichnis
    personenverzeichnis|index des noms|index des noms propres|index des matières|index général
    index thématique|índice alfabético|índice analítico|índice onomástico|índice de nombres
    índice remissivo|indice analitico|indice dei nomi|zakenregister|personregister|skorowidz|indeks
    rejstřík|tárgymutató|név- és tárgymutató|dizin|предметный указатель|именной указатель
    алфавитный указатель|указатель имен|ευρετήριο|索引|찾아보기|색인
    """
)


class ListingPages:
    """Judges the pages of one document, in their order."""

    def __init__(self) -> None:
        self._before: StretchKind = "body"

    def kind(self, text: str, titles: Sequence[str]) -> StretchKind:
        """Return what the next page is; `titles` is its path in the outline."""
        self._before = self._judge(text.split("\n"), titles)
        return self._before

    def _judge(self, lines: Sequence[str], titles: Sequence[str]) -> StretchKind:
        numbered = sum(map(_numbered, lines))
        if numbered < _FEWEST_LINES or 2 * numbered < len(lines):
            return "body"
        leaders = sum(map(_led, lines))
        led = leaders >= _FEWEST_LINES and 2 * leaders >= len(lines)
        called = _called([*lines[:_HEADING_LINES], *reversed(titles)])
        if called is not None:
            return called
        if self._before != "body" and (led or 5 * numbered >= 4 * len(lines)):
            return self._before
        return "contents" if led else "body"


def _numbered(line: str) -> bool:
    """Say whether a line ends in a page number: "Whales 12", "Whales, 45–47", "Preface ix"."""
    head, _, last = line.rpartition(" ")
    last = last.rstrip(".,*fn")
    if head and _ROMAN.fullmatch(last):
        return True
    before = last.rstrip(_DIGITS)
    if not 1 <= len(last) - len(before) <= 4:
        return False
    return before[-1] in "-–.·…," if before else bool(head)


def _led(line: str) -> bool:
    """Say whether a row of dots leads to the page number that ends a line."""
    head = line.rstrip(_REFERENCE)
    tail = head[-12:].replace(" ", "")
    dots = tail[len(tail.rstrip(_LEADERS)) :]
    return head != line and (len(dots) >= 4 or "……" in dots)


def _called(names: Iterable[str]) -> StretchKind | None:
    """Return what the first of the names that is one stands for."""
    for name in names:
        # Without its dot, the capital İ of Turkish is casefolded to a plain i.
        plain = unicodedata.normalize("NFKC", name).casefold().replace("\u0307", "")
        plain = " ".join(_AROUND_NAME.sub("", plain).split())
        if plain in _CONTENTS:
            return "contents"
        if plain in _INDEX:
            return "index"
    return None
