"""Settings: frozen, bounded in this one place, read from the environment or given in code."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

__all__ = ["RETRY_ROOM", "VARIABLES", "LogLevel", "Settings"]

logger = logging.getLogger(__name__)

RETRY_ROOM = 5.0
"""Seconds to be left, after its slot, for a retry or a further wording to be worth starting."""

_PREFIX = "BOOKS_"
_READ_ELSEWHERE = ("BOOKS_LIVE",)
"""Variables of that prefix that are no settings: the live tests are switched on by one."""

LogLevel = Literal["silent", "error", "info", "debug"]


def _is_base_address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("an http or https address is needed")
    if parts.query or parts.fragment or parts.username:
        raise ValueError("a base address has no query, fragment or user name")
    return value.rstrip("/")


BaseAddress = Annotated[str, AfterValidator(_is_base_address)]

_SWITCH = {"0": False, "false": False, "1": True, "true": True}


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    known = _SWITCH.get(str(value).strip().lower())
    if known is None:
        raise ValueError("0, 1, true or false is needed")
    return known


def _folder(value: Path) -> Path:
    if "\0" in str(value):
        raise ValueError("a folder's name holds no NUL")
    try:
        return value.expanduser().absolute()
    except RuntimeError as error:
        raise ValueError("there is no such home folder") from error


Switch = Annotated[bool, BeforeValidator(_switch)]
Folder = Annotated[Path, AfterValidator(_folder)]


class Settings(BaseModel):
    """How the archives are asked. Durations are seconds.

    Raises:
        pydantic.ValidationError: (a `ValueError`) a value is out of its bounds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_agent: Annotated[str | None, Field(max_length=200, pattern=r"^[\x20-\x7e]+$")] = None
    """The caller's own name; the project's identifier is appended."""

    min_interval: Annotated[float | None, Field(ge=0.5, le=60)] = None
    """Widens every archive's spacing, narrows none."""

    request_timeout: Annotated[float, Field(ge=1, le=120)] = 45.0
    """Deadline of one request."""

    max_retries: Annotated[int, Field(ge=0, le=8)] = 3
    """On rate limiting and transient failure."""

    cache_ttl: Annotated[float, Field(ge=0, le=86400)] = 900.0
    """Lifetime of a cached answer; 0 turns the cache off."""

    cache_max_entries: Annotated[int, Field(ge=1, le=5000)] = 200
    """How many answers are kept; fewer where they are large (replies of 64 MiB in all)."""

    log_level: LogLevel = "error"
    """What is written to stderr."""

    answer_timeout: Annotated[float, Field(ge=5, le=600)] = 50.0
    """A whole call ends by then with what has arrived."""

    archive_url: BaseAddress | None = None
    """Another base address for the Internet Archive."""

    loc_url: BaseAddress | None = None
    """Another base address for the Library of Congress."""

    bnf_url: BaseAddress | None = None
    """Another base address for data.bnf.fr."""

    calibre_libraries: Annotated[str | None, Field(min_length=1, max_length=8192)] = None
    """Folders of Calibre libraries, each optionally `name=folder`, between the separators of PATH.
    None: Calibre is not asked."""

    calibre_exclude_tags: Annotated[str, Field(max_length=2000)] = "private"
    """Tags, between commas, whose books are never shown; "," excludes none."""

    index_dir: Folder | None = None
    """Where the text index of the Calibre libraries is kept; None: the user's data folder."""

    index_auto: Switch = True
    """Whether the server brings the text index up to date by itself."""

    demonstration: bool = False
    """The base addresses are the package's own stand-ins, and every answer has to say so."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the environment; an unusable value is reported on stderr and its default stands."""
        environ = os.environ if environ is None else environ
        for name in environ:
            if name.startswith(_PREFIX) and name not in (*VARIABLES, *_READ_ELSEWHERE):
                logger.error("%s is not a setting of this version; it is not read", name[:80])
        accepted: dict[str, object] = {}
        for variable, (field, divisor) in VARIABLES.items():
            raw = environ.get(variable, "").strip()
            if not raw:
                continue
            try:
                value: object = float(raw) / divisor if divisor else raw
                cls.model_validate({field: value})
            except ValueError as unusable:
                # A bad setting has no traceback worth reading.
                logger.error(  # noqa: TRY400
                    "%s=%r is not used (%s); the default stands",
                    variable,
                    raw[:80],
                    _reason(unusable, divisor),
                )
            else:
                accepted[field] = value
        return cls.model_validate(accepted)


def _reason(unusable: ValueError, divisor: int) -> str:
    """Say what is wrong in the variable's own unit, which `divisor` turns into the field's."""
    if not isinstance(unusable, ValidationError):
        return "not a number"
    problem = unusable.errors()[0]
    bounds = problem.get("ctx", {})
    if math.isnan(number := _number(problem["input"])) or math.isinf(number):
        return "not a number"
    if "ge" in bounds:
        return f"less than {bounds['ge'] * divisor:g}"
    if "le" in bounds:
        return f"more than {bounds['le'] * divisor:g}"
    if problem["type"] == "string_pattern_mismatch":
        return "only printable ASCII characters are accepted"
    return str(problem["msg"]).removeprefix("Value error, ")


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


VARIABLES: Mapping[str, tuple[str, int]] = {
    "BOOKS_USER_AGENT": ("user_agent", 0),
    "BOOKS_MIN_INTERVAL_MS": ("min_interval", 1000),
    "BOOKS_TIMEOUT_MS": ("request_timeout", 1000),
    "BOOKS_MAX_RETRIES": ("max_retries", 1),
    "BOOKS_CACHE_TTL_MS": ("cache_ttl", 1000),
    "BOOKS_CACHE_MAX_ENTRIES": ("cache_max_entries", 1),
    "BOOKS_LOG_LEVEL": ("log_level", 0),
    "BOOKS_ANSWER_TIMEOUT_MS": ("answer_timeout", 1000),
    "BOOKS_ARCHIVE_URL": ("archive_url", 0),
    "BOOKS_LOC_URL": ("loc_url", 0),
    "BOOKS_BNF_URL": ("bnf_url", 0),
    "BOOKS_CALIBRE_LIBRARIES": ("calibre_libraries", 0),
    "BOOKS_CALIBRE_EXCLUDE_TAGS": ("calibre_exclude_tags", 0),
    "BOOKS_INDEX_DIR": ("index_dir", 0),
    "BOOKS_INDEX_AUTO": ("index_auto", 0),
}
"""Environment variable to field and divisor (0: the text as it is)."""
