"""The command line's options, mirroring the arguments of the three questions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, get_args

from . import __version__
from .arguments import InsideRequest, ItemsRequest, RecordRequest, Request, Section, Sort
from .sources.calibre.profile import PROFILE as CALIBRE
from .sources.registry import PROFILES

__all__ = ["COMMANDS", "arguments_of", "parser", "spoken"]

DESCRIPTION = """\
Search inside digitised books and newspapers, and in library catalogues: several archives at once,
each answer with its source. Without a command this is an MCP server on standard input and output.

  mcp-books search '"call me ishmael"'           words inside books and newspapers
  mcp-books items "moby dick" --source archive   records in catalogues
  mcp-books get archive:journalofexpedit00ford   one record, by the id a search printed
  mcp-books index                                read your Calibre libraries, to search inside them
  mcp-books check                                which archives answer from here, and how fast
  mcp-books demo                                 a tour that needs no network
  mcp-books --demo search "whale"                ask the demonstration instead of the archives
"""

EPILOG = """\
Answers go to standard output, progress and errors to standard error.
Exit code: 0 an archive answered; 1 none did, or no such record; 2 something to change in the
question; 130 Ctrl-C. Settings are environment variables; the README lists them.
"""


_EVERY = (*PROFILES, CALIBRE)

_DEMO = "ask stand-in archives with invented records, locally"


class _Option(NamedTuple):
    flag: str
    metavar: str
    help: str


class Command(NamedTuple):
    """One question as a command."""

    request: type[Request]
    subject: str
    help: str


COMMANDS: dict[str, Command] = {
    "search": Command(InsideRequest, "query", "search inside books and newspapers"),
    "items": Command(ItemsRequest, "query", "search catalogues by title, creator or subject"),
    "get": Command(RecordRequest, "identifier", "read one record"),
}

_OPTIONS: dict[str, _Option] = {
    "limit": _Option("--limit", "N", "rows from each archive"),
    "page": _Option("--page", "N", "page of each archive's result list"),
    "sources": _Option("--source", "ID", "ask this archive only; may be repeated"),
    "fan_out": _Option("--no-fan-out", "", "send the query as it is and no wording made from it"),
    "max_excerpt_chars": _Option("--excerpt-chars", "N", "characters of an excerpt"),
    "max_excerpts_per_match": _Option("--excerpts", "N", "excerpts of a match"),
    "media_type": _Option("--media-type", "WORD", "kind of material, in an archive's own word"),
    "year_from": _Option("--from", "YEAR", "earliest year"),
    "year_to": _Option("--to", "YEAR", "latest year"),
    "sort": _Option("--sort", "ORDER", f"one of {', '.join(get_args(Sort))}"),
    "sections": _Option("--sections", "NAMES", f"of {', '.join(get_args(Section))}, with commas"),
    "max_copies": _Option("--max-copies", "N", "digital copies listed"),
    "text_offset": _Option("--offset", "N", "character at which the prose resumes"),
    "max_text_chars": _Option("--chars", "N", "characters of prose"),
}


_NAMED = re.compile(r"(?:^|(?<=; ))(\w+)(?:\.\d+)?(?=: )")
"""The argument a problem names, at the head of each one listed."""


_SPOKEN = {
    **{name: option.flag for name, option in _OPTIONS.items() if "_" in name},
    "sources:": "--source:",
    "search_inside": "'mcp-books search'",
    "search_items": "'mcp-books items'",
    "get_item": "'mcp-books get'",
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\nSee: {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    plain = argparse.RawDescriptionHelpFormatter
    whole = _Parser(
        prog="mcp-books",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=plain,
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    whole.add_argument("--demo", action="store_true", help=_DEMO)
    commands = whole.add_subparsers(
        dest="command", metavar="command", required=True, parser_class=_Parser
    )
    for name, command in COMMANDS.items():
        sub = commands.add_parser(
            name,
            help=command.help,
            description=command.help,
            epilog=_vocabularies(command),
            allow_abbrev=False,
        )
        _add_options(sub, command)
        _add_demo(sub)
    _add_index(commands)
    check = "ask each archive one cheap question and time the answer"
    _add_demo(commands.add_parser("check", help=check, description=check))
    tour = "a tour of what this does, on archives played locally"
    commands.add_parser("demo", help=tour, description=tour)
    return whole


def _add_index(commands: Any) -> None:
    told = "bring the text index of your Calibre libraries up to date"
    sub = commands.add_parser(
        "index",
        help=told,
        description=f"{told}. Ctrl-C stops it; what is done is kept.",
        epilog="The libraries are those of BOOKS_CALIBRE_LIBRARIES.",
        allow_abbrev=False,
    )
    what = sub.add_mutually_exclusive_group()
    status = "say what is indexed, and which books are not and why"
    what.add_argument("--status", action="store_true", help=status)
    what.add_argument("--rebuild", action="store_true", help="make the whole index again")
    # How a server starts it.
    what.add_argument("--background", action="store_true", help=argparse.SUPPRESS)
    every = "with --status: list every title, not the first ten of each reason"
    sub.add_argument("--all", dest="every", action="store_true", help=every)
    sub.add_argument(
        "--library",
        dest="libraries",
        action="append",
        default=[],
        metavar="NAME",
        help="only this library; may be repeated",
    )


def _add_demo(sub: argparse.ArgumentParser) -> None:
    """Accept `--demo` behind a command as well; what stood before it is kept."""
    sub.add_argument("--demo", action="store_true", default=argparse.SUPPRESS, help=_DEMO)


def _vocabularies(command: Command) -> str:
    """Return the ids of the archives, and the words of each for kinds of material."""
    if "sources" not in command.request.model_fields:
        return ""
    told = f"Archives: {', '.join(profile.id for profile in _EVERY)}."
    if "media_type" in command.request.model_fields:
        kinds = (f"{one.id}: {', '.join(one.media_types)}" for one in _EVERY if one.media_types)
        told += f" Kinds of material: {'; '.join(kinds)}."
    return told


def arguments_of(command: Command, options: argparse.Namespace) -> dict[str, Any]:
    """Return what was given, as the arguments of the command's request."""
    given = {name: getattr(options, name, None) for name in command.request.model_fields}
    return {name: value for name, value in given.items() if value is not None}


def spoken(message: str) -> str:
    """Return a message with the arguments and questions it names spelled as on a command line."""
    message = _NAMED.sub(
        lambda found: _OPTIONS[found[1]].flag if found[1] in _OPTIONS else found[1], message
    )
    for name, said in _SPOKEN.items():
        message = message.replace(name, said)
    return message


def _add_options(sub: argparse.ArgumentParser, command: Command) -> None:
    fields = command.request.model_fields
    sub.add_argument(command.subject, help=fields[command.subject].description)
    for name, option in _OPTIONS.items():
        if name not in fields:
            continue
        extent = _extent(fields[name])
        told = option.help + (f" ({extent})" if extent else "")
        sub.add_argument(option.flag, dest=name, help=told, **_reading(name, option))
    sub.add_argument("--json", action="store_true", help="print the structured answer")


def _reading(name: str, option: _Option) -> dict[str, Any]:
    if name == "fan_out":
        return {"action": "store_const", "const": False}
    if name == "sources":
        return {"action": "append", "metavar": option.metavar}
    if name == "sections":
        return {"type": _names, "metavar": option.metavar}
    return {"type": int if option.metavar in ("N", "YEAR") else str, "metavar": option.metavar}


def _extent(field: Any) -> str:
    """Say the bounds and the default of an argument, from the request that holds them."""
    bounds = {
        kind: getattr(bound, kind)
        for bound in field.metadata
        for kind in ("ge", "le")
        if getattr(bound, kind, None) is not None
    }
    said = []
    if "le" in bounds:
        said.append(f"{bounds['ge']} to {bounds['le']}")
    if isinstance(field.default, int | str) and not isinstance(field.default, bool):
        said.append(f"default {field.default}")
    return ", ".join(said)


def _names(text: str) -> Sequence[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
