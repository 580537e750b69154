from __future__ import annotations

import pytest

from mcp_books._merging import (
    hit_key,
    interleave,
    order_of_hits,
    order_of_rows,
    passages_first,
)
from mcp_books._phrases import Order
from tests.fakes import hit, row


@pytest.mark.proves("6.2")
def test_rows_interleave_one_from_each_archive_in_its_own_order() -> None:
    alpha = [row("alpha", f"a{n}") for n in range(3)]
    beta = [row("beta", "b0")]
    merged = [each.identifier for each in interleave([alpha, beta])]
    assert merged == ["a0", "b0", "a1", "a2"]


@pytest.mark.proves("6.3")
def test_passages_come_first_and_nothing_is_dropped() -> None:
    opening, passage = hit(reference="o", kind="page_opening"), hit("beta", "p")
    assert passages_first([opening, passage]) == (passage, opening)
    assert order_of_hits([[opening], [passage]]) is Order.PASSAGES_FIRST


@pytest.mark.proves("6.3")
def test_order_claims_no_step_that_changed_nothing() -> None:
    passage, opening = hit(reference="p"), hit("beta", "o", kind="page_opening")
    assert order_of_hits([[passage], [opening]]) is Order.INTERLEAVED
    assert order_of_hits([[passage], []]) is Order.ONE_ARCHIVE
    assert order_of_rows([[], []]) is Order.EMPTY
    assert order_of_hits([[opening, hit("beta", "q")]]) is Order.PASSAGES_FIRST_ONE


@pytest.mark.proves("6.4")
def test_three_documents_of_one_bundle_are_three_hits_and_two_archives_are_two_records() -> None:
    documents = [hit(matched_file=name) for name in ("one", "two", "three")]
    assert len({hit_key(each) for each in documents}) == 3
    assert hit_key(hit(page_number=1)) != hit_key(hit(page_number=2))
    chapters = [hit().model_copy(update={"section": name}) for name in ("I", "II")]
    assert hit_key(chapters[0]) != hit_key(chapters[1])
    opened_at = [
        hit().model_copy(
            update={"source_url": f"calibre://view-book/L/1/EPUB?open_at=search:{words}"}
        )
        for words in ("call", "some")
    ]
    assert hit_key(opened_at[0]) != hit_key(opened_at[1])
    assert hit_key(hit("alpha", "x")) != hit_key(hit("beta", "x"))
    assert hit_key(hit()) == hit_key(hit(found_by="another wording"))
