"""Viewers come first; the background never has the last turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

from media_cache.turns import Ticket, Turns
from tg_throttle import Priority


class Holder:
    """Waits for a turn and holds it until told to leave."""

    def __init__(self, turns: Turns, priority: Priority = Priority.INTERACTIVE, dc_id: int = 2) -> None:
        self.ticket = Ticket(priority, dc_id)
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


async def until_turn(holder: Holder) -> None:
    async with asyncio.timeout(5):
        while not holder.has_turn:
            await asyncio.sleep(0.005)


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


async def test_the_background_has_the_only_turn_until_a_viewer_comes_and_goes_on_after_the_last_one() -> None:
    turns = Turns(1)
    background, next_one = Holder(turns, Priority.BACKGROUND), Holder(turns, Priority.BACKGROUND)
    await settle()
    assert having([background, next_one]) == [True, False]
    viewers = [Holder(turns) for _ in range(2)]
    await settle()
    assert having(viewers) == [True, False]
    clear = asyncio.create_task(turns.way_is_clear(background.ticket))
    await viewers[0].leave()
    await settle()
    assert having(viewers) == [False, True]
    assert not clear.done()
    await viewers[1].leave()
    await settle()
    # It has its turn again, so that the next one waits.
    assert clear.done()
    assert having([background, next_one]) == [True, False]
    await background.leave()
    await settle()
    assert next_one.has_turn


async def test_with_one_turn_the_background_waits_for_viewers_that_came_before() -> None:
    turns = Turns(1)
    viewer, background = Holder(turns), Holder(turns, Priority.BACKGROUND)
    await settle()
    assert having([viewer, background]) == [True, False]
    turns.promote(background.ticket)
    await viewer.leave()
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


STALL = 0.25


async def test_downloads_of_a_silent_data_center_lend_their_turns_to_viewers_who_wait() -> None:
    turns = Turns(2, stall=STALL)
    dead = [Holder(turns, dc_id=4) for _ in range(2)]
    await settle()
    waiting = [Holder(turns, dc_id=2) for _ in range(3)]
    await settle()
    assert having(dead + waiting) == [True, True, False, False, False]
    await until_turn(waiting[1])
    # Those two now hold what there is, and theirs has not been silent for long.
    assert having(waiting) == [True, True, False]
    # That a lent turn ends frees nothing: it is another's.
    await dead[0].leave()
    await settle()
    assert not waiting[2].has_turn


async def test_with_nobody_waiting_no_turn_is_lent() -> None:
    turns = Turns(1, stall=STALL)
    dead = Holder(turns)
    background = Holder(turns, Priority.BACKGROUND)
    await asyncio.sleep(1.5 * STALL)
    assert not dead.ticket.lent
    assert not background.has_turn


async def test_a_data_center_that_sends_to_anyone_is_not_silent() -> None:
    turns = Turns(2, stall=3 * STALL)
    slow, brisk = Holder(turns), Holder(turns)
    await settle()
    late = Holder(turns, dc_id=4)
    for _ in range(20):
        turns.part_came(brisk.ticket)
        await asyncio.sleep(STALL / 5)
    assert not slow.ticket.lent
    assert not late.has_turn
    await until_turn(late)


async def test_a_download_that_goes_on_has_its_turn_again_and_newcomers_wait() -> None:
    turns = Turns(1, stall=STALL)
    film = Holder(turns, dc_id=4)
    await settle()
    picture = Holder(turns)
    await until_turn(picture)
    turns.part_came(film.ticket)
    assert not film.ticket.lent
    late = Holder(turns)
    await picture.leave()
    await settle()
    # Two ran where one may: the film still does.
    assert not late.has_turn
    await film.leave()
    await settle()
    assert late.has_turn


async def test_files_of_a_silent_data_center_wait_behind_those_of_others() -> None:
    turns = Turns(1, stall=STALL)
    dead = [Holder(turns, dc_id=4) for _ in range(10)]
    await settle()
    alive = Holder(turns, dc_id=2)
    await until_turn(alive)
    assert having(dead) == [True] + [False] * 9
    await alive.leave()
    await settle()
    # Nobody else wants the turn, and the data center may be back.
    assert having(dead) == [True, True] + [False] * 8
    # When its last download has ended, what was known of it is forgotten.
    await dead[0].leave()
    await dead[1].leave()
    await settle()
    late = Holder(turns, dc_id=2)
    await dead[2].leave()
    await settle()
    assert dead[3].has_turn and not late.has_turn


async def test_whatever_happens_to_downloads_no_turn_is_lost_or_made() -> None:
    random = Random(7)
    turns = Turns(3, stall=0.001)
    holders: list[Holder] = []
    for _ in range(400):
        holders.append(Holder(turns, random.choice(list(Priority)), random.choice((1, 2, 4))))
        await asyncio.sleep(random.choice((0, 0, 0.002)))
        for holder in random.sample(holders, min(3, len(holders))):
            act = random.choice(("leave", "cancel", "part", "promote"))
            if act == "leave" and holder.has_turn:
                await holder.leave()
            elif act == "cancel":
                holder.task.cancel()
            elif act == "part" and holder.has_turn and not holder.task.done():
                turns.part_came(holder.ticket)
            elif act == "promote":
                turns.promote(holder.ticket)
    for holder in holders:
        holder.task.cancel()
    await asyncio.wait([holder.task for holder in holders])
    fresh = [Holder(turns) for _ in range(4)]
    await settle()
    assert having(fresh) == [True, True, True, False]


# The background gives way.


class Fetching:
    """A download that asks for one thing after the other when its way is clear."""

    def __init__(self, turns: Turns, priority: Priority = Priority.BACKGROUND) -> None:
        self.ticket = Ticket(priority)
        self.asked = 0
        self.task = asyncio.create_task(self._run(turns))

    async def _run(self, turns: Turns) -> None:
        async with turns.turn(self.ticket) as turn:
            while True:
                await turn.way_is_clear()
                self.asked += 1
                await asyncio.sleep(0)

    async def asks(self) -> bool:
        before = self.asked
        await settle()
        return self.asked > before


async def test_the_background_asks_for_nothing_while_a_viewers_download_is_running() -> None:
    turns = Turns(3)
    background = Fetching(turns)
    assert await background.asks()
    viewers = [Holder(turns), Holder(turns)]
    await settle()
    assert not await background.asks()
    await viewers[0].leave()
    assert not await background.asks()
    await viewers[1].leave()
    await settle()
    assert await background.asks()
    Holder(turns)
    await settle()
    assert not await background.asks()
    # It has a viewer of its own now.
    turns.promote(background.ticket)
    await settle()
    assert await background.asks()


async def test_a_download_in_the_background_lends_its_turn_to_viewers_who_wait() -> None:
    turns = Turns(2)
    background = Fetching(turns)
    await settle()
    viewers = [Holder(turns) for _ in range(3)]
    await settle()
    assert having(viewers) == [True, True, False]
    # What was asked for before comes: that changes nothing.
    turns.part_came(background.ticket)
    await viewers[0].leave()
    await settle()
    assert having(viewers) == [False, True, True]
    await viewers[1].leave()
    await viewers[2].leave()
    await settle()
    assert await background.asks()
    assert not background.ticket.lent
