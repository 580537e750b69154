"""Never run: type-checked, so that the annotations of the public surface are tested as API."""

from __future__ import annotations

from typing import assert_type

from mcp_books import (
    BooksClient,
    BriefRecord,
    Hit,
    InsideAnswer,
    InsideRequest,
    ItemsAnswer,
    Record,
    RecordAnswer,
    Settings,
)


async def every_question_has_its_answer() -> None:
    async with BooksClient(Settings(answer_timeout=20), sources=["archive"]) as books:
        inside = await books.search_inside('"call me ishmael"', limit=3)
        assert_type(inside, InsideAnswer)
        assert_type(inside.hits, tuple[Hit, ...])
        items = await books.search_items("moby dick", year_from=1850, sort="newest")
        assert_type(items, ItemsAnswer)
        assert_type(items.items, tuple[BriefRecord, ...])
        read = await books.get_item("archive:x", sections=("copies", "subjects"))
        assert_type(read, RecordAnswer)
        assert_type(read.item, Record)
        assert_type(await books.ask(InsideRequest(query="whale")), InsideAnswer)


def a_report_is_told_apart_by_its_status(answer: InsideAnswer) -> list[str]:
    told: list[str] = []
    for report in answer.per_source:
        if report.status == "answered":
            told.append(f"{report.count} of {report.reported_total}")
        elif report.status == "failed":
            told.append(report.error.code)
        else:
            told.append(report.absent_because)
    return told
