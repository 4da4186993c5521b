"""How many files are downloaded at a time, and who comes next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from tg_throttle import Priority

# Longer than the slowest acceptable connection takes for a part, much shorter than a viewer waits for a turn.
STALL = 8.0


@dataclass(slots=True, eq=False)
class Ticket:
    """A place in the queue, and later the turn itself. `dc_id` is the data center that is to send the file.

    `granted` is set while it waits. `since` is when it got its turn (the loop's time). `lent`: it is running, but has
    given its turn to others because nothing comes.
    """

    priority: Priority
    dc_id: int = 0
    granted: asyncio.Future[None] | None = None
    since: float = 0.0
    lent: bool = False


class Turn:
    """What a running download does with its turn."""

    def __init__(self, turns: Turns, ticket: Ticket) -> None:
        self._turns = turns
        self._ticket = ticket

    @property
    def in_background(self) -> bool:
        """Whether no viewer waits for the file."""
        return self._ticket.priority is Priority.BACKGROUND

    def part_came(self) -> None:
        """The download has got something from its data center."""
        self._turns.part_came(self._ticket)

    async def way_is_clear(self) -> None:
        """Return when the download may ask for more: in the background not while any viewer's is running."""
        await self._turns.way_is_clear(self._ticket)


class Turns:
    """Lets `count` downloads run at once. Those with viewers come first, in the order in which they came.

    Those in the background get a turn only while no viewer waits for one, and never the last of several that are free:
    so a viewer who comes next finds one. They ask for nothing while a viewer's download is running, and lend it their
    turns; where there is only one turn at all, they have it until a viewer comes.

    A download whose data center has sent nothing to anybody for `stall` seconds lends its turn to viewers who wait.
    It goes on waiting for Telegram, and has its turn again with its next part, even if there is none free: nobody in
    the middle of a film queues behind newcomers, who wait until there are fewer again. Of those who wait, the ones
    for another data center than the silent one come first.
    """

    def __init__(self, count: int, *, stall: float = STALL) -> None:
        # Below 0 while more run than should, after a silence.
        self._free = count
        # So many free turns the background leaves to viewers.
        self._reserved = min(1, count - 1)
        self._stall = stall
        self._queues: dict[Priority, deque[Ticket]] = {priority: deque() for priority in Priority}
        self._running: set[Ticket] = set()
        # When each data center with running downloads sent its last part, and those that were found to be silent.
        self._sent_at: dict[int, float] = {}
        self._silent: set[int] = set()
        self._look: asyncio.TimerHandle | None = None
        # Set, and replaced, when a download has ended or got a viewer.
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def turn(self, ticket: Ticket) -> AsyncIterator[Turn]:
        """Wait for a turn and have it for the time of the block."""
        ticket.granted = asyncio.get_running_loop().create_future()
        self._queues[ticket.priority].append(ticket)
        self._admit()
        try:
            await ticket.granted
        except asyncio.CancelledError:
            if ticket.granted.cancelled():
                with suppress(ValueError):
                    self._queues[ticket.priority].remove(ticket)
            else:
                self._give_back(ticket)
            raise
        try:
            yield Turn(self, ticket)
        finally:
            self._give_back(ticket)

    def promote(self, ticket: Ticket) -> None:
        """A viewer waits for it now, too."""
        if ticket.priority is Priority.INTERACTIVE:
            return
        ticket.priority = Priority.INTERACTIVE
        if ticket in self._queues[Priority.BACKGROUND]:
            self._queues[Priority.BACKGROUND].remove(ticket)
            self._queues[Priority.INTERACTIVE].append(ticket)
            self._admit()
        self._take_again(ticket)
        self._tell_of_change()

    def part_came(self, ticket: Ticket) -> None:
        """A running download has got something from its data center."""
        self._sent_at[ticket.dc_id] = _now()
        self._silent.discard(ticket.dc_id)
        if ticket.priority is Priority.INTERACTIVE:
            self._take_again(ticket)

    async def way_is_clear(self, ticket: Ticket) -> None:
        """Return when a running download may ask for more."""
        while ticket.priority is Priority.BACKGROUND and self._viewers_run():
            await self._changed.wait()
        self._take_again(ticket)

    def _viewers_run(self) -> bool:
        return any(ticket.priority is Priority.INTERACTIVE for ticket in self._running)

    def _take_again(self, ticket: Ticket) -> None:
        if ticket.lent and ticket in self._running:
            ticket.lent = False
            self._free -= 1

    def _lend(self, ticket: Ticket) -> None:
        if not ticket.lent:
            ticket.lent = True
            self._free += 1

    def _tell_of_change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _give_back(self, ticket: Ticket) -> None:
        self._running.discard(ticket)
        if not any(other.dc_id == ticket.dc_id for other in self._running):
            self._sent_at.pop(ticket.dc_id, None)
            self._silent.discard(ticket.dc_id)
        if not ticket.lent:
            self._free += 1
        self._admit()
        self._tell_of_change()

    def _admit(self) -> None:
        viewers, others = self._queues[Priority.INTERACTIVE], self._queues[Priority.BACKGROUND]
        if viewers and self._free <= 0:
            for ticket in self._running:
                if ticket.priority is Priority.BACKGROUND:
                    self._lend(ticket)
        while (viewers and self._free > 0) or (others and not viewers and self._spare() > self._reserved):
            ticket = self._take_next(viewers or others)
            # One that was cancelled in this very moment has yet to leave the queue.
            if ticket.granted is not None and not ticket.granted.done():
                self._free -= 1
                ticket.since = _now()
                self._running.add(ticket)
                ticket.granted.set_result(None)
        if viewers and self._look is None:
            self._look_later()

    def _spare(self) -> int:
        """How many turns are free and will be, when all who have lent theirs have it again."""
        return self._free - sum(ticket.lent for ticket in self._running)

    def _take_next(self, queue: deque[Ticket]) -> Ticket:
        ticket = next((ticket for ticket in queue if ticket.dc_id not in self._silent), queue[0])
        queue.remove(ticket)
        return ticket

    def _look_later(self) -> None:
        """Look again when the next running download will have waited for too long."""
        due = [self._quiet_since(ticket) + self._stall for ticket in self._running if not ticket.lent]
        if due:
            self._look = asyncio.get_running_loop().call_at(min(due), self._lend_silent)

    def _lend_silent(self) -> None:
        self._look = None
        if self._queues[Priority.INTERACTIVE]:
            latest = _now() - self._stall
            for ticket in self._running:
                if not ticket.lent and self._quiet_since(ticket) <= latest:
                    self._lend(ticket)
                    self._silent.add(ticket.dc_id)
            self._admit()

    def _quiet_since(self, ticket: Ticket) -> float:
        return max(ticket.since, self._sent_at.get(ticket.dc_id, 0.0))


def _now() -> float:
    return asyncio.get_running_loop().time()
