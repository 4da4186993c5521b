from __future__ import annotations

import pytest
from post_samples import OPTIONS, PRIVATE, PUBLIC, file, message, options, text, visible_text

from feeds.sanitizer import sanitize
from model.channel import Channel, ChannelKind, PeerName
from model.entity import Entity, EntityType, Text
from model.media import (
    Audio,
    Document,
    Media,
    Photo,
    Poll,
    PollOption,
    Sticker,
    Unsupported,
    Video,
    VideoKind,
    WebPage,
)
from model.message import Button, Forward, Message, Reaction, Reply, Service
from posts.blocks.sheet import Sheet
from posts.body import body
from posts.footer import footer
from posts.grouping import Group
from posts.post import Enclosure, Image, RenderOptions

E = EntityType
M = "https://b.test/media/7"


def render(*messages: Message, channel: Channel = PUBLIC, with_: RenderOptions = OPTIONS) -> str:
    html = body(Sheet(channel, with_), Group(messages, len(messages) > 1))
    visible_text(html)
    return html


IMG = f'<img src="{M}/F1" width="800" height="600" alt="Photo" loading="lazy">'
PHOTO = Photo(file=file(width=800, height=600))


@pytest.mark.parametrize(
    ("media", "html"),
    [
        (PHOTO, f'<div class="media photo">{IMG}</div>'),
        (
            Photo(file=file()),
            f'<div class="media photo"><img src="{M}/F1" alt="Photo" loading="lazy"></div>',
        ),
        (
            Photo(file=file(width=800, height=600), spoiler=True),
            f'<details class="spoiler"><summary>Spoiler: photo</summary><div class="media photo">{IMG}</div></details>',
        ),
        (
            Video(file=file(size=3 << 20), thumb=file("T1"), width=320, height=240, duration=64.6),
            f'<div class="media video"><video controls preload="none" width="320" height="240" poster="{M}/T1"'
            f' src="{M}/F1"><a href="{M}/F1">Video, 1:05, 3.0 MB</a></video></div>',
        ),
        (
            Video(file=file()),
            f'<div class="media video"><video controls preload="none" src="{M}/F1">'
            f'<a href="{M}/F1">Video</a></video></div>',
        ),
        (
            Video(file=file(width=9, height=8), kind=VideoKind.ANIMATION),
            f'<div class="media animation"><video controls preload="none" loop width="9" height="8" src="{M}/F1">'
            f'<a href="{M}/F1">GIF</a></video></div>',
        ),
        (
            Audio(file=file(size=2048), title="Sea <3", performer="Waves", duration=3723, thumb=file("T1")),
            '<div class="media audio"><p dir="ltr">🎵 <bdi>Waves – Sea &lt;3</bdi>, 1:02:03</p>'
            f'<p><img src="{M}/T1" alt="Cover" loading="lazy"></p>'
            f'<audio controls preload="none" src="{M}/F1"><a href="{M}/F1">Listen (2.0 KB)</a></audio></div>',
        ),
        (
            Audio(file=file(), voice=True),
            '<div class="media voice"><p dir="ltr">🎤 <bdi>Voice message</bdi></p>'
            f'<audio controls preload="none" src="{M}/F1"><a href="{M}/F1">Listen</a></audio></div>',
        ),
        (
            Document(file=file(size=500, file_name='a"<b>.pdf'), thumb=file("T1", width=400, height=800)),
            f'<div class="media document"><p>'
            f'<img src="{M}/T1" width="160" height="320" alt="First page" loading="lazy">'
            f'</p><p dir="ltr">📄 <a href="{M}/F1"><bdi>a&quot;&lt;b&gt;.pdf</bdi></a> (<bdi>500 B</bdi>)</p></div>',
        ),
        (
            Document(file=file()),
            f'<div class="media document"><p dir="ltr">📄 <a href="{M}/F1"><bdi>File</bdi></a></p></div>',
        ),
        (
            Document(file=file(file_name="😀 كتب.csv")),
            f'<div class="media document"><p dir="rtl">📄 <a href="{M}/F1"><bdi>😀 كتب.csv</bdi></a></p></div>',
        ),
        (
            Document(file=file(mime_type="image/png", file_name="map.png", width=9, height=8)),
            f'<div class="media image"><p><img src="{M}/F1" width="9" height="8" alt="map.png" loading="lazy"></p>'
            f'<p dir="ltr">🖼 <a href="{M}/F1"><bdi>map.png</bdi></a></p></div>',
        ),
        (
            Document(file=file(mime_type="image/png", size=9 << 20), thumb=file("T1")),
            f'<div class="media image"><p><img src="{M}/T1" alt="Image" loading="lazy"></p>'
            f'<p dir="ltr">🖼 <a href="{M}/F1"><bdi>Image</bdi></a> (<bdi>9.0 MB</bdi>)</p></div>',
        ),
        (
            Sticker(file=file(mime_type="image/webp"), emoji="😀", width=512, height=256),
            '<div class="media sticker">'
            f'<img src="{M}/F1" width="256" height="128" alt="Sticker 😀" loading="lazy"></div>',
        ),
        (
            Sticker(file=file(mime_type="video/webm"), width=512, height=512),
            f'<div class="media sticker"><video autoplay loop muted playsinline width="256" height="256" '
            f'src="{M}/F1"><a href="{M}/F1">Sticker</a></video></div>',
        ),
        (
            Sticker(file=file(mime_type="video/webm"), thumb=file("T1")),
            f'<div class="media sticker"><video autoplay loop muted playsinline poster="{M}/T1" src="{M}/F1">'
            f'<a href="{M}/F1">Sticker</a></video></div>',
        ),
        (
            Sticker(file=file(mime_type="application/x-tgsticker"), thumb=file("T1"), emoji="😀"),
            f'<div class="media sticker"><img src="{M}/T1" alt="Sticker 😀" loading="lazy"></div>',
        ),
        (
            Sticker(file=file(mime_type="application/x-tgsticker"), emoji="😀"),
            '<div class="media sticker"><p>Sticker 😀</p></div>',
        ),
        (
            Unsupported(kind="<geo> live"),
            '<p class="unsupported" dir="auto">&lt;geo&gt; live: '
            '<a href="https://t.me/news/7">see it in Telegram</a></p>',
        ),
        (
            Unsupported(kind=""),
            '<p class="unsupported" dir="auto">This message: <a href="https://t.me/news/7">see it in Telegram</a></p>',
        ),
        (
            WebPage(
                url="https://a.b/?x=1&y=2",
                site_name="Site",
                title="A <b>",
                description="About\nit",
                photo=file(width=640, height=480),
            ),
            '<blockquote class="preview"><p dir="auto"><small>Site</small></p>'
            '<p dir="auto"><a href="https://a.b/?x=1&amp;y=2"><b>A &lt;b&gt;</b></a></p><p dir="auto">About it</p>'
            f'<p><img src="{M}/F1" width="320" height="240" alt="A &lt;b&gt;" loading="lazy"></p></blockquote>',
        ),
        (
            WebPage(url="javascript:x", title="T"),
            '<blockquote class="preview"><p dir="auto"><b>T</b></p></blockquote>',
        ),
        (
            WebPage(url="https://a.b"),
            '<blockquote class="preview"><p dir="auto"><a href="https://a.b"><b>https://a.b</b></a></p></blockquote>',
        ),
    ],
)
def test_each_kind_of_media_with_all_or_nothing_known(media: Media, html: str) -> None:
    assert render(message(7, "", media)) == html


def test_a_poll_shows_votes_percent_answer_and_state() -> None:
    poll = Poll(
        question=text("2+2 👍<", (E.BOLD, "2")),
        options=(
            PollOption(text=Text("four"), voters=3, correct=True),
            PollOption(text=Text("five"), voters=1),
        ),
        quiz=True,
        closed=True,
        multiple=True,
        total_voters=4,
        solution=Text("Count & see"),
    )
    assert render(message(7, "", poll)) == (
        '<div class="poll"><div dir="auto">📊 <b><b>2</b>+2 👍&lt;</b></div>'
        '<ul><li dir="auto">four — <bdi>3 votes (75%)</bdi> ✓'
        '<progress max="100" value="75" aria-hidden="true"></progress></li>'
        '<li dir="auto">five — <bdi>1 vote (25%)</bdi>'
        '<progress max="100" value="25" aria-hidden="true"></progress></li></ul>'
        "<p>Quiz · several answers allowed · closed · 4 voters</p>"
        '<details><summary>Explanation</summary><div dir="auto">Count &amp; see</div></details></div>'
    )


def test_a_poll_keeps_its_results_to_itself_until_telegram_tells_them() -> None:
    poll = Poll(question=Text("Tea?"), options=(PollOption(text=Text("yes")), PollOption(text=Text("no"))))
    assert render(message(7, "", poll)) == (
        '<div class="poll"><div dir="auto">📊 <b>Tea?</b></div><ul><li dir="auto">yes</li><li dir="auto">no</li></ul>'
        "<p>Poll · open</p></div>"
    )


def test_a_poll_without_voters_divides_by_nothing() -> None:
    poll = Poll(question=Text("Tea?"), options=(PollOption(text=Text("yes"), voters=0),), total_voters=0)
    assert "0 votes (0%)" in render(message(7, "", poll))


def test_several_files_are_an_album() -> None:
    html = render(message(7, "", PHOTO), message(8, "Caption", Video(file=file())))
    assert html.startswith('<div class="album"><div class="media photo">')
    assert html.endswith('</video></div></div><div class="text" dir="auto">Caption</div>')


def test_all_blocks_stand_in_their_order() -> None:
    html = render(
        message(
            7,
            "Words",
            WebPage(url="https://a.b", title="T"),
            forward=Forward(origin=PeerName(title="X")),
            reply=Reply(message_id=1),
            buttons=(Button(text="go", url="https://c.d"),),
            comments=0,
        ),
        message(8, "", PHOTO),
        message(9, "", Poll(question=Text("Q"), options=())),
        message(10, "", Unsupported(kind="dice")),
    )
    classes = ["forward", "reply", "media", "text", "poll", "unsupported", "preview", "buttons", "comments"]
    places = [html.index(f'class="{name}') for name in classes]
    assert places == sorted(places)


def test_a_caption_can_stand_above() -> None:
    above = render(message(7, "Words", PHOTO, caption_above=True))
    assert above.index("Words") < above.index("<img") and above.count("Words") == 1
    below = render(message(7, "Words", PHOTO))
    assert below.index("Words") > below.index("<img")


def test_texts_of_a_merged_post_keep_their_formatting() -> None:
    html = render(message(7, text("one 👍", (E.BOLD, "one"))), message(8, text("two", (E.ITALIC, "two"))))
    assert html == '<div class="text" dir="auto"><b>one</b> 👍<br><br><i>two</i></div>'


def test_an_entity_that_reaches_out_of_its_text_does_not_reach_into_the_next() -> None:
    long = Text("one", (Entity(type=E.BOLD, offset=-1, length=99),))
    assert render(message(7, long), message(8, "two")) == ('<div class="text" dir="auto"><b>one</b><br><br>two</div>')


@pytest.mark.parametrize(
    ("forward", "html"),
    [
        (
            Forward(origin=PeerName(title="A & B", id=-1005, username="ab"), post_id=3, signature="Ann"),
            'Forwarded from <a href="https://t.me/ab/3"><b><bdi>A &amp; B</bdi></b></a> (<bdi>Ann</bdi>)',
        ),
        (
            Forward(origin=PeerName(title="Cellar", id=-1000000000005), post_id=3),
            'Forwarded from <a href="https://t.me/c/5/3"><b><bdi>Cellar</bdi></b></a>',
        ),
        (Forward(origin=PeerName(title="Hidden <user>")), "Forwarded from <b><bdi>Hidden &lt;user&gt;</bdi></b>"),
        (Forward(origin=PeerName(title="")), "Forwarded from <b><bdi>somebody</bdi></b>"),
    ],
)
def test_a_forward_says_where_it_is_from(forward: Forward, html: str) -> None:
    assert render(message(7, "x", forward=forward)).startswith(f'<p class="forward" dir="auto">{html}</p>')


def test_a_message_written_through_a_bot_says_so_once() -> None:
    html = render(message(7, "x", via_bot="gif"), message(8, "y", via_bot="gif"))
    assert html.startswith('<p class="forward">Via <a href="https://t.me/gif">@gif</a></p>')
    assert html.count("@gif") == 1


def test_forwards_of_one_origin_share_a_line() -> None:
    one, other = Forward(origin=PeerName(title="A")), Forward(origin=PeerName(title="B"))
    html = render(*(message(n, "x", forward=forward) for n, forward in enumerate([one, one, other])))
    assert html.count("Forwarded from") == 2


@pytest.mark.parametrize(
    ("reply", "html"),
    [
        (Reply(message_id=3), '<p dir="auto">In reply to <a href="https://t.me/news/3">post #3</a></p>'),
        (
            Reply(message_id=3, author=PeerName(title="Ann <3"), quote=text("a\nb", (E.BOLD, "b"))),
            '<p dir="auto">In reply to <a href="https://t.me/news/3">Ann &lt;3</a></p>'
            '<div dir="auto">a<br><b>b</b></div>',
        ),
        (
            Reply(message_id=3, chat=PeerName(title="Other", username="other", id=-1000000000009)),
            '<p dir="auto">In reply to <a href="https://t.me/other/3">Other</a></p>',
        ),
        (
            Reply(chat=PeerName(title="Secret"), quote=Text("q")),
            '<p dir="auto">In reply to Secret</p><div dir="auto">q</div>',
        ),
        (Reply(quote=Text("q")), '<p dir="auto">In reply to a message</p><div dir="auto">q</div>'),
        (Reply(story_id=4), '<p dir="auto">In reply to <a href="https://t.me/news/s/4">a story</a></p>'),
        (
            Reply(story_id=4, chat=PeerName(title="Ann <3", username="ann", id=9)),
            '<p dir="auto">In reply to <a href="https://t.me/ann/s/4">a story</a> of <bdi>Ann &lt;3</bdi></p>',
        ),
        (Reply(story_id=4, chat=PeerName(title="Bo")), '<p dir="auto">In reply to a story of <bdi>Bo</bdi></p>'),
    ],
)
def test_a_reply_names_and_quotes_what_it_answers(reply: Reply, html: str) -> None:
    assert render(message(7, "x", reply=reply)).startswith(f'<blockquote class="reply">{html}</blockquote>')


def test_an_empty_reply_is_no_block() -> None:
    assert "reply" not in render(message(7, "x", reply=Reply()))


LONG = text("word " * 100, (E.BOLD, "word " * 100))


@pytest.mark.parametrize(
    ("reply", "cut"),
    [
        (Reply(message_id=6, quote=LONG), True),
        (Reply(message_id=5, quote=LONG), True),
        (Reply(message_id=9, quote=LONG), True),
        (Reply(message_id=4, quote=LONG), False),
        (Reply(message_id=6, quote=LONG, manual=True), True),
        (Reply(message_id=6, quote=LONG, chat=PeerName(title="News", id=PUBLIC.id)), True),
        (Reply(message_id=6, quote=LONG, chat=PeerName(title="Other", id=-1009)), False),
        (Reply(message_id=6, quote=Text("short")), False),
    ],
)
def test_the_quote_of_a_post_close_by_is_cut_after_a_word(reply: Reply, cut: bool) -> None:
    html = render(message(7, "x", reply=reply), with_=options(reply_quote_chars=52, reply_quote_distance=2))
    assert ("…" in html) is cut
    if cut:
        assert "<b>word word word word word word word word word word…</b>" in html


def test_a_quote_is_never_cut_inside_a_character() -> None:
    html = render(
        message(7, "x", reply=Reply(message_id=6, quote=Text("👨‍👩‍👧" * 20))), with_=options(reply_quote_chars=5)
    )
    assert f"{'👨‍👩‍👧' * 5}…</div>" in html


def test_buttons_are_links_and_bad_ones_are_left_out() -> None:
    buttons = (
        Button(text="Go <now>", url="https://a.b/?x&y"),
        Button(text="", url="c.d"),
        Button(text="no", url="javascript:x"),
    )
    assert render(message(7, "x", buttons=buttons)).endswith(
        '<ul class="buttons"><li dir="auto"><a href="https://a.b/?x&amp;y">Go &lt;now&gt;</a></li>'
        '<li dir="auto"><a href="https://c.d">https://c.d</a></li></ul>'
    )


def test_the_way_to_the_comments_does_not_count_them() -> None:
    few, many = (render(message(7, "x", comments=count)) for count in (0, 99))
    assert few == many
    assert few.endswith('<p class="comments"><a href="https://t.me/news/7?comment=1">💬 Comments</a></p>')
    assert "comments" not in render(message(7, "x"))


def test_an_event_is_a_sentence() -> None:
    html = render(message(7, service=Service(kind="topic_create", title="<Boats>")))
    assert html == '<p class="service" dir="auto">Topic created: <bdi>&lt;Boats&gt;</bdi></p>'


def test_the_name_of_a_person_never_turns_the_words_beside_it_around() -> None:
    name = "\u05d0\u05d1 (5"
    owner = Service(kind="change_creator", names=(PeerName(title=name),))
    assert f"<bdi>{name}</bdi> became the owner" in render(message(7, service=owner))
    forward = Forward(origin=PeerName(title=name), signature=name)
    assert f"<b><bdi>{name}</bdi></b> (<bdi>{name}</bdi>)" in render(message(7, "x", forward=forward))


def test_a_message_with_nothing_in_it_says_so() -> None:
    assert render(message(7)) == (
        '<p class="unsupported" dir="auto">Nothing to show here: '
        '<a href="https://t.me/news/7">see it in Telegram</a></p>'
    )


def test_a_restriction_is_told_and_hides_nothing() -> None:
    html = render(message(7, "x", restriction="Not <here>"))
    assert html.startswith('<p class="restricted" dir="auto">Restricted by Telegram: Not &lt;here&gt;</p>')
    assert html.endswith('<div class="text" dir="auto">x</div>')


NASTY = '<script>alert("1")</script>\'><img src=x onerror=y>\x00\ud800'
NASTY_TEXT = Text(NASTY)


@pytest.mark.parametrize(
    "odd",
    [
        message(7, NASTY),
        message(7, media=Poll(question=NASTY_TEXT, options=(PollOption(text=NASTY_TEXT),), solution=NASTY_TEXT)),
        message(
            7, media=WebPage(url=NASTY, site_name=NASTY, title=NASTY, description=NASTY, author=NASTY, photo=file())
        ),
        message(7, media=Audio(file=file(file_name=NASTY, mime_type=NASTY), title=NASTY, performer=NASTY)),
        message(7, media=Audio(file=file(file_name=NASTY))),
        message(7, media=Document(file=file(file_name=NASTY, mime_type="image/png"), thumb=file(NASTY))),
        message(7, media=Sticker(file=file(NASTY), emoji=NASTY)),
        message(7, media=Photo(file=file(NASTY))),
        message(7, media=Video(file=file(NASTY), thumb=file(NASTY))),
        message(7, media=Unsupported(kind=NASTY)),
        message(7, service=Service(kind=NASTY)),
        message(7, service=Service(kind="topic_create", title=NASTY, names=(PeerName(title=NASTY),))),
        message(7, forward=Forward(origin=PeerName(title=NASTY, username=NASTY), signature=NASTY, post_id=1)),
        message(7, reply=Reply(message_id=1, author=PeerName(title=NASTY), quote=NASTY_TEXT)),
        message(7, reply=Reply(message_id=1, chat=PeerName(title=NASTY, username=NASTY, id=-5), quote=NASTY_TEXT)),
        message(7, buttons=(Button(text=NASTY, url="https://a.b/" + NASTY),)),
        message(7, reactions=(Reaction(count=1, emoji=NASTY),), restriction=NASTY),
        message(7, text("x", (E.TEXT_LINK, "x"), url="https://a.b/" + NASTY)),
        message(7, text("x", (E.PRE, "x"), language=NASTY)),
        message(7, text(NASTY, (E.HASHTAG, NASTY), (E.MENTION, NASTY), (E.BOT_COMMAND, NASTY), (E.PHONE, NASTY))),
    ],
)
def test_no_string_of_anybody_becomes_markup(odd: Message) -> None:
    sheet = Sheet(Channel(id=-5, kind=ChannelKind.CHANNEL, title=NASTY, username=NASTY), options(show_bridge_link=True))
    group = Group((odd,))
    for html in (body(sheet, group), footer(sheet, group, ("fwd",))):
        visible_text(html)
        assert "\x00" not in html and "\ud800" not in html


def test_files_become_images_and_enclosures_with_the_bodys_own_urls() -> None:
    sheet = Sheet(PUBLIC, OPTIONS)
    messages = (
        message(1, "", PHOTO),
        message(2, "", Video(file=file("V", size=9), thumb=file("VT", width=3, height=2), duration=4)),
        message(3, "", Audio(file=file("A", mime_type="audio/flac"), title="Sea", duration=7.5)),
        message(4, "", Audio(file=file("O"), voice=True)),
        message(5, "", Document(file=file("D", file_name="a.pdf", mime_type="application/pdf", size=5))),
        message(6, "", Document(file=file("I", mime_type="image/png"))),
        message(7, "", Sticker(file=file("S"))),
        message(8, "", Document(file=file("N", size=-1))),
    )
    html = body(sheet, Group(messages))
    assert sheet.enclosures == [
        Enclosure(url="https://b.test/media/2/V", mime_type="video/mp4", size=9, duration=4, title="Video"),
        Enclosure(url="https://b.test/media/3/A", mime_type="audio/flac", duration=7.5, title="Sea"),
        Enclosure(url="https://b.test/media/4/O", mime_type="audio/ogg", title="Voice message"),
        Enclosure(url="https://b.test/media/5/D", mime_type="application/pdf", size=5, title="a.pdf"),
        Enclosure(url="https://b.test/media/8/N", mime_type="application/octet-stream", title="File"),
    ]
    assert sheet.images == [
        Image(url="https://b.test/media/1/F1", width=800, height=600),
        Image(url="https://b.test/media/2/VT", width=3, height=2),
        Image(url="https://b.test/media/6/I"),
        Image(url="https://b.test/media/7/S"),
    ]
    urls = [one.url for one in sheet.enclosures] + [one.url for one in sheet.images]
    assert all(f'"{url}"' in html for url in urls)


def test_the_footer_has_counters_dates_and_links() -> None:
    post = message(
        7,
        "x",
        date=1_796_126_400,
        edit_date=1_796_126_460,
        views=1200,
        forwards=1,
        comments=2,
        reactions=(Reaction(count=3, emoji="👍"), Reaction(count=2, paid=True), Reaction(count=1, custom_emoji_id=5)),
    )
    sheet = Sheet(PUBLIC, options(show_flags=True, show_bridge_link=True))
    assert footer(sheet, Group((post,)), ("fwd", "link")) == (
        '<div class="footer"><p class="reactions"><span>👍 3</span> <span>⭐ 2</span> <span>✦ 1</span></p>'
        '<p class="meta">1200 views · 1 forward · 2 comments · #7</p>'
        '<p class="dates"><time datetime="2026-12-01T12:00:00Z">2026-12-01 12:00 UTC</time> · '
        'edited <time datetime="2026-12-01T12:01:00Z">2026-12-01 12:01 UTC</time></p>'
        '<p class="links"><a href="tg://resolve?domain=news&amp;post=7">Open in Telegram</a> · '
        '<a href="https://t.me/news/7">Open on the web</a> · '
        '<a href="https://b.test/html/news/7">Open on the bridge</a></p>'
        '<p class="flags">fwd link</p></div>'
    )


def test_a_bare_footer_has_the_id_and_the_links() -> None:
    assert footer(Sheet(PRIVATE, OPTIONS), Group((message(7, "x", date=None),)), ("fwd",)) == (
        '<div class="footer"><p class="meta">#7</p>'
        '<p class="links"><a href="tg://privatepost?channel=1234567890&amp;post=7">Open in Telegram</a> · '
        '<a href="https://t.me/c/1234567890/7">Open on the web</a></p></div>'
    )


def test_a_private_chats_footer_links_nowhere() -> None:
    user = Channel(id=5, kind=ChannelKind.USER, title="Ann")
    assert "<a " not in footer(Sheet(user, OPTIONS), Group((message(7, "x"),)), ())


def test_an_albums_reactions_are_found_wherever_they_are() -> None:
    liked = message(1, "", PHOTO, reactions=(Reaction(count=3, emoji="👍"),))
    assert "👍 3" in footer(Sheet(PUBLIC, OPTIONS), Group((liked, message(2, "Caption", PHOTO))), ())


def test_the_sanitizer_has_nothing_to_take_away() -> None:
    html = render(
        message(7, text("b q", (E.BOLD, "b"), (E.BLOCKQUOTE, "q")), PHOTO, comments=1, restriction="r"),
        message(8, "", Video(file=file(), thumb=file("T"), kind=VideoKind.ANIMATION, width=3, height=2)),
        message(9, "", Audio(file=file(), thumb=file("T"))),
        message(10, "", Poll(question=Text("Q"), options=(PollOption(text=Text("a"), voters=1),), solution=Text("s"))),
        message(11, "", Photo(file=file(), spoiler=True)),
        message(12, "x", WebPage(url="https://a.b", title="T"), forward=Forward(origin=PeerName(title="X", id=5))),
        message(
            13, text("d", (E.DATE, "d"), date=1), reply=Reply(message_id=1), buttons=(Button(text="b", url="a.b"),)
        ),
    )
    assert sanitize(html).replace(' rel="noopener nofollow"', "").replace('=""', "") == html
