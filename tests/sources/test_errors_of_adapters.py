"""Every error an adapter raises says what or who it is about, and what to do next."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_books import errors, sources

FOLDER = Path(sources.__file__).parent
OF_THE_CALLER = {"InvalidInput"}
OF_AN_ARCHIVE = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.SourceError)
}


def _made() -> Iterator[object]:
    for module in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                OF_THE_CALLER | OF_AN_ARCHIVE
            ):
                place = f"{module.relative_to(FOLDER)}:{node.lineno}"
                yield pytest.param(node, id=place)


@pytest.mark.proves("9.1")
@pytest.mark.parametrize("made", list(_made()))
def test_an_error_says_what_to_do_next_and_one_of_an_archive_names_it(made: ast.Call) -> None:
    assert "hint" in {keyword.arg for keyword in made.keywords}
    if ast.unparse(made.func) in OF_AN_ARCHIVE:
        message = ast.unparse(made.args[0])
        assert "archive" in message or "profile.name" in message
