"""How many files are downloaded at a time, and who comes next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from tg_throttle import Priority


@dataclass(slots=True, eq=False)
class Ticket:
    """A place in the queue; `granted` is set while it waits."""

    priority: Priority
    granted: asyncio.Future[None] | None = None


class Turns:
    """Lets `count` downloads run at once. Those with viewers come first, in the order in which they came.

    Those in the background get a turn only while no viewer waits for one, and never the last that is free: so a viewer
    who comes next finds one.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._queues: dict[Priority, deque[Ticket]] = {priority: deque() for priority in Priority}
        self.spare = count > 1
        """Whether there can ever be a turn for the background."""

    @asynccontextmanager
    async def turn(self, ticket: Ticket) -> AsyncIterator[None]:
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
                self._give_back()
            raise
        try:
            yield
        finally:
            self._give_back()

    def promote(self, ticket: Ticket) -> None:
        """A viewer waits for it now, too."""
        if ticket.priority is Priority.INTERACTIVE:
            return
        ticket.priority = Priority.INTERACTIVE
        if ticket in self._queues[Priority.BACKGROUND]:
            self._queues[Priority.BACKGROUND].remove(ticket)
            self._queues[Priority.INTERACTIVE].append(ticket)
            self._admit()

    def _give_back(self) -> None:
        self._free += 1
        self._admit()

    def _admit(self) -> None:
        viewers, others = self._queues[Priority.INTERACTIVE], self._queues[Priority.BACKGROUND]
        while (viewers and self._free) or (others and not viewers and self._free > 1):
            ticket = (viewers or others).popleft()
            # One that was cancelled in this very moment has yet to leave the queue.
            if ticket.granted is not None and not ticket.granted.done():
                self._free -= 1
                ticket.granted.set_result(None)
