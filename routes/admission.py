"""Who may see what: a path is taken apart, and the token or the feed's key checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request

from errors import BadParameter
from history.place import Key
from model.channel_key import parse_channel_key
from model.message import LARGEST_ID
from model.thread import thread_name
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

    def target(self, request: Request, path: str, *, with_post: bool = False, with_thread: bool = False) -> Target:
        """What the path names, for whoever has the token."""
        target = self._parsed(request, path, with_post=with_post, with_thread=with_thread)
        self._auth.check(request, target.token)
        is_channel = target.post_id is None and target.thread is None
        if with_post and is_channel and target.token is not None and not self._auth.required:
            raise BadParameter("post_id", f"must be a number from 1 to {LARGEST_ID}, got {target.token[:40]!r}")
        return target

    def post(self, request: Request, path: str, shape: str) -> tuple[str | int, int]:
        """The chat and the message that the path names, for whoever has the token. `shape` is how it is written."""
        target = self.target(request, path, with_post=True)
        if target.post_id is None:
            raise BadParameter("post_id", f"is missing: the address is {shape}/{{channel}}/{{post_id}}")
        return parse_channel_key(target.channel), target.post_id

    async def feed(self, request: Request, path: str) -> Key:
        """The chat or thread that the path names, for whoever has the token or the key of its feeds."""
        target = self._parsed(request, path, with_post=False, with_thread=True)
        if self._auth.admits(request, target.token):
            return place_key(target)
        opened = await self._opened(target, request.query_params.get("key", ""))
        if opened is None:
            self._auth.refuse(request)
        return opened

    def _parsed(self, request: Request, path: str, *, with_post: bool, with_thread: bool) -> Target:
        try:
            return parse_target(path, is_token=self._auth.matches, with_post=with_post, with_thread=with_thread)
        except BadParameter:
            # Whoever guesses tokens must not learn anything from how a path is wrong.
            self._auth.check(request, path.rpartition("/")[2])
            raise

    async def _opened(self, target: Target, key: str) -> Key | None:
        """The chat or thread, by the chat's id, if the key opens its feeds, else None.

        A name counts for the chat that it is known to belong to: to ask Telegram, one has to be let in first.
        """
        if not key:
            return None
        try:
            chat_id = await self._stored_id(parse_channel_key(target.channel))
        except BadParameter:
            chat_id = None
        if target.thread is None or chat_id is None:
            return chat_id if self._keys.matches(chat_id, key) else None
        subject = thread_name(str(chat_id), target.thread.kind, target.thread.root_id)
        return target.thread.of(chat_id) if self._keys.matches(subject, key) else None


def place_key(target: Target) -> Key:
    """The chat or thread that a target names. Raises BadParameter."""
    chat = parse_channel_key(target.channel)
    return chat if target.thread is None else target.thread.of(chat)
