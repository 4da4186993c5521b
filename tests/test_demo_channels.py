"""The demo's channels: whole, loadable, small, and a catalogue of every kind of message."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tgserver.export import load_export
from tgserver.world import World

Json = dict[str, Any]
Holds = Callable[[Json], object]

DEMO = Path(__file__).resolve().parent.parent / "demo"
CHANNELS = DEMO / "channels"
NAMES = ("harbour_talk", "lantern", "lighthouse", "noticeboard", "observatory", "station", "workshop")
# The one shows kinds, not news, the other topics: nothing new comes in while the demo runs.
QUIET = {"demo_noticeboard", "demo_workshop"}
TOTAL_BYTES_MAX = 6_200_000


@cache
def export(name: str) -> Json:
    document = json.loads((CHANNELS / name / "result.json").read_text("utf-8"))
    assert isinstance(document, dict)
    return document


def messages(name: str) -> list[Json]:
    found = export(name)["messages"]
    assert isinstance(found, list)
    return found


def text(message: Json) -> str:
    return "".join(piece["text"] for piece in message["text_entities"])


def bridge(message: Json) -> Json:
    found = message.get("bridge", {})
    assert isinstance(found, dict)
    return found


def utf16(words: str) -> int:
    return len(words.encode("utf-16-le")) // 2


def referenced_files(name: str) -> Iterator[str]:
    yield export(name)["bridge"]["photo"]
    for message in messages(name):
        for key in ("photo", "file", "thumbnail", "contact_vcard"):
            if key in message:
                yield message[key]
        beside = bridge(message)
        yield from (beside[key] for key in ("thumb", "poster") if key in beside)
        if "photo" in beside.get("web_page", {}):
            yield beside["web_page"]["photo"]
        yield from files_named_in_tl(beside)


def files_named_in_tl(told: object) -> Iterator[str]:
    if isinstance(told, list):
        for part in told:
            yield from files_named_in_tl(part)
    elif isinstance(told, dict):
        for key, value in told.items():
            if key == "_photo":
                yield value
            elif key == "_document":
                yield from (value[file] for file in ("file", "thumbnail") if file in value)
            else:
                yield from files_named_in_tl(value)


def files_of_type(suffix: str) -> list[Path]:
    return sorted(CHANNELS.rglob(f"*{suffix}"))


def test_the_folder_holds_exactly_the_channels() -> None:
    assert sorted(path.name for path in CHANNELS.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_referenced_file_is_there_and_every_file_is_referenced(name: str) -> None:
    folder = CHANNELS / name
    present = {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    assert set(referenced_files(name)) | {"result.json"} == set(present)
    assert all(present.values())


@pytest.mark.parametrize("name", NAMES)
def test_written_sizes_are_the_sizes_of_the_files(name: str) -> None:
    for message in messages(name):
        for key, size in (("photo", "photo_file_size"), ("file", "file_size"), ("thumbnail", "thumbnail_file_size")):
            if key in message:
                assert (CHANNELS / name / message[key]).stat().st_size == message[size], message["id"]
        if "photo" in message:
            with Image.open(CHANNELS / name / message["photo"]) as picture:
                assert picture.size == (message["width"], message["height"]), message["id"]


@pytest.mark.parametrize("name", NAMES)
def test_ids_and_dates_ascend_with_gaps_and_end_before_december(name: str) -> None:
    ids = [message["id"] for message in messages(name)]
    times = [int(message["date_unixtime"]) for message in messages(name)]
    assert ids == sorted(set(ids))
    assert times == sorted(times)
    assert datetime.fromtimestamp(times[-1], UTC) < datetime(2026, 12, 1, tzinfo=UTC)
    for message in messages(name):
        written = datetime.fromisoformat(message["date"]).replace(tzinfo=UTC)
        assert written.timestamp() == int(message["date_unixtime"])


def test_some_ids_are_missing_as_if_messages_had_been_deleted() -> None:
    assert any(len(messages(name)) < messages(name)[-1]["id"] for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_text_and_text_entities_say_the_same(name: str) -> None:
    for message in messages(name):
        told = message["text"]
        pieces = [told] if isinstance(told, str) else told
        joined = "".join(piece if isinstance(piece, str) else piece["text"] for piece in pieces)
        assert joined == text(message), message["id"]
        assert utf16(joined) <= 4096


@pytest.mark.parametrize("name", NAMES)
def test_hand_made_entities_lie_inside_their_text(name: str) -> None:
    for message in messages(name):
        for entity in bridge(message).get("entities", []):
            assert entity["length"] > 0
            assert 0 <= entity["offset"] <= utf16(text(message)) - entity["length"], message["id"]


@pytest.mark.parametrize("name", NAMES)
def test_replies_answer_messages_that_exist_and_quote_their_words(name: str) -> None:
    known = {message["id"]: message for message in messages(name)}
    for message in messages(name):
        quote = bridge(message).get("quote")
        if "reply_to_message_id" in message:
            answered = known[message["reply_to_message_id"]]
            assert answered["id"] < message["id"]
            if quote:
                start = text(answered).index(quote["text"])
                assert utf16(text(answered)[:start]) == quote["offset"]
        elif quote:
            elsewhere = bridge(message)["reply_to"]
            answered = _message_of_chat(elsewhere["chat_id"], elsewhere["message_id"])
            assert quote["text"] in text(answered)


@pytest.mark.parametrize("name", NAMES)
def test_forwards_between_the_channels_carry_the_words_of_their_source(name: str) -> None:
    for message in messages(name):
        forward = bridge(message).get("forward")
        if forward:
            source = _message_of_chat(forward["channel_id"], forward["channel_post"])
            assert text(source) == text(message), message["id"]
            assert int(source["date_unixtime"]) == forward["date"]


def _message_of_chat(chat_id: int, message_id: int) -> Json:
    for name in NAMES:
        if export(name)["id"] == chat_id:
            return next(message for message in messages(name) if message["id"] == message_id)
    raise AssertionError(f"no demo chat has the id {chat_id}")


@pytest.mark.parametrize("name", NAMES)
def test_the_local_server_loads_the_channel_with_all_messages_and_files(name: str) -> None:
    world = World()
    chats = load_export(CHANNELS / name, world)
    assert [sorted(chat.messages) for chat in chats] == [[message["id"] for message in messages(name)]]
    served = {Path(str(file.content)).resolve() for file in world.files.values()}
    folder = CHANNELS / name
    assert served == {(folder / path).resolve() for path in referenced_files(name)}


def test_all_channels_load_into_one_world() -> None:
    world = World()
    chats = [chat for name in NAMES for chat in load_export(CHANNELS / name, world)]
    usernames = {export(name)["bridge"]["username"] for name in NAMES}
    assert {getattr(chat.peer, "username", None) for chat in chats} == usernames
    assert all(world.chat_named(name) is not None for name in usernames)


def test_all_channels_together_stay_small() -> None:
    assert sum(path.stat().st_size for path in CHANNELS.rglob("*") if path.is_file()) < TOTAL_BYTES_MAX


def test_films_can_start_before_they_are_complete() -> None:
    films = files_of_type(".mp4")
    assert len(films) >= 5
    for film in films:
        content = film.read_bytes()
        assert content[4:8] == b"ftyp"
        assert 0 < content.index(b"moov") < content.index(b"mdat"), film
        assert b"avc1" in content
        assert len(content) < 700_000
    beam = (CHANNELS / "lighthouse/video_files/beam.mp4").read_bytes()
    assert b"mp4a" in beam


def test_the_pdf_has_two_pages_and_a_true_cross_reference_table() -> None:
    (paper,) = files_of_type(".pdf")
    content = paper.read_bytes()
    assert content.startswith(b"%PDF-1.4")
    assert content.endswith(b"%%EOF\n")
    assert len(re.findall(rb"/Type /Page\b(?!s)", content)) == 2
    start = int(content.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    assert content[start : start + 4] == b"xref"
    offsets = [int(line[:10]) for line in content[start:].splitlines() if line.endswith(b" n ")]
    for number, offset in enumerate(offsets, 1):
        assert content[offset:].startswith(b"%d 0 obj" % number)


def test_stickers_and_sounds_are_what_their_names_say() -> None:
    for sticker in files_of_type(".tgs"):
        animation = json.loads(gzip.decompress(sticker.read_bytes()))
        assert (animation["tgs"], animation["w"], animation["h"], animation["fr"]) == (1, 512, 512, 60)
    for sticker in files_of_type(".webp"):
        with Image.open(sticker) as picture:
            assert (picture.format, picture.size, picture.mode) == ("WEBP", (512, 512), "RGBA")
    magics = {".tgs": b"\x1f\x8b", ".webm": b"\x1a\x45\xdf\xa3", ".ogg": b"OggS", ".mp3": b"ID3", ".zip": b"PK"}
    for suffix, magic in magics.items():
        found = files_of_type(suffix)
        assert found
        assert all(path.read_bytes().startswith(magic) for path in found)
    waltz = (CHANNELS / "lighthouse/files/harbour_waltz.mp3").read_bytes()[:60_000]
    assert {b"APIC", b"TIT2", b"TPE1"} <= set(re.findall(rb"APIC|TIT2|TPE1", waltz))


# -- the catalogue: each kind of message, and the channel where it can be seen ------------------


def entity(kind: str, **fields: object) -> Holds:
    return lambda message: any(
        piece["type"] == kind and all(piece.get(key) == value for key, value in fields.items())
        for piece in message["text_entities"]
    )


def has(key: str, value: object = None) -> Holds:
    return lambda message: key in message and (value is None or message[key] == value)


def beside(key: str, value: object = None) -> Holds:
    return lambda message: key in bridge(message) and (value is None or bridge(message)[key] == value)


def file_named(pattern: str) -> Holds:
    return lambda message: re.search(pattern, message.get("file_name", "absent"))


def says(words: str) -> Holds:
    return lambda message: words in text(message)


def both(*conditions: Holds) -> Holds:
    return lambda message: all(condition(message) for condition in conditions)


def no(condition: Holds) -> Holds:
    return lambda message: not condition(message)


def poll_is(**fields: object) -> Holds:
    return lambda message: (
        "poll" in message
        and all(
            {**message["poll"], **bridge(message).get("poll", {})}.get(key) == value for key, value in fields.items()
        )
    )


def page(key: str) -> Holds:
    return lambda message: bridge(message).get("web_page", {}).get(key)


def forwarded(peer: str) -> Holds:
    return lambda message: (
        "forwarded_from" in message and str(message.get("forwarded_from_id", "hidden")).startswith(peer)
    )


def tl_media(name: str) -> Holds:
    return lambda message: bridge(message).get("media", {}).get("_") == f"types.{name}"


def tl_entity(name: str) -> Holds:
    return lambda message: any(
        entity["_"] == f"types.MessageEntity{name}" for entity in bridge(message).get("entities", [])
    )


def overlapping(message: Json) -> bool:
    spans = [(e["offset"], e["offset"] + e["length"]) for e in bridge(message).get("entities", [])]
    return any(a < c < b < d for a, b in spans for c, d in spans)


def nested(message: Json) -> bool:
    spans = [(e["offset"], e["offset"] + e["length"]) for e in bridge(message).get("entities", [])]
    return any(a <= c and d <= b and (a, b) != (c, d) for a, b in spans for c, d in spans)


def reaction(kind: str) -> Holds:
    return lambda message: any(entry["type"] == kind for entry in message.get("reactions", []))


def wholly(kind: str) -> Holds:
    return lambda message: message["text_entities"] and {e["type"] for e in message["text_entities"]} == {kind}


def bold_after_emoji(message: Json) -> bool:
    before = ""
    for part in message["text_entities"]:
        if part["type"] == "bold" and utf16(before) > len(before):
            return True
        before += part["text"]
    return False


photo = has("photo")
without_text = no(lambda message: text(message))

CATALOGUE: dict[str, tuple[str, Holds]] = {
    "bold": ("lighthouse", entity("bold")),
    "italic": ("lighthouse", entity("italic")),
    "underline": ("lighthouse", entity("underline")),
    "strikethrough": ("lighthouse", entity("strikethrough")),
    "spoiler": ("lighthouse", entity("spoiler")),
    "code": ("lighthouse", entity("code")),
    "pre": ("lighthouse", entity("pre", language="")),
    "pre with a language": ("lighthouse", entity("pre", language="python")),
    "block quote": ("lighthouse", entity("blockquote", collapsed=False)),
    "expandable block quote": ("lighthouse", entity("blockquote", collapsed=True)),
    "bare link": ("lighthouse", entity("link")),
    "link on words": ("lighthouse", entity("text_link")),
    "mention": ("lighthouse", entity("mention")),
    "mention of a person without a username": ("lighthouse", entity("mention_name")),
    "hashtag": ("lighthouse", entity("hashtag")),
    "hashtag in Cyrillic": ("station", entity("hashtag", text="#знакомство")),
    "hashtag in Arabic": ("lantern", entity("hashtag", text="#القنديل")),
    "hashtag in Japanese": ("observatory", entity("hashtag", text="#天文台")),
    "cashtag": ("lighthouse", entity("cashtag")),
    "e-mail address": ("lighthouse", entity("email")),
    "phone number": ("lighthouse", entity("phone")),
    "bot command": ("harbour_talk", entity("bot_command", text="/fog@demo_ferry_bot")),
    "custom emoji": ("lighthouse", entity("custom_emoji")),
    "bank card": ("lighthouse", entity("bank_card")),
    "date": ("lighthouse", tl_entity("FormattedDate")),
    "nested entities": ("lighthouse", nested),
    "overlapping entities": ("lighthouse", overlapping),
    "overlapping entities, right to left": ("lantern", overlapping),
    "entities after emoji outside the BMP": ("lighthouse", bold_after_emoji),
    "ZWJ sequence": ("lighthouse", says("👩‍👩‍👧‍👦")),
    "flag": ("lighthouse", says("🇯🇵")),
    "flag of tags": ("lighthouse", says("🏴󠁧󠁢󠁳󠁣󠁴󠁿")),
    "combining marks": ("lighthouse", says("Zoe\u0308")),
    "mathematical letters": ("lighthouse", says("𝔖𝔞𝔩𝔱")),
    "Persian": ("lantern", says("نیم‌فاصله")),
    "photo with a caption": ("lighthouse", both(photo, says("first of the sun"))),
    "photo without a caption": (
        "lighthouse",
        both(photo, has("type", "message"), without_text, no(beside("grouped_id"))),
    ),
    "album of photos": ("lighthouse", both(photo, beside("grouped_id"), says("Four things"))),
    "album with a film": ("lighthouse", both(has("media_type", "video_file"), beside("grouped_id"))),
    "caption above": ("lighthouse", beside("invert_media", True)),
    "photo under a spoiler": ("lighthouse", has("media_spoiler", True)),
    "forward from a channel": ("lighthouse", forwarded("channel")),
    "forward from a user": ("lighthouse", forwarded("user")),
    "forward from a hidden user": ("lighthouse", forwarded("hidden")),
    "reply with a chosen quote": ("lighthouse", both(has("reply_to_message_id"), beside("quote"))),
    "reply to a photo": ("lighthouse", both(has("reply_to_message_id"), says("humpback"))),
    "reply into another chat": ("lighthouse", beside("reply_to")),
    "open poll": ("lighthouse", poll_is(closed=False, multiple_choice=True)),
    "quiz": ("lighthouse", poll_is(quiz=True, correct=[2])),
    "closed poll": ("lighthouse", poll_is(closed=True)),
    "public poll": ("harbour_talk", poll_is(public_voters=True)),
    "video": ("lighthouse", both(has("media_type", "video_file"), says("Eight seconds"))),
    "video without a caption": (
        "lighthouse",
        both(has("media_type", "video_file"), without_text, no(beside("grouped_id"))),
    ),
    "animation": ("lighthouse", has("media_type", "animation")),
    "round video": ("lighthouse", has("media_type", "video_message")),
    "voice": ("lighthouse", has("media_type", "voice_message")),
    "audio with cover, title and performer": (
        "lighthouse",
        both(has("media_type", "audio_file"), has("performer"), has("title"), has("thumbnail")),
    ),
    "PDF": ("lighthouse", has("mime_type", "application/pdf")),
    "CSV": ("lighthouse", file_named(r"\.csv$")),
    "archive with a name in Cyrillic and emoji": ("lighthouse", file_named("находки 🌊")),
    "document with a name in Arabic": ("lantern", file_named("كتب معارة")),
    "document without a name": ("lighthouse", file_named("^$")),
    "picture as a document": ("lighthouse", both(has("mime_type", "image/png"), no(has("media_type")))),
    "sticker, WebP": ("harbour_talk", both(has("media_type", "sticker"), has("mime_type", "image/webp"))),
    "sticker, WebM": ("lighthouse", both(has("media_type", "sticker"), has("mime_type", "video/webm"))),
    "sticker, TGS": ("observatory", both(has("media_type", "sticker"), has("mime_type", "application/x-tgsticker"))),
    "link preview with a photo": ("lighthouse", page("photo")),
    "link preview without a photo": ("lighthouse", both(page("title"), no(page("photo")))),
    "link and nothing else": ("lighthouse", both(wholly("link"), no(beside("web_page")))),
    "buttons with links": ("lighthouse", beside("keyboard")),
    "reactions": ("lighthouse", reaction("emoji")),
    "custom reaction": ("lighthouse", reaction("custom_emoji")),
    "paid reaction": ("lighthouse", reaction("paid")),
    "views and forwards": ("lighthouse", both(beside("views"), beside("forwards"))),
    "comments": ("lighthouse", beside("comments")),
    "signed post": ("lighthouse", has("author", "Ada Whitlock")),
    "edited post": ("lighthouse", both(has("edited_unixtime"), no(beside("edit_hide")))),
    "edit without a mark": ("lighthouse", beside("edit_hide", True)),
    "silent post": ("lighthouse", beside("silent", True)),
    "pinned post": ("lighthouse", beside("pinned", True)),
    "channel created": ("lighthouse", has("action", "create_channel")),
    "title changed": ("lighthouse", has("action", "edit_group_title")),
    "photo changed": ("lighthouse", both(has("action", "edit_group_photo"), photo)),
    "message pinned": ("lighthouse", has("action", "pin_message")),
    "live stream scheduled": ("lighthouse", has("action", "group_call_scheduled")),
    "live stream started": ("lighthouse", both(has("action", "group_call"), no(has("duration")))),
    "live stream ended": ("lighthouse", both(has("action", "group_call"), has("duration"))),
    "group created": ("harbour_talk", has("action", "create_group")),
    "members invited": ("harbour_talk", has("action", "invite_members")),
    "joined by a link": ("harbour_talk", has("action", "join_group_by_link")),
    "giveaway": ("lighthouse", tl_media("MessageMediaGiveaway")),
    "giveaway's winners": ("lighthouse", tl_media("MessageMediaGiveawayResults")),
    "contact": ("lighthouse", has("contact_information")),
    "location": ("lighthouse", both(has("location_information"), no(has("place_name")))),
    "live location": ("harbour_talk", has("live_location_period_seconds")),
    "venue": ("lighthouse", has("place_name")),
    "dice": ("lighthouse", tl_media("MessageMediaDice")),
    "game": ("harbour_talk", has("game_title")),
    "invoice": ("harbour_talk", has("invoice_information")),
    "checklist": ("lantern", has("todo_list")),
    "paid media": ("observatory", has("paid_stars_amount")),
    "rich message": ("lighthouse", beside("rich_message")),
    "text of full length": ("lighthouse", lambda message: utf16(text(message)) == 4096),
    "markup typed as text": (
        "lighthouse",
        both(says("<b>this is not bold</b>"), says("AT&amp;T"), says("std::vector<int>")),
    ),
    "end of CDATA": ("lighthouse", says("]]>")),
    "script typed as text": ("lighthouse", says("<script>alert(1)</script>")),
    "link to a script": ("lighthouse", entity("text_link", href="javascript:alert('lamp')")),
    "direction override": ("lighthouse", says("\u202e")),
    "text that is a zero": ("lighthouse", lambda message: text(message) == "0"),
    "text that is a year": ("lighthouse", lambda message: text(message) == "2024"),
    "post wholly in a quote": ("lighthouse", wholly("blockquote")),
    "headline in capitals": ("lighthouse", says("NO MARKET BOAT ON TUESDAY")),
    "headline in Cyrillic capitals": ("station", says("РАСПИСАНИЕ НА ЗИМУ")),
    "first line of hashtags": ("lighthouse", lambda message: re.match(r"(#\w+ ?)+\n", text(message))),
    "advertisement": ("station", says("#реклама")),
    "request for donations": ("station", says("Донаты")),
    "announcement of a stream": ("station", says("Стрим")),
    "message in a group from another script": (
        "harbour_talk",
        both(says("こんばんは"), has("from_id", "user7100000008")),
    ),
    "message of a bot": ("harbour_talk", has("from", "Saltmere Ferry")),
    "post of a channel in its discussion group": (
        "harbour_talk",
        both(has("from", "The Lighthouse Notebook"), beside("forward")),
    ),
    "topic opened": ("workshop", has("action", "topic_created")),
    "topic renamed": ("workshop", has("action", "topic_edit")),
}


@pytest.mark.parametrize("kind", CATALOGUE)
def test_the_catalogue_shows_each_kind_where_it_says(kind: str) -> None:
    name, holds = CATALOGUE[kind]
    assert any(holds(message) for message in messages(name)), f"{kind} is not in {name}"


def test_an_album_has_one_id_and_several_parts() -> None:
    parts: dict[str, int] = {}
    for name in NAMES:
        for message in messages(name):
            if "grouped_id" in bridge(message):
                group = bridge(message)["grouped_id"]
                parts[group] = parts.get(group, 0) + 1
    assert len(parts) >= 5
    assert {2, 3, 10} <= set(parts.values()) <= set(range(2, 11))


def test_live_posts_go_to_demo_channels_and_use_their_files() -> None:
    folders = {export(name)["bridge"]["username"]: CHANNELS / name for name in NAMES}
    posts = json.loads((DEMO / "live_posts.json").read_text("utf-8"))
    assert len(posts) >= 30
    assert {post["channel"] for post in posts} == set(folders) - QUIET
    for post in posts:
        message = post["message"]
        assert text(message)
        assert not {"id", "date", "date_unixtime"} & set(message)
        if "photo" in message:
            assert (folders[post["channel"]] / message["photo"]).stat().st_size == message["photo_file_size"]
    assert sum("photo" in post["message"] for post in posts) >= 3
