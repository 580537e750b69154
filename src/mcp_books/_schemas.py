"""The JSON schemas a host is given: short, closed for arguments, open for answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

__all__ = ["input_schema", "output_schema"]

_NOISE = frozenset({"title", "discriminator"})
_NULL = {"type": "null"}
_GROWING = "Kind"
"""The one enumeration that later versions add to: published as plain text."""


def input_schema(
    request: type[BaseModel], choices: Mapping[str, Sequence[str]], guidance: Mapping[str, str]
) -> dict[str, Any]:
    """Return the schema of a tool's arguments.

    An argument that may be left out is published without its null alternative: leaving it out is
    the one way to say so. `choices` lists, by argument, the values that exist; `guidance` replaces
    an argument's description.
    """
    schema = _pruned(request.model_json_schema())
    schema.pop("description", None)
    for name, argument in schema["properties"].items():
        alternatives = [one for one in argument.pop("anyOf", ()) if one != _NULL]
        for alternative in alternatives:
            argument.update(alternative)
        if argument.get("default", ...) is None:
            del argument["default"]
        if name in choices:
            (argument.get("items") or argument)["enum"] = list(choices[name])
            argument.pop("maxLength", None)
        if name in guidance:
            argument["description"] = guidance[name]
    return schema


def output_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a structured answer.

    Null alternatives stay, because clients validate against it; nothing forbids further fields,
    because a later version may add some.
    """
    schema = _compact(_pruned(answer.model_json_schema(mode="serialization")))
    schema["$defs"][_GROWING] = {"type": "string"}
    for definition in schema["$defs"].values():
        definition.pop("description", None)
    schema.pop("description", None)
    return schema


def _pruned(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` without generated titles; a property called "title" stays."""
    pruned: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            pruned[key] = {name: _pruned(one) for name, one in value.items()}
        elif key not in _NOISE:
            pruned[key] = _each(value, _pruned)
    return pruned


def _compact(schema: dict[str, Any]) -> dict[str, Any]:
    """Write `{"anyOf": [{"type": T}, {"type": "null"}]}` as `{"type": [T, "null"]}`."""
    compact: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            compact[key] = {name: _compact(one) for name, one in value.items()}
        elif key == "anyOf" and all(set(one) == {"type"} for one in value):
            compact["type"] = [one["type"] for one in value]
        else:
            compact[key] = _each(value, _compact)
    return compact


def _each(value: Any, change: Any) -> Any:
    if isinstance(value, dict):
        return change(value)
    if isinstance(value, list):
        return [_each(one, change) for one in value]
    return value
