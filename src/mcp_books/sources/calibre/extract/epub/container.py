"""The zip file of an EPUB: its entries by name, read within limits and never written anywhere."""

from __future__ import annotations

import errno
import logging
import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from typing import BinaryIO, TypeVar
from urllib.parse import unquote

from mcp_books.sources.calibre.extract.base import Unreadable
from mcp_books.sources.calibre.extract.epub.salvage import salvage

__all__ = ["Container", "split_fragment"]

_LARGEST_ENTRY = 32 * 1024 * 1024
_LARGEST_TOTAL = 160 * 1024 * 1024
_MOST_ENTRIES = 100_000
_LARGEST_RATIO = 300
_RATIO_COUNTS_FROM = 4 * 1024 * 1024

_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The two that EPUB allows; the others cannot be unpacked piece by piece within a limit."""

_ENCRYPTED = 0x1
_NAMED_IN_UTF8 = 0x800
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class Container:
    """The entries of a zip file. Everything read counts towards one limit for the book."""

    def __init__(self, file: BinaryIO) -> None:
        """Open the zip file.

        Raises:
            Unreadable: the file is empty, no zip file, or holds too many entries.
        """
        if not file.read(1):
            raise Unreadable("empty", "the file has no bytes")
        file.seek(0)
        self.lacks_directory = False
        """Whether its directory cannot be read, and its entries were looked for."""
        try:
            self._zip = self._opened(file)
        except zipfile.BadZipFile as cause:
            raise Unreadable("damaged", f"no zip file: {cause}") from cause
        # Damage can leave an entry without a name, which `is_dir` does not expect.
        named = (entry for entry in self._zip.infolist() if entry.filename)
        entries = [entry for entry in named if not entry.is_dir()]
        if len(entries) > _MOST_ENTRIES:
            raise Unreadable("too_large", f"{len(entries)} entries")
        self._entries: dict[str, zipfile.ZipInfo] = {}
        self._spellings: dict[str, str] = {}
        for entry in entries:
            name = _inside("", _readable_name(entry))
            self._entries[name] = entry
            self._spellings.setdefault(_folded(name), name)
        self._read = 0

    @property
    def names(self) -> list[str]:
        """The names of the entries, in the order of the zip file."""
        return list(self._entries)

    def find(self, name: str) -> str | None:
        """Return the entry of this name, or the one that differs in case or composition alone."""
        if name in self._entries:
            return name
        return self._spellings.get(_folded(name))

    def resolve(self, base: str, address: str) -> str | None:
        """Return the entry that an address in the entry `base` points at, or None.

        Addresses are percent-encoded or not, relative or from the root, with `/` or a backslash;
        none leads out of the zip file.
        """
        path, _ = split_fragment(address.strip())
        if not path:
            return self.find(base)
        if _SCHEME.match(path):
            return None
        folder = base.rpartition("/")[0]
        for spelling in (unquote(path), path, unquote(path).partition("?")[0]):
            found = self.find(_inside(folder, spelling))
            if found is not None:
                return found
        return None

    def is_encrypted(self, name: str) -> bool:
        """Whether the entry asks for a password."""
        return bool(self._entries[name].flag_bits & _ENCRYPTED)

    def read(self, name: str) -> bytes | None:
        """Return an entry's bytes; None if they cannot be had: a bad checksum, an odd compression.

        Raises:
            Unreadable: the entry asks for a password, or is larger than a book's text can be.
        """
        entry = self._entries[name]
        if self.is_encrypted(name):
            raise Unreadable("password", f"{name} is encrypted")
        if entry.compress_type not in _COMPRESSIONS:
            _log.info("%s is left out: compression %d", name, entry.compress_type)
            return None
        ratio = entry.file_size / max(1, entry.compress_size)
        if entry.file_size > _LARGEST_ENTRY or (
            ratio > _LARGEST_RATIO and entry.file_size > _RATIO_COUNTS_FROM
        ):
            raise Unreadable("too_large", f"{name} would unpack to {entry.file_size} bytes")
        self._read += entry.file_size
        if self._read > _LARGEST_TOTAL:
            raise Unreadable("too_large", f"its texts are over {_LARGEST_TOTAL} bytes")
        try:
            return _guarded(lambda: self._unpacked(entry))
        except zipfile.BadZipFile as cause:
            _log.info("%s is left out: %s", name, cause)
            return None

    def _opened(self, file: BinaryIO) -> zipfile.ZipFile:
        try:
            return _guarded(lambda: zipfile.ZipFile(file))
        except zipfile.BadZipFile as cause:
            _log.info("its directory cannot be read: %s", cause)
            self.lacks_directory = True
            return _guarded(
                lambda: salvage(file, most_entries=_MOST_ENTRIES, most_bytes=_LARGEST_TOTAL)
            )

    def _unpacked(self, entry: zipfile.ZipInfo) -> bytes:
        with self._zip.open(entry) as stream:
            # The size stated is the size asked for: without it zipfile unpacks before it measures.
            data = stream.read(entry.file_size)
            if stream.read(1) or len(data) < entry.file_size:
                raise zipfile.BadZipFile("not the size stated")
        return data


def split_fragment(address: str) -> tuple[str, str]:
    """Return an address without its fragment, and the fragment decoded ("" if there is none)."""
    path, _, fragment = address.partition("#")
    return path, unquote(fragment)


def _guarded(act: Callable[[], _T]) -> _T:
    """Do what zipfile does, with one exception for all the ways a zip file can be broken.

    Raises:
        BadZipFile: the zip file is broken.
        OSError: the file cannot be read from the disk.
    """
    try:
        return act()
    except OSError as cause:
        if cause.errno != errno.EINVAL:  # a seek to a place before the start
            raise
        raise zipfile.BadZipFile(str(cause)) from cause
    except (
        EOFError,
        NotImplementedError,
        OverflowError,
        RuntimeError,
        ValueError,
        struct.error,
        zlib.error,
    ) as cause:
        raise zipfile.BadZipFile(str(cause)) from cause


def _readable_name(entry: zipfile.ZipInfo) -> str:
    """Return the entry's name, mended where it is UTF-8 that the zip file does not declare."""
    if entry.flag_bits & _NAMED_IN_UTF8 or entry.filename.isascii():
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _inside(folder: str, path: str) -> str:
    """Join a path to a folder; `..` stops at the root."""
    path = path.replace("\\", "/")
    parts = [] if path.startswith("/") or not folder else folder.split("/")
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
