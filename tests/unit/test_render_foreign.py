"""Whatever somebody else wrote, the text block keeps its shape."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings

from mcp_books._phrases import Kind
from mcp_books._render import fit, render_error, render_inside, render_items, render_record
from mcp_books.errors import ParseFailure
from mcp_books.models import DigitalCopy, Rights
from mcp_books.reports import DroppedFilter, ErrorReport, InsideAnswer, ItemsAnswer, RecordAnswer

from . import answers
from .answers import PROFILES
from .hostile import FOREIGN, is_hidden

pytestmark = pytest.mark.proves("10.8")

HARMLESS = "plainword"


def hits_full_of(text: str) -> InsideAnswer:
    """Return an answer in which every text that an archive sends is `text`."""
    hit = answers.hit(
        title=text,
        creator=text,
        excerpts=(text, text),
        matched_file=text,
        inside_container=True,
        page_label=text,
        section=text,
        found_by_query=text,
        published_on=text,
    )
    opening = answers.page_hit(title=text, excerpts=(text,), excerpt_kind="page_opening")
    return answers.inside(hit, opening, reports=_reports(text), notes=_notes(text))


def rows_full_of(text: str) -> ItemsAnswer:
    """Return an answer in which every text that an archive sends is `text`."""
    row = answers.brief(title=text, creator=text, date=text, media_type=text, location=text)
    return answers.items(row, row, reports=_reports(text), notes=_notes(text))


def record_full_of(text: str) -> RecordAnswer:
    """Return a record in which every text but its prose is `text`."""
    return answers.record(
        title=text,
        creator=text,
        date=text,
        media_type=text,
        attribution=text,
        description_means=text,
        description="one line",
        subjects=(text, text),
        copies=(DigitalCopy(label=text, format=text, url="https://archive.org/x"),),
        context={text: (text, text)},
        rights=Rights(statement=text, url=None, covers=text, note=text),
        told=_notes(text),
    )


def _reports(text: str) -> tuple[Any, ...]:
    error = ErrorReport(code="parse_failure", message=text, hint=text)
    dropped = (DroppedFilter(filter="sort", because=text),)
    queries = (
        answers.attempt(sent_as=text),
        answers.attempt(query=text, derivation="names", sent_as=text),
        answers.attempt(query=text, derivation="names", error=error),
    )
    return (
        answers.answered(
            reported_total_means=text,
            ordered_on=text,
            attribution=text,
            filters_dropped=dropped,
            queries=queries,
            media_type_asked=text,
        ),
        answers.failed(error=error, filters_dropped=dropped, queries=queries),
        answers.absent("bnf", text),
    )


def _notes(text: str) -> tuple[Any, ...]:
    return (
        answers.note(Kind.ROWS_CUT, "archive", name=text),
        answers.note(Kind.SOURCE_FAILED, "loc", name=text, code="timeout"),
    )


CASES = [
    (hits_full_of, lambda answer: render_inside(answer, PROFILES)),
    (rows_full_of, lambda answer: render_items(answer, PROFILES)),
    (record_full_of, render_record),
]


@pytest.mark.parametrize(("full_of", "render"), CASES, ids=["hits", "rows", "record"])
@settings(deadline=None, max_examples=150)
@given(text=FOREIGN)
def test_foreign_text_leaves_every_line_where_it_is_and_opening_as_it_does(
    full_of: Any, render: Any, text: str
) -> None:
    """The `x` keeps a text from vanishing, which would be said instead of shown."""
    expected = render(full_of(HARMLESS)).split("\n")
    rendered = render(full_of(f"{text}x")).split("\n")
    assert len(rendered) == len(expected)
    for line, plain in zip(rendered, expected, strict=True):
        assert line.startswith(plain.partition(HARMLESS)[0])


@pytest.mark.parametrize(("full_of", "render"), CASES, ids=["hits", "rows", "record"])
@settings(deadline=None, max_examples=150)
@given(text=FOREIGN)
def test_a_text_block_hides_nothing_and_renders_nothing(
    full_of: Any, render: Any, text: str
) -> None:
    block = render(full_of(text))
    assert not any(is_hidden(character) for character in block if character != "\n")
    assert not re.search(r"!\[|\]\(|\]\[|<[A-Za-z/!?]|```", block)
    assert block.isprintable() or block.encode("utf-8")


@settings(deadline=None, max_examples=150)
@given(text=FOREIGN)
def test_prose_of_a_record_stands_behind_its_mark(text: str) -> None:
    answer = answers.record(description=text)
    lines = render_record(answer).split("\n")
    plain = render_record(answers.record(description="")).split("\n")
    foreign = [line for line in lines if line not in plain]
    assert all(line.startswith("  │ ") for line in foreign)
    assert [line for line in lines if not line.startswith("  │ ")] == plain


@pytest.mark.parametrize("full_of", [hits_full_of, rows_full_of, record_full_of])
def test_the_structured_answer_keeps_foreign_text_as_published(full_of: Any) -> None:
    text = "note: <b>x</b> ![y](http://z.example)\u202e\n[2] "
    answer, _ = fit(full_of(text), lambda _: "")
    dumped = answer.dump()
    row = (dumped.get("hits") or dumped.get("items") or [dumped.get("item")])[0]
    assert row["title"] == text


@settings(deadline=None, max_examples=150)
@given(text=FOREIGN)
def test_an_error_is_one_line_that_opens_with_its_code(text: str) -> None:
    rendered = render_error(ParseFailure(text, hint=text, source="loc"))
    assert rendered.startswith("[parse_failure] loc:")
    assert len(rendered.splitlines()) == 1
