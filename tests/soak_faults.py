"""Faults at random: everything that the local server can do to its clients, short of ending the login for good."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable

from soak_world import FAR_DC, HOME_DC, Channels

from tgserver import Action, Fault, Server

# All that the bridge calls, by name or by what carries it.
METHODS = (
    "*",
    "messages.getHistory",
    "contacts.resolveUsername",
    "channels.getFullChannel",
    "channels.getMessages",
    "upload.getFile",
    "users.getUsers",
    "updates.getState",
    "help.getConfig",
    "initConnection",
    "auth.exportAuthorization",
    "auth.importAuthorization",
    "ping",
    "ping_delay_disconnect",
)
# Errors that pass, with their codes where the name does not tell.
PASSING = (
    ("FLOOD_WAIT_1", 420),
    ("FLOOD_WAIT_3", 420),
    ("FLOOD_PREMIUM_WAIT_2", 420),
    ("RPC_CALL_FAIL", 500),
    ("INTERDC_4_CALL_ERROR", 500),
    ("NO_WORKERS_RUNNING", 500),
    ("TIMEOUT", -503),
    ("SOMETHING_NEW", 400),
)
# References that expire again and again mean that a file is gone, so there is a time between.
REFERENCES_LIVE_S = 15.0


class Storm:
    """Faults of all kinds, in a random order in which each has its turn. `met` counts them by kind."""

    def __init__(self, server: Server, channels: Channels, draw: random.Random) -> None:
        self.met: Counter[str] = Counter()
        self._server = server
        self._channels = channels
        self._draw = draw
        self._faults: list[Fault] = []
        self._references_expired_at = float("-inf")
        self._kinds: list[Callable[[], Awaitable[None]]] = [
            self._error,
            self._error,
            self._hang,
            self._delay,
            self._drop,
            self._silence_a_call,
            self._key_unknown_for_files,
            self._too_many_connections,
            self._bad_salt,
            self._wrong_part,
            self._wrong_part,
            self._difference_too_long,
            self._pushes_go_wrong,
            self._drop_all,
            self._half_open,
            self._closed_port,
            self._restart,
            self._move_files,
            self._point_elsewhere,
            self._expire_references,
            self._log_out_for_files,
            self._be_slow,
            self._clock_skew,
        ]

    async def rage(self, seconds: float, *, pause: float) -> None:
        """Make a fault about each `pause` seconds, and a post in between."""
        end = time.monotonic() + seconds
        waiting: list[Callable[[], Awaitable[None]]] = []
        while time.monotonic() < end:
            if not waiting:
                waiting = self._draw.sample(self._kinds, len(self._kinds))
            kind = waiting.pop()
            self.met[kind.__name__.strip("_")] += 1
            await kind()
            self._channels.post(self._server, self._draw.choice(self._channels.names))
            await asyncio.sleep(min(self._draw.expovariate(1 / pause), 4 * pause))

    async def end(self) -> None:
        """End all faults."""
        self._server.faults.clear()
        self._server.latency = 0.0
        self._server.bandwidth = None
        self._server.clock_offset = 0.0
        await self._server.accept()
        # A connection that is half-open stays so, as on a real line: the client has to notice.

    def hits(self) -> Counter[Action]:
        """How many calls and pushes have met which action."""
        found: Counter[Action] = Counter()
        for fault in self._faults:
            found[fault.action] += fault.hits
        return found

    def _add(self, action: Action, method: str, **more: object) -> None:
        times = self._draw.randint(1, 3)
        self._faults.append(self._server.fault(action, method, times, **more))

    def _method(self) -> str:
        return self._draw.choice(METHODS)

    # Of calls.

    async def _error(self) -> None:
        name, code = self._draw.choice(PASSING)
        self._add(Action.ERROR, self._method(), error=name, code=code)

    async def _hang(self) -> None:
        self._add(Action.HANG, self._method())

    async def _delay(self) -> None:
        self._add(Action.DELAY, self._method(), seconds=self._draw.uniform(0.1, 3))

    async def _drop(self) -> None:
        self._add(Action.DROP, self._method())

    async def _silence_a_call(self) -> None:
        self._add(Action.SILENCE, self._method())

    async def _key_unknown_for_files(self) -> None:
        # On the main line this is the end of the login.
        self._add(Action.TRANSPORT_ERROR, "*", code=-404, media=True)

    async def _too_many_connections(self) -> None:
        self._add(Action.TRANSPORT_ERROR, self._method(), code=-429)

    async def _bad_salt(self) -> None:
        self._add(Action.BAD_SALT, self._method())

    async def _wrong_part(self) -> None:
        # Twice in a row at its start means that the file is empty.
        action = self._draw.choice((Action.SHORT_PART, Action.LONG_PART, Action.EMPTY_PART))
        self._faults.append(self._server.fault(action, "upload.getFile", 1))

    async def _difference_too_long(self) -> None:
        self._add(Action.TOO_LONG, "updates.getChannelDifference")

    async def _pushes_go_wrong(self) -> None:
        self._add(self._draw.choice((Action.LOSE, Action.DOUBLE)), "push")

    # Of the server.

    async def _drop_all(self) -> None:
        self._server.drop_connections(self._dc(), abort=self._draw.random() < 0.5)

    async def _half_open(self) -> None:
        self._server.silence(self._dc())

    async def _closed_port(self) -> None:
        dc_id = self._dc()
        self._server.refuse(dc_id)
        self._server.drop_connections(dc_id)
        await asyncio.sleep(self._draw.uniform(0.5, 7))
        await self._server.accept()

    async def _restart(self) -> None:
        """The server forgets all sessions, though no keys, as one that is started again."""
        self._server.refuse()
        self._server.drop_connections(abort=True)
        for dc in self._server.dcs.values():
            dc.sessions.clear()
        await asyncio.sleep(self._draw.uniform(0, 2))
        await self._server.accept()

    async def _move_files(self) -> None:
        ids = [file_id for file_id, _ in self._server.world.files]
        self._server.move_files(self._draw.choice((HOME_DC, FAR_DC)), self._draw.sample(ids, len(ids) // 3))

    async def _point_elsewhere(self) -> None:
        self._add(
            Action.ERROR, "upload.getFile", error=f"FILE_MIGRATE_{self._draw.choice((HOME_DC, FAR_DC))}", code=303
        )

    async def _expire_references(self) -> None:
        if time.monotonic() - self._references_expired_at > REFERENCES_LIVE_S:
            self._references_expired_at = time.monotonic()
            self._server.expire_file_references()

    async def _log_out_for_files(self) -> None:
        """The other data center forgets who its keys belong to, or the keys themselves."""
        keys = self._server.dcs[FAR_DC].keys
        if self._draw.random() < 0.5:
            for key in keys.values():
                key.account = None
        else:
            keys.clear()

    async def _be_slow(self) -> None:
        self._server.latency = self._draw.choice((0.0, 0.05, 0.3))
        self._server.bandwidth = self._draw.choice((None, 200_000.0, 1_000_000.0))

    async def _clock_skew(self) -> None:
        self._server.clock_offset = self._draw.choice((0.0, -20.0, 20.0))

    def _dc(self) -> int | None:
        return self._draw.choice((None, HOME_DC, FAR_DC))
