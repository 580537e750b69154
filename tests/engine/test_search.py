"""Searching works on the engine: words, phrases, pages, windows."""

from __future__ import annotations

import pytest

from mcp_books._phrases import Kind
from mcp_books.errors import InvalidInput
from mcp_books.models import BriefRecord
from mcp_books.sources.base import CatalogueQuery, ResultPage
from mcp_books.sources.data_bnf import DataBnf

from . import records

pytestmark = pytest.mark.anyio


async def search(
    bnf: DataBnf, text: str, *, limit: int = 5, page: int = 1
) -> ResultPage[BriefRecord]:
    return await bnf.search_items(CatalogueQuery(text=text, limit=limit, page=page))


async def by_label(page: ResultPage[BriefRecord]) -> ResultPage[BriefRecord]:
    assert page.again is not None
    return await page.again()


async def found(bnf: DataBnf, text: str) -> set[str]:
    return {row.identifier for row in (await search(bnf, text, limit=25)).rows}


def kinds(page: ResultPage[BriefRecord]) -> set[Kind]:
    return {remark.kind for remark in page.remarks}


async def test_two_titles_by_two_creators_in_two_graphs_are_one_row(bnf: DataBnf) -> None:
    page = await search(bnf, "poèmes novembre")
    assert [row.identifier for row in page.rows] == [records.POEMS]
    assert page.rows[0].title == "Le vent de novembre"
    assert page.rows[0].creator == "Hélène Vauquelin; Jean-Luc d'Aubrac"
    assert page.rows[0].year == 1902
    assert page.more is False
    assert page.unreadable == 0


async def test_computed_works_are_found_and_say_that_their_identifier_may_change(
    bnf: DataBnf,
) -> None:
    page = await search(bnf, "vent novembre")
    provisional = {row.identifier: row.identifier_provisional for row in page.rows}
    assert provisional == {records.POEMS: None, records.READING: True, records.JOURNEY: True}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("VENT Novembre lire", {records.READING}),
        ("misérables", {records.WRETCHED}),
        ("mise\u0301rables", {records.WRETCHED}),
        ("miserables", set()),
        ("œuvres", {records.COMPLETE}),
        ("oeuvres", set()),
        ("l'été", {records.SUMMER}),
        ("l’été", {records.SUMMER}),
        ("Charleville-Mézières", {records.SUMMER}),
        ('"Charleville-Mézières"', {records.SUMMER}),
        ('"Mézières Charleville"', set()),
        ("Mézières Charleville", {records.SUMMER}),
        ("aujourd'hui", {records.UNTITLED}),
        ("S.O.S.", {records.SIGNAL}),
        ("S.O.S", {records.SIGNAL}),
        ("S O S", set()),
        ("20.000", {records.LEAGUES}),
        ("20 000", set()),
        ('"vent de novembre"', {records.POEMS, records.READING, records.JOURNEY}),
        ('"novembre vent"', set()),
        ("« vent de novembre » lire", {records.READING}),
        ("c", {records.LETTER}),
        ("n º 5", {records.QUOTED}),
        ('"n º 5"', {records.QUOTED}),
        ("\\ noir", {records.QUOTED}),
        ("память", {records.CYRILLIC}),
        ("ПАМЯТЬ", {records.CYRILLIC}),
        ("源氏の夢", {records.DREAM}),
        ("Muʿawwaḍ", {records.ARABIC}),
        ("nove*", set()),
        ("novembre* lire", {records.READING}),
        ("zzz'OR'novembre", set()),
        ("zzz' OR 'novembre", set()),
    ],
)
async def test_words_are_matched_as_the_index_holds_them(
    bnf: DataBnf, text: str, expected: set[str]
) -> None:
    assert await found(bnf, text) == expected


async def test_a_creator_without_a_person_and_a_work_without_a_label_are_read(
    bnf: DataBnf,
) -> None:
    row = (await search(bnf, "aujourd'hui demain")).rows[0]
    assert row.title == "Aujourd’hui, demain"
    assert row.creator == "Société des amis d'Hélène Vauquelin"
    assert row.date is None


async def test_a_date_is_given_as_written_and_a_year_only_where_one_plain_year_stands(
    bnf: DataBnf,
) -> None:
    dated = {text: (await search(bnf, text)).rows[0] for text in ("S.O.S.", "20.000", "c", "livre")}
    assert {text: (row.date, row.year) for text, row in dated.items()} == {
        "S.O.S.": ("18..; [s.d.]", None),
        "20.000": ("1900-1930", None),
        "c": ("1999; 2000", None),
        "livre": ("2001", 2001),
    }


async def test_pages_hold_every_work_once_and_the_last_says_that_nothing_follows(
    bnf: DataBnf,
) -> None:
    seen: list[str] = []
    for number in range(1, 12):
        page = await search(bnf, '"brouillard tome"', limit=25, page=number)
        seen += [row.identifier for row in page.rows]
    assert len(seen) == len(set(seen)) > 250
    assert set(seen) <= set(records.SERIES)
    assert seen == sorted(seen)


@pytest.mark.parametrize("limit", [1, 2])
async def test_small_pages_lose_no_work_and_serve_none_twice(bnf: DataBnf, limit: int) -> None:
    seen: list[str] = []
    more: list[bool | None] = []
    for number in range(1, 4 // limit + 2):
        page = await search(bnf, "vent novembre", limit=limit, page=number)
        seen += [row.identifier for row in page.rows]
        more.append(page.more)
    assert sorted(seen) == sorted([records.POEMS, records.READING, records.JOURNEY])
    assert more[0] is True
    assert more[-1] is False


async def test_a_full_window_says_that_more_exist_on_every_page(bnf: DataBnf) -> None:
    for number in (1, 16):
        page = await search(bnf, "brouillard", limit=25, page=number)
        assert page.more is True
        assert page.again is None
        assert kinds(page) == {Kind.WINDOW_FULL}


async def test_a_page_past_the_window_is_refused(bnf: DataBnf) -> None:
    await search(bnf, "brouillard", limit=25, page=16)
    with pytest.raises(InvalidInput):
        await search(bnf, "brouillard", limit=25, page=17)


async def test_editions_that_fill_the_window_establish_nothing_and_the_labels_find_the_works(
    bnf: DataBnf,
) -> None:
    crowded = [await search(bnf, "almanach marées", limit=2, page=number) for number in (1, 2)]
    for page in crowded:
        assert (page.rows, page.more) == ((), None)
        assert kinds(page) == {Kind.WINDOW_WITHOUT_WORKS}
    first, second = [await by_label(page) for page in crowded]
    assert [row.identifier for row in first.rows + second.rows] == list(records.TIDES)
    assert (first.more, second.more) == (True, None)
    assert (kinds(first), first.again) == (set(), None)


async def test_editions_alone_lead_to_labels_that_hold_nothing(bnf: DataBnf) -> None:
    page = await by_label(await search(bnf, "catalogue des phares"))
    assert (page.rows, page.more, page.again) == ((), None, None)
    assert kinds(page) == {Kind.WINDOW_WITHOUT_WORKS}


async def test_words_beyond_the_twelfth_are_named(bnf: DataBnf) -> None:
    page = await search(
        bnf, " ".join(["vent", "de", "novembre", "poèmes"] + ["vent"] * 8 + ["absent"] * 48)
    )
    assert [row.identifier for row in page.rows] == [records.POEMS]
    assert page.remarks[0].kind is Kind.WORDS_SET_ASIDE
    assert page.remarks[0].values["words"] == "absent"
    assert page.sent_as == "vent de novembre poèmes"
