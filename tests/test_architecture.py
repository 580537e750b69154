from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "mcp_books"
MODULES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_module_is_one_subject_with_a_docstring(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 350
    if text.strip():
        assert ast.get_docstring(ast.parse(text))


RULES_WITHOUT_PROSE = ("_qualify.py", "_merging.py", "_in_turn.py", "_reporting.py", "_paring.py")


@pytest.mark.parametrize("name", RULES_WITHOUT_PROSE)
def test_sentences_about_an_answer_stand_in_the_phrase_table_alone(name: str) -> None:
    tree = ast.parse((SOURCE / name).read_text(encoding="utf-8"))
    told_elsewhere = {
        id(node)
        for telling in ast.walk(tree)
        if isinstance(telling, ast.Raise)
        or (isinstance(telling, ast.Call) and ast.unparse(telling.func).startswith("logger."))
        for node in ast.walk(telling)
    }
    prose = [
        statement.value
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Constant)
        and isinstance(statement.value, str)
        and statement.value.count(" ") > 2
        and id(statement) not in told_elsewhere
        and not _is_docstring(statement, tree)
    ]
    assert prose == []


def _is_docstring(constant: ast.Constant, tree: ast.Module) -> bool:
    return any(isinstance(node, ast.Expr) and node.value is constant for node in ast.walk(tree))
