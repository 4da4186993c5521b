"""What feeds of several channels, of topics and of comments are called, and where they lead."""

from __future__ import annotations

import pytest
from feed_samples import CHANNEL

from feeds.feed import Source, Subject
from feeds.subjects import channel_subject, combined_subject, thread_subject
from model.channel import Channel, ChannelKind, PeerName
from model.entity import Text
from model.message import Forward, Message
from model.thread import Thread, ThreadKind

GROUP = Channel(
    id=-1000000000007, kind=ChannelKind.SUPERGROUP, title="Boats\n& buns", username="boats", about="All afloat"
)
CLOSED = Channel(id=-1000000000008, kind=ChannelKind.SUPERGROUP, title="Closed")
NEWS = Channel(id=-1000000000009, kind=ChannelKind.CHANNEL, title="News", username="news", sensitive=True)


def source(title: str) -> Source:
    return Source(
        id="urn:x", title=title, rss_url="https://b/rss/x", atom_url="https://b/atom/x", link="https://t.me/x"
    )


@pytest.mark.parametrize(
    ("titles", "title", "description"),
    [
        (["News"], "News", "Posts of News."),
        (["News", "Sport"], "News + Sport", "Posts of News and Sport."),
        (["News", "Sport", "Art"], "News + Sport + Art", "Posts of News, Sport and Art."),
        (["N" * 40, "S" * 40, "Art"], f"{'N' * 40} + 2 more", f"Posts of {'N' * 40}, {'S' * 40} and Art."),
        (["N" * 200, "Art"], f"{'N' * 200} + 1 more", f"Posts of {'N' * 200} and Art."),
    ],
)
def test_several_channels_are_called_by_as_many_titles_as_fit(titles: list[str], title: str, description: str) -> None:
    subject = combined_subject("1+2", titles, {-1: source("News")})
    assert (subject.title, subject.author, subject.description) == (title, title, description)
    assert subject.link == subject.handle == subject.icon_url == ""


def test_what_they_are_called_together_goes_first_and_what_is_missing_is_told() -> None:
    subject = combined_subject("folder/daily", ["News"], {}, title="Daily", notice="Left out: x (why).")
    assert (subject.title, subject.description) == ("Daily", "Posts of News. Left out: x (why).")
    assert subject.about == "Left out: x (why)."


def test_a_channel_is_described_by_its_own_words() -> None:
    subject = channel_subject(CHANNEL, "https://t.me", icon_url="https://b/photo")
    assert (subject.name, subject.title, subject.handle) == (str(CHANNEL.id), CHANNEL.title, "@trains")
    assert (subject.description, subject.link, subject.icon_url) == (
        CHANNEL.about,
        "https://t.me/trains",
        "https://b/photo",
    )


def topic(title: str, group: Channel = GROUP, number: int = 12) -> Subject:
    thread = Thread(kind=ThreadKind.TOPIC, root_id=number, chat=group, home=group, title=title)
    return thread_subject(thread, "https://t.me", icon_url="https://bridge/icon")


def comments(*roots: Message) -> Subject:
    thread = Thread(kind=ThreadKind.COMMENTS, root_id=5, chat=NEWS, home=CLOSED, roots=roots)
    return thread_subject(thread, "https://t.me")


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Sails", "Sails - Boats & buns"),
        (" two\nlines \u202e", "two lines - Boats & buns"),
        ("", "Topic 12 - Boats & buns"),
    ],
)
def test_a_topic_is_called_with_its_group_in_one_line(title: str, shown: str) -> None:
    assert topic(title).title == shown


def test_a_topic_is_its_groups_and_leads_to_its_own_place() -> None:
    subject = topic("Sails")
    assert (subject.name, subject.link) == ("-1000000000007/topic/12", "https://t.me/boats/12")
    assert (subject.author, subject.description, subject.icon_url) == (
        "Boats & buns",
        "All afloat",
        "https://bridge/icon",
    )
    assert topic("Sails", CLOSED).link == "https://t.me/c/8/12"


@pytest.mark.parametrize(
    ("roots", "shown"),
    [
        ([Message(id=3, date=1, text=Text("The ferry is late."))], "Comments on The ferry is late - News"),
        # That the post stands in the group as a forward is not said.
        (
            [Message(id=3, date=1, text=Text("The ferry is late."), forward=Forward(origin=PeerName(title="News")))],
            "Comments on The ferry is late - News",
        ),
        # The album's text is with its second part.
        (
            [Message(id=3, date=1, media_group_id=8), Message(id=4, date=1, media_group_id=8, text=Text("Two views"))],
            "Comments on Two views - News",
        ),
        ([], "Comments on post 5 - News"),
    ],
)
def test_comments_are_called_after_the_post_and_its_channel(roots: list[Message], shown: str) -> None:
    assert comments(*roots).title == shown


def test_comments_lead_to_the_post_and_are_the_groups_words() -> None:
    subject = comments()
    assert (subject.name, subject.link) == ("-1000000000009/5/comments", "https://t.me/news/5")
    assert (subject.author, subject.sensitive) == ("Closed", True)
    assert subject.description == "What is said in Closed about this post."
