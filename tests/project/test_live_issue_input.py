"""The issue of the nightly suite: input of another shape, and lines without end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests_live.report import Report

from .live_nights import INSIDE, RUN, kinds, live, night, nights

GITHUB_TAKES = 65536
"""Characters of an issue's body."""


def test_a_report_of_a_run_that_was_broken_off_is_refused() -> None:
    with pytest.raises(ValueError, match="broken off"):
        live.read_report(Report().value(complete=False, version="1"))


def test_a_report_without_a_test_is_refused() -> None:
    with pytest.raises(ValueError, match="no test ran"):
        live.read_report({**night(), "tests": []})


LOST = [
    "",
    "edited by hand",
    *(
        f"<!-- live-suite {kept} -->"
        for kept in (
            "{not json}",
            "{}",
            '{"failing": {}}',
            '{"failing": [], "silent": {}}',
            '{"failing": {}, "silent": {"loc": Infinity}}',
            '{"failing": ' + "[" * 20_000 + "}",
        )
    ),
]


@pytest.mark.parametrize("body", LOST)
def test_a_body_that_lost_its_state_starts_again(body: str) -> None:
    report = live.read_report(night(failed=[INSIDE]))
    actions = live.plan(report, live.Issue(7, body), today="2026-12-09", run=RUN)
    assert kinds(actions) == ["edit", "comment"]
    assert f"`{INSIDE}`, since 2026-12-09" in actions[0].text


def test_an_issue_that_lost_its_state_stays_open_while_a_test_was_skipped() -> None:
    tired = night()
    tired["tests"][0].update(outcome="skipped", reason="it timed out")
    report, lost = live.read_report(tired), live.Issue(7, "edited by hand")
    (edit,) = live.plan(report, lost, today="2026-12-01", run=RUN)
    assert edit.do == "edit"
    rewritten = live.Issue(7, edit.text)
    green = live.plan(live.read_report(night()), rewritten, today="2026-12-02", run=RUN)
    assert kinds(green) == ["edit", "comment", "close"]


def test_a_body_stays_within_what_github_takes_when_everything_fails_at_length() -> None:
    tests = tuple(
        live.Test(f"test_{number:03}" + "x" * 140, "loc", "failed", "y" * 5000)
        for number in range(100)
    )
    report = live.Report(frozenset(), tests, tuple("z" * 900 for _ in range(500)))
    (create,) = live.plan(report, None, today="2026-12-01", run=RUN)
    assert "- and 40 more" in create.text
    assert len(create.text) < GITHUB_TAKES
    again = live.plan(report, live.Issue(7, create.text), today="2026-12-02", run=RUN)
    assert kinds(again) == ["edit"]


def test_a_body_that_would_be_too_long_lists_less() -> None:
    night = live.Report(
        frozenset(f"{number:03}" + "a" * 250 for number in range(100)),
        tuple(live.Test(f"t{n:03}" + "x" * 300, "loc", "failed", "y" * 300) for n in range(100)),
        tuple("z" * 900 for _ in range(500)),
    )
    (create,) = live.plan(night, None, today="2026-12-01", run=RUN)
    assert len(create.text) < GITHUB_TAKES
    assert "- and 40 more" not in create.text
    again = live.plan(night, live.Issue(7, create.text), today="2026-12-02", run=RUN)
    assert kinds(again) == ["edit"]


def test_more_than_an_issue_can_hold_is_said_instead() -> None:
    tests = tuple(live.Test(f"{n:03}" + "x" * 1000, "loc", "failed", "") for n in range(100))
    report = live.Report(frozenset(), tests, ())
    (create,) = live.plan(report, None, today="2026-12-01", run=RUN)
    assert "More failed than an issue can hold." in create.text
    assert RUN in create.text
    again = live.plan(report, live.Issue(7, create.text), today="2026-12-02", run=RUN)
    assert kinds(again) == ["edit", "comment"]
    assert all(len(action.text) < GITHUB_TAKES for action in again)


def test_what_cannot_be_printed_or_sent_stands_as_a_space() -> None:
    ((create,),) = nights(night(failed=[INSIDE], reason="a\x00b\u202ec\U0001f4d6"))
    assert "`a b c\U0001f4d6`" in create.text
    document = night(failed=[INSIDE])
    document["questions"][0]["seen"] = {"title": "a\ud800b"}
    ((create,),) = nights(document)
    assert b"title: a b" in create.text.encode()


def altered(change: Callable[[dict[str, Any]], object]) -> str:
    document = night()
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (altered(lambda report: report.update(layout=2)), "layout"),
        (altered(lambda report: report.pop("layout")), "layout"),
        (altered(lambda report: report.update(tests=None)), "tests"),
        (altered(lambda report: report["tests"][0].update(outcome="lost")), "tests.0.outcome"),
        (altered(lambda report: report["tests"][0].pop("archive")), "tests.0.archive"),
        (altered(lambda report: report.update(archives=[])), "archives"),
        (altered(lambda report: report["archives"].pop("loc")), "whether loc answered"),
        (altered(lambda report: report["archives"]["loc"].update(state="mute")), "loc.state"),
        (altered(lambda report: report.update(outcome="lost")), "outcome"),
        ("[" * 200_000, "cannot be used"),
        ("null", "cannot be used"),
        ("{", "cannot be used"),
        (None, "cannot be used"),
    ],
)
def test_a_report_of_another_shape_is_said_in_a_sentence_and_touches_no_issue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, said: str
) -> None:
    report, listed = tmp_path / "report.json", tmp_path / "issues.json"
    if text is not None:
        report.write_text(text, "utf-8")
    listed.write_text("[]", "utf-8")
    monkeypatch.setattr(live, "_gh", pytest.fail)
    with pytest.raises(SystemExit, match=said) as ended:
        live.main(str(report), str(listed))
    assert "\n" not in str(ended.value)


@pytest.mark.parametrize("text", ["null", "[1]", "{", '[{"body": "x"}]', "{}"])
def test_a_list_of_issues_of_another_shape_touches_no_issue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    report, listed = tmp_path / "report.json", tmp_path / "issues.json"
    report.write_text(json.dumps(night()), "utf-8")
    listed.write_text(text, "utf-8")
    monkeypatch.setattr(live, "_gh", pytest.fail)
    with pytest.raises(SystemExit, match="the list of issues"):
        live.main(str(report), str(listed))


def test_a_question_of_which_nothing_was_seen_and_an_issue_without_a_body_are_read() -> None:
    document = night(failed=[INSIDE])
    document["questions"][0]["seen"] = None
    issue = live.open_issue('[{"number": 7, "body": null}]')
    actions = live.plan(live.read_report(document), issue, today="2026-12-01", run=RUN)
    assert kinds(actions) == ["edit", "comment"]
