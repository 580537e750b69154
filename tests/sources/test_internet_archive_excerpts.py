"""What is shown of a hit of the Internet Archive: passages, else how its text begins."""

from __future__ import annotations

import pytest

from mcp_books.models import Hit
from tests.sources.internet_archive_wire import answers, inside, page, text_row

pytestmark = pytest.mark.anyio


async def one_hit(*fragments: str) -> Hit:
    found = await inside(answers(page(text_row("a-book", *fragments))))
    return found.rows[0]


@pytest.mark.parametrize(
    ("fragment", "shown"),
    [
        ("the {{{white\nwhale}}} sank", "the white whale sank"),
        ("the <IA_FTS_MATCH>whale</IA_FTS_MATCH> sank", "the whale sank"),
        ("{{{ whale }}} ashore <i>raw</i> &amp;", "whale ashore <i>raw</i> &amp;"),
        ("an open {{{whale", "an open whale"),
        ("a closed}}} whale", "a closed whale"),
    ],
)
async def test_marks_leave_the_passage_and_nothing_else_does(fragment: str, shown: str) -> None:
    hit = await one_hit(fragment)
    assert hit.excerpts == (shown,)
    assert hit.excerpt_kind == "passage"


async def test_excerpts_are_cut_around_the_mark_to_what_was_asked() -> None:
    fragment = "before " * 60 + "{{{whale}}}" + " after" * 60
    row = text_row("a-book", fragment, "second {{{whale}}}", "second {{{whale}}}", "{{{whale}}} 3")
    found = await inside(answers(page(row)), max_excerpt_chars=100, max_excerpts=2)
    first, second = found.rows[0].excerpts
    assert len(first) <= 100
    assert "before whale after" in first
    assert second == "second whale"


@pytest.mark.parametrize("fragments", [(), ("something else entirely",)])
async def test_a_row_that_shows_no_match_claims_no_passage(fragments: tuple[str, ...]) -> None:
    hit = await one_hit(*fragments)
    assert hit.excerpts == fragments
    assert hit.excerpt_kind == "page_opening"


async def test_an_unmarked_fragment_that_carries_the_words_is_a_passage() -> None:
    assert (await one_hit("of Whales and a whale")).excerpt_kind == "passage"


@pytest.mark.parametrize(
    ("fragments", "shown", "kind"),
    [
        (("front matter", "{{{whale}}} ashore"), ("whale ashore",), "passage"),
        (("a whale", "front", "{{{whales}}} ashore"), ("whales ashore", "a whale"), "passage"),
        (("front matter", "a whale"), ("a whale",), "passage"),
        (("one", "{{{whale}}} 1", "{{{whale}}} 2"), ("whale 1", "whale 2"), "passage"),
        (("front matter", "and more"), ("front matter", "and more"), "page_opening"),
        ((), (), "page_opening"),
    ],
)
async def test_a_fragment_without_the_match_never_stands_among_passages(
    fragments: tuple[str, ...], shown: tuple[str, ...], kind: str
) -> None:
    hit = await one_hit(*fragments)
    assert (hit.excerpts, hit.excerpt_kind) == (shown, kind)
