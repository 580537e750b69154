"""Whether the printed page of every place is the one that its file states, and no other.

Give the folder of the books to read; without one, books whose pages are known are written. PDFs are
compared with their own tree of labels where pypdf is installed, else only with what PDFium tells.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
from _figures import Figures
from _stated_pages import HAS_PYPDF, Break, Stated, stated_breaks, stated_labels

from mcp_books.sources.calibre.extract.base import Incomplete, Stretch, Unreadable
from mcp_books.sources.calibre.worker_readers import read

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.calibre.epub_files import epub, nav, page_list
from tests.calibre.pdf_files import pdf

NEAR = 2
"""Pages within which another page has to bear its folio too."""
KNOWN_BY = 40
"""Letters by which the beginning and the end of a stretch are found again."""
LONGEST_LABEL = 100
Known = dict[str, list[str | None]]
STYLES = {
    "/S /D": [str(page) for page in range(1, 41)],
    "/S /r": ["i", "ii", "iii", "iv", "v", "vi"],
    "/S /R /St 8": ["VIII", "IX", "X", "XI"],
    "/S /a /St 25": ["y", "z", "aa", "bb"],
    "/S /D /P (A-)": ["A-1", "A-2", "A-3"],
}
FULL = "A page that is full of text, as pages are."


def main() -> int:
    """Compare the labels of every book and print the figures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", nargs="?", type=Path)
    folder: Path | None = asked.parse_args().folder
    figures = Figures()
    if folder is not None:
        compare(figures, folder)
    else:
        with tempfile.TemporaryDirectory() as made:
            compare(figures, Path(made), write_books(Path(made)))
    return figures.code


def compare(figures: Figures, folder: Path, known: Known | None = None) -> None:
    """Print the figures of the books in `folder`; of PDFs in `known` the labels are known."""
    pdfs = Counter[str]()
    for path in sorted(folder.glob("*.pdf")):
        pdfs += in_pdf(path, (known or {}).get(path.name))
    epubs = sum((in_epub(path) for path in sorted(folder.glob("*.epub"))), Counter[str]())
    beside = "their own tree" if HAS_PYPDF else "what was written"
    if not HAS_PYPDF and known is None:
        beside = "PDFium alone, which does not tell what is stated: pypdf is not installed"
    figures.note(
        f"{pdfs['files']} PDFs with labels (beside {beside}), {pdfs['labelled']:,} pages labelled, "
        f"{pdfs['printed']:,} of them confirmed by their folio, {pdfs['folios']:,} folios expected"
    )
    figures.figure("PDF: labels that are not the file's own", pdfs["wrong"], 0, "pages")
    figures.figure("PDF: labels of the file that are not given", pdfs["missing"], 0, "pages")
    figures.figure("PDF: labels that no file states", pdfs["invented"], 0, "pages")
    figures.figure("PDF: confirmed without a folio", pdfs["unconfirmed"], 0, "pages")
    figures.figure("PDF: folios that agree, not confirmed", pdfs["overlooked"], 0, "pages")
    figures.note(
        f"{epubs['files']} EPUBs with page breaks, {epubs['breaks']:,} of them; of "
        f"{epubs['all']:,} stretches {epubs['labelled']:,} are labelled, "
        f"{epubs['lost']:,} not found again, "
        f"{epubs['open']:,} not between two breaks of one text that follow one another"
    )
    figures.figure("EPUB: labels that are not the break's before", epubs["wrong"], 0, "stretches")
    figures.figure("EPUB: no label between two breaks", epubs["missing"], 0, "stretches")
    figures.figure("EPUB: labels that no file states", epubs["invented"], 0, "stretches")
    figures.figure("EPUB: stretches not found again", epubs["lost"], epubs["all"] // 100, "of all")
    if not pdfs["labelled"] or not epubs["labelled"]:
        figures.figure("kinds of book without a label to compare", 1, 0, "kinds")


def stretches_of(path: Path) -> list[Stretch]:
    """Return what our reader gives of a file before it gives up, if it does."""
    found: list[Stretch] = []
    try:
        found.extend(read(path, path.suffix[1:].upper()))
    except Unreadable as problem:
        sys.stderr.write(f"  {path.name}: {problem.status} {problem.detail}\n")
    except Incomplete as problem:
        sys.stderr.write(f"  {path.name}: {problem.detail}\n")
    return found


def in_pdf(path: Path, known: list[str | None] | None) -> Counter[str]:
    """Count how the labels of a PDF compare."""
    pages = {one.page_number or 0: one for one in stretches_of(path)}
    if not pages:
        return Counter()
    own = known or (stated_labels(path) if HAS_PYPDF else told_by_pdfium(path))
    counts = Counter[str]()
    outer: dict[int, bool] = {}
    for number, page in pages.items():
        stated = own[number - 1] if number <= len(own) else None
        stated = stated if stated and stated.strip() and len(stated) <= LONGEST_LABEL else None
        label = page.page_label
        counts["labelled"] += label is not None
        counts["printed"] += page.label_source == "printed"
        if known or HAS_PYPDF:
            counts["missing"] += label is None and stated is not None
            counts["invented"] += label is not None and stated is None
        counts["wrong"] += None not in (label, stated) and label != stated
        lines = page.text.splitlines()
        outer[number] = label is not None and label in (lines[0], lines[-1])
        if page.label_source == "printed":
            edges = " ".join(lines[:2] + lines[-2:])
            counts["unconfirmed"] += (label or "").casefold() not in edges.casefold()
    for number, alone in outer.items():
        near = range(number - NEAR, number + NEAR + 1)
        if alone and any(outer.get(other, False) for other in near if other != number):
            counts["folios"] += 1
            counts["overlooked"] += pages[number].label_source != "printed"
    counts["files"] += bool(counts["labelled"])
    told(path, counts)
    return counts


def told_by_pdfium(path: Path) -> list[str | None]:
    """Return PDFium's label for each page; it makes up a count where the file states none."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        return [document.get_page_label(index) or None for index in range(len(document))]


def in_epub(path: Path) -> Counter[str]:
    """Count how the labels of an EPUB compare."""
    stretches = stretches_of(path)
    if not stretches:
        return Counter()
    stated = stated_breaks(path)
    counts = Counter[str](files=bool(stated.breaks), breaks=len(stated.breaks), all=len(stretches))
    text, at = 0, 0
    for stretch in stretches:
        counts["labelled"] += stretch.page_label is not None
        letters = "".join(filter(str.isalnum, stretch.text))
        place = find(stated, letters, text, at) if letters else None
        if place is None:
            counts["lost"] += 1
            counts["invented"] += stretch.page_label is not None and not stated.breaks
            continue
        text, start, at = place
        judge(counts, stretch, stated.breaks, text, start, at)
    told(path, counts)
    return counts


def find(stated: Stated, letters: str, text: int, at: int) -> tuple[int, int, int] | None:
    """Return in which text a stretch stands, from where to where; it follows the one before."""
    for number in range(text, len(stated.texts)):
        start = stated.texts[number].find(letters[:KNOWN_BY], at if number == text else 0)
        if start >= 0:
            end = stated.texts[number].find(letters[-KNOWN_BY:], start)
            return (number, start, end + len(letters[-KNOWN_BY:])) if end >= 0 else None
    return None


def judge(
    counts: Counter[str],
    stretch: Stretch,
    breaks: Sequence[Break],
    text: int,
    start: int,
    end: int,
) -> None:
    """Count how the label of one stretch compares with the breaks around it."""
    # A break in the middle of a word counts from the end of the word on.
    number = bisect_right([(one.text, one.at) for one in breaks], (text, start)) - 1
    before = breaks[number] if number >= 0 else None
    after = breaks[number + 1] if number + 1 < len(breaks) else None
    runs_over = after is not None and (after.text, after.at) < (text, end)
    label = stretch.page_label
    if before is None:
        counts["invented"] += label is not None
        return
    if label is not None:
        counts["wrong"] += label != before.label or runs_over
        return
    closed = after is not None and before.text == after.text == text and not runs_over
    follows = closed and after is not None and numbered(after.label) == numbered(before.label) + 1
    counts["missing" if follows and numbered(before.label) else "open"] += 1


def numbered(label: str) -> int:
    """Return the number that a label is, 0 where it is none."""
    return int(label) if label.isascii() and label.isdigit() else 0


def told(path: Path, counts: Counter[str]) -> None:
    """Name a file whose labels are not as they have to be."""
    kinds = ("wrong", "missing", "invented", "unconfirmed", "overlooked")
    bad = {kind: counts[kind] for kind in kinds if counts[kind]}
    if bad:
        sys.stderr.write(f"  {path.name}: {bad}\n")


def write_books(folder: Path) -> Known:
    """Write books of every style of label, of none, and with page lists; return those of PDFs."""
    known: Known = {}
    front: list[str | None] = ["i", "ii", "iii"]
    for style, labels in STYLES.items():
        name = f"labelled-{len(known)}.pdf"
        pages = [FULL] * len(front) + [f"{FULL}\n{label}" for label in labels]
        ranges = [(0, "/S /r"), (len(front), style)]
        made = pdf(pages, labels=ranges, compressed=len(known) % 2 == 1)
        (folder / name).write_bytes(made)
        known[name] = [*front, *labels]
    (folder / "late.pdf").write_bytes(pdf([FULL] * 6, labels=[(3, "/S /D")]))
    (folder / "bare.pdf").write_bytes(pdf([f"{FULL}\n{page}" for page in range(1, 7)]))
    known |= {"late.pdf": [None, None, None, "1", "2", "3"], "bare.pdf": [None] * 6}
    write_epubs(folder)
    return known


def write_epubs(folder: Path) -> None:
    """Write a book with a page list, one whose text marks its pages, and one with neither."""
    texts = {
        f"{name}.xhtml": "".join(
            f'<p id="p{page}">{FULL} Sheet {page} of it.</p>' for page in range(start, start + 20)
        )
        for name, start in (("a", 1), ("b", 21))
    }
    listed = page_list(
        *(f"{page} {'a' if page < 21 else 'b'}.xhtml#p{page}" for page in range(1, 41))
    )
    epub(folder / "listed.epub", texts, nav=nav(pages=listed))
    marked = "".join(
        f'<p>{FULL}<span epub:type="pagebreak" title="{page}"/> Then {FULL} {page}</p>'
        for page in range(1, 30)
    )
    epub(folder / "marked.epub", {"a.xhtml": marked})
    epub(folder / "bare.epub", {"a.xhtml": f"<p>{FULL} 12 of 13</p>" * 30})


if __name__ == "__main__":
    sys.exit(main())
