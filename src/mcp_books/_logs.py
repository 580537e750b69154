"""Where log lines go: stderr only, because stdout is the protocol or the answer."""

from __future__ import annotations

import logging
import sys

from .settings import LogLevel, Settings

__all__ = ["log_to_stderr", "settings_from_environment"]

_LEVELS: dict[LogLevel, int] = {
    "silent": logging.CRITICAL + 1,
    "error": logging.ERROR,
    "info": logging.INFO,
    "debug": logging.DEBUG,
}


def log_to_stderr(level: LogLevel) -> None:
    """Write log lines of `level` and above to stderr; `httpx` names every address at info."""
    logging.basicConfig(
        stream=sys.stderr, format="mcp-books %(levelname)s %(message)s", level=_LEVELS[level]
    )
    logging.getLogger().setLevel(_LEVELS[level])
    for chatty in ("httpx", "httpcore", "httpx2", "httpcore2"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def settings_from_environment() -> Settings:
    """Read the settings; a value that cannot be used is reported on stderr first."""
    log_to_stderr("error")
    settings = Settings.from_env()
    log_to_stderr(settings.log_level)
    return settings
