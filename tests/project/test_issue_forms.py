"""The issue forms, by the rules GitHub documents: a form that breaks one is not offered at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "ISSUE_TEMPLATE"
FORMS = ["bug", "idea", "wrong-answer"]
KEYS = {"name", "description", "title", "labels", "assignees", "projects", "type", "body"}
OF_ELEMENT = {"type", "id", "attributes", "validations"}
OF_ATTRIBUTES: Mapping[str, set[str]] = {
    "markdown": {"value"},
    "input": {"label", "description", "placeholder", "value"},
    "textarea": {"label", "description", "placeholder", "value", "render"},
}


def form(name: str) -> dict[str, Any]:
    parsed = yaml.safe_load((FOLDER / f"{name}.yml").read_text("utf-8"))
    assert isinstance(parsed, dict)
    return parsed


def test_there_is_a_form_for_each_kind_of_report_and_nothing_else() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == [*FORMS[:1], "config", *FORMS[1:]]


@pytest.mark.parametrize("name", FORMS)
def test_a_form_holds_what_github_requires_and_no_key_it_does_not_know(name: str) -> None:
    parsed = form(name)
    assert {"name", "description", "body"} <= parsed.keys() <= KEYS
    assert len(parsed["name"]) > 3
    assert all(isinstance(label, str) for label in parsed["labels"])
    assert any(element["type"] != "markdown" for element in parsed["body"])


@pytest.mark.parametrize("name", FORMS)
def test_every_field_is_labelled_once_and_has_only_known_keys(name: str) -> None:
    body = form(name)["body"]
    for element in body:
        attributes = element["attributes"]
        assert element.keys() <= OF_ELEMENT
        assert attributes.keys() <= OF_ATTRIBUTES[element["type"]]
        if element["type"] == "markdown":
            assert attributes["value"].strip()
            continue
        assert attributes["label"].strip()
        assert re.fullmatch(r"[A-Za-z0-9_-]+", element["id"])
        assert element.get("validations", {}).keys() <= {"required"}
    fields = [element for element in body if element["type"] != "markdown"]
    assert len({element["id"] for element in fields}) == len(fields)
    assert len({element["attributes"]["label"] for element in fields}) == len(fields)
    assert any(element.get("validations", {}).get("required") is True for element in fields)


def test_a_wrong_answer_is_reported_with_what_the_archives_own_page_says() -> None:
    required = {
        element["id"]
        for element in form("wrong-answer")["body"]
        if element.get("validations", {}).get("required")
    }
    assert required >= {"query", "answer", "page", "address"}


def test_a_security_problem_is_sent_to_a_private_advisory() -> None:
    config = form("config")
    assert config.keys() <= {"blank_issues_enabled", "contact_links"}
    (link,) = config["contact_links"]
    assert link.keys() == {"name", "url", "about"}
    assert link["url"].endswith("/security/advisories/new")
    assert link["url"] in (ROOT / "SECURITY.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md"])
def test_every_file_that_a_page_names_exists(name: str) -> None:
    page = ROOT / name
    text = page.read_text("utf-8")
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    named = re.findall(r"`((?:src|tests|benchmarks|\.ci|\.github|docs)/[\w./-]+)`", text)
    assert linked or named
    for path in linked:
        assert (page.parent / path).exists(), path
    for path in named:
        assert (ROOT / path).exists(), path
