"""The Internet Archive."""

from .adapter import InternetArchive

__all__ = ["InternetArchive"]
