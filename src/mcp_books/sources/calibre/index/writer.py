"""Writing the index: a document is seen whole or not at all, whenever the process is killed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from mcp_books.sources.calibre.extract.base import Incomplete, Status, Stretch
from mcp_books.sources.calibre.index.adding import Adding, writable
from mcp_books.sources.calibre.index.compression import FIRST_DICTIONARY, TRAINED_AT, Codec, train
from mcp_books.sources.calibre.index.documents import (
    BookFile,
    Document,
    DocumentStatus,
    read_documents,
)
from mcp_books.sources.calibre.index.faults import TextIndexError, translated
from mcp_books.sources.calibre.index.normalise import normalise
from mcp_books.sources.calibre.index.schema import (
    connect_writing,
    require_search,
    transaction,
    writing_alone,
)
from mcp_books.sources.calibre.index.tidying import count_unmerged, tidy

__all__ = ["Counts", "Writer"]

_REMOVED_AT_ONCE = 500
_TRAINED_ON = 2_000


@dataclass(frozen=True, slots=True)
class Counts:
    """What one document brought into the index."""

    pages: int
    chars: int
    shared: bool = False
    """The same content was there already and was not read again."""


class Writer:
    """The one writer of an index; leave it with `close`, or as a context manager."""

    def __init__(self, path: Path, *, rebuild: bool = False) -> None:
        """Open the index at `path`, making it where there is none; remove what a killed run left.

        One made by another version is emptied, as is any with `rebuild`, damaged ones too.

        Raises:
            IndexInUse: another writer is at work.
            DamagedIndex: the file cannot be read; only a rebuild helps.
            TextIndexError: it cannot be used.
        """
        require_search()
        self._path = path
        self._train_from = 0
        with ExitStack() as opening:
            opening.enter_context(writing_alone(path))
            self._db = connect_writing(path, rebuild=rebuild)
            opening.callback(self._db.close)
            with translated(path):
                self._codec = self._newest_codec()
                self._remove_unseen()
            self._closing = opening.pop_all()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and let other writers in. Closing twice does nothing."""
        self._closing.close()

    def documents(self) -> tuple[Document, ...]:
        """Return every document, in the order they came."""
        with translated(self._path):
            return read_documents(self._db)

    def add(self, file: BookFile, stretches: Iterable[Stretch], detail: str = "") -> Counts:
        """Index `file`; what was known of it before is seen until the new text is complete.

        Where the same content is there already `stretches` is not touched. An error that
        `stretches` raises leaves the index as it was, and is raised again, but for `Incomplete`:
        what came before it is indexed, with what was lost as the detail. A file without a word is
        marked `empty`.

        Raises:
            DiskFull: the document was left out, whole; those before it are there.
            TextIndexError: the index cannot be written.
        """
        with translated(self._path):
            known = self._complete(file)
            if known is not None:
                content, pages, chars = known
                self._file(file, "indexed", detail or self._lost_of(content), content)
                return Counts(pages, chars, shared=True)
        adding = Adding(self._db, file, detail)
        try:
            try:
                for stretch in stretches:
                    if stretch.text and not stretch.text.isspace() and adding.take(stretch):
                        self._flush(adding)
            except Incomplete as problem:
                adding.detail = problem.detail
            self._finish(adding)
        except Exception as error:
            if not isinstance(error, TextIndexError):
                with translated(self._path):
                    self._remove_unseen()
            raise
        return Counts(adding.pages, adding.chars)

    def mark(self, file: BookFile, status: Status, detail: str = "") -> None:
        """Record why `file` gives no text; the text it gave before leaves the index."""
        with translated(self._path):
            self._file(file, status, detail, None)

    def remove(self, documents: Iterable[int]) -> int:
        """Take documents out of the index, by their ids; return how many there were."""
        with translated(self._path):
            removed = 0
            with transaction(self._db):
                for document in documents:
                    row = self._db.execute(
                        "DELETE FROM document WHERE id = ? RETURNING content", (document,)
                    ).fetchone()
                    if row is not None:
                        removed += 1
                        self._leave(row[0])
                self._tell_readers()
            self._remove_unseen()
        return removed

    def tidy(self, seconds: float) -> bool:
        """Merge what many small writes left and give back the room, for about so long.

        An index is right without it; after it, it answers faster and is smaller. It costs little
        where little has changed. Returns whether nothing is left to do.
        """
        with translated(self._path):
            return tidy(self._db, time.monotonic() + seconds)

    def _complete(self, file: BookFile) -> tuple[int, int, int] | None:
        if not file.content_hash:
            return None
        row: tuple[int, int, int] | None = self._db.execute(
            """SELECT id, pages, chars FROM content
            WHERE hash = ? AND reader = ? AND state = 'complete'""",
            (file.content_hash, file.reader),
        ).fetchone()
        return row

    def _lost_of(self, content: int) -> str:
        """Return what was lost of a content that was read in part, "" for nothing."""
        row = self._db.execute(
            "SELECT detail FROM document WHERE content = ? LIMIT 1", (content,)
        ).fetchone()
        return "" if row is None else str(row[0])

    def _flush(self, adding: Adding) -> None:
        with translated(self._path):
            self._train(adding)
            with transaction(self._db):
                adding.write(self._codec)

    def _finish(self, adding: Adding) -> None:
        with translated(self._path):
            self._train(adding)
            with transaction(self._db):
                adding.write(self._codec)
                if adding.content is None:
                    self._record(adding.file, "empty", adding.detail, None)
                else:
                    adding.complete()
                    self._record(adding.file, "indexed", adding.detail, adding.content)
            self._remove_unseen()

    def _file(
        self, file: BookFile, status: DocumentStatus, detail: str, content: int | None
    ) -> None:
        with transaction(self._db):
            self._record(file, status, detail, content)
        self._remove_unseen()

    def _record(
        self, file: BookFile, status: DocumentStatus, detail: str, content: int | None
    ) -> None:
        before = self._db.execute(
            "SELECT content FROM document WHERE library = ? AND book = ? AND format = ?",
            (file.library, file.book, file.format),
        ).fetchone()
        self._db.execute(
            """INSERT INTO document (library, book, format, book_uuid, size, mtime_ns, hash, reader,
                status, detail, content, indexed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (library, book, format) DO UPDATE SET
                book_uuid = excluded.book_uuid, size = excluded.size, mtime_ns = excluded.mtime_ns,
                hash = excluded.hash, reader = excluded.reader, status = excluded.status,
                detail = excluded.detail, content = excluded.content,
                indexed_at = excluded.indexed_at""",
            (
                file.library,
                file.book,
                file.format,
                file.book_uuid,
                file.size,
                file.mtime_ns,
                file.content_hash,
                file.reader,
                status,
                writable(detail),
                content,
                time.time(),
            ),
        )
        if before is not None:
            self._leave(before[0])
        self._tell_readers()

    def _leave(self, content: int | None) -> None:
        """Hide a content that no document points to any longer."""
        self._db.execute(
            """UPDATE content SET state = 'dead' WHERE id = ?
            AND NOT EXISTS (SELECT 1 FROM document WHERE document.content = content.id)""",
            (content,),
        )

    def _tell_readers(self) -> None:
        self._db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")

    def _remove_unseen(self) -> None:
        for content, first, last in self._db.execute(
            "SELECT id, first_id, last_id FROM content WHERE state <> 'complete'"
        ).fetchall():
            while self._remove_pages(first, last):
                pass
            with transaction(self._db):
                self._db.execute("DELETE FROM section WHERE content = ?", (content,))
                self._db.execute("DELETE FROM content WHERE id = ?", (content,))

    def _remove_pages(self, first: int, last: int) -> bool:
        """Remove some pages of a range with their words, which have to be given as they were."""
        pages = self._db.execute(
            "SELECT id, text FROM page WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
            (first, last, _REMOVED_AT_ONCE),
        ).fetchall()
        if not pages:
            return False
        with transaction(self._db):
            self._db.executemany(
                "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)",
                ((row, normalise(self._codec.decompress(text))) for row, text in pages),
            )
            self._db.execute(
                "DELETE FROM page WHERE id BETWEEN ? AND ?", (pages[0][0], pages[-1][0])
            )
            count_unmerged(self._db, len(pages))
        return True

    def _train(self, adding: Adding) -> None:
        """Train the next dictionary once there are pages enough for it."""
        trained: int = self._db.execute("SELECT count(*) FROM dictionary").fetchone()[0]
        (written,) = self._db.execute(
            "SELECT value - 1 FROM meta WHERE key = 'next_page'"
        ).fetchone()
        pages: int = written + len(adding.batch)
        if trained == len(TRAINED_AT) or pages < max(TRAINED_AT[trained], self._train_from):
            return
        step = max(1, written // _TRAINED_ON)
        samples = [
            self._codec.decompress(text)
            for (text,) in self._db.execute(
                """WITH RECURSIVE pick (id) AS (
                    SELECT 1 UNION ALL SELECT id + ? FROM pick WHERE id + ? <= ?)
                SELECT text FROM pick JOIN page USING (id)""",
                (step, step, written),
            )
        ]
        samples += [stretch.text for stretch in adding.batch]
        dictionary = train(samples, FIRST_DICTIONARY + trained)
        if dictionary is None:
            self._train_from = 2 * pages
            return
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO dictionary VALUES (?, ?)", (FIRST_DICTIONARY + trained, dictionary)
            )
        self._codec = self._newest_codec()

    def _newest_codec(self) -> Codec:
        (newest,) = self._db.execute("SELECT max(id) FROM dictionary").fetchone()
        return Codec(self._dictionary, newest)

    def _dictionary(self, number: int) -> bytes | None:
        row = self._db.execute("SELECT data FROM dictionary WHERE id = ?", (number,)).fetchone()
        return None if row is None else bytes(row[0])
