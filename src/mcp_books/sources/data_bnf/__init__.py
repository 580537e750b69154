"""data.bnf.fr, the linked data of the Bibliothèque nationale de France."""

from __future__ import annotations

from .adapter import DataBnf

__all__ = ["DataBnf"]
