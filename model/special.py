"""Kinds of media that are neither a file nor a text: people, prizes, prices, tasks."""

from __future__ import annotations

import msgspec

from model.attachment import Attachment, FileRef
from model.channel import PeerName
from model.entity import Text


class Contact(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="contact", tag_field="_"):
    """Somebody's phone number. `user_id` is 0 for somebody who is not on Telegram."""

    phone: str = ""
    first_name: str = ""
    last_name: str = ""
    user_id: int = 0


class Dice(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="dice", tag_field="_"):
    """A throw of dice or another emoji that shows a random value; 0 while it rolls."""

    emoji: str = ""
    value: int = 0


class Game(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="game", tag_field="_"):
    """A bot's game."""

    title: str = ""
    description: str = ""
    photo: FileRef | None = None


class PaidPreview(
    msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="paid_preview", tag_field="_"
):
    """What is told of media that has to be paid for: pixels and seconds, 0 unknown; a photo has no duration."""

    width: int = 0
    height: int = 0
    duration: int = 0


class PaidMedia(
    msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="paid_media", tag_field="_"
):
    """Media for a price in stars: previews, or the media itself once the account has bought it."""

    stars: int = 0
    items: tuple[PaidPreview | Attachment, ...] = ()


class Invoice(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="invoice", tag_field="_"):
    """An offer to pay. `amount` is in the smallest units of `currency` (ISO 4217, or XTR for stars).

    `photo_url` is the seller's own picture, which is not on Telegram. `media` is what the price is for.
    """

    title: str = ""
    description: str = ""
    currency: str = ""
    amount: int = 0
    photo_url: str = ""
    media: PaidPreview | Attachment | None = None
    paid: bool = False
    test: bool = False


class Giveaway(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="giveaway", tag_field="_"):
    """A draw among the subscribers of `channels`. Each of `winners` gets Premium for `months`, or all share `stars`.

    `prize` is a further prize in the channel's words; `until` unix seconds; `countries` ISO 3166 codes.
    """

    channels: tuple[PeerName, ...] = ()
    winners: int = 0
    months: int = 0
    stars: int = 0
    prize: str = ""
    until: int | None = None
    countries: tuple[str, ...] = ()
    only_new: bool = False


class GiveawayResults(
    msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="giveaway_results", tag_field="_"
):
    """Who has won. `winners` may be fewer than `count`; `post_id` is the giveaway in `channel`."""

    channel: PeerName | None = None
    post_id: int | None = None
    count: int = 0
    unclaimed: int = 0
    winners: tuple[PeerName, ...] = ()
    months: int = 0
    stars: int = 0
    prize: str = ""
    refunded: bool = False


class Story(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="story", tag_field="_"):
    """Somebody's story; text and media are known only as long as it can be seen."""

    id: int
    author: PeerName | None = None
    text: Text = Text()
    media: Attachment | None = None


class ChecklistItem(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One task."""

    text: Text
    done: bool = False


class Checklist(
    msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="checklist", tag_field="_"
):
    """A list of tasks."""

    title: Text = Text()
    items: tuple[ChecklistItem, ...] = ()
