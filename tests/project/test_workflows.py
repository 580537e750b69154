"""The workflows, parsed: what starts them, what they may do, and that what they name exists."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NAMES = [path.stem for path in WORKFLOWS]
READ = {"contents": "read"}
OWN_FOLDERS = (
    r"(?:\.ci|\.github|release|tests|tests_live|docs|benchmarks|src)/[\w./-]*\w|tests_live"
)
# Spelt apart: the hosts of package registries, which no file here names.
REGISTRY_HOSTS = re.compile(
    "|".join(("py" + r"pi\.org", "python" + r"hosted\.", r"npm" + r"js\.", r"registry\." + "npm"))
)
ACTION = re.compile(r"[\w.-]+/[\w.-]+@(?:v\d+|release/v\d+)")

Job = Mapping[str, Any]


def workflow(name: str) -> dict[Any, Any]:
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")
    parsed = yaml.safe_load(text)
    assert isinstance(parsed, dict)
    return parsed


def triggers(name: str) -> dict[str, Any]:
    # YAML 1.1 reads the bare word `on` as true.
    found = workflow(name)[True]
    assert isinstance(found, dict)
    return found


def jobs(name: str) -> dict[str, Job]:
    found = workflow(name)["jobs"]
    assert isinstance(found, dict)
    return found


def steps(job: Job) -> Iterator[Mapping[str, Any]]:
    yield from job["steps"]


def scripts(name: str) -> Iterator[str]:
    for job in jobs(name).values():
        yield from (step["run"] for step in steps(job) if "run" in step)


def crons() -> Iterator[str]:
    for name in NAMES:
        yield from (each["cron"] for each in triggers(name).get("schedule", ()))


def test_there_are_a_suite_a_nightly_and_a_release_workflow() -> None:
    assert NAMES == ["ci", "live", "release"]


def test_a_change_a_night_and_a_version_tag_start_them() -> None:
    assert triggers("ci").keys() >= {"push", "pull_request"}
    assert triggers("ci")["push"] == {"branches": ["main"]}
    assert triggers("live").keys() == {"schedule", "workflow_dispatch"}
    assert triggers("release") == {"push": {"tags": ["v*"]}}


def test_the_live_suite_runs_once_a_night_and_no_schedule_is_on_the_hour() -> None:
    (nightly,) = triggers("live")["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* \*", nightly["cron"])
    for cron in crons():
        assert int(cron.split()[0]) % 15 != 0, cron


def test_every_system_runs_every_python_that_is_declared() -> None:
    matrix = jobs("ci")["check"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = re.findall(r"Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    assert matrix["python"] == declared
    assert project["requires-python"] == f">={declared[0]}"
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert "exclude" not in matrix


def test_the_lowest_and_the_newest_dependencies_are_tried() -> None:
    rows = jobs("ci")["resolutions"]["strategy"]["matrix"]["include"]
    assert {row["resolution"] for row in rows} == {"lowest-direct", "highest"}


@pytest.mark.parametrize("word", ["ruff format --check", "ruff check", "mypy", "lint-imports"])
def test_each_gate_runs_on_every_system(word: str) -> None:
    linux = (ROOT / ".ci" / "run").read_text("utf-8")
    elsewhere = "\n".join(
        step["run"]
        for step in steps(jobs("ci")["check"])
        if step.get("if") == "runner.os != 'Linux'"
    )
    assert word in linux
    assert word in elsewhere


@pytest.mark.parametrize("system", ["'Linux'", "elsewhere"])
def test_the_wheel_is_driven_and_the_tests_run_on_every_system(system: str) -> None:
    if system == "elsewhere":
        conditional = [step for step in steps(jobs("ci")["check"]) if "if" in step]
        text = "\n".join(step["run"] for step in conditional if "!=" in step["if"])
    else:
        text = (ROOT / ".ci" / "run").read_text("utf-8")
    assert ".ci/drive.py" in text
    assert "pytest" in text


def test_permissions_are_the_least_that_each_job_needs() -> None:
    granted = {
        f"{name}.{job}": permitted.get("permissions", workflow(name)["permissions"])
        for name in NAMES
        for job, permitted in jobs(name).items()
    }
    assert granted == {
        "ci.check": READ,
        "ci.resolutions": READ,
        "live.ask": READ | {"issues": "write"},
        "release.check": READ,
        "release.build": READ,
        "release.drive": READ,
        "release.publish": {"id-token": "write"},
        "release.attach": {"contents": "write"},
        "release.register": READ | {"id-token": "write"},
    }
    assert workflow("release")["permissions"] == workflow("live")["permissions"] == {}


def test_a_job_that_may_publish_runs_nothing_of_the_repository() -> None:
    for job in ("publish", "attach"):
        assert all("checkout" not in step.get("uses", "") for step in steps(jobs("release")[job]))
    assert all("pip install" not in script for script in scripts_of("register"))


def scripts_of(job: str) -> list[str]:
    return [step["run"] for step in steps(jobs("release")[job]) if "run" in step]


@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_pinned_by_its_major_tag(name: str) -> None:
    used = [step["uses"] for job in jobs(name).values() for step in steps(job) if "uses" in step]
    assert used
    for action in used:
        assert ACTION.fullmatch(action), action


@pytest.mark.parametrize("name", NAMES)
def test_a_checkout_leaves_no_token_behind(name: str) -> None:
    for job in jobs(name).values():
        for step in steps(job):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("name", NAMES)
def test_what_somebody_else_wrote_never_becomes_part_of_a_script(name: str) -> None:
    for script in scripts(name):
        assert "${{" not in script, script


@pytest.mark.parametrize("name", NAMES)
def test_every_job_has_an_end_and_waits_for_jobs_that_exist(name: str) -> None:
    graph = {
        job: {needs} if isinstance(needs := each.get("needs", []), str) else set(needs)
        for job, each in jobs(name).items()
    }
    assert set().union(*graph.values()) <= graph.keys()
    assert len(list(TopologicalSorter(graph).static_order())) == len(graph)
    assert all(0 < each["timeout-minutes"] <= 60 for each in jobs(name).values())
    assert "concurrency" in workflow(name)


def test_nothing_is_published_before_the_wheel_was_driven() -> None:
    chain = {job: each.get("needs") for job, each in jobs("release").items()}
    assert chain == {
        "check": None,
        "build": "check",
        "drive": "build",
        "publish": "drive",
        "attach": "publish",
        "register": "publish",
    }
    assert any(".ci/drive.py" in script for script in scripts_of("drive"))
    assert jobs("release")["publish"]["environment"]


def test_what_is_uploaded_is_what_is_downloaded() -> None:
    moved: dict[str, set[str]] = {"upload": set(), "download": set()}
    for job in jobs("release").values():
        for step in steps(job):
            for way, names in moved.items():
                if f"actions/{way}-artifact@" in step.get("uses", "") and "name" in step["with"]:
                    names.add(step["with"]["name"])
    assert moved["upload"] == {"dist", "bundle"}
    assert moved["download"] <= moved["upload"]


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_a_step_names_exists(name: str) -> None:
    named = {path for script in scripts(name) for path in re.findall(OWN_FOLDERS, script)}
    assert named
    for path in sorted(named):
        assert (ROOT / path).exists(), path


@pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None,
    reason="on Windows, bash may be that of a subsystem which is not installed",
)
@pytest.mark.parametrize("name", NAMES)
def test_every_script_parses(name: str) -> None:
    for script in scripts(name):
        parsed = subprocess.run(
            ["bash", "-n"], input=script, capture_output=True, encoding="utf-8", check=False
        )
        assert parsed.returncode == 0, parsed.stderr


def test_no_file_of_the_project_names_a_package_registry() -> None:
    files = [path for path in (ROOT / ".github").rglob("*") if path.is_file()]
    files += [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*")]
    for path in files:
        if path.suffix in (".yml", ".md", ".py"):
            assert not REGISTRY_HOSTS.search(path.read_text("utf-8")), path


def test_a_tag_that_is_not_the_version_stops_the_release() -> None:
    (command,) = (
        line
        for script in scripts_of("check")
        for line in script.splitlines()
        if "GITHUB_REF_NAME" in line
    )
    words = command.split()
    assert words[0] == "python"
    assert words[-1] == '"$GITHUB_REF_NAME"'
    refused = subprocess.run(
        [sys.executable, *words[1:-1], "v999.0.0"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert refused.returncode == 1, refused.stderr
    assert "999.0.0" in refused.stdout + refused.stderr
