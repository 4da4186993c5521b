"""Viewers come first; the background never has the last turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from media_cache.turns import Ticket, Turns
from tg_throttle import Priority


class Holder:
    """Waits for a turn and holds it until told to leave."""

    def __init__(self, turns: Turns, priority: Priority = Priority.INTERACTIVE) -> None:
        self.ticket = Ticket(priority)
        self.has_turn = False
        self._leave = asyncio.Event()
        self._turns = turns
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async with self._turns.turn(self.ticket):
            self.has_turn = True
            await self._leave.wait()
        self.has_turn = False

    async def leave(self) -> None:
        self._leave.set()
        await asyncio.wait([self.task])


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def having(holders: list[Holder]) -> list[bool]:
    return [holder.has_turn for holder in holders]


async def test_viewers_are_served_in_the_order_in_which_they_came() -> None:
    turns = Turns(2)
    holders = [Holder(turns) for _ in range(4)]
    await settle()
    assert having(holders) == [True, True, False, False]
    await holders[1].leave()
    await settle()
    assert having(holders) == [True, False, True, False]


async def test_the_background_leaves_one_turn_free() -> None:
    turns = Turns(3)
    background = [Holder(turns, Priority.BACKGROUND) for _ in range(3)]
    await settle()
    assert having(background) == [True, True, False]
    viewer = Holder(turns)
    await settle()
    assert viewer.has_turn
    await viewer.leave()
    await settle()
    assert having(background) == [True, True, False]
    await background[0].leave()
    await settle()
    assert having(background) == [False, True, True]


async def test_a_viewer_that_waits_is_ahead_of_the_background() -> None:
    turns = Turns(2)
    viewers = [Holder(turns) for _ in range(2)]
    background = Holder(turns, Priority.BACKGROUND)
    late = Holder(turns)
    await settle()
    await viewers[0].leave()
    await settle()
    assert late.has_turn and not background.has_turn
    await viewers[1].leave()
    await settle()
    assert not background.has_turn
    await late.leave()
    await settle()
    assert background.has_turn


async def test_with_one_turn_there_is_none_for_the_background() -> None:
    turns = Turns(1)
    assert not turns.spare
    background = Holder(turns, Priority.BACKGROUND)
    await settle()
    assert not background.has_turn
    turns.promote(background.ticket)
    await settle()
    assert background.has_turn


async def test_a_ticket_that_is_promoted_waits_behind_the_viewers_who_came_before() -> None:
    turns = Turns(1)
    first, background, second = Holder(turns), Holder(turns, Priority.BACKGROUND), Holder(turns)
    await settle()
    turns.promote(background.ticket)
    turns.promote(background.ticket)
    await first.leave()
    await settle()
    assert second.has_turn and not background.has_turn
    await second.leave()
    await settle()
    assert background.has_turn


async def cancelled_while(granting: Callable[[Holder], object]) -> None:
    """A turn is not lost when its holder is cancelled at whatever moment."""
    turns = Turns(1)
    first, doomed, last = Holder(turns), Holder(turns), Holder(turns)
    await settle()
    granting(first)
    doomed.task.cancel()
    await first.leave()
    await asyncio.wait([doomed.task])
    await settle()
    assert last.has_turn


async def test_a_cancelled_waiter_loses_no_turn() -> None:
    await cancelled_while(lambda first: None)
    await cancelled_while(lambda first: first._leave.set())


async def test_a_waiter_cancelled_in_the_moment_of_its_turn_passes_it_on() -> None:
    turns = Turns(1)
    first, doomed, last = Holder(turns), Holder(turns), Holder(turns)
    await settle()
    first._leave.set()
    # Until its turn is granted, but not until it has noticed.
    while doomed.ticket.granted is None or not doomed.ticket.granted.done():
        await asyncio.sleep(0)
    doomed.task.cancel()
    await settle()
    assert not doomed.has_turn
    assert last.has_turn
