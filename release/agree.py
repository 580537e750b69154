"""Write what server.json, the bundle and the READMEs repeat from its one source.

    python release/agree.py                  rewrite what differs, and name it
    python release/agree.py --check          change nothing; exit with 1 if anything differs
    python release/agree.py --tag v1.2.3     also: the tag, the version and the changelog are one

Sources: pyproject.toml (version, description), the settings in the code and their meaning in the
table of README.md, the tools of the server.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

if __package__ is None:
    sys.path.insert(0, str(Path(__file__).parent.parent))

from mcp_books import Settings
from mcp_books.server import build_server
from release.facts import ROOT, Lacking, Setting, marker, project, settings

__all__ = ["main", "mismatches", "written"]

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
READMES = ("README.md", "README.fr.md")


def written() -> dict[str, str]:
    """Return every file that repeats something, as it has to read."""
    version = project()["version"]
    files = {
        "server.json": _json(_server(version)),
        "mcpb/manifest.json": _json(_manifest(version)),
        "mcpb/pyproject.toml": _pinned(_read("mcpb/pyproject.toml"), version),
    }
    for name in READMES:
        files[name] = re.sub(
            r"mcp_books-\S+?-py3-none-any\.whl",
            f"mcp_books-{version}-py3-none-any.whl",
            _read(name),
        )
    return files


def mismatches(tag: str) -> list[str]:
    """Say what keeps `tag` from being released."""
    version = project()["version"]
    numbered = re.findall(
        r"^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$", _read("CHANGELOG.md"), re.MULTILINE
    )
    problems = []
    if tag != f"v{version}":
        problems.append(f"the tag is {tag}, the version {version}")
    if numbered[:1] != [version]:
        problems.append(f"CHANGELOG.md has no dated section for {version} before all others")
    return problems


def _server(version: str) -> dict[str, Any]:
    return {
        "$schema": SCHEMA,
        "name": marker(),
        "title": project()["name"],
        "description": project()["description"],
        "version": version,
        "repository": {"url": project()["urls"]["Homepage"], "source": "github"},
        "websiteUrl": project()["urls"]["Homepage"],
        "packages": [
            {
                "registryType": "pypi",
                "identifier": project()["name"],
                "version": version,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "environmentVariables": [_declared(one) for one in settings()],
            }
        ],
    }


def _declared(setting: Setting) -> dict[str, Any]:
    bounds = f" ({setting.low} to {setting.high})" if setting.high is not None else ""
    declared: dict[str, Any] = {
        "name": setting.variable,
        "description": setting.meaning[0].upper() + setting.meaning[1:] + bounds,
        "isRequired": False,
        "isSecret": False,
        "format": setting.format,
    }
    if setting.default is not None:
        declared["default"] = setting.default
    if setting.choices:
        declared["choices"] = list(setting.choices)
    return declared


def _manifest(version: str) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(_read("mcpb/manifest.json"))
    manifest["version"] = version
    manifest["description"] = project()["description"]
    manifest["keywords"] = project()["keywords"]
    manifest["compatibility"]["runtimes"]["python"] = project()["requires-python"]
    manifest["tools"] = anyio.run(_tools)
    named = {f"${{user_config.{key}}}": key for key in manifest["user_config"]}
    known = {one.variable: one for one in settings()}
    for variable, placeholder in manifest["server"]["mcp_config"]["env"].items():
        if placeholder not in named or variable not in known:
            raise Lacking(f"mcpb/manifest.json fills {variable} with {placeholder}: one is unknown")
        option = manifest["user_config"][named[placeholder]]
        option.update(_bounded(known[variable], option["type"]))
    return manifest


def _bounded(setting: Setting, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if setting.high is not None:
        found.update(min=setting.low, max=setting.high)
    if setting.default is not None:
        found["default"] = setting.default if kind == "string" else json.loads(setting.default)
    elif kind == "string":
        found["default"] = ""  # without one, a host passes the placeholder itself on
    return found


async def _tools() -> list[dict[str, str]]:
    async with Client(build_server(Settings())) as host:
        listed = (await host.list_tools()).tools
    return [{"name": tool.name, "description": tool.description or ""} for tool in listed]


def _pinned(text: str, version: str) -> str:
    text = re.sub(r'^version = ".*"$', f'version = "{version}"', text, flags=re.MULTILINE)
    return re.sub(r'"mcp-books==.*?"', f'"mcp-books=={version}"', text)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as the module's docstring says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tag")
    options = parser.parse_args(arguments)
    releases = options.tag is not None
    problems, files = [], {}
    try:
        problems += mismatches(options.tag) if releases else []
        files = written()
    except Lacking as problem:
        problems.append(str(problem))
    except (OSError, ValueError, KeyError) as problem:
        problems.append(f"a file cannot be used: {type(problem).__name__}: {problem}")
    for name, text in files.items():
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if options.check or releases:
            problems.append(f"{name} differs from its sources: run python release/agree.py")
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
            sys.stdout.write(f"{name} rewritten\n")
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
