"""Flags: what a post is, so that feeds can leave posts out or ask for them.

They describe the post's own words and media, never quotes of others or what the bridge adds, and are decided on
Telegram's entities and plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from model.channel import Channel
from model.entity import EntityType
from model.media import WebPage
from model.message import Message
from posts.grouping import Group
from posts.kinds import is_visual, kind_of
from posts.marks import marks_of
from posts.plain import without
from posts.words import Words, words_of

# Above so many characters a post with a video or sound is a text with an illustration.
_LONGEST_CAPTION = 200
_JEERS = frozenset({"🤡", "💩"})
_MANY_JEERS = 30

_TELEGRAM_HOSTS = frozenset({"t.me", "telegram.me", "telegram.dog"})
_TELEGRAM_ENDINGS = tuple(_TELEGRAM_HOSTS)
# First parts of t.me paths that are no chat's name.
# fmt: off
_PAGES = frozenset({
    "addemoji", "addlist", "addstickers", "addtheme", "auction", "bg", "blog", "boost", "c", "call",
    "confirmphone", "contact", "giftcode", "invoice", "iv", "joinchat", "login", "m", "msg", "nft", "passport",
    "proxy", "setlanguage", "share", "socks", "stickers",
})
# fmt: on
# The usual link, in lower case; its host is all that counts unless it is Telegram's.
_WEB_LINK = re.compile(r"https?://([a-z0-9.\-]+)(?=[/?#]|$)")
_CHAT_NAME = re.compile(r"[a-z][a-z0-9_]{3,31}")


class Facts:
    """What the rules look at, of one message or album.

    `own` are its words. `marks`: flags that words in them bring, or in the links' URLs.
    `external`: links that leave Telegram. `invites` and `chats`: what links to Telegram lead to.
    """

    __slots__ = ("channel_names", "chats", "external", "flags", "invites", "marks", "messages", "own", "visual")

    def __init__(self, messages: Sequence[Message], own: Words, channel: Channel) -> None:
        self.messages = messages
        self.own = own
        self.marks = marks_of("\n".join((own.text, *own.links)).lower().replace("ё", "е"))
        self.flags: set[str] = set()
        self.visual = False
        for message in messages:
            if message.media is not None:
                kind = kind_of(message.media)
                self.flags.add(kind.flag)
                self.visual = self.visual or is_visual(message.media, kind)
        self.channel_names = {name.lower() for name in (channel.username, *channel.usernames) if name}
        self.external = False
        self.invites = False
        self.chats: set[str] = set()
        for link in set(own.links):
            self._sort_link(link)

    def _sort_link(self, link: str) -> None:
        link = link.lower()
        web = _WEB_LINK.match(link)
        if web is not None and not web[1].endswith(_TELEGRAM_ENDINGS):
            self.external = True
            return
        try:
            url = urlsplit(link)
            host = (url.hostname or "").removeprefix("www.")
        except ValueError:
            return
        if url.scheme == "tg":
            self._sort_app_link(host, url.query)
        elif host in _TELEGRAM_HOSTS:
            self._sort_path([part for part in url.path.split("/") if part])
        elif host.endswith(".t.me"):
            self._sort_path([host.removesuffix(".t.me")])
        elif url.scheme in {"http", "https"}:
            self.external = True

    def _sort_app_link(self, action: str, query: str) -> None:
        if action == "join":
            self.invites = True
        elif action == "resolve":
            self._sort_path(parse_qs(query).get("domain", []))

    def _sort_path(self, path: list[str]) -> None:
        # /s/name is a channel's page in the browser.
        first, *rest = path[1:] if path[:1] == ["s"] else path or [""]
        # /+digits is somebody's phone number.
        if (first.startswith("+") and not first[1:].isdecimal()) or (first == "joinchat" and rest):
            self.invites = True
        elif _CHAT_NAME.fullmatch(first) and first not in _PAGES and not first.endswith("bot"):
            self.chats.add(first)


class Flag(NamedTuple):
    """A flag's name, what it means, and the rule that gives it to one message or album.

    A merged post has the flag if one of its parts has it; with `every`, only if all have. A flag without a rule
    is given by the bridge itself.
    """

    name: str
    description: str
    rule: Callable[[Facts], bool] | None
    every: bool = False


def _marked(flag: str) -> Callable[[Facts], bool]:
    """A word of the flag's row in `posts.marks` is there."""
    return lambda facts: flag in facts.marks


def _media(flag: str, longest_text: int | None = None) -> Callable[[Facts], bool]:
    """The media brings the flag, and the text beside it is not longer than that."""
    return lambda facts: flag in facts.flags and (longest_text is None or len(facts.own.text) <= longest_text)


def _is_only_link(facts: Facts) -> bool:
    media = [message.media for message in facts.messages if message.media is not None]
    if not all(isinstance(one, WebPage) for one in media) or not (media or len(facts.own.links) == 1):
        return False
    return not any(char.isalnum() for message in facts.messages for char in without(message.text, EntityType.URL))


def _is_jeered(facts: Facts) -> bool:
    return any(
        reaction.emoji in _JEERS and reaction.count >= _MANY_JEERS
        for message in facts.messages
        for reaction in message.reactions
    )


MERGED = "merged"
RENDER_FAILED = "render_failed"

FLAGS: tuple[Flag, ...] = (
    Flag(
        "fwd", "forwarded from elsewhere", lambda facts: any(message.forward is not None for message in facts.messages)
    ),
    Flag(
        "video",
        f"a video, GIF or video message with at most {_LONGEST_CAPTION} characters of text",
        _media("video", _LONGEST_CAPTION),
    ),
    Flag(
        "audio",
        f"music or a voice message with at most {_LONGEST_CAPTION} characters of text",
        _media("audio", _LONGEST_CAPTION),
    ),
    Flag("no_image", "nothing to look at", lambda facts: not facts.visual, every=True),
    Flag("sticker", "a sticker", _media("sticker")),
    Flag("poll", "a poll or quiz", _media("poll")),
    Flag("stream", "announces a live stream or webinar", _marked("stream")),
    Flag("donat", "asks for donations or boosts", _marked("donat")),
    Flag("clownpoo", f"{_MANY_JEERS} or more reactions 🤡 or 💩", _is_jeered),
    Flag("advert", "an advertisement by its own marks", _marked("advert")),
    Flag(
        "paywall",
        "has or points to content that costs money",
        lambda facts: "paywall" in facts.flags or "paywall" in facts.marks,
    ),
    Flag("only_link", "a link or its preview, and no words", _is_only_link, every=True),
    Flag("link", "has a link that leaves Telegram", lambda facts: facts.external),
    Flag("mention", "mentions somebody by @name", lambda facts: facts.own.mentions),
    Flag("hid_channel", "has an invitation to a private chat", lambda facts: facts.invites),
    Flag(
        "foreign_channel",
        "has a link to another channel",
        lambda facts: not facts.chats <= facts.channel_names,
    ),
    Flag("rich", "an article with headings, tables and the like", _media("rich")),
    Flag(MERGED, "several messages, sent close to each other", None),
    Flag(RENDER_FAILED, "could not be shown; the link leads to the original", None),
)

_RULES = tuple((flag.name, flag.rule, flag.every) for flag in FLAGS if flag.rule is not None)


def flags_of(group: Group, own: Words, channel: Channel) -> tuple[str, ...]:
    """The flags, in the table's order, of a post with these words of its own."""
    if not group.merged:
        facts = Facts(group.messages, own, channel)
        return tuple([name for name, rule, _ in _RULES if rule(facts)])
    parts = [Facts(part, words_of(part), channel) for part in group.parts()]
    return (*(name for name, rule, every in _RULES if (all if every else any)(map(rule, parts))), MERGED)
