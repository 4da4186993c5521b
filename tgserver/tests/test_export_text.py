"""Text of exports: pieces, entities, UTF-16 offsets."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrogram import raw

from tgserver.export.text import custom_emoji_id, message_text, parse_text
from tgserver.tests.export_builders import built_message, message, travelled

T = raw.types


@pytest.mark.parametrize(
    ("piece", "kind", "fields"),
    [
        ({"type": "bold"}, T.MessageEntityBold, {}),
        ({"type": "italic"}, T.MessageEntityItalic, {}),
        ({"type": "underline"}, T.MessageEntityUnderline, {}),
        ({"type": "strikethrough"}, T.MessageEntityStrike, {}),
        ({"type": "spoiler"}, T.MessageEntitySpoiler, {}),
        ({"type": "code"}, T.MessageEntityCode, {}),
        ({"type": "pre", "language": "rust"}, T.MessageEntityPre, {"language": "rust"}),
        ({"type": "pre"}, T.MessageEntityPre, {"language": ""}),
        ({"type": "link"}, T.MessageEntityUrl, {}),
        ({"type": "text_link", "href": "https://e.org/?a=1"}, T.MessageEntityTextUrl, {"url": "https://e.org/?a=1"}),
        ({"type": "mention"}, T.MessageEntityMention, {}),
        ({"type": "mention_name", "user_id": 77}, T.MessageEntityMentionName, {"user_id": 77}),
        ({"type": "mention_name", "user_id": "user77"}, T.MessageEntityMentionName, {"user_id": 77}),
        ({"type": "hashtag"}, T.MessageEntityHashtag, {}),
        ({"type": "cashtag"}, T.MessageEntityCashtag, {}),
        ({"type": "bot_command"}, T.MessageEntityBotCommand, {}),
        ({"type": "email"}, T.MessageEntityEmail, {}),
        ({"type": "phone"}, T.MessageEntityPhone, {}),
        ({"type": "bank_card"}, T.MessageEntityBankCard, {}),
        ({"type": "custom_emoji", "document_id": "5368324170671202286"}, T.MessageEntityCustomEmoji,
         {"document_id": 5368324170671202286}),
        ({"type": "blockquote", "collapsed": False}, T.MessageEntityBlockquote, {"collapsed": False}),
        ({"type": "blockquote", "collapsed": True}, T.MessageEntityBlockquote, {"collapsed": True}),
        ({"type": "formatted_date", "date": 1704067200, "short_date": True}, T.MessageEntityFormattedDate,
         {"date": 1704067200, "short_date": True, "relative": False}),
        ({"type": "diff_insert"}, T.MessageEntityDiffInsert, {}),
        ({"type": "diff_delete"}, T.MessageEntityDiffDelete, {}),
        ({"type": "diff_replace", "old_text": "was"}, T.MessageEntityDiffReplace, {"old_text": "was"}),
        ({"type": "unknown"}, T.MessageEntityUnknown, {}),
        ({"type": "invented_tomorrow"}, T.MessageEntityUnknown, {}),
    ],
)  # fmt: skip
def test_each_kind_of_piece_becomes_its_entity(piece: dict[str, Any], kind: type, fields: dict[str, Any]) -> None:
    text, entities = parse_text(["🎉 ", {**piece, "text": "añ🎈"}, "!"])
    assert text == "🎉 añ🎈!"
    [entity] = [travelled(one) for one in entities]
    assert isinstance(entity, kind)
    wanted = {"offset": 3, "length": 4, **fields}
    assert {name: getattr(entity, name) for name in wanted} == wanted


@pytest.mark.parametrize(
    "piece",
    [
        {"type": "plain"},
        {"type": "text_link"},
        {"type": "text_link", "href": ""},
        {"type": "mention_name", "user_id": 0},
        {"type": "custom_emoji", "document_id": "(unavailable)"},
        {"type": "formatted_date"},
    ],
)
def test_a_piece_without_what_its_entity_needs_stays_plain_text(piece: dict[str, Any]) -> None:
    assert parse_text([{**piece, "text": "word"}]) == ("word", [])


def test_the_text_may_be_a_bare_string() -> None:
    assert parse_text("just so") == ("just so", [])


def test_entities_win_over_the_shorter_form_of_the_text() -> None:
    data = {"text": "loud", "text_entities": [{"type": "bold", "text": "loud"}]}
    assert [type(entity) for entity in message_text(data)[1]] == [T.MessageEntityBold]


def test_the_older_form_without_text_entities_is_read() -> None:
    text, entities, unreadable = message_text({"text": ["a ", {"type": "italic", "text": "b"}]})
    assert (text, [(entity.offset, entity.length) for entity in entities]) == ("a b", [(2, 1)])
    assert unreadable == 0


@pytest.mark.parametrize(
    ("value", "text", "entities", "unreadable"),
    [
        (["a", ["b"], "c"], "abc", [], 0),
        ({"type": "bold", "text": ["n", {"type": "italic", "text": "o"}]}, "no", [("Bold", 0, 2), ("Italic", 1, 1)], 0),
        (["a", [[{"type": "code", "text": 5}]]], "a5", [("Code", 1, 1)], 0),
        (["a", None, {"type": "bold", "text": None}], "a", [], 0),
        (True, "", [], 1),
        (["a", False, {"text": [True]}, "b"], "ab", [], 2),
    ],
)
def test_a_text_of_an_odd_shape_keeps_all_that_can_be_read(
    value: object, text: str, entities: list[tuple[str, int, int]], unreadable: int
) -> None:
    found = message_text({"text": value})
    told = [(type(entry).__name__.removeprefix("MessageEntity"), entry.offset, entry.length) for entry in found[1]]
    assert (found[0], told, found[2]) == (text, entities, unreadable)


def test_a_text_nested_without_end_is_no_text() -> None:
    value: object = "deep"
    for _ in range(500):
        value = [value]
    assert message_text({"text": value}) == ("", [], 1)


def test_adjacent_pieces_make_adjacent_entities() -> None:
    _, entities = parse_text([{"type": "bold", "text": "👩‍👩‍👧"}, {"type": "italic", "text": "次"}])
    assert [(type(entity), entity.offset, entity.length) for entity in entities] == [
        (T.MessageEntityBold, 0, 8),
        (T.MessageEntityItalic, 8, 1),
    ]


def test_an_empty_piece_makes_no_entity() -> None:
    assert parse_text([{"type": "bold", "text": ""}, "x"]) == ("x", [])


def test_the_file_of_a_custom_emoji_gives_it_a_lasting_id() -> None:
    first = custom_emoji_id("stickers/sticker (1).webp")
    assert first == custom_emoji_id("stickers/sticker (1).webp")
    assert first != custom_emoji_id("stickers/sticker (2).webp")


def test_a_lone_surrogate_becomes_one_replacement_unit() -> None:
    made = built_message(message(text=["\ud83d", {"type": "bold", "text": "x\udc00"}], text_entities=[]))
    assert made.message == "\ufffdx\ufffd"
    assert (made.entities[0].offset, made.entities[0].length) == (1, 2)


def test_a_very_long_text_keeps_its_last_entity_in_place() -> None:
    made = built_message(
        message(text_entities=[{"type": "plain", "text": "𐍈" * 40_000}, {"type": "bold", "text": "end"}])
    )
    assert (len(made.message), made.entities[0].offset) == (40_003, 80_000)


KINDS = ["plain", "bold", "italic", "code", "hashtag", "blockquote", "pre", "unknown"]
PIECES = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.builds(lambda kind, text: {"type": kind, "text": text}, st.sampled_from(KINDS), st.text(max_size=8)),
    ),
    max_size=12,
)


@settings(deadline=None)
@given(PIECES)
def test_entity_slices_in_utf16_are_the_pieces_that_the_export_formats(pieces: list[Any]) -> None:
    text, entities = parse_text(pieces)
    units = text.encode("utf-16-le")
    slices = [units[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le") for entity in entities]
    marked = [piece["text"] for piece in pieces if isinstance(piece, dict) and piece["type"] != "plain"]
    assert slices == [piece for piece in marked if piece]
    assert text == "".join(piece["text"] if isinstance(piece, dict) else piece for piece in pieces)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["type", "text", "href", "user_id", "document_id", "language", "collapsed", "date"]),
                inner,
            )
        ),
    )
)
def test_whatever_stands_for_a_text_can_travel(value: object) -> None:
    made = built_message(message(text=value, text_entities=value))
    assert isinstance(made.message, str)
