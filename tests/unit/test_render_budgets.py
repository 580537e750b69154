"""The fixed answers stay short, with everything in them."""

from __future__ import annotations

import pytest

from mcp_books._fitting import structured_size
from mcp_books._render import fit, render_inside, render_items

from .answers import PROFILES
from .fixed_answers import fixed_inside, fixed_items

pytestmark = pytest.mark.proves("10.7")


def test_six_hits_with_their_excerpts_take_under_5000_characters_and_8000_structured() -> None:
    whole = fixed_inside()
    answer, text = fit(whole, lambda each: render_inside(each, PROFILES))
    assert answer == whole
    assert [len(hit.excerpts) for hit in answer.hits] == [2, 1, 2, 1, 2, 1]
    assert all(excerpt in text for hit in answer.hits for excerpt in hit.excerpts)
    assert all(hit.id in text and hit.source_url in text for hit in answer.hits)
    assert all(len(hit.title or "") == 80 for hit in answer.hits)
    assert len(text) < 5_000
    assert structured_size(answer) < 8_000


def test_fifteen_catalogue_rows_take_under_4800_characters_and_11000_structured() -> None:
    whole = fixed_items()
    answer, text = fit(whole, lambda each: render_items(each, PROFILES))
    assert answer == whole
    assert len(answer.items) == 15
    assert all(row.id in text and row.source_url in text for row in answer.items)
    assert [
        len(report.filters_dropped) for report in answer.per_source if report.status != "absent"
    ] == [0, 0, 2]
    assert len(text) < 4_800
    assert structured_size(answer) < 11_000
