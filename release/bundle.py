"""Build the bundle for desktop hosts, and try it as a host would.

python release/bundle.py build DIRECTORY               DIRECTORY/mcp-books.mcpb
python release/bundle.py validate BUNDLE               manifest schema, then the official tool
python release/bundle.py start BUNDLE --wheels FOLDER  unpack, install with uv, list the tools
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import jsonschema
from mcp import Client, StdioServerParameters

if __package__ is None:
    sys.path.insert(0, str(Path(__file__).parent.parent))

from release.facts import ROOT
from release.host import Started, expanded

__all__ = ["MCPB", "NAME", "build", "main", "schema_problems", "tools_of"]

NAME = "mcp-books.mcpb"
MCPB = "@anthropic-ai/mcpb@2.1.2"
FILES = ("manifest.json", "pyproject.toml", "main.py", ".python-version")
SCHEMA = ROOT / "tests" / "package" / "manifest.schema.0.4.json"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def build(folder: Path) -> Path:
    """Write the bundle into `folder`: the same bytes from the same files."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    with zipfile.ZipFile(path, "w") as bundle:
        for name in FILES:
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.create_system = 3  # the same on every system
            entry.external_attr = 0o100644 << 16
            content = (ROOT / "mcpb" / name).read_bytes().replace(b"\r\n", b"\n")
            bundle.writestr(entry, content, zipfile.ZIP_STORED)
    return path


def schema_problems(manifest: object) -> list[str]:
    """Say what of `manifest` the schema of version 0.4 refuses."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    checker = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(manifest)]


async def tools_of(started: Started, environ: dict[str, str]) -> list[dict[str, str]]:
    """Start a server, shake hands, and return its tools as a manifest lists them."""
    server = StdioServerParameters(
        command=started.command, args=started.arguments, env={**environ, **started.environ}
    )
    async with Client(server, mode="legacy") as host:
        listed = (await host.list_tools()).tools
    return [{"name": tool.name, "description": tool.description or ""} for tool in listed]


def _validate(path: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        manifest = _unpacked(path, Path(folder))
        problems = schema_problems(manifest)
        npx = shutil.which("npx")
        if npx is None:
            sys.stdout.write("npx is not here: the schema alone was checked\n")
            return problems
        official = subprocess.run(
            [npx, "--yes", MCPB, "validate", str(Path(folder) / "manifest.json")],
            capture_output=True,
            text=True,
            check=False,
        )
    said = (official.stdout + official.stderr).strip()
    sys.stdout.write(f"{said}\n")
    return problems + ([f"{MCPB} refuses the manifest"] if official.returncode else [])


def _start(path: Path, wheels: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as unpacked:
        folder = Path(unpacked).resolve()
        manifest = _unpacked(path, folder)
        started = expanded(manifest, folder, {})
        uv = shutil.which(started.command, path=_search_path())
        if uv is None:
            return [f"{started.command} is not here: pip install '.[test]' brings it"]
        environ = {
            **os.environ,
            "UV_FIND_LINKS": str(wheels.resolve()),
            "UV_PYTHON": sys.executable,  # this one, not a download of the version it names
            "UV_PYTHON_DOWNLOADS": "never",
        }
        # Hosts install first, so that a download does not run into the time limit of the greeting.
        install = [uv, "sync", "--quiet", "--refresh-package", "mcp-books"]
        subprocess.run([*install, "--directory", str(folder)], env=environ, check=True)
        tools = anyio.run(tools_of, started._replace(command=uv), environ)
    if tools != manifest["tools"]:
        return ["the tools of the server are not those of the manifest"]
    sys.stdout.write(f"started as a host would: {', '.join(one['name'] for one in tools)}\n")
    return []


def _search_path() -> str:
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))


def _unpacked(path: Path, folder: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as bundle:
        bundle.extractall(folder)
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return manifest


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as the module's docstring says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build").add_argument("directory", type=Path)
    commands.add_parser("validate").add_argument("bundle", type=Path)
    start = commands.add_parser("start")
    start.add_argument("bundle", type=Path)
    start.add_argument("--wheels", type=Path, required=True)
    options = parser.parse_args(arguments)
    if options.command == "build":
        try:
            sys.stdout.write(f"{build(options.directory)}\n")
        except OSError as problem:
            parser.error(f"{options.directory} is no directory to write to: {problem}")
        return 0
    try:
        if options.command == "validate":
            problems = _validate(options.bundle)
        else:
            problems = _start(options.bundle, options.wheels)
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError) as problem:
        parser.error(f"{options.bundle} is no bundle: {problem}")
    except subprocess.CalledProcessError as problem:
        problems = [f"what it needs could not be installed: uv ended with {problem.returncode}"]
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
