"""Where the text index lies and which libraries there are, as the settings say."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path

from mcp_books.settings import Settings

from .configuration import Refused, read_libraries, read_tags
from .library import Library

__all__ = ["INDEX_FILE", "index_file", "libraries"]

logger = logging.getLogger(__name__)

INDEX_FILE = "text-index.sqlite3"


def index_file(settings: Settings) -> Path:
    """Return where the text index lies, which need not exist: the user's data folder or another."""
    folder = settings.index_dir
    if folder is None:
        from platformdirs import user_data_path

        folder = user_data_path("mcp-books", appauthor=False)
    return folder / INDEX_FILE


def libraries(settings: Settings) -> tuple[Library, ...]:
    """Return the configured libraries, none of them opened; an entry that is none is logged."""
    found = read_libraries(settings.calibre_libraries or "")
    for refused in found.refused:
        _say(refused)
    excluded = read_tags(settings.calibre_exclude_tags)
    return tuple(Library(one.name, one.folder, excluded_tags=excluded) for one in found.libraries)


@lru_cache(maxsize=64)
def _say(refused: Refused) -> None:
    """Log an entry once in a process, however often the settings are read."""
    logger.error(
        "BOOKS_CALIBRE_LIBRARIES: %r is not used: %s", refused.entry[:200], refused.because
    )
