from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posts.graphemes import clusters, plain_prefix


@pytest.mark.parametrize(
    "characters",
    [
        list("abc"),
        ["e\u0301", "a", "x\u0323\u0302"],
        ["👍", "👍🏽", "!"],
        ["👨‍👩‍👧‍👦", "👩🏽‍🚀", "❤️‍🔥", "❤️"],
        ["🇩🇪", "🇫🇷", "🇯"],
        ["a", "🇩🇪", "🇫", "b"],
        ["🏴󠁧󠁢󠁳󠁣󠁴󠁿", "x"],
        ["1️⃣", "#️⃣"],
        ["한", "글", "\u1112\u1161\u11ab", "\uac00\u11a8", "\u1100"],
        ["क्षि", "न", "स्त्री"],
        ["நி", "ம"],
        ["ก็", "น้"],
        ["\u0644\u0651", "א\u05b8"],
        ["\n", "\u0301", "a"],
        ["か\u3099", "ｶﾞ"],
    ],
)
def test_what_a_reader_sees_as_one_character_stays_together(characters: list[str]) -> None:
    assert list(clusters("".join(characters))) == characters


@given(st.text(max_size=60) | st.text(alphabet="a👍🏽\u200d🇩\u0301\ufe0f각क्\n", max_size=60))
def test_clusters_are_the_text(content: str) -> None:
    found = list(clusters(content))
    assert "".join(found) == content
    assert all(found)


@given(st.text(max_size=60) | st.text(alphabet="aя👍🏽\u200d🇩\u0301\ufe0f각क港か", max_size=60))
def test_a_plain_prefix_holds_a_character_a_code_point(content: str) -> None:
    count = plain_prefix(content)
    assert list(clusters(content[:count])) == list(content[:count])
