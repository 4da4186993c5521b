from __future__ import annotations

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from post_samples import mark, text, units, visible_text

from model.entity import Entity, EntityType, Text
from posts.entities import TextLinks, render_text
from posts.plain import clean, escape

LINKS = TextLinks("https://t.me", "news")
E = EntityType


def render(value: Text) -> str:
    return render_text(value, LINKS)


@pytest.mark.parametrize(
    ("type_", "fields", "html"),
    [
        (E.BOLD, {}, "<b>word</b>"),
        (E.ITALIC, {}, "<i>word</i>"),
        (E.UNDERLINE, {}, "<u>word</u>"),
        (E.STRIKETHROUGH, {}, "<s>word</s>"),
        (E.SPOILER, {}, '<span class="spoiler">word</span>'),
        (E.CODE, {}, "<code>word</code>"),
        (E.PRE, {}, "<pre>word</pre>"),
        (E.PRE, {"language": "c++"}, '<pre><code class="language-c++">word</code></pre>'),
        (E.PRE, {"language": '"><script>'}, '<pre><code class="language-script">word</code></pre>'),
        (E.BLOCKQUOTE, {}, '<blockquote dir="auto">word</blockquote>'),
        (E.TEXT_LINK, {"url": "https://a.b/?x=1&y='2'"}, '<a href="https://a.b/?x=1&amp;y=&#x27;2&#x27;">word</a>'),
        (E.TEXT_LINK, {"url": "a.b/c"}, '<a href="https://a.b/c">word</a>'),
        (E.TEXT_LINK, {"url": "tg://resolve?domain=x"}, '<a href="tg://resolve?domain=x">word</a>'),
        (E.TEXT_LINK, {"url": "javascript:alert(1)"}, "word"),
        (E.TEXT_LINK, {"url": "java\nscript:alert(1)"}, "word"),
        (E.TEXT_LINK, {"url": "data:text/html,x"}, "word"),
        (E.TEXT_LINK, {"url": ""}, "word"),
        (E.TEXT_MENTION, {"user_id": 42}, '<a href="tg://user?id=42">word</a>'),
        (E.TEXT_MENTION, {}, "word"),
        (E.CUSTOM_EMOJI, {"custom_emoji_id": 5}, "word"),
        (E.BANK_CARD, {}, "<code>word</code>"),
        (E.DATE, {"date": 1_796_083_200}, '<time datetime="2026-12-01T00:00:00Z">word</time>'),
        (E.DATE, {"date": 10**30}, "word"),
        (E.DATE, {}, "word"),
        (E.DIFF_INSERT, {}, "<ins>word</ins>"),
        (E.DIFF_REPLACE, {}, "<ins>word</ins>"),
        (E.DIFF_DELETE, {}, "<del>word</del>"),
        (E.UNKNOWN, {}, "word"),
    ],
)
def test_every_entity_has_its_element(type_: EntityType, fields: dict[str, object], html: str) -> None:
    assert render(text("a word b", (type_, "word"), **fields)) == f"a {html} b"


@pytest.mark.parametrize(
    ("type_", "word", "href"),
    [
        (E.URL, "https://a.b/c", "https://a.b/c"),
        (E.URL, "a.b/c", "https://a.b/c"),
        (E.URL, "a.b:8080/c", "https://a.b:8080/c"),
        (E.URL, "HTTP://A.B", "HTTP://A.B"),
        (E.URL, "ftp://a.b", None),
        (E.EMAIL, "me@a.b", "mailto:me@a.b"),
        (E.PHONE, "+1 (23) 45", "tel:+12345"),
        (E.PHONE, "none", None),
        (E.MENTION, "@durov", "https://t.me/durov"),
        (E.HASHTAG, "#один", "https://t.me/s/news?q=%23%D0%BE%D0%B4%D0%B8%D0%BD"),
        (E.HASHTAG, "#one@other", "https://t.me/s/other?q=%23one"),
        (E.CASHTAG, "$TON", "https://t.me/s/news?q=%24TON"),
        (E.BOT_COMMAND, "/go@some_bot", "https://t.me/some_bot"),
    ],
)
def test_links_that_are_spelled_out_lead_where_they_say(type_: EntityType, word: str, href: str | None) -> None:
    expected = word if href is None else f'<a href="{href}">{word}</a>'
    assert render(text(word, (type_, word))) == expected


def test_a_private_channel_has_no_page_to_search_for_a_tag() -> None:
    assert render_text(text("#one", (E.HASHTAG, "#one")), TextLinks("https://t.me")) == "#one"


@pytest.mark.parametrize("type_", EntityType)
def test_no_entity_adds_or_loses_a_character(type_: EntityType) -> None:
    assert visible_text(render(text("a word b", (type_, "word"), url="https://a.b"))) == "a word b"


@pytest.mark.parametrize(
    ("value", "html"),
    [
        (text("<b>x</b> & \"y\" 'z'"), "&lt;b&gt;x&lt;/b&gt; &amp; &quot;y&quot; &#x27;z&#x27;"),
        (text("a\nb\n\nc"), "a<br>b<br><br>c"),
        (text("a\x00b\x1fc\ud800d\ufffe\uffffe\r\nf\tg"), "abcde<br>f\tg"),
        (text("x\ny", (E.PRE, "x\ny")), "<pre>x\ny</pre>"),
        # A parser would drop the newline.
        (text("\nx", (E.PRE, "\nx")), "<pre><br>x</pre>"),
        # A block ends its line itself.
        (
            text("a\nquote\nb", (E.BLOCKQUOTE, "quote")),
            'a\n<blockquote dir="auto">quote</blockquote>\nb',
        ),
        (text("a\n\ncode\n\nb", (E.PRE, "code")), "a<br><br><pre>code</pre>\n<br>b"),
        # Nested, the same stretch twice, one inside the other.
        (text("bold both", (E.BOLD, "bold both"), (E.ITALIC, "both")), "<b>bold <i>both</i></b>"),
        (text("both", (E.ITALIC, "both"), (E.BOLD, "both")), "<i><b>both</b></i>"),
        (text("abc", (E.BOLD, "abc"), (E.BOLD, "b")), "<b>abc</b>"),
        # Overlapping.
        (text("abc", (E.BOLD, "ab"), (E.ITALIC, "bc")), "<b>a<i>b</i></b><i>c</i>"),
        # Blocks go around inline elements, whoever begins first.
        (
            text("abc", (E.BOLD, "abc"), (E.BLOCKQUOTE, "bc")),
            '<b>a</b><blockquote dir="auto"><b>bc</b></blockquote>',
        ),
        (
            text("abc", (E.PRE, "abc"), (E.BLOCKQUOTE, "b")),
            '<pre>a</pre><blockquote dir="auto"><pre>b</pre></blockquote><pre>c</pre>',
        ),
        # No link inside a link.
        (
            text("see a.b", (E.TEXT_LINK, "see a.b"), (E.URL, "a.b"), url="https://c.d"),
            '<a href="https://c.d">see a.b</a>',
        ),
        # A link that may not be one does not keep another from being one.
        (
            Text(
                "see a.b",
                (mark("see a.b", E.TEXT_LINK, "see a.b", url="javascript:x"), mark("see a.b", E.URL, "a.b")),
            ),
            'see <a href="https://a.b">a.b</a>',
        ),
        # Offsets count UTF-16 code units.
        (text("👍🏽 ok 🎉 go", (E.BOLD, "ok"), (E.ITALIC, "go")), "👍🏽 <b>ok</b> 🎉 <i>go</i>"),
        (Text("👍x", (Entity(type=E.BOLD, offset=2, length=1),)), "👍<b>x</b>"),
        # Half a surrogate pair is the whole character.
        (Text("a👍b", (Entity(type=E.BOLD, offset=2, length=1),)), "a<b>👍</b>b"),
        (Text("a👍b", (Entity(type=E.BOLD, offset=0, length=2),)), "<b>a👍</b>b"),
        # Nonsense is clipped or left out.
        (Text("abc", (Entity(type=E.BOLD, offset=1, length=99),)), "a<b>bc</b>"),
        (Text("abc", (Entity(type=E.BOLD, offset=-1, length=2),)), "<b>a</b>bc"),
        (Text("abc", (Entity(type=E.BOLD, offset=1, length=-1),)), "abc"),
        (Text("abc", (Entity(type=E.BOLD, offset=1, length=0),)), "abc"),
        (Text("abc", (Entity(type=E.BOLD, offset=7, length=2),)), "abc"),
        (Text("abc", (Entity(type=E.BOLD, offset=-9, length=2),)), "abc"),
        (Text("", (Entity(type=E.BOLD, offset=0, length=2),)), ""),
    ],
)
def test_text_and_entities_become_html(value: Text, html: str) -> None:
    assert render(value) == html


def test_a_long_folded_quote_opens_from_its_first_line() -> None:
    lines = "one\ntwo\nthree\nfour"
    quote = Entity(type=E.BLOCKQUOTE, offset=0, length=len(lines), collapsed=True)
    assert render(Text(lines, (quote,))) == (
        '<blockquote dir="auto"><details><summary>one</summary>\n<div>two<br>three<br>four</div></details></blockquote>'
    )


def test_a_quote_that_begins_with_code_does_not_fold() -> None:
    lines = "one\ntwo\nthree\nfour"
    quote = Entity(type=E.BLOCKQUOTE, offset=0, length=len(lines), collapsed=True)
    code = Entity(type=E.PRE, offset=0, length=5)
    assert render(Text(lines, (quote, code))) == (
        '<blockquote dir="auto"><pre>one\nt</pre>wo<br>three<br>four</blockquote>'
    )


@pytest.mark.parametrize("lines", ["one", "one\ntwo\nthree"])
def test_a_short_folded_quote_is_shown_whole(lines: str) -> None:
    quote = Entity(type=E.BLOCKQUOTE, offset=0, length=len(lines), collapsed=True)
    assert "details" not in render(Text(lines, (quote,)))


def test_inline_text_has_no_blocks() -> None:
    value = text("a b", (E.BLOCKQUOTE, "a"), (E.PRE, "b"), (E.BOLD, "a b"))
    assert render_text(value, LINKS, inline=True) == "<b>a b</b>"


ENTITIES = st.lists(
    st.builds(
        Entity,
        type=st.sampled_from(EntityType),
        offset=st.integers(-3, 40) | st.sampled_from([-(2**31), 2**31]),
        length=st.integers(-3, 40) | st.just(2**31),
        url=st.sampled_from(["https://a.b", "javascript:x", ""]),
        language=st.sampled_from(["", "py"]),
        user_id=st.integers(0, 2),
        date=st.integers(-1, 2**40),
        collapsed=st.booleans(),
    ),
    max_size=12,
)
TEXTS = st.builds(
    lambda pieces, entities: Text("".join(pieces), tuple(entities)),
    st.lists(
        st.sampled_from(["a", "\n", "\n\n", " ", "👍", "👨‍👩‍👧", "<", "&amp;", '"', "\x00", "\ud83d", "ы", "@x", "#"]),
        max_size=30,
    ),
    ENTITIES,
)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_any_entities_give_balanced_html_with_exactly_the_text(value: Text) -> None:
    assert visible_text(render(value)) == clean(value.text)


@settings(max_examples=75, deadline=None)
@given(TEXTS)
def test_a_browsers_parser_sees_the_same_html(value: Text) -> None:
    """html5ever, which repairs what is wrong, has nothing to repair."""
    html = render(value)
    tags = {
        "a",
        "b",
        "blockquote",
        "br",
        "code",
        "del",
        "details",
        "div",
        "i",
        "ins",
        "mark",
        "pre",
        "s",
        "span",
        "sub",
        "summary",
        "sup",
        "time",
        "u",
    }
    attributes = {"*": {"class", "dir"}, "a": {"href"}, "time": {"datetime"}}
    kept = nh3.clean(
        html, tags=tags, attributes=attributes, link_rel=None, url_schemes={"https", "tel", "tg", "mailto"}
    )
    assert visible_text(kept) == visible_text(html)
    assert kept.count("<") == html.count("<")


@settings(max_examples=75, deadline=None)
@given(TEXTS)
def test_inline_html_never_has_a_block(value: Text) -> None:
    html = render_text(value, LINKS, inline=True)
    assert visible_text(f"<b>{html}</b>") == clean(value.text)


def test_ten_thousand_entities_are_no_burden() -> None:
    entities = [Entity(type=E.BOLD if i % 2 else E.ITALIC, offset=i % 997, length=1000) for i in range(10_000)]
    assert visible_text(render(Text("x" * 2000, tuple(entities)))) == "x" * 2000


def test_escaping_makes_text_safe_in_attributes_and_elements() -> None:
    assert escape("<a href=\"x\" title='y'>&") == "&lt;a href=&quot;x&quot; title=&#x27;y&#x27;&gt;&amp;"


def test_code_units_are_what_telegram_counts() -> None:
    assert units("a👍ы") == 4
