from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import platformdirs
import pytest

from mcp_books._ledger import LONGEST_SILENCE, WIDEST, Ledger, Silenced, Slot, TooLate

BASE = "https://archive.test"
EVER = float("inf")
FILE = "pacing-1.sqlite3"


OpenLedger = Callable[[Path | None], Ledger]


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_ledger(clock: Clock) -> Iterator[OpenLedger]:
    opened: list[Ledger] = []

    def open_one(folder: Path | None) -> Ledger:
        opened.append(Ledger(folder, clock=clock))
        return opened[-1]

    yield open_one
    for ledger in opened:
        ledger.close()


@pytest.fixture
def ledger(tmp_path: Path, open_ledger: OpenLedger) -> Ledger:
    return open_ledger(tmp_path)


def reserve(ledger: Ledger, floor: float = 1.0, latest: float = EVER) -> Slot:
    return ledger.reserve(BASE, floor, latest)


def run_elsewhere(folder: Path, body: str) -> str:
    """Run `body` in a process of its own, with a ledger on `folder`."""
    script = (
        "import sys; from pathlib import Path; from mcp_books._ledger import *\n"
        f"ledger = Ledger(Path(sys.argv[1])); base = {BASE!r}\n{body}\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def test_slots_are_one_interval_apart(ledger: Ledger) -> None:
    assert [reserve(ledger).wait for _ in range(4)] == [0, 1, 2, 3]


def test_a_slot_that_passed_unused_makes_no_burst(ledger: Ledger, clock: Clock) -> None:
    reserve(ledger)
    clock.now += 10
    assert [reserve(ledger).wait for _ in range(2)] == [0, 1]


def test_base_addresses_are_spaced_apart(ledger: Ledger) -> None:
    reserve(ledger)
    assert ledger.reserve("https://other.test", 1.0, EVER).wait == 0


def test_two_ledgers_on_one_folder_share_the_spacing(
    tmp_path: Path, open_ledger: OpenLedger
) -> None:
    one, other = open_ledger(tmp_path), open_ledger(tmp_path)
    assert [reserve(one).wait, reserve(other).wait, reserve(one).wait] == [0, 1, 2]


def test_three_processes_at_once_never_get_the_same_slot(tmp_path: Path) -> None:
    body = "for _ in range(10): print(repr(ledger.reserve(base, 1.0, float('inf')).at))"
    with ThreadPoolExecutor(3) as pool:
        printed = list(pool.map(lambda _: run_elsewhere(tmp_path, body), range(3)))
    slots = sorted(float(line) for text in printed for line in text.splitlines())
    assert len(slots) == 30
    assert all(later - earlier > 0.999 for earlier, later in pairwise(slots))


def test_threads_of_one_process_never_get_the_same_slot(ledger: Ledger) -> None:
    with ThreadPoolExecutor(8) as pool:
        waits = sorted(pool.map(lambda _: reserve(ledger).wait, range(40)))
    assert waits == list(range(40))


def test_a_slot_too_far_away_is_refused_and_reserves_nothing(ledger: Ledger) -> None:
    reserve(ledger)
    with pytest.raises(TooLate) as refused:
        reserve(ledger, latest=0.5)
    assert refused.value.seconds == 1
    assert reserve(ledger).wait == 1


def test_an_unused_slot_is_given_back(ledger: Ledger) -> None:
    reserve(ledger)
    ledger.release(reserve(ledger))
    assert reserve(ledger).wait == 1


def test_an_unused_slot_with_one_reserved_after_it_is_not_given_back(ledger: Ledger) -> None:
    first, _ = reserve(ledger), reserve(ledger)
    ledger.release(first)
    assert reserve(ledger).wait == 2


def test_push_back_doubles_the_interval_up_to_its_widest(ledger: Ledger) -> None:
    seen = []
    for _ in range(6):
        ledger.push_back(BASE, 1.0, wait=0, since=ledger.look(BASE, 1.0).refusals)
        seen.append(ledger.look(BASE, 1.0).interval)
    assert seen == [2, 4, 8, 16, WIDEST, WIDEST]


def test_requests_refused_together_double_the_interval_once(ledger: Ledger) -> None:
    for _ in range(4):
        ledger.push_back(BASE, 1.0, wait=0, since=0)
    assert ledger.look(BASE, 1.0).interval == 2


def test_push_back_holds_the_next_slot_back(ledger: Ledger) -> None:
    reserve(ledger)
    ledger.push_back(BASE, 1.0, wait=20, since=0)
    assert reserve(ledger).wait == 20


def test_narrowing_halves_down_to_the_floor(ledger: Ledger) -> None:
    for since in range(3):
        ledger.push_back(BASE, 1.0, wait=0, since=since)
    seen = []
    for _ in range(4):
        ledger.narrow(BASE, 1.0)
        seen.append(ledger.look(BASE, 1.0).interval)
    assert seen == [4, 2, 1, 1]


def test_what_one_process_widened_is_seen_by_another(
    tmp_path: Path, open_ledger: OpenLedger
) -> None:
    open_ledger(tmp_path).push_back(BASE, 1.0, wait=0, since=0)
    other = open_ledger(tmp_path)
    reserve(other)
    assert reserve(other).interval == 2


def test_silence_is_seen_by_another_process(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.silence(BASE, 600)
    ledger.close()
    body = """
try: ledger.reserve(base, 0.0, 1.0)
except Silenced as silenced: print(round(silenced.seconds, -1))
"""
    assert run_elsewhere(tmp_path, body) == "600.0"


def test_silence_ends(ledger: Ledger, clock: Clock) -> None:
    ledger.silence(BASE, 600)
    clock.now += 599
    with pytest.raises(Silenced) as refused:
        reserve(ledger)
    assert refused.value.seconds == 1
    clock.now += 1
    assert reserve(ledger).wait == 0


def test_silence_lasts_a_day_at_most(ledger: Ledger) -> None:
    ledger.silence(BASE, 1e9)
    assert ledger.look(BASE, 1.0).silence == LONGEST_SILENCE


def test_a_shorter_silence_does_not_end_a_longer_one(ledger: Ledger) -> None:
    ledger.silence(BASE, 600)
    ledger.silence(BASE, 5)
    assert ledger.look(BASE, 1.0).silence == 600


def test_a_clock_set_back_lengthens_no_wait(ledger: Ledger, clock: Clock) -> None:
    reserve(ledger)
    ledger.silence("https://other.test", 60)
    clock.now -= 600
    assert reserve(ledger).wait == 1
    assert ledger.look("https://other.test", 1.0).silence == 60
    clock.now += 60
    assert ledger.look("https://other.test", 1.0).silence == 0


def test_a_next_slot_absurdly_far_away_is_reset(
    ledger: Ledger, clock: Clock, tmp_path: Path
) -> None:
    reserve(ledger)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE pace SET next = ?", (clock.now + 1e6,))
    db.close()
    assert reserve(ledger).wait == 0


def test_rows_older_than_a_day_are_removed(ledger: Ledger, clock: Clock, tmp_path: Path) -> None:
    reserve(ledger)
    ledger.close()
    clock.now += LONGEST_SILENCE + 1
    ledger.reserve("https://other.test", 1.0, EVER)
    with sqlite3.connect(tmp_path / FILE) as db:
        assert db.execute("SELECT base FROM pace").fetchall() == [("https://other.test",)]
    db.close()


def test_without_spacing_nothing_is_reserved_and_silence_still_counts(
    ledger: Ledger, tmp_path: Path
) -> None:
    assert [reserve(ledger, floor=0).wait for _ in range(3)] == [0, 0, 0]
    with sqlite3.connect(tmp_path / FILE) as db:
        assert db.execute("SELECT count(*) FROM pace").fetchone() == (0,)
    db.close()
    ledger.silence(BASE, 60)
    with pytest.raises(Silenced):
        reserve(ledger, floor=0)


def test_without_spacing_a_short_wait_asked_for_is_kept(ledger: Ledger) -> None:
    ledger.push_back(BASE, 0.0, wait=7, since=0)
    assert reserve(ledger, floor=0).wait == 7
    with pytest.raises(TooLate):
        reserve(ledger, floor=0, latest=6)


def test_the_file_stands_in_the_cache_folder_of_the_user(
    open_ledger: OpenLedger,
) -> None:
    ledger = open_ledger(None)
    reserve(ledger)
    assert (platformdirs.user_cache_path("mcp-books", appauthor=False) / FILE).exists()


def paces_itself_and_says_so_once(ledger: Ledger, caplog: pytest.LogCaptureFixture) -> bool:
    caplog.clear()
    waits = [reserve(ledger).wait for _ in range(3)]
    said = [record for record in caplog.records if record.levelno == logging.ERROR]
    return waits == [0, 1, 2] and len(said) == 1


def test_a_corrupt_file_leaves_the_process_pacing_itself(
    tmp_path: Path, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_bytes(b"not a database, whatever its name says" * 100)
    assert paces_itself_and_says_so_once(ledger, caplog)


def test_a_folder_that_cannot_be_made_leaves_the_process_pacing_itself(
    tmp_path: Path, open_ledger: OpenLedger, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    ledger = open_ledger(tmp_path / "file" / "cache")
    assert paces_itself_and_says_so_once(ledger, caplog)
