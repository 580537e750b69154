"""The arguments of the three questions, defined once for library, server and command line."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from .errors import InvalidInput

__all__ = [
    "LAST_PAGE",
    "InsideRequest",
    "ItemsRequest",
    "RecordRequest",
    "Request",
    "Section",
    "Sort",
]

Sort = Literal["relevance", "newest", "oldest", "title"]
Section = Literal["description", "subjects", "copies", "context"]

_TOLD, _NAME_LENGTH = 5, 60
_UNSEEN = frozenset("\u00ad\u200b\u2060\ufeff")
"""What text copied from a page carries without anybody seeing it: no part of the words."""
_JOINERS = frozenset("\u200c\u200d")
"""What words of Persian and of Indic scripts are written with."""

_Query = Annotated[
    str, Field(min_length=2, max_length=300, description='Words, or a phrase in "double quotes".')
]
LAST_PAGE = 100

_Page = Annotated[int, Field(ge=1, le=LAST_PAGE, description="Each archive is paged apart.")]
_Limit = Annotated[int, Field(ge=1, le=25, description="Taken from each archive.")]
_FanOut = Annotated[
    bool, Field(description="Also send wordings derived from the query when too little is found.")
]
_Sources = Annotated[
    tuple[Annotated[str, Field(max_length=40)], ...] | None,
    Field(min_length=1, description="Ids of archives; absent: all that can answer."),
]
_Year = Annotated[int | None, Field(ge=1000, le=2100)]


class Request(BaseModel):
    """The base of the three requests: frozen, and closed to arguments it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> Self:
        """Validate `arguments`.

        Raises:
            InvalidInput: an argument is unknown, missing or out of its bounds.
        """
        try:
            return cls.model_validate(arguments)
        except ValidationError as error:
            found: list[dict[str, Any]] = [dict(one) for one in error.errors()]
            inside = {one["loc"][:1] for one in found if len(one["loc"]) > 1}
            # A list whose parts were refused is also reported as empty: once is enough.
            told = [one for one in found if one["loc"] not in inside]
            problems = "; ".join(map(cls._problem, told[:_TOLD]))
            unknown = any(one["type"] in ("extra_forbidden", "missing") for one in told)
            hint = f"It takes: {', '.join(cls.model_fields)}." if unknown else None
            raise InvalidInput(problems, hint=hint) from None

    @staticmethod
    def _problem(found: dict[str, Any]) -> str:
        name = ".".join(str(part) for part in found["loc"])[:_NAME_LENGTH]
        if found["type"] == "extra_forbidden":
            return f"{name!r} is not an argument"
        message = str(found["msg"]).removeprefix("Value error, ")
        return f"{name}: {message}" if name else message


class _Search(Request):
    query: _Query
    page: _Page = 1
    fan_out: _FanOut = True
    sources: _Sources = None

    @field_validator("query")
    @classmethod
    def _holds_no_control_character(cls, value: str) -> str:
        seen = "".join(character for character in value if character not in _UNSEEN)
        for character in seen:
            if not (character.isprintable() or character.isspace() or character in _JOINERS):
                raise ValueError(f"the character U+{ord(character):04X} is not accepted")
        folded = " ".join(seen.split())
        if len(folded) < 2:
            raise ValueError("at least 2 characters are needed")
        if not any(unicodedata.category(character)[0] in "LN" for character in folded):
            raise ValueError("no word in it can be searched: it holds no letter and no digit")
        return folded

    @field_validator("sources")
    @classmethod
    def _names_each_archive_once(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return value and tuple(dict.fromkeys(name.strip().lower() for name in value))


class InsideRequest(_Search):
    """Arguments of search_inside."""

    limit: _Limit = 3
    max_excerpt_chars: Annotated[int, Field(ge=80, le=1200)] = 300
    max_excerpts_per_match: Annotated[int, Field(ge=1, le=10)] = 2


class ItemsRequest(_Search):
    """Arguments of search_items."""

    limit: _Limit = 5
    media_type: Annotated[
        str | None,
        Field(max_length=40, description="A kind of material, in an archive's own word."),
    ] = None
    year_from: _Year = None
    year_to: _Year = None
    sort: Sort = "relevance"

    @field_validator("media_type")
    @classmethod
    def _is_written_as_the_archives_do(cls, value: str | None) -> str | None:
        return value and value.strip().lower()

    @field_validator("year_to")
    @classmethod
    def _years_are_in_order(cls, value: int | None, info: Any) -> int | None:
        year_from = info.data.get("year_from")
        if value is not None and year_from is not None and year_from > value:
            raise ValueError(f"year_from {year_from} is later than year_to {value}")
        return value


class RecordRequest(Request):
    """Arguments of get_item."""

    identifier: Annotated[
        str, Field(min_length=1, max_length=2000, description="An id of a row, or an address.")
    ]
    sections: Annotated[tuple[Section, ...], Field(min_length=1)] = ("description",)
    max_copies: Annotated[int, Field(ge=1, le=50)] = 10
    text_offset: Annotated[int, Field(ge=0, description="Where the prose resumes.")] = 0
    max_text_chars: Annotated[int, Field(ge=200, le=8000)] = 1500
