"""EPUB: spine, navigation and printed pages, read with zipfile and lxml."""

from mcp_books.sources.calibre.extract.epub.book import read

__all__ = ["read"]
