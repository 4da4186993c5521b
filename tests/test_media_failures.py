"""A file that has failed is not asked for again at once."""

from __future__ import annotations

import gc
import weakref

import pytest
from media_source import Clock

from errors import (
    BadParameter,
    BridgeError,
    FloodWait,
    MediaGone,
    NotLoggedIn,
    Overloaded,
    StorageUnavailable,
    TelegramTimeout,
    afresh,
)
from media_cache.failures import FailureMemory


def is_open(memory: FailureMemory, key: str = "file") -> bool:
    try:
        memory.check(key)
    except BridgeError:
        return False
    return True


def test_the_pause_is_a_minute_at_first_and_doubles_up_to_six_hours() -> None:
    clock = Clock()
    memory = FailureMemory(clock)
    pauses = []
    for _ in range(12):
        memory.note("file", TelegramTimeout())
        begin = clock.now
        while not is_open(memory):
            clock.now += 30
        pauses.append(clock.now - begin)
    assert pauses[:4] == [60, 120, 240, 480]
    assert pauses[-2:] == [6 * 3600, 6 * 3600]


def test_the_same_kind_of_fault_comes_back_with_the_time_that_is_left() -> None:
    clock = Clock()
    memory = FailureMemory(clock)
    memory.note("file", TelegramTimeout("too slow"))
    clock.now += 20
    with pytest.raises(TelegramTimeout, match="too slow") as caught:
        memory.check("file")
    assert caught.value.retry_after == 40


def test_a_fault_that_names_a_longer_time_lasts_as_long() -> None:
    clock = Clock()
    memory = FailureMemory(clock)
    memory.note("file", TelegramTimeout(retry_after=1000))
    clock.now += 999
    assert not is_open(memory)
    clock.now += 1
    assert is_open(memory)


@pytest.mark.parametrize("fault", [FloodWait(1000), StorageUnavailable("full"), NotLoggedIn(), Overloaded("busy", 30)])
def test_what_is_not_the_files_fault_is_not_held_against_it(fault: BridgeError) -> None:
    memory = FailureMemory(Clock())
    memory.note("file", fault)
    assert is_open(memory)


def test_files_that_telegram_does_not_have_are_known_for_a_day_or_until_they_are_there() -> None:
    clock = Clock()
    memory = FailureMemory(clock, capacity=3)
    assert memory.gone() == frozenset()
    memory.note("slow", TelegramTimeout())
    memory.note("lost", MediaGone())
    clock.now += 3600
    memory.note("lost too", MediaGone())
    known = memory.gone()
    assert known == {"lost", "lost too"}
    # Documents are remembered under it.
    assert memory.gone() is known
    clock.now += 23 * 3600
    assert memory.gone() == {"lost too"}
    memory.note("lost too", TelegramTimeout())
    assert memory.gone() == frozenset()
    for number in range(4):
        memory.note(f"file {number}", MediaGone())
    assert memory.gone() == {"file 1", "file 2", "file 3"}
    memory.forget("file 1")
    assert memory.gone() == {"file 2", "file 3"}
    clock.now -= 10
    assert memory.gone() == frozenset()
    clock.now += 10
    memory.forget_all()
    assert memory.gone() == frozenset()


def test_a_clock_that_is_set_back_ends_a_pause() -> None:
    clock = Clock()
    memory = FailureMemory(clock)
    memory.note("file", TelegramTimeout())
    clock.now -= 24 * 3600
    assert is_open(memory)


def test_that_a_file_is_gone_is_remembered() -> None:
    memory = FailureMemory(Clock())
    memory.note("file", MediaGone("gone"))
    with pytest.raises(MediaGone):
        memory.check("file")


def test_a_success_makes_the_next_failure_a_first_one() -> None:
    clock = Clock()
    memory = FailureMemory(clock)
    memory.note("file", TelegramTimeout())
    memory.note("file", TelegramTimeout())
    memory.forget("file")
    assert is_open(memory)
    memory.note("file", TelegramTimeout())
    clock.now += 60
    assert is_open(memory)


def test_a_restart_forgets_every_failure() -> None:
    memory = FailureMemory(Clock())
    memory.note("one", TelegramTimeout())
    memory.note("two", MediaGone("gone"))
    memory.forget_all()
    assert is_open(memory, "one")
    assert is_open(memory, "two")
    assert len(memory) == 0


def test_the_memory_has_an_end_and_the_oldest_failures_go_first() -> None:
    memory = FailureMemory(Clock(), capacity=3)
    for key in ["a", "b", "c", "d"]:
        memory.note(key, MediaGone(key))
    assert len(memory) == 3
    assert is_open(memory, "a")
    assert not is_open(memory, "d")


def test_a_remembered_fault_holds_on_to_nothing_that_took_part_in_it() -> None:
    class Big:
        pass

    def fail(held: Big) -> None:
        try:
            raise ValueError(held)
        except ValueError as cause:
            raise TelegramTimeout from cause

    memory = FailureMemory(Clock())
    big = Big()
    watch = weakref.ref(big)
    try:
        fail(big)
    except TelegramTimeout as fault:
        memory.note("file", fault)
    del big
    gc.collect()
    assert watch() is None


@pytest.mark.parametrize(
    "fault",
    [FloodWait(7, "files"), TelegramTimeout(), NotLoggedIn(), MediaGone("gone"), BadParameter("a", "b")],
    ids=repr,
)
def test_a_fault_told_afresh_is_the_same_but_for_what_it_held(fault: BridgeError) -> None:
    try:
        try:
            raise ValueError
        except ValueError as cause:
            raise fault from cause
    except BridgeError:
        twin = afresh(fault)
    assert twin is not fault
    assert (type(twin), twin.args, str(twin), vars(twin)) == (type(fault), fault.args, str(fault), vars(fault))
    assert fault.__traceback__ is not None
    assert (twin.__traceback__, twin.__context__, twin.__cause__) == (None, None, None)


def test_who_is_told_of_a_fault_does_not_change_it_for_the_next() -> None:
    clock = Clock()
    memory = FailureMemory(clock)
    memory.note("file", TelegramTimeout())
    told = []
    for _ in range(2):
        with pytest.raises(TelegramTimeout) as caught:
            memory.check("file")
        told.append(caught.value)
        clock.now += 20
    assert [fault.retry_after for fault in told] == [60, 40]


def test_failures_in_a_row_are_counted_and_a_success_ends_the_row() -> None:
    clock = Clock()
    memory = FailureMemory(clock)
    assert (memory.times("file"), memory.pause_of("file")) == (0, 0)
    for times in range(1, 4):
        memory.note("file", TelegramTimeout())
        assert memory.times("file") == times
    assert memory.pause_of("file") == 240
    clock.now += 240
    assert (memory.times("file"), memory.pause_of("file")) == (3, 0)
    memory.forget("file")
    assert memory.times("file") == 0
