"""One archive at the HTTP edge, for tests of the transport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import httpx
import respx

from mcp_books._http import Channel, Http, Reply

__all__ = ["BASE", "Played", "ask", "channel_of", "read_json"]

BASE = "https://archive.test"


def channel_of(http: Http, **changes: Any) -> Channel:
    """Return a channel to the archive at `BASE`, spaced one second, but for `changes`."""
    values: dict[str, Any] = {
        "source": "archive",
        "name": "Test Archive",
        "base_url": BASE,
        "hosts": ("archive.test", "files.archive.test"),
        "min_interval": 1.0,
    }
    return http.channel(**(values | changes))


def read_json(reply: Reply) -> Any:
    reply.require_ok()
    return reply.json()


async def ask(channel: Channel, words: str = "whale") -> Any:
    """Return what the archive answers to `words`."""
    return (await channel.get("/search", [("q", words)], read_json)).value


class Played:
    """Plays the archive: `answers` in turn, the last one for ever, each after `lasting`."""

    def __init__(
        self,
        router: respx.MockRouter,
        answers: Sequence[httpx.Response | Exception] = (),
        *,
        lasting: float = 0.0,
    ) -> None:
        self.answers = list(answers) or [httpx.Response(200, json={"found": 1})]
        self.lasting = lasting
        self.starts: list[float] = []
        self.requests: list[httpx.Request] = []
        self.cancelled = 0
        router.route().mock(side_effect=self._answer)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        number = len(self.requests)
        self.requests.append(request)
        self.starts.append(round(anyio.current_time(), 3))
        try:
            await anyio.sleep(self.lasting)
        except BaseException:
            self.cancelled += 1
            raise
        answer = self.answers[min(number, len(self.answers) - 1)]
        if isinstance(answer, Exception):
            raise answer
        return answer
