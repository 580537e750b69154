"""data.bnf.fr: works, people and editions of the Bibliothèque nationale de France, as linked data.

A catalogue behind a SPARQL endpoint (Virtuoso): it holds no text, only descriptions. Works can be
searched by the words of their titles; people, organisations and editions can be read by their ARK.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from mcp_books._phrases import Kind
from mcp_books.errors import InvalidInput, RecordNotFound
from mcp_books.models import BriefRecord, Record, Rights
from mcp_books.sources._sparql import ACCEPT, Expression, expression, form, read_answer
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    Claim,
    Profile,
    RecordSource,
    Remark,
    RemoteSource,
    ResultPage,
)

from . import ark, queries, record, works
from .statements import Statements

if TYPE_CHECKING:
    from mcp_books._http import Fetched

__all__ = ["DataBnf"]

_ENDPOINT = "/sparql"
"""Without a trailing slash: with one, it is a query editor for people."""


class DataBnf(RemoteSource, CatalogueSource, RecordSource):
    """data.bnf.fr over SPARQL; Gallica, which holds the digitised copies, is never asked."""

    default_base_url = "https://data.bnf.fr"
    hosts = ("data.bnf.fr",)
    max_in_flight = 1

    profile = Profile(
        id="bnf",
        name="data.bnf.fr",
        home_url="https://data.bnf.fr",
        examples=(
            "cb119187467",
            "ark:/12148/cb119187467",
            "https://data.bnf.fr/ark:/12148/cb119187467",
            "https://data.bnf.fr/fr/11918746/michel_pastoureau/",
            "https://catalogue.bnf.fr/ark:/12148/cb119187467",
            "temp-work/88fc65a92298ca7d0f75b859c0dfdd3e",
        ),
        attribution=(
            "Source: Bibliothèque nationale de France, data.bnf.fr, retrieved {retrieved}"
        ),
        credit_note="The licence asks for the source and the date of retrieval.",
        searches_on=("titles of works",),
        searches_on_caveat="whole words, accents count; no authors, no subjects",
        row_describes="a work, not one edition of it",
        corpus=None,
        year_means="date of the work, where it is a plain year",
        description_means="note of the authority record",
        media_types=("work",),
        default_media_type="work",
        cannot={"search_inside": "a catalogue: it holds no text"},
        cannot_filter={
            "year_range": "works are dated in free text, and often not at all",
            "sort": "works come in the order of their identifiers",
        },
        pace_seconds=3.0,
        probe="mer",
        pace_reason="states no rate; its digitisation site publishes a crawl delay of 5 s",
    )

    def claim(self, text: str) -> Claim | None:
        return ark.read(text, self.base_url)

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        offset = (query.page - 1) * query.limit
        if offset >= queries.WINDOW:
            raise InvalidInput(
                f"{self.profile.name} lists its first {queries.WINDOW} matches at most",
                hint=f"Ask for page {(queries.WINDOW - 1) // query.limit + 1} or an earlier one.",
            )
        return await self._page(query, offset, "dcterms:title")

    async def get_item(self, reference: str) -> Record:
        claim = self.claim(reference)
        if claim is None:
            raise InvalidInput(
                f"{reference!r} names no record of {self.profile.name}",
                hint="Find the record with search_items and pass its id.",
            )
        fetched = await self.channel.post_form(
            _ENDPOINT,
            form(queries.record(claim.reference)),
            lambda reply: Statements.of(read_answer(reply)),
            accept=ACCEPT,
        )
        stated = fetched.value
        if not stated:
            raise RecordNotFound(
                f"{self.profile.name} describes nothing at {claim.reference!r}",
                hint=self._where_else(claim.reference),
            )
        values: dict[str, object] = {
            **record.fields(
                stated, claim.reference, self.record_id, self._catalogue(claim.reference)
            ),
            "id": self.record_id(claim.reference),
            "source": self.id,
            "source_name": self.profile.name,
            "identifier": claim.reference,
            "source_url": self._page_of(claim.reference),
            "attribution": self.profile.credit(fetched.retrieved),
            "rights": Rights(
                statement="Licence Ouverte / Open Licence 2.0",
                url="https://www.etalab.gouv.fr/licence-ouverte-open-licence",
                covers=f"all descriptions in {self.profile.name}",
                note="Digitised copies on Gallica have terms of their own.",
            ),
        }
        if ark.is_provisional(claim.reference):
            values["identifier_provisional"] = True
        return Record.model_validate(values)

    async def _page(
        self, query: CatalogueQuery, offset: int, matched: queries.Matched
    ) -> ResultPage[BriefRecord]:
        asked = expression(query.text)
        fetched = await self._search(query, asked, matched, offset)
        found = fetched.value
        crowded_out = matched == "dcterms:title" and _holds_no_work(found)
        return ResultPage(
            rows=tuple(self._row(work, query.text) for work in found.works),
            more=_more(found, matched),
            unreadable=found.unreadable,
            ordered_on="record identifier",
            sent_as=asked.plain if asked.differs else None,
            retrieved=fetched.retrieved,
            cached=fetched.cached,
            again=partial(self._page, query, offset, "rdfs:label") if crowded_out else None,
            remarks=tuple(self._remarks(asked, found, matched)),
        )

    async def _search(
        self, query: CatalogueQuery, asked: Expression, matched: queries.Matched, offset: int
    ) -> Fetched[works.Found]:
        sparql = queries.search(
            asked.argument,
            matched,
            limit=min(query.limit + 1, queries.WINDOW - offset),
            offset=offset,
        )
        return await self.channel.post_form(
            _ENDPOINT,
            form(sparql),
            lambda reply: works.read(read_answer(reply), query.limit),
            accept=ACCEPT,
            variant=query.limit,
        )

    def _row(self, work: works.Work, wording: str) -> BriefRecord:
        values: dict[str, object] = {
            "id": self.record_id(work.reference),
            "source": self.id,
            "source_name": self.profile.name,
            "identifier": work.reference,
            "title": work.title,
            "creator": work.creator,
            "year": works.plain_year(work.dates),
            "date": work.date,
            "media_type": "work",
            "source_url": self._page_of(work.reference),
            "found_by_query": wording,
        }
        if ark.is_provisional(work.reference):
            values["identifier_provisional"] = True
        return BriefRecord.model_validate(values)

    def _remarks(
        self, asked: Expression, found: works.Found, matched: queries.Matched
    ) -> Iterator[Remark]:
        name = self.profile.name
        if asked.set_aside:
            yield Remark(Kind.WORDS_SET_ASIDE, {"name": name, "words": ", ".join(asked.set_aside)})
        window = {"name": name, "window": queries.WINDOW}
        # Labels are asked where titles established nothing: finding none there changes nothing.
        if _holds_no_work(found) or (matched == "rdfs:label" and not found.works_in_window):
            yield Remark(Kind.WINDOW_WITHOUT_WORKS, window)
        elif _is_full(found):
            yield Remark(Kind.WINDOW_FULL, window)
        if found.cut:
            yield Remark(Kind.ROWS_CUT, {"name": name})

    def _page_of(self, reference: str) -> str:
        return self.address(f"/{ark.path(reference)}")

    def _catalogue(self, reference: str) -> str | None:
        """Return the address in the general catalogue: the BnF's, so none for a stand-in."""
        if ark.is_provisional(reference) or self.base_url != self.default_base_url:
            return None
        return ark.CATALOGUE + reference

    def _where_else(self, reference: str) -> str:
        if ark.is_provisional(reference):
            return "Provisional identifiers change: find the work again with search_items."
        place = self._catalogue(reference) or "the BnF's general catalogue"
        return f"A record merged into another can still stand in {place}."


def _is_full(found: works.Found) -> bool:
    return found.matches >= queries.WINDOW


def _holds_no_work(found: works.Found) -> bool:
    return _is_full(found) and not found.works_in_window


def _more(found: works.Found, matched: queries.Matched) -> bool | None:
    """Tell whether works follow.

    A full window means more matches than were read; labels leave out works by their other titles.
    """
    if found.next_exists or (_is_full(found) and found.works_in_window):
        return True
    if found.cut or _is_full(found) or matched == "rdfs:label":
        return None
    return False
