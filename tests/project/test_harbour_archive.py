"""The worked example of the documentation: held to the contract, and printed as it runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harbour_archive import HarbourArchive
from mcp_books import BooksClient
from mcp_books.demo import faults
from mcp_books.demo.server import Server
from mcp_books.errors import InvalidInput, ParseFailure
from mcp_books.reports import Answered
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery
from mcp_books.transport import Http
from test_harbour import HarbourStandIn
from tests.package.reading import project

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "a-source-of-your-own.md").read_text("utf-8")
PRINTED = dict(
    re.findall(r"^`(\w+\.py)`.*?^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
)
"""The files of the guide, by the name that stands before each."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server([HarbourStandIn()]) as running:
        yield running


@pytest.mark.anyio
async def test_a_client_asks_it_through_its_own_transport(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HarbourArchive, "default_base_url", server.address("harbour"))
    async with BooksClient(Settings(), sources=[HarbourArchive]) as books:
        answer = await books.search_items("white whale", fan_out=False)
    assert [row.id for row in answer.items] == ["harbour:log-0002"]
    (report,) = answer.per_source
    assert isinstance(report, Answered)
    assert report.name == "Harbour Archive"


def test_a_class_of_an_archive_that_is_given_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="harbour"):
        BooksClient(Settings(), sources=[HarbourArchive, HarbourArchive])


def test_a_class_that_is_no_archive_is_refused() -> None:
    with pytest.raises(InvalidInput, match="registered"):
        BooksClient(Settings(), sources=[dict])  # type: ignore[list-item]  # what is refused


@pytest.mark.anyio
@pytest.mark.parametrize("document", [[], {"found": 1}, {"found": "many", "logbooks": []}])
async def test_a_list_of_another_shape_is_a_parse_failure(server: Server, document: object) -> None:
    server.faults.inject("harbour", faults.rewriting(lambda _: document))
    async with Http(Settings(max_retries=0)) as http:
        source = HarbourArchive(http, base_url=server.address("harbour"))
        with pytest.raises(ParseFailure):
            await source.search_items(CatalogueQuery(text="whale", limit=2))


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in `folder`, where the files of the guide are, and nothing of this repository."""
    for name, text in PRINTED.items():
        (folder / name).write_text(text, "utf-8")
    environ = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    environ |= {"BOOKS_MAX_RETRIES": "0", **variables}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environ,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_the_guide_prints_the_files_beside_it() -> None:
    assert list(PRINTED) == ["harbour_archive.py", "test_harbour.py", "ask.py"]
    for name in ("harbour_archive.py", "test_harbour.py"):
        assert PRINTED[name] == (DOCS / name).read_text("utf-8")
    assert GUIDE.count("```python") == len(PRINTED)


def test_the_files_of_the_guide_pass_their_tests_in_an_empty_folder(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "pytest", "-q", "-W", "error")
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d\d passed", done.stdout, re.MULTILINE), done.stdout


def test_the_program_of_the_guide_prints_what_it_found(tmp_path: Path, server: Server) -> None:
    at_this_address = f"""
import runpy
from harbour_archive import HarbourArchive
HarbourArchive.default_base_url = {server.address("harbour")!r}
runpy.run_path("ask.py", run_name="__main__")
"""
    done = run(tmp_path, "-c", at_this_address)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "harbour:log-0001 Logbook of the Whale",
        "harbour:log-0002 Logbook of the White Whale",
    ]


def test_the_program_of_the_guide_says_that_the_archive_is_down(tmp_path: Path) -> None:
    # Nothing is looked up or asked: the way out is a port of this machine that refuses.
    done = run(tmp_path, "ask.py", HTTPS_PROXY="http://127.0.0.1:9", NO_PROXY="")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert re.fullmatch(r"Harbour Archive did not answer: .*could not be reached.*", line)


def test_the_guide_links_to_the_repository_it_comes_from() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", GUIDE)
    assert links == [f"{project()['urls']['Homepage']}/tree/main/docs"]
