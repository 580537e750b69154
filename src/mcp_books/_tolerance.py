"""Reading tool arguments as hosts and models really send them, before they are validated.

Hosts fill optional arguments with `""`, null or `[]`, and some send a list as a string.
What is not understood is passed on, for the validation to refuse.
"""

from __future__ import annotations

import json
from typing import Any, get_args, get_origin

from pydantic import BaseModel

__all__ = ["tolerant"]


def tolerant(request: type[BaseModel], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return `arguments` with empty optional ones left out and lists read from strings."""
    read: dict[str, Any] = {}
    for name, value in arguments.items():
        field = request.model_fields.get(name)
        if field is None:
            read[name] = value
            continue
        if _takes_list(field.annotation):
            value = _as_list(value)
        if field.is_required() or not _is_empty(value):
            read[name] = value
    return read


def _takes_list(annotation: Any) -> bool:
    return get_origin(annotation) is tuple or any(map(_takes_list, get_args(annotation)))


def _as_list(value: Any) -> Any:
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, list):
        return [one for one in value if not _is_empty(one)]
    return value


def _parsed(text: str) -> Any:
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return [part.strip() for part in text.split(",")]


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value == []
