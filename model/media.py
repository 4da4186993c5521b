"""What a message carries besides its text.

Every kind is a tagged struct, so that it reads back from storage as the same type. A kind that the adapter
does not translate is `Unsupported`. The kinds themselves are in the modules that this one gathers.
"""

from __future__ import annotations

import msgspec

from model.attachment import (
    Attachment,
    Audio,
    Document,
    FileLocation,
    FileRef,
    LivePhoto,
    Photo,
    Sticker,
    Video,
    VideoKind,
)
from model.place import Location, Point, Venue
from model.poll import Poll, PollMedia, PollOption
from model.rich import Rich
from model.special import (
    Checklist,
    ChecklistItem,
    Contact,
    Dice,
    Game,
    Giveaway,
    GiveawayResults,
    Invoice,
    PaidMedia,
    PaidPreview,
    Story,
)

__all__ = [
    "Attachment",
    "Audio",
    "Checklist",
    "ChecklistItem",
    "Contact",
    "Dice",
    "Document",
    "FileLocation",
    "FileRef",
    "Game",
    "Giveaway",
    "GiveawayResults",
    "Invoice",
    "LivePhoto",
    "Location",
    "Media",
    "PaidMedia",
    "PaidPreview",
    "Photo",
    "Point",
    "Poll",
    "PollMedia",
    "PollOption",
    "Rich",
    "Sticker",
    "Story",
    "Unsupported",
    "Venue",
    "Video",
    "VideoKind",
    "WebPage",
]


class WebPage(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="web_page", tag_field="_"):
    """A link preview."""

    url: str
    display_url: str = ""
    type: str = ""
    site_name: str = ""
    title: str = ""
    description: str = ""
    author: str = ""
    photo: FileRef | None = None


class Unsupported(
    msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="unsupported", tag_field="_"
):
    """A kind without a translation. `kind` is the TL constructor's name in plain lower-case words."""

    kind: str


Media = (
    Photo
    | LivePhoto
    | Video
    | Audio
    | Sticker
    | Document
    | Contact
    | Location
    | Venue
    | Dice
    | Game
    | Invoice
    | PaidMedia
    | Giveaway
    | GiveawayResults
    | Story
    | Checklist
    | Poll
    | Rich
    | WebPage
    | Unsupported
)
