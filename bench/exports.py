"""Exports made for measuring: many channels of mixed messages, and files of known sizes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIRST_DATE = 1_795_000_000
WORDS = [
    "harbour",
    "tide",
    "ledger",
    "morning",
    "signal",
    "window",
    "orchard",
    "lantern",
    "meeting",
    "council",
    "бюджет",
    "станция",
    "мост",
    "рассвет",
    "письмо",
    "городской",
    "東京",
    "天気",
    "新聞",
    "电车",
    "سوق",
    "مدينة",
    "quick",
    "brief",
    "update",
    "across",
    "northern",
    "valley",
    "railway",
    "museum",
]
PHOTO_BYTES = 50_000
FIRST_CHANNEL_ID = 2_000_000_000
MIXED_CHANNEL = "bench_0"
# As the bridge has it: marked as a channel's.
MIXED_CHANNEL_ID = -(10**12) - FIRST_CHANNEL_ID
FILES_CHANNEL = "bench_files"
# Message ids in FILES_CHANNEL.
SMALL_PHOTO, CACHED_VIDEO, UNCACHED_VIDEO = 1, 2, 3
CACHED_VIDEO_BYTES = 100_000_000
UNCACHED_VIDEO_BYTES = 64 * 2**20

JPEG_START = bytes.fromhex("ffd8ffe000104a46494600010100000100010000")
MP4_START = bytes.fromhex("00000018667479706d703432000000006d70343269736f6d")


def write_exports(folder: Path, *, channels: int, messages: int) -> list[Path]:
    """Write one export a channel below `folder`, and one of large files; return their folders.

    `channels` channels `bench_0` ... of `messages` messages each: texts of several lengths and scripts with entities,
    photos, albums, videos, voice messages, polls, replies, forwards and link previews. The same on every run.
    """
    folders = []
    for index in range(channels):
        home = folder / f"bench_{index}"
        (home / "photos").mkdir(parents=True)
        (home / "photos" / "photo.jpg").write_bytes(_filled(JPEG_START, PHOTO_BYTES, index))
        chance = random.Random(index)
        entries = [_message(number, chance) for number in range(1, messages + 1)]
        _write(home, f"bench_{index}", FIRST_CHANNEL_ID + index, entries)
        folders.append(home)
    folders.append(_write_files(folder / FILES_CHANNEL))
    return folders


def _write_files(home: Path) -> Path:
    home.mkdir(parents=True)
    (home / "photo.jpg").write_bytes(_filled(JPEG_START, PHOTO_BYTES, 7))
    entries: list[dict[str, Any]] = [_base(SMALL_PHOTO) | {"photo": "photo.jpg", "width": 1280, "height": 853}]
    for number, size in ((CACHED_VIDEO, CACHED_VIDEO_BYTES), (UNCACHED_VIDEO, UNCACHED_VIDEO_BYTES)):
        (home / f"{number}.mp4").write_bytes(_filled(MP4_START, size, number))
        entries.append(_base(number) | _video(f"{number}.mp4"))
    _write(home, FILES_CHANNEL, 2_100_000_000, entries)
    return home


def _write(home: Path, username: str, chat_id: int, messages: list[dict[str, Any]]) -> None:
    export = {
        "name": username.replace("_", " ").title(),
        "type": "public_channel",
        "id": chat_id,
        "bridge": {"username": username, "about": "Mixed messages for measuring."},
        "messages": messages,
    }
    (home / "result.json").write_text(json.dumps(export, ensure_ascii=False), "utf-8")


def _filled(start: bytes, size: int, seed: int) -> bytes:
    return start + random.Random(seed).randbytes(size - len(start))


def _base(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "type": "message",
        "date_unixtime": str(FIRST_DATE + number * 1800),
        "from": "Bench",
        "from_id": "channel2000000000",
        "text": "",
        "bridge": {"views": 1000 + number, "forwards": number % 50},
    }


def _message(number: int, chance: random.Random) -> dict[str, Any]:
    message = _base(number) | {"text": list(_pieces(chance, chance.choice((12, 40, 90, 160))))}
    message["reactions"] = [{"type": "emoji", "count": chance.randrange(1, 90), "emoji": "👍"}]
    match number % 10:
        case 1 | 2 | 3:
            message |= {"photo": "photos/photo.jpg", "width": 1280, "height": 853}
        case 4:
            message |= _video("(File not included. Change data exporting settings to download.)")
        case 5:
            options = [{"text": chance.choice(WORDS), "voters": chance.randrange(500)} for _ in range(4)]
            message |= {"text": "", "poll": {"question": "Which one?", "closed": False, "answers": options}}
        case 6:
            message |= {"reply_to_message_id": max(1, number - 3)}
        case 7:
            message |= {"forwarded_from": "Bench 1", "forwarded_from_id": "channel2000000001"}
        case 8:
            page = {
                "url": "https://example.org/a",
                "site_name": "Example",
                "title": "A page",
                "description": "Words " * 20,
            }
            message["bridge"] |= {"web_page": page}
        case 9:
            message |= {"photo": "photos/photo.jpg", "width": 1280, "height": 853}
            message["bridge"] |= {"grouped_id": 10_000 + number // 10}
        case _:
            message |= {"photo": "photos/photo.jpg", "width": 1280, "height": 853}
            message["bridge"] |= {"grouped_id": 10_000 + (number - 1) // 10}
    return message


def _video(path: str) -> dict[str, Any]:
    size = {"file": path, "media_type": "video_file", "mime_type": "video/mp4"}
    return size | {"duration_seconds": 60, "width": 1280, "height": 720}


def _pieces(chance: random.Random, words: int) -> Iterator[str | dict[str, str]]:
    for index in range(words):
        word = chance.choice(WORDS)
        match chance.randrange(14):
            case 0:
                yield {"type": "bold", "text": word}
            case 1:
                yield {"type": "text_link", "text": word, "href": "https://example.org/page"}
            case 2:
                yield {"type": "italic", "text": f"{word} 🌊"}
            case 3:
                yield {"type": "hashtag", "text": f"#{word}"}
            case _:
                yield word
        yield "\n\n" if index % 25 == 24 else " "
