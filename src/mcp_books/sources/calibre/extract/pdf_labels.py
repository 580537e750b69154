"""The page labels that a PDF states.

PDFium counts 1, 2, 3… on pages its label tree says nothing of: before the first range, and on all
pages when the tree is empty. Such labels are not the file's, and are left out. As PDFium does not
show the tree, its first key is looked up in the file where a label might be such a count.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import pypdfium2  # type: ignore[import-untyped]  # it ships no types

__all__ = ["LONGEST_LABEL", "PageLabels"]

LONGEST_LABEL = 100
"""A longer label is no number printed on a page."""

_BLOCK = 1 << 20
_OVERLAP = 64
_LONGEST_NODE = 1000
_LONGEST_HEAD = 400
_MOST_INFLATED = 1 << 22
_MOST_PLACES = 4000
_DEEPEST = 20

_LABELS, _STREAMS = b"/PageLabels", b"/ObjStm"
_TREE = re.compile(rb"\s*(?:(\d+\s+\d+)\s+R|(?=<<))")
_NODE = re.compile(
    rb"\s*<<\s*(?:/Limits\s*\[[^\]]*\]\s*|/Type\s*/\w+\s*)*/(Nums|Kids)\s*(?:(\d+\s+\d+)\s+R|(?=\[))"
)
_KEY = re.compile(rb"\s*\[\s*(\d+)\s*(?:<<|\d+\s+\d+\s+R)")
_KID = re.compile(rb"\s*\[\s*(?:(\d+\s+\d+)\s+R|(?=<<))")
_FIRST = re.compile(rb"/First\s+(\d+)")
_STREAM = re.compile(rb">>\s*stream\r?\n")


class PageLabels:
    """The labels of one document, read from it page by page."""

    def __init__(self, document: pypdfium2.PdfDocument, file: BinaryIO) -> None:
        """Take the open document, and the file it was read from."""
        self._document = document
        self._first: int | None = 0
        if document.get_page_label(0) == "1":
            self._first = _Objects(file).first_labelled()

    def at(self, index: int) -> str | None:
        """Return the label of the page of this index, None where the file states none.

        Where its tree cannot be found, a label that is also the physical number counts as none.
        """
        label = str(self._document.get_page_label(index))
        if not label.strip() or len(label) > LONGEST_LABEL:
            return None
        stated = label != str(index + 1) if self._first is None else index >= self._first
        return label if stated else None


class _Objects:
    """Finds single objects in a PDF file, the latest of those with one number."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._marks = list(self._find(_LABELS, _STREAMS))

    def first_labelled(self) -> int | None:
        """Return the index of the first page in the label tree, None where that cannot be told."""
        for text in self._trees():
            tree = _TREE.match(text)
            if tree is not None:
                return self._first_key(self._object(tree[1]) if tree[1] else text)
        return None

    def _first_key(self, node: bytes) -> int | None:
        for _ in range(_DEEPEST):
            head = _NODE.match(node)
            if head is None:
                return None
            array = self._object(head[2]) if head[2] else node[head.end() :]
            if head[1] == b"Nums":
                key = _KEY.match(array)
                return int(key[1]) if key else None
            kid = _KID.match(array)
            if kid is None:
                return None
            node = self._object(kid[1]) if kid[1] else array[kid.end() :]
        return None

    def _trees(self) -> Iterator[bytes]:
        """Yield what follows each `/PageLabels`, the latest first: updates stand behind."""
        for place, mark in reversed(self._marks):
            if mark == _LABELS:
                yield self._read(place + len(mark), _LONGEST_NODE)
                continue
            text = self._inflated(place)[1]
            start = text.rfind(_LABELS)
            if start >= 0:
                yield text[start + len(_LABELS) :][:_LONGEST_NODE]

    def _object(self, reference: bytes) -> bytes:
        """Return the beginning of an object's text, nothing where it is not found."""
        number, generation = reference.split()
        head = b"%b %b obj" % (number, generation)
        plain = max((place for place, _ in self._find(head) if self._begins(place)), default=-1)
        for place, mark in reversed(self._marks):
            if place < plain:
                break
            if mark == _STREAMS:
                index, text = self._inflated(place)
                if number in index:
                    return text[index[number] :][:_LONGEST_NODE]
        return self._read(plain + len(head), _LONGEST_NODE) if plain >= 0 else b""

    def _begins(self, place: int) -> bool:
        """Say whether the number that stands here begins here."""
        return place == 0 or not self._read(place - 1, 1).isdigit()

    def _inflated(self, place: int) -> tuple[dict[bytes, int], bytes]:
        """Return the offsets of the objects in the stream whose type stands here, and its text.

        A stream that is encrypted, or damaged, holds none.
        """
        start = max(0, place - _LONGEST_HEAD)
        around = self._read(start, 2 * _LONGEST_HEAD)
        stream = _STREAM.search(around, place - start)
        if stream is None:
            return {}, b""
        first = _FIRST.search(around, max(0, around.rfind(b"obj", 0, place - start)), stream.end())
        packed = self._read(start + stream.end(), _BLOCK)
        try:
            text = zlib.decompressobj().decompress(packed, _MOST_INFLATED)
        except zlib.error:
            return {}, b""
        offset = int(first[1]) if first else 0
        words = text[:offset].split()
        pairs = zip(words[::2], words[1::2], strict=False)
        # The length is tested first: int() refuses thousands of digits.
        return {
            number: offset + int(at) for number, at in pairs if len(at) < 10 and at.isdigit()
        }, text

    def _find(self, *words: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the place of every word in the file, in order, and the word; not all of a flood."""
        base, window, count = 0, b"", 0
        while block := self._read(base + len(window), _BLOCK):
            known = len(window)
            window += block
            places = []
            for word in words:
                at = window.find(word, max(0, known - len(word) + 1))
                while at >= 0:
                    places.append((base + at, word))
                    at = window.find(word, at + 1)
            yield from sorted(places)[: _MOST_PLACES - count]
            count += len(places)
            if count >= _MOST_PLACES:
                return
            base += max(0, len(window) - _OVERLAP)
            window = window[-_OVERLAP:]

    def _read(self, place: int, size: int) -> bytes:
        self._file.seek(place)
        return self._file.read(size)
