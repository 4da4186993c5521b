"""Faults on purpose: which calls are to go wrong, in which way, how often."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from tgserver.errors import RpcFailure
from tgserver.tl import is_method

ANY = "*"
PUSH = "push"
# Of a delay, in seconds.
LONGEST = 86_400
_INT32 = range(-(2**31), 2**31)


class Action(StrEnum):
    """What happens to a call (or to a push) that a fault meets."""

    ERROR = "error"
    """Answer with the RPC error `error` (for example FLOOD_WAIT_5)."""
    HANG = "hang"
    """Never answer this call; the connection lives on."""
    DELAY = "delay"
    """Answer `seconds` later."""
    DROP = "drop"
    """Close the connection instead of answering."""
    SILENCE = "silence"
    """Half-open: the socket stays open, nothing more is ever written to it."""
    TRANSPORT_ERROR = "transport_error"
    """Answer with the transport error `code` (-404, -429), then close."""
    BAD_SALT = "bad_salt"
    """Answer bad_server_salt; the client has to repeat with the new salt."""
    BAD_MESSAGE = "bad_message"
    """Answer bad_msg_notification: the message's number is too low; the client has to repeat with another."""
    WRONG_TYPE = "wrong_type"
    """Answer with an object that is none of those which the method may answer with (boolTrue)."""
    UNKNOWN_TYPE = "unknown_type"
    """Answer with an object whose constructor is in no schema."""
    DAMAGED = "damaged"
    """Answer with compressed bytes that can't be decompressed."""
    SHORT_PART = "short_part"
    """upload.getFile and getCdnFile: half of the bytes."""
    EMPTY_PART = "empty_part"
    """upload.getFile and getCdnFile: no bytes."""
    LONG_PART = "long_part"
    """upload.getFile and getCdnFile: 1024 bytes more than there are or were asked for."""
    TOO_LONG = "too_long"
    """updates.getChannelDifference and getDifference: the gap is too long to tell."""
    LOSE = "lose"
    """A push (method "push") that is never sent."""
    DOUBLE = "double"
    """A push (method "push") that is sent twice."""


def is_number(value: object) -> bool:
    """Whether it is a finite number, and no truth value."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(slots=True)
class Fault:
    """A rule: the next `times` calls (None: all) of `method` meet `action`.

    `method` is a TL name such as `upload.getFile`, `initConnection` for the start of a
    session, `ping_delay_disconnect` for the keep-alive, `push` for updates, `*` for any call.
    `after` calls go well first. `dc_id` and `media` narrow the rule to one data center and to
    media or main connections.
    """

    action: Action
    method: str = ANY
    times: int | None = None
    after: int = 0
    error: str = ""
    code: int | None = None
    seconds: float = 0.0
    dc_id: int | None = None
    media: bool | None = None
    hits: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.action = Action(self.action)
        whole = {"times": self.times, "after": self.after, "code": self.code, "dc_id": self.dc_id}
        for name, value in whole.items():
            if value is not None and type(value) is not int:
                raise ValueError(f"{name} must be a whole number")
        if not is_number(self.seconds) or not 0 <= self.seconds <= LONGEST:
            raise ValueError(f"seconds must be a number of at least 0 and at most {LONGEST}")
        if self.after < 0:
            raise ValueError("after must be at least 0")
        if not isinstance(self.method, str) or not isinstance(self.error, str):
            raise ValueError("method and error must be names")
        if self.method not in (ANY, PUSH) and not is_method(self.method):
            raise ValueError(f"there is no method {self.method!r:.80}; methods are named as in messages.getHistory")
        if self.code is not None and self.code not in _INT32:
            raise ValueError("code must be a number that TL's int can carry")
        if self.media is not None and not isinstance(self.media, bool):
            raise ValueError("media must be true or false")
        if self.action is Action.ERROR and not self.error:
            raise ValueError('an "error" fault needs the error\'s name, for example FLOOD_WAIT_5')
        if self.action is Action.TRANSPORT_ERROR and self.code is None:
            raise ValueError('a "transport_error" fault needs a code, for example -404')
        if self.times is not None and self.times < 1:
            raise ValueError("times must be at least 1, or null for all calls")

    @property
    def spent(self) -> bool:
        """Whether the fault has met all the calls that it was made for."""
        return self.times is not None and self.hits >= self.times

    def failure(self) -> RpcFailure:
        """The error that an ERROR fault answers with."""
        return RpcFailure(self.error, self.code)


class FaultBook:
    """The faults in force. What is added first is met first."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        """Put a fault in force; its `hits` count the calls that it met."""
        self._faults.append(fault)
        return fault

    def remove(self, fault: Fault) -> None:
        """End one fault; no error if it is spent already."""
        self._faults = [entry for entry in self._faults if entry is not fault]

    def clear(self) -> None:
        """End all faults."""
        self._faults.clear()

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._faults)

    def meet(self, names: Collection[str], dc_id: int, media: bool) -> list[Fault]:
        """The faults that a call meets: all delays, and the first fault of another kind.

        `names` are the method's and those of the wrappers around it.
        """
        if not self._faults:
            return []
        met: list[Fault] = []
        decided = False
        for fault in self._faults:
            if fault.method not in names and not (fault.method == ANY and PUSH not in names):
                continue
            if fault.dc_id not in (None, dc_id) or fault.media not in (None, media):
                continue
            if decided and fault.action is not Action.DELAY:
                continue
            if fault.after:
                fault.after -= 1
                continue
            fault.hits += 1
            decided = decided or fault.action is not Action.DELAY
            met.append(fault)
        if any(fault.spent for fault in met):
            self._faults = [fault for fault in self._faults if not fault.spent]
        return met
