"""The kinds of media that are files: rows of the table in `posts.kinds`, for all blocks that hold files."""

from __future__ import annotations

from typing import Any

from model.attachment import Attachment, Audio, Document, LivePhoto, Photo, Sticker, Video, VideoKind
from posts.blocks.audio import audio
from posts.blocks.document import document, image_document
from posts.blocks.kind import MediaKind, Place
from posts.blocks.picture import live_photo, picture
from posts.blocks.sticker import sticker
from posts.blocks.video import video
from posts.plain import one_line

_MEDIA = Place.MEDIA

# fmt: off
ATTACHMENT_KINDS: tuple[MediaKind, ...] = (
    # name, one, many, icon, block, place, visual, flag, enclosure
    PHOTO := MediaKind("photo", "Photo", "photos", "🖼", picture, _MEDIA, True, "", ""),
    LIVE_PHOTO := MediaKind("live_photo", "Live photo", "live photos", "🖼", live_photo, _MEDIA, True, "video", ""),
    IMAGE := MediaKind("image", "Image", "images", "🖼", image_document, _MEDIA, True, "", ""),
    VIDEO := MediaKind("video", "Video", "videos", "🎬", video, _MEDIA, True, "video", "video/mp4"),
    ANIMATION := MediaKind("animation", "GIF", "GIFs", "🎞", video, _MEDIA, True, "video", "video/mp4"),
    ROUND := MediaKind("round", "Video message", "video messages", "🎬", video, _MEDIA, True, "video", "video/mp4"),
    AUDIO := MediaKind("audio", "Audio", "audio files", "🎵", audio, _MEDIA, False, "audio", "audio/mpeg"),
    VOICE := MediaKind("voice", "Voice message", "voice messages", "🎤", audio, _MEDIA, False, "audio", "audio/ogg"),
    STICKER := MediaKind("sticker", "Sticker", "stickers", "", sticker, _MEDIA, True, "sticker", ""),
    DOCUMENT := MediaKind("document", "File", "files", "📄", document, _MEDIA, False, "", "application/octet-stream"),
)
# fmt: on

# Types that are of one kind only.
KIND_OF_TYPE: dict[type[Any], MediaKind] = {Photo: PHOTO, LivePhoto: LIVE_PHOTO, Sticker: STICKER}
_VIDEO_KINDS = {VideoKind.VIDEO: VIDEO, VideoKind.ANIMATION: ANIMATION, VideoKind.ROUND: ROUND}
# Images that every browser shows; others sent as files are plain documents.
_SHOWN_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"})


def attachment_kind(media: Attachment) -> MediaKind:
    """The row for a file."""
    match media:
        case Video():
            return _VIDEO_KINDS[media.kind]
        case Audio():
            return VOICE if media.voice else AUDIO
        case Document():
            return IMAGE if media.file.mime_type in _SHOWN_IMAGES else DOCUMENT
    return KIND_OF_TYPE[type(media)]


def describe_attachment(media: Attachment) -> str:
    """A file in a plain line: its own name where it has one, else the kind's."""
    kind = attachment_kind(media)
    match media:
        case Audio(voice=False):
            parts = [part for part in (one_line(media.performer), one_line(media.title)) if part]
            return " – ".join(parts) or one_line(media.file.file_name) or kind.one
        case Document():
            return one_line(media.file.file_name) or kind.one
        case Sticker():
            return f"{kind.one} {emoji}" if (emoji := one_line(media.emoji)) else kind.one
    return kind.one
