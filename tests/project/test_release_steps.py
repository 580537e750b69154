"""The steps of a release that publish, run with programs that stand in for the real ones: a release
that failed half-way can be run again."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from .stand_ins import calls, stand_in
from .test_workflows import jobs, steps

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="the steps run on Linux"
)

SHA = "a" * 40
DUPLICATE = "400: invalid version: cannot publish duplicate version"

Run = Callable[[str, str], subprocess.CompletedProcess[str]]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Return the folder of the stand-ins, beside the folder that the steps run in."""
    (tmp_path / "here" / "files").mkdir(parents=True)
    (tmp_path / "here" / "files" / "a.whl").touch()
    folder = tmp_path / "programs"
    folder.mkdir()
    stand_in(folder / "sleep")
    return folder


def run(
    programs: Path, job: str, step: str, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does: by bash, which stops at the first command that fails."""
    (script,) = (one["run"] for one in steps(jobs("release")[job]) if one.get("name") == step)
    path = os.pathsep.join((str(programs), os.environ["PATH"]))
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=programs.parent / "here",
        env={"PATH": path, "GITHUB_REF_NAME": "v1.2.3", "GITHUB_SHA": SHA, **(environ or {})},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def publisher(programs: Path, script: str) -> None:
    stand_in(programs.parent / "here" / "mcp-publisher", script)


def published(programs: Path) -> subprocess.CompletedProcess[str]:
    return run(programs, "register", "Publish the server's entry")


def times(programs: Path, what: str) -> int:
    return sum(call.startswith(what) for call in calls(programs.parent / "here"))


def attached(programs: Path, *, exists: bool, tag_is_of: str = SHA) -> tuple[int, list[str]]:
    """Return how the release was attached to, and the calls of `gh` that change anything."""
    stand_in(
        programs / "gh",
        f'case "$*" in api*) echo {tag_is_of} ;; *view*) exit {0 if exists else 1} ;; esac',
    )
    code = run(programs, "attach", "Create the release").returncode
    made = [call.removeprefix("gh release ") for call in calls(programs.parent / "here")]
    return code, [call for call in made if call.split()[0] in ("create", "upload", "edit")]


def test_a_release_is_made_with_its_files(programs: Path) -> None:
    assert attached(programs, exists=False) == (
        0,
        ["create v1.2.3 --verify-tag --generate-notes files/a.whl"],
    )


def test_a_release_that_exists_is_filled_again_and_is_no_draft_then(programs: Path) -> None:
    assert attached(programs, exists=True) == (
        0,
        ["upload v1.2.3 --clobber files/a.whl", "edit v1.2.3 --verify-tag --draft=false"],
    )


@pytest.mark.parametrize("exists", [True, False])
def test_a_release_whose_tag_has_moved_is_left_alone(programs: Path, *, exists: bool) -> None:
    assert attached(programs, exists=exists, tag_is_of="b" * 40) == (1, [])


def test_a_tag_that_cannot_be_asked_for_leaves_the_release_alone(programs: Path) -> None:
    stand_in(programs / "gh", "exit 1")
    assert run(programs, "attach", "Create the release").returncode != 0
    assert len(calls(programs.parent / "here")) == 1


def test_an_entry_is_published_after_a_login(programs: Path) -> None:
    publisher(programs, "echo well")
    done = published(programs)
    assert (done.returncode, "well" in done.stdout) == (0, True)
    assert calls(programs.parent / "here") == [
        "mcp-publisher login github-oidc",
        "mcp-publisher publish",
    ]


def test_a_login_or_a_publication_that_failed_is_tried_again(programs: Path) -> None:
    # The first login and the first publication.
    publisher(programs, 'case "$(grep -c publisher calls)" in 1 | 3) exit 1 ;; esac')
    assert published(programs).returncode == 0
    assert times(programs, "mcp-publisher login") == 3
    assert times(programs, "mcp-publisher publish") == 2


def test_a_version_that_the_registry_holds_already_is_published(programs: Path) -> None:
    publisher(programs, f'[ "$1" = login ] || {{ echo "{DUPLICATE}" >&2; exit 1; }}')
    done = published(programs)
    assert (done.returncode, DUPLICATE in done.stdout) == (0, True)
    assert times(programs, "mcp-publisher publish") == 1


def test_an_entry_that_is_refused_to_the_end_fails_with_what_was_said(programs: Path) -> None:
    publisher(programs, "echo no marker >&2; exit 1")
    done = published(programs)
    assert (done.returncode, "no marker" in done.stdout) == (1, True)
    assert times(programs, "mcp-publisher login") == 5


@pytest.mark.parametrize("is_right", [True, False])
def test_the_publisher_runs_only_where_its_digest_is_the_one_set(
    programs: Path, is_right: bool
) -> None:
    program = programs.parent / "mcp-publisher"
    program.touch()
    packed = programs.parent / "mcp-publisher_linux_amd64.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(program, program.name)
    stand_in(programs / "gh", f'cp "{packed}" .')
    digest = hashlib.sha256(packed.read_bytes() if is_right else b"another").hexdigest()
    done = run(
        programs, "register", "Install mcp-publisher", {"VERSION": "v9.9.9", "SHA256": digest}
    )
    assert (done.returncode == 0) is is_right
    assert (programs.parent / "here" / "mcp-publisher").exists() is is_right
    assert calls(programs.parent / "here")[0].startswith("gh release download v9.9.9 ")


@pytest.mark.parametrize(
    "given", [{}, {"VERSION": "v1"}, {"SHA256": "0" * 64}, {"VERSION": "v1", "SHA256": "latest"}]
)
def test_a_publisher_that_is_not_set_stops_the_release_before_anything_is_published(
    programs: Path, given: Mapping[str, str]
) -> None:
    name = "What the last job needs is known before the first publishes"
    refused = run(programs, "check", name, {"VERSION": "", "SHA256": "", **given})
    assert refused.returncode == 1
    assert "MCP_PUBLISHER_SHA256" in refused.stderr
    both = {"VERSION": "v1", "SHA256": "0" * 64}
    assert run(programs, "check", name, both).returncode == 0


def test_a_package_that_is_published_already_is_left_alone() -> None:
    (step,) = (one for one in steps(jobs("release")["publish"]) if "publish" in one["uses"])
    assert step["with"]["skip-existing"] is True
