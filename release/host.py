"""What a host does with a bundle's manifest: fills in placeholders and starts the command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Chosen", "Started", "expanded"]

Chosen = Mapping[str, str | int | bool | list[str]]
"""What the user has filled in, by the key of `user_config`."""

_WHOLE = re.compile(r"\$\{user_config\.(\w+)\}")
_PLACEHOLDER = re.compile(r"\$\{(__dirname|user_config\.\w+)\}")


class Started(NamedTuple):
    """A command with its arguments and the variables it adds to the environment."""

    command: str
    arguments: list[str]
    environ: dict[str, str]


def expanded(manifest: Mapping[str, Any], folder: Path, chosen: Chosen) -> Started:
    """Return the command of `manifest`, unpacked in `folder`, as the reference host expands it.

    A list becomes one argument an entry; what is neither chosen nor has a default is left as it is.
    """
    values: dict[str, str | list[str]] = {"__dirname": str(folder)}
    for key, option in manifest.get("user_config", {}).items():
        value = chosen.get(key, option.get("default"))
        if value is not None:
            values[f"user_config.{key}"] = value if isinstance(value, list) else _text(value)
    configured = manifest["server"]["mcp_config"]
    arguments: list[str] = []
    for one in configured["args"]:
        whole = _WHOLE.fullmatch(one)
        value = values.get(f"user_config.{whole[1]}") if whole else None
        arguments += value if isinstance(value, list) else [_filled(one, values)]
    environ = {name: _filled(text, values) for name, text in configured["env"].items()}
    return Started(_filled(configured["command"], values), arguments, environ)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _filled(text: str, values: Mapping[str, str | list[str]]) -> str:
    def fill(found: re.Match[str]) -> str:
        value = values.get(found[1])
        return value if isinstance(value, str) else found[0]

    return _PLACEHOLDER.sub(fill, text)
