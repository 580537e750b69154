"""Runs last: an archive that answered nothing in the whole run was not tested."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from .asking import Archive

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.archive(name)) for name in ("archive", "loc", "bnf")],
)
async def test_the_archive_answered_something(name: str, archives: Mapping[str, Archive]) -> None:
    archive = archives[name]
    last = archive.silences[-1] if archive.silences else "it was not asked"
    assert archive.answers > 0, f"{archive.source.profile.name} answered nothing: {last}"
