from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
import respx

from mcp_books._http import Http
from mcp_books._ledger import Ledger, Silenced, TooLate
from mcp_books._pacing import Pace
from mcp_books.settings import Settings
from tests.unit.asked import BASE, Played, ask, channel_of
from tests.unit.virtual_time import EPOCH, anyio_backend, clock

__all__ = ["anyio_backend", "clock"]

pytestmark = pytest.mark.anyio


@pytest.fixture
def ledger(tmp_path: Path, clock: None) -> Iterator[Ledger]:
    ledger = Ledger(tmp_path)
    yield ledger
    ledger.close()


@pytest.fixture
def pace(ledger: Ledger) -> Pace:
    return Pace(ledger, BASE, floor=1.0, max_in_flight=4)


class Starts:
    """When requests started, by the loop's clock."""

    def __init__(self) -> None:
        self.at: list[float] = []

    async def one(self, pace: Pace, lasting: float = 0.0) -> None:
        async with pace.request():
            self.at.append(round(anyio.current_time(), 3))
            await anyio.sleep(lasting)


async def start(pace: Pace) -> float:
    async with pace.request():
        return round(anyio.current_time(), 3)


async def test_eight_slow_answers_start_at_the_spacing_and_not_one_after_another(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, lasting=5.0)
    async with Http(Settings()) as http, anyio.create_task_group() as tasks:
        channel = channel_of(http, max_in_flight=8)
        for number in range(8):
            tasks.start_soon(ask, channel, f"whale {number}")
    assert archive.starts == [0, 1, 2, 3, 4, 5, 6, 7]


async def test_no_more_than_the_allowed_number_is_in_flight(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, lasting=5.0)
    async with Http(Settings()) as http, anyio.create_task_group() as tasks:
        channel = channel_of(http)
        for number in range(8):
            tasks.start_soon(ask, channel, f"whale {number}")
    assert archive.starts == [0, 1, 2, 3, 5, 6, 7, 8]


async def test_two_clients_of_one_machine_share_the_spacing(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock)
    async with (
        Http(Settings()) as one,
        Http(Settings()) as other,
        anyio.create_task_group() as tasks,
    ):
        for number, http in enumerate((one, other, one, other)):
            tasks.start_soon(ask, channel_of(http), f"whale {number}")
    assert archive.starts == [0, 1, 2, 3]


async def test_a_stand_in_on_loopback_is_not_spaced_unless_the_settings_say_so(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock)
    for base in ("http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9"):
        async with Http(Settings()) as http:
            channel = channel_of(http, base_url=base)
            await ask(channel, "one")
            await ask(channel, "two")
    assert archive.starts == [0] * 6
    async with Http(Settings(min_interval=2)) as http:
        channel = channel_of(http, base_url="http://127.0.0.1:9", min_interval=6)
        await ask(channel, "one")
        await ask(channel, "two")
    assert archive.starts[6:] == [0, 2]


async def test_the_setting_widens_a_spacing_and_narrows_none(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock)
    for floor in (1.0, 6.0):
        async with Http(Settings(min_interval=3)) as http:
            channel = channel_of(http, base_url=f"https://{floor:.0f}.test", min_interval=floor)
            await ask(channel, "one")
            await ask(channel, "two")
    assert [archive.starts[1] - archive.starts[0], archive.starts[3] - archive.starts[2]] == [3, 6]


async def test_a_cancelled_waiter_gives_its_slot_back(pace: Pace) -> None:
    await start(pace)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(start, pace)
        await anyio.sleep(0.5)
        tasks.cancel_scope.cancel()
    assert anyio.current_time() < 0.6
    assert await start(pace) == 1


async def test_a_slot_past_the_deadline_is_refused_at_once_and_not_reserved(pace: Pace) -> None:
    await start(pace)
    with anyio.fail_after(0.9), pytest.raises(TooLate) as refused:
        await start(pace)
    assert refused.value.seconds == pytest.approx(1, abs=0.001)
    assert anyio.current_time() < 0.01
    assert await start(pace) == 1


async def test_a_queue_that_reaches_past_the_deadline_is_refused_at_once(ledger: Ledger) -> None:
    pace, starts = Pace(ledger, BASE, floor=1.0, max_in_flight=1), Starts()
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(starts.one, pace, 0.5)
        await anyio.sleep(0.1)
        with anyio.fail_after(2.5), pytest.raises(TooLate):
            await start(pace)
        assert anyio.current_time() < 0.2
    assert starts.at == [0, 1, 2]


async def test_next_slot_counts_the_own_queue_and_reserves_nothing(ledger: Ledger) -> None:
    pace, starts = Pace(ledger, BASE, floor=1.0, max_in_flight=1), Starts()
    assert await pace.next_slot() == 0
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(starts.one, pace, 0.5)
        await anyio.sleep(0.25)
        assert await pace.next_slot() == pytest.approx(2.75, abs=0.01)
        assert await pace.next_slot() == pytest.approx(2.75, abs=0.01)
    assert starts.at == [0, 1, 2]


async def test_push_back_voids_the_slots_already_waited_for(pace: Pace) -> None:
    starts = Starts()
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(starts.one, pace)
        await anyio.sleep(0.5)
        await pace.pushed_back(since=0)
    assert starts.at[0] == 0
    # The slots at 1 and 2 are void; those after them are two seconds apart.
    assert starts.at[1] >= 2.5
    assert starts.at[2] - starts.at[1] == pytest.approx(2, abs=0.01)


async def test_silence_reaches_those_who_wait_for_a_slot(pace: Pace, tmp_path: Path) -> None:
    await start(pace)
    other = Ledger(tmp_path)
    async with anyio.create_task_group() as tasks:

        async def refused() -> None:
            with pytest.raises(Silenced):
                await start(pace)

        tasks.start_soon(refused)
        await anyio.sleep(0.5)
        other.silence(BASE, 600)
    other.close()


async def test_three_good_answers_in_a_row_halve_a_widened_interval(pace: Pace) -> None:
    for since in range(2):
        await pace.pushed_back(since=since)
    await start(pace)
    for well in (True, True, False, True, True):
        await pace.answered(well=well)
    await start(pace)
    assert pace.interval == 4
    await pace.answered(well=True)
    await start(pace)
    assert pace.interval == 2
    assert pace.floor == 1


async def test_an_interval_widened_by_another_process_is_kept_here(
    pace: Pace, tmp_path: Path
) -> None:
    await start(pace)
    other = Ledger(tmp_path)
    other.push_back(BASE, 1.0, wait=0, since=0)
    other.close()
    assert [await start(pace) for _ in range(2)] == [2, 4]


async def test_the_spacing_holds_in_the_process_when_the_wall_clock_runs_away(
    tmp_path: Path,
) -> None:
    hours = iter(range(1, 100))
    runaway = Ledger(tmp_path, clock=lambda: EPOCH + 3600 * next(hours))
    pace = Pace(runaway, BASE, floor=1.0, max_in_flight=4)
    assert [await start(pace) for _ in range(4)] == [0, 1, 2, 3]
    runaway.close()


async def test_the_ledger_never_runs_on_the_thread_of_the_loop(
    pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set()
    for name in ("reserve", "look", "release", "silence", "push_back", "narrow"):
        call = getattr(Ledger, name)

        def noted(self: Ledger, *args: object, call: object = call, **options: object) -> object:
            threads.add(threading.get_ident())
            assert callable(call)
            return call(self, *args, **options)

        monkeypatch.setattr(Ledger, name, noted)
    await start(pace)
    await pace.pushed_back(since=0)
    await start(pace)
    for _ in range(3):
        await pace.answered(well=True)
    await pace.next_slot()
    await pace.silence(1)
    assert threads
    assert threading.get_ident() not in threads
