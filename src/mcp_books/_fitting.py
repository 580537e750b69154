"""Holding an answer to what a host shows: the same rows in both forms, what is left out counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from ._merging import order_of_hits, order_of_rows
from ._paring import part_of_prose, prose, window
from ._phrases import ORDERS, Kind
from ._qualify import KINDS_OF_HITS, Profiles, by_weight, note, qualify_hits
from .models import BriefRecord, Hit, Model
from .reports import Answered, ExcerptKinds, InsideAnswer, ItemsAnswer, Note, RecordAnswer
from .sources.registry import registered

__all__ = ["SHORT_TEXT_LIMIT", "STRUCTURED_LIMIT", "TEXT_LIMIT", "fit", "structured_size"]

TEXT_LIMIT = 20_000
"""Characters of a text block."""

STRUCTURED_LIMIT = 40_000
"""Characters of a structured answer, written compactly."""

SHORT_TEXT_LIMIT = 1_000
"""Characters that one title, subject, term… keeps in an answer that has to shrink."""

_ROW_TEXTS = (
    "title",
    "creator",
    "date",
    "media_type",
    "location",
    "matched_file",
    "publication",
    "published_on",
    "page_label",
    "section",
)
_RECORD_TEXTS = ("title", "creator", "date", "media_type", "description_means")

_Answer = InsideAnswer | ItemsAnswer | RecordAnswer
_Values = dict[str, object]
_A = TypeVar("_A", InsideAnswer, ItemsAnswer, RecordAnswer)


class _Step(NamedTuple):
    """One way to make an answer smaller: to how many parts, and what changes then."""

    most: Callable[[_Answer], int]
    kept: Callable[[_Answer, int], _Values]


def fit(
    answer: _A,
    render: Callable[[_A], str],
    *,
    text_limit: int = TEXT_LIMIT,
    structured_limit: int = STRUCTURED_LIMIT,
    profiles: Profiles | None = None,
) -> tuple[_A, str]:
    """Return `answer` and its text with as many whole rows, from the first, as both limits allow.

    What is left out is counted by a note; a text without end is cut before a row is given up for
    it. Reports and notes are never left out, even where they alone pass a limit. A record keeps
    the start of each text, of each list and of its prose, which resumes where it was cut.
    `profiles`: what each archive is, by id; the registered archives when not given.
    """

    def tried(smaller: _A) -> tuple[_A, str] | None:
        text = render(smaller)
        fits = len(text) <= text_limit and structured_size(smaller) <= structured_limit
        return (smaller, text) if fits else None

    fitted = tried(answer)
    for step in _steps(answer, profiles):
        if fitted is not None:
            break
        fitted = _largest(answer, step, tried)
        answer = answer.model_copy(update=step.kept(answer, 0))
    return fitted or (answer, render(answer))


def structured_size(answer: InsideAnswer | ItemsAnswer | RecordAnswer) -> int:
    """Return how many characters the structured form of `answer` has, written compactly."""
    return len(json.dumps(answer.dump(), ensure_ascii=False, separators=(",", ":")))


def _steps(answer: _Answer, profiles: Profiles | None) -> tuple[_Step, ...]:
    if isinstance(answer, RecordAnswer):
        return (
            _Step(lambda _: 0, _shorter_texts),
            _Step(_longest_list, _shorter_lists),
            _Step(_prose_length, _shorter_prose),
        )
    return (
        _Step(lambda _: 0, _shorter_rows),
        _Step(
            lambda whole: len(_rows(whole)) - 1,
            partial(_fewer_rows, profiles=registered() if profiles is None else profiles),
        ),
    )


def _largest(
    answer: _A, step: _Step, tried: Callable[[_A], tuple[_A, str] | None]
) -> tuple[_A, str] | None:
    low, high, best = 0, step.most(answer), None
    while low <= high:
        middle = (low + high) // 2
        result = tried(answer.model_copy(update=step.kept(answer, middle)))
        if result is None:
            high = middle - 1
        else:
            low, best = middle + 1, result
    return best


def _rows(answer: _Answer) -> tuple[Hit, ...] | tuple[BriefRecord, ...]:
    if isinstance(answer, InsideAnswer):
        return answer.hits
    return answer.items if isinstance(answer, ItemsAnswer) else ()


def _shorter_rows(answer: _Answer, _: int) -> _Values:
    """Cut what one row says without end, so that it does not cost the others their place."""
    assert not isinstance(answer, RecordAnswer)
    cuts = _Cuts()
    rows = tuple(
        row.model_copy(update=cuts.of(row, _ROW_TEXTS))
        for row in (answer.hits if isinstance(answer, InsideAnswer) else answer.items)
    )
    name = "hits" if isinstance(answer, InsideAnswer) else "items"
    return {name: rows, "notes": by_weight([*answer.notes, *cuts.notes()])}


def _fewer_rows(answer: _Answer, kept: int, profiles: Profiles) -> _Values:
    """Keep the first rows, and say of the answer only what is true of those."""
    assert not isinstance(answer, RecordAnswer)
    rows = _rows(answer)[:kept]
    counts = Counter(row.source for row in rows)
    values: _Values = {
        "per_source": tuple(
            report.model_copy(update={"count": counts[report.source]})
            if isinstance(report, Answered)
            else report
            for report in answer.per_source
        )
    }
    left_out = () if kept == len(_rows(answer)) else (_rows_left_out(answer, counts),)
    if isinstance(answer, ItemsAnswer):
        notes = by_weight([*answer.notes, *left_out])
        values |= {"items": rows, "item_count": kept, "notes": notes}
        items = answer.items[:kept]
        return values | ({"order": ORDERS[order_of_rows([items])]} if len(counts) < 2 else {})
    hits = answer.hits[:kept]
    openings = sum(hit.excerpt_kind == "page_opening" for hit in hits)
    others = [each for each in answer.notes if each.kind not in KINDS_OF_HITS]
    return values | {
        "hits": hits,
        "hit_count": kept,
        "excerpt_kinds": ExcerptKinds(passage=kept - openings, page_opening=openings),
        "order": answer.order if 0 < openings < kept and len(counts) > 1 else _order_of(hits),
        "notes": by_weight([*others, *qualify_hits(hits, profiles), *left_out]),
    }


def _order_of(hits: Sequence[Hit]) -> str:
    by_source: dict[str, list[Hit]] = {}
    for hit in hits:
        by_source.setdefault(hit.source, []).append(hit)
    return ORDERS[order_of_hits(list(by_source.values()))]


def _rows_left_out(answer: InsideAnswer | ItemsAnswer, kept: Mapping[str, int]) -> Note:
    """Say how many rows are left out, and with which limit and page the rest is reached."""
    given = {
        report.source: report.count
        for report in answer.per_source
        if isinstance(report, Answered) and report.count
    }
    limit = max(1, sum(kept.values()) // max(1, len(given)))
    fewest = min((kept.get(source, 0) for source in given), default=0)
    before = (answer.page - 1) * max(given.values(), default=1)
    return note(
        Kind.ROWS_LEFT_OUT,
        count=len(_rows(answer)) - sum(kept.values()),
        limit=limit,
        page=(before + fewest) // limit + 1,
    )


class _Cuts:
    """Texts cut to `SHORT_TEXT_LIMIT`, and how many characters of what were left out."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def short(self, what: str, text: str) -> str:
        name = f"characters of {what}"
        self.counts[name] = self.counts.get(name, 0) + max(0, len(text) - SHORT_TEXT_LIMIT)
        return text[:SHORT_TEXT_LIMIT]

    def of(self, value: Model, names: Iterable[str], what: str = "") -> _Values:
        """Return the texts of `value` under `names`, cut."""
        return {
            name: self.short(what or name, text)
            for name in names
            if isinstance(text := getattr(value, name, None), str)
        }

    def notes(self) -> Iterator[Note]:
        return _left_out(self.counts)


def _left_out(counts: Mapping[str, int]) -> Iterator[Note]:
    for what, count in counts.items():
        if count:
            yield note(Kind.PARTS_LEFT_OUT, count=count, what=what)


def _record_values(
    answer: RecordAnswer, changed: _Values, cut: Mapping[str, int], *stale: Kind
) -> _Values:
    """Return the changes to a record's answer, with a note for each part that was `cut`."""
    told = _left_out(cut)
    kept = [each for each in answer.notes if each.kind not in stale]
    return {
        "item": answer.item.model_copy(update=changed),
        "notes": by_weight([*kept, *told]),
    }


def _shorter_texts(answer: _Answer, _: int) -> _Values:
    assert isinstance(answer, RecordAnswer)
    item, cuts = answer.item, _Cuts()
    changed = cuts.of(item, _RECORD_TEXTS)
    terms = cuts.of(item.rights, ("statement", "covers", "note"), "the terms")
    changed["rights"] = item.rights.model_copy(update=terms)
    if item.subjects:
        changed["subjects"] = tuple(cuts.short("subjects", text) for text in item.subjects)
    if item.copies:
        changed["copies"] = tuple(
            copy.model_copy(update=cuts.of(copy, ("label",), "copies")) for copy in item.copies
        )
    if item.context:
        changed["context"] = {
            cuts.short("context", label): tuple(cuts.short("context", text) for text in texts)
            for label, texts in item.context.items()
        }
    return _record_values(answer, changed, cuts.counts)


def _longest_list(answer: _Answer) -> int:
    assert isinstance(answer, RecordAnswer)
    item = answer.item
    return max(len(item.subjects), len(item.copies), sum(map(len, item.context.values())))


def _shorter_lists(answer: _Answer, kept: int) -> _Values:
    assert isinstance(answer, RecordAnswer)
    item, changed = answer.item, dict[str, object]()
    cut = {
        "subjects": len(item.subjects[kept:]),
        "copies": len(item.copies[kept:]),
        "entries of context": max(0, sum(map(len, item.context.values())) - kept),
    }
    if item.subjects:
        changed["subjects"] = item.subjects[:kept]
    if item.copies:
        changed["copies"] = item.copies[:kept]
    if item.context:
        changed["context"] = dict(_first_entries(item.context, kept))
    stale = (Kind.MORE_COPIES,) if cut["copies"] else ()
    return _record_values(answer, changed, cut, *stale)


def _first_entries(
    context: Mapping[str, tuple[str, ...]], kept: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for label, texts in context.items():
        if kept > 0:
            yield label, texts[:kept]
        kept -= len(texts)


def _prose_length(answer: _Answer) -> int:
    assert isinstance(answer, RecordAnswer)
    return len(prose(answer.item))


def _shorter_prose(answer: _Answer, kept: int) -> _Values:
    """Cut the description, and the notes that follow it in the same text, at a boundary."""
    assert isinstance(answer, RecordAnswer)
    item, given = answer.item, answer.text_window
    whole = prose(item)
    end = window(whole, 0, kept).returned_chars
    changed = part_of_prose(item, 0, end)
    if given is None:
        return _record_values(answer, changed, {"characters of prose": len(whole) - end})
    resumes = given.offset + end
    told = note(Kind.MORE_PROSE, offset=resumes)
    values = _record_values(answer, changed, {}, Kind.MORE_PROSE)
    notes = [each for each in answer.notes if each.kind is not Kind.MORE_PROSE]
    return values | {
        "notes": by_weight([*notes, told]),
        "text_window": given.model_copy(update={"returned_chars": end, "next_offset": resumes}),
    }
