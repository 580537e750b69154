"""The Library of Congress, asked through its JSON interface."""

from .adapter import LibraryOfCongress

__all__ = ["LibraryOfCongress"]
