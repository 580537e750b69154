"""The contract over the Calibre source: a small library made here, and its text index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_books.sources.calibre.adapter import CalibreLibraries
from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.testing import AnsweringContract, Samples
from tests.calibre.asked_shelves import WHALE, pages, shelf


class TestCalibreLibraries(AnsweringContract):
    """One library, in a folder whose name holds a space."""

    @pytest.fixture
    def source(self, tmp_path: Path) -> Iterator[CalibreLibraries]:
        texts = {
            1: pages("Nothing here.", "A whale was seen off the harbour.", "The whale was gone."),
            2: [Stretch("A song of the whale, in chapter one.", section="One")],
            3: [Stretch("Roses and lavender.")],
        }
        made = shelf(tmp_path, WHALE, texts, name="Calibre_Library")
        source = CalibreLibraries(made.settings)
        yield source
        source.close()

    @pytest.fixture
    def samples(self) -> Samples:
        return Samples(
            inside="whale", catalogue="whale", nothing="zzxqzv", missing="Calibre_Library/99"
        )
