"""Both READMEs hold the same sections, settings, commands and code."""

from __future__ import annotations

import base64
import json
import re
import shlex
from collections import Counter
from urllib.parse import parse_qs, urlsplit

import pytest

from mcp_books._options import COMMANDS, arguments_of, parser
from release.bundle import NAME
from tests.package.reading import document, settings_table, text

ENGLISH, FRENCH = "README.md", "README.fr.md"
BOTH = [ENGLISH, FRENCH]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")

TRANSLATED = {
    "README.fr.md": "README.md",
    "#vos-bibliothèques-calibre": "#your-calibre-libraries",
    "un passage de l’un de vos livres": "a phrase from one of your books",
    "/chemin/de/la/copie": "/path/to/the/clone",
    "romans=/livres/a:droit=/livres/b": "novels=/books/a:law=/books/b",
    "nom=dossier": "name=folder",
    "--library NOM": "--library NAME",
}
"""What a code or a link says in French, and in English."""


def blocks(readme: str) -> list[tuple[str, str]]:
    """Return each block with its language, without comments, its words translated."""
    found = []
    for language, code in _FENCE.findall(text(readme)):
        lines = [re.sub(r" +# .*$", "", line) for line in code.splitlines()]
        found.append((language, translated("\n".join(lines))))
    return found


def translated(code: str) -> str:
    for french, english in TRANSLATED.items():
        code = code.replace(french, english)
    return code


def shell_lines(readme: str) -> list[str]:
    return [
        line for language, code in blocks(readme) if language == "sh" for line in code.splitlines()
    ]


def prose(readme: str) -> str:
    return _FENCE.sub("", text(readme))


def inline_code(readme: str) -> Counter[str]:
    spans = re.findall(r"`([^`]+)`", prose(readme))
    return Counter(translated(" ".join(span.split())) for span in spans)


def headings(readme: str) -> list[int]:
    return [len(marks) for marks in re.findall(r"^(#+) ", prose(readme), re.MULTILINE)]


def tables(readme: str) -> list[tuple[int, str]]:
    """Return for each line of a table how many cells it has, and the code of its first."""
    lines = re.findall(r"^\|.*\|$", prose(readme), re.MULTILINE)
    return [(line.count("|"), "".join(re.findall(r"^\| (`[^`]+`)", line))) for line in lines]


def links(readme: str) -> list[str]:
    return sorted(translated(link) for link in _LINK.findall(text(readme)))


def test_both_have_sections_of_the_same_ranks_in_the_same_order() -> None:
    assert headings(ENGLISH) == headings(FRENCH)
    assert headings(ENGLISH).count(2) >= 10


def test_both_have_the_same_code_blocks_in_the_same_order() -> None:
    assert blocks(ENGLISH) == blocks(FRENCH)
    assert len(blocks(ENGLISH)) >= 10


def test_both_name_the_same_commands_variables_and_values() -> None:
    assert inline_code(ENGLISH) == inline_code(FRENCH)


def test_both_have_the_same_tables() -> None:
    assert tables(ENGLISH) == tables(FRENCH)


def test_both_state_the_same_defaults_and_ranges_of_settings() -> None:
    english, french = settings_table(ENGLISH), settings_table(FRENCH)
    assert list(english) == list(french)
    for variable, row in english.items():
        assert french[variable][1:] == row[1:]
        if re.search(r"\d", row.default):
            assert french[variable].default == row.default


def test_both_link_to_the_same_places() -> None:
    english, french = Counter(links(ENGLISH)), Counter(links(FRENCH))
    assert english == french


@pytest.mark.parametrize("readme", BOTH)
def test_a_link_within_a_readme_leads_to_one_of_its_sections(readme: str) -> None:
    titles = re.findall(r"^#+ (.+)$", prose(readme), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    inside = [link[1:] for link in _LINK.findall(text(readme)) if link.startswith("#")]
    assert inside
    assert set(inside) <= anchors


@pytest.mark.parametrize("readme", BOTH)
def test_the_links_that_install_hold_what_the_snippets_hold(readme: str) -> None:
    snippets = [
        json.loads(code) for language, code in _FENCE.findall(text(readme)) if language == "json"
    ]
    (cursor,) = (link for link in links(readme) if "cursor.com" in link)
    (vs_code,) = (link for link in links(readme) if "vscode.dev" in link)
    asked = parse_qs(urlsplit(cursor).query)
    assert asked["name"] == ["books"]
    held = json.loads(base64.b64decode(asked["config"][0], validate=True))
    assert {"mcpServers": {"books": held}} in snippets
    asked = parse_qs(urlsplit(vs_code).query)
    assert asked["name"] == ["books"]
    assert {"servers": {"books": json.loads(asked["config"][0])}} in snippets


@pytest.mark.parametrize("readme", BOTH)
def test_every_host_starts_the_package_that_the_registry_names(readme: str) -> None:
    (package,) = document("server.json")["packages"]
    command = [package["runtimeHint"], package["identifier"]]
    started = []
    for language, code in blocks(readme):
        if language == "json":
            whole = json.loads(code)
            (server,) = (whole.get("mcpServers") or whole["servers"]).values()
            started.append([server["command"], *server["args"]])
        started += [
            line.partition(" -- ")[2].split() for line in code.splitlines() if "mcp add" in line
        ]
    assert len(started) == 5
    assert started == [command] * len(started)


@pytest.mark.parametrize("readme", BOTH)
def test_a_server_of_claude_code_is_removed_before_it_is_added_again(readme: str) -> None:
    held: set[str] = set()
    added = 0
    for line in shell_lines(readme):
        match shlex.split(line):
            case ["claude", "mcp", "remove", name]:
                held.remove(name)
            case ["claude", "mcp", "add", *_, name, "--", "uvx", "mcp-books"]:
                assert name not in held
                held.add(name)
                added += 1
    assert added == 2


@pytest.mark.parametrize("readme", BOTH)
def test_env_takes_one_value_even_where_the_shell_drops_the_two_dashes(readme: str) -> None:
    (words,) = (shlex.split(line) for line in shell_lines(readme) if "--env" in line)
    variable, following = words[words.index("--env") + 1 :][:2]
    assert variable.partition("=")[0] in settings_table(readme)
    assert following == "--scope"


@pytest.mark.parametrize("readme", BOTH)
def test_the_command_line_takes_every_command(readme: str) -> None:
    lines = [line.rpartition(" && .venv/bin/")[2] for line in shell_lines(readme)]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("mcp-books ")]
    spans = (
        re.fullmatch(r"(?:uvx )?mcp-books ((?:index|check)\b.*)", span)
        for span in inline_code(readme)
    )
    commands += [span[1].split() for span in spans if span]
    assert len(commands) >= 15
    for command in commands:
        options = parser().parse_args(command)
        if asked := COMMANDS.get(options.command):
            asked.request.of(arguments_of(asked, options))


@pytest.mark.parametrize("readme", BOTH)
def test_the_link_to_the_bundle_is_the_file_that_a_release_carries(readme: str) -> None:
    (bundle,) = (link for link in links(readme) if link.endswith(".mcpb"))
    address = document("server.json")["repository"]["url"]
    assert bundle == f"{address}/releases/latest/download/{NAME}"
