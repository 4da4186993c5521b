"""The kinds of media: one table that titles, flags, enclosures and rendering read.

A new kind is a struct in `model.media`, a case in `kind_of`, a row here and the block that renders it.
"""

from __future__ import annotations

from collections.abc import Sequence

from model.media import Audio, Document, Media, Photo, Poll, Sticker, Unsupported, Video, VideoKind, WebPage
from model.message import Message
from posts.blocks.audio import audio
from posts.blocks.document import document, image_document
from posts.blocks.kind import MediaKind, Place
from posts.blocks.picture import picture
from posts.blocks.poll import poll
from posts.blocks.preview import preview
from posts.blocks.sticker import sticker
from posts.blocks.unsupported import unsupported
from posts.blocks.video import video
from posts.plain import one_line
from posts.wording import counted

_MEDIA, _POLL, _SPECIAL, _PREVIEW = Place

# fmt: off
KINDS: tuple[MediaKind, ...] = (
    # name, one, many, icon, block, place, visual, flag, enclosure
    PHOTO := MediaKind("photo", "Photo", "photos", "🖼", picture, _MEDIA, True, "", ""),
    IMAGE := MediaKind("image", "Image", "images", "🖼", image_document, _MEDIA, True, "", ""),
    VIDEO := MediaKind("video", "Video", "videos", "🎬", video, _MEDIA, True, "video", "video/mp4"),
    ANIMATION := MediaKind("animation", "GIF", "GIFs", "🎞", video, _MEDIA, True, "video", "video/mp4"),
    ROUND := MediaKind("round", "Video message", "video messages", "🎬", video, _MEDIA, True, "video", "video/mp4"),
    AUDIO := MediaKind("audio", "Audio", "audio files", "🎵", audio, _MEDIA, False, "audio", "audio/mpeg"),
    VOICE := MediaKind("voice", "Voice message", "voice messages", "🎤", audio, _MEDIA, False, "audio", "audio/ogg"),
    STICKER := MediaKind("sticker", "Sticker", "stickers", "", sticker, _MEDIA, True, "sticker", ""),
    DOCUMENT := MediaKind("document", "File", "files", "📄", document, _MEDIA, False, "", "application/octet-stream"),
    POLL := MediaKind("poll", "Poll", "polls", "📊", poll, _POLL, False, "poll", ""),
    WEB_PAGE := MediaKind("web_page", "", "", "", preview, _PREVIEW, True, "", ""),
    UNSUPPORTED := MediaKind("unsupported", "Message", "messages", "", unsupported, _SPECIAL, False, "", ""),
)
# fmt: on

_KIND_OF_TYPE = {Photo: PHOTO, Sticker: STICKER, Poll: POLL, WebPage: WEB_PAGE, Unsupported: UNSUPPORTED}
_VIDEO_KINDS = {VideoKind.VIDEO: VIDEO, VideoKind.ANIMATION: ANIMATION, VideoKind.ROUND: ROUND}
# Images that every browser shows; others sent as files are plain documents.
_SHOWN_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"})


def kind_of(media: Media) -> MediaKind:
    """The row for a message's media."""
    kind = _KIND_OF_TYPE.get(type(media))
    if kind is not None:
        return kind
    match media:
        case Video():
            return _VIDEO_KINDS[media.kind]
        case Audio():
            return VOICE if media.voice else AUDIO
        case Document():
            return IMAGE if media.file.mime_type in _SHOWN_IMAGES else DOCUMENT
    raise TypeError(f"no kind of media: {type(media).__name__}")


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
    kind = kind_of(media)
    match media:
        case Audio(voice=False):
            parts = [part for part in (one_line(media.performer), one_line(media.title)) if part]
            return " – ".join(parts) or one_line(media.file.file_name) or kind.one
        case Document():
            return one_line(media.file.file_name) or kind.one
        case Sticker():
            return f"{kind.one} {emoji}" if (emoji := one_line(media.emoji)) else kind.one
        case Poll():
            word = "Quiz" if media.quiz else kind.one
            return f"{word}: {question}" if (question := one_line(media.question.text)) else word
        case Unsupported():
            words = one_line(media.kind)
            return words[:1].upper() + words[1:] if words else kind.one
        case _:
            return kind.one
