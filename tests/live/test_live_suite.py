"""The live suite's own logic, without a network: archives that answer, fall silent, and change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcp_books.demo.faults import dropped, failing, pushing_back, rewriting, without_keys
from mcp_books.demo.server import Server
from mcp_books.demo.standin import Request, StandIn
from tests.live.played import Ignoring, Library, TextArchive, Works

ROOT = Path(__file__).parents[2]
ARCHIVES = ("archive", "loc", "bnf")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the live suite: its exit status, what it printed, its report."""

    status: int
    out: str
    report: Mapping[str, Any]

    def tests(self, outcome: str) -> set[str]:
        """Return the names of the tests with that outcome, without their folder."""
        return {
            test["test"].removeprefix("tests_live/")
            for test in self.report["tests"]
            if test["outcome"] == outcome
        }

    @property
    def failing(self) -> set[str]:
        return {name.removeprefix("tests_live/") for name in self.report["failing"]}


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Server], Run]:
    """Run the live suite against a server's stand-ins."""

    def run_against(server: Server) -> Run:
        place = tmp_path / "reports" / "live.json"
        asked = {f"BOOKS_{name.upper()}_URL": server.address(name) for name in ARCHIVES}
        done = _pytest({"BOOKS_LIVE": "1", "BOOKS_LIVE_REPORT": str(place), **asked})
        return Run(done.returncode, done.stdout, json.loads(place.read_text("utf-8")))

    return run_against


def test_every_claim_and_question_is_answered_by_archives_that_work(
    run: Callable[[Server], Run],
) -> None:
    with Server(_working()) as server:
        seen = run(server)
    assert seen.status == 0, seen.out
    assert seen.tests("failed") == seen.tests("skipped") == set()
    report = seen.report
    assert (report["layout"], report["outcome"]) == (1, "green")
    assert report["failing"] == report["changed"] == report["silent"] == []
    assert {name: one["state"] for name, one in report["archives"].items()} == dict.fromkeys(
        ARCHIVES, "answered"
    )
    assert len(report["questions"]) > 40
    for question in report["questions"]:
        assert question["status"] == "answered"
        assert question["seen"], question["id"]
        assert question["date"]
    _holds_what_was_played({one["id"]: one["seen"] for one in report["questions"]})


def _holds_what_was_played(seen: Mapping[str, Any]) -> None:
    offsets = seen["archive-text-offsets"]
    assert offsets["last_offset"] == offsets["characters"] < offsets["bytes"]
    assert seen["archive-inside-leaves"]["pages_that_are_no_shown_leaf"] == []
    assert seen["archive-inside-wrong-document"]["error"] == "No hOCR or Abbyy file present"
    assert seen["archive-page-numbers-file"]["page"] == ["leafNum", "pageNumber"]
    assert seen["loc-page-text"]["holds"] == ["full_text"]
    assert seen["loc-book-text"]["starts_with"] == "["
    assert seen["loc-robots"]["disallowed"] == ["Disallow: /search"]


def test_a_silent_archive_skips_its_tests_and_fails_the_closing_one(
    run: Callable[[Server], Run],
) -> None:
    with Server(_working()) as server:
        server.faults.inject("loc", dropped())
        seen = run(server)
        requests = len(server.received("loc"))
    assert seen.status == 1
    assert seen.failing == {"test_closing.py::test_the_archive_answered_something[loc]"}
    assert "Library of Congress answered nothing: network_error" in seen.out
    assert (seen.report["outcome"], seen.report["changed"]) == ("outage", [])
    assert seen.report["silent"] == ["loc"]
    loc = seen.report["archives"]["loc"]
    assert (loc["state"], loc["passed"], loc["failed"]) == ("silent", 0, 1)
    assert "network_error" in loc["skipped_because"][0]
    assert {seen.report["archives"][name]["state"] for name in ("archive", "bnf")} == {"answered"}
    assert requests <= 6, "an archive that does not answer is left alone"
    asked = {one["archive"]: one["status"] for one in seen.report["questions"]}
    assert asked == {"archive": "answered", "loc": "unanswered", "bnf": "answered"}


def test_a_run_in_which_everything_skips_is_not_green(run: Callable[[Server], Run]) -> None:
    with Server(_working()) as server:
        server.faults.inject("archive", failing(500))
        server.faults.inject("loc", pushing_back(429))
        server.faults.inject("bnf", pushing_back(503))
        seen = run(server)
        asked_of_loc = len(server.received("loc"))
    assert seen.status == 1
    assert seen.report["outcome"] == "outage"
    assert seen.report["silent"] == list(ARCHIVES)
    assert len(seen.failing) == len(ARCHIVES)
    assert asked_of_loc == 1, "an archive that asks for fewer requests gets no more"


def test_a_changed_wire_fails_the_tests_of_that_claim_and_no_others(
    run: Callable[[Server], Run],
) -> None:
    with Server(_working()) as server:
        server.faults.inject("archive", rewriting(_with_page_num_7), when=_asks_two_phrases)
        server.faults.inject("archive", rewriting(_with_a_page_number), when=_is_full_text)
        server.faults.inject("archive", rewriting(_unknown_item), when=_is_unknown_item)
        server.faults.inject("loc", rewriting(_with_one_row), when=_asks_either)
        server.faults.inject("loc", rewriting(_without_of), when=_is_list)
        server.faults.inject("bnf", rewriting(_nothing_matched), when=_is_text_search)
        seen = run(server)
    assert seen.status == 1
    assert seen.failing == {
        "test_internet_archive.py::test_page_num_is_one_number_a_document_wherever_the_words_stand",
        "test_internet_archive.py::test_the_full_text_index_names_no_page_of_a_match",
        "test_internet_archive.py::test_an_unknown_item_is_not_found",
        "test_library_of_congress.py::test_of_counts_the_results_and_total_the_pages_of_results",
        "test_library_of_congress_questions.py::test_or_in_capitals",
        "test_data_bnf.py::test_the_text_index_is_not_lost",
    }
    assert (seen.report["outcome"], seen.report["silent"]) == ("changed", [])
    assert seen.report["changed"] == seen.report["failing"]
    status = {one["id"]: one["status"] for one in seen.report["questions"]}
    assert [name for name in status if status[name] == "contradicted"] == ["loc-or"]


def test_what_an_archive_no_longer_honours_fails_its_own_tests(
    run: Callable[[Server], Run],
) -> None:
    playing: list[StandIn] = [
        Ignoring(TextArchive(closed="/metadata/"), "filter_map", "sort", "hits_per_page"),
        Ignoring(Library(), "dates", "sb"),
        Works(),
    ]
    with Server(playing) as server:
        server.faults.inject("archive", without_keys("highlight"), when=_is_full_text)
        server.faults.inject("loc", rewriting(_with_another_page_number), when=_is_list)
        server.faults.inject("bnf", rewriting(_with_a_wrong_check_character), when=_is_text_search)
        seen = run(server)
    assert seen.status == 1
    assert seen.failing == {
        "test_robots.py::test_robots[archive]",
        "test_internet_archive.py::test_the_full_text_search_sends_passages_that_carry_the_words",
        "test_internet_archive_questions.py::test_fragments_of_a_hit",
        "test_internet_archive.py::test_as_many_rows_come_as_hits_per_page_asks_for",
        "test_internet_archive.py::test_filter_map_narrows_by_kind_and_by_years",
        "test_internet_archive.py::test_filter_map_takes_two_bounds_on_one_year",
        "test_internet_archive.py::test_rows_are_sorted_by_title",
        "test_internet_archive.py::test_sort_is_a_field_and_a_direction[newest-date:desc]",
        "test_internet_archive.py::test_sort_is_a_field_and_a_direction[oldest-date:asc]",
        "test_library_of_congress.py::test_a_hit_is_a_newspaper_page_with_its_real_number",
        "test_library_of_congress.py::test_a_row_states_its_page_number_apart_from_its_address",
        "test_library_of_congress.py::test_a_span_of_years_is_kept_to",
        "test_library_of_congress.py::test_rows_are_sorted_by_filed_date",
        "test_data_bnf.py::test_identifiers_end_in_the_check_character_of_their_name",
        # A record under a wrong name cannot be read either.
        "test_data_bnf.py::test_a_work_is_read_with_its_credit_and_its_licence",
        "test_data_bnf_questions.py::test_statements_of_a_work",
    }


def test_the_live_suite_asks_nothing_unless_it_is_switched_on(tmp_path: Path) -> None:
    place = tmp_path / "live.json"
    with Server(_working()) as server:
        asked = {f"BOOKS_{name.upper()}_URL": server.address(name) for name in ARCHIVES}
        done = _pytest({"BOOKS_LIVE_REPORT": str(place), **asked}, "-rs")
        assert not server.received()
    assert done.returncode == 0, done.stdout
    assert "set BOOKS_LIVE=1" in done.stdout
    assert " passed" not in done.stdout
    assert not place.exists()


def _working() -> tuple[StandIn, ...]:
    return TextArchive(), Library(), Works()


def _pytest(environment: Mapping[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "tests_live", "-q", "-p", "no:cacheprovider", *options],
        cwd=ROOT,
        # Options for the run that this test is part of are not for the suite.
        env={**os.environ, "PYTEST_ADDOPTS": "", "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def _is_full_text(request: Request) -> bool:
    return request.query.get("service_backend") == "fts"


def _asks_two_phrases(request: Request) -> bool:
    return request.query.get("user_query", "").count('"') == 4


def _asks_either(request: Request) -> bool:
    return " OR " in request.query.get("q", "")


def _is_unknown_item(request: Request) -> bool:
    return request.path.startswith("/metadata/no-such-item")


def _is_list(request: Request) -> bool:
    return "results" in request.query.get("at", "")


def _is_text_search(request: Request) -> bool:
    query = request.form.get("query", "")
    return "(COUNT(DISTINCT ?match) AS ?matches)" in query and "½" not in query


def _hits(document: Any) -> Iterable[dict[str, Any]]:
    hits = (document.get("response", {}).get("body", {}).get("hits") or {}).get("hits", ())
    return [hit["fields"] for hit in hits]


def _with_a_page_number(document: Any) -> object:
    for fields in _hits(document):
        fields["page_number"] = 12
    return document


def _with_page_num_7(document: Any) -> object:
    for fields in _hits(document):
        fields["page_num"] = 7
    return document


def _with_one_row(document: Any) -> object:
    return {**document, "results": [{"title": "A page that one side found"}]}


def _unknown_item(document: Any) -> object:
    return {"found": False, **document}


def _without_of(document: Any) -> object:
    if document.get("results"):
        del document["pagination"]["of"]
    return document


def _with_another_page_number(document: Any) -> object:
    for row in document.get("results") or ():
        if "number_page" in row:
            row["number_page"] = ["0000000099"]
    return document


def _nothing_matched(document: Any) -> object:
    none = {"type": "typed-literal", "value": "0"}
    document["results"]["bindings"] = [{"matches": none, "works": none}]
    return document


def _with_a_wrong_check_character(document: Any) -> object:
    for row in document["results"]["bindings"]:
        if "work" in row and "/ark:" in row["work"]["value"]:
            name, _, about = row["work"]["value"].partition("#")
            row["work"]["value"] = f"{name[:-1]}{'0' if name[-1] != '0' else '1'}#{about}"
    return document
