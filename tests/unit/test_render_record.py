"""What the text block of one record says."""

from __future__ import annotations

import pytest

from mcp_books._phrases import Kind
from mcp_books._render import render_record
from mcp_books.models import DigitalCopy, Rights, TextWindow
from mcp_books.reports import RecordAnswer

from . import answers


def lines_behind(answer: RecordAnswer, opening: str) -> list[str]:
    """Return the marked lines that follow the line that starts with `opening`."""
    lines = render_record(answer).split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(opening)) + 1
    found = []
    for line in lines[start:]:
        if not line.startswith("  │ "):
            break
        found.append(line[4:])
    return found


def line(answer: RecordAnswer, label: str) -> str | None:
    """Return what stands behind `label`, or None."""
    found = (each for each in render_record(answer).split("\n") if each.startswith(f"{label}"))
    return next((each[len(label) :].lstrip(": ") for each in found), None)


def test_a_record_shows_title_id_address_creator_date_kind_and_terms() -> None:
    rights = Rights(
        statement="No known restrictions",
        url="https://rights.example/x",
        covers="the item",
        note="as filed",
    )
    text = render_record(answers.record(rights=rights, identifier_provisional=True))
    assert text.split("\n")[:4] == [
        "record: Moby-Dick",
        "  id: archive:mobydick00melv · https://archive.org/details/mobydick00melv",
        "  by Herman Melville · 1851 · texts · id may change",
        "terms: No known restrictions · https://rights.example/x · about the item · as filed",
    ]


@pytest.mark.proves("10.4")
def test_a_record_that_states_no_terms_says_so_whatever_sections_were_asked() -> None:
    told = answers.note(Kind.NO_TERMS_STATED, "archive")
    answer = answers.record(told=(told,))
    assert line(answer, "terms") == "none stated · about the item"
    assert line(answer, "note") == told.text


def test_terms_that_are_only_an_address_are_that_address() -> None:
    rights = Rights(statement=None, url="https://creativecommons.org/publicdomain/", covers="all")
    answer = answers.record(rights=rights)
    assert line(answer, "terms") == "https://creativecommons.org/publicdomain/ · about all"


def test_a_description_keeps_its_lines_and_says_which_part_of_it_this_is() -> None:
    answer = answers.record(
        description="A whale.\n\nnote: and a ship.",
        description_means="text of the uploader",
        notes=("First edition.", "Bound."),
        window=TextWindow(offset=10, returned_chars=30, total_chars=90, next_offset=40),
    )
    label = "description (text of the uploader; characters 10 to 40 of 90)"
    assert lines_behind(answer, label) == ["A whale.", "note : and a ship."]
    assert lines_behind(answer, "record notes") == ["First edition.", "Bound."]


@pytest.mark.proves("10.5")
def test_a_section_that_applies_and_is_empty_is_said_and_one_left_out_is_not() -> None:
    assert line(answers.record(description=None), "description") == "[not stated]"
    plain = render_record(answers.record())
    for section in ("description:", "subjects", "copies (", "context", "record notes", "read as"):
        assert f"\n{section}" not in plain


def test_copies_are_listed_with_how_many_there_are_in_all() -> None:
    copies = (
        DigitalCopy(label="Scan", format="PDF", url="https://archive.org/download/x/x.pdf"),
        DigitalCopy(label="Text", format=None, url="https://archive.org/download/x/x.txt"),
    )
    answer = answers.record(copies=copies, copies_available=7, generated_entries=40)
    assert lines_behind(answer, "copies (2 of 7; 40 generated entries left out):") == [
        "Scan · PDF · https://archive.org/download/x/x.pdf",
        "Text · https://archive.org/download/x/x.txt",
    ]
    assert line(answers.record(copies=()), "copies") == "(0):"


def test_subjects_and_context_keep_the_archives_own_labels() -> None:
    answer = answers.record(
        subjects=("Whaling", "Sea stories"), context={"publisher": ("Harper", "Bentley")}
    )
    assert line(answer, "subjects") == "(2): Whaling; Sea stories"
    assert lines_behind(answer, "context:") == ["publisher: Harper; Bentley"]


def test_what_was_not_asked_or_is_never_filled_is_named_and_how_the_identifier_was_read() -> None:
    answer = answers.record().model_copy(
        update={
            "id_read_as": "archive:mobydick00melv",
            "fields_not_read_from_this_archive": ("notes",),
        }
    )
    assert line(answer, "read as") == "archive:mobydick00melv"
    assert line(answer, "sections left out") == "subjects, copies, context"
    assert line(answer, "not filled here") == "notes"


@pytest.mark.proves("10.9")
def test_the_last_line_of_a_record_credits_its_archive_in_its_own_terms() -> None:
    credit = "Source: Bibliothèque nationale de France, data.bnf.fr, retrieved 2026-11-30"
    text = render_record(answers.record(attribution=credit))
    assert text.split("\n")[-1] == f"credit: {credit}"
