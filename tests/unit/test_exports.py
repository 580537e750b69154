from __future__ import annotations

import subprocess
import sys

import mcp_books


def test_every_public_name_is_sorted_and_can_be_imported() -> None:
    assert list(mcp_books.__all__) == sorted(mcp_books.__all__)
    for name in mcp_books.__all__:
        assert getattr(mcp_books, name).__name__ == name


def test_the_version_is_the_metadatas() -> None:
    from importlib.metadata import version

    assert mcp_books.__version__ == version("mcp-books")


def test_the_client_is_used_without_the_protocol_being_loaded() -> None:
    program = (
        "import sys, anyio\n"
        "from mcp_books import BooksClient, Settings\n"
        "async def main():\n"
        "    async with BooksClient(Settings()) as books:\n"
        "        await books.warm()\n"
        "anyio.run(main)\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "sys.exit(sorted(loaded & {'mcp', 'mcp_types', 'starlette', 'httpx2'}) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = (
        "import sys, mcp_books\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "sys.exit(sorted(loaded & {'mcp', 'httpx', 'lxml', 'pydantic', 'anyio'}) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
