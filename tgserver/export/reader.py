"""From a folder to validated JSON: finds `result.json`, parses it, tells both forms of export apart."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from pathlib import Path

from tgserver.export.errors import ExportError
from tgserver.export.values import INT64_MAX, Json, as_id, as_list, as_text
from tgserver.lines import one_line

log = logging.getLogger(__name__)

RESULT = "result.json"
CHAT_TYPES = (
    "personal_chat",
    "bot_chat",
    "saved_messages",
    "replies",
    "verification_codes",
    "private_group",
    "private_supergroup",
    "public_supergroup",
    "private_channel",
    "public_channel",
)
_ACCOUNT_KEYS = frozenset({"personal_information", "contacts", "frequent_contacts", "sessions", "other_data"})
# A byte order mark, or the opening brace.
_UTF16_BEGINNINGS = (b"\xff\xfe", b"\xfe\xff", b"{\0", b"\0{")
_AGAIN = "export again from Telegram Desktop as machine-readable JSON"


@dataclass(slots=True)
class RawChat:
    """One chat of an export, its structure checked, its messages not yet looked at."""

    data: Json
    id: int
    type: str
    messages: list[object]
    left: bool = False


@dataclass(slots=True)
class RawExport:
    """A parsed export. `source` begins error lines, `folder` holds the files."""

    source: str
    folder: Path
    chats: list[RawChat]
    personal: Json = field(default_factory=dict)
    contacts: list[object] = field(default_factory=list)


def read_export(place: Path) -> RawExport:
    """Read the export in a folder, or a `result.json` given directly.

    Raises `ExportError` if it is not there, not JSON, or not of Telegram Desktop.
    """
    path = _find(place)
    data = _parse(path)
    source = str(path)
    if not isinstance(data, dict):
        raise ExportError(f"{source}: not an export of Telegram Desktop, the file holds no object; {_AGAIN}")
    if "messages" in data:
        return RawExport(source, path.parent, [_chat(data, source)])
    if not ("chats" in data or "left_chats" in data):
        if _ACCOUNT_KEYS & set(data):
            raise ExportError(f"{source}: the export holds no chats; export again with chats and channels ticked")
        keys = ", ".join(sorted(map(str, data))[:5]) or "none"
        raise ExportError(f"{source}: not an export of Telegram Desktop (its keys: {keys:.80}); {_AGAIN}")
    personal, contacts = data.get("personal_information"), data.get("contacts")
    return RawExport(
        source,
        path.parent,
        _account_chats(data, source),
        personal if isinstance(personal, dict) else {},
        as_list(contacts.get("list")) if isinstance(contacts, dict) else [],
    )


def _find(place: Path) -> Path:
    try:
        return _look(place)
    except OSError as error:
        raise ExportError(f"{place}: can't be opened ({error.strerror}); check the name and the rights") from error


def _look(place: Path) -> Path:
    if place.is_file():
        return place
    if not place.is_dir():
        raise ExportError(f"{place}: no such folder; name the folder of an export, which holds {RESULT}")
    path = place / RESULT
    if path.is_file():
        return path
    if any(place.glob("messages*.html")) or (place / "export_results.html").is_file():
        raise ExportError(f"{place}: this is an HTML export, which can't be read; {_AGAIN}")
    raise ExportError(f"{place}: holds no {RESULT}; name the folder of an export, or {_AGAIN}")


def _text_of(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ExportError(f"{path}: can't be read ({error.strerror}); check the file and its rights") from error
    if content.startswith(_UTF16_BEGINNINGS):
        raise ExportError(f"{path}: this is UTF-16, not UTF-8; save it as UTF-8, or {_AGAIN}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExportError(f"{path}: not UTF-8 at byte {error.start}; {_AGAIN}") from error


def _parse(path: Path) -> object:
    text = _text_of(path)
    if not text.strip():
        raise ExportError(f"{path}: the file is empty; {_AGAIN}")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at = f"line {error.lineno} column {error.colno}"
        cut = error.msg.startswith("Unterminated") or not text[error.pos :].strip()
        if cut:
            raise ExportError(f"{path}: the JSON is cut off at {at}; copy the whole file or export again") from error
        if text.lstrip().startswith("<"):
            raise ExportError(f"{path}: this is HTML, not JSON; {_AGAIN}") from error
        raise ExportError(f"{path}: broken JSON at {at} ({error.msg}); {_AGAIN}") from error
    except RecursionError as error:
        raise ExportError(f"{path}: the JSON is nested too deep; {_AGAIN}") from error
    except ValueError as error:
        raise ExportError(f"{path}: broken JSON ({str(error).split(';')[0]}); {_AGAIN}") from error


def _listed(data: Json, key: str, source: str) -> list[object]:
    if key not in data:
        return []
    section = data[key]
    entries = section.get("list") if isinstance(section, dict) else None
    if not isinstance(entries, list):
        raise ExportError(f'{source}: "{key}" holds no "list" of chats; {_AGAIN}')
    return entries


def _label(data: Json, source: str) -> str:
    named = as_text(data.get("name")) or as_text(data.get("id")) or "?"
    return f"{source}: chat {one_line(named):.60}"


def _account_chats(data: Json, source: str) -> list[RawChat]:
    """The chats of an account. What is no chat costs only itself, of which the log tells.

    Raises `ExportError` if no chat is left.
    """
    chats: list[RawChat] = []
    faults: list[ExportError] = []
    for key in ("chats", "left_chats"):
        for entry in _listed(data, key, source):
            try:
                chat = _chat(entry, source)
            except ExportError as fault:
                faults.append(fault)
            else:
                chat.left = key == "left_chats"
                chats.append(chat)
    if not chats:
        why = f"the first of {len(faults)} faulty entries: {faults[0]}" if faults else f"it lists no chats; {_AGAIN}"
        raise ExportError(f"{source}: nothing to read, {why}")
    for line in faults:
        log.warning("%s; left out", line)
    return chats


def _chat(data: object, source: str) -> RawChat:
    if not isinstance(data, dict):
        raise ExportError(f"{source}: a chat must be an object, not {type(data).__name__}; {_AGAIN}")
    label = _label(data, source)
    kind = data.get("type")
    if kind not in CHAT_TYPES:
        raise ExportError(f"{label}: unknown type {str(kind)[:40]!r}; known are {', '.join(CHAT_TYPES)}")
    messages = data.get("messages", [])
    if not isinstance(messages, list):
        raise ExportError(f'{label}: "messages" must be a list, not {type(messages).__name__}; {_AGAIN}')
    chat_id = as_id(data.get("id"))
    if not chat_id or abs(chat_id) >= INT64_MAX:
        raise ExportError(f'{label}: "id" must be a number other than 0, not {str(data.get("id"))[:40]}; {_AGAIN}')
    return RawChat(data, chat_id, str(kind), messages)
