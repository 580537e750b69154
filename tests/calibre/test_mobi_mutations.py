"""Sound MOBI files with bytes changed: nothing but text or a status ever comes of them."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mcp_books.sources.calibre.extract.base import LONGEST_STRETCH, Incomplete, Stretch, Unreadable
from mcp_books.sources.calibre.extract.mobi import read
from tests.calibre.mobi_files import HUFFMAN, PALMDOC, Mobi, joint, kf8
from tests.calibre.mobi_texts import FILES, chaptered, kf8_chapters, markup

_TEXT, _CHAPTERS = chaptered(["One", "Two", "Three"], 1200)
_GOOD = {
    "palmdoc": Mobi(_TEXT, PALMDOC, trailing=0b11, chapters=_CHAPTERS).file(),
    "huffman": Mobi(_TEXT, HUFFMAN, chapters=_CHAPTERS).file(),
    "kf8": kf8(FILES * 4, kf8_chapters(), toc=(2, 0), styles=b"p { color: red }").file(),
    "joint": joint(Mobi(markup("old words"), PALMDOC), kf8(FILES, kf8_chapters())),
}
_NUMBERS = [0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF]


def _outcome(data: bytes) -> list[Stretch]:
    """Read the file with these bytes; anything but a status is the test's failure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "book.mobi")
        path.write_bytes(data)
        found: list[Stretch] = []
        with suppress(Unreadable, Incomplete):
            found.extend(read(path))
        return found


def _check(data: bytes) -> None:
    for stretch in _outcome(data):
        assert 0 < len(stretch.text) <= LONGEST_STRETCH
        assert stretch.page_number is None


@pytest.mark.parametrize("kind", _GOOD)
@settings(
    max_examples=60,
    deadline=10_000,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(data=st.data())
def test_changed_bytes_end_in_text_or_a_status(kind: str, data: st.DataObject) -> None:
    file = bytearray(_GOOD[kind])
    places = st.integers(0, len(file) - 4)
    changes = st.tuples(places, st.sampled_from(_NUMBERS) | st.integers(0, 0xFFFFFFFF))
    for place, value in data.draw(st.lists(changes, min_size=1, max_size=8)):
        width = data.draw(st.sampled_from((1, 2, 4)))
        file[place : place + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "big")
    _check(bytes(file))


@pytest.mark.parametrize("kind", _GOOD)
@settings(max_examples=40, deadline=10_000, derandomize=True)
@given(data=st.data())
def test_cut_doubled_and_moved_pieces_end_in_text_or_a_status(
    kind: str, data: st.DataObject
) -> None:
    file = _GOOD[kind]
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(file))] * 2)))
    piece = file[start:end]
    at = data.draw(st.integers(0, len(file)))
    _check(file[:at] + piece * data.draw(st.integers(0, 2)) + file[at:])
    _check(file[:start] + file[end:])


@settings(max_examples=60, deadline=10_000, derandomize=True)
@given(st.binary(max_size=400))
@example(b"")
def test_any_bytes_end_in_text_or_a_status(data: bytes) -> None:
    _check(data)
    _check(bytes(60) + b"BOOKMOBI" + data)
