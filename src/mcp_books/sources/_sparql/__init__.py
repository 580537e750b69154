"""Asking a Virtuoso SPARQL endpoint: its wire, its failures, its full-text expressions."""

from __future__ import annotations

from .full_text import Expression, expression, literal, words
from .wire import ACCEPT, Answer, Row, Term, form, read_answer

__all__ = [
    "ACCEPT",
    "Answer",
    "Expression",
    "Row",
    "Term",
    "expression",
    "form",
    "literal",
    "read_answer",
    "words",
]
