"""Whether a book is locked: DRM told from fonts that are merely obfuscated."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_books.sources.calibre.extract.base import Unreadable
from mcp_books.sources.calibre.extract.epub.container import Container
from mcp_books.sources.calibre.extract.markup import local_name, parse_tree

__all__ = ["refuse_encrypted", "refuse_licensed"]

_LICENCES = ("META-INF/rights.xml", "META-INF/license.lcpl")
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_OBFUSCATIONS = frozenset(
    {"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}
)


def refuse_licensed(container: Container) -> None:
    """Pass a book without a licence.

    Raises:
        Unreadable: it carries one.
    """
    for licence in _LICENCES:
        if container.find(licence) is not None:
            raise Unreadable("drm", licence)


def refuse_encrypted(container: Container, names: Iterable[str]) -> None:
    """Pass a book whose entries `names` are open.

    Raises:
        Unreadable: one of them is encrypted.
    """
    encrypted = _encrypted_entries(container)
    for name in names:
        if name in encrypted:
            raise Unreadable("drm", f"{name}: {encrypted[name]}")
        if container.is_encrypted(name):
            raise Unreadable("password", f"{name} is encrypted")


def _encrypted_entries(container: Container) -> dict[str, str]:
    """Return the encrypted entries and how each is encrypted, obfuscated fonts left out."""
    name = container.find(_ENCRYPTION)
    data = container.read(name) if name is not None else None
    root = parse_tree(data) if data is not None else None
    found: dict[str, str] = {}
    for element in root.iter("{*}EncryptedData") if root is not None else ():
        method = element.find("{*}EncryptionMethod")
        algorithm = (method.get("Algorithm") or "").strip() if method is not None else ""
        if algorithm in _FONT_OBFUSCATIONS:
            continue
        for reference in element.iter("{*}CipherReference"):
            target = container.resolve("", reference.get("URI") or "")
            if target is not None:
                found[target] = algorithm or local_name(str(element.tag))
    return found
