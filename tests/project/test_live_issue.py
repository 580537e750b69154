"""The one issue of the nightly suite: what each night's report makes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from .live_nights import INSIDE, RECORD, RUN, kinds, live, night, nights


def test_a_green_night_without_an_issue_does_nothing() -> None:
    assert nights(night()) == [[]]


def test_a_failing_test_opens_an_issue_that_says_what_since_when_and_why() -> None:
    ((create,),) = nights(night(failed=[INSIDE], reason="no page number came"))
    assert (create.do, create.number) == ("create", None)
    assert f"`{INSIDE}`, since 2026-12-01: `no page number came`" in create.text
    assert f"Last run: 2026-12-01, {RUN}" in create.text
    assert "`loc, q1: status: 404`" in create.text


def test_the_same_failure_rewrites_the_body_in_place_and_keeps_the_first_date() -> None:
    _, again = nights(night(failed=[INSIDE]), night(failed=[INSIDE]))
    assert kinds(again) == ["edit"]
    assert again[0].number == 7
    assert f"`{INSIDE}`, since 2026-12-01" in again[0].text
    assert "Last run: 2026-12-02" in again[0].text


def test_another_set_of_failing_tests_is_commented_on_once() -> None:
    _, changed, same = nights(
        night(failed=[INSIDE]), night(failed=[RECORD]), night(failed=[RECORD])
    )
    assert kinds(changed) == ["edit", "comment"]
    assert f"- fails: `{RECORD}`" in changed[1].text
    assert f"- no longer fails: `{INSIDE}`" in changed[1].text
    assert f"`{RECORD}`, since 2026-12-02" in changed[0].text
    assert kinds(same) == ["edit"]


def test_a_green_night_closes_the_issue_with_a_comment() -> None:
    _, green, after = nights(night(failed=[INSIDE]), night(), night())
    assert kinds(green) == ["edit", "comment", "close"]
    assert RUN in green[1].text
    assert after == []


def test_a_silent_archive_is_an_outage_and_no_failure() -> None:
    ((create,),) = nights(night(silent=["loc"]))
    assert "`loc`: no answer, 1 night in a row" in create.text
    assert "### Failing tests\n\nNone." in create.text


def test_an_archive_silent_for_three_nights_in_a_row_fails() -> None:
    first, second, third, fourth = nights(*(night(silent=["loc"]) for _ in range(4)))
    assert [kinds(each) for each in (first, second, fourth)] == [["create"], ["edit"], ["edit"]]
    assert kinds(third) == ["edit", "comment"]
    assert "- fails: `archive without an answer: loc`" in third[1].text
    assert "`loc`: no answer, 4 nights in a row" in fourth[0].text
    assert "`archive without an answer: loc`, since 2026-12-03" in fourth[0].text


def test_the_nights_of_silence_are_counted_anew_after_an_answer() -> None:
    done = nights(
        night(silent=["loc"]),
        night(silent=["loc"]),
        night(failed=[RECORD]),
        night(failed=[RECORD], silent=["loc"]),
    )
    assert "`loc`: no answer, 1 night in a row" in done[-1][0].text


def test_a_silent_archive_makes_no_test_recover_that_failed_before() -> None:
    _, silent, back = nights(night(failed=[INSIDE]), night(silent=["loc"]), night(failed=[INSIDE]))
    assert kinds(silent) == ["edit"]
    assert f"`{INSIDE}`, since 2026-12-01" in silent[0].text
    assert kinds(back) == ["edit"]
    assert f"`{INSIDE}`, since 2026-12-01" in back[0].text


def test_a_test_that_was_skipped_has_not_recovered() -> None:
    tired = night()
    for test in tired["tests"]:
        if test["test"] == INSIDE:
            test.update(outcome="skipped", reason="it timed out")
    _, skipped, back = nights(night(failed=[INSIDE]), tired, night())
    assert kinds(skipped) == ["edit"]
    assert f"`{INSIDE}`, since 2026-12-01" in skipped[0].text
    assert kinds(back)[-1] == "close"


def test_an_outage_beside_a_change_leaves_the_change_a_failure() -> None:
    ((create,),) = nights(night(failed=[RECORD], silent=["loc"]))
    assert f"`{RECORD}`, since" in create.text
    assert "closing[loc]" not in create.text


def test_what_an_archive_sent_mentions_nobody_and_forges_no_state() -> None:
    forged = '@everyone `x` -->\n<!-- live-suite {"failing": {}, "silent": {"bnf": 9}} -->\n'
    first, second = nights(
        night(failed=[INSIDE], reason=forged), night(failed=[INSIDE], silent=["bnf"])
    )
    (line,) = (each for each in first[0].text.splitlines() if "@everyone" in each)
    assert line.startswith(f"- `{INSIDE}`, since 2026-12-01: `@everyone 'x' -->")
    assert line.count("`") == 4
    assert "`bnf`: no answer, 1 night in a row" in second[0].text


def test_a_body_saved_by_a_browser_keeps_its_state() -> None:
    ((create,),) = nights(night(failed=[INSIDE]))
    saved = live.Issue(7, create.text.replace("\n", "\r\n"))
    report = live.read_report(night(failed=[INSIDE]))
    actions = live.plan(report, saved, today="2026-12-09", run=RUN)
    assert f"`{INSIDE}`, since 2026-12-01" in actions[0].text


def test_each_action_becomes_one_command_with_its_text_on_standard_input() -> None:
    ran: list[tuple[list[str], str]] = []
    live.carry_out(
        [live.Action("create", None, "body")], lambda words, text: ran.append((list(words), text))
    )
    label, create = ran
    assert label == (["label", "create", "live-suite", "--force"], "")
    assert create[0][:2] == ["issue", "create"]
    assert create[0][create[0].index("--label") + 1] == "live-suite"
    assert create[1] == "body"
    ran.clear()
    live.carry_out(
        [live.Action(do, 7, text) for do, text in (("edit", "b"), ("comment", "c"), ("close", ""))],
        lambda words, text: ran.append((list(words), text)),
    )
    assert [(words[:3], text) for words, text in ran] == [
        (["issue", "edit", "7"], "b"),
        (["issue", "comment", "7"], "c"),
        (["issue", "close", "7"], ""),
    ]


def test_the_files_of_a_night_become_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, listed = tmp_path / "report.json", tmp_path / "issues.json"
    report.write_text(json.dumps(night()), "utf-8")
    listed.write_text(json.dumps([{"number": 12, "body": "as it was"}]), "utf-8")
    ran: list[Sequence[str]] = []
    monkeypatch.setattr(live, "_gh", lambda words, _: ran.append(words))
    monkeypatch.setenv("RUN_URL", RUN)
    live.main(str(report), str(listed))
    assert [words[:3] for words in ran] == [
        ["issue", "edit", "12"],
        ["issue", "comment", "12"],
        ["issue", "close", "12"],
    ]
