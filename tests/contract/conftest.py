"""Failing rules of the contract show the values they compared."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("mcp_books.testing")
