"""What an archive is to the rest of the package: its profile, its capabilities, one result page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

from mcp_books._phrases import Kind
from mcp_books.arguments import Sort
from mcp_books.identifiers import Claim, RecordId
from mcp_books.models import BriefRecord, Hit, Record

if TYPE_CHECKING:
    from mcp_books._http import Channel, Http
    from mcp_books.reports import Coverage

__all__ = [
    "CatalogueQuery",
    "CatalogueSource",
    "Claim",
    "FullTextSource",
    "HitCount",
    "InsideQuery",
    "Kind",
    "Narrowing",
    "Profile",
    "Question",
    "RecordSource",
    "Remark",
    "RemoteSource",
    "ResultPage",
    "Source",
]

Question = Literal["search_inside", "search_items", "get_item"]
Narrowing = Literal["year_range", "sort"]
RowT = TypeVar("RowT", Hit, BriefRecord)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The resource description of one archive. Everything that differs is said here."""

    id: str
    name: str
    home_url: str
    examples: tuple[str, ...]
    """Identifiers and addresses that are its own, and nobody else's once prefixed or complete."""
    attribution: str
    """How the archive asks to be credited; `{retrieved}` stands for the date of retrieval."""
    credit_note: str | None
    """What its licence asks beyond being named."""
    searches_on: tuple[str, ...]
    searches_on_caveat: str | None = None
    catalogue_requires_every_word: bool = True
    inside_requires_every_word: bool = True
    row_describes: str
    corpus: str | None
    """What its full text is, or None where it holds none."""
    machine_read: bool = False
    """Its full text was read off scans by a machine."""
    year_means: str
    description_means: str | None = None
    publishes_page_number: bool = False
    page_unit: str = "page"
    """What a page number counts, as the text block says it: "image", "p."."""
    media_types: tuple[str, ...] = ()
    default_media_type: str | None = None
    """The kind asked for when none is given; None: all kinds at once."""
    cannot: Mapping[Question, str] = field(default_factory=dict)
    """Why a question cannot be answered, for each one it does not answer."""
    honours: frozenset[Narrowing] = frozenset()
    cannot_filter: Mapping[Narrowing, str] = field(default_factory=dict)
    pace_seconds: float = 0.0
    pace_reason: str = ""
    probe: str = "whale"
    """One word it surely holds; finding nothing under it means that its search is out of order."""
    reader_owned: bool = False
    """It is the reader's own: what it holds, even `probe`, nobody knows, and its texts can be
    searched as far as they are indexed here."""

    def credit(self, retrieved: date) -> str:
        """Return how the archive asks to be credited for what was retrieved on that day."""
        return self.attribution.replace("{retrieved}", retrieved.isoformat())


@dataclass(frozen=True, slots=True)
class HitCount:
    """How many matches the archive reports, and what it counts ("documents", "pages")."""

    value: int
    counts: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something an adapter has to say of one answer, as a kind and its values."""

    kind: Kind
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class InsideQuery:
    """One wording to look for inside texts."""

    text: str
    limit: int
    page: int = 1
    max_excerpt_chars: int = 300
    max_excerpts: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueQuery:
    """One wording to look for in a catalogue; holds only narrowings the archive honours."""

    text: str
    limit: int
    page: int = 1
    media_type: str | None = None
    year_from: int | None = None
    year_to: int | None = None
    sort: Sort = "relevance"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage(Generic[RowT]):
    """A slice of one archive's result list, in its own order."""

    rows: tuple[RowT, ...]
    total: HitCount | None = None
    more: bool | None = None
    """Whether the archive holds further rows; None: nothing establishes it."""
    unreadable: int = 0
    set_aside: int = 0
    ordered_on: str | None = None
    sent_as: str | None = None
    """What was sent, where it differs from the wording."""
    retrieved: date
    cached: bool = False
    again: Callable[[], Awaitable[ResultPage[RowT]]] | None = None
    """Asks the same words in another field, where this page established nothing. Called once, as
    one of the requests an archive gets in a call; what it answers replaces this page's remarks."""
    remarks: tuple[Remark, ...] = ()
    """What else a reader has to know of this page. Every value of a remark is filled in."""
    coverage: Coverage | None = None
    """Of an archive that has to index its texts before they can be searched: how far it is."""


class Source(ABC):
    """One archive: what it is, and which identifiers are its own."""

    profile: Profile

    @property
    def id(self) -> str:
        return self.profile.id

    @property
    def answers(self) -> frozenset[Question]:
        """The questions this archive answers: the capabilities its class line names."""
        return frozenset(question for question, kind in _CAPABILITIES if isinstance(self, kind))

    @abstractmethod
    def claim(self, text: str) -> Claim | None:
        """Read `text` as an identifier of this archive, or return None.

        `text` is a bare identifier or a whole address, never prefixed with the archive's id. Called
        in a thread, by several questions at once.

        Raises:
            InvalidInput: it is plainly meant as one of this archive's and is mistyped.
        """

    async def next_slot(self) -> float:
        """Return how many seconds pass before a request could start."""
        return 0.0

    async def aclose(self) -> None:  # noqa: B027  # most hold nothing
        """Let go of what is held open, at the end of a client; asked again, it is opened again."""

    def record_id(self, reference: str) -> str:
        """Return `reference` as an identifier across archives."""
        return str(RecordId(self.id, reference))


class FullTextSource(Source):
    """An archive that can be searched inside its texts."""

    @abstractmethod
    async def search_inside(self, query: InsideQuery) -> ResultPage[Hit]:
        """Return one page of matches.

        Raises:
            BooksError: one of the six codes; `InvalidInput` where this archive cannot take the
                query or the page.
        """


class CatalogueSource(Source):
    """An archive whose catalogue can be searched."""

    @abstractmethod
    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        """Return one page of records; raises as `FullTextSource.search_inside` does."""


class RecordSource(Source):
    """An archive whose records can be read."""

    @abstractmethod
    async def get_item(self, reference: str) -> Record:
        """Return the record in full, every section of it.

        Raises:
            RecordNotFound: the archive answered and holds no such record.
            BooksError: any other of the six codes.
        """


_CAPABILITIES: tuple[tuple[Question, type[Source]], ...] = (
    ("search_inside", FullTextSource),
    ("search_items", CatalogueSource),
    ("get_item", RecordSource),
)


class RemoteSource(Source):
    """An archive asked over HTTP. `base_url` replaces scheme, host and port of every request."""

    default_base_url: ClassVar[str]
    hosts: ClassVar[tuple[str, ...]]
    """The archive's own hosts: where redirects may lead."""
    max_in_flight: ClassVar[int] = 4
    closed_paths: ClassVar[tuple[str, ...]] = ()
    """Beginnings of paths that the archive's robots.txt closes; no redirect is followed there."""
    silence_after_refusal: ClassVar[float | None] = None
    """Seconds to stay silent after a 429 that names no time; None: such a 429 may be retried."""

    def __init__(
        self, http: Http, *, base_url: str | None = None, demonstration: bool = False
    ) -> None:
        self.base_url = base_url or self.default_base_url
        if demonstration:
            self.profile = _as_demonstration(self.profile, self.base_url)
        self.channel: Channel = http.channel(
            source=self.profile.id,
            name=self.profile.name,
            base_url=self.base_url,
            hosts=self.hosts,
            min_interval=self.profile.pace_seconds,
            max_in_flight=self.max_in_flight,
            closed_paths=self.closed_paths,
            silence_after_refusal=self.silence_after_refusal,
        )

    async def next_slot(self) -> float:
        return await self.channel.next_slot()

    def address(self, path: str) -> str:
        """Return the public address of `path`, on the base that was asked."""
        return self.base_url + path


def _as_demonstration(profile: Profile, base_url: str) -> Profile:
    return replace(
        profile,
        name=f"{profile.name} (demonstration)",
        home_url=base_url,
        attribution=f"Demonstration records invented for mcp-books, not held by {profile.name}",
        credit_note=None,
    )
