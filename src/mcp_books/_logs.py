"""Where log lines go: stderr only, because stdout is the protocol or the answer."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

from .settings import LogLevel, Settings

__all__ = ["Printable", "log_to_stderr", "settings_from_environment"]

_LEVELS: dict[LogLevel, int] = {
    "silent": logging.CRITICAL + 1,
    "error": logging.ERROR,
    "info": logging.INFO,
    "debug": logging.DEBUG,
}


class Printable(logging.Formatter):
    """Writes every character a terminal might act on as an escape.

    A record begins at the margin and what follows in it is indented, so that no foreign text can
    pass for a record of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return `record` with its traceback."""
        return _printable(super().format(record))


def _printable(text: str) -> str:
    return "\n  ".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in line
    )


def log_to_stderr(level: LogLevel) -> None:
    """Write log lines of `level` and above to stderr; `httpx` names every address at info."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Printable("mcp-books %(levelname)s %(message)s"))
    logging.basicConfig(handlers=[handler])
    logging.getLogger().setLevel(_LEVELS[level])
    for chatty in ("httpx", "httpcore", "httpx2", "httpcore2"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def settings_from_environment() -> Settings:
    """Read the settings; a value that cannot be used is reported on stderr first.

    What ends this process with a traceback is written as safely as the log from here on.
    """
    sys.excepthook = _show
    log_to_stderr("error")
    settings = Settings.from_env()
    log_to_stderr(settings.log_level)
    return settings


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    told = "".join(traceback.format_exception(kind, error, trace)).rstrip("\n")
    sys.stderr.write(f"mcp-books {_printable(told)}\n")
