"""The `bridge` object: what an export does not say of a chat or a message, written beside its own keys.

The structs here are its schema; README.md describes it for writers. Unknown keys and wrong types are
errors, so that a slip of the pen is seen instead of silently doing nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from tgserver.export.errors import ExportError
from tgserver.export.values import INT32_MAX, INT64_MAX, Json, as_text

_Extras = TypeVar("_Extras")

Id = Annotated[int, Meta(ge=1, le=INT64_MAX)]
MessageId = Annotated[int, Meta(ge=1, le=INT32_MAX)]
Count = Annotated[int, Meta(ge=0, le=INT32_MAX)]
Username = Annotated[str, Meta(pattern="^[A-Za-z][A-Za-z0-9_]{3,31}$")]
Digits = Annotated[str, Meta(pattern="^-?[0-9]{1,18}$")]


class _Extra(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class UserExtra(_Extra, frozen=True):
    """A user whom messages name."""

    id: Id
    first_name: str | None = None
    last_name: str | None = None
    username: Username | None = None
    bot: bool = False


class ChatRefExtra(_Extra, frozen=True):
    """A channel or supergroup which messages name, by bare id."""

    id: Id
    title: str | None = None
    username: Username | None = None
    type: Literal["channel", "supergroup"] = "channel"


class ChatExtra(_Extra, frozen=True):
    """The `bridge` object of a chat."""

    username: Username | None = None
    about: str = ""
    photo: str | None = None
    verified: bool = False
    protected: bool = False
    forum: bool = False
    users: list[UserExtra] = []
    chats: list[ChatRefExtra] = []


class WebPageExtra(_Extra, frozen=True):
    """A link preview; `large` shows its photo big."""

    url: str
    display_url: str | None = None
    type: str | None = None
    site_name: str | None = None
    title: str | None = None
    description: str | None = None
    author: str | None = None
    photo: str | None = None
    large: bool = False


class QuoteExtra(_Extra, frozen=True):
    """What a reply quotes; `offset` in UTF-16 units of the quoted message's text."""

    text: str
    text_entities: list[Any] = []
    offset: Count | None = None
    manual: bool = True


class ReplyExtra(_Extra, frozen=True):
    """A reply to a message of another channel, or to a story: of a user, a channel, or the chat itself."""

    chat_id: Id | None = None
    user_id: Id | None = None
    message_id: MessageId | None = None
    story_id: MessageId | None = None
    from_name: str | None = None


class ForwardExtra(_Extra, frozen=True):
    """Whence a message is forwarded; refines the export's `forwarded_from`."""

    channel_id: Id | None = None
    user_id: Id | None = None
    name: str | None = None
    channel_post: MessageId | None = None
    post_author: str | None = None
    date: Count | None = None


class CommentsExtra(_Extra, frozen=True):
    """The number of comments and the discussion group that holds them."""

    count: Count = 0
    chat_id: Id | None = None


class ButtonExtra(_Extra, frozen=True):
    """One button with a link."""

    text: str
    url: str


class ReactionExtra(_Extra, frozen=True):
    """How often one reaction was given; exactly one of the first three says which."""

    count: Count
    emoji: str | None = None
    custom_emoji_id: int | Digits | None = None
    paid: bool = False


class PollExtra(_Extra, frozen=True):
    """Refines the export's `poll`; `correct` holds indexes of answers."""

    quiz: bool = False
    multiple_choice: bool = False
    public_voters: bool = False
    correct: list[Count] = []
    solution: str | None = None


class MessageExtra(_Extra, frozen=True):
    """The `bridge` object of a message."""

    grouped_id: int | Digits | None = None
    views: Count | None = None
    forwards: Count | None = None
    edit_hide: bool = False
    spoiler: bool = False
    invert_media: bool = False
    silent: bool = False
    pinned: bool = False
    restriction: str | None = None
    thumb: str | None = None
    poster: str | None = None
    stripped: bytes = b""
    supports_streaming: bool = True
    web_page: WebPageExtra | None = None
    quote: QuoteExtra | None = None
    reply_to: ReplyExtra | None = None
    forward: ForwardExtra | None = None
    comments: CommentsExtra | None = None
    keyboard: list[list[ButtonExtra]] = []
    reactions: list[ReactionExtra] = []
    poll: PollExtra | None = None
    media: dict[str, Any] | None = None
    action: dict[str, Any] | None = None
    entities: list[dict[str, Any]] | None = None
    rich_message: dict[str, Any] | None = None


NO_EXTRA = MessageExtra()


def chat_extra(data: Json, where: str) -> ChatExtra:
    """The `bridge` object of a chat; `where` begins the line of an `ExportError`."""
    if "bridge" not in data:
        return ChatExtra()
    return _convert(data["bridge"], ChatExtra, where)


def message_extra(data: Json, where: str) -> MessageExtra:
    """The `bridge` object of a message; `where` begins the line of an `ExportError`."""
    if "bridge" not in data:
        return NO_EXTRA
    extra = _convert(data["bridge"], MessageExtra, where)
    for reaction in extra.reactions:
        kinds = (reaction.emoji is not None) + (reaction.custom_emoji_id is not None) + reaction.paid
        if kinds != 1:
            raise ExportError(
                f"{where}: bridge.reactions: each reaction needs exactly one of emoji, custom_emoji_id, paid"
            )
    reply = extra.reply_to
    if reply is not None and reply.user_id is not None and (reply.story_id is None or reply.chat_id is not None):
        raise ExportError(f"{where}: bridge.reply_to: user_id is whose story_id it is, instead of chat_id")
    return extra


def _convert(value: object, kind: type[_Extras], where: str) -> _Extras:
    try:
        return msgspec.convert(_clean(value), kind)
    except msgspec.ValidationError as error:
        what = str(error).replace("`", "'").replace(" - at '$", " - at 'bridge")
        raise ExportError(f"{where}: bridge: {what}; correct or remove it") from error
    except RecursionError as error:
        raise ExportError(f"{where}: bridge: nested too deep; flatten it") from error


def _clean(value: object) -> object:
    """The same value without lone surrogates, which TL strings can't carry."""
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, list):
        return [_clean(entry) for entry in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(entry) for key, entry in value.items()}
    return value
