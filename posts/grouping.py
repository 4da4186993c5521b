"""Which messages are one post, and in which order posts stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from model.entity import Text
from model.message import Message
from posts.plain import join
from posts.services import is_noise


class Group(NamedTuple):
    """The messages of one post, by id. `merged`: close in time, not merely one album."""

    messages: tuple[Message, ...]
    merged: bool = False

    @property
    def first(self) -> Message:
        """The message that gives the post its identity."""
        return self.messages[0]

    @property
    def main(self) -> Message:
        """The message that gives title, author and footer: the first with text, else the first."""
        if len(self.messages) == 1:
            return self.messages[0]
        return next((message for message in self.messages if message.text.text.strip()), self.messages[0])

    @property
    def date(self) -> int | None:
        """When the post appeared: the first date there is, unix seconds."""
        for message in self.messages:
            if message.date is not None:
                return message.date
        return None

    @property
    def updated(self) -> int | None:
        """The latest edit that clients show, unix seconds."""
        if len(self.messages) == 1:
            return self.messages[0].edit_date
        return max((message.edit_date for message in self.messages if message.edit_date is not None), default=None)

    @property
    def discussed(self) -> Message | None:
        """The message whose discussion is the post's."""
        for message in self.messages:
            if message.comments is not None:
                return message
        return None

    @property
    def text(self) -> Text:
        """All texts, with a blank line between them."""
        if len(self.messages) == 1:
            return self.messages[0].text
        return join([message.text for message in self.messages])

    def parts(self) -> list[tuple[Message, ...]]:
        """The posts that a merged post would be otherwise: single messages and albums."""
        if not self.merged:
            return [self.messages]
        return [tuple(part) for part in _by_key(self.messages, _album_or_self).values()]


def makes_no_post(message: Message) -> bool:
    """Whether the message is a service message that says nothing of interest."""
    return message.service is not None and is_noise(message.service)


def group_messages(messages: Iterable[Message], merge_seconds: int | None = None) -> list[Group]:
    """The posts that the messages make, newest first, those without a date last.

    Each message (by id; service messages that say nothing of interest left out) is in exactly one group.
    Messages of one album are a group. With `merge_seconds`, a message joins the one before it if at most so many
    seconds lie between them, and brings its album along; service messages and those without a date never do.
    """
    distinct = {message.id: message for message in messages if not makes_no_post(message)}
    albums = list(_by_key(distinct.values(), _album_or_self).values())
    groups = [Group(_by_id(album)) for album in albums] if merge_seconds is None else _merge(albums, merge_seconds)
    groups.sort(key=_recency, reverse=True)
    return groups


def _merge(albums: Sequence[list[Message]], merge_seconds: int) -> list[Group]:
    album_of = {message.id: index for index, album in enumerate(albums) for message in album}
    # Albums that belong together point, over any number of steps, at the same one.
    leader = list(range(len(albums)))

    def leader_of(index: int) -> int:
        while leader[index] != index:
            leader[index] = leader[leader[index]]
            index = leader[index]
        return index

    dated = sorted(
        (message.date, message.id)
        for album in albums
        for message in album
        if message.date is not None and message.service is None
    )
    for (earlier, before), (later, after) in pairwise(dated):
        if later - earlier <= merge_seconds:
            leader[leader_of(album_of[after])] = leader_of(album_of[before])

    clusters: dict[int, list[list[Message]]] = {}
    for index, album in enumerate(albums):
        clusters.setdefault(leader_of(index), []).append(album)
    return [
        Group(_by_id([message for album in cluster for message in album]), merged=len(cluster) > 1)
        for cluster in clusters.values()
    ]


def _by_key(
    messages: Iterable[Message], key: Callable[[Message], tuple[str, int]]
) -> dict[tuple[str, int], list[Message]]:
    groups: dict[tuple[str, int], list[Message]] = {}
    for message in messages:
        groups.setdefault(key(message), []).append(message)
    return groups


def _album_or_self(message: Message) -> tuple[str, int]:
    return ("message", message.id) if message.media_group_id is None else ("album", message.media_group_id)


def _by_id(messages: list[Message]) -> tuple[Message, ...]:
    return tuple(messages) if len(messages) == 1 else tuple(sorted(messages, key=lambda message: message.id))


def _recency(group: Group) -> tuple[bool, int, int]:
    date = group.date
    return (date is not None, date or 0, group.first.id)
