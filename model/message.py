"""One message of a chat."""

from __future__ import annotations

import msgspec

from model.channel import PeerName
from model.entity import Text
from model.media import Media

# Message ids are TL ints.
LARGEST_ID = 2**31 - 1


class Forward(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Where a forwarded message comes from. `post_id` and `signature` are known for channels' posts only."""

    origin: PeerName
    date: int | None = None
    post_id: int | None = None
    signature: str = ""


class Reply(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What a message answers.

    `chat` is None for a message of the same chat. `quote` is the quoted part; `manual` says that the writer
    chose it.
    `message_id` is None when Telegram does not tell it (a chat that can't be seen).
    """

    message_id: int | None = None
    chat: PeerName | None = None
    author: PeerName | None = None
    quote: Text = Text()
    manual: bool = False
    story_id: int | None = None


class Reaction(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A reaction and how many gave it. Exactly one of `emoji`, `custom_emoji_id`, `paid` is set."""

    count: int
    emoji: str = ""
    custom_emoji_id: int = 0
    paid: bool = False


class Button(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A button below a message that opens a URL."""

    text: str
    url: str


class Service(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """An event in the chat instead of a text.

    `kind` is the TL action's name in snake case without `message_action` (`pin_message`, `chat_edit_title`).
    `names` are the people it is about, `title` the new title or topic, `amount` a number that belongs to it
    (stars, months, seconds), `date` a moment it names (a scheduled call).
    """

    kind: str
    names: tuple[PeerName, ...] = ()
    title: str = ""
    amount: int | None = None
    date: int | None = None


class Message(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A message as the bridge keeps it. Times are unix seconds, `date` None where Telegram gives none.

    `edit_date` is the latest edit that clients show: Telegram's `edit_hide` (an edit of counters or keyboards)
    leaves it None. `caption_above` is TL's `invert_media`.
    """

    id: int
    date: int | None
    text: Text = Text()
    media: Media | None = None
    media_group_id: int | None = None
    service: Service | None = None
    sender: PeerName | None = None
    signature: str = ""
    forward: Forward | None = None
    reply: Reply | None = None
    via_bot: str = ""
    edit_date: int | None = None
    caption_above: bool = False
    buttons: tuple[Button, ...] = ()
    # How many comments; None when the post has no discussion.
    comments: int | None = None
    topic_id: int | None = None
    # Telegram's reason when it bars the message for every client; the content is still here.
    restriction: str = ""
    # Counters: they change all the time and are no part of a message's content.
    views: int | None = None
    forwards: int | None = None
    reactions: tuple[Reaction, ...] = ()
