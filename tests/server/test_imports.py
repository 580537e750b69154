"""What is loaded when: the library without the SDK, the server without the archives' transport."""

from __future__ import annotations

import subprocess
import sys

import pytest

SDK = ("mcp", "mcp_types", "starlette", "httpx2")
TRANSPORT = ("httpx", "lxml", "sqlite3", "mcp_books._http")
LATER = ("mcp_books.reports", "mcp_books.sources.calibre", "mcp_books._background_indexing")
"""What only an answer or a library needs: a greeting is given without it."""


def loaded_after(program: str) -> set[str]:
    """Return the names of the modules that a fresh interpreter has loaded after `program`."""
    script = f"{program}\nimport sys\nsys.stdout.write('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split("\n"))


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("import mcp_books", (*SDK, *TRANSPORT, "pydantic", "mcp_books.client")),
        ("from mcp_books import BooksClient; BooksClient()", (*SDK, *TRANSPORT)),
        ("import mcp_books.__main__", (*SDK, *TRANSPORT, "pydantic", "argparse")),
        ("import mcp_books.cli", (*SDK, *TRANSPORT)),
        ("import mcp_books.server", (*TRANSPORT, *LATER)),
    ],
)
def test_nothing_is_loaded_before_it_is_needed(program: str, absent: tuple[str, ...]) -> None:
    assert loaded_after(program).isdisjoint(absent)


def test_asking_loads_no_sdk() -> None:
    program = (
        "import anyio\nfrom mcp_books import BooksClient\n"
        "async def warm():\n async with BooksClient() as books:\n  await books.warm()\n"
        "anyio.run(warm)"
    )
    loaded = loaded_after(program)
    assert "httpx" in loaded
    assert loaded.isdisjoint(SDK)
