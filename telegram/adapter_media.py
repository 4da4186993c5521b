"""TL media as the model's media: one function a kind, one table over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyrogram import raw

from model.attachment import Attachment
from model.entity import Text
from model.media import Media, Unsupported, WebPage
from model.poll import Poll, PollMedia, PollOption
from model.special import Invoice, PaidMedia, PaidPreview, Story
from telegram.adapter_files import document_thumb, photo_file, to_document, to_live_photo, to_photo
from telegram.adapter_peers import Peers
from telegram.adapter_special import (
    to_checklist,
    to_contact,
    to_dice,
    to_game,
    to_giveaway,
    to_giveaway_results,
    to_live_location,
    to_location,
    to_venue,
)
from telegram.adapter_text import titled, to_text, words


def to_media(media: raw.base.MessageMedia | None, peers: Peers) -> Media | None:
    """What a message carries; `peers` are those of the same answer.

    A kind without a translation, one whose shape is not what its translation was written for, and a file that is
    gone are `Unsupported`.
    """
    if media is None:
        return None
    translate = TRANSLATIONS.get(type(media))
    if translate is None:
        return Unsupported(kind=words(media, "MessageMedia"))
    try:
        return translate(media, peers)
    except (AttributeError, TypeError, ValueError):
        # As after an upgrade of the library: the message's text and all the rest of it stay.
        return Unsupported(kind=words(media, "MessageMedia"))


def _nothing(media: raw.types.MessageMediaEmpty, peers: Peers) -> None:
    return None


def _photo(media: raw.types.MessageMediaPhoto, peers: Peers) -> Media:
    return _attachment(media) or Unsupported(kind="photo no longer there")


def _document(media: raw.types.MessageMediaDocument, peers: Peers) -> Media:
    return _attachment(media) or Unsupported(kind="file no longer there")


def _attachment(media: raw.base.MessageMedia | None) -> Attachment | None:
    """The file that the media is; None for media of other kinds, and for a file that is gone."""
    if isinstance(media, raw.types.MessageMediaPhoto):
        photo = to_photo(media.photo, spoiler=bool(media.spoiler))
        return None if photo is None else to_live_photo(photo, media.video)
    if isinstance(media, raw.types.MessageMediaDocument):
        return to_document(media.document, spoiler=bool(media.spoiler), cover=media.video_cover)
    return None


def _web_page(media: raw.types.MessageMediaWebPage, peers: Peers) -> WebPage | None:
    page = media.webpage
    # A pending or empty preview says nothing that the link in the text does not.
    if not isinstance(page, raw.types.WebPage):
        return None
    photo = photo_file(page.photo)
    if photo is None and isinstance(page.document, raw.types.Document):
        photo = document_thumb(page.document)
    return WebPage(
        url=page.url,
        display_url=page.display_url,
        type=page.type or "",
        site_name=page.site_name or "",
        title=page.title or "",
        description=page.description or "",
        author=page.author or "",
        photo=photo,
    )


def _poll(media: raw.types.MessageMediaPoll, peers: Peers) -> Poll:
    poll, results = media.poll, media.results
    counted = {entry.option: entry for entry in results.results or ()}
    options = []
    for answer in poll.answers:
        if isinstance(answer, raw.types.PollAnswer):
            result = counted.get(answer.option)
            options.append(
                PollOption(
                    text=titled(answer.text),
                    voters=result.voters if result else None,
                    correct=bool(result and result.correct),
                    media=_poll_media(answer.media, peers),
                )
            )
    return Poll(
        question=titled(poll.question),
        options=tuple(options),
        quiz=bool(poll.quiz),
        closed=bool(poll.closed),
        multiple=bool(poll.multiple_choice),
        total_voters=results.total_voters,
        solution=to_text(results.solution, results.solution_entities) if results.solution else Text(),
        media=_poll_media(media.attached_media, peers),
        solution_media=_poll_media(results.solution_media, peers),
    )


def _poll_media(media: raw.base.MessageMedia | None, peers: Peers) -> PollMedia | None:
    if isinstance(media, raw.types.MessageMediaGeo):
        return to_location(media, peers)
    if isinstance(media, raw.types.MessageMediaVenue):
        return to_venue(media, peers)
    return _attachment(media)


def _invoice(media: raw.types.MessageMediaInvoice, peers: Peers) -> Invoice:
    return Invoice(
        title=media.title,
        description=media.description,
        currency=media.currency,
        amount=media.total_amount,
        photo_url="" if media.photo is None else media.photo.url,
        media=None if media.extended_media is None else _paid_item(media.extended_media),
        paid=bool(media.receipt_msg_id),
        test=bool(media.test),
    )


def _paid_media(media: raw.types.MessageMediaPaidMedia, peers: Peers) -> PaidMedia:
    return PaidMedia(stars=media.stars_amount, items=tuple(_paid_item(item) for item in media.extended_media))


def _paid_item(item: raw.base.MessageExtendedMedia) -> PaidPreview | Attachment:
    if isinstance(item, raw.types.MessageExtendedMedia):
        return _attachment(item.media) or PaidPreview()
    return PaidPreview(width=item.w or 0, height=item.h or 0, duration=item.video_duration or 0)


def _story(media: raw.types.MessageMediaStory, peers: Peers) -> Story:
    author = peers.name(media.peer)
    story = media.story
    if not isinstance(story, raw.types.StoryItem):
        return Story(id=media.id, author=author)
    return Story(
        id=media.id, author=author, text=to_text(story.caption, story.entities), media=_attachment(story.media)
    )


TRANSLATIONS: dict[type[raw.base.MessageMedia], Callable[[Any, Peers], Media | None]] = {
    raw.types.MessageMediaContact: to_contact,
    raw.types.MessageMediaDice: to_dice,
    raw.types.MessageMediaDocument: _document,
    raw.types.MessageMediaEmpty: _nothing,
    raw.types.MessageMediaGame: to_game,
    raw.types.MessageMediaGeo: to_location,
    raw.types.MessageMediaGeoLive: to_live_location,
    raw.types.MessageMediaGiveaway: to_giveaway,
    raw.types.MessageMediaGiveawayResults: to_giveaway_results,
    raw.types.MessageMediaInvoice: _invoice,
    raw.types.MessageMediaPaidMedia: _paid_media,
    raw.types.MessageMediaPhoto: _photo,
    raw.types.MessageMediaPoll: _poll,
    raw.types.MessageMediaStory: _story,
    raw.types.MessageMediaToDo: to_checklist,
    raw.types.MessageMediaVenue: to_venue,
    raw.types.MessageMediaWebPage: _web_page,
}
"""A row a constructor."""

UNTRANSLATED: frozenset[type[raw.base.MessageMedia]] = frozenset(
    {
        # Nobody but the newest app knows what it is.
        raw.types.MessageMediaUnsupported,
        # A live broadcast, which only a call can show.
        raw.types.MessageMediaVideoStream,
    }
)
"""Constructors that are consciously shown as nothing but a link to Telegram."""
