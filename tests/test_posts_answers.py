"""Replies show what they answer, as far as it is at hand."""

from __future__ import annotations

from post_samples import OPTIONS, PUBLIC, file, message, text

from model.channel import ChannelKind, PeerName
from model.entity import EntityType, Text
from model.media import Photo
from model.message import Message, Reply
from post_parser import Memory, build_posts
from posts.answers import with_answered

ADA = PeerName(title="Ada", id=5, kind=ChannelKind.USER)


def reply_to(answered: Message, **fields: object) -> Reply:
    """The reply of the message that answers it, as completed with it at hand."""
    answer = message(9, "yes", reply=Reply(message_id=answered.id, **fields))  # type: ignore[arg-type]
    completed = with_answered([answer], [answered], 20)[0].reply
    assert completed is not None
    return completed


def test_a_plain_reply_gets_text_and_author_of_what_it_answers() -> None:
    question = message(3, text("Shall we go?", (EntityType.BOLD, "go")), sender=ADA)
    assert reply_to(question) == Reply(message_id=3, author=ADA, quote=question.text)


def test_a_long_text_is_cut_at_a_word() -> None:
    assert reply_to(message(3, "one two three four five six")).quote.text == "one two three four…"


def test_a_message_without_text_is_told_by_its_media() -> None:
    assert reply_to(message(3, media=Photo(file=file()))).quote == Text("Photo")


def test_a_quote_that_the_writer_chose_stays() -> None:
    chosen = Text("go")
    completed = reply_to(message(3, "Shall we go?", sender=ADA), quote=chosen, manual=True)
    assert (completed.quote, completed.author) == (chosen, ADA)


def test_a_message_of_another_chat_with_the_same_number_is_not_taken_for_it() -> None:
    elsewhere = PeerName(title="Elsewhere", id=-1009, kind=ChannelKind.CHANNEL)
    assert reply_to(message(3, "not this one"), chat=elsewhere).quote == Text()


def test_what_answers_nothing_known_stays_the_same_object() -> None:
    lonely, plain = message(9, "a", reply=Reply(message_id=1)), message(8, "b")
    for before, after in zip([lonely, plain], with_answered([lonely, plain], [plain], 20), strict=True):
        assert before is after


def test_a_feed_quotes_the_post_that_a_reply_in_it_answers() -> None:
    question, answer = message(3, "Shall we go?", sender=ADA), message(9, "Yes!", reply=Reply(message_id=3))
    newest, _ = build_posts([question, answer], PUBLIC, OPTIONS)
    assert "Ada" in newest.html
    assert "Shall we go?" in newest.html


def test_an_edit_of_the_answered_post_shows_in_the_reply_though_that_is_remembered() -> None:
    memory: Memory = {}
    answer = message(9, "Yes!", reply=Reply(message_id=3))
    for words in ("Shall we go?", "Shall we stay?"):
        newest, _ = build_posts([message(3, words), answer], PUBLIC, OPTIONS, memory=memory)
        assert words in newest.html


def test_an_answered_message_that_can_not_be_told_harms_its_reply_alone() -> None:
    broken = message(3, Text(None))  # type: ignore[arg-type]
    posts = build_posts([broken, message(9, "Yes!", reply=Reply(message_id=3)), message(10, "fine")], PUBLIC, OPTIONS)
    assert [post.failed for post in posts] == [False, True, True]
