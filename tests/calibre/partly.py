"""Reading a book that is damaged: what is given of it, and what is told of the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pytest

from mcp_books.sources.calibre.extract.base import Incomplete, Stretch

__all__ = ["Partly", "partly"]


class Partly(NamedTuple):
    """The stretches of a book that was read in part, and what it told of the rest."""

    stretches: list[Stretch]
    lost: str

    @property
    def texts(self) -> list[str]:
        """The texts alone."""
        return [one.text for one in self.stretches]


def partly(stretches: Iterable[Stretch]) -> Partly:
    """Return what is given before the reader tells that something was lost, which it has to."""
    found: list[Stretch] = []
    with pytest.raises(Incomplete) as raised:
        found.extend(stretches)
    return Partly(found, raised.value.detail)
