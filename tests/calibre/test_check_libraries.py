"""`mcp-books check` with Calibre libraries: an empty or unindexed one is no failure."""

from __future__ import annotations

from pathlib import Path

import pytest

import mcp_books.client
from mcp_books._check import check

from .asked_shelves import WHALE, Made, pages, shelf
from .libraries import Volume

FRENCH = (Volume(title="Contes", authors=("Anne Roy",), files={"EPUB": b"contes"}),)


def checked(monkeypatch: pytest.MonkeyPatch, made: Made) -> int:
    client = mcp_books.client.BooksClient
    monkeypatch.setattr(
        "mcp_books._check.BooksClient", lambda given: client(given, sources=["calibre"])
    )
    return check(made.settings)


def test_a_library_without_the_word_asked_for_is_not_called_out_of_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(monkeypatch, shelf(tmp_path, FRENCH, {1: pages("Un conte.")})) == 0
    shown = capsys.readouterr().out
    assert "out of order" not in shown
    assert "1 of 1 readable books can be searched inside" in shown


def test_without_an_index_the_check_says_so_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(monkeypatch, shelf(tmp_path, WHALE)) == 0
    shown = capsys.readouterr().out
    assert "answered in" in shown
    assert "no book has been indexed yet" in shown
    assert "Run mcp-books index" in shown


def test_a_library_that_is_not_there_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = shelf(tmp_path, WHALE)
    (made.folder / "metadata.db").unlink()
    assert checked(monkeypatch, made) == 1
    assert "did not answer" in capsys.readouterr().out
