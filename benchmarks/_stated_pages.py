"""The printed pages that files state, read without the package's own readers.

PDF: the tree of labels, walked with pypdf where it is installed. EPUB: the page list of the nav
document or of the NCX, and the page breaks that the texts mark.
"""

from __future__ import annotations

import importlib
import importlib.util
import posixpath
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from lxml import etree, html

HAS_PYPDF = importlib.util.find_spec("pypdf") is not None
_OPS = "{http://www.idpf.org/2007/ops}"
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"],
        strict=True,
    )
)
_UNSEEN = ("head", "script", "style", "rp", "rt", "template")


def stated_labels(path: Path) -> list[str | None]:
    """Return the label that a PDF states for each of its pages (ISO 32000-1, 12.4.2)."""
    pypdf = importlib.import_module("pypdf")
    reader = pypdf.PdfReader(path)
    count = len(reader.pages)
    tree = reader.trailer["/Root"].get_object().get("/PageLabels")
    ranges = dict(sorted(_ranges(tree))) if tree is not None else {}
    labels: list[str | None] = []
    style: Any = None
    first = 0
    for index in range(count):
        if index in ranges:
            first, style = index, ranges[index]
        labels.append(None if style is None else _label(style, index - first))
    return labels


def _ranges(node: Any) -> Iterator[tuple[int, Any]]:
    node = node.get_object()
    numbers = node.get("/Nums", ())
    for key, value in zip(numbers[::2], numbers[1::2], strict=False):
        yield int(key.get_object()), value.get_object()
    for kid in node.get("/Kids", ()):
        yield from _ranges(kid)


def _label(style: Any, place: int) -> str | None:
    number = int(style.get("/St", 1)) + place
    letter, repeats = chr(ord("a") + (number - 1) % 26), (number - 1) // 26 + 1
    counted = {
        "/D": str(number),
        "/r": _roman(number),
        "/R": _roman(number).upper(),
        "/a": letter * repeats,
        "/A": (letter * repeats).upper(),
    }.get(style.get("/S", ""), "")
    return f"{style.get('/P', '')}{counted}" or None


def _roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN:
        written += letters * (number // value)
        number %= value
    return written


class Break(NamedTuple):
    """Where a printed page begins: a text of the spine, and how many letters come before in it."""

    text: int
    at: int
    label: str


class Stated(NamedTuple):
    """The letters and digits of each text of an EPUB, and its page breaks in order."""

    texts: list[str]
    breaks: list[Break]


def stated_breaks(path: Path) -> Stated:
    """Return what an EPUB states of its printed pages."""
    with zipfile.ZipFile(path) as archive:
        container = _tree(archive, "META-INF/container.xml")
        package = unquote(container.find(".//{*}rootfile").get("full-path", ""))
        root = _tree(archive, package)
        items = {item.get("id"): item for item in root.iter("{*}item")}
        listed = _listed(archive, package, root, items)
        spine = [items[ref.get("idref")] for ref in root.iter("{*}itemref")]
        names = [_joined(package, item.get("href", "")) for item in spine]
        texts: list[str] = []
        breaks: list[Break] = []
        for number, name in enumerate(names):
            text, found = _walked(_tree(archive, name), listed.get(name, {}))
            texts.append(text)
            breaks += [Break(number, at, label) for at, label in found]
    return Stated(texts, breaks)


def _listed(
    archive: zipfile.ZipFile, package: str, root: Any, items: dict[str, Any]
) -> dict[str, dict[str, str]]:
    """Return the labels of the page list by text and fragment."""
    found: dict[str, dict[str, str]] = {}
    nav = next((one for one in items.values() if "nav" in one.get("properties", "").split()), None)
    ncx = items.get(root.find("{*}spine").get("toc", ""))
    pairs: list[tuple[str, str, str]] = []
    if nav is not None:
        name = _joined(package, nav.get("href", ""))
        for part in _tree(archive, name).iter("{*}nav"):
            if part.get(f"{_OPS}type") == "page-list":
                pairs += [(name, a.get("href"), "".join(a.itertext())) for a in part.iter("{*}a")]
    if ncx is not None and not pairs:
        name = _joined(package, ncx.get("href", ""))
        for target in _tree(archive, name).iter("{*}pageTarget"):
            label = target.findtext(".//{*}text") or target.get("value", "")
            pairs.append((name, target.find("{*}content").get("src", ""), label))
    for base, address, label in pairs:
        text, _, fragment = address.partition("#")
        found.setdefault(_joined(base, text), {})[unquote(fragment)] = " ".join(label.split())
    return found


def _joined(base: str, address: str) -> str:
    if not address:
        return base
    path = unquote(address.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path))


def _tree(archive: zipfile.ZipFile, name: str) -> Any:
    data = archive.read(name)
    try:
        return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return html.document_fromstring(data)


def _walked(root: Any, listed: dict[str, str]) -> tuple[str, list[tuple[int, str]]]:
    pieces: list[str] = []
    breaks: list[tuple[int, str]] = []
    length = 0
    if "" in listed:
        breaks.append((0, listed[""]))
    hidden: list[Any] = []
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        added = ""
        if event == "start":
            label = listed.get(node.get("id", node.get("name", ""))) or _marked(node)
            if label is not None:
                breaks.append((length, label))
            if _marked(node) is not None or _local(node) in _UNSEEN:
                hidden.append(node)
            if not hidden:
                added = node.text or ""
        else:
            if hidden and hidden[-1] is node:
                hidden.pop()
            if not hidden:
                added = node.tail or ""
        letters = "".join(filter(str.isalnum, added))
        pieces.append(letters)
        length += len(letters)
    return "".join(pieces), breaks


def _local(node: Any) -> str:
    return str(node.tag).rpartition("}")[2].lower()


def _marked(node: Any) -> str | None:
    kinds = f"{node.get(f'{_OPS}type', '')} {node.get('role', '')}".split()
    if "pagebreak" not in kinds and "doc-pagebreak" not in kinds:
        return None
    return str(
        node.get("title") or node.get("aria-label") or " ".join("".join(node.itertext()).split())
    )
