"""Documents: what kind of file an export's message holds, as TL attributes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from pyrogram import raw

from tgserver.export.bridge import MessageExtra
from tgserver.export.files import build_document, find_file, mime_type_of, named_file
from tgserver.export.imagesize import image_size
from tgserver.export.scope import Scope
from tgserver.export.values import Json, as_text, count

Attribute = raw.base.DocumentAttribute


def build_file(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> raw.types.Document:
    """The document of a message with a `file`, of whatever `media_type`."""
    kind = as_text(data.get("media_type"))
    name = _file_name(data)
    mime_type = as_text(data.get("mime_type")) or _DEFAULT_MIME.get(kind) or mime_type_of(name)
    build = _ATTRIBUTES.get(kind, _plain)
    attributes = build(scope, data, mime_type, extra)
    # Telegram's own recordings have no name, unless the export tells one.
    if name and (kind not in _NAMELESS or data.get("file_name")):
        attributes.append(raw.types.DocumentAttributeFilename(file_name=name))
    return build_document(
        scope,
        message_id,
        data.get("file"),
        data,
        mime_type=mime_type,
        attributes=attributes,
        thumb=_thumb(scope, message_id, data, extra),
        stripped=extra.stripped,
    )


def _file_name(data: Json) -> str:
    told = as_text(data.get("file_name"))
    if told:
        return told
    path = as_text(data.get("file"))
    return "" if path.startswith("(") else PurePosixPath(path).name


def _thumb(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> object:
    thumb = data.get("thumbnail")
    named = extra.thumb or extra.poster
    if find_file(scope, thumb) is None and named:
        named_file(scope, named, scope.where(message_id))
        return named
    return thumb


def _video(data: Json, *, round_message: bool = False, **flags: Any) -> raw.types.DocumentAttributeVideo:
    return raw.types.DocumentAttributeVideo(
        duration=float(count(data.get("duration_seconds"))),
        w=count(data.get("width")),
        h=count(data.get("height")),
        round_message=round_message or None,
        **flags,
    )


def _image_size(scope: Scope, data: Json) -> list[Attribute]:
    width, height = count(data.get("width")), count(data.get("height"))
    if not (width and height):
        found = find_file(scope, data.get("file"))
        measured = image_size(found.path) if found else None
        if measured is None:
            return []
        width, height = measured
    return [raw.types.DocumentAttributeImageSize(w=width, h=height)]


def _sticker(scope: Scope, data: Json, mime_type: str, extra: MessageExtra) -> list[Attribute]:
    sticker = raw.types.DocumentAttributeSticker(
        alt=as_text(data.get("sticker_emoji")), stickerset=raw.types.InputStickerSetEmpty()
    )
    seen: list[Attribute] = [_video(data)] if mime_type == "video/webm" else _image_size(scope, data)
    return [*seen, sticker]


def _video_message(scope: Scope, data: Json, mime_type: str, extra: MessageExtra) -> list[Attribute]:
    return [_video(data, round_message=True)]


def _voice_message(scope: Scope, data: Json, mime_type: str, extra: MessageExtra) -> list[Attribute]:
    return [raw.types.DocumentAttributeAudio(duration=count(data.get("duration_seconds")), voice=True)]


def _animation(scope: Scope, data: Json, mime_type: str, extra: MessageExtra) -> list[Attribute]:
    seen = _image_size(scope, data) if mime_type.startswith("image/") else [_video(data, nosound=True)]
    return [*seen, raw.types.DocumentAttributeAnimated()]


def _video_file(scope: Scope, data: Json, mime_type: str, extra: MessageExtra) -> list[Attribute]:
    return [_video(data, supports_streaming=extra.supports_streaming)]


def _audio_file(scope: Scope, data: Json, mime_type: str, extra: MessageExtra) -> list[Attribute]:
    return [
        raw.types.DocumentAttributeAudio(
            duration=count(data.get("duration_seconds")),
            title=as_text(data.get("title")) or None,
            performer=as_text(data.get("performer")) or None,
        )
    ]


def _plain(scope: Scope, data: Json, mime_type: str, extra: MessageExtra) -> list[Attribute]:
    return _image_size(scope, data) if mime_type.startswith("image/") else []


# One row a kind, by the export's `media_type`; any other file is a plain document.
_ATTRIBUTES: dict[str, Callable[[Scope, Json, str, MessageExtra], list[Attribute]]] = {
    "sticker": _sticker,
    "video_message": _video_message,
    "voice_message": _voice_message,
    "animation": _animation,
    "video_file": _video_file,
    "audio_file": _audio_file,
}

_DEFAULT_MIME = {"video_message": "video/mp4", "voice_message": "audio/ogg", "video_file": "video/mp4"}

_NAMELESS = frozenset({"video_message", "voice_message"})
