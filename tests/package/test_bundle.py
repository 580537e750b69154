"""The bundle for desktop hosts: what it holds, what a host makes of it, and that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from mcp_books.demo.calibre import make_library
from release.bundle import build, schema_problems, tools_of
from release.host import Chosen, Started, expanded
from tests.package.reading import document

MANIFEST = document("mcpb/manifest.json")


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder of extensions"
    with zipfile.ZipFile(build(tmp_path / "built")) as bundle:
        bundle.extractall(folder)
    return folder


def without_uv(folder: Path, chosen: Chosen, manifest: dict[str, Any] = MANIFEST) -> Started:
    """Return what the host starts, on this Python, into which uv has nothing to install."""
    started = expanded(manifest, folder, chosen)
    assert started.command == "uv"
    assert started.arguments[:4] == ["run", "--directory", str(folder), "main.py"]
    return Started(
        sys.executable, [str(folder / "main.py"), *started.arguments[4:]], started.environ
    )


def test_the_manifest_schema_accepts_the_manifest() -> None:
    assert schema_problems(MANIFEST) == []
    assert MANIFEST["server"]["type"] == "uv"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("manifest_version", "0.3"),
        ("server", {"type": "uv"}),
        ("compatibility", {"platforms": ["amiga"]}),
    ],
)
def test_the_manifest_schema_refuses_another_manifest(key: str, value: object) -> None:
    assert schema_problems({**MANIFEST, key: value}) != []


def test_the_bundle_is_the_same_bytes_each_time_and_holds_no_code_of_the_server(
    tmp_path: Path,
) -> None:
    first, second = build(tmp_path / "one"), build(tmp_path / "two")
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as bundle:
        assert bundle.testzip() is None
        held = bundle.namelist()
    assert sorted(held) == [".python-version", "main.py", "manifest.json", "pyproject.toml"]
    assert MANIFEST["server"]["entry_point"] in held


def test_a_host_gives_each_folder_as_an_argument_and_each_other_choice_as_a_variable() -> None:
    folders = ["/books/a", "/books/b"]
    chosen: Chosen = {"calibre_libraries": folders, "log_level": "info", "index_auto": False}
    started = expanded(MANIFEST, Path("/ext"), chosen)
    assert started.arguments == ["run", "--directory", str(Path("/ext")), "main.py", *folders]
    assert started.environ["BOOKS_LOG_LEVEL"] == "info"
    assert started.environ["BOOKS_INDEX_AUTO"] == "false"
    assert started.environ["BOOKS_ANSWER_TIMEOUT_MS"] == "50000"
    assert started.environ["BOOKS_INDEX_DIR"] == "${user_config.index_dir}"


@pytest.mark.parametrize("options", [MANIFEST["user_config"], {}], ids=["defaults", "unfilled"])
def test_with_nothing_filled_in_the_server_starts_and_complains_of_no_setting(
    unpacked: Path, options: dict[str, Any]
) -> None:
    started = without_uv(unpacked, {}, manifest={**MANIFEST, "user_config": options})
    ended = subprocess.run(
        [started.command, *started.arguments],
        env={**os.environ, **started.environ},
        input=b"",
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_the_tools_of_the_manifest_are_those_of_the_server_it_starts(unpacked: Path) -> None:
    started = without_uv(unpacked, {})
    assert anyio.run(tools_of, started, dict(os.environ)) == MANIFEST["tools"]


@pytest.mark.anyio
async def test_two_libraries_chosen_in_the_host_are_both_asked(
    unpacked: Path, tmp_path: Path
) -> None:
    chosen: dict[str, Any] = {"calibre_libraries": [], "index_dir": str(tmp_path / "index")}
    # On POSIX a folder's name may hold what separates folders.
    second = f"Law{os.pathsep if os.pathsep == ':' else ','} and letters"
    for name in ("Novels", second):
        make_library(tmp_path / name, identity=name)
        chosen["calibre_libraries"].append(str(tmp_path / name))
    # Such a name cannot be told from two: it alone is left out.
    chosen["calibre_libraries"].append(str(tmp_path / f'a"{os.pathsep}b'))
    started = without_uv(unpacked, {**chosen, "index_auto": False})
    server = StdioServerParameters(
        command=started.command, args=started.arguments, env={**os.environ, **started.environ}
    )
    async with Client(server) as host:
        answer = await host.call_tool(
            "search_items", {"query": "moby dick", "sources": ["calibre"]}
        )
    assert answer.structured_content is not None, answer.content
    found = answer.structured_content["items"]
    assert len({row["id"].partition("/")[0] for row in found}) == 2, found
