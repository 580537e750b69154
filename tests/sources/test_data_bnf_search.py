"""Searching works: what is sent, how rows become records, what is said of the window."""

from __future__ import annotations

import pytest

from mcp_books._phrases import Kind
from mcp_books.errors import InvalidInput, NetworkFailure, ParseFailure
from mcp_books.models import BriefRecord
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, ResultPage
from mcp_books.sources.data_bnf import DataBnf
from mcp_books.sources.data_bnf.ark import check_character
from mcp_books.sources.data_bnf.queries import WINDOW

from .data_bnf_wire import (
    BASE,
    Bindings,
    answer,
    asked,
    counts,
    literal,
    reply,
    sent_form,
    uri,
    work,
)

pytestmark = pytest.mark.anyio

TEMPORARY = "temp-work/0123456789abcdef0123456789abcdef"
ARK = "http://data.bnf.fr/ark:/12148/"


def cb(number: int) -> str:
    return f"cb{number:08d}" + check_character(f"cb{number:08d}")


def query(text: str = "vent octobre", **values: int) -> CatalogueQuery:
    return CatalogueQuery(**{"text": text, "limit": 2, **values})  # type: ignore[arg-type]  # one mapping of two types


def kinds(page: ResultPage[BriefRecord]) -> list[Kind]:
    return [remark.kind for remark in page.remarks]


async def test_one_form_is_posted_and_asks_for_json_twice() -> None:
    async with asked(answer(counts(0, 0))) as wire:
        page = await wire.bnf.search_items(query())
    (request,) = wire.requests
    form = sent_form(request)
    assert request.url.path == "/sparql"
    assert form["format"] == request.headers["Accept"] == "application/sparql-results+json"
    assert set(form) == {"query", "format"}
    assert (page.rows, page.more, page.total, page.again) == ((), False, None, None)


async def test_the_text_search_stands_in_a_subquery_before_the_class() -> None:
    async with asked(answer(counts(0, 0))) as wire:
        await wire.bnf.search_items(query("l'été", page=3))
    (sparql,) = wire.queries
    window = "?work dcterms:title ?text . ?text bif:contains \"'l' AND 'été'\" . } LIMIT 400"
    assert window in sparql
    assert sparql.index(window) < sparql.index("?work a frbr:Work")
    assert "ORDER BY ?work LIMIT 3 OFFSET 4" in sparql
    assert sparql.splitlines()[-1].startswith("} ORDER BY ?work")


async def test_rows_are_grouped_by_work_and_values_come_in_one_order() -> None:
    rows = [
        work(cb(1), title, label="Le vent", creator=f"{ARK}{who}#about", name=name, date=date)
        for title in ("Bise", "Le vent")
        for who, name in ((cb(8), "Zoé"), (cb(9), "Anne"))
        for date in ("1902", "[s.d.]")
    ]
    async with asked(answer(counts(3, 1), *rows)) as wire:
        page = await wire.bnf.search_items(query())
    (row,) = page.rows
    assert row.dump() == {
        "id": f"bnf:{cb(1)}",
        "source": "bnf",
        "source_name": "data.bnf.fr",
        "identifier": cb(1),
        "title": "Le vent",
        "creator": "Anne; Zoé",
        "year": 1902,
        "date": "1902; [s.d.]",
        "media_type": "work",
        "source_url": f"{BASE}/ark:/12148/{cb(1)}",
        "found_by_query": "vent octobre",
    }


async def test_a_provisional_work_says_so_and_has_its_own_address() -> None:
    async with asked(answer(counts(1, 1), work(TEMPORARY))) as wire:
        (row,) = (await wire.bnf.search_items(query())).rows
    assert row.identifier_provisional is True
    assert row.id == f"bnf:{TEMPORARY}"
    assert row.source_url == f"{BASE}/{TEMPORARY}/"


async def test_a_work_with_nothing_stated_is_a_row_of_nulls() -> None:
    async with asked(
        answer(counts(1, 1), {"work": uri(f"https://data.bnf.fr/ark:/12148/{cb(1)}#about")})
    ) as wire:
        (row,) = (await wire.bnf.search_items(query())).rows
    assert (row.identifier, row.title, row.creator, row.date, row.year) == (cb(1), *[None] * 4)


async def test_the_extra_work_says_that_more_follow_and_is_not_served() -> None:
    async with asked(answer(counts(9, 5), *(work(cb(n)) for n in (1, 2, 3)))) as wire:
        page = await wire.bnf.search_items(query())
    assert [row.identifier for row in page.rows] == [cb(1), cb(2)]
    assert page.more is True
    assert page.remarks == ()


@pytest.mark.proves("6.10")
async def test_rows_that_cannot_be_read_are_counted_and_the_others_stand() -> None:
    broken = [{"work": {"type": "uri"}}, {"title": literal("alone")}, "row"]
    foreign = {"work": uri("http://elsewhere.example/1")}
    async with asked(answer(counts(3, 3), *broken, foreign, work(cb(2)))) as wire:
        page = await wire.bnf.search_items(query())
    assert [row.identifier for row in page.rows] == [cb(2)]
    assert page.unreadable == 4


async def test_an_answer_without_its_counts_is_no_answer() -> None:
    async with asked(answer(work(cb(1)))) as wire:
        with pytest.raises(ParseFailure) as caught:
            await wire.bnf.search_items(query())
    assert "data.bnf.fr" in caught.value.message
    assert caught.value.hint


async def test_a_full_window_means_that_more_exist() -> None:
    async with asked(answer(counts(WINDOW, 1), work(cb(1)))) as wire:
        page = await wire.bnf.search_items(query())
    assert (page.more, page.again) == (True, None)
    assert [(remark.kind, remark.values) for remark in page.remarks] == [
        (Kind.WINDOW_FULL, {"name": "data.bnf.fr", "window": 400})
    ]


async def test_a_window_of_editions_establishes_nothing_and_can_be_asked_again_by_label() -> None:
    async with asked(answer(counts(WINDOW, 0)), answer(counts(1, 1), work(cb(1)))) as wire:
        page = await wire.bnf.search_items(query("vent-octobre ½"))
        assert len(wire.requests) == 1
        assert page.again is not None
        by_label = await page.again()
    assert (page.rows, page.more) == ((), None)
    assert kinds(page) == [Kind.WORDS_SET_ASIDE, Kind.WINDOW_WITHOUT_WORKS]
    assert [row.identifier for row in by_label.rows] == [cb(1)]
    assert (by_label.more, by_label.again) == (None, None)
    assert kinds(by_label) == [Kind.WORDS_SET_ASIDE]
    assert page.sent_as == by_label.sent_as == "vent octobre"
    assert "dcterms:title ?text" in wire.queries[0]
    assert "rdfs:label ?text" in wire.queries[1]


@pytest.mark.parametrize(
    ("found", "more", "said"),
    [
        ((counts(WINDOW, 1), work(cb(1))), True, [Kind.WINDOW_FULL]),
        ((counts(WINDOW, 0),), None, [Kind.WINDOW_WITHOUT_WORKS]),
        ((counts(0, 0),), None, [Kind.WINDOW_WITHOUT_WORKS]),
    ],
)
async def test_what_is_asked_by_label_has_remarks_of_its_own(
    found: tuple[Bindings, ...], more: bool | None, said: list[Kind]
) -> None:
    async with asked(answer(counts(WINDOW, 0)), answer(*found)) as wire:
        page = await wire.bnf.search_items(query())
        assert page.again is not None
        by_label = await page.again()
    assert (by_label.more, kinds(by_label), by_label.again) == (more, said, None)


async def test_the_page_asked_for_is_the_page_asked_for_by_label() -> None:
    async with asked(answer(counts(WINDOW, 0)), answer(counts(9, 9))) as wire:
        page = await wire.bnf.search_items(query(page=3))
        assert page.again is not None
        await page.again()
    assert all("LIMIT 3 OFFSET 4" in sparql for sparql in wire.queries)


async def test_a_failure_by_label_is_raised_as_any_other() -> None:
    async with asked(answer(counts(WINDOW, 0)), reply("no", status=500)) as wire:
        page = await wire.bnf.search_items(query())
        assert page.again is not None
        with pytest.raises(NetworkFailure):
            await page.again()


async def test_an_answer_cut_at_the_row_limit_says_so_and_claims_no_end() -> None:
    async with asked(answer(counts(1, 1), work(cb(1)), X_SPARQL_MaxRows="10000")) as wire:
        page = await wire.bnf.search_items(query())
    assert page.more is None
    assert [remark.kind for remark in page.remarks] == [Kind.ROWS_CUT]


@pytest.mark.proves("6.11")
@pytest.mark.parametrize(("limit", "page"), [(25, 17), (1, 401), (2, 201)])
async def test_a_page_past_the_window_is_refused_before_anything_is_sent(
    limit: int, page: int
) -> None:
    async with asked() as wire:
        with pytest.raises(InvalidInput) as caught:
            await wire.bnf.search_items(query(limit=limit, page=page))
    assert wire.requests == []
    assert caught.value.hint


async def test_the_last_page_asks_for_no_work_past_the_window() -> None:
    async with asked(answer(counts(WINDOW, 400))) as wire:
        await wire.bnf.search_items(query(limit=3, page=134))
    assert "LIMIT 1 OFFSET 399" in wire.queries[0]


@pytest.mark.proves("6.11")
@pytest.mark.parametrize("text", ["???", "😀", "* *", "½", '""', "'", "x" * 66])
async def test_a_query_without_a_usable_word_is_refused_before_anything_is_sent(text: str) -> None:
    async with asked() as wire:
        with pytest.raises(InvalidInput):
            await wire.bnf.search_items(query(text))
    assert wire.requests == []


@pytest.mark.proves("5.4")
async def test_words_left_out_are_named_and_what_was_sent_is_said() -> None:
    text = " ".join(f"mot{n}" for n in range(14)) + " ½"
    async with asked(answer(counts(0, 0))) as wire:
        page = await wire.bnf.search_items(query(text))
    assert page.sent_as == " ".join(f"mot{n}" for n in range(12))
    assert [(remark.kind, remark.values) for remark in page.remarks] == [
        (Kind.WORDS_SET_ASIDE, {"name": "data.bnf.fr", "words": "mot12, mot13, ½"})
    ]


@pytest.mark.proves("5.4")
@pytest.mark.parametrize(
    ("text", "sent_as"),
    [
        ("vent octobre", None),
        ("  Vent\u00a0 OCTOBRE ", None),
        ('« vent  octobre » "neige"', None),
        ("‟vent octobre‟ ＂neige＂ „pluie“", None),
        ("源氏の夢", None),
        ("S.O.S 20.000", None),
        ("whale -ship", "whale ship"),
        ("Charleville-Mézières", "Charleville Mézières"),
        ("l'été", "l été"),
        ("vent, octobre.", "vent octobre"),
        ("(vent) ?", "vent"),
        ("vent*", "vent"),
        ('vent "octobre', "vent octobre"),
        ("vent ★", "vent"),
        ("vent vent", "vent"),
        ("e\u0301te\u0301", "été"),
    ],
)
async def test_what_was_sent_is_said_where_it_differs_in_more_than_case_spacing_and_quotes(
    text: str, sent_as: str | None
) -> None:
    async with asked(answer(counts(0, 0))) as wire:
        page = await wire.bnf.search_items(query(text))
    assert page.sent_as == sent_as


@pytest.mark.parametrize("text", ["‟vent octobre‟ x", "＂vent octobre＂ x", "„vent octobre“ x"])
async def test_a_phrase_is_a_phrase_in_whatever_marks(text: str) -> None:
    async with asked(answer(counts(0, 0))) as wire:
        await wire.bnf.search_items(query(text))
    assert "\"'vent octobre' AND 'x'\"" in wire.queries[0]


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("1902", 1902),
        ("1902-05-01", 1902),
        ("1700/1799", None),
        ("1902-13-01", None),
        ("1902-1904", None),
        ("0044", None),
        ("-0044", None),
        ("9999", None),
        ("vers 1902", None),
    ],
)
async def test_a_year_is_that_of_a_plain_year_or_day(date: str, year: int | None) -> None:
    async with asked(answer(counts(1, 1), work(cb(1), date=date))) as wire:
        (row,) = (await wire.bnf.search_items(query())).rows
    assert (row.date, row.year) == (date, year)


async def test_a_cached_answer_keeps_its_first_date_and_asks_nothing() -> None:
    async with asked(answer(counts(1, 1), work(cb(1))), settings=Settings()) as wire:
        first = await wire.bnf.search_items(query())
        again = await wire.bnf.search_items(query())
    assert len(wire.requests) == 1
    assert (first.cached, again.cached) == (False, True)
    assert first.retrieved == again.retrieved


async def test_under_another_base_the_answer_names_that_base() -> None:
    base = f"{BASE}/demonstration/bnf"
    async with asked(answer(counts(1, 1), work(cb(1))), base=base, demonstration=True) as wire:
        (row,) = (await wire.bnf.search_items(query())).rows
    assert row.source_url == f"{base}/ark:/12148/{cb(1)}"
    assert row.source_name != DataBnf.profile.name
