"""Nights of the live suite, as its reports tell them, and what each does to the issue."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from tests_live.report import Report

__all__ = ["INSIDE", "RECORD", "ROBOTS", "RUN", "kinds", "live", "night", "nights"]

SCRIPT = Path(__file__).parents[2] / ".github" / "scripts" / "live_issue.py"
RUN = "https://forge.example/runs/1"
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
