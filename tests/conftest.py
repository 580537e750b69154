"""No network unless it is loopback, no environment, no ledger of the user's."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings

# A loaded machine is no counter-example.
hypothesis_settings.register_profile("steady", deadline=None)
hypothesis_settings.load_profile("steady")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("BOOKS_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    home: Path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(
            ("127.", "::1", "localhost")
        ):
            raise RuntimeError(f"an unmocked call went out to {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
