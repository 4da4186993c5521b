"""The kinds of media: one table that titles, flags, enclosures, rendering and documentation read.

A new kind is a struct that `model.media` gathers, a row here, what `describe` says of it, and the block that
renders it. Kinds that are files have their rows in `posts.attachment_kinds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from model import rich
from model.attachment import Attachment
from model.files import attachments_of
from model.media import Media, Unsupported, WebPage
from model.message import Message
from model.place import Location, Venue
from model.poll import Poll
from model.special import Checklist, Contact, Dice, Game, Giveaway, GiveawayResults, Invoice, PaidMedia, Story
from posts.attachment_kinds import ATTACHMENT_KINDS, KIND_OF_TYPE, attachment_kind, describe_attachment
from posts.blocks.article import article
from posts.blocks.checklist import checklist
from posts.blocks.contact import contact, contact_name
from posts.blocks.dice import dice
from posts.blocks.game import game
from posts.blocks.giveaway import giveaway, giveaway_results
from posts.blocks.invoice import invoice
from posts.blocks.kind import MediaKind, Place
from posts.blocks.paid import paid_media
from posts.blocks.place import location, venue
from posts.blocks.poll import poll
from posts.blocks.preview import preview
from posts.blocks.story import story
from posts.blocks.unsupported import unsupported
from posts.plain import one_line
from posts.wording import counted

_POLL, _RICH, _SPECIAL, _PREVIEW = Place.POLL, Place.RICH, Place.SPECIAL, Place.PREVIEW

# fmt: off
KINDS: tuple[MediaKind, ...] = (
    *ATTACHMENT_KINDS,
    # name, one, many, icon, block, place, visual, flag, enclosure
    RICH := MediaKind("rich", "Article", "articles", "", article, _RICH, False, "rich", ""),
    POLL := MediaKind("poll", "Poll", "polls", "📊", poll, _POLL, False, "poll", ""),
    CONTACT := MediaKind("contact", "Contact", "contacts", "👤", contact, _SPECIAL, False, "", ""),
    LOCATION := MediaKind("location", "Location", "locations", "📍", location, _SPECIAL, False, "", ""),
    LIVE_LOCATION := MediaKind(
        "live_location", "Live location", "live locations", "📍", location, _SPECIAL, False, "", ""),
    VENUE := MediaKind("venue", "Place", "places", "📍", venue, _SPECIAL, False, "", ""),
    DICE := MediaKind("dice", "Dice", "throws of dice", "", dice, _SPECIAL, False, "", ""),
    GAME := MediaKind("game", "Game", "games", "🎮", game, _SPECIAL, False, "", ""),
    INVOICE := MediaKind("invoice", "Invoice", "invoices", "🧾", invoice, _SPECIAL, False, "", ""),
    PAID_MEDIA := MediaKind("paid_media", "Paid media", "paid media", "⭐", paid_media, _SPECIAL, False, "paywall", ""),
    GIVEAWAY := MediaKind("giveaway", "Giveaway", "giveaways", "🎁", giveaway, _SPECIAL, False, "", ""),
    GIVEAWAY_RESULTS := MediaKind(
        "giveaway_results", "Giveaway winners", "giveaways' winners", "🏆", giveaway_results, _SPECIAL, False, "", ""),
    STORY := MediaKind("story", "Story", "stories", "📖", story, _SPECIAL, False, "", ""),
    CHECKLIST := MediaKind("checklist", "Checklist", "checklists", "", checklist, _SPECIAL, False, "", ""),
    WEB_PAGE := MediaKind("web_page", "", "", "", preview, _PREVIEW, False, "", ""),
    UNSUPPORTED := MediaKind("unsupported", "Message", "messages", "", unsupported, _SPECIAL, False, "", ""),
)
# fmt: on

_KIND_OF_TYPE: dict[type[Any], MediaKind] = {
    **KIND_OF_TYPE,
    rich.Rich: RICH,
    Poll: POLL,
    Contact: CONTACT,
    Venue: VENUE,
    Dice: DICE,
    Game: GAME,
    Invoice: INVOICE,
    PaidMedia: PAID_MEDIA,
    Giveaway: GIVEAWAY,
    GiveawayResults: GIVEAWAY_RESULTS,
    Story: STORY,
    Checklist: CHECKLIST,
    WebPage: WEB_PAGE,
    Unsupported: UNSUPPORTED,
}


def kind_of(media: Media) -> MediaKind:
    """The row for a message's media."""
    kind = _KIND_OF_TYPE.get(type(media))
    if kind is not None:
        return kind
    if isinstance(media, Location):
        return LIVE_LOCATION if media.live_period else LOCATION
    if isinstance(media, Attachment):
        return attachment_kind(media)
    raise TypeError(f"no kind of media: {type(media).__name__}")


def is_visual(media: Media, kind: MediaKind) -> bool:
    """Whether there is a picture or film to look at; `kind` is the media's row."""
    if kind.visual:
        return True
    if isinstance(media, WebPage | Game):
        return media.photo is not None
    if isinstance(media, Invoice) and media.photo_url:
        return True
    return any(attachment_kind(file).visual for file in attachments_of(media))


def media_title(messages: Sequence[Message]) -> str:
    """What the messages carry: `3 photos`, `2 photos, 1 video`, `Poll: question`, a file's name; "" for nothing."""
    found: dict[MediaKind, list[Media]] = {}
    for message in messages:
        if message.media is not None and (kind := kind_of(message.media)).one:
            found.setdefault(kind, []).append(message.media)
    if not found:
        return ""
    if len(found) == 1:
        ((kind, items),) = found.items()
        return describe(items[0]) if len(items) == 1 else counted(len(items), kind.one, kind.many)
    return ", ".join(counted(len(items), kind.noun, kind.many) for kind, items in found.items())


def describe(media: Media) -> str:
    """One piece of media in a plain line: its own name where it has one, else the kind's."""
    if isinstance(media, Attachment):
        return describe_attachment(media)
    kind = kind_of(media)
    match media:
        case rich.Rich():
            return _heading(media) or kind.one
        case Poll():
            return _named("Quiz" if media.quiz else kind.one, media.question.text)
        case Contact():
            return _named(kind.one, contact_name(media))
        case Venue() | Game() | Invoice():
            return _named(kind.one, media.title)
        case Dice():
            return " ".join(filter(None, (one_line(media.emoji) or kind.one, str(media.value or ""))))
        case Giveaway() | GiveawayResults():
            return _named(kind.one, media.prize)
        case Story():
            return _named(kind.one, media.author.title if media.author is not None else "")
        case Checklist():
            return _named(kind.one, media.title.text)
        case Unsupported():
            words = one_line(media.kind)
            return words[:1].upper() + words[1:] if words else kind.one
        case Location() | PaidMedia() | WebPage():
            return kind.one


def _named(kind: str, name: str) -> str:
    name = one_line(name)
    return f"{kind}: {name}" if name else kind


def _heading(media: rich.Rich) -> str:
    """An article's first heading, else the first words in it; "" if it has none."""
    texts = [block for block in media.blocks if isinstance(block, rich.Heading | rich.Paragraph)]
    headings = [block for block in texts if isinstance(block, rich.Heading)]
    for block in (*headings, *texts):
        for line in block.text.text.splitlines():
            if heading := one_line(line):
                return heading
    return ""
