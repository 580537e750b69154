"""The Harbour Archive (invented): a catalogue of ships' logbooks behind a small JSON API."""

import re
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from mcp_books.errors import ParseFailure
from mcp_books.models import BriefRecord
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    Claim,
    HitCount,
    Profile,
    RemoteSource,
    ResultPage,
)
from mcp_books.transport import Reply


class Listing(BaseModel):
    found: int
    logbooks: list[Any]


class Logbook(BaseModel):
    id: str = Field(pattern=r"^log-[0-9]{4}$")
    ship: str
    master: str | None = None
    year: int | None = None


class HarbourArchive(RemoteSource, CatalogueSource):
    default_base_url = "https://harbour.example"
    hosts = ("harbour.example",)
    profile = Profile(
        id="harbour",
        name="Harbour Archive",
        home_url="https://harbour.example",
        examples=("log-0001", "https://harbour.example/logbooks/log-0002"),
        attribution="Harbour Archive",
        credit_note=None,
        searches_on=("ship", "master"),
        row_describes="one logbook",
        corpus=None,
        year_means="year of the first entry",
        cannot={"search_inside": "holds no text", "get_item": "has only a list"},
        cannot_filter={"year_range": "its list has no such filter", "sort": "it has one order"},
        pace_seconds=2.0,
        pace_reason="asks for at most thirty requests a minute",
    )

    def claim(self, text: str) -> Claim | None:
        for base in (self.default_base_url, self.base_url):
            text = text.removeprefix(f"{base}/logbooks/")
        return Claim(text, exact=True) if re.fullmatch("log-[0-9]{4}", text) else None

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        sent = [("q", query.text), ("limit", str(query.limit)), ("page", str(query.page))]
        fetched = await self.channel.get("/api/logbooks", sent, listing)
        rows = [row for each in fetched.value.logbooks if (row := self.row(each, query.text))]
        return ResultPage(
            rows=tuple(rows),
            total=HitCount(fetched.value.found, "logbooks"),
            more=query.page * query.limit < fetched.value.found,
            unreadable=len(fetched.value.logbooks) - len(rows),
            retrieved=fetched.retrieved,
            cached=fetched.cached,
        )

    def row(self, entry: object, query: str) -> BriefRecord | None:
        try:
            book = Logbook.model_validate(entry)
        except ValidationError:
            return None
        return BriefRecord(
            id=self.record_id(book.id),
            source=self.id,
            source_name=self.profile.name,
            identifier=book.id,
            title=f"Logbook of the {book.ship}",
            creator=book.master,
            year=book.year,
            date=None,
            media_type=None,
            source_url=self.address(f"/logbooks/{book.id}"),
            found_by_query=query,
        )


def listing(reply: Reply) -> Listing:
    reply.require_ok()
    try:
        return Listing.model_validate(reply.json())
    except ValidationError as problem:
        raise ParseFailure("The Harbour Archive sent no list of logbooks") from problem
