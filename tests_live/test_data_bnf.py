"""data.bnf.fr: what every answer of the product rests on."""

from __future__ import annotations

import pytest

from mcp_books.errors import InvalidInput, RecordNotFound
from mcp_books.models import BriefRecord
from mcp_books.sources.data_bnf import ark
from mcp_books.sources.data_bnf.adapter import DataBnf

from .asking import Archive
from .reading import simple
from .sparql import PROBE, require_index, window

pytestmark = [pytest.mark.anyio, pytest.mark.archive("bnf")]

NOBODYS = "cb00000000"
"""The start of an ARK name below every number the catalogue gave."""


async def test_the_text_index_is_not_lost(archive: Archive) -> None:
    assert (await window(archive, PROBE)).matches > 0


async def test_works_are_found_by_the_words_of_their_titles(archive: Archive) -> None:
    titles = [simple(row.title or "") for row in await _works(archive)]
    assert any("moby dick" in title for title in titles)
    assert all(titles)


async def test_identifiers_end_in_the_check_character_of_their_name(archive: Archive) -> None:
    names = [row.identifier for row in await _works(archive)]
    lasting = [name for name in names if not ark.is_provisional(name)]
    assert lasting
    assert all(name[-1] == ark.check_character(name[:-1]) for name in lasting)


async def test_a_mistyped_identifier_is_refused_without_a_request(archive: Archive) -> None:
    before = archive.answers
    wrong = NOBODYS + ("0" if ark.check_character(NOBODYS) != "0" else "1")
    with pytest.raises(InvalidInput) as refusal:
        archive.source.claim(wrong)
    assert not refusal.value.sent
    assert archive.answers == before


async def test_an_unknown_record_is_not_found(archive: Archive) -> None:
    with pytest.raises(RecordNotFound):
        await archive.record(f"bnf:{NOBODYS}{ark.check_character(NOBODYS)}")


async def test_a_page_of_works_follows_the_one_before(archive: Archive) -> None:
    await require_index(archive)
    first, report = await archive.items("moby dick", limit=1)
    second, _ = await archive.items("moby dick", limit=1, page=2)
    both = [row.identifier for row in (*first.items, *second.items)]
    assert len(set(both)) == len(both)
    assert both == sorted(both)
    assert report.more_on_this_archive is not False or not second.items


async def test_a_work_is_read_with_its_credit_and_its_licence(archive: Archive) -> None:
    row = (await _works(archive))[0]
    record = await archive.record(row.id)
    assert record.identifier == row.identifier
    assert record.title
    assert record.attribution.startswith("Source: ") or archive.is_stand_in
    assert record.rights.statement is not None
    assert "Licence Ouverte" in record.rights.statement


async def test_years_and_order_are_declared_as_not_sent(archive: Archive) -> None:
    await require_index(archive)
    _, report = await archive.items("mer", year_from=1850, sort="newest", limit=1)
    assert {dropped.filter for dropped in report.filters_dropped} == set(
        DataBnf.profile.cannot_filter
    )


async def _works(archive: Archive) -> tuple[BriefRecord, ...]:
    await require_index(archive)
    answer, report = await archive.items("moby dick", limit=25)
    assert answer.items, f"no work was found: {report.queries}"
    return answer.items
