"""The optional token: where a request may carry it, and what becomes of those who guess."""

from __future__ import annotations

import hmac
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from starlette.requests import Request

from errors import Forbidden, TooManyGuesses
from routes.origin import Origin

log = logging.getLogger(__name__)

WINDOW_S = 60.0
GUESSES_PER_WINDOW = 10
# Bounds the memory that an attacker with many addresses can take.
REMEMBERED_ADDRESSES = 10_000


@dataclass(slots=True)
class _Guesses:
    window_start: float
    count: int = 0


class Authenticator:
    """Checks a request's token against the configured one; an empty token lets everybody in.

    A wrong or missing token is logged once per address and minute. After `GUESSES_PER_WINDOW` wrong ones within a
    minute an address gets TooManyGuesses for the rest of it, whatever it sends.
    """

    def __init__(self, token: str, origin: Origin, clock: Callable[[], float] = time.monotonic) -> None:
        self._token = token.encode()
        self._origin = origin
        self._clock = clock
        self._guesses: OrderedDict[str, _Guesses] = OrderedDict()

    @property
    def required(self) -> bool:
        """Whether a token is configured."""
        return bool(self._token)

    def matches(self, candidate: str) -> bool:
        """Whether this is the token, compared in constant time."""
        return self.required and hmac.compare_digest(candidate.encode("utf-8", "surrogatepass"), self._token)

    def check(self, request: Request, path_token: str | None = None) -> None:
        """Let the request pass, or raise Forbidden or TooManyGuesses.

        The token may be the path's last segment, the query parameter `token`, or a bearer token (RFC 6750 2.1).
        """
        if not self.admits(request, path_token):
            self.refuse(request)

    def refuse(self, request: Request) -> NoReturn:
        """Raise Forbidden, and count the guess."""
        self._note_failure(self._origin.client(request))
        raise Forbidden

    def admits(self, request: Request, path_token: str | None = None) -> bool:
        """Whether the request has the token, or needs none; where else it may be is told at `check`.

        Raises TooManyGuesses.
        """
        if not self.required:
            return True
        guesses = self._window(self._origin.client(request))
        if guesses is not None and guesses.count >= GUESSES_PER_WINDOW:
            raise TooManyGuesses(guesses.window_start + WINDOW_S - self._clock())
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        candidates = [path_token or "", request.query_params.get("token", "")]
        if scheme.lower() == "bearer":
            # Header bytes come as Latin-1; clients send UTF-8.
            candidates.append(bearer.strip().encode("latin-1").decode("utf-8", "surrogateescape"))
        # All are compared, so that the time taken does not tell which of them was looked at.
        matches = [self.matches(candidate) for candidate in candidates]
        return any(matches)

    def only_in_query(self, request: Request, path_token: str | None) -> bool:
        """Whether a request that was admitted owes it to the query parameter `token`, which links on a page lose."""
        elsewhere = path_token is not None or "authorization" in request.headers
        return not elsewhere and self.matches(request.query_params.get("token", ""))

    def _window(self, address: str) -> _Guesses | None:
        guesses = self._guesses.get(address)
        if guesses is not None and self._clock() - guesses.window_start >= WINDOW_S:
            del self._guesses[address]
            return None
        return guesses

    def _note_failure(self, address: str) -> None:
        guesses = self._guesses.get(address)
        if guesses is None:
            log.warning("wrong or missing token from %s", address)
            guesses = self._guesses[address] = _Guesses(self._clock())
            if len(self._guesses) > REMEMBERED_ADDRESSES:
                self._guesses.popitem(last=False)
        guesses.count += 1
