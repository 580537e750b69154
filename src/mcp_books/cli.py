"""The command line for people: ask, read, check. Answers on stdout, all else on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ._logs import settings_from_environment
from ._options import COMMANDS, Command, arguments_of, parser, spoken
from .errors import BooksError, InvalidInput

if TYPE_CHECKING:
    from ._answers import Answer
    from .settings import Settings

__all__ = ["run"]

ANSWERED, NOTHING_ANSWERED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # Answers hold every script; a terminal's own encoding may not.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the answer has enough; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ANSWERED
    except OSError as problem:
        sys.stderr.write(f"mcp-books: the answer could not be written ({problem.strerror})\n")
        return NOTHING_ANSWERED
    return code


def _replace_closed_streams() -> None:
    """Give a stream that the shell closed (`2>&-`) a place to go; Python leaves None there."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            setattr(sys, name, os.fdopen(nowhere, "w", encoding="utf-8"))


def _run(arguments: Sequence[str]) -> int:
    whole = parser()
    try:
        options = whole.parse_args(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
    if options.command == "demo":
        import anyio

        from .demo import tour

        return anyio.run(tour.run, sys.stdout)
    settings = settings_from_environment()
    with _stand_ins(settings) if options.demo else nullcontext(settings) as played:
        if options.command == "index":
            from ._index_command import Wanted, index

            return index(
                played,
                Wanted(
                    options.status,
                    options.rebuild,
                    options.libraries,
                    options.background,
                    options.every,
                ),
            )
        if options.command == "check":
            from ._check import check

            return check(played)
        return _ask(COMMANDS[options.command], options, played)


def _stand_ins(settings: Settings) -> Any:
    from .demo.server import demonstration

    return demonstration(settings)


def _ask(command: Command, options: Any, settings: Settings) -> int:
    import anyio

    from ._render import render_error

    try:
        request = command.request.of(arguments_of(command, options))
    except InvalidInput as error:
        sys.stderr.write(f"mcp-books {options.command}: {spoken(error.message)}\n")
        sys.stderr.write(f"See: mcp-books {options.command} --help\n")
        return BAD_INPUT
    try:
        answer, text = anyio.run(_answer, request, settings)
    except BooksError as error:
        sys.stderr.write(f"{spoken(render_error(error))}\n")
        return BAD_INPUT if isinstance(error, InvalidInput) else NOTHING_ANSWERED
    sys.stdout.write(_as_json(answer.dump()) if options.json else f"{text}\n")
    reports = getattr(answer, "per_source", None)
    answered = reports is None or any(one.status == "answered" for one in reports)
    return ANSWERED if answered else NOTHING_ANSWERED


async def _answer(request: Any, settings: Settings) -> tuple[Answer, str]:
    """Return the answer and its text block."""
    from ._answers import text_of
    from ._progress import Progress
    from .client import BooksClient

    with Progress(sys.stderr) as progress:
        async with BooksClient(settings) as books:
            answer = await books.ask(request, on_progress=progress.report)
            return answer, text_of(answer, books.profiles)


def _as_json(value: object) -> str:
    """Return `value` as JSON in which no character can steer a terminal."""
    return (
        "".join(
            character
            if character.isprintable() or character == "\n"
            else json.dumps(character)[1:-1]
            for character in json.dumps(value, ensure_ascii=False, indent=2)
        )
        + "\n"
    )
