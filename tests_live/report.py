"""What one run saw, as JSON: what every test came to, what every question saw, every archive."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

__all__ = ["LAYOUT", "Outcome", "Report"]

LAYOUT = 1
"""Raised whenever a reader of the file would have to change."""

Outcome = Literal["passed", "failed", "skipped"]

_ANSWERED: Mapping[Outcome, str] = {
    "passed": "answered",
    "failed": "contradicted",
    "skipped": "unanswered",
}
_REASON_LENGTH = 500
_REASONS_SHOWN = 5


@dataclass
class _Test:
    archive: str
    closing: bool
    outcome: Outcome = "passed"
    reason: str | None = None
    seconds: float = 0.0


@dataclass
class _Question:
    archive: str
    question: str
    test: str
    seen: dict[str, Any] = field(default_factory=dict)
    date: str | None = None


@dataclass
class _Archive:
    name: str
    address: str
    answers: int


class Report:
    """Filled while the tests run; `write` puts it on disk."""

    def __init__(self) -> None:
        self._started = datetime.now(UTC)
        self._tests: dict[str, _Test] = {}
        self._questions: dict[str, _Question] = {}
        self._archives: dict[str, _Archive] = {}

    def expect_question(self, name: str, *, archive: str, question: str, test: str) -> None:
        """Enter a question before it is asked, so that one never asked shows.

        Raises:
            ValueError: two tests ask under one name.
        """
        if name in self._questions:
            raise ValueError(f"two questions are named {name!r}")
        self._questions[name] = _Question(archive, question, test)

    def saw(self, name: str, facts: Mapping[str, Any]) -> None:
        """Add what a question saw."""
        entry = self._questions[name]
        entry.seen.update(facts)
        entry.date = datetime.now(UTC).date().isoformat()

    def ran(
        self,
        test: str,
        *,
        archive: str,
        closing: bool,
        outcome: Outcome,
        reason: str | None,
        seconds: float,
    ) -> None:
        """Enter one phase of a test; a failure in any phase is a failure of the test."""
        entry = self._tests.setdefault(test, _Test(archive, closing))
        entry.seconds += seconds
        if outcome != "passed" and entry.outcome != "failed":
            entry.outcome = outcome
            entry.reason = (reason or "")[:_REASON_LENGTH]

    def asked(self, archive: str, *, name: str, address: str, answers: int) -> None:
        """Enter how often an archive answered."""
        self._archives[archive] = _Archive(name, address, answers)

    def write(self, path: Path, *, complete: bool, version: str) -> None:
        """Write the report; `complete` unless the run was broken off."""
        path.parent.mkdir(parents=True, exist_ok=True)
        value = self.value(complete=complete, version=version)
        path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")

    def value(self, *, complete: bool, version: str) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        failing = sorted(name for name, test in self._tests.items() if test.outcome == "failed")
        return {
            "layout": LAYOUT,
            "version": version,
            "started": _written(self._started),
            "ended": _written(datetime.now(UTC)),
            "outcome": self._outcome(failing) if complete else "incomplete",
            "failing": failing,
            "changed": [name for name in failing if not self._tests[name].closing],
            "silent": [name for name, one in self._archives.items() if one.answers == 0],
            "archives": {name: self._archive(name) for name in self._archives},
            "questions": [self._question(name) for name in self._questions],
            "tests": [
                {
                    "test": name,
                    "archive": test.archive,
                    "outcome": test.outcome,
                    "reason": test.reason,
                    "seconds": round(test.seconds, 2),
                }
                for name, test in self._tests.items()
            ],
        }

    def _outcome(self, failing: Iterable[str]) -> str:
        """Tell a change of an archive from an outage: only closing tests fail in an outage."""
        closing = [self._tests[name].closing for name in failing]
        if not closing:
            return "green"
        return "outage" if all(closing) else "changed"

    def _archive(self, name: str) -> dict[str, Any]:
        archive = self._archives[name]
        tests = [test for test in self._tests.values() if test.archive == name]
        counts = {
            outcome: sum(test.outcome == outcome for test in tests)
            for outcome in ("passed", "failed", "skipped")
        }
        reasons = dict.fromkeys(
            test.reason for test in tests if test.outcome == "skipped" and test.reason
        )
        heard = "partly" if counts["skipped"] else "answered"
        return {
            "name": archive.name,
            "address": archive.address,
            "state": heard if archive.answers else "silent",
            "answers": archive.answers,
            **counts,
            "skipped_because": list(reasons)[:_REASONS_SHOWN],
        }

    def _question(self, name: str) -> dict[str, Any]:
        entry = self._questions[name]
        test = self._tests.get(entry.test)
        return {
            "id": name,
            "archive": entry.archive,
            "question": entry.question,
            "status": "not_asked" if test is None else _ANSWERED[test.outcome],
            "seen": entry.seen,
            "reason": None if test is None else test.reason,
            "date": entry.date,
            "test": entry.test,
        }


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
