from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.requirements import RULES

TESTS = Path(__file__).parent


def _marks() -> Iterator[tuple[str, str]]:
    """Yield each rule id that a test's mark names, with the test."""
    for path in TESTS.rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if not node.name.startswith("test_"):
                continue
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.proves":
                    for rule in mark.args:
                        assert isinstance(rule, ast.Constant)
                        yield str(rule.value), node.name


def test_every_rule_of_the_contract_is_proved_by_a_test() -> None:
    proved = {rule for rule, _ in _marks()}
    assert sorted(set(RULES) - proved) == []


def test_every_mark_names_a_rule_of_the_contract() -> None:
    assert [mark for mark in _marks() if mark[0] not in RULES] == []
