"""`mcp-books index --status`: which books give no text, by title, under the reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mcp_books import cli
from tests.calibre.libraries import Volume, make_library
from tests.calibre.pdf_files import UNLOADABLE, pdf

Captured = pytest.CaptureFixture[str]

DAMAGED = b"%PDF-1.7\nnothing of the kind"
PARTLY = pdf(["A whale on page one.", UNLOADABLE, "A whale on page three."])


def indexed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, *volumes: Volume
) -> Path:
    """Return a library of these books after it was indexed, configured as the only one."""
    library = make_library(folder / "My Library", volumes)
    monkeypatch.setenv("BOOKS_CALIBRE_LIBRARIES", str(library))
    monkeypatch.setenv("BOOKS_INDEX_DIR", str(folder / "index"))
    assert cli.run(["index"]) == 0
    capsys.readouterr()
    return library


def status(capsys: Captured, *options: str) -> str:
    assert cli.run(["index", "--status", *options]) == 0
    return capsys.readouterr().out


def test_titles_stand_under_their_reason_with_what_is_known_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    indexed(
        tmp_path,
        monkeypatch,
        capsys,
        Volume(title="Locked", authors=("Ann", "Bob"), files={"PDF": pdf(["x"], password="y")}),
        Volume(title="Gone", authors=("Cy",), sizes={"EPUB": 5}, path="Some"),
        Volume(title="Half", authors=("Di",), files={"PDF": PARTLY}),
        Volume(title="Pictures", authors=(), files={"CBZ": b"pictures"}),
        Volume(title="Whole", files={"PDF": pdf(["A whale."])}),
        Volume(title="Paper"),
    )
    told = status(capsys)
    assert "Libraries, as --library takes them: My_Library\n" in told
    assert "My_Library: 2 of 2 readable books indexed\n" in told
    assert (
        "  1 read in part: some of their text is damaged\n"
        "    Half, by Di: 1 of 3 pages could not be read\n"
    ) in told
    assert "  1 locked by a password\n    Locked, by Ann & Bob" in told
    assert "  1 damaged\n    Gone, by Cy: the file is not there\n" in told
    assert "  1 in a format that is not read\n    Pictures: no reader of CBZ\n" in told
    assert "Whole" not in told
    assert "Paper" not in told


def test_of_a_long_group_ten_titles_are_listed_and_all_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    volumes = [Volume(title=f"Book {number:02}", files={"PDF": DAMAGED}) for number in range(1, 13)]
    indexed(tmp_path, monkeypatch, capsys, *volumes)
    told = status(capsys)
    assert told.count("    Book ") == 10
    assert "    Book 10" in told
    assert "Book 11" not in told
    assert told.endswith("    and 2 more\n")
    every = status(capsys, "--all", "--library", "my_library")
    assert every.count("    Book ") == 12
    assert " more" not in every


def test_all_titles_are_of_the_status_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    indexed(tmp_path, monkeypatch, capsys)
    assert cli.run(["index", "--all"]) == 2
    assert "--all goes with --status" in capsys.readouterr().err


def test_a_hostile_title_is_one_safe_line_of_a_bearable_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    indexed(
        tmp_path,
        monkeypatch,
        capsys,
        Volume(title="A\x1b[2J\nB\u202e", authors=("C\r\nD",), files={"PDF": DAMAGED}),
        Volume(title="long " * 500, files={"PDF": DAMAGED}),
    )
    lines = status(capsys).splitlines()
    assert all(line.isprintable() for line in lines)
    assert any(line.startswith("    A[2J B, by C D") for line in lines)
    assert all(len(line) < 500 for line in lines[1:])


def test_the_status_needs_no_book_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    library = indexed(
        tmp_path,
        monkeypatch,
        capsys,
        Volume(title="Half", files={"PDF": PARTLY}),
        Volume(title="Broken", files={"PDF": DAMAGED}),
    )
    before = status(capsys)
    for one in library.iterdir():
        if one.is_dir():
            shutil.rmtree(one)
    assert status(capsys) == before
