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


def test_sentences_about_an_answer_stand_in_the_phrase_table_alone() -> None:
    composing = [
        module.name
        for module in MODULES
        if module.name in ("_qualify.py", "_merging.py", "_ladder.py", "_federation.py")
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "Note"
        and any(
            isinstance(keyword.value, ast.Constant | ast.JoinedStr) for keyword in node.keywords
        )
    ]
    assert composing == []
