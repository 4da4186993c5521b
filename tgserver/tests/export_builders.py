"""What the tests of exports share: exports written into a folder, messages built, pictures made."""

from __future__ import annotations

import json
import struct
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

from pyrogram import raw
from pyrogram.raw.core import TLObject

from tgserver.export import build_message, load_export
from tgserver.export.peers import make_channel
from tgserver.world import Chat, World

CHANNEL = 1500000001
WHEN = 1_704_067_200


def message(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A message as Telegram Desktop writes it, in the channel's own name."""
    return {
        "id": number,
        "type": "message",
        "date": "2024-01-01T03:00:00",
        "date_unixtime": str(WHEN),
        "from": "Harbour",
        "from_id": f"channel{CHANNEL}",
        "text": "",
        "text_entities": [],
        **fields,
    }


def service(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A service message as Telegram Desktop writes it."""
    return {
        "id": number,
        "type": "service",
        "date": "2024-01-01T03:00:00",
        "date_unixtime": str(WHEN),
        "actor": "Ada Lovelace",
        "actor_id": "user10",
        "text": "",
        "text_entities": [],
        **fields,
    }


def chat_data(*messages: Any, **fields: Any) -> dict[str, Any]:
    """The export of one chat."""
    return {"name": "Harbour", "type": "public_channel", "id": CHANNEL, "messages": list(messages), **fields}


def write_export(folder: Path, data: object) -> Path:
    """Write `result.json` into the folder, and answer the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return folder


def load(folder: Path, data: object, world: World | None = None) -> list[Any]:
    """Write an export and load it.

    The chats are typed `Any`: a test knows which constructors of TL's wide unions it expects in them.
    """
    return load_export(write_export(folder, data), world if world is not None else World())


def channel() -> Chat:
    """An empty channel with the id that `message` uses."""
    return Chat(make_channel(CHANNEL, "Harbour", broadcast=True))


def built(data: dict[str, Any], folder: Path | None = None, world: World | None = None) -> Any:
    """The TL message, as a client decodes it: so each test sees that it can travel."""
    world = world or World()
    here = channel()
    world.add_chat(here)
    return travelled(build_message(here, data, folder, world))


def built_message(data: dict[str, Any], folder: Path | None = None, world: World | None = None) -> Any:
    """`built`, for an ordinary message."""
    made = built(data, folder, world)
    assert isinstance(made, raw.types.Message)
    return made


def travelled(original: Any) -> Any:
    """The TL object after writing and reading.

    More bytes follow it, as in a real answer: Kurigram guesses the kind of a vector's elements from the
    number of bytes that are left.
    """
    written = original.write()
    stream = BytesIO(written + b"\0" * 1009)
    copy = TLObject.read(stream)
    assert stream.tell() == len(written)
    return copy


def png(width: int, height: int) -> bytes:
    """A grey PNG of that size."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
