"""`.ci/tools`, on machines that have what the tests need, can get it, or cannot."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .stand_ins import calls, stand_in

BASH = shutil.which("bash")
TOOLS = Path(__file__).parents[2] / ".ci" / "tools"
PACKAGES = ["virtuoso-opensource-7-bin", "calibre", "python3-venv"]

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or BASH is None, reason="it runs on Linux and macOS"
)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder whose programs are all that there is: a Python without venv, no root."""
    stand_in(tmp_path / "python3", "exit 1")
    stand_in(tmp_path / "id", "echo 1000")
    (tmp_path / "env").symlink_to(shutil.which("env") or "/usr/bin/env")
    return tmp_path


def run(machine: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BASH), str(TOOLS)],
        cwd=machine,
        env={"PATH": str(machine)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def installs(machine: Path) -> list[str]:
    """Return the last word of every call of apt-get: a package, or `update`."""
    return [call.split()[-1] for call in calls(machine) if call.startswith("apt-get")]


def test_where_nothing_is_missing_nothing_is_installed(machine: Path) -> None:
    for name in ("python3", "virtuoso-t", "calibredb", "apt-get", "sudo"):
        stand_in(machine / name)
    done = run(machine)
    assert (done.returncode, done.stdout, done.stderr, installs(machine)) == (0, "", "", [])


UPDATES = """
[ -e updated ] && exit 0
case "$*" in *update) : >updated ;; *) exit 1 ;; esac
"""


def test_root_installs_what_is_missing_and_reads_the_list_of_packages_where_it_is_old(
    machine: Path,
) -> None:
    stand_in(machine / "id", "echo 0")
    stand_in(machine / "calibredb")
    stand_in(machine / "apt-get", UPDATES)
    done = run(machine)
    needed = ["virtuoso-opensource-7-bin", "python3-venv"]
    assert (done.returncode, done.stderr) == (0, "")
    assert installs(machine) == [*needed, "update", *needed]


def test_a_user_installs_through_sudo(machine: Path) -> None:
    stand_in(machine / "apt-get")
    stand_in(machine / "true")
    stand_in(machine / "sudo", 'shift && "$@"')
    assert run(machine).returncode == 0
    assert installs(machine) == PACKAGES


def test_one_package_that_is_refused_keeps_no_other_away_and_is_named(machine: Path) -> None:
    stand_in(machine / "id", "echo 0")
    stand_in(machine / "apt-get", 'case "$*" in *calibre) exit 1 ;; esac')
    done = run(machine)
    assert (done.returncode, set(PACKAGES) <= set(installs(machine))) == (0, True)
    assert "install calibre," in done.stderr


@pytest.mark.parametrize("lacks", ["apt-get", "sudo", "password"])
def test_who_cannot_install_is_told_what_to_install(machine: Path, lacks: str) -> None:
    if lacks != "apt-get":
        stand_in(machine / "apt-get")
    if lacks == "password":
        stand_in(machine / "sudo", "exit 1")
    done = run(machine)
    assert (done.returncode, installs(machine)) == (0, [])
    assert f"install {' '.join(PACKAGES)}," in done.stderr
