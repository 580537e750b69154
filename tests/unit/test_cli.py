"""The command line: what goes to which stream, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import mcp_books.client
from mcp_books import cli
from mcp_books.errors import RateLimited
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, InsideQuery, Source
from mcp_books.sources.registry import PROFILES
from tests.fakes import FakeArchive, FakeCatalogue, answering, failing, hit, listing, record, row


def alpha() -> FakeArchive:
    return FakeArchive(
        inside=answering(hit()), items=listing(row()), records={"alpha1": record("alpha", "alpha1")}
    )


class Ask:
    """Runs commands against given archives instead of the registered ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, sources: Sequence[Source] | None = None) -> int:
        client = mcp_books.client.BooksClient
        asked = sources or [alpha()]
        with self._monkeypatch.context() as patch:
            patch.setattr(
                "mcp_books.client.BooksClient",
                lambda settings: client(settings, sources=asked),
            )
            return cli.run(arguments)


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    return Ask(monkeypatch)


Captured = pytest.CaptureFixture[str]


def test_search_prints_the_text_block_and_nothing_on_stderr(ask: Ask, capsys: Captured) -> None:
    assert ask("search", "whale") == 0
    shown = capsys.readouterr()
    assert "alpha:alpha-1" in shown.out
    assert shown.out.endswith("\n")
    assert shown.err == ""


def test_items_and_get_print_theirs(ask: Ask, capsys: Captured) -> None:
    assert ask("items", "whale") == 0
    assert "alpha:alpha-1" in capsys.readouterr().out
    assert ask("get", "alpha:alpha1") == 0
    assert "alpha:alpha1" in capsys.readouterr().out


def test_json_is_the_structured_answer(ask: Ask, capsys: Captured) -> None:
    assert ask("search", "whale", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["hits"][0]["id"] == "alpha:alpha-1"
    assert answer["per_source"][0]["status"] == "answered"


def test_json_holds_no_character_that_steers_a_terminal(ask: Ask, capsys: Captured) -> None:
    hostile = "a\x9b2Jb\u202ec\x1b[1m\U000e0001é"
    held = FakeArchive(items=listing(row().model_copy(update={"title": hostile})))
    assert ask("items", "whale", "--json", sources=[held]) == 0
    shown = capsys.readouterr().out
    assert all(character.isprintable() or character == "\n" for character in shown)
    assert "é" in shown
    assert json.loads(shown)["items"][0]["title"] == hostile


def test_every_option_reaches_the_archive(ask: Ask) -> None:
    archive = alpha()
    given = "search whale --limit 7 --page 2 --excerpt-chars 90 --excerpts 4 --source alpha"
    assert ask(*given.split(), sources=[archive]) == 0
    (inside,) = archive.asked
    assert isinstance(inside, InsideQuery)
    assert (inside.limit, inside.page) == (7, 2)
    assert (inside.max_excerpt_chars, inside.max_excerpts) == (90, 4)


def test_every_narrowing_reaches_the_archive(ask: Ask) -> None:
    archive = alpha()
    given = "items whale --media-type maps --from 1800 --to 1900 --sort oldest --no-fan-out"
    assert ask(*given.split(), sources=[archive]) == 0
    (items,) = archive.asked
    assert isinstance(items, CatalogueQuery)
    assert (items.media_type, items.year_from, items.year_to) == ("maps", 1800, 1900)
    assert items.sort == "oldest"


def test_sections_are_read_with_commas(ask: Ask, capsys: Captured) -> None:
    assert ask("get", "alpha:alpha1", "--sections", "subjects, copies", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["sections_returned"] == ["subjects", "copies"]


def test_source_may_be_given_twice(ask: Ask, capsys: Captured) -> None:
    sources = [alpha(), FakeArchive("beta"), FakeArchive("delta")]
    given = ("items", "whale", "--source", "delta", "--source", "alpha", "--json")
    assert ask(*given, sources=sources) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [report["source"] for report in answer["per_source"]] == ["delta", "alpha"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["search"], "query"),
        (["search", "x"], "query"),
        (["search", "whale", "--limit", "99"], "--limit"),
        (["search", "whale", "--limit", "many"], "--limit"),
        (["search", "whale", "--limt", "3"], "--limt"),
        (["search", "whale", "--source", "cellar"], "cellar"),
        (["items", "whale", "--from", "1900", "--to", "1800"], "--to"),
        (["items", "whale", "--sort", "best"], "--sort"),
        (["get", "alpha:alpha1", "--sections", "price"], "--sections"),
        (["get", "https://elsewhere.example/1"], "elsewhere"),
        (["find", "whale"], "find"),
    ],
)
def test_what_has_to_be_changed_is_said_on_stderr(
    ask: Ask, capsys: Captured, arguments: list[str], named: str
) -> None:
    archive = alpha()
    assert ask(*arguments, sources=[archive]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert named in shown.err
    assert "Traceback" not in shown.err
    assert archive.asked == []


def test_a_record_that_does_not_exist_ends_with_one(ask: Ask, capsys: Captured) -> None:
    assert ask("get", "alpha:alpha9") == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("[not_found] ")


def test_every_archive_failing_ends_with_one_and_still_prints_the_answer(
    ask: Ask, capsys: Captured
) -> None:
    down = FakeArchive(inside=failing(RateLimited("asked for fewer requests")))
    assert ask("search", "whale", sources=[down]) == 1
    assert "rate_limited" in capsys.readouterr().out


def test_one_archive_answering_is_enough(ask: Ask) -> None:
    down = FakeArchive("beta", inside=failing(RateLimited("asked for fewer requests")))
    assert ask("search", "whale", sources=[alpha(), down, FakeCatalogue()]) == 0


def test_naming_only_an_archive_that_cannot_answer_ends_with_one(ask: Ask) -> None:
    assert ask("search", "whale", "--source", "gamma", sources=[alpha(), FakeCatalogue()]) == 1


def test_ctrl_c_ends_with_130(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("anyio.run", interrupted)
    assert ask("search", "whale") == 130


def test_version_and_help_are_printed(ask: Ask, capsys: Captured) -> None:
    from importlib.metadata import version

    assert ask("--version") == 0
    assert capsys.readouterr().out == f"mcp-books {version('mcp-books')}\n"
    assert ask("--help") == 0
    shown = capsys.readouterr().out
    assert f"get archive:{PROFILES[0].examples[0]} " in shown
    for command in ("search", "items", "get", "index", "check", "demo", "--demo"):
        assert command in shown


def test_the_bounds_in_the_help_are_those_of_the_arguments(ask: Ask, capsys: Captured) -> None:
    assert ask("search", "--help") == 0
    assert "1 to 25, default 3" in " ".join(capsys.readouterr().out.split())


def test_an_unusable_setting_is_reported_and_does_not_stop_the_command(
    ask: Ask, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKS_MAX_RETRIES", "many")
    assert ask("search", "whale") == 0
    assert "BOOKS_MAX_RETRIES" in caplog.text


def test_demo_before_a_command_asks_the_stand_ins(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Settings] = []
    client = mcp_books.client.BooksClient

    def noted(settings: Settings) -> mcp_books.client.BooksClient:
        seen.append(settings)
        return client(settings, sources=[alpha()])

    monkeypatch.setattr("mcp_books.client.BooksClient", noted)
    assert cli.run(["--demo", "search", "whale"]) == 0
    (settings,) = seen
    assert settings.demonstration
    assert str(settings.archive_url).startswith("http://127.0.0.1:")


def test_the_tour_is_run_and_its_result_is_the_exit_code(
    ask: Ask, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def tour(out: object) -> int:
        out.write("welcome")  # type: ignore[attr-defined]  # the stream of the command
        return 1

    monkeypatch.setattr("mcp_books.demo.tour.run", tour)
    assert ask("demo") == 1
    assert capsys.readouterr().out == "welcome"
