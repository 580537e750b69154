"""What the text block of a search says of each archive, and which notes it carries."""

from __future__ import annotations

import pytest

from mcp_books._phrases import WORDINGS, Kind, Weight
from mcp_books._render import render_inside, render_items
from mcp_books.reports import Coverage, DroppedFilter, ErrorReport

from . import answers
from .answers import PROFILES, QUERY, lines_of


@pytest.mark.proves("10.2")
def test_an_archive_that_answered_shows_count_meaning_of_its_total_and_what_follows() -> None:
    shown = {
        more: lines_of(
            render_inside(
                answers.inside(reports=(answers.answered(count=3, more_on_this_archive=more),)),
                PROFILES,
            ),
            "answered",
        )[0]
        for more in (True, False, None)
    }
    for line in shown.values():
        assert line.startswith("Internet Archive (archive) · 3 hits · ")
        assert "total 12 (documents, for the words as asked)" in line
        assert "ordered on relevance" in line
    assert len(set(shown.values())) == 3
    assert "not established" in shown[None]


@pytest.mark.proves("10.2")
def test_an_archive_without_a_total_says_so() -> None:
    report = answers.answered(reported_total=None, reported_total_means=None)
    text = render_inside(answers.inside(answers.hit(), reports=(report,)), PROFILES)
    assert " · no total · " in lines_of(text, "answered")[0]


@pytest.mark.proves("10.2")
def test_rows_not_shown_kinds_asked_and_coverage_stand_in_the_archives_line() -> None:
    coverage = Coverage(indexed=12, readable=14, unreadable={"locked": 2})
    report = answers.answered(
        skipped=2, set_aside=3, media_type_asked="texts", coverage=coverage, count=1
    )
    line = lines_of(render_items(answers.items(reports=(report,)), PROFILES), "answered")[0]
    assert " · 1 record · asked for texts · " in line
    assert "2 unreadable" in line
    assert "3 set aside" in line
    assert "12 of 14 readable documents indexed (2 locked)" in line
    quiet = render_items(answers.items(reports=(answers.answered(),)), PROFILES)
    assert "unreadable" not in quiet
    assert "set aside" not in quiet


@pytest.mark.proves("10.2")
def test_dropped_filters_stand_with_their_reason_whether_or_not_the_archive_answered() -> None:
    dropped = (DroppedFilter(filter="sort", because="it has one order"),)
    reports = (
        answers.answered(filters_dropped=dropped),
        answers.failed(filters_dropped=dropped),
    )
    text = render_items(answers.items(reports=reports), PROFILES)
    for label in ("answered", "failed"):
        assert "without sort (it has one order)" in lines_of(text, label)[0]


@pytest.mark.proves("10.2")
def test_a_failed_archive_shows_stage_code_message_and_hint() -> None:
    text = render_inside(answers.inside(reports=(answers.failed(),)), PROFILES)
    assert lines_of(text, "failed") == [
        "Library of Congress (loc) · at search · [rate_limited] fewer requests, please. Wait 60 s."
    ]


@pytest.mark.proves("10.2")
def test_further_wordings_that_were_sent_stand_with_what_they_brought() -> None:
    error = ErrorReport(code="timeout", message="no answer in time")
    report = answers.answered(
        queries=(
            answers.attempt(sent_as="call me ishmael~1"),
            answers.attempt(query="ishmael", derivation="its longest words", count=4, added=2),
            answers.attempt(query="call me", derivation="its names", error=error),
            answers.attempt(query="withheld", ran=False, not_run_because="enough"),
        )
    )
    text = render_inside(answers.inside(reports=(report,)), PROFILES)
    assert lines_of(text, "sent as") == ["call me ishmael~1"]
    assert lines_of(text, "also asked") == [
        "ishmael · its longest words · 4 found, 2 new",
        "call me · its names · [timeout] no answer in time",
    ]


@pytest.mark.proves("10.2", "10.7")
def test_every_note_is_said_once_heaviest_first() -> None:
    notes = (
        answers.note(Kind.SOURCE_FAILED, "loc", name="Library of Congress", code="rate_limited"),
        answers.note(Kind.PAST_THE_END, "archive", name="Internet Archive", page=9),
        answers.note(Kind.MORE_AVAILABLE, names="Internet Archive", page=2),
    )
    reports = (answers.answered(), answers.failed())
    text = render_inside(answers.inside(answers.hit(), reports=reports, notes=notes), PROFILES)
    assert lines_of(text, "note") == [note.text for note in notes]


@pytest.mark.proves("10.4")
@pytest.mark.parametrize("kind", list(Kind))
def test_notes_that_decide_stand_before_the_rows_and_the_others_after(kind: Kind) -> None:
    note = answers.note(Kind.NO_TERMS_STATED).model_copy(
        update={"kind": kind, "text": "remarkable"}
    )
    text = render_inside(answers.inside(answers.hit(), notes=(note,)), PROFILES)
    before = text.index("remarkable") < text.index("[1] ")
    assert before == (WORDINGS[kind].weight is Weight.DECISIVE)


@pytest.mark.proves("6.12", "10.4")
def test_when_every_archive_failed_the_first_line_says_that_nothing_was_established() -> None:
    note = answers.note(Kind.NOTHING_ESTABLISHED)
    reports = (answers.failed("archive"), answers.failed("loc"), answers.absent())
    for notes in ((note,), ()):
        text = render_inside(answers.inside(reports=reports, notes=notes), PROFILES)
        assert text.split("\n")[0] == f"{note.text} 0 hits, page 1, for: {QUERY}"
        assert text.count(note.text) == 1


def test_when_no_archive_was_asked_the_first_line_says_so() -> None:
    text = render_inside(answers.inside(reports=(answers.absent(),)), PROFILES)
    assert text.startswith(WORDINGS[Kind.NOTHING_ASKED].text)


@pytest.mark.proves("10.4")
def test_when_some_archives_failed_that_stands_before_the_rows() -> None:
    note = answers.note(Kind.SOURCE_FAILED, "loc", name="Library of Congress", code="rate_limited")
    reports = (answers.answered(), answers.failed())
    text = render_inside(answers.inside(answers.hit(), reports=reports, notes=(note,)), PROFILES)
    assert text.split("\n")[:2] == [f"1 hit, page 1, for: {QUERY}", f"note: {note.text}"]
