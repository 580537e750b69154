"""The one issue of the nightly suite: what each night's report makes of it."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests_live.report import Report

SCRIPT = Path(__file__).parents[2] / ".github" / "scripts" / "live_issue.py"
RUN = "https://forge.example/runs/1"
GITHUB_TAKES = 65536
"""Characters of an issue's body."""
ROBOTS, INSIDE, RECORD = "test_robots", "test_inside", "test_record"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("live_issue", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["live_issue"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


live = _load()


def night(
    *, failed: Iterable[str] = (), silent: Iterable[str] = (), reason: str = "changed"
) -> dict[str, Any]:
    """Return the report the suite itself writes of such a night: three tests, two archives."""
    report = Report()
    report.expect_question("q1", archive="loc", question="Is it so?", test=ROBOTS)
    for test, archive in ((ROBOTS, "loc"), (INSIDE, "loc"), (RECORD, "bnf")):
        lost = archive in silent
        outcome: Any = "skipped" if lost else "failed" if test in failed else "passed"
        told = None if outcome == "passed" else reason
        report.ran(test, archive=archive, closing=False, outcome=outcome, reason=told, seconds=1.0)
    for archive in ("loc", "bnf"):
        lost = archive in silent
        report.ran(
            f"closing[{archive}]",
            archive=archive,
            closing=True,
            outcome="failed" if lost else "passed",
            reason="answered nothing" if lost else None,
            seconds=0.0,
        )
        report.asked(archive, name=archive, address="", answers=0 if lost else 9)
    report.saw("q1", {"status": 404})
    return report.value(complete=True, version="1")


def nights(*reports: dict[str, Any]) -> list[list[Any]]:
    """Return what each night does to the issue, one after the other; the issue starts absent."""
    issue = None
    done = []
    for number, document in enumerate(reports, start=1):
        actions = live.plan(
            live.read_report(document), issue, today=f"2026-12-{number:02}", run=RUN
        )
        for action in actions:
            if action.do in ("create", "edit"):
                issue = live.Issue(7, action.text)
            if action.do == "close":
                issue = None
        done.append(list(actions))
    return done


def kinds(actions: Sequence[Any]) -> list[str]:
    return [action.do for action in actions]


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


def test_a_report_without_a_test_is_refused() -> None:
    with pytest.raises(ValueError, match="no test ran"):
        live.read_report({**night(), "tests": []})


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


@pytest.mark.parametrize("body", ["", "edited by hand", "<!-- live-suite {not json} -->"])
def test_a_body_that_lost_its_state_starts_again(body: str) -> None:
    report = live.read_report(night(failed=[INSIDE]))
    actions = live.plan(report, live.Issue(7, body), today="2026-12-09", run=RUN)
    assert kinds(actions) == ["edit", "comment"]
    assert f"`{INSIDE}`, since 2026-12-09" in actions[0].text


def test_a_body_saved_by_a_browser_keeps_its_state() -> None:
    ((create,),) = nights(night(failed=[INSIDE]))
    saved = live.Issue(7, create.text.replace("\n", "\r\n"))
    report = live.read_report(night(failed=[INSIDE]))
    actions = live.plan(report, saved, today="2026-12-09", run=RUN)
    assert f"`{INSIDE}`, since 2026-12-01" in actions[0].text


def test_a_report_of_a_run_that_was_broken_off_is_refused() -> None:
    with pytest.raises(ValueError, match="broken off"):
        live.read_report(Report().value(complete=False, version="1"))


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


@pytest.mark.parametrize("text", ["null", "[1]", "{", '[{"body": "x"}]'])
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
