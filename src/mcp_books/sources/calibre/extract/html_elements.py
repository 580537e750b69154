"""What an element of XHTML or HTML means for the text around it, by name and by attributes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Literal

from mcp_books.sources.calibre.extract.markup import local_name

__all__ = [
    "BETWEEN",
    "GAP_OF",
    "TELLING",
    "Gap",
    "RegionKind",
    "Role",
    "RoleOf",
    "identifiers",
    "is_page_break",
    "is_unseen",
    "region_kind",
    "semantics",
]

RegionKind = Literal["contents", "index"]


class Gap(IntEnum):
    """How far apart two texts stand; the wider of two gaps holds."""

    NONE = 0
    SPACE = 1
    LINE = 2
    PARAGRAPH = 3


BETWEEN = ("", " ", "\n", "\n\n")
"""What is written for a gap."""


class Role(IntEnum):
    """What an element does to the text; from BLOCK on, its end may matter."""

    INLINE = 0
    CELL = 1
    LINE = 2
    BLOCK = 3
    HEADING = 4
    PREFORMATTED = 5
    RUBY = 6
    DROPPED = 7


GAP_OF = {
    Role.INLINE: Gap.NONE,
    Role.CELL: Gap.SPACE,
    Role.LINE: Gap.LINE,
    Role.BLOCK: Gap.PARAGRAPH,
    Role.HEADING: Gap.PARAGRAPH,
    Role.PREFORMATTED: Gap.PARAGRAPH,
    Role.RUBY: Gap.NONE,
    Role.DROPPED: Gap.NONE,
}

_NAMES = {
    Role.CELL: "td th",
    Role.LINE: "br li tr dt dd option",
    Role.BLOCK: "address article aside blockquote body caption center details dialog dir div dl"
    " fieldset figcaption figure footer form frameset header hgroup hr html main menu nav ol"
    " optgroup p pagebreak section summary table tbody tfoot thead ul",
    Role.HEADING: "h1 h2 h3 h4 h5 h6",
    Role.PREFORMATTED: "pre listing plaintext xmp",
    Role.RUBY: "ruby",
    # `case` is EPUB's switch: its default says the same in plain XHTML.
    Role.DROPPED: "head script style title rt rtc rp svg math template iframe applet case datalist"
    " noembed noframes select textarea",
}
_ROLES = {name: role for role, names in _NAMES.items() for name in names.split()}

_OPS_TYPE = "{http://www.idpf.org/2007/ops}type"
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_KINDS: Mapping[str, RegionKind] = {
    "doc-index": "index",
    "doc-toc": "contents",
    "index": "index",
    "landmarks": "contents",
    "loi": "contents",
    "lot": "contents",
    "toc": "contents",
    "toc-brief": "contents",
}


TELLING = frozenset({"id", "name", "role", "type", "epub:type", "xml:id", _OPS_TYPE, _XML_ID})
"""The attributes that name an element or say what it is."""


class RoleOf(dict[str, Role]):
    """The role of an element by its name as a parser gives it, looked up once."""

    def __missing__(self, tag: str) -> Role:
        role = self[tag] = _ROLES.get(local_name(tag), Role.INLINE)
        return role


def identifiers(role: Role, attributes: Mapping[str, str]) -> list[str]:
    """Return the names that a link can point at the element by."""
    names = (
        attributes.get("id"),
        attributes.get(_XML_ID) or attributes.get("xml:id"),
        attributes.get("name") if role is Role.INLINE else None,
    )
    return [name for name in names if name]


def semantics(attributes: Mapping[str, str]) -> list[str]:
    """Return the words of `epub:type` and `role`; without its namespace declared too."""
    stated = (
        attributes.get(_OPS_TYPE) or attributes.get("epub:type") or attributes.get("type") or ""
    )
    role = attributes.get("role") or ""
    return f"{stated} {role}".lower().split() if stated or role else []


def is_page_break(words: list[str]) -> bool:
    """Whether a page of the printed edition begins at the element."""
    return "pagebreak" in words or "doc-pagebreak" in words


def is_unseen(role: Role, words: list[str], attributes: Mapping[str, str]) -> bool:
    """Whether the element is a list of pages, or another list of places that is not displayed."""
    if role is not Role.BLOCK:
        return False
    if "page-list" in words or "doc-pagelist" in words:
        return True
    return "hidden" in attributes and region_kind(words) is not None


def region_kind(words: list[str]) -> RegionKind | None:
    """Return what the element calls itself, if it is a table of contents or an index."""
    return next((_KINDS[word] for word in words if word in _KINDS), None)
