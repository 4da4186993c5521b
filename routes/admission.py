"""Who may see what: a path is taken apart, and the token or the feed's key checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import quote, urlencode

import msgspec
from starlette.requests import Request

from errors import BadParameter
from history.place import Key
from model.channel_key import parse_channel_key, parse_channel_keys
from model.message import LARGEST_ID
from model.thread import thread_name
from routes.auth import Authenticator
from routes.feed_keys import FeedKeys, joint_subject
from routes.folders import folder_subject
from routes.target import Target, parse_target
from routes.thread_paths import ThreadPart

StoredId = Callable[[str | int], Awaitable[int | None]]
"""Tells which chat a key of `parse_channel_key` last meant, without asking Telegram; None if that is not stored."""


class Admitted(msgspec.Struct, frozen=True, kw_only=True):
    """What a request may read the posts of: one chat or thread (`place`), several `chats`, or a `folder`.

    `by_key`: only because of a feed's key, so that nothing else is to be told.
    """

    place: Key | None = None
    chats: tuple[str | int, ...] = ()
    folder: str = ""
    by_key: bool = False


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

    def target(self, request: Request, path: str, *, with_post: bool = False, with_feeds: bool = False) -> Target:
        """What the path names, for whoever has the token."""
        target = self._parsed(request, path, with_post=with_post, with_feeds=with_feeds)
        self._auth.check(request, target.token)
        is_channel = target.post_id is None and target.thread is None
        if with_post and is_channel and target.token is not None and not self._auth.required:
            raise BadParameter("post_id", f"must be a number from 1 to {LARGEST_ID}, got {target.token[:40]!r}")
        return target

    def lasting_address(self, request: Request, target: Target, address: str) -> str:
        """Where the links of the page at that address keep the token, "" if they do where it was asked for.

        They leave the path as it is and have a query of their own, and no page may name the token.
        """
        if not self._auth.only_in_query(request, target.token):
            return ""
        dropped = {"token", "output_type"}
        parameters = [(name, value) for name, value in request.query_params.multi_items() if name not in dropped]
        query = f"?{urlencode(parameters)}" if parameters else ""
        return f"{address}/{quote(request.query_params['token'], safe='')}{query}"

    def post(self, request: Request, path: str, shape: str) -> tuple[str | int, int]:
        """The chat and the message that the path names, for whoever has the token. `shape` is how it is written."""
        target = self.target(request, path, with_post=True)
        if target.post_id is None:
            raise BadParameter("post_id", f"is missing: the address is {shape}/{{channel}}/{{post_id}}")
        return parse_channel_key(target.channel), target.post_id

    async def feed(self, request: Request, path: str) -> Admitted:
        """What the path names, for whoever has the token or the key of its feeds."""
        target = self._parsed(request, path, with_post=False, with_feeds=True)
        if self._auth.admits(request, target.token):
            return admitted(target)
        opened = await self._opened(target, request.query_params.get("key", ""))
        if opened is None:
            self._auth.refuse(request)
        return opened

    def _parsed(self, request: Request, path: str, *, with_post: bool, with_feeds: bool) -> Target:
        try:
            return parse_target(path, is_token=self._auth.matches, with_post=with_post, with_feeds=with_feeds)
        except BadParameter:
            # Whoever guesses tokens must not learn anything from how a path is wrong.
            self._auth.check(request, path.rpartition("/")[2])
            raise

    async def _opened(self, target: Target, key: str) -> Admitted | None:
        """What the key opens of the target, None if nothing.

        A name counts for the chat that it is known to belong to: to ask Telegram, one has to be let in first.
        """
        if not key:
            return None
        if target.folder:
            opened = self._keys.matches(folder_subject(target.folder), key)
            return Admitted(folder=target.folder, by_key=True) if opened else None
        try:
            chats = parse_channel_keys(target.channel)
        except BadParameter:
            # Takes as long as a key that is wrong.
            self._keys.matches(None, key)
            return None
        known = [await self._stored_id(chat) for chat in chats]
        if len(chats) == 1:
            return self._opened_place(target.thread, known[0], key)
        if target.thread is not None:
            return None
        # Names that led nowhere when the address was made are part of it as they are, and so they stay.
        ids = tuple(chat if chat_id is None else chat_id for chat, chat_id in zip(chats, known, strict=True))
        matches = [self._keys.matches(joint_subject(each), key) for each in (ids, chats)]
        return _several(ids, by_key=True) if any(matches) else None

    def _opened_place(self, thread: ThreadPart | None, chat_id: int | None, key: str) -> Admitted | None:
        """The one chat, or the thread in it, if the key is its own."""
        if thread is None or chat_id is None:
            opened = self._keys.matches(chat_id, key)
        else:
            opened = self._keys.matches(thread_name(str(chat_id), thread.kind, thread.root_id), key)
        if not opened or chat_id is None:
            return None
        return Admitted(place=chat_id if thread is None else thread.of(chat_id), by_key=True)


def admitted(target: Target) -> Admitted:
    """What a target names, for who may read anything. Raises BadParameter."""
    if target.folder:
        return Admitted(folder=target.folder)
    if target.thread is not None:
        return Admitted(place=target.thread.of(parse_channel_key(target.channel)))
    return _several(parse_channel_keys(target.channel))


def _several(chats: Sequence[str | int], *, by_key: bool = False) -> Admitted:
    """The chats, which may turn out to be one."""
    distinct = tuple(dict.fromkeys(chats))
    return Admitted(place=distinct[0], by_key=by_key) if len(distinct) == 1 else Admitted(chats=distinct, by_key=by_key)
