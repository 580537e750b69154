"""Searching inside newspaper pages."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_books._phrases import Kind
from mcp_books.errors import InvalidInput, ParseFailure
from mcp_books.models import Hit
from mcp_books.sources.base import HitCount, InsideQuery, ResultPage

from .library_of_congress_wire import html, library, page_row, results, sent

pytestmark = pytest.mark.anyio

OPENING = "THE SEA Call me Ishmael says the teller of a tale of the whale fishery and its ships"


async def inside(reply: Any, text: str = "whale fishery", **query: Any) -> ResultPage[Hit]:
    async with library(reply) as asked:
        return await asked.source.search_inside(InsideQuery(text=text, limit=3, **query))


async def test_pages_are_asked_for_by_page_with_only_the_blocks_needed() -> None:
    async with library(sent(results(page_row(OPENING)))) as asked:
        await asked.source.search_inside(InsideQuery(text='"call me ishmael"', limit=3, page=2))
        assert asked.path == "/collections/chronicling-america/"
        assert asked.params == {
            "dl": "page",
            "q": '"call me ishmael"',
            "c": "3",
            "sp": "2",
            "at": "results,pagination,options",
            "fo": "json",
        }


async def test_a_hit_keeps_its_page_and_drops_the_query_from_its_address() -> None:
    page = await inside(sent(results(page_row(OPENING, sp=6))))
    assert page.rows[0].dump() == {
        "id": "loc:sn99990001/1924-11-20/ed-1/seq-6",
        "source": "loc",
        "source_name": "Library of Congress",
        "identifier": "sn99990001/1924-11-20/ed-1/seq-6",
        "title": "Image 6 of Valley press (El Centro, Calif.), November 20, 1924",
        "creator": None,
        "year": 1924,
        "page_number": 6,
        "excerpts": [OPENING],
        "excerpt_kind": "passage",
        "source_url": "https://www.loc.gov/resource/sn99990001/1924-11-20/ed-1/?sp=6",
        "found_by_query": "whale fishery",
        "published_on": "1924-11-20",
        "publication": "Valley press (El Centro, Calif.)",
    }


async def test_two_pages_of_one_issue_are_two_hits() -> None:
    page = await inside(sent(results(page_row(OPENING, sp=1), page_row(OPENING, sp=2))))
    assert [hit.page_number for hit in page.rows] == [1, 2]
    assert len({hit.id for hit in page.rows}) == 2


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("whale fishery", "passage"),
        ('"call me ishmael"', "passage"),
        ("whale shark", "page_opening"),
        ('"whale fishery ishmael"', "page_opening"),
        ("fishery-whale", "page_opening"),
        ("whale-fishery", "passage"),
        ("‟whale fishery‟", "passage"),
        ("‟fishery whale‟", "page_opening"),
        ("whale -shark", "passage"),
    ],
)
async def test_an_excerpt_is_a_passage_only_if_all_that_was_asked_stands_in_it(
    asked: str, kind: str
) -> None:
    page = await inside(sent(results(page_row(OPENING))), asked)
    assert page.rows[0].excerpt_kind == kind


async def test_excerpts_keep_to_the_budget_even_from_one_cached_answer() -> None:
    text = "word " * 100 + OPENING + " word" * 100
    async with library(sent(results(page_row(text)))) as asked:
        narrow, wide = [
            (
                await asked.source.search_inside(
                    InsideQuery(text="whale fishery", limit=3, max_excerpt_chars=budget)
                )
            )
            for budget in (80, 400)
        ]
    assert (narrow.cached, wide.cached) == (False, True)
    assert len(narrow.rows[0].excerpts[0]) <= 80 < len(wide.rows[0].excerpts[0]) <= 400
    assert "whale fishery" in narrow.rows[0].excerpts[0]


async def test_a_page_without_text_in_its_row_has_no_excerpt() -> None:
    page = await inside(sent(results(page_row(description=[]))))
    assert (page.rows[0].excerpts, page.rows[0].excerpt_kind) == ((), "page_opening")


async def test_the_count_is_of_pages_and_more_follows_while_pages_do() -> None:
    page = await inside(sent(results(page_row(OPENING), of=2312, total=771, current=1)))
    assert page.total == HitCount(2312, "newspaper pages")
    assert (page.more, page.ordered_on, page.sent_as) == (True, "relevance", None)


@pytest.mark.parametrize(
    ("pagination", "more"),
    [
        ({"total": 2, "current": 2}, False),
        ({"total": None, "current": None, "next": "https://www.loc.gov/?sp=2"}, True),
        ({"total": None, "current": None, "next": None}, False),
    ],
)
async def test_whether_more_follows_is_read_from_the_pagination(
    pagination: dict[str, object], more: bool
) -> None:
    assert (await inside(sent(results(page_row(OPENING), **pagination)))).more is more


async def test_without_a_word_on_it_nothing_establishes_whether_more_follows() -> None:
    reply = results(page_row(OPENING)) | {"pagination": {"of": "about 3"}}
    page = await inside(sent(reply))
    assert (page.total, page.more) == (None, None)


@pytest.mark.parametrize(
    ("asked", "kinds"),
    [
        ('"whale fishery"', [Kind.PHRASE_APPROXIMATE]),
        ("＂whale fishery＂", [Kind.PHRASE_APPROXIMATE]),
        ("whale fishery", []),
        ("whale-fishery", []),
    ],
)
async def test_a_quoted_phrase_is_said_to_be_approximate(asked: str, kinds: list[Kind]) -> None:
    page = await inside(sent(results(page_row(OPENING))), asked)
    assert [remark.kind for remark in page.remarks] == kinds
    assert all(remark.values == {"name": "Library of Congress"} for remark in page.remarks)


async def test_a_passage_is_found_where_no_space_parts_the_words() -> None:
    page = await inside(sent(results(page_row("卷一 三國演義全文"))), "三國演義")
    assert page.rows[0].excerpt_kind == "passage"


async def test_what_was_left_out_of_the_query_is_said() -> None:
    page = await inside(sent(results(page_row(OPENING))), "(whale) -shark")
    assert page.sent_as == "whale"
    assert [(one.kind, one.values["words"]) for one in page.remarks] == [
        (Kind.WORDS_SET_ASIDE, "shark")
    ]
    assert page.rows[0].found_by_query == "(whale) -shark"


async def test_a_query_it_cannot_take_is_refused_before_anything_is_sent() -> None:
    async with library(sent(results())) as asked:
        with pytest.raises(InvalidInput):
            await asked.source.search_inside(InsideQuery(text="whale OR shark", limit=3))
        assert asked.router.calls.call_count == 0


@pytest.mark.proves("6.10")
async def test_an_unreadable_row_is_counted_and_the_others_stand() -> None:
    rows = [page_row(OPENING, sp=1), "not a row", page_row(id=None, url=[]), page_row(OPENING)]
    page = await inside(sent(results(*rows)))
    assert (len(page.rows), page.unreadable, page.set_aside) == (2, 2, 0)


@pytest.mark.proves("6.10")
async def test_rows_that_are_all_unreadable_are_a_failure_to_read() -> None:
    with pytest.raises(ParseFailure):
        await inside(sent(results("no row", {"title": "without an address"})))


@pytest.mark.proves("6.10")
@pytest.mark.parametrize(
    "address",
    [
        "http://www.loc.gov/item/sn99990001/",
        "http://www.loc.gov/resource/sn99990001/1924-11-20/ed-1/",
        "http://www.loc.gov/resource/sn99990001/1924-11-20/ed-1/?sp=first",
        "http://www.loc.gov/resource/sn99990001/?sp=6",
        "http://www.loc.gov/newspapers/sn99990001/1924-11-20/ed-1/?sp=6",
        "http://www.loc.gov/collections/chronicling-america/",
        "https://example.org/1",
    ],
)
async def test_a_row_without_a_reference_to_a_page_is_unreadable(address: str) -> None:
    other = page_row(id=address, url=None, original_format=["collection"])
    page = await inside(sent(results(other, page_row(OPENING))))
    assert (len(page.rows), page.unreadable, page.set_aside) == (1, 1, 0)


async def test_fields_are_read_whether_one_value_or_a_list() -> None:
    row = page_row(
        id=["http://www.loc.gov/resource/sn99990001/1924-11-20/ed-2/?sp=12"],
        title=["An extra"],
        partof_title="valley press",
        number_page="0000000012",
        description=OPENING,
    )
    (hit,) = (await inside(sent(results(row)))).rows
    assert hit.identifier == "sn99990001/1924-11-20/ed-2/seq-12"
    assert (hit.title, hit.publication, hit.page_number) == ("An extra", "valley press", 12)
    assert hit.excerpts == (OPENING,)


async def test_the_page_number_falls_back_on_the_address() -> None:
    (hit,) = (await inside(sent(results(page_row(OPENING, sp=4, number_page=[]))))).rows
    assert hit.page_number == 4


async def test_nothing_found_is_zero_rows_with_a_total_of_zero() -> None:
    page = await inside(sent(results()))
    assert (page.rows, page.total, page.more) == ((), HitCount(0, "newspaper pages"), False)


async def test_a_404_in_json_on_page_1_is_nothing_found() -> None:
    page = await inside(sent({"status": 404}, 404))
    assert (page.rows, page.total, page.more) == ((), HitCount(0, "newspaper pages"), False)
    assert page.remarks == ()


@pytest.mark.parametrize("status", [200, 404])
async def test_a_404_in_json_on_a_later_page_says_the_rows_stop_before_it(status: int) -> None:
    page = await inside(sent({"status": 404}, status), page=7)
    assert (page.rows, page.total, page.more) == ((), None, False)
    assert [(one.kind, one.values["page"]) for one in page.remarks] == [(Kind.PAST_THE_END, 7)]


async def test_an_empty_page_after_the_last_one_lies_past_the_end() -> None:
    page = await inside(sent(results(of=4, total=2, current=3)), page=3)
    assert (page.total, page.more) == (HitCount(4, "newspaper pages"), False)
    assert [one.kind for one in page.remarks] == [Kind.PAST_THE_END]


async def test_a_demonstration_names_itself_and_its_own_addresses() -> None:
    base = "http://127.0.0.1:9/demonstration/loc"
    row = page_row(OPENING, id=f"{base}/resource/sn99990001/1924-11-20/ed-1/?sp=6")
    async with library(sent(results(row)), base_url=base, demonstration=True) as asked:
        (hit,) = (await asked.source.search_inside(InsideQuery(text="whale", limit=1))).rows
    assert hit.source_url == f"{base}/resource/sn99990001/1924-11-20/ed-1/?sp=6"
    assert hit.source_name == "Library of Congress (demonstration)"


async def test_a_page_for_people_is_never_read_as_nothing_found() -> None:
    with pytest.raises(ParseFailure):
        await inside(html("Newspapers", 200))
