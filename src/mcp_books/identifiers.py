"""Namespaced identifiers: print, refuse, and route a string to the one archive that claims it."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar
from urllib.parse import unquote

from .errors import BooksError, InvalidInput, asking

__all__ = ["Claim", "Claimant", "Reading", "RecordId", "route"]

logger = logging.getLogger(__name__)

_PREFIX = re.compile(r"^([A-Za-z][A-Za-z0-9_-]*):(?!//)(.*)$", re.DOTALL)
_ADDRESS = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class RecordId:
    """`<source>:<the archive's own id>`."""

    source: str
    reference: str

    def __str__(self) -> str:
        return f"{self.source}:{self.reference}"


@dataclass(frozen=True, slots=True)
class Claim:
    """An archive reads a string as an identifier of its own.

    `exact`: a shape that nobody else mints (an address, an ARK whose check character holds).
    """

    reference: str
    exact: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """The record a string names; `as_given` where the string was the namespaced id itself."""

    id: RecordId
    as_given: bool


class Claimant(Protocol):
    """What routing needs of an archive."""

    @property
    def id(self) -> str: ...
    def claim(self, text: str) -> Claim | None: ...


_C = TypeVar("_C", bound=Claimant)


def route(text: str, claimants: Sequence[_C]) -> tuple[_C, Reading]:
    """Return the archive that `text` belongs to, and how it was read.

    Raises:
        InvalidInput: nobody claims it, several do, or it is unsafe.
    """
    text = text.strip()
    _refuse_unsafe(text)
    by_id = {claimant.id: claimant for claimant in claimants}
    prefixed = _PREFIX.match(text)
    if prefixed and prefixed[1].lower() in by_id:
        return _read_prefixed(by_id[prefixed[1].lower()], prefixed[2].strip())
    claims = [(who, claim) for who in claimants if (claim := _claim(who, text)) is not None]
    exact = [(who, claim) for who, claim in claims if claim.exact]
    candidates = exact or claims
    if len(candidates) == 1:
        who, claim = candidates[0]
        return who, Reading(RecordId(who.id, claim.reference), as_given=False)
    if candidates:
        spellings = " or ".join(str(RecordId(who.id, c.reference)) for who, c in candidates)
        raise InvalidInput(f"{text!r} could belong to several archives", hint=f"Say {spellings}.")
    if _ADDRESS.match(text):
        raise InvalidInput(
            f"{text!r} is not an address of an archive asked here",
            hint="Give the id of a row, or an address on the archive's own site.",
        )
    raise InvalidInput(
        f"{text!r} is not an identifier of any archive asked here",
        hint="Find the record with search_items or search_inside and pass its id.",
    )


def _read_prefixed(who: _C, reference: str) -> tuple[_C, Reading]:
    if _ADDRESS.match(reference):
        raise InvalidInput(
            f"an address stands after {who.id!r}", hint="Give the address alone, or the bare id."
        )
    claim = _claim(who, reference)
    if claim is None:
        raise InvalidInput(
            f"{reference!r} is not an identifier of {who.id!r}",
            hint="Find the record with search_items or search_inside and pass its id.",
            source=who.id,
        )
    return who, Reading(RecordId(who.id, claim.reference), as_given=claim.reference == reference)


def _claim(who: Claimant, text: str) -> Claim | None:
    with asking(who.id):
        try:
            claim = who.claim(text)
        except BooksError:
            raise
        except Exception:
            logger.exception("A fault in the code that reads identifiers of %s", who.id)
            return None
    if claim is None or isinstance(claim, Claim):
        return claim
    logger.error("%s claims with %.200r, which is no claim", who.id, claim)
    return None


def _refuse_unsafe(text: str) -> None:
    decoded = _decoded(text)
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text + decoded):
        raise InvalidInput(
            "the identifier holds control or formatting characters",
            hint="Type it again, or find the record with search_items.",
        )
    segments = re.split(r"[/\\?#:]", decoded)
    if any(segment in (".", "..") for segment in segments):
        raise InvalidInput(f"{text!r} holds a dot segment", hint="Give the identifier alone.")


def _decoded(text: str) -> str:
    for _ in range(3):
        again = unquote(text)
        if again == text:
            break
        text = again
    return text
