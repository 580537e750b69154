"""`mcp-books check`: every archive is asked one thing, and each outcome is one entry."""

from __future__ import annotations

import pytest

import mcp_books.client
from mcp_books._check import check
from mcp_books.errors import NetworkFailure
from mcp_books.models import BriefRecord
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, ResultPage, Source
from tests.fakes import FakeArchive, FakeCatalogue, listing, row


async def refuse(query: CatalogueQuery) -> ResultPage[BriefRecord]:
    raise NetworkFailure("no connection", hint="Look at the network.")


def checked(monkeypatch: pytest.MonkeyPatch, *sources: Source, **settings: float) -> int:
    client = mcp_books.client.BooksClient
    monkeypatch.setattr(
        "mcp_books._check.BooksClient", lambda given: client(given, sources=sources)
    )
    return check(Settings.model_validate(settings))


def test_each_archive_says_how_it_did(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = FakeArchive("alpha", pace_seconds=2.0, pace_reason="its rules say so")
    bad = FakeCatalogue("gamma", items=refuse)
    assert checked(monkeypatch, good, bad, min_interval=1.0) == 0
    shown = capsys.readouterr()
    alpha, gamma = shown.out.split("gamma:")
    assert "answered in 0.0 s" in alpha
    assert "every 2 s at most: its rules say so" in alpha
    assert "[network_error]" in gamma
    assert "Look at the network." in gamma
    assert "every 1 s" in gamma
    assert shown.err == ""


def test_each_archive_is_asked_once_for_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    archives = FakeArchive("alpha"), FakeCatalogue("gamma")
    checked(monkeypatch, *archives)
    for archive in archives:
        (query,) = archive.asked
        assert isinstance(query, CatalogueQuery)
        assert query.limit == 1


def test_an_archive_without_a_catalogue_is_searched_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    archive = FakeArchive("alpha", cannot={"search_items": "it has no catalogue"})
    assert checked(monkeypatch, archive) == 0
    (query,) = archive.asked
    assert not isinstance(query, CatalogueQuery)


def test_no_archive_answering_ends_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked(monkeypatch, FakeCatalogue("gamma", items=refuse)) == 1


def test_waiting_for_ones_turn_is_not_counted_as_the_archives_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(monkeypatch, FakeArchive("alpha", next_slot=4.0)) == 0
    assert "after 4.0 s for its turn" in capsys.readouterr().out


def test_finding_nothing_under_a_word_it_surely_holds_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = FakeArchive("alpha", items=listing(row()), probe="mer")
    assert checked(monkeypatch, full, FakeCatalogue("gamma")) == 0
    alpha, gamma = capsys.readouterr().out.split("gamma:")
    assert "found nothing" not in alpha
    assert "found nothing for 'whale'" in gamma
    assert [query.text for query in full.asked] == ["mer"]
