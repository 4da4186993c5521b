"""One channel's export: a folder with `result.json` and files, laid out as Telegram Desktop does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from demo.make.markup import Json, Piece, text_keys, utf16

# What a medium adds to its message; it may put files into the export's folder.
Media = Callable[["Export", datetime], Json]


class Export:
    """A chat being written down, message by message, in the order of its ids."""

    def __init__(self, folder: Path, name: str, kind: str, bare_id: int, **bridge: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self.name = name
        self.kind = kind
        self.id = bare_id
        self.bridge = bridge
        self.messages: list[Json] = []
        self._last_id = 0
        self._numbers: dict[str, int] = {}

    @property
    def peer(self) -> str:
        """The export's name for the chat itself as a sender."""
        return f"channel{self.id}"

    def message(
        self,
        when: str,
        *pieces: Piece,
        media: Media | None = None,
        sender: tuple[str, str] | None = None,
        gap: int = 0,
        edited: str | None = None,
        reply_to: int | None = None,
        reactions: Mapping[str, int] | None = None,
        views: int | None = None,
        forwards: int | None = None,
        bridge: Mapping[str, object] | None = None,
        **keys: object,
    ) -> int:
        """Add a message and give its id.

        `when` and `edited` are UTC as `2026-11-28 07:40`; `sender` is (name, id), the chat itself by
        default; `gap` is how many ids before this one were deleted; other keys are the export's own.
        """
        moment = _moment(when)
        name, peer = sender or (self.name, self.peer)
        entry = self._begin("message", moment, gap)
        if edited:
            entry |= _date_keys("edited", _moment(edited))
        entry |= {"from": name, "from_id": peer}
        if reply_to is not None:
            entry["reply_to_message_id"] = reply_to
        entry |= keys
        counts = {"views": views, "forwards": forwards}
        beside = {key: count for key, count in counts.items() if count is not None} | dict(bridge or {})
        if media is not None:
            added = media(self, moment)
            beside |= added.pop("bridge", {})
            entry |= added
        entry |= text_keys(pieces)
        if reactions:
            entry["reactions"] = [_reaction(sign, count) for sign, count in reactions.items()]
        return self._end(entry, beside)

    def service(
        self,
        when: str,
        action: str,
        *,
        media: Media | None = None,
        actor: tuple[str, str] | None = None,
        gap: int = 0,
        bridge: Mapping[str, object] | None = None,
        **keys: object,
    ) -> int:
        """Add a service message and give its id."""
        moment = _moment(when)
        name, peer = actor or (self.name, self.peer)
        entry = self._begin("service", moment, gap) | {"actor": name, "actor_id": peer, "action": action} | keys
        if media is not None:
            entry |= media(self, moment)
        return self._end(entry | text_keys([]), dict(bridge or {}))

    def album(
        self, when: str, media: Sequence[Media], *pieces: Piece, bridge: Mapping[str, object] | None = None, **keys: Any
    ) -> list[int]:
        """Add an album, the text with its first part, and give the ids."""
        group = 13_000_000_000_000_000 + self.id * 1000 + len(self.messages)
        beside = {**(bridge or {}), "grouped_id": str(group)}
        ids = [self.message(when, *pieces, media=media[0], bridge=beside, **keys)]
        keys.pop("reactions", None)
        keys.pop("gap", None)
        return ids + [self.message(when, media=part, bridge=beside, **keys) for part in media[1:]]

    def quoting(self, message_id: int, words: str) -> Json:
        """What a reply's `bridge` needs to quote words of an earlier message, chosen by hand."""
        quoted = next(entry for entry in self.messages if entry["id"] == message_id)
        text = "".join(entity["text"] for entity in quoted["text_entities"])
        offset = utf16(text[: text.index(words)])
        entities = text_keys([words])["text_entities"]
        return {"quote": {"text": words, "text_entities": entities, "offset": offset, "manual": True}}

    def put(self, place: str, content: bytes) -> str:
        """Write a file and give its path, relative to the folder."""
        target = self.folder / place
        target.parent.mkdir(exist_ok=True)
        if target.exists():
            raise FileExistsError(f"{place} is written twice in {self.folder.name}")
        target.write_bytes(content)
        return place

    def numbered(self, place: str, moment: datetime, suffix: str) -> str:
        """Telegram Desktop's name for a file that has none: `photos/photo_3@28-11-2026_07-40-00.jpg`."""
        self._numbers[place] = self._numbers.get(place, 0) + 1
        return f"{place}_{self._numbers[place]}@{moment:%d-%m-%Y_%H-%M-%S}{suffix}"

    def write(self) -> None:
        """Write `result.json`."""
        document = {
            "name": self.name,
            "type": self.kind,
            "id": self.id,
            "bridge": self.bridge,
            "messages": self.messages,
        }
        target = self.folder / "result.json"
        target.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def _begin(self, kind: str, moment: datetime, gap: int) -> Json:
        self._last_id += 1 + gap
        return {"id": self._last_id, "type": kind} | _date_keys("date", moment)

    def _end(self, entry: Json, beside: Json) -> int:
        if beside:
            entry["bridge"] = beside
        self.messages.append(entry)
        return self._last_id


def unix(when: str) -> int:
    """Seconds since 1970 of a UTC time as `2026-11-28 07:40`."""
    return int(_moment(when).timestamp())


def date_keys(key: str, when: str) -> Json:
    """A date in the two forms in which exports write each."""
    return _date_keys(key, _moment(when))


def _moment(when: str) -> datetime:
    return datetime.fromisoformat(when).replace(tzinfo=UTC)


def _date_keys(key: str, moment: datetime) -> Json:
    return {key: f"{moment:%Y-%m-%dT%H:%M:%S}", f"{key}_unixtime": str(int(moment.timestamp()))}


def _reaction(sign: str, count: int) -> Json:
    """`sign` is an emoji, `paid`, or the id of a custom emoji."""
    if sign == "paid":
        return {"type": "paid", "count": count}
    if sign.isdecimal():
        return {"type": "custom_emoji", "count": count, "document_id": sign}
    return {"type": "emoji", "count": count, "emoji": sign}
