"""Versions, names and settings are the same in every file that states them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from annotated_types import Ge, Le

import mcp_books
from mcp_books.settings import VARIABLES, Settings
from release import facts
from release.agree import main, mismatches, written
from tests.package.reading import ROOT, document, project, settings_table, text

READMES = ["README.md", "README.fr.md"]
UNSET = {"–", "the archive's own", "celle de la source", "your user data folder"} | {
    "le dossier de données de l’utilisateur"
}
SERVER = document("server.json")
MANIFEST = document("mcpb/manifest.json")
DECLARED = {one["name"]: one for one in SERVER["packages"][0]["environmentVariables"]}
ENTRY = "BOOKS_CALIBRE_LIBRARIES"
"""Several folders: a host passes them as arguments, which the bundle's entry puts together."""


def bounds(variable: str) -> tuple[int | None, int | None]:
    """Return what the code accepts, in the variable's unit."""
    field, divisor = VARIABLES[variable]
    held: dict[type, float] = {}
    for bound in Settings.model_fields[field].metadata:
        if isinstance(bound, Ge):
            held[Ge] = float(str(bound.ge)) * divisor
        if isinstance(bound, Le):
            held[Le] = float(str(bound.le)) * divisor
    low, high = held.get(Ge), held.get(Le)
    return (None if low is None else round(low)), (None if high is None else round(high))


def default(variable: str) -> object:
    return getattr(Settings(), VARIABLES[variable][0])


def read_as(variable: str, value: str) -> object:
    """Return what the setting becomes when the environment says `value`."""
    return getattr(Settings.from_env({variable: value}), VARIABLES[variable][0])


def options() -> dict[str, dict[str, Any]]:
    """Return the bundle's options by the variable they fill."""
    environ = MANIFEST["server"]["mcp_config"]["env"]
    keys = {
        variable: re.fullmatch(r"\$\{user_config\.(\w+)\}", filled)
        for variable, filled in environ.items()
    }
    return {variable: MANIFEST["user_config"][key[1]] for variable, key in keys.items() if key}


def test_the_generated_files_are_what_their_sources_make_of_them() -> None:
    assert {name: text(name) for name in written()} == written()
    assert main(["--check"]) == 0


def test_every_file_states_the_same_version() -> None:
    version = project()["version"]
    assert mcp_books.__version__ == version
    assert SERVER["version"] == SERVER["packages"][0]["version"] == version
    assert MANIFEST["version"] == version
    bundled = text("mcpb/pyproject.toml")
    assert f'version = "{version}"' in bundled
    assert f'dependencies = ["mcp-books=={version}"]' in bundled
    for readme in READMES:
        assert f"dist/mcp_books-{version}-py3-none-any.whl" in text(readme)


def test_the_changelog_is_headed_by_what_is_unreleased_or_by_this_version() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", text("CHANGELOG.md"), re.MULTILINE)
    numbered = [one for one in headings if one != "Unreleased"]
    assert "Unreleased" not in headings[1:]
    assert headings
    assert not numbered or numbered[0] == project()["version"]


def test_every_numbered_section_of_the_changelog_is_dated() -> None:
    headings = re.findall(r"^## \[\d.*", text("CHANGELOG.md"), re.MULTILINE)
    assert all(re.fullmatch(r"## \[[^\]]+\] - \d{4}-\d\d-\d\d", one) for one in headings)


def test_a_tag_that_is_empty_is_refused() -> None:
    assert main(["--check", "--tag", ""]) == 1


def test_a_setting_without_a_row_in_the_readme_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(facts, "VARIABLES", {**VARIABLES, "BOOKS_NEW_URL": ("loc_url", 0)})
    assert main(["--check"]) == 1
    assert "no row for BOOKS_NEW_URL" in capsys.readouterr().err


def test_a_tag_other_than_the_version_is_refused() -> None:
    assert any("the tag is v0.0.0" in problem for problem in mismatches("v0.0.0"))
    assert not any("the tag" in problem for problem in mismatches(f"v{project()['version']}"))


def test_the_registry_finds_its_name_in_the_readme_that_is_published() -> None:
    assert project()["readme"] == "README.md"
    assert f"<!-- mcp-name: {SERVER['name']} -->" in text("README.md")
    owner = project()["urls"]["Homepage"].split("/")[-2]
    assert SERVER["name"] == f"io.github.{owner}/{project()['name']}"


def test_every_setting_is_declared_to_the_registry_and_in_both_readmes() -> None:
    assert list(DECLARED) == list(VARIABLES)
    for readme in READMES:
        assert list(settings_table(readme)) == list(VARIABLES)


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("readme", READMES)
def test_a_readme_states_the_default_and_the_range_of(variable: str, readme: str) -> None:
    row = settings_table(readme)[variable]
    assert (row.low, row.high) == bounds(variable)
    if row.default in UNSET:
        assert default(variable) is None
    else:
        assert read_as(variable, row.default) == default(variable)


@pytest.mark.parametrize("variable", VARIABLES)
def test_the_registry_is_told_the_default_and_the_range_of(variable: str) -> None:
    declared = DECLARED[variable]
    assert (declared["isRequired"], declared["isSecret"]) == (False, False)
    low, high = bounds(variable)
    assert (low is None) or f"({low} to {high})" in declared["description"]
    if "default" in declared:
        assert read_as(variable, declared["default"]) == default(variable)
    else:
        assert default(variable) is None


def test_the_log_levels_offered_are_those_that_are_accepted() -> None:
    assert DECLARED["BOOKS_LOG_LEVEL"]["choices"] == ["silent", "error", "info", "debug"]
    for level in DECLARED["BOOKS_LOG_LEVEL"]["choices"]:
        assert read_as("BOOKS_LOG_LEVEL", level) == level
        assert level in MANIFEST["user_config"]["log_level"]["description"]


def test_every_option_of_the_bundle_fills_a_setting() -> None:
    assert set(options()) < set(VARIABLES) - {ENTRY}
    filled = [option["title"] for option in options().values()]
    rest = [one for one in MANIFEST["user_config"].values() if one["title"] not in filled]
    assert rest == [MANIFEST["user_config"]["calibre_libraries"]]
    assert "${user_config.calibre_libraries}" in MANIFEST["server"]["mcp_config"]["args"]


@pytest.mark.parametrize("variable", options())
def test_the_bundle_offers_the_default_and_the_range_of(variable: str) -> None:
    option = options()[variable]
    assert (option.get("min"), option.get("max")) == bounds(variable)
    assert option["required"] is False
    offered = option.get("default", "")
    said = str(offered).lower() if isinstance(offered, bool) else str(offered)
    assert read_as(variable, said) == default(variable)


def test_the_bundle_asks_for_the_python_that_the_package_asks_for() -> None:
    wanted = project()["requires-python"]
    assert MANIFEST["compatibility"]["runtimes"]["python"] == wanted
    assert f'requires-python = "{wanted}"' in text("mcpb/pyproject.toml")
    supported = [
        one.removeprefix("Programming Language :: Python :: ") for one in project()["classifiers"]
    ]
    assert text("mcpb/.python-version").strip() in supported


def test_the_bundle_refers_to_a_section_that_exists() -> None:
    (own,) = (one for one in MANIFEST["privacy_policies"] if "mcp-books" in one)
    title = own.partition("#")[2].replace("-", " ")
    assert f"### {title}" in text("README.md").lower()


def test_the_package_is_typed_and_its_command_is_called_like_it() -> None:
    assert (ROOT / "src" / "mcp_books" / "py.typed").exists()
    assert project()["scripts"] == {"mcp-books": "mcp_books.__main__:main"}
