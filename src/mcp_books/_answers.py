"""The three answers by question: their model and their text block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ._render import fit, render_inside, render_items, render_record
from .reports import InsideAnswer, ItemsAnswer, RecordAnswer
from .sources.base import Profile, Question

__all__ = ["MODELS", "Answer", "fitted", "text_of"]

Answer = InsideAnswer | ItemsAnswer | RecordAnswer
Profiles = Mapping[str, Profile]

MODELS: Mapping[Question, type[Answer]] = {
    "search_inside": InsideAnswer,
    "search_items": ItemsAnswer,
    "get_item": RecordAnswer,
}

_RENDERERS: Mapping[type[Answer], Callable[[Any, Profiles], str]] = {
    InsideAnswer: render_inside,
    ItemsAnswer: render_items,
    RecordAnswer: render_record,
}


def text_of(answer: Answer, profiles: Profiles) -> str:
    """Return the text block of `answer`, whole."""
    return _RENDERERS[type(answer)](answer, profiles)


def fitted(answer: Any, profiles: Profiles) -> tuple[Answer, str]:
    """Return as much of `answer` as a host accepts, and the text block of that."""
    fit_answer: Answer
    fit_answer, text = fit(answer, lambda kept: text_of(kept, profiles), profiles=profiles)
    return fit_answer, text
