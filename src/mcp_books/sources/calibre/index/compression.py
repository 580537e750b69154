"""Page texts, compressed with dictionaries trained on the index's own pages.

A page is short, so a dictionary saves a fifth. It is trained from the reader's own books because
what it holds is their languages. Each compressed page names its dictionary, so a better one can be
trained as the index grows and what was written before stays readable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import zstandard

from mcp_books.sources.calibre.index.faults import DamagedIndex

__all__ = ["FIRST_DICTIONARY", "TRAINED_AT", "Codec", "train"]

TRAINED_AT = (500, 5_000, 50_000)
"""The numbers of pages at which a dictionary is trained, one after another."""
FIRST_DICTIONARY = 100_000
"""The identifier of the first; zstandard reserves those below 32,768."""

_LEVEL = 6
_SIZE = 64 * 1024
_SEGMENT = 200
_MATCHED = 8
_LEARNT_FROM = 8
_SHORTEST = 64
"""Training crashes the process on a few short texts: it gets texts of some length, and this many
times what the dictionary holds."""


class Codec:
    """Compresses with the dictionary in use, reads with whichever a page was compressed with."""

    def __init__(self, load: Callable[[int], bytes | None], current: int | None = None) -> None:
        """Read dictionaries by identifier with `load`; compress with `current`, None: without."""
        self._load = load
        self._readers: dict[int, zstandard.ZstdDecompressor] = {0: zstandard.ZstdDecompressor()}
        self._writer = zstandard.ZstdCompressor(level=_LEVEL)
        if current is not None:
            dictionary = self._dictionary(current)
            dictionary.precompute_compress(level=_LEVEL)
            self._writer = zstandard.ZstdCompressor(level=_LEVEL, dict_data=dictionary)

    def compress(self, text: str) -> bytes:
        """Return `text` compressed; a lone surrogate becomes a question mark."""
        return self._writer.compress(text.encode("utf-8", "replace"))

    def decompress(self, data: bytes) -> str:
        """Return the text of one page.

        Raises:
            DamagedIndex: it cannot be read.
        """
        try:
            number = zstandard.get_frame_parameters(data).dict_id
            if number not in self._readers:
                dictionary = self._dictionary(number)
                self._readers[number] = zstandard.ZstdDecompressor(dict_data=dictionary)
            return self._readers[number].decompress(data).decode("utf-8")
        except (zstandard.ZstdError, UnicodeDecodeError) as error:
            raise DamagedIndex(f"A page of the index cannot be read ({error}).") from error

    def _dictionary(self, number: int) -> zstandard.ZstdCompressionDict:
        data = self._load(number)
        if data is None:
            raise DamagedIndex(f"The index holds no dictionary {number}.")
        return zstandard.ZstdCompressionDict(data)


def train(pages: Sequence[str], number: int) -> bytes | None:
    """Return a dictionary for texts like `pages`, or None where they are too few to learn from."""
    encoded = (page.encode("utf-8", "replace") for page in pages)
    samples: list[bytes | bytearray | memoryview] = [
        page for page in encoded if len(page) >= _SHORTEST
    ]
    if sum(map(len, samples)) < _LEARNT_FROM * _SIZE:
        return None
    try:
        dictionary = zstandard.train_dictionary(
            _SIZE, samples, k=_SEGMENT, d=_MATCHED, dict_id=number
        )
    except zstandard.ZstdError:
        return None
    return dictionary.as_bytes()
