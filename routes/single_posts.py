"""One post as a document: a page, JSON, or what Telegram itself sent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

import msgspec

from errors import PassingFault, PostNotFound
from feeds import page, post_json
from feeds.assembly import entity_tag
from feeds.feed import Document, Feed, FeedFormat
from feeds.page import CommentsLinks
from feeds.subjects import comments_title
from model.channel import Channel, ChannelKind
from model.message import Message
from model.thread import Thread, ThreadKind
from posts.answers import answered_ids
from posts.gone import with_notes
from posts.post import RenderOptions
from routes.addresses import FEED_FORMATS, Addresses
from routes.content_coding import Encoded, encode
from routes.feed_keys import FeedKeys
from routes.rendering import Beside, Renderer
from tg_cache import History
from tg_throttle import Priority


class RawMessages(Protocol):
    """Gives messages as Telegram sent them, as plain data."""

    async def raw_messages(
        self, channel: Channel, ids: Sequence[int], *, priority: Priority = Priority.INTERACTIVE
    ) -> list[Any]:
        """Those of the messages (at most 100) that exist, in one call. Raises the bridge's errors."""
        ...


class PostDocuments:
    """Makes documents of single posts. Any message of an album stands for the whole.

    All methods raise PostNotFound and what History raises; those that ask Telegram for what it sent raise what it
    raises.
    """

    def __init__(
        self, history: History, telegram: RawMessages, renderer: Renderer, keys: FeedKeys | None = None
    ) -> None:
        self._history = history
        self._telegram = telegram
        self._renderer = renderer
        self._keys = keys

    async def page(self, key: str | int, post_id: int, base_url: str, *, debug: bool = False) -> Encoded:
        """The post as a page; with `debug` what Telegram sent is shown below it, asked for anew."""
        channel, messages = await self._history.album(key, post_id)
        raw = ""
        if debug:
            raw = _indented(await self._telegram.raw_messages(channel, [message.id for message in messages]))
        messages += tuple(await self._answered(key, messages))
        return await self._renderer.run(
            self._render_page,
            messages,
            channel,
            post_id,
            self._renderer.options(base_url),
            raw,
            self._renderer.gone_files(FeedFormat.HTML),
        )

    async def json(self, key: str | int, post_id: int, base_url: str) -> Encoded:
        """The post as JSON."""
        channel, messages = await self._history.album(key, post_id)
        answered = await self._answered(key, messages)
        return await self._renderer.run(
            self._render_json, messages, answered, channel, post_id, self._renderer.options(base_url)
        )

    async def raw(self, key: str | int, post_id: int) -> Encoded:
        """The one message as Telegram sends it now, as JSON."""
        channel = await self._history.channel(key)
        found = await self._telegram.raw_messages(channel, [post_id])
        if not found:
            raise PostNotFound(f"{channel.title} has no post {post_id}")
        body = msgspec.json.encode(found[0])
        document = Document(body=body, content_type=post_json.CONTENT_TYPE, etag=entity_tag([body]), last_modified=0)
        return await self._renderer.run(encode, document)

    async def _answered(self, key: str | int, messages: Sequence[Message]) -> list[Message]:
        """What the messages answer, as far as it can be had: a page is good without, too."""
        answered = []
        for message_id in answered_ids(messages):
            with suppress(PostNotFound, PassingFault):
                answered.append(await self._history.message(key, message_id))
        return answered

    def _render_page(
        self,
        messages: Sequence[Message],
        channel: Channel,
        post_id: int,
        options: RenderOptions,
        raw: str,
        gone_files: frozenset[str],
    ) -> Encoded:
        feed = self._feed(messages, channel, post_id, options, gone_files)
        comments = self._comments(messages, channel, feed)
        return encode(page.render_post_page(feed, feed.items[0], self._renderer.zone, comments=comments, raw=raw))

    def _comments(self, messages: Sequence[Message], channel: Channel, feed: Feed) -> CommentsLinks | None:
        """Where the comments on the post that the feed is of are; None if it has none."""
        ids = set(feed.items[0].post.message_ids)
        discussed = next((one.id for one in messages if one.id in ids and one.comments is not None), None)
        if discussed is None or channel.kind is not ChannelKind.CHANNEL:
            return None
        thread = Thread(kind=ThreadKind.COMMENTS, root_id=discussed, chat=channel, home=channel)
        feed_key = self._keys.of(thread.name) if self._keys is not None else ""
        addresses = Addresses.of_thread(thread, feed.base_url, feed_key=feed_key)
        return CommentsLinks(
            title=comments_title(feed.items[0].post.title, feed.title),
            # Where pages need the token, no link can lead to one.
            page_url="" if feed_key else addresses.newest(FeedFormat.HTML),
            feed_urls={format: addresses.newest(format) for format in FEED_FORMATS},
        )

    def _render_json(
        self,
        messages: Sequence[Message],
        answered: Sequence[Message],
        channel: Channel,
        post_id: int,
        options: RenderOptions,
    ) -> Encoded:
        feed = self._feed((*messages, *answered), channel, post_id, options)
        return encode(post_json.render(feed.items[0], channel, feed.self_url, messages, options.media))

    def _feed(
        self,
        messages: Sequence[Message],
        channel: Channel,
        post_id: int,
        options: RenderOptions,
        gone_files: frozenset[str] = frozenset(),
    ) -> Feed:
        """A feed of the post alone, at the address of the post's page, with notes where files are gone."""
        post = self._renderer.single(messages, channel, options, post_id)
        if post is None:
            raise PostNotFound(f"Post {post_id} has nothing to show")
        post = with_notes(post, gone_files, options.media)
        feed_key = self._keys.of(channel.id) if self._keys is not None else ""
        addresses = Addresses.of_channel(channel, options.base_url, feed_key=feed_key)
        changed_at = post.updated or post.date or 0
        subject = self._renderer.channel_subject(channel, options)
        feed = self._renderer.feed([post], subject, changed_at, FeedFormat.HTML, addresses, options, Beside())
        return msgspec.structs.replace(feed, self_url=f"{feed.page_url}/{post_id}")


def _indented(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
