"""What an answer loses when it is larger than a host shows."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from mcp_books._fitting import SHORT_TEXT_LIMIT, STRUCTURED_LIMIT, TEXT_LIMIT, structured_size
from mcp_books._phrases import ORDERS, Kind, Order
from mcp_books._render import fit, render_inside, render_items, render_record
from mcp_books.models import DigitalCopy, TextWindow
from mcp_books.reports import InsideAnswer, ItemsAnswer, Note, RecordAnswer

from . import answers


def many_hits(number: int = 75, length: int = 600) -> InsideAnswer:
    """Return hits of two archives in turn, the last fifth of them page openings."""
    hits = [
        (answers.page_hit if n % 2 else answers.hit)(
            id=f"{'loc' if n % 2 else 'archive'}:number{n}",
            source_url=f"https://example.org/number{n}",
            excerpts=(f"{n} " + "word " * (length // 5), "another"),
            excerpt_kind="page_opening" if n >= number * 4 // 5 else "passage",
        )
        for n in range(number)
    ]
    reports = (
        answers.answered("archive", count=(number + 1) // 2),
        answers.answered("loc", count=number // 2),
        answers.absent(),
    )
    notes = (answers.note(Kind.PAST_THE_END, "archive", name="Internet Archive", page=2),)
    return answers.inside(*hits, reports=reports, notes=notes)


def many_rows(number: int = 75) -> ItemsAnswer:
    """Return catalogue rows with long titles."""
    rows = [
        answers.brief(id=f"archive:number{n}", title=f"{n} " + "long title " * 60)
        for n in range(number)
    ]
    return answers.items(*rows)


def ids_in(text: str) -> list[str]:
    """Return the identifiers of the rows of a text block."""
    return re.findall(r"^  id: (\S+) · \S+$", text, re.MULTILINE)


def rows_of(answer: InsideAnswer | ItemsAnswer) -> tuple[Any, ...]:
    """Return the rows of an answer of either search."""
    return answer.hits if isinstance(answer, InsideAnswer) else answer.items


def told(answer: InsideAnswer | ItemsAnswer | RecordAnswer, kind: Kind) -> list[str]:
    """Return the texts of the notes of `kind`."""
    return [note.text for note in answer.notes if note.kind is kind]


CASES = [(many_hits(), render_inside), (many_rows(), render_items)]


@pytest.mark.proves("10.6")
def test_an_answer_within_the_limits_is_returned_as_it_is() -> None:
    answer = many_hits(6)
    assert fit(answer, render_inside) == (answer, render_inside(answer))


@pytest.mark.proves("10.3", "10.6")
@pytest.mark.parametrize(("whole", "render"), CASES, ids=["hits", "rows"])
def test_both_forms_keep_the_same_first_rows_within_both_limits(whole: Any, render: Any) -> None:
    answer, text = fit(whole, render)
    kept = rows_of(answer)
    assert len(text) <= TEXT_LIMIT
    assert structured_size(answer) <= STRUCTURED_LIMIT
    assert 0 < len(kept) < len(rows_of(whole))
    assert kept == rows_of(whole)[: len(kept)]
    assert ids_in(text) == [row.id for row in kept]
    assert text == render(answer)


@pytest.mark.proves("10.3", "10.6")
@pytest.mark.parametrize(
    ("text_limit", "structured_limit"), [(20_000, 40_000), (20_000, 9_000), (5_000, 40_000)]
)
def test_as_many_rows_are_kept_as_fit_and_the_rest_is_counted(
    text_limit: int, structured_limit: int
) -> None:
    whole = many_hits()
    answer, text = fit(
        whole, render_inside, text_limit=text_limit, structured_limit=structured_limit
    )
    kept = answer.hit_count
    assert kept == len(answer.hits)
    (expected,) = (note for note in answer.notes if note.kind is Kind.ROWS_LEFT_OUT)
    assert expected.text.startswith(f"{75 - kept} more rows")
    assert f"note: {expected.text}" in text.split("\n")
    one_more = whole.model_copy(
        update={
            "hits": whole.hits[: kept + 1],
            "hit_count": kept + 1,
            "notes": (*whole.notes, expected),
        }
    )
    sizes = len(render_inside(one_more)), structured_size(one_more)
    assert sizes[0] > text_limit or sizes[1] > structured_limit


@pytest.mark.proves("10.3")
def test_a_row_that_is_kept_is_whole() -> None:
    whole = many_hits()
    answer, text = fit(whole, render_inside)
    alone = [
        line for hit in answer.hits for excerpt in hit.excerpts for line in [f": {excerpt.strip()}"]
    ]
    assert all(line in text for line in alone)
    assert all(hit.source_url in text for hit in answer.hits)


@pytest.mark.proves("10.3", "10.4")
def test_counts_notes_and_order_say_what_this_answer_holds() -> None:
    whole = many_hits()
    answer, text = fit(whole, render_inside)
    kinds = [hit.excerpt_kind for hit in answer.hits]
    assert answer.excerpt_kinds.passage == kinds.count("passage")
    assert answer.excerpt_kinds.page_opening == kinds.count("page_opening") == 0
    assert text.startswith(f"{answer.hit_count} hits, ")
    counts = {report.source: getattr(report, "count", None) for report in answer.per_source}
    sources = [hit.source for hit in answer.hits]
    assert counts == {"archive": sources.count("archive"), "loc": sources.count("loc"), "bnf": None}
    assert Kind.PAGE_OPENINGS not in [note.kind for note in answer.notes]
    assert answer.order == ORDERS[Order.INTERLEAVED]


@pytest.mark.proves("10.6", "10.9")
def test_an_archive_none_of_whose_rows_are_left_is_neither_qualified_nor_credited() -> None:
    passages = [answers.hit(id=f"archive:n{n}", excerpts=("word " * 200,)) for n in range(25)]
    openings = [
        answers.page_hit(id=f"loc:n{n}", excerpts=("word " * 200,), excerpt_kind="page_opening")
        for n in range(25)
    ]
    reports = (answers.answered("archive", count=25), answers.answered("loc", count=25))
    notes = (answers.note(Kind.PAGE_OPENINGS, "loc", name="Library of Congress", count=25),)
    whole = answers.inside(*passages, *openings, reports=reports, notes=notes)
    answer, text = fit(whole, render_inside)
    assert {hit.source for hit in answer.hits} == {"archive"}
    assert Kind.PAGE_OPENINGS not in [note.kind for note in answer.notes]
    assert answer.order == ORDERS[Order.ONE_ARCHIVE]
    assert "Library of Congress" not in text.rpartition("credit: ")[2]


@pytest.mark.proves("10.3")
def test_what_was_left_out_is_reached_by_the_limit_and_page_that_are_named() -> None:
    whole = many_hits(50).model_copy(update={"page": 3})
    answer, _ = fit(whole, render_inside)
    (said,) = told(answer, Kind.ROWS_LEFT_OUT)
    limit, page = map(int, re.findall(r"limit (\d+), from page (\d+)", said)[0])
    kept = min(sum(hit.source == source for hit in answer.hits) for source in ("archive", "loc"))
    rows_given_before = 2 * 25 + kept
    assert (page - 1) * limit <= rows_given_before
    assert page * limit > rows_given_before


@pytest.mark.proves("10.6")
def test_a_row_that_says_something_without_end_does_not_cost_the_others_their_place() -> None:
    rows = [answers.brief(id=f"archive:n{n}") for n in range(5)]
    endless = answers.brief(id="archive:endless", title="t" * 60_000, creator="c" * 60_000)
    answer, text = fit(answers.items(endless, *rows), render_items)
    assert answer.item_count == 6
    assert len(text) <= TEXT_LIMIT
    assert len(told(answer, Kind.PARTS_LEFT_OUT)) == 2


@pytest.mark.proves("10.4")
@pytest.mark.parametrize(("whole", "render"), CASES, ids=["hits", "rows"])
def test_no_qualification_is_dropped_however_little_fits(whole: Any, render: Any) -> None:
    answer, text = fit(whole, render, text_limit=10, structured_limit=10)
    assert rows_of(answer) == ()
    assert [report.status for report in answer.per_source] == [
        report.status for report in whole.per_source
    ]
    assert set(whole.notes) <= set(answer.notes)
    assert len(told(answer, Kind.ROWS_LEFT_OUT)) == 1
    for note in answer.notes:
        assert f"note: {note.text}" in text
    for report in answer.per_source:
        assert f"{report.status}: {report.name}" in text


@pytest.mark.proves("10.6")
def test_fitting_renders_a_number_of_times_that_hardly_grows_with_the_rows() -> None:
    calls = 0

    def counted(answer: InsideAnswer) -> str:
        nonlocal calls
        calls += 1
        return render_inside(answer)

    fit(many_hits(1000), counted)
    assert calls <= 12


def large_record(*, notes: tuple[Note, ...] = (), **values: Any) -> RecordAnswer:
    """Return a record with more of everything than fits."""
    large: dict[str, Any] = {
        "title": "Title " * 5_000,
        "subjects": tuple(f"subject {n} " + "x" * 40 for n in range(2_000)),
        "context": {f"label {n}": (f"context {n} " + "y" * 60, "second") for n in range(250)},
        "copies": tuple(
            DigitalCopy(label=f"copy {n}", format="PDF", url=f"https://example.org/{n}.pdf")
            for n in range(50)
        ),
        "copies_available": 90,
        "description": "A whale. " * 150,
    }
    return answers.record(told=notes, **(large | values))


@pytest.mark.proves("10.6")
def test_a_record_of_any_size_is_within_both_limits_and_what_was_cut_is_counted() -> None:
    whole = large_record()
    answer, text = fit(whole, render_record)
    item = answer.item
    assert len(text) <= TEXT_LIMIT
    assert structured_size(answer) <= STRUCTURED_LIMIT
    assert item.title == whole.item.title[:SHORT_TEXT_LIMIT]  # type: ignore[index]  # a title is given
    assert 0 < len(item.subjects) < 2_000
    context = sum(map(len, item.context.values()))
    cuts = {
        "characters of title": 30_000 - SHORT_TEXT_LIMIT,
        "subjects": 2_000 - len(item.subjects),
        "entries of context": 500 - context,
        "copies": 50 - len(item.copies),
    }
    expected = [
        answers.note(Kind.PARTS_LEFT_OUT, count=count, what=what).text
        for what, count in cuts.items()
        if count
    ]
    assert sorted(told(answer, Kind.PARTS_LEFT_OUT)) == sorted(expected)
    for note in expected:
        assert f"note: {note}" in text
    assert item.subjects == whole.item.subjects[: len(item.subjects)]
    assert item.description == whole.item.description


@pytest.mark.proves("10.4")
def test_a_record_keeps_its_terms_notes_and_credit_whatever_is_cut() -> None:
    no_terms = answers.note(Kind.NO_TERMS_STATED, "archive")
    _, text = fit(large_record(notes=(no_terms,)), render_record)
    assert f"note: {no_terms.text}" in text
    assert "\nterms: none stated" in text
    assert text.split("\n")[-1].startswith("credit: ")


def test_a_count_of_copies_listed_is_not_left_standing_when_copies_are_cut() -> None:
    more = answers.note(Kind.MORE_COPIES, shown=50, available=90)
    whole = large_record(subjects=(), context={}, title="x", notes=(more,))
    answer, text = fit(whole, render_record, text_limit=3_000)
    assert told(answer, Kind.MORE_COPIES) == []
    assert f"\ncopies ({len(answer.item.copies)} of 90):" in text
    assert answer.item.copies_available == 90


def test_prose_is_cut_last_and_resumes_where_it_was_cut() -> None:
    prose = "\n".join("a" for _ in range(4_000))
    window = TextWindow(offset=100, returned_chars=7_999, total_chars=9_000, next_offset=8_099)
    more = answers.note(Kind.MORE_PROSE, offset=8_099)
    whole = answers.record(description=prose, window=window, told=(more,))
    answer, text = fit(whole, render_record, text_limit=9_000)
    cut = answer.text_window
    assert cut is not None
    assert len(text) <= 9_000
    assert answer.item.description == prose[: cut.returned_chars].rstrip("\n")
    assert 1_000 < cut.returned_chars < 7_999
    assert cut.next_offset == 100 + cut.returned_chars
    assert cut.total_chars == 9_000
    assert told(answer, Kind.MORE_PROSE) == [
        answers.note(Kind.MORE_PROSE, offset=cut.next_offset).text
    ]


def test_control_characters_of_prose_are_counted_as_json_writes_them() -> None:
    window = TextWindow(offset=0, returned_chars=8_000, total_chars=8_000, next_offset=None)
    whole = answers.record(description="\x01" * 8_000, window=window)
    assert structured_size(whole) > STRUCTURED_LIMIT
    answer, _ = fit(whole, render_record)
    assert structured_size(answer) <= STRUCTURED_LIMIT
    assert answer.text_window is not None
    assert answer.text_window.next_offset == answer.text_window.returned_chars > 6_000


def test_notes_of_the_record_are_cut_with_the_prose_they_continue() -> None:
    notes = tuple(f"note {n} " + "z" * 90 for n in range(50))
    whole = answers.record(
        description="A whale.",
        notes=notes,
        window=TextWindow(offset=0, returned_chars=5_000, total_chars=5_000, next_offset=None),
    )
    answer, _ = fit(whole, render_record, text_limit=3_000)
    assert answer.item.description == "A whale."
    assert 0 < len(answer.item.notes) < 50
    assert answer.item.notes == notes[: len(answer.item.notes)]


def test_prose_without_a_window_is_cut_and_counted() -> None:
    whole = answers.record(description="word " * 8_000)
    answer, text = fit(whole, render_record)
    assert len(text) <= TEXT_LIMIT
    left_out = 40_000 - len(answer.item.description or "")
    assert told(answer, Kind.PARTS_LEFT_OUT) == [
        answers.note(Kind.PARTS_LEFT_OUT, count=left_out, what="characters of prose").text
    ]


def test_fields_that_were_left_out_stay_left_out() -> None:
    whole = answers.record(title="Title " * 10_000)
    answer, _ = fit(whole, render_record)
    assert set(answer.dump()["item"]) == set(whole.dump()["item"])
    assert json.dumps(answer.dump())
