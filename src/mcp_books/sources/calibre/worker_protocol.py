"""What the extracting process and its parent say to each other: frames of JSON over pipes.

A frame is one letter for its kind, the length of its body in four bytes, and the body. JSON, not
pickle: a hostile book may have taken over the process that sends.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from enum import StrEnum
from typing import BinaryIO, NamedTuple, get_args

from mcp_books.models import LabelSource

from .extract.base import Status, Stretch, StretchKind, Unreadable

__all__ = [
    "LONGEST_BODY",
    "Frame",
    "Garbage",
    "Kind",
    "read_bool",
    "read_end",
    "read_frame",
    "read_mapping",
    "read_oserror",
    "read_stretches",
    "read_unreadable",
    "stretches_body",
    "write_frame",
]

LONGEST_BODY = 64 * 1024 * 1024
_HEAD = struct.Struct(">cL")
_LABEL_SOURCES: dict[object, LabelSource | None] = {
    None: None,
    **{source: source for source in get_args(LabelSource)},
}
_KINDS: dict[object, StretchKind] = {kind: kind for kind in get_args(StretchKind)}
_STATUSES: dict[str, Status] = {status: status for status in get_args(Status)}


class Kind(StrEnum):
    """What a frame says."""

    READY = "H"
    READ = "R"
    LOOK = "P"
    STRETCHES = "S"
    END = "E"
    LOOKED = "L"
    UNREADABLE = "U"
    OS_ERROR = "O"
    BROKEN = "X"
    LOG = "G"


class Garbage(Exception):
    """What arrived is no frame, or its body is not what its kind promises."""


class Frame(NamedTuple):
    """One frame, its body as JSON gave it."""

    kind: Kind
    body: object


def write_frame(pipe: BinaryIO, kind: Kind, body: object = None) -> None:
    """Write one frame and flush it.

    Raises:
        ValueError: it is longer than a reader would take.
    """
    # Lone surrogates can stand in text and in paths, and have to arrive as they are.
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    if len(data) > LONGEST_BODY:
        raise ValueError(f"a frame of {len(data)} bytes")
    pipe.write(_HEAD.pack(kind.encode("ascii"), len(data)) + data)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> Frame | None:
    """Read one frame; None where the pipe ends, also in the middle of one.

    Raises:
        Garbage: what arrived is no frame.
    """
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    letter, length = _HEAD.unpack(head)
    if length > LONGEST_BODY:
        raise Garbage(f"a frame of {length} bytes")
    data = pipe.read(length)
    if len(data) < length:
        return None
    try:
        return Frame(
            Kind(letter.decode("ascii")), json.loads(data.decode("utf-8", "surrogatepass"))
        )
    except (ValueError, RecursionError) as error:
        raise Garbage(str(error)) from error


def stretches_body(stretches: Sequence[Stretch]) -> list[list[object]]:
    """Return stretches as the body of a frame."""
    return [
        [one.text, one.page_number, one.page_label, one.label_source, one.section, one.kind]
        for one in stretches
    ]


def read_stretches(body: object) -> list[Stretch]:
    """Read stretches, every value looked at.

    Raises:
        Garbage: they are none.
    """
    return [_stretch(row) for row in _list(body)]


def read_unreadable(body: object) -> Unreadable:
    """Read why a file gives no text.

    Raises:
        Garbage: it does not say.
    """
    match body:
        case [str(status), str(detail)] if status in _STATUSES:
            return Unreadable(_STATUSES[status], detail)
    raise Garbage(f"a status is {_short(body)}")


def read_oserror(body: object) -> OSError:
    """Read what the system said of a file; its class is that of the number, as always.

    Raises:
        Garbage: it does not say.
    """
    match body:
        case [int(number), str(message)] if not isinstance(number, bool):
            return OSError(number, message)
    raise Garbage(f"an error is {_short(body)}")


def read_bool(body: object) -> bool:
    """Read yes or no.

    Raises:
        Garbage: it is neither.
    """
    if not isinstance(body, bool):
        raise Garbage(f"yes or no is {_short(body)}")
    return body


def read_end(body: object) -> tuple[int, str | None]:
    """Read how the reading of a file ended: the bytes in use, 0 if unknown, and what was lost.

    Raises:
        Garbage: it does not say.
    """
    match body:
        case [int(used), None | str() as lost] if not isinstance(used, bool):
            return used, lost
    raise Garbage(f"an end is {_short(body)}")


def read_mapping(body: object) -> dict[str, object]:
    """Read values by name.

    Raises:
        Garbage: they are none.
    """
    if not isinstance(body, dict):
        raise Garbage(f"a request is {_short(body)}")
    return {str(name): value for name, value in body.items()}


def _list(body: object) -> list[object]:
    if not isinstance(body, list):
        raise Garbage(f"stretches are {_short(body)}")
    return body


def _stretch(row: object) -> Stretch:
    match row:
        case [str(text), page, label, source, section, str(kind)] if (
            (page is None or type(page) is int)
            and (label is None or isinstance(label, str))
            and (source is None or isinstance(source, str))
            and (section is None or isinstance(section, str))
            and source in _LABEL_SOURCES
            and kind in _KINDS
        ):
            return Stretch(text, page, label, _LABEL_SOURCES[source], section, _KINDS[kind])
    raise Garbage(f"a stretch is {_short(row)}")


def _short(value: object) -> str:
    return repr(value)[:80]
