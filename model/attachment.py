"""Files, and the kinds of media that are one file."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class FileLocation(StrEnum):
    """Which TL input location fetches the file."""

    DOCUMENT = "document"
    PHOTO = "photo"
    PEER_PHOTO = "peer_photo"


class FileRef(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """All that Telegram needs to hand out one file's bytes, and what is known of the file.

    `unique_id` names the file for ever and for every account (file_unique_id of the bots' API, followed by
    `-` and the size letter for a thumbnail); it is URL-safe.
    `thumb_type` is the TL size letter for photos and thumbnails, "" for a whole document. `size` is in bytes,
    0 if unknown. `peer_*` are set for `PEER_PHOTO` only. `stripped` is Telegram's stripped thumbnail of the picture,
    b"" if there is none, or if the picture may be transparent.
    """

    location: FileLocation
    id: int
    access_hash: int
    file_reference: bytes
    dc_id: int
    unique_id: str
    size: int = 0
    thumb_type: str = ""
    mime_type: str = ""
    file_name: str = ""
    width: int = 0
    height: int = 0
    # Upload time at Telegram, unix seconds.
    date: int = 0
    peer_id: int = 0
    peer_access_hash: int = 0
    stripped: bytes = b""


class Photo(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="photo", tag_field="_"):
    """A photo in its largest size; `thumb` a small one."""

    file: FileRef
    thumb: FileRef | None = None
    spoiler: bool = False


class VideoKind(StrEnum):
    """How Telegram plays a video."""

    VIDEO = "video"
    ANIMATION = "animation"
    ROUND = "round"


class Video(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="video", tag_field="_"):
    """A video, a GIF-like animation, or a round video message. `duration` in seconds."""

    file: FileRef
    kind: VideoKind = VideoKind.VIDEO
    thumb: FileRef | None = None
    width: int = 0
    height: int = 0
    duration: float = 0
    spoiler: bool = False
    streamable: bool = False


class Audio(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="audio", tag_field="_"):
    """Music, or a voice message. `duration` in seconds; `thumb` the cover."""

    file: FileRef
    voice: bool = False
    duration: float = 0
    title: str = ""
    performer: str = ""
    thumb: FileRef | None = None


class Sticker(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="sticker", tag_field="_"):
    """A sticker: webp image, webm video, or tgs animation (shown by its thumbnail)."""

    file: FileRef
    emoji: str = ""
    thumb: FileRef | None = None
    width: int = 0
    height: int = 0


class Document(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="document", tag_field="_"):
    """Any other file, images sent as files included (`width` and `height` are theirs)."""

    file: FileRef
    thumb: FileRef | None = None
    width: int = 0
    height: int = 0
    spoiler: bool = False


class LivePhoto(
    msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="live_photo", tag_field="_"
):
    """A photo with the moments around it, a short silent film. Hidden if the photo is."""

    photo: Photo
    video: Video


Attachment = Photo | LivePhoto | Video | Audio | Sticker | Document
"""Media that is a file, and may stand inside other media: a poll, a story, a rich message."""
