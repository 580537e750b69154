"""Every sentence said about an answer: complete, short, supplied, and written down in one place.

After a sentence was changed on purpose: `python -m tests.unit.test_phrases` rewrites the snapshot.
"""

from __future__ import annotations

import ast
import json
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import mcp_books
from mcp_books import _phrases
from mcp_books._phrases import (
    DERIVATIONS,
    FILES_NOTHING,
    ORDERS,
    TOTALS,
    WITHHELD,
    WORDINGS,
    Derivation,
    Kind,
    Order,
    Total,
    Withheld,
    say,
)

SNAPSHOT = Path(__file__).with_name("phrases_snapshot.json")
LONGEST = 160
SOURCES = Path(str(mcp_books.__file__)).parent


def current() -> dict[str, dict[str, str]]:
    """Return every sentence by its table and its name; a note's with its weight."""
    return {
        "notes": {kind: f"{each.weight.name}: {each.text}" for kind, each in WORDINGS.items()},
        "orders": {str(key): text for key, text in ORDERS.items()},
        "derivations": {str(key): text for key, text in DERIVATIONS.items()},
        "withheld": {str(key): text for key, text in WITHHELD.items()},
        "totals": {str(key): text for key, text in TOTALS.items()},
        "others": {"files_nothing": FILES_NOTHING},
    }


def places(text: str) -> set[str]:
    """Return the names of the places that `text` leaves to be filled."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def calls_with_a_kind() -> Iterator[tuple[str, Kind, set[str] | None]]:
    """Yield where, of which kind and with which values a note is made; None: not written out."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _named(node) in ("note", "say", "Remark"):
                kind = node.args and node.args[0]
                if isinstance(kind, ast.Attribute) and kind.attr in Kind.__members__:
                    yield f"{path.name}:{node.lineno}", Kind[kind.attr], _values(node)


def _named(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _values(call: ast.Call) -> set[str] | None:
    if _named(call) == "Remark":
        given = [*call.args[1:], *(each.value for each in call.keywords)]
        if not given:
            return set()
        keys = given[0].keys if isinstance(given[0], ast.Dict) else [None]
        names = {key.value for key in keys if isinstance(key, ast.Constant)}
        return {str(name) for name in names} if len(names) == len(keys) else None
    names = {each.arg for each in call.keywords}
    return None if None in names else {str(name) for name in names}


@pytest.mark.parametrize(
    ("keys", "table"),
    [
        (Kind, WORDINGS),
        (Order, ORDERS),
        (Derivation, DERIVATIONS),
        (Withheld, WITHHELD),
        (Total, TOTALS),
    ],
)
def test_every_kind_of_sentence_is_written(keys: type, table: dict[str, object]) -> None:
    assert list(table) == list(keys)  # type: ignore[call-overload]  # each is an enumeration


def test_every_sentence_is_the_one_written_down() -> None:
    assert current() == json.loads(SNAPSHOT.read_text(encoding="utf-8"))


@pytest.mark.proves("10.7")
def test_every_sentence_is_short_and_on_one_line() -> None:
    for table in current().values():
        for name, text in table.items():
            sentence = text.partition(": ")[2] if table is current().get("notes") else text
            assert 0 < len(sentence or text) <= LONGEST, name
            assert "\n" not in text


@pytest.mark.parametrize("kind", list(Kind))
def test_say_fills_every_place_of_a_sentence(kind: Kind) -> None:
    names = places(WORDINGS[kind].text)
    said = say(kind, **{name: f"<{name}>" for name in names})
    assert not places(said)
    assert all(f"<{name}>" in said for name in names)
    for name in names:
        with pytest.raises(KeyError, match=name):
            say(kind, **dict.fromkeys(names - {name}, ""))


def test_whoever_makes_a_note_supplies_what_its_sentence_has_places_for() -> None:
    found = list(calls_with_a_kind())
    assert len(found) > 10
    for where, kind, values in found:
        if values is not None:
            assert values == places(WORDINGS[kind].text), f"{kind} at {where}"


def test_every_public_name_of_the_module_is_a_table_or_a_key() -> None:
    assert all(hasattr(_phrases, name) for name in _phrases.__all__)


if __name__ == "__main__":
    SNAPSHOT.write_text(
        json.dumps(current(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
