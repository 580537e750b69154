"""Books of the MOBI family, read from the format's public description."""

from .reader import read

__all__ = ["read"]
