"""The scripts of a release, given what they cannot use."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from release import bundle, reproducible
from tests.package.reading import ROOT


def refusal(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.splitlines()[-1]


def not_there(path: Path) -> None:
    assert not path.exists()


def no_zip(path: Path) -> None:
    path.write_text("no zip file", "utf-8")


def without_manifest(path: Path) -> None:
    zipfile.ZipFile(path, "w").close()


def of_another_shape(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", "{")


@pytest.mark.parametrize("made", [not_there, no_zip, without_manifest, of_another_shape])
@pytest.mark.parametrize("command", ["validate", "start"])
def test_what_is_no_bundle_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, made: Callable[[Path], None]
) -> None:
    path = tmp_path / "b.mcpb"
    made(path)
    options = ["--wheels", str(tmp_path)] if command == "start" else []
    with pytest.raises(SystemExit) as ended:
        bundle.main([command, str(path), *options])
    assert ended.value.code == 2
    assert "b.mcpb is no bundle: " in refusal(capsys)


def test_distributions_go_into_an_empty_directory_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "held").touch()
    for place in (tmp_path, tmp_path / "held"):
        with pytest.raises(SystemExit) as ended:
            reproducible.main([str(place)])
        assert ended.value.code == 2
        assert "is not an empty directory" in refusal(capsys)


@pytest.mark.skipif(sys.platform == "win32", reason="bash may be that of a subsystem")
@pytest.mark.parametrize("arguments", [[], ["newest"]])
def test_another_resolution_is_refused_with_those_there_are(arguments: list[str]) -> None:
    done = subprocess.run(
        ["bash", str(ROOT / "release" / "resolutions.sh"), *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, "lowest-direct|highest" in done.stderr) == (2, True)
