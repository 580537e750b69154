"""A ledger whose file is held or gone goes on from what it knows, and forgets no silence."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from mcp_books import _ledger
from mcp_books._ledger import Ledger, Silenced, Slot, TooLate

BASE = "https://archive.test"
EVER = float("inf")
FILE = "pacing-1.sqlite3"


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    with closing(Ledger(tmp_path, clock=clock)) as one:
        yield one


@pytest.fixture
def other(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    """The same ledger in another process, as far as the file is concerned."""
    with closing(Ledger(tmp_path, clock=clock)) as one:
        yield one


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ledger, "_BUSY", 0.02)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the file as a process does that is stopped in the middle of a write."""
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        yield


def reserve(ledger: Ledger, floor: float = 1.0, latest: float = EVER) -> Slot:
    return ledger.reserve(BASE, floor, latest)


HOLD = """
import sqlite3, sys
holder = sqlite3.connect(sys.argv[1], isolation_level=None)
holder.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
holder.execute("COMMIT")
"""


def test_a_file_another_process_holds_is_waited_for(tmp_path: Path, ledger: Ledger) -> None:
    reserve(ledger)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / FILE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        # Longer than any reader or writer needs, and far shorter than the ledger waits.
        release = threading.Timer(0.5, process.communicate, ["\n"])
        release.start()
        assert reserve(ledger).wait == 1
        release.join()
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("SELECT next FROM pace").fetchone() == (1_800_000_002.0,)


@pytest.mark.usefixtures("hurried")
def test_a_silence_is_kept_while_the_file_is_held(
    tmp_path: Path, ledger: Ledger, other: Ledger
) -> None:
    other.silence(BASE, 600)
    assert ledger.look(BASE, 1.0).silence == 600
    with held(tmp_path), pytest.raises(Silenced) as refused:
        reserve(ledger)
    assert refused.value.seconds == 600


@pytest.mark.usefixtures("hurried")
def test_a_widening_and_the_last_slot_are_kept_while_the_file_is_held(
    tmp_path: Path, ledger: Ledger, other: Ledger
) -> None:
    other.push_back(BASE, 1.0, wait=10, since=0)
    ledger.look(BASE, 1.0)
    with held(tmp_path):
        slots = [reserve(ledger) for _ in range(3)]
    assert [slot.wait for slot in slots] == [10, 12, 14]
    assert {slot.refusals for slot in slots} == {1}


@pytest.mark.usefixtures("hurried")
def test_the_file_is_used_again_by_the_next_request(
    tmp_path: Path, ledger: Ledger, other: Ledger
) -> None:
    reserve(ledger)
    with held(tmp_path):
        assert reserve(ledger).wait == 1
    other.silence(BASE, 60)
    with pytest.raises(Silenced):
        reserve(ledger)


@pytest.mark.usefixtures("hurried")
@pytest.mark.proves("9.2")
def test_what_could_not_be_written_reaches_the_others_once_it_can(
    tmp_path: Path, ledger: Ledger, other: Ledger
) -> None:
    reserve(ledger)
    with held(tmp_path):
        ledger.silence(BASE, 600)
        ledger.push_back(BASE, 1.0, wait=0, since=1)
    assert other.look(BASE, 1.0).silence == 0
    ledger.look(BASE, 1.0)
    told = other.look(BASE, 1.0)
    assert (told.silence, told.interval, told.refusals) == (600, 2, 2)


@pytest.mark.usefixtures("hurried")
def test_what_both_learnt_meanwhile_is_joined(
    tmp_path: Path, ledger: Ledger, other: Ledger
) -> None:
    reserve(ledger)
    with held(tmp_path):
        ledger.silence(BASE, 60)
    other.silence(BASE, 600)
    assert ledger.look(BASE, 1.0).silence == 600
    ledger.silence(BASE, 5)
    assert other.look(BASE, 1.0).silence == 600


def test_nobody_waits_for_the_file_past_the_time_allowed(tmp_path: Path, ledger: Ledger) -> None:
    reserve(ledger)
    said: list[str] = []

    def ask() -> None:
        with pytest.raises(TooLate):
            reserve(ledger, latest=0.01)
        ledger.look(BASE, 1.0, patience=0.01)
        said.append("answered")

    with held(tmp_path):
        asking = threading.Thread(target=ask)
        asking.start()
        asking.join(3)
        assert said == ["answered"]


def test_those_who_wait_for_the_file_wait_at_the_same_time(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ledger, "_BUSY", 0.5)
    reserve(ledger)
    waits: list[float] = []
    with held(tmp_path):
        threads = [
            threading.Thread(target=lambda: waits.append(reserve(ledger).wait)) for _ in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
    assert sorted(waits) == list(range(1, 21))


def test_a_file_that_breaks_later_leaves_what_was_read_from_it(
    tmp_path: Path, ledger: Ledger, other: Ledger
) -> None:
    other.silence(BASE, 600)
    ledger.look(BASE, 1.0)
    other.close()
    (tmp_path / FILE).write_bytes(b"not a database any more" * 1000)
    with pytest.raises(Silenced):
        reserve(ledger)


@pytest.mark.usefixtures("hurried")
def test_a_file_held_from_the_start_is_used_once_it_is_free(
    tmp_path: Path, ledger: Ledger, other: Ledger
) -> None:
    reserve(other)
    with held(tmp_path):
        assert reserve(ledger).wait == 0
    assert reserve(ledger).wait == 1


def test_a_file_that_cannot_be_used_is_tried_again_after_a_while(
    tmp_path: Path, clock: Clock, other: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ledger, "_UNUSABLE_FOR", 0.0)
    folder = tmp_path / "cache"
    folder.write_text("in the way")
    with closing(Ledger(folder, clock=clock)) as ledger:
        ledger.silence(BASE, 600)
        folder.unlink()
        with pytest.raises(Silenced):
            reserve(ledger)
    with closing(Ledger(folder, clock=clock)) as later, pytest.raises(Silenced):
        reserve(later)


def test_a_silence_ends_although_the_clock_was_set_back(ledger: Ledger, clock: Clock) -> None:
    ledger.silence(BASE, 60)
    clock.now -= 600
    for _ in range(6):
        with pytest.raises(Silenced):
            reserve(ledger)
        clock.now += 10
    assert reserve(ledger).wait == 0
