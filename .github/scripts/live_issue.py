"""Keep the one issue of the nightly suite: what fails, since when, and which archives are silent.

`plan` decides from tonight's report and the issue as it stands; `carry_out` does it with `gh`.
A test of an archive that did not answer establishes nothing: it neither fails nor recovers. An
archive that stays silent counts as failing after `NIGHTS` nights in a row.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

__all__ = ["Action", "Issue", "Report", "Test", "carry_out", "plan", "read_report"]

LABEL = "live-suite"
TITLE = "The archives no longer answer as the adapters expect"
NIGHTS = 3
RULE = (
    f"An archive without an answer counts as failing after {NIGHTS} nights in a row. "
    "This text is rewritten every night."
)
MOST_LINES = 60
LONGEST = 200

# At the start of a line, where no text of an archive ever stands.
_STATE = re.compile(r"^<!-- live-suite (\{.*\}) -->\r?$", re.MULTILINE)
_SILENCE = "archive without an answer: "


@dataclass(frozen=True, slots=True)
class Test:
    """One test of tonight, and the archive it asked."""

    id: str
    archive: str
    outcome: Literal["passed", "failed", "skipped"]
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the suite saw tonight."""

    silent: frozenset[str]
    tests: tuple[Test, ...]
    questions: tuple[str, ...]
    """What was seen of each open question, a line each."""


@dataclass(frozen=True, slots=True)
class Issue:
    """The open issue of the suite."""

    number: int
    body: str


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do to the issue; `number` is None where it is still to be created."""

    do: Literal["create", "edit", "comment", "close"]
    number: int | None
    text: str


@dataclass(frozen=True, slots=True)
class _State:
    """What one night hands on to the next, kept in the issue's body."""

    failing: Mapping[str, str] = field(default_factory=dict)
    """Each failing test, and the date it first failed."""
    silent: Mapping[str, int] = field(default_factory=dict)
    """Each silent archive, and for how many nights in a row."""


def read_report(document: Mapping[str, Any]) -> Report:
    """Read the JSON report of `tests_live`.

    Raises:
        ValueError: the run was broken off or empty: nothing is known of the tests it left out.
        KeyError: it is not of the agreed shape.
    """
    if document["outcome"] == "incomplete":
        raise ValueError("the run was broken off before its end")
    if not document["tests"]:
        raise ValueError("no test ran")
    archives: Mapping[str, Mapping[str, Any]] = document["archives"]
    return Report(
        silent=frozenset(name for name, seen in archives.items() if seen["state"] == "silent"),
        tests=tuple(
            Test(
                id=test["test"],
                archive=test["archive"],
                outcome=test["outcome"],
                reason=test["reason"] or "",
            )
            for test in document["tests"]
        ),
        questions=tuple(_observation(question) for question in document["questions"]),
    )


def plan(report: Report, issue: Issue | None, *, today: str, run: str) -> tuple[Action, ...]:
    """Return what to do about `report`, in order; `run` is the address of tonight's run."""
    before = _read_state(issue.body if issue is not None else "")
    after = _next_state(report, before, today)
    if not after.failing and not after.silent:
        if issue is None:
            return ()
        body = _body(report, after, today=today, run=run)
        farewell = f"Every archive answered and every test passed: {run}"
        return (
            Action("edit", issue.number, body),
            Action("comment", issue.number, farewell),
            Action("close", issue.number, ""),
        )
    body = _body(report, after, today=today, run=run)
    if issue is None:
        return (Action("create", None, body),)
    if before.failing.keys() == after.failing.keys():
        return (Action("edit", issue.number, body),)
    change = _change(before.failing, after.failing, run)
    return Action("edit", issue.number, body), Action("comment", issue.number, change)


def _next_state(report: Report, before: _State, today: str) -> _State:
    silent = {archive: before.silent.get(archive, 0) + 1 for archive in sorted(report.silent)}
    failing = []
    for test in report.tests:
        # Nobody asked again what failed before: neither silence nor a skip makes it pass.
        is_unknown = test.archive in report.silent or test.outcome == "skipped"
        if test.id in before.failing if is_unknown else test.outcome == "failed":
            failing.append(test.id)
    failing += [_SILENCE + archive for archive, nights in silent.items() if nights >= NIGHTS]
    first = {name: before.failing.get(name, today) for name in sorted(failing)}
    return _State(first, silent)


def _read_state(body: str) -> _State:
    """Return the state a body holds; a body without a readable one counts as the first night."""
    found = _STATE.search(body)
    if found is None:
        return _State()
    try:
        kept = json.loads(found[1])
        return _State(
            {str(name): str(day) for name, day in kept["failing"].items()},
            {str(archive): int(nights) for archive, nights in kept["silent"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return _State()


def _write_state(state: _State) -> str:
    text = json.dumps({"failing": dict(state.failing), "silent": dict(state.silent)})
    # No value can close the comment that holds it.
    text = text.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<!-- live-suite {text} -->"


def _body(report: Report, state: _State, *, today: str, run: str) -> str:
    reasons = {test.id: test.reason for test in report.tests if test.outcome == "failed"}
    tests = [
        f"{_code(name)}, since {day}{_because(reasons.get(name, ''))}"
        for name, day in state.failing.items()
    ]
    outages = [
        f"{_code(archive)}: no answer, {nights} night{'s' if nights > 1 else ''} in a row"
        for archive, nights in state.silent.items()
    ]
    return "\n".join(
        [
            f"Last run: {today}, {run}",
            *_section("Failing tests", tests, "None."),
            *_section("Outages", outages, "None: every archive answered."),
            *_section("Open questions", [_code(seen) for seen in report.questions], "None asked."),
            "",
            RULE,
            "",
            _write_state(state),
        ]
    )


def _section(title: str, lines: Sequence[str], otherwise: str) -> Iterable[str]:
    yield from ("", f"### {title}", "")
    if not lines:
        yield otherwise
    yield from (f"- {line}" for line in lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"- and {len(lines) - MOST_LINES} more"


def _change(before: Mapping[str, str], after: Mapping[str, str], run: str) -> str:
    new = [_code(name) for name in after if name not in before]
    gone = [_code(name) for name in before if name not in after]
    lines = [f"- fails: {name}" for name in new] + [f"- no longer fails: {name}" for name in gone]
    return "\n".join([*lines[:MOST_LINES], "", run])


def _because(reason: str) -> str:
    return f": {_code(reason)}" if reason.strip() else ""


def _code(text: str) -> str:
    """Return `text` as one line of code, so that nothing an archive sent mentions or links."""
    line = " ".join(text.replace("`", "'").split())
    return f"`{line[:LONGEST]}`"


def _observation(question: Mapping[str, Any]) -> str:
    seen = ", ".join(f"{name}: {value}" for name, value in question["seen"].items())
    return f"{question['archive']}, {question['id']}: {seen or question['status']}"


def carry_out(actions: Iterable[Action], gh: Callable[[Sequence[str], str], None]) -> None:
    """Do `actions` through `gh`, which takes the arguments and the standard input."""
    for action in actions:
        number = str(action.number)
        match action.do:
            case "create":
                gh(["label", "create", LABEL, "--force"], "")
                create = ["issue", "create", "--title", TITLE, "--label", LABEL]
                gh([*create, "--body-file", "-"], action.text)
            case "edit":
                gh(["issue", "edit", number, "--body-file", "-"], action.text)
            case "comment":
                gh(["issue", "comment", number, "--body-file", "-"], action.text)
            case "close":
                gh(["issue", "close", number], "")


def _gh(arguments: Sequence[str], text: str) -> None:
    subprocess.run(["gh", *arguments], input=text, encoding="utf-8", check=True)


def _open_issue(listed: str) -> Issue | None:
    """Read what `gh issue list --json number,body` printed."""
    found = json.loads(listed)
    return Issue(found[0]["number"], found[0]["body"]) if found else None


def main(report: str, listed: str) -> None:
    """Bring the issue in line with the report in file `report`; `listed`: the open issues."""
    actions = plan(
        read_report(json.loads(Path(report).read_text(encoding="utf-8"))),
        _open_issue(Path(listed).read_text(encoding="utf-8")),
        today=f"{datetime.now(UTC):%Y-%m-%d}",
        run=os.environ["RUN_URL"],
    )
    carry_out(actions, _gh)


if __name__ == "__main__":
    main(*sys.argv[1:])
