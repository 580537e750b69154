"""No network unless it is loopback, no environment, no ledger of the user's."""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from hypothesis import settings as hypothesis_settings

# A loaded machine is no counter-example, and a build says the same about the same commit.
hypothesis_settings.register_profile("steady", deadline=None)
hypothesis_settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "steady")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _clean_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in list(os.environ):
        if name.startswith("BOOKS_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    # By the variable that each system goes by, so that child processes find the same folder.
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(home / "cache"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(home / "cache"))
    real = platformdirs.user_cache_path

    def inside_home(appname: str, **options: Any) -> Path:
        path = real(appname, **options)
        return path if path.is_relative_to(home) else home / "cache" / appname

    monkeypatch.setattr(platformdirs, "user_cache_path", inside_home)


@pytest.fixture(autouse=True)
def _log_levels_are_put_back() -> Iterator[None]:
    """A command sets them for its process."""
    loggers = [logging.getLogger(), logging.getLogger("httpx")]
    before = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every way out of a socket, and every question to a name server, is an error."""

    def of_address(self: socket.socket, address: Any, *_: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _require_loopback(address[0])

    def of_last(self: socket.socket, *values: Any) -> None:
        of_address(self, values[-1])

    def of_host(host: Any, *_: Any, **__: Any) -> None:
        _require_loopback(host)

    for name, require in (("connect", of_address), ("connect_ex", of_address), ("sendto", of_last)):
        monkeypatch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name), require))
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        monkeypatch.setattr(socket, name, _guarded(getattr(socket, name), of_host))


def _guarded(call: Any, require: Any) -> Any:
    def guarded(*args: Any, **options: Any) -> Any:
        require(*args, **options)
        return call(*args, **options)

    return guarded


def _require_loopback(host: Any) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return
    try:
        mine = ipaddress.ip_address(name).is_loopback
    except ValueError:
        mine = False
    if not mine:
        raise RuntimeError(f"an unmocked call went out to {host!r}")
