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
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, TypeAdapter, ValidationError

__all__ = ["Action", "Issue", "Report", "Test", "carry_out", "open_issue", "plan", "read_report"]

LABEL = "live-suite"
TITLE = "The archives no longer answer as the adapters expect"
NIGHTS = 3
RULE = (
    f"An archive without an answer counts as failing after {NIGHTS} nights in a row. "
    "This text is rewritten every night."
)
MOST_LINES = (60, 20, 5, 0)
"""Lines of one section of the body; fewer where it would be longer than GitHub takes."""
MOST_CHARACTERS = 65_000
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

    failing: Mapping[str, str]
    """Each failing test, and the date it first failed."""
    silent: Mapping[str, int]
    """Each silent archive, and for how many nights in a row."""


_KEPT = TypeAdapter(_State)


class _Archive(BaseModel):
    state: Literal["answered", "partly", "silent"]


class _Test(BaseModel):
    test: str
    archive: str
    outcome: Literal["passed", "failed", "skipped"]
    reason: str | None


class _Question(BaseModel):
    id: str
    archive: str
    status: str
    seen: Mapping[str, Any] | None


class _Document(BaseModel):
    """The part of the report of `tests_live` that is read here."""

    layout: Literal[1]
    outcome: Literal["green", "changed", "outage", "incomplete"]
    archives: Mapping[str, _Archive]
    tests: Sequence[_Test]
    questions: Sequence[_Question]


class _Listed(BaseModel):
    """What `gh issue list --json number,body` says of an issue."""

    number: int
    body: Annotated[str, BeforeValidator(lambda body: body or "")]


def read_report(document: object) -> Report:
    """Read the JSON report of `tests_live`.

    Raises:
        ValueError: the run was broken off or empty: nothing is known of the tests it left out; or
            it is not of the agreed shape.
    """
    read = _Document.model_validate(document)
    if read.outcome == "incomplete":
        raise ValueError("the run was broken off before its end")
    if not read.tests:
        raise ValueError("no test ran")
    if missing := sorted({one.archive for one in read.tests} - read.archives.keys()):
        raise ValueError(f"it does not say whether {', '.join(missing)} answered")
    return Report(
        silent=frozenset(name for name, seen in read.archives.items() if seen.state == "silent"),
        tests=tuple(
            Test(one.test, one.archive, one.outcome, one.reason or "") for one in read.tests
        ),
        questions=tuple(_observation(question) for question in read.questions),
    )


def plan(report: Report, issue: Issue | None, *, today: str, run: str) -> tuple[Action, ...]:
    """Return what to do about `report`, in order; `run` is the address of tonight's run."""
    kept = _read_state(issue.body) if issue is not None else None
    before = kept or _State({}, {})
    after = _next_state(report, before, today)
    is_green = not after.failing and not after.silent
    if is_green and issue is None:
        return ()
    body = _body(report, after, today=today, run=run)
    if issue is None:
        return (Action("create", None, body),)
    edit = Action("edit", issue.number, body)
    # Where the issue lost what failed before, a test that was skipped tonight may be one of those.
    is_known = kept is not None or all(test.outcome != "skipped" for test in report.tests)
    if is_green and is_known:
        farewell = f"Every archive answered and every test passed: {run}"
        return (
            edit,
            Action("comment", issue.number, farewell),
            Action("close", issue.number, ""),
        )
    if before.failing.keys() == after.failing.keys():
        return (edit,)
    return edit, Action("comment", issue.number, _change(before.failing, after.failing, run))


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


def _read_state(body: str) -> _State | None:
    """Return the state a body holds, or None where it holds no readable one."""
    found = _STATE.search(body)
    try:
        return _KEPT.validate_json(found[1]) if found is not None else None
    except ValidationError:
        return None


def _write_state(state: _State) -> str:
    text = json.dumps({"failing": dict(state.failing), "silent": dict(state.silent)})
    # No value can close the comment that holds it.
    text = text.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<!-- live-suite {text} -->"


def _body(report: Report, state: _State, *, today: str, run: str) -> str:
    bodies = (_body_of(report, state, today, run, most) for most in MOST_LINES)
    otherwise = f"Last run: {today}, {run}\n\nMore failed than an issue can hold."
    return next((body for body in bodies if len(body) <= MOST_CHARACTERS), otherwise)


def _body_of(report: Report, state: _State, today: str, run: str, most: int) -> str:
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
            *_section("Failing tests", tests, "None.", most),
            *_section("Outages", outages, "None: every archive answered.", most),
            *_section("Open questions", list(map(_code, report.questions)), "None asked.", most),
            "",
            RULE,
            "",
            _write_state(state),
        ]
    )


def _section(title: str, lines: Sequence[str], otherwise: str, most: int) -> Iterable[str]:
    yield from ("", f"### {title}", "")
    if not lines:
        yield otherwise
    yield from (f"- {line}" for line in lines[:most])
    if len(lines) > most:
        yield f"- and {len(lines) - most} more"


def _change(before: Mapping[str, str], after: Mapping[str, str], run: str) -> str:
    new = [_code(name) for name in after if name not in before]
    gone = [_code(name) for name in before if name not in after]
    lines = [f"- fails: {name}" for name in new] + [f"- no longer fails: {name}" for name in gone]
    return "\n".join([*lines[: MOST_LINES[0]], "", run])


def _because(reason: str) -> str:
    return f": {_code(reason)}" if reason.strip() else ""


def _code(text: str) -> str:
    """Return `text` as one line of code, so that nothing an archive sent mentions or links."""
    printed = "".join(each if each.isprintable() else " " for each in text.replace("`", "'"))
    return f"`{' '.join(printed.split())[:LONGEST]}`"


def _observation(question: _Question) -> str:
    seen = ", ".join(f"{name}: {value}" for name, value in (question.seen or {}).items())
    return f"{question.archive}, {question.id}: {seen or question.status}"


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


def open_issue(listed: str) -> Issue | None:
    """Read what `gh issue list --json number,body` printed."""
    found = TypeAdapter(list[_Listed]).validate_python(json.loads(listed))
    return Issue(found[0].number, found[0].body) if found else None


def main(report: str, listed: str) -> None:
    """Bring the issue in line with the report in file `report`; `listed`: the open issues.

    Raises:
        SystemExit: one of them cannot be read; the issue stays as it is.
    """
    try:
        read = read_report(json.loads(Path(report).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as problem:
        sys.exit(f"the report {report} cannot be used: {_told(problem)}")
    try:
        issue = open_issue(Path(listed).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        sys.exit(f"the list of issues {listed} cannot be used: {_told(problem)}")
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    carry_out(plan(read, issue, today=today, run=os.environ["RUN_URL"]), _gh)


def _told(problem: Exception) -> str:
    if isinstance(problem, ValidationError):
        first = problem.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(problem)


if __name__ == "__main__":
    main(*sys.argv[1:])
