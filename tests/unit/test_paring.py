from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books._paring import pare, unread_fields, window
from mcp_books.arguments import RecordRequest
from mcp_books.models import DigitalCopy
from tests.fakes import record

COPY = DigitalCopy(label="PDF", format="pdf", url="https://alpha.example/a.pdf")


def _request(**arguments: object) -> RecordRequest:
    return RecordRequest.of({"identifier": "alpha:alpha-1", **arguments})


def test_only_the_sections_asked_for_are_kept_and_terms_always() -> None:
    full = record(description="Text", subjects=("Whales",), copies=(COPY,), copies_available=1)
    pared, _ = pare(full, _request(sections=["subjects"]))
    assert pared.subjects == ("Whales",)
    assert "description" not in pared.model_fields_set
    assert "copies" not in pared.model_fields_set
    assert pared.rights.covers == "this item"


@pytest.mark.proves("10.5")
def test_fields_an_archive_never_fills_are_named_and_empty_ones_are_not() -> None:
    full = record(description=None, subjects=())
    assert "description" not in unread_fields(full)
    assert "notes" in unread_fields(full)


def test_copies_are_cut_at_the_number_asked_for() -> None:
    full = record(copies=(COPY,) * 5, copies_available=5)
    pared, _ = pare(full, _request(sections=["copies"], max_copies=2))
    assert (len(pared.copies), pared.copies_available) == (2, 5)


def test_prose_resumes_where_it_was_cut_and_nothing_is_lost() -> None:
    description = "\n".join(f"Line {n} of the description of this thing." for n in range(40))
    notes = tuple(f"Note {n}." for n in range(60))
    full = record(description=description, notes=notes)
    offset: int | None = 0
    seen_description, seen_notes = "", list[str]()
    while offset is not None:
        pared, cut = pare(full, _request(text_offset=offset, max_text_chars=200))
        assert cut is not None
        assert len(pared.description or "") <= 200
        seen_description += (pared.description or "") + "\n"
        seen_notes += pared.notes
        offset = cut.next_offset
    assert [line for line in seen_description.split("\n") if line] == description.split("\n")
    assert tuple(seen_notes) == notes


def test_an_offset_past_the_end_returns_nothing() -> None:
    pared, cut = pare(record(description="short"), _request(text_offset=400))
    assert cut is not None
    assert "description" not in pared.model_fields_set
    assert (cut.returned_chars, cut.next_offset) == (0, None)


@given(st.text(max_size=500), st.integers(0, 600), st.integers(1, 200))
def test_a_window_stays_inside_the_text_and_goes_forward(
    text: str, offset: int, limit: int
) -> None:
    cut = window(text, offset, limit)
    assert 0 <= cut.returned_chars <= limit
    assert cut.next_offset is None or offset < cut.next_offset < len(text)
    assert cut.next_offset is not None or offset + cut.returned_chars >= len(text)
