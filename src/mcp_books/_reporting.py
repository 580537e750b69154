"""What one archive did, as the report published of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from ._in_turn import Outcome
from ._phrases import DERIVATIONS, FILES_NOTHING, NOT_OFFERED, TOTALS, Derivation, Total
from .models import BriefRecord, Hit
from .reports import Absent, Answered, DroppedFilter, ErrorReport, Failed
from .sources.base import Narrowing, Profile, Question

__all__ = ["Asked", "absent", "cannot", "dropped_filter", "files_nothing_under", "report"]

RowT = TypeVar("RowT", Hit, BriefRecord)


@dataclass(frozen=True, slots=True)
class Asked:
    """What this call asked of one archive."""

    question: Question
    media_type: str | None = None
    filters_dropped: tuple[DroppedFilter, ...] = ()


def cannot(profile: Profile, question: Question) -> str:
    """Return why an archive does not answer a question."""
    return profile.cannot.get(question, NOT_OFFERED)


def absent(profile: Profile, because: str) -> Absent:
    """Report an archive that was not asked."""
    return Absent(source=profile.id, name=profile.name, status="absent", absent_because=because)


def files_nothing_under(profile: Profile, media_type: str) -> str:
    """Return why an archive is not asked for a kind of material it does not know."""
    return FILES_NOTHING.format(
        name=profile.name, media_type=media_type, vocabulary=", ".join(profile.media_types)
    )


def dropped_filter(profile: Profile, narrowing: Narrowing) -> DroppedFilter:
    """Report a narrowing that never reached an archive."""
    return DroppedFilter(
        filter=narrowing, because=profile.cannot_filter.get(narrowing, NOT_OFFERED)
    )


def report(profile: Profile, asked: Asked, outcome: Outcome[RowT]) -> Answered | Failed:
    """Report an archive that was asked."""
    if outcome.failure is not None:
        return Failed(
            source=profile.id,
            name=profile.name,
            status="failed",
            stage=outcome.stage,
            error=ErrorReport.of(outcome.failure),
            queries=tuple(outcome.attempts),
            **({"filters_dropped": asked.filters_dropped} if asked.filters_dropped else {}),
        )
    return _answered(profile, asked, outcome)


def _answered(profile: Profile, asked: Asked, outcome: Outcome[RowT]) -> Answered:
    pages = [step.page for step in outcome.steps]
    adding = [step for step in outcome.standing if step.added]
    counting = (adding or outcome.standing)[0]
    counted = counting.page
    further = any(step.wording.derivation is not Derivation.AS_ASKED for step in adding)
    total = means = None
    if counted.total is not None and counted.total.value >= len(counted.rows):
        total = counted.total.value
        means = TOTALS[Total.OF_ONE_WORDING if further else Total.OF_THE_QUERY].format(
            counts=counted.total.counts,
            wording=counting.wording.text,
            derivation=DERIVATIONS[counting.wording.derivation],
        )
    # A count smaller than the rows beside it is no count, and says nothing of what follows.
    more = counting.held_back > 0 or (
        None if counted.total is not None and total is None else counted.more
    )
    values: dict[str, object] = {
        "source": profile.id,
        "name": profile.name,
        "status": "answered",
        "count": len(outcome.rows),
        "reported_total": total,
        "reported_total_means": means,
        "skipped": sum(page.unreadable for page in pages),
        "set_aside": sum(page.set_aside for page in pages),
        "more_on_this_archive": None if further else more,
        "ordered_on": counted.ordered_on,
        "attribution": profile.credit(min(page.retrieved for page in pages)),
        "filters_dropped": asked.filters_dropped,
        "queries": tuple(outcome.attempts),
        "year_means": profile.year_means,
        "cached": all(page.cached for page in pages),
    }
    if profile.credit_note is not None:
        values["credit_note"] = profile.credit_note
    if pages[-1].coverage is not None:
        values["coverage"] = pages[-1].coverage
    return Answered.model_validate(values | _of_question(profile, asked))


def _of_question(profile: Profile, asked: Asked) -> dict[str, object]:
    if asked.question == "search_inside":
        return {
            "corpus": profile.corpus,
            "publishes_page_number": profile.publishes_page_number,
            "requires_every_word": profile.inside_requires_every_word,
        }
    catalogue: dict[str, object] = {
        "media_type_asked": asked.media_type,
        "searches_on": profile.searches_on,
        "row_describes": profile.row_describes,
        "requires_every_word": profile.catalogue_requires_every_word,
    }
    if profile.searches_on_caveat is not None:
        catalogue["searches_on_caveat"] = profile.searches_on_caveat
    return catalogue
