"""The demonstration's Calibre library: three books of public-domain pages, made when asked for."""

from __future__ import annotations

from mcp_books.demo.calibre.library import NAME, demonstration_library, make_library

__all__ = ["NAME", "demonstration_library", "make_library"]
