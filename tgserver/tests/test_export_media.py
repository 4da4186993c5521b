"""Media of exports, one row a kind, and what surrounds a message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrogram import raw

from tgserver.export.actions import ACTIONS
from tgserver.export.media import MEDIA
from tgserver.tests.export_builders import CHANNEL, WHEN, built, built_message, message, png
from tgserver.world import World

T = raw.types
GONE = "(File not included. Change data exporting settings to download.)"
POLL = {
    "question": "Tea?",
    "closed": True,
    "total_voters": 3,
    "answers": [{"text": "Yes", "voters": 2, "chosen": True}, {"text": "No 🍵", "voters": 1, "chosen": False}],
}
TODO = {"title": "Trip", "others_can_append": True, "items": [{"id": 2, "text": "Pack", "completed": True}, "Go"]}

# The message's own keys -> the TL media and its fields that matter.
ROWS: list[tuple[str, dict[str, Any], type, dict[str, Any]]] = [
    ("photo", {"photo": GONE, "photo_file_size": 99, "width": 1280, "height": 853}, T.MessageMediaPhoto,
     {"photo.sizes.1.type": "y", "photo.sizes.1.w": 1280, "photo.sizes.1.size": 99, "photo.sizes.0.w": 320,
      "photo.date": WHEN, "spoiler": False, "ttl_seconds": None}),
    ("hidden photo", {"photo": GONE, "media_spoiler": True, "self_destruct_period_seconds": 30}, T.MessageMediaPhoto,
     {"spoiler": True, "ttl_seconds": 30}),
    ("contact", {"contact_information": {"first_name": "Ada", "last_name": "L", "phone_number": "+1 555"}},
     T.MessageMediaContact, {"first_name": "Ada", "last_name": "L", "phone_number": "+1 555", "vcard": ""}),
    ("location", {"location_information": {"latitude": 52.5, "longitude": -13.25}}, T.MessageMediaGeo,
     {"geo.lat": 52.5, "geo.long": -13.25}),
    ("lost location", {"location_information": None}, T.MessageMediaGeo, {"geo": T.GeoPointEmpty()}),
    ("live location", {"location_information": {"latitude": 1, "longitude": 2}, "live_location_period_seconds": 900},
     T.MessageMediaGeoLive, {"period": 900}),
    ("venue", {"place_name": "Pier", "address": "Quay 1", "location_information": {"latitude": 1, "longitude": 2}},
     T.MessageMediaVenue, {"title": "Pier", "address": "Quay 1", "geo.lat": 1.0}),
    ("venue without a point", {"place_name": "Pier", "address": ""}, T.MessageMediaVenue, {"title": "Pier"}),
    ("game", {"game_title": "Chess", "game_description": "Old", "game_link": "https://t.me/bot?game=chess"},
     T.MessageMediaGame, {"game.title": "Chess", "game.description": "Old", "game.short_name": "chess"}),
    ("game without a link", {"game_title": "Chess", "game_link": "https://[oops"}, T.MessageMediaGame,
     {"game.short_name": ""}),
    ("invoice", {"invoice_information": {"title": "Rope", "description": "10 m", "amount": 500, "currency": "EUR",
                                         "receipt_message_id": 4}}, T.MessageMediaInvoice,
     {"title": "Rope", "total_amount": 500, "currency": "EUR", "receipt_msg_id": 4}),
    ("poll", {"poll": POLL}, T.MessageMediaPoll,
     {"poll.question.text": "Tea?", "poll.closed": True, "poll.answers.1.text.text": "No 🍵",
      "poll.answers.1.option": b"1", "results.total_voters": 3, "results.results.0.voters": 2,
      "results.results.0.chosen": True, "results.results.1.chosen": False, "poll.quiz": False}),
    ("checklist", {"todo_list": TODO}, T.MessageMediaToDo,
     {"todo.title.text": "Trip", "todo.list.0.id": 2, "todo.list.0.title.text": "Pack", "todo.list.1.id": 2,
      "todo.others_can_append": True, "completions.0.id": 2}),
    ("giveaway", {"giveaway_information": {"quantity": 5, "months": 3, "until_date": WHEN, "channels": ["channel12"],
                                           "countries": ["DE"], "additional_prize": "Mug", "stars": 0,
                                           "is_only_new_subscribers": True}}, T.MessageMediaGiveaway,
     {"quantity": 5, "months": 3, "until_date": WHEN, "channels": [12], "countries_iso2": ["DE"],
      "prize_description": "Mug", "stars": None, "only_new_subscribers": True}),
    ("giveaway results", {"giveaway_results": {"channel": f"channel{CHANNEL}", "winners": ["user7", 8],
                                               "winners_count": 2, "unclaimed_count": 1, "launch_message_id": 3,
                                               "until_date": WHEN, "is_refunded": True}},
     T.MessageMediaGiveawayResults,
     {"channel_id": CHANNEL, "winners": [7, 8], "winners_count": 2, "launch_msg_id": 3, "refunded": True}),
    ("paid photo", {"paid_stars_amount": 50, "photo": GONE, "width": 100, "height": 100}, T.MessageMediaPaidMedia,
     {"stars_amount": 50, "extended_media.0.media.photo.sizes.0.w": 100}),
    ("unpaid media", {"paid_stars_amount": 50}, T.MessageMediaPaidMedia,
     {"stars_amount": 50, "extended_media.0.w": 0}),
    ("dice", {"dice": {"emoji": "🎯", "value": 6}}, T.MessageMediaDice, {"emoticon": "🎯", "value": 6}),
    ("story", {"story": {"peer_id": "channel12", "id": 5}}, T.MessageMediaStory, {"peer.channel_id": 12, "id": 5}),
    ("unknown kind of message", {"type": "unsupported"}, T.MessageMediaUnsupported, {}),
    ("unknown media", {"hologram_information": {"size": 3}}, T.MessageMediaUnsupported, {}),
]  # fmt: skip

# `media_type` and keys beside the file -> MIME type, flags of the media, attributes by kind.
FILES: list[tuple[dict[str, Any], str, set[str], dict[type, dict[str, Any]]]] = [
    ({"file": "files/plan.pdf", "mime_type": "application/pdf"}, "application/pdf", set(),
     {T.DocumentAttributeFilename: {"file_name": "plan.pdf"}}),
    ({"file": "files/x_1.pdf", "file_name": "отчёт 🚀.pdf"}, "application/pdf", set(),
     {T.DocumentAttributeFilename: {"file_name": "отчёт 🚀.pdf"}}),
    ({"file": "files/noext"}, "application/octet-stream", set(),
     {T.DocumentAttributeFilename: {"file_name": "noext"}}),
    ({"file": "files/a.png", "mime_type": "image/png", "width": 8, "height": 4}, "image/png", set(),
     {T.DocumentAttributeImageSize: {"w": 8, "h": 4}, T.DocumentAttributeFilename: {"file_name": "a.png"}}),
    ({"file": "v/a.mp4", "media_type": "video_file", "mime_type": "video/mp4", "duration_seconds": 12, "width": 640,
      "height": 360}, "video/mp4", {"video"},
     {T.DocumentAttributeVideo: {"duration": 12.0, "w": 640, "h": 360, "supports_streaming": True,
                                 "round_message": False},
      T.DocumentAttributeFilename: {"file_name": "a.mp4"}}),
    ({"file": "r/file_1.mp4", "media_type": "video_message", "duration_seconds": 5}, "video/mp4", {"round"},
     {T.DocumentAttributeVideo: {"round_message": True, "duration": 5.0}}),
    ({"file": "r/audio_1.ogg", "media_type": "voice_message", "duration_seconds": 7}, "audio/ogg", {"voice"},
     {T.DocumentAttributeAudio: {"voice": True, "duration": 7}}),
    ({"file": "f/s.mp3", "media_type": "audio_file", "performer": "Bach", "title": "Air", "duration_seconds": 300,
      "mime_type": "audio/mpeg"}, "audio/mpeg", set(),
     {T.DocumentAttributeAudio: {"voice": False, "performer": "Bach", "title": "Air", "duration": 300},
      T.DocumentAttributeFilename: {"file_name": "s.mp3"}}),
    ({"file": "v/a.gif.mp4", "media_type": "animation", "mime_type": "video/mp4", "width": 4, "height": 2},
     "video/mp4", set(),
     {T.DocumentAttributeVideo: {"w": 4, "h": 2, "nosound": True}, T.DocumentAttributeAnimated: {},
      T.DocumentAttributeFilename: {"file_name": "a.gif.mp4"}}),
    ({"file": "v/a.gif", "media_type": "animation", "mime_type": "image/gif", "width": 4, "height": 2},
     "image/gif", set(),
     {T.DocumentAttributeImageSize: {"w": 4, "h": 2}, T.DocumentAttributeAnimated: {},
      T.DocumentAttributeFilename: {"file_name": "a.gif"}}),
    ({"file": "s/sticker.webp", "media_type": "sticker", "sticker_emoji": "😺", "width": 512, "height": 512},
     "image/webp", set(),
     {T.DocumentAttributeImageSize: {"w": 512}, T.DocumentAttributeSticker: {"alt": "😺"},
      T.DocumentAttributeFilename: {"file_name": "sticker.webp"}}),
    ({"file": "s/sticker.tgs", "media_type": "sticker"}, "application/x-tgsticker", set(),
     {T.DocumentAttributeSticker: {"alt": ""}, T.DocumentAttributeFilename: {"file_name": "sticker.tgs"}}),
    ({"file": "s/sticker.webm", "media_type": "sticker", "width": 512, "height": 512}, "video/webm", set(),
     {T.DocumentAttributeVideo: {"w": 512}, T.DocumentAttributeSticker: {},
      T.DocumentAttributeFilename: {"file_name": "sticker.webm"}}),
    ({"file": GONE, "media_type": "video_file"}, "video/mp4", {"video"}, {T.DocumentAttributeVideo: {"w": 0}}),
    ({"file": "x.bin", "media_type": "hologram"}, "application/octet-stream", set(),
     {T.DocumentAttributeFilename: {"file_name": "x.bin"}}),
]  # fmt: skip


def value_at(root: Any, path: str) -> Any:
    """The value of nested fields, `a.0.b`."""
    for step in path.split("."):
        root = root[int(step)] if step.isdigit() else getattr(root, step)
    return root


@pytest.mark.parametrize(("name", "fields", "kind", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_each_kind_of_media_becomes_its_tl_media_and_keeps_the_text(
    name: str, fields: dict[str, Any], kind: type, expected: dict[str, Any]
) -> None:
    made = built_message(message(3, text="Words", **fields))
    assert type(made.media) is kind
    for path, value in expected.items():
        assert value_at(made.media, path) == value, path
    assert made.message == "Words"


def test_the_tables_above_have_a_row_for_each_key_that_makes_media() -> None:
    keys = {key for row in ROWS for key in row[1]} | {key for row in FILES for key in row[0]}
    assert set(MEDIA) <= keys


@pytest.mark.parametrize(("fields", "mime_type", "flags", "attributes"), FILES)
def test_each_kind_of_file_has_its_attributes(
    fields: dict[str, Any], mime_type: str, flags: set[str], attributes: dict[type, dict[str, Any]]
) -> None:
    made = built_message(message(3, **fields))
    assert {flag for flag in ("video", "round", "voice") if getattr(made.media, flag)} == flags
    document = made.media.document
    assert document.mime_type == mime_type
    found = {type(attribute): attribute for attribute in document.attributes}
    assert set(found) == set(attributes)
    for kind, expected in attributes.items():
        assert {name: getattr(found[kind], name) for name in expected} == expected


def test_a_message_of_text_alone_has_no_media() -> None:
    assert built_message(message(text="Only words")).media is None


def test_a_vcard_comes_with_its_contact(tmp_path: Path) -> None:
    (tmp_path / "contact.vcard").write_text("BEGIN:VCARD\nFN:Ада\nEND:VCARD", encoding="utf-8")
    contact: dict[str, Any] = {"contact_information": {"first_name": "Ада"}, "contact_vcard": "contact.vcard"}
    assert built_message(message(**contact), tmp_path).media.vcard.startswith("BEGIN:VCARD\nFN:Ада")


def test_the_winners_of_a_giveaway_are_people_that_the_world_knows() -> None:
    world = World()
    built(message(giveaway_results={"winners": ["user7"]}), world=world)
    assert 7 in world.users


def test_a_forward_names_the_channel_that_it_came_from() -> None:
    world = World()
    made = built_message(message(forwarded_from="Other News", forwarded_from_id="channel12"), world=world)
    assert made.fwd_from.from_id == T.PeerChannel(channel_id=12)
    assert (made.fwd_from.from_name, made.fwd_from.date) == (None, WHEN)
    origin: Any = world.chats["channel", 12].peer
    assert (origin.title, origin.left) == ("Other News", True)


def test_a_forward_from_a_hidden_account_keeps_the_name_alone() -> None:
    made = built_message(message(forwarded_from="Somebody"))
    assert (made.fwd_from.from_id, made.fwd_from.from_name) == (None, "Somebody")


def test_a_forward_from_a_deleted_account_keeps_the_id() -> None:
    world = World()
    made = built_message(message(forwarded_from=None, forwarded_from_id="user66"), world=world)
    assert made.fwd_from.from_id == T.PeerUser(user_id=66)
    assert world.users[66].deleted


def test_a_saved_message_tells_where_it_was_saved_from() -> None:
    assert built_message(message(saved_from="Ada")).fwd_from.saved_from_name == "Ada"


def test_a_reply_names_its_message_and_its_chat() -> None:
    inside = built_message(message(9, reply_to_message_id=4)).reply_to
    outside = built_message(message(9, reply_to_message_id=4, reply_to_peer_id="channel12")).reply_to
    assert (inside.reply_to_msg_id, inside.reply_to_peer_id) == (4, None)
    assert (outside.reply_to_msg_id, outside.reply_to_peer_id) == (4, T.PeerChannel(channel_id=12))


def test_a_message_of_a_topic_replies_within_it() -> None:
    made = built_message(message(9, reply_to_message_id=4, topic_id=2)).reply_to
    assert (made.reply_to_msg_id, made.reply_to_top_id, made.forum_topic) == (4, 2, True)


def test_the_bot_that_helped_to_write_is_known_by_its_username() -> None:
    world = World()
    made = built_message(message(via_bot="@gif"), world=world)
    assert world.users[made.via_bot_id].username == "gif"
    assert built_message(message(via_bot="gif"), world=world).via_bot_id == made.via_bot_id


def test_reactions_are_counted_with_who_reacted_last() -> None:
    told = [
        {
            "type": "emoji",
            "count": 3,
            "emoji": "👍",
            "recent": [{"from": "Ada", "from_id": "user10", "date_unixtime": "9"}],
        },
        {"type": "custom_emoji", "count": 2, "document_id": "stickers/heart.webp"},
        {"type": "paid", "count": 50},
        {"type": "emoji"},
    ]
    made = built_message(message(reactions=told)).reactions
    assert [(type(entry.reaction), entry.count) for entry in made.results] == [
        (T.ReactionEmoji, 3),
        (T.ReactionCustomEmoji, 2),
        (T.ReactionPaid, 50),
    ]
    assert [(entry.peer_id.user_id, entry.date) for entry in made.recent_reactions] == [(10, 9)]


@pytest.mark.parametrize(
    ("button", "kind", "expected"),
    [
        ({"type": "url", "data": "https://e.org"}, T.InlineButtonTypeUrl, {"url": "https://e.org"}),
        ({"type": "callback", "data": "go"}, T.InlineButtonTypeCallback, {"data": b"go"}),
        ({"type": "callback", "dataBase64": "AAE="}, T.InlineButtonTypeCallback, {"data": b"\0\1"}),
        ({"type": "callback", "dataBase64": "A"}, T.InlineButtonTypeCallback, {"data": b""}),
        ({"type": "callback_with_password", "data": "x"}, T.InlineButtonTypeCallback, {"requires_password": True}),
        ({"type": "switch_inline", "data": "q"}, T.InlineButtonTypeSwitchInline, {"query": "q", "same_peer": False}),
        ({"type": "switch_inline_same", "data": "q"}, T.InlineButtonTypeSwitchInline, {"same_peer": True}),
        ({"type": "game"}, T.InlineButtonTypeGame, {}),
        ({"type": "buy"}, T.InlineButtonTypeBuy, {}),
        ({"type": "auth", "data": "https://e.org", "button_id": 2, "forward_text": "Log in"},
         T.InlineButtonTypeUrlAuth, {"url": "https://e.org", "button_id": 2, "fwd_text": "Log in"}),
        ({"type": "user_profile", "data": "10"}, T.InlineButtonTypeUserProfile, {"user_id": 10}),
        ({"type": "user_profile"}, T.InlineButtonTypeDisabled, {}),
        ({"type": "web_view", "data": "https://e.org"}, T.InlineButtonTypeWebView, {"url": "https://e.org"}),
        ({"type": "simple_web_view", "data": "https://e.org"}, T.InlineButtonTypeWebView, {}),
        ({"type": "copy_text", "data": "42"}, T.InlineButtonTypeCopy, {"copy_text": "42"}),
        ({"type": "request_phone"}, T.InlineButtonTypeDisabled, {}),
        ({"type": "invented"}, T.InlineButtonTypeDisabled, {}),
    ],
)  # fmt: skip
def test_each_kind_of_button_is_served(button: dict[str, Any], kind: type, expected: dict[str, Any]) -> None:
    made = built_message(message(inline_bot_buttons=[[{"text": "Press", **button}]])).reply_markup
    [shown] = made.rows[0].buttons
    assert (shown.text, type(shown.type)) == ("Press", kind)
    assert {name: getattr(shown.type, name) for name in expected} == expected


def test_a_post_has_no_sender_but_may_have_a_signature() -> None:
    made = built_message(message(author="Ada"))
    assert (made.from_id, made.post, made.post_author) == (None, True, "Ada")


def test_an_edit_has_its_time_and_no_edit_has_none() -> None:
    assert built_message(message(edited="2024-01-02T00:00:00", edited_unixtime="1704153600")).edit_date == 1704153600
    assert built_message(message(edited="1970-01-01T00:00:00", edited_unixtime="0")).edit_date is None


def test_a_picture_without_told_pixels_is_measured(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(900, 300))
    made = built_message(message(photo="a.png"), tmp_path)
    assert [(size.type, size.w, size.h) for size in made.media.photo.sizes] == [("m", 320, 106), ("y", 900, 300)]


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["user1", "0", "-1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "text", "type", "date"]), inner),
    max_leaves=5,
)
FIELDS = sorted(
    {key for row in ROWS for key in row[1]}
    | {key for row in FILES for key in row[0]}
    | {"date", "date_unixtime", "edited", "from", "from_id", "author", "forwarded_from", "forwarded_from_id", "text",
       "saved_from", "reply_to_message_id", "reply_to_peer_id", "via_bot", "reactions", "inline_bot_buttons",
       "topic_id", "actor", "actor_id", "members", "thumbnail", "boosts_applied"}
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), JUNK, max_size=6))
def test_no_field_of_a_message_can_stop_it_from_being_sent(fields: dict[str, Any]) -> None:
    built({**fields, "id": 1})


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(ACTIONS)),
    st.dictionaries(
        st.sampled_from(["members", "title", "photo", "period", "score", "stars", "cost", "months", "values", "peers",
                         "day", "actor_id", "completed", "items", "amount", "duration", "gift_id", "message_id",
                         "new_icon_emoji_id", "amount_nano", "price_amount_whole", "date", "gift_text", "icon_color"]),
        JUNK,
        max_size=5,
    ),
)  # fmt: skip
def test_no_field_of_a_service_message_can_stop_it_from_being_sent(action: str, fields: dict[str, Any]) -> None:
    built({**fields, "id": 1, "type": "service", "action": action})
