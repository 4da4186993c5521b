"""The `bridge` object: what it adds, and the lines that tell of slips in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyrogram import raw

import tgserver.export
from tgserver.export import ExportError
from tgserver.export.bridge import ChatExtra, MessageExtra
from tgserver.tests.export_builders import CHANNEL, WHEN, built, built_message, chat_data, load, message, png, service
from tgserver.world import World

T = raw.types


def with_bridge(**extra: Any) -> Any:
    """A message whose `bridge` object holds these keys."""
    return built_message(message(5, text="Words", bridge=extra))


@pytest.mark.parametrize("written", [13, "13"])
def test_messages_of_an_album_share_its_id(written: object) -> None:
    assert with_bridge(grouped_id=written).grouped_id == 13


def test_counters_travel_together() -> None:
    both, views_alone = with_bridge(views=7, forwards=2), with_bridge(views=7)
    assert (both.views, both.forwards) == (7, 2)
    assert (views_alone.views, views_alone.forwards) == (7, 0)
    assert with_bridge().views is None


@pytest.mark.parametrize("flag", ["edit_hide", "invert_media", "silent", "pinned"])
def test_flags_are_set_on_the_message(flag: str) -> None:
    assert getattr(with_bridge(**{flag: True}), flag) is True
    assert getattr(with_bridge(), flag) is False


def test_media_can_be_hidden_under_a_spoiler() -> None:
    assert built_message(message(photo="(gone)", bridge={"spoiler": True})).media.spoiler is True


def test_a_video_may_be_made_for_download_only() -> None:
    video: dict[str, Any] = {"file": "(gone)", "media_type": "video_file", "bridge": {"supports_streaming": False}}
    assert built_message(message(**video)).media.document.attributes[0].supports_streaming is False


@pytest.mark.parametrize("key", ["thumb", "poster"])
def test_a_document_without_a_thumbnail_gets_that_of_the_bridge_object(key: str, tmp_path: Path) -> None:
    (tmp_path / "t.png").write_bytes(png(30, 20))
    world = World()
    video: dict[str, Any] = {"file": "(gone)", "media_type": "video_file", "bridge": {key: "t.png"}}
    document = built_message(message(**video), tmp_path, world).media.document
    [thumb] = document.thumbs
    assert (thumb.type, thumb.w, thumb.h) == ("m", 30, 20)
    assert world.files[document.id, "m"].access_hash == document.access_hash


def test_a_photo_or_document_may_have_a_stripped_thumbnail() -> None:
    photo = built_message(message(photo="(gone)", bridge={"stripped": "AQIDBA=="})).media.photo
    document = built_message(message(file="(gone)", bridge={"stripped": "AQIDBA=="})).media.document
    for sizes in (photo.sizes, document.thumbs):
        assert (sizes[0].type, sizes[0].bytes) == ("i", b"\1\2\3\4")
    assert len(document.thumbs) == 1
    assert built_message(message(file="(gone)")).media.document.thumbs == []


def test_the_exports_own_thumbnail_goes_first(tmp_path: Path) -> None:
    (tmp_path / "own.png").write_bytes(png(10, 10))
    (tmp_path / "t.png").write_bytes(png(30, 20))
    video: dict[str, Any] = {"file": "(gone)", "thumbnail": "own.png", "bridge": {"thumb": "t.png"}}
    assert built_message(message(**video), tmp_path).media.document.thumbs[0].w == 10


def test_a_link_preview_with_all_its_fields(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(png(40, 30))
    told = {
        "url": "https://e.org/a/",
        "type": "photo",
        "site_name": "Site",
        "title": "Title",
        "description": "Text",
        "author": "Ada",
        "photo": "p.png",
        "large": True,
    }
    media = built_message(message(bridge={"web_page": told}), tmp_path).media
    page = media.webpage
    assert (page.url, page.display_url, page.type) == ("https://e.org/a/", "e.org/a", "photo")
    assert (page.site_name, page.title, page.description, page.author) == ("Site", "Title", "Text", "Ada")
    assert (page.photo.sizes[-1].w, media.force_large_media, page.has_large_media) == (40, True, True)


def test_a_quote_belongs_to_its_reply() -> None:
    quote = {"text": "was said", "text_entities": [{"type": "bold", "text": "was said"}], "offset": 3}
    reply = built_message(message(9, reply_to_message_id=4, bridge={"quote": quote})).reply_to
    assert (reply.reply_to_msg_id, reply.quote, reply.quote_text, reply.quote_offset) == (4, True, "was said", 3)
    assert type(reply.quote_entities[0]) is T.MessageEntityBold


def test_a_reply_may_lead_into_another_channel() -> None:
    world = World()
    extra = {"reply_to": {"chat_id": 12, "message_id": 3, "from_name": "Ada"}}
    reply = built_message(message(9, bridge=extra), world=world).reply_to
    assert (reply.reply_to_msg_id, reply.reply_to_peer_id) == (3, T.PeerChannel(channel_id=12))
    assert reply.reply_from.from_name == "Ada"
    assert ("channel", 12) in world.chats


@pytest.mark.parametrize(
    ("told", "from_id", "from_name"),
    [
        ({"channel_id": 12, "channel_post": 7, "post_author": "Ada", "date": 99}, T.PeerChannel(channel_id=12), None),
        ({"user_id": 10, "channel_post": 7, "post_author": "Ada", "date": 99}, T.PeerUser(user_id=10), None),
        ({"name": "Hidden", "channel_post": 7, "post_author": "Ada", "date": 99}, None, "Hidden"),
    ],
)
def test_the_origin_of_a_forward(told: dict[str, Any], from_id: object, from_name: str | None) -> None:
    header = with_bridge(forward=told).fwd_from
    assert (header.from_id, header.from_name) == (from_id, from_name)
    assert (header.channel_post, header.post_author, header.date) == (7, "Ada", 99)


def test_a_refined_forward_keeps_what_the_export_says() -> None:
    data = message(forwarded_from="Other", forwarded_from_id="channel12", bridge={"forward": {"channel_post": 7}})
    header = built_message(data).fwd_from
    assert (header.from_id, header.channel_post, header.date) == (T.PeerChannel(channel_id=12), 7, WHEN)


def test_comments_are_counted_in_their_group(tmp_path: Path) -> None:
    world = World()
    [chat] = load(tmp_path, chat_data(message(5, bridge={"comments": {"count": 8, "chat_id": 77}})), world)
    replies = chat.messages[5].replies
    assert (replies.replies, replies.comments, replies.channel_id) == (8, True, 77)
    assert (chat.linked_chat_id, chat.peer.has_link) == (77, True)
    group: Any = world.chats["channel", 77].peer
    assert group.megagroup


def test_comments_without_a_named_group_can_be_sent() -> None:
    replies = with_bridge(comments={"count": 8}).replies
    assert (replies.replies, replies.comments) == (8, True)
    assert replies.channel_id


def test_a_keyboard_of_links() -> None:
    rows = [[{"text": "A", "url": "https://a.org"}, {"text": "B", "url": "https://b.org"}], [{"text": "C", "url": "c"}]]
    made = with_bridge(keyboard=rows).reply_markup
    assert [[(button.text, button.type.url) for button in row.buttons] for row in made.rows] == [
        [("A", "https://a.org"), ("B", "https://b.org")],
        [("C", "c")],
    ]


def test_reactions_replace_those_of_the_export() -> None:
    told = [{"emoji": "🔥", "count": 4}, {"custom_emoji_id": "55", "count": 2}, {"paid": True, "count": 9}]
    data = message(reactions=[{"type": "emoji", "emoji": "👎", "count": 1}], bridge={"reactions": told})
    results = built_message(data).reactions.results
    assert [(type(entry.reaction), entry.count) for entry in results] == [
        (T.ReactionEmoji, 4),
        (T.ReactionCustomEmoji, 2),
        (T.ReactionPaid, 9),
    ]
    assert (results[0].reaction.emoticon, results[1].reaction.document_id) == ("🔥", 55)


def test_a_poll_becomes_a_quiz_with_its_solution() -> None:
    told = {"quiz": True, "multiple_choice": True, "public_voters": True, "correct": [1], "solution": "Since…"}
    poll = {"question": "?", "answers": [{"text": "a", "voters": 0}, {"text": "b", "voters": 5}]}
    media = built_message(message(poll=poll, bridge={"poll": told})).media
    assert (media.poll.quiz, media.poll.multiple_choice, media.poll.public_voters) == (True, True, True)
    assert [answer.correct for answer in media.results.results] == [False, True]
    assert media.results.solution == "Since…"


def test_whole_tl_objects_say_what_an_export_cannot() -> None:
    media = {"_": "types.MessageMediaDice", "value": 4, "emoticon": "🎲"}
    action = {"_": "types.MessageActionCustomAction", "message": "Moved"}
    assert with_bridge(media=media).media == T.MessageMediaDice(value=4, emoticon="🎲")
    made = built(message(5, bridge={"action": action}))
    assert made.QUALNAME == "types.MessageService"
    assert made.action.message == "Moved"


def test_bytes_in_tl_are_base64() -> None:
    thumb = {"_": "types.PhotoStrippedSize", "type": "i", "bytes": {"_bytes": "AAE="}}
    preview = {"_": "types.MessageExtendedMediaPreview", "w": 4, "h": 2, "thumb": thumb}
    media = {"_": "types.MessageMediaPaidMedia", "stars_amount": 5, "extended_media": [preview]}
    assert with_bridge(media=media).media.extended_media[0].thumb.bytes == b"\0\1"


def test_files_named_in_tl_are_served_and_their_ids_known(tmp_path: Path) -> None:
    (tmp_path / "wave.png").write_bytes(png(640, 480))
    (tmp_path / "wave.mp4").write_bytes(b"film")
    world = World()
    film = {"file": "wave.mp4", "media_type": "video_file", "duration_seconds": 2, "thumbnail": "wave.png"}
    live = {
        "_": "types.MessageMediaPhoto",
        "photo": {"_photo": "wave.png"},
        "live_photo": True,
        "video": {"_document": film},
    }
    media = built_message(message(5, bridge={"media": live}), tmp_path, world).media
    assert world.files[media.photo.id, "x"].read(0, 10_000) == png(640, 480)
    assert world.files[media.video.id, ""].read(0, 10) == b"film"
    assert (media.video.attributes[0].duration, media.video.thumbs[0].w, media.video.date) == (2, 640, WHEN)

    caption = {
        "_": "types.PageCaption",
        "text": {"_": "types.TextPlain", "text": "A wave"},
        "credit": {"_": "types.TextEmpty"},
    }
    block = {"_": "types.PageBlockPhoto", "photo_id": {"_id": {"_photo": "wave.png"}}, "caption": caption}
    rich = {"_": "types.RichMessage", "blocks": [block], "photos": [{"_photo": "wave.png"}], "documents": []}
    article = built_message(message(6, bridge={"rich_message": rich}), tmp_path, world).rich_message
    assert article.blocks[0].photo_id == article.photos[0].id != media.photo.id


def test_a_reply_may_answer_a_story() -> None:
    assert with_bridge(reply_to={"story_id": 4}).reply_to == T.MessageReplyStoryHeader(
        peer=T.PeerChannel(channel_id=CHANNEL), story_id=4
    )
    assert with_bridge(reply_to={"story_id": 4, "user_id": 10}).reply_to.peer == T.PeerUser(user_id=10)
    assert with_bridge(reply_to={"story_id": 4, "chat_id": 20}).reply_to.peer == T.PeerChannel(channel_id=20)


def test_a_message_may_be_barred() -> None:
    [reason] = with_bridge(restriction="Not shown here").restriction_reason
    assert (reason.platform, reason.text) == ("all", "Not shown here")


def test_entities_may_nest() -> None:
    bold = {"_": "types.MessageEntityBold", "offset": 0, "length": 5}
    italic = {"_": "types.MessageEntityItalic", "offset": 1, "length": 2}
    made = with_bridge(entities=[bold, italic])
    assert [(type(entity), entity.offset, entity.length) for entity in made.entities] == [
        (T.MessageEntityBold, 0, 5),
        (T.MessageEntityItalic, 1, 2),
    ]


def test_no_entities_at_all_can_be_asked_for() -> None:
    data = message(text_entities=[{"type": "bold", "text": "loud"}], bridge={"entities": []})
    assert built_message(data).entities == []


def test_a_rich_message_is_carried_beside_the_text() -> None:
    text = {"_": "types.TextPlain", "text": "Long read"}
    rich = {"_": "types.RichMessage", "blocks": [{"_": "types.PageBlockTitle", "text": text}], "photos": [],
            "documents": []}  # fmt: skip
    assert with_bridge(rich_message=rich).rich_message.blocks[0].text.text == "Long read"


@pytest.mark.parametrize(
    ("extra", "parts"),
    [
        ({"vews": 3}, ["message 5", "bridge", "vews"]),
        ({"views": "3"}, ["message 5", "bridge.views", "int"]),
        ({"views": -1}, ["message 5", "bridge.views", ">= 0"]),
        ({"views": 2**31}, ["message 5", "bridge.views"]),
        ({"grouped_id": "x"}, ["message 5", "bridge.grouped_id"]),
        ({"web_page": {"title": "no url"}}, ["message 5", "bridge.web_page", "url"]),
        ({"web_page": {"url": "u", "photo": "none.png"}}, ["message 5", "none.png"]),
        ({"web_page": {"url": "u", "photo": "../secret.png"}}, ["message 5", "../secret.png"]),
        ({"reactions": [{"count": 1}]}, ["message 5", "bridge.reactions", "exactly one"]),
        ({"reactions": [{"count": 1, "emoji": "a", "paid": True}]}, ["message 5", "exactly one"]),
        ({"keyboard": [[{"text": "A", "link": "u"}]]}, ["message 5", "bridge.keyboard[0][0]", "link"]),
        ({"media": {"_": "types.MessageMediaDise"}}, ["message 5", "bridge.media", "MessageMediaDise"]),
        ({"media": {"_": "types.MessageMediaDice", "valu": 1}}, ["message 5", "bridge.media", "valu"]),
        ({"media": {"_": "types.MessageMediaDice", "value": "x", "emoticon": "🎲"}}, ["message 5", "bridge.media"]),
        ({"media": {"_": "types.MessageMediaDice", "value": 2**40, "emoticon": "🎲"}}, ["message 5", "bridge.media"]),
        ({"media": {"_": "types.PeerUser", "user_id": 1}}, ["message 5", "types.PeerUser is no MessageMedia"]),
        ({"media": {"_photo": "none.png"}}, ["message 5", "bridge.media", "none.png"]),
        ({"media": {"_photo": "../result.json"}}, ["message 5", "bridge.media", "../result.json"]),
        ({"media": {"_document": {"file_name": "no.file"}}}, ["message 5", "bridge.media", "None"]),
        ({"media": {"_document": {"file": "result.json", "thumbnail": "none.png"}}}, ["bridge.media", "none.png"]),
        ({"media": {"_document": {"file": "result.json"}}}, ["message 5", "types.Document is no MessageMedia"]),
        ({"media": {"_": "types.MessageMediaGame", "game": {"_id": 5}}}, ["message 5", "_id needs"]),
        ({"reply_to": {"user_id": 5, "message_id": 1}}, ["message 5", "bridge.reply_to", "story_id"]),
        ({"reply_to": {"user_id": 5, "chat_id": 1, "story_id": 1}}, ["message 5", "bridge.reply_to", "chat_id"]),
        ({"media": {"value": 1}}, ["message 5", "bridge.media", '"_"']),
        ({"media": {"_": "types.PhotoStrippedSize", "type": "i", "bytes": {"_bytes": "%"}}}, ["base64"]),
        ({"entities": [{"_": "types.MessageEntityBold"}]}, ["message 5", "bridge.entities[0]", "offset"]),
        ({"action": {"_": "types.MessageMediaEmpty"}}, ["message 5", "is no MessageAction"]),
        ([], ["message 5", "bridge", "object"]),
    ],
)  # fmt: skip
def test_a_slip_is_told_in_one_line_with_the_message(extra: Any, parts: list[str], tmp_path: Path) -> None:
    with pytest.raises(ExportError) as caught:
        load(tmp_path, chat_data(message(4), message(5, bridge=extra)))
    line = str(caught.value)
    assert "\n" not in line
    for part in [str(tmp_path / "result.json"), "Harbour", *parts]:
        assert part in line


def test_a_link_preview_beside_other_media_is_a_slip() -> None:
    with pytest.raises(ExportError, match=r"message 5: bridge\.web_page"):
        built(message(5, photo="(gone)", bridge={"web_page": {"url": "https://e.org"}}))


def test_a_missing_thumbnail_is_a_slip() -> None:
    with pytest.raises(ExportError, match=r"message 5: .*none\.png"):
        built(message(5, file="(gone)", bridge={"thumb": "none.png"}))


@pytest.mark.parametrize(
    ("extra", "part"),
    [
        ({"usrname": "x"}, "usrname"),
        ({"username": "a b"}, "bridge.username"),
        ({"username": "abc"}, "bridge.username"),
        ({"photo": "none.png"}, "none.png"),
        ({"users": [{"first_name": "No id"}]}, "bridge.users"),
        ({"chats": [{"id": 5, "type": "group"}]}, "bridge.chats"),
    ],
)
def test_a_slip_in_a_chat_is_told_with_its_name(extra: dict[str, Any], part: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError) as caught:
        load(tmp_path, chat_data(bridge=extra))
    assert "chat Harbour" in str(caught.value)
    assert part in str(caught.value)


def test_the_chat_gets_its_name_text_photo_flags_and_acquaintances(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(png(640, 640))
    extra = {
        "username": "The_Harbour",
        "about": "Ships",
        "photo": "logo.png",
        "verified": True,
        "protected": True,
        "forum": True,
        "users": [{"id": 10, "first_name": "Ada", "last_name": "L", "username": "ada_l", "bot": True}],
        "chats": [{"id": 12, "title": "Other", "username": "other"}, {"id": 13, "type": "supergroup"}],
    }
    world = World()
    [chat] = load(tmp_path, chat_data(bridge=extra), world)
    named: Any = world.chat_named("the_harbour")
    assert named is chat.peer
    assert (chat.about, chat.peer.verified, chat.peer.noforwards, chat.peer.forum) == ("Ships", True, True, True)
    assert chat.peer.photo.photo_id == chat.full_photo.id
    assert {size for file, size in world.files if file == chat.full_photo.id} == {"a", "c"}
    assert (world.users[10].last_name, world.users[10].bot) == ("L", True)
    assert world.chat_named("other") is world.chats["channel", 12].peer
    group: Any = world.chats["channel", 13].peer
    assert group.megagroup


def test_a_username_that_somebody_has_is_a_slip(tmp_path: Path) -> None:
    world = World()
    load(tmp_path / "a", chat_data(bridge={"username": "harbour"}), world)
    with pytest.raises(ExportError, match=r"'Harbour' belongs to"):
        load(tmp_path / "b", chat_data(id=9, bridge={"username": "Harbour"}), world)


def test_the_readme_describes_each_key() -> None:
    readme = (Path(tgserver.export.__file__).parent / "README.md").read_text(encoding="utf-8")
    chat_part, message_part = readme.split("### In a chat")[1].split("### In a message")
    for part, extra in ((chat_part, ChatExtra), (message_part, MessageExtra)):
        rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
        assert {key for row in rows for key in re.findall(r"`(\w+)`", row)} == set(extra.__struct_fields__)


def test_the_bridge_object_works_in_service_messages_too() -> None:
    made = built(service(5, action="pin_message", bridge={"silent": True, "reply_to": {"message_id": 4}}))
    assert (made.silent, made.reply_to.reply_to_msg_id, made.peer_id.channel_id) == (True, 4, CHANNEL)
