"""What feeds of several channels are called."""

from __future__ import annotations

import pytest
from feed_samples import CHANNEL

from feeds.feed import Source
from feeds.subjects import channel_subject, combined_subject


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
