"""What a host runs: hands the settings chosen there on to mcp-books, and starts it."""

from __future__ import annotations

import os
import sys

from mcp_books.__main__ import main

LIBRARIES = "BOOKS_CALIBRE_LIBRARIES"
UNFILLED = "${user_config."
"""How a host leaves an optional setting that nobody has filled in."""


def hand_on() -> None:
    """Name the folders given as arguments in the environment, and drop what was left unfilled."""
    for name in [name for name, value in os.environ.items() if value.startswith(UNFILLED)]:
        del os.environ[name]
    folders = []
    for one in sys.argv[1:]:
        if '"' in one and os.pathsep in one:
            sys.stderr.write(
                f'mcp-books: {one!r} is left out: its name holds both " and {os.pathsep}\n'
            )
        elif one.strip() and not one.startswith(UNFILLED):
            folders.append(one)
    if folders:
        os.environ[LIBRARIES] = os.pathsep.join(f'"{one}"' for one in folders)
    del sys.argv[1:]


if __name__ == "__main__":
    hand_on()
    sys.exit(main())
