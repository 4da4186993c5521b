"""Who may see what: a path is taken apart, and the token or the feed's key checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request

from errors import BadParameter
from model.channel_key import parse_channel_key
from model.message import LARGEST_ID
from routes.auth import Authenticator
from routes.feed_keys import FeedKeys
from routes.target import Target, parse_target

StoredId = Callable[[str | int], Awaitable[int | None]]
"""Tells which chat a key of `parse_channel_key` last meant, without asking Telegram; None if that is not stored."""


class Admission:
    """Lets requests in, or raises BadParameter, Forbidden or TooManyGuesses."""

    def __init__(self, auth: Authenticator, keys: FeedKeys, stored_id: StoredId) -> None:
        self._auth = auth
        self._keys = keys
        self._stored_id = stored_id

    @property
    def required(self) -> bool:
        """Whether a token is configured."""
        return self._auth.required

    def target(self, request: Request, path: str, *, with_post: bool = False) -> Target:
        """What the path names, for whoever has the token."""
        target = self._parsed(request, path, with_post=with_post)
        self._auth.check(request, target.token)
        if with_post and target.token is not None and target.post_id is None and not self._auth.required:
            raise BadParameter("post_id", f"must be a number from 1 to {LARGEST_ID}, got {target.token[:40]!r}")
        return target

    def post(self, request: Request, path: str, shape: str) -> tuple[str | int, int]:
        """The chat and the message that the path names, for whoever has the token. `shape` is how it is written."""
        target = self.target(request, path, with_post=True)
        if target.post_id is None:
            raise BadParameter("post_id", f"is missing: the address is {shape}/{{channel}}/{{post_id}}")
        return parse_channel_key(target.channel), target.post_id

    async def feed(self, request: Request, path: str) -> str | int:
        """The chat that the path names, for whoever has the token or the key of that chat's feeds."""
        target = self._parsed(request, path, with_post=False)
        if self._auth.admits(request, target.token):
            return parse_channel_key(target.channel)
        chat_id = await self._opened(target, request.query_params.get("key", ""))
        if chat_id is None:
            self._auth.refuse(request)
        return chat_id

    def _parsed(self, request: Request, path: str, *, with_post: bool) -> Target:
        try:
            return parse_target(path, is_token=self._auth.matches, with_post=with_post)
        except BadParameter:
            # Whoever guesses tokens must not learn anything from how a path is wrong.
            self._auth.check(request, path.rpartition("/")[2])
            raise

    async def _opened(self, target: Target, key: str) -> int | None:
        """The id of the chat if the key opens its feeds, else None.

        A name counts for the chat that it is known to belong to: to ask Telegram, one has to be let in first.
        """
        if not key:
            return None
        try:
            chat_id = await self._stored_id(parse_channel_key(target.channel))
        except BadParameter:
            chat_id = None
        return chat_id if self._keys.matches(chat_id, key) else None
