"""What has no words of its own: people, places, prizes, prices, tasks, articles."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from post_samples import OPTIONS, PUBLIC, file, message, text, visible_text

from feeds.sanitizer import sanitize
from model import rich
from model.attachment import Audio, Document, LivePhoto, Photo, Sticker, Video
from model.channel import Channel, ChannelKind, PeerName
from model.entity import EntityType, Text
from model.media import Media
from model.message import Message
from model.place import Location, Point, Venue
from model.poll import Poll, PollOption
from model.special import (
    Checklist,
    ChecklistItem,
    Contact,
    Dice,
    Game,
    Giveaway,
    GiveawayResults,
    Invoice,
    PaidMedia,
    PaidPreview,
    Story,
)
from post_parser import build_posts
from posts.blocks.sheet import Sheet
from posts.body import body
from posts.grouping import Group
from posts.kinds import KINDS, describe, kind_of
from posts.post import Image, Post

E = EntityType
M = "https://b.test/media/7"
HERE = "https://t.me/news/7"

PHOTO = Photo(file=file(width=80, height=60))
IMG = f'<img src="{M}/F1" width="80" height="60" alt="Photo" loading="lazy">'
FILM = Video(file=file("V1"), width=8, height=6, duration=2)
POINT = Point(latitude=55.5, longitude=-2.25)
ON_MAP = (
    '<bdi><a href="https://www.openstreetmap.org/?mlat=55.50000&amp;mlon=-2.25000#map=16/55.50000/-2.25000">'
    "55.50000, -2.25000</a></bdi>"
)
NEWS = PeerName(title="Other", id=-1000000000009, username="other")
ANN = PeerName(title="Ann", id=7)


def card(kind: str, html: str, *, dir_: bool = True) -> str:
    return f'<div class="card {kind}"{" dir=" + chr(34) + "auto" + chr(34) if dir_ else ""}>{html}</div>'


def render(media: Media) -> str:
    html = body(Sheet(PUBLIC, OPTIONS), Group((message(7, "", media),)))
    visible_text(html)
    return html


def post(media: Media, content: str | Text = "") -> Post:
    (found,) = build_posts([message(7, content, media)], PUBLIC, OPTIONS)
    assert not found.failed
    return found


# A case: what the media is, its HTML, its title.
CASES: dict[str, tuple[Media, str, str]] = {
    "contact": (
        Contact(phone="+44 (1632) 96", first_name="Ann <b>", last_name="Lee", user_id=7),
        card(
            "contact",
            '<p>👤 <b>Ann &lt;b&gt; Lee</b></p><p><a href="tel:+44163296"><bdi>+44 (1632) 96</bdi></a></p>'
            '<p><a href="tg://user?id=7">Open in Telegram</a></p>',
        ),
        "Contact: Ann <b> Lee",
    ),
    "contact without a number": (
        Contact(phone="call me"),
        card("contact", "<p>👤 <b>Contact</b></p><p><bdi>call me</bdi></p>"),
        "Contact",
    ),
    "bare contact": (Contact(), card("contact", "<p>👤 <b>Contact</b></p>"), "Contact"),
    "location": (
        Location(point=POINT),
        card("location", f"<p>📍 Location: {ON_MAP}</p>", dir_=False),
        "Location",
    ),
    "inexact location": (
        Location(point=msgspec.structs.replace(POINT, accuracy=20)),
        card("location", f"<p>📍 Location: {ON_MAP.removesuffix('</bdi>')} (± 20 m)</bdi></p>", dir_=False),
        "Location",
    ),
    "lost location": (Location(), card("location", "<p>📍 Location: no longer known</p>", dir_=False), "Location"),
    "live location": (
        Location(point=POINT, live_period=900, heading=45),
        card(
            "live_location",
            f"<p>📍 Live location: {ON_MAP}</p><p><small>shared for 15 minutes · heading 45°</small></p>",
            dir_=False,
        ),
        "Live location",
    ),
    "venue": (
        Venue(title="Pier & <Co>", address="Quay <1>", point=POINT),
        card("venue", f"<p>📍 <b>Pier &amp; &lt;Co&gt;</b></p><p>Quay &lt;1&gt;</p><p>{ON_MAP}</p>"),
        "Place: Pier & <Co>",
    ),
    "bare venue": (Venue(), card("venue", "<p>📍 <b>Place</b></p>"), "Place"),
    "dice": (Dice(emoji="🎲", value=6), '<p class="dice">🎲 <b>6</b></p>', "🎲 6"),
    "rolling dice": (Dice(), '<p class="dice">Dice</p>', "Dice"),
    "game": (
        Game(title="Gull <3", description="Old\none", photo=file(width=640, height=320)),
        card(
            "game",
            "<p>🎮 <b>Gull &lt;3</b></p><p>Old one</p>"
            f'<p><img src="{M}/F1" width="320" height="160" alt="Gull &lt;3" loading="lazy"></p>'
            f'<p><a href="{HERE}">Play in Telegram</a></p>',
        ),
        "Game: Gull <3",
    ),
    "bare game": (
        Game(),
        card("game", f'<p>🎮 <b>Game</b></p><p><a href="{HERE}">Play in Telegram</a></p>'),
        "Game",
    ),
    "invoice": (
        Invoice(
            title="Cake <3",
            description="Lemon\n& more",
            currency="EUR",
            amount=1250,
            photo_url="https://a.b/c.jpg?x&y",
        ),
        card(
            "invoice",
            "<p>🧾 <b>Cake &lt;3</b></p><p>Lemon<br>&amp; more</p>"
            '<p><img src="https://a.b/c.jpg?x&amp;y" alt="Cake &lt;3" loading="lazy"></p>'
            f'<p><b><bdi>12.50 EUR</bdi></b> · <a href="{HERE}">Pay in Telegram</a></p>',
        ),
        "Invoice: Cake <3",
    ),
    "invoice that is paid": (
        Invoice(currency="XTR", amount=1, paid=True, test=True, media=PHOTO, photo_url="javascript:x"),
        card(
            "invoice",
            f'<p>🧾 <b>Invoice</b></p><div class="media photo">{IMG}</div>'
            f'<p><b><bdi>1 star · paid · test</bdi></b> · <a href="{HERE}">Receipt in Telegram</a></p>',
        ),
        "Invoice",
    ),
    "invoice for what is hidden": (
        Invoice(currency="JPY", amount=1200, media=PaidPreview(width=8, height=6, duration=9)),
        card(
            "invoice",
            "<p>🧾 <b>Invoice</b></p><p>🔒 Video, 8 × 6, 0:09</p>"
            f'<p><b><bdi>1,200 JPY</bdi></b> · <a href="{HERE}">Pay in Telegram</a></p>',
        ),
        "Invoice",
    ),
    "paid media": (
        PaidMedia(stars=50, items=(PaidPreview(width=800, height=600), PaidPreview(duration=65), PaidPreview())),
        card(
            "paid_media",
            "<p>⭐ <b>Paid media</b>: 50 stars</p>"
            "<ul><li>🔒 Photo, 800 × 600</li><li>🔒 Video, 1:05</li><li>🔒 Photo</li></ul>"
            f'<p><a href="{HERE}">Unlock in Telegram</a></p>',
            dir_=False,
        ),
        "Paid media",
    ),
    "paid media that is bought": (
        PaidMedia(stars=1, items=(PHOTO, PHOTO)),
        card("paid_media", "<p>⭐ <b>Paid media</b>: 1 star</p>", dir_=False)
        + f'<div class="album"><div class="media photo">{IMG}</div><div class="media photo">{IMG}</div></div>',
        "Paid media",
    ),
    "bare paid media": (PaidMedia(), card("paid_media", "<p>⭐ <b>Paid media</b></p>", dir_=False), "Paid media"),
    "giveaway": (
        Giveaway(
            channels=(NEWS, PeerName(title="Hid<den")),
            winners=3,
            months=1,
            prize="a <clock>",
            until=1_796_126_400,
            countries=("GB", "<P>"),
            only_new=True,
        ),
        card(
            "giveaway",
            "<p>🎁 <b>Giveaway</b></p>"
            '<ul><li dir="auto">3 winners</li><li dir="auto">Telegram Premium for 1 month</li>'
            '<li dir="auto">a &lt;clock&gt;</li><li dir="auto">Until 2026-12-01 12:00 UTC</li>'
            '<li dir="auto">For new subscribers of <a href="https://t.me/other"><bdi>Other</bdi></a>, '
            '<bdi>Hid&lt;den</bdi></li><li dir="auto">In GB, &lt;P&gt;</li></ul>',
            dir_=False,
        ),
        "Giveaway: a <clock>",
    ),
    "bare giveaway": (Giveaway(), card("giveaway", "<p>🎁 <b>Giveaway</b></p>", dir_=False), "Giveaway"),
    "giveaway's winners": (
        GiveawayResults(
            channel=NEWS, post_id=3, count=3, unclaimed=1, winners=(ANN,), stars=500, prize="a clock", refunded=True
        ),
        card(
            "giveaway_results",
            '<p>🏆 <b><a href="https://t.me/other/3">Giveaway winners</a></b></p>'
            '<ul><li dir="auto">3 winners</li><li dir="auto">500 stars to share</li><li dir="auto">a clock</li>'
            '<li dir="auto"><a href="tg://user?id=7"><bdi>Ann</bdi></a> and 2 more</li>'
            '<li dir="auto">1 prize not claimed</li>'
            '<li dir="auto">The giveaway was cancelled: its price was refunded</li></ul>',
            dir_=False,
        ),
        "Giveaway winners: a clock",
    ),
    "story": (
        Story(id=3, author=NEWS, text=text("Hi <3", (E.BOLD, "Hi")), media=PHOTO),
        card(
            "story",
            '<p dir="auto">📖 Story of <b><bdi>Other</bdi></b>: '
            '<a href="https://t.me/other/s/3">see it in Telegram</a></p>'
            f'<div class="media photo">{IMG}</div><div dir="auto"><b>Hi</b> &lt;3</div>',
            dir_=False,
        ),
        "Story: Other",
    ),
    "story of somebody without a name": (
        Story(id=3, author=ANN),
        card(
            "story",
            f'<p dir="auto">📖 Story of <b><bdi>Ann</bdi></b>: <a href="{HERE}">see it in Telegram</a></p>',
            dir_=False,
        ),
        "Story: Ann",
    ),
    "checklist": (
        Checklist(
            title=text("Morn<ing", (E.BOLD, "Morn")),
            items=(ChecklistItem(text=Text("t<ea")), ChecklistItem(text=Text("cat"), done=True)),
        ),
        card("checklist", "<p><b><b>Morn</b>&lt;ing</b></p><ul><li>☐ t&lt;ea</li><li>☑ cat</li></ul>"),
        "Checklist: Morn<ing",
    ),
    "bare checklist": (Checklist(), card("checklist", "<p><b>Checklist</b></p>"), "Checklist"),
    "live photo": (
        LivePhoto(photo=PHOTO, video=FILM),
        f'<div class="media live_photo">{IMG.replace("Photo", "Live photo")}<details><summary>See it move</summary>'
        f'<video controls loop preload="none" width="8" height="6" src="{M}/V1"><a href="{M}/V1">Live photo</a></video>'
        "</details></div>",
        "Live photo",
    ),
    "hidden live photo": (
        LivePhoto(photo=Photo(file=file(), spoiler=True), video=Video(file=file("V1"))),
        '<details class="spoiler"><summary>Spoiler: live photo</summary><div class="media live_photo">'
        f'<img src="{M}/F1" alt="Live photo" loading="lazy"><details><summary>See it move</summary>'
        f'<video controls loop preload="none" src="{M}/V1"><a href="{M}/V1">Live photo</a></video>'
        "</details></div></details>",
        "Live photo",
    ),
    "illustrated poll": (
        Poll(
            question=Text("Which?"),
            media=PHOTO,
            options=(
                PollOption(text=Text("this"), media=PHOTO),
                PollOption(text=Text("there"), media=Venue(title="<Pier>", point=POINT)),
                PollOption(text=Text("lost"), media=Location()),
            ),
            solution_media=Location(point=POINT),
        ),
        f'<div class="poll"><div class="media photo">{IMG}</div><div dir="auto">📊 <b>Which?</b></div>'
        f'<ul><li dir="auto">this<div class="media photo">{IMG}</div></li>'
        f'<li dir="auto">there<p dir="auto">📍 &lt;Pier&gt; · {ON_MAP}</p></li><li dir="auto">lost</li></ul>'
        f'<p>Poll · open</p><details><summary>Explanation</summary><p dir="auto">📍 {ON_MAP}</p></details></div>',
        "Poll: Which?",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_with_all_or_nothing_known(case: str) -> None:
    media, html, title = CASES[case]
    assert render(media) == html
    assert post(media).title == title


def words(content: str) -> rich.Paragraph:
    return rich.Paragraph(text=Text(content))


BLOCKS: dict[str, tuple[rich.Block, str]] = {
    "heading": (rich.Heading(text=text("a <b", (E.BOLD, "a"))), '<h3 dir="auto"><b>a</b> &lt;b</h3>'),
    "low heading": (rich.Heading(text=Text("a"), level=6), '<h6 dir="auto">a</h6>'),
    "heading of no level": (rich.Heading(text=Text("a"), level=-3), '<h3 dir="auto">a</h3>'),
    "empty heading": (rich.Heading(text=Text()), ""),
    "paragraph": (words("a\nb"), '<p dir="auto">a<br>b</p>'),
    "empty paragraph": (words(""), ""),
    "small": (rich.Paragraph(text=Text("a"), small=True), '<p dir="auto"><small>a</small></p>'),
    "marks": (
        rich.Paragraph(text=text("abc", (E.SUBSCRIPT, "a"), (E.SUPERSCRIPT, "b"), (E.MARKED, "c"))),
        '<p dir="auto"><sub>a</sub><sup>b</sup><mark>c</mark></p>',
    ),
    "code": (
        rich.Code(text=text("a <👍\nb", (E.BOLD, "b")), language="py"),
        '<pre><code class="language-py">a &lt;👍\n<b>b</b></code></pre>',
    ),
    "quote": (
        rich.Quote(blocks=(words("a"),), caption=Text("b<")),
        '<blockquote dir="auto"><p dir="auto">a</p><p dir="auto"><small>— b&lt;</small></p></blockquote>',
    ),
    "pulled quote": (
        rich.Quote(blocks=(words("a"),), pulled=True),
        '<blockquote class="pulled" dir="auto"><p dir="auto">a</p></blockquote>',
    ),
    "list": (
        rich.List(
            items=(
                rich.ListItem(blocks=(words("a"), words("b"))),
                rich.ListItem(blocks=(words("c"),), checked=True),
                rich.ListItem(blocks=(rich.Divider(),), checked=False),
                rich.ListItem(blocks=()),
            )
        ),
        '<ul dir="auto"><li>a<p dir="auto">b</p></li><li class="task">☑ c</li><li class="task">☐ <hr></li>'
        "<li></li></ul>",
    ),
    "numbered list": (
        rich.List(
            items=(rich.ListItem(blocks=(words("a"),), value=7),), ordered=True, start=3, descending=True, style="i"
        ),
        '<ol dir="auto" start="3" reversed type="i"><li value="7">a</li></ol>',
    ),
    "empty list": (rich.List(items=()), ""),
    "table": (
        rich.Table(
            rows=(
                (rich.Cell(text=Text("a<"), header=True, columns=2),),
                (rich.Cell(text=Text("b"), rows=2), rich.Cell()),
            ),
            title=Text("t<"),
        ),
        '<table dir="auto"><caption>t&lt;</caption><tbody><tr><th scope="colgroup" colspan="2">a&lt;</th></tr>'
        '<tr><td rowspan="2">b</td><td></td></tr></tbody></table>',
    ),
    "table with headers on two sides": (
        rich.Table(
            rows=(
                (rich.Cell(header=True), rich.Cell(text=Text("a"), header=True)),
                (rich.Cell(text=Text("b"), header=True), rich.Cell(text=Text("1"))),
            )
        ),
        '<table dir="auto"><tbody><tr><td></td><th scope="col">a</th></tr>'
        '<tr><th scope="row">b</th><td>1</td></tr></tbody></table>',
    ),
    "table without rows": (rich.Table(rows=(), title=Text("t")), '<p dir="auto">t</p>'),
    "divider": (rich.Divider(), "<hr>"),
    "picture": (rich.Figure(media=PHOTO), f'<div class="media photo">{IMG}</div>'),
    "picture with a caption": (
        rich.Figure(media=PHOTO, caption=Text("a<"), credit=Text("b<")),
        f'<figure><div class="media photo">{IMG}</div><figcaption dir="auto">a&lt;<br>b&lt;</figcaption></figure>',
    ),
    "hidden picture": (
        rich.Figure(media=Photo(file=file(), spoiler=True)),
        '<details class="spoiler"><summary>Spoiler: photo</summary>'
        f'<div class="media photo"><img src="{M}/F1" alt="Photo" loading="lazy"></div></details>',
    ),
    "collage": (
        rich.Collage(blocks=(rich.Figure(media=PHOTO), words("a")), caption=Text("b")),
        f'<figure><div class="album"><div class="media photo">{IMG}</div><p dir="auto">a</p></div>'
        '<figcaption dir="auto">b</figcaption></figure>',
    ),
    "map": (
        rich.Map(point=POINT, caption=Text("a")),
        f'<figure><p>📍 {ON_MAP}</p><figcaption dir="auto">a</figcaption></figure>',
    ),
    "details": (
        rich.Details(blocks=(words("a"),), title=Text("t<"), open=True),
        '<details open><summary dir="auto">t&lt;</summary><p dir="auto">a</p></details>',
    ),
    "details without a title": (
        rich.Details(blocks=()),
        '<details><summary dir="auto">Details</summary></details>',
    ),
    "what can't be shown": (
        rich.Missing(kind="<embed>"),
        f'<p class="unsupported" dir="auto">&lt;embed&gt;: <a href="{HERE}">see it in Telegram</a></p>',
    ),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_each_block_of_an_article(case: str) -> None:
    block, html = BLOCKS[case]
    whole = render(rich.Rich(blocks=(rich.Divider(), block)))
    assert whole == f'<div class="rich"><hr>{html}</div>'


def test_an_article_says_that_there_is_more() -> None:
    html = render(rich.Rich(blocks=(words("a"),), truncated=True))
    assert html == (
        '<div class="rich"><p dir="auto">a</p>'
        f'<p class="unsupported" dir="auto">Truncated: <a href="{HERE}">see it in Telegram</a></p></div>'
    )


def test_an_article_from_right_to_left_is_so_everywhere() -> None:
    blocks = (
        rich.Heading(text=Text("a")),
        words("b"),
        rich.List(items=(rich.ListItem(blocks=(words("c"),)),)),
        rich.Table(rows=((rich.Cell(text=Text("d")),),)),
    )
    html = render(rich.Rich(blocks=blocks, rtl=True))
    assert "auto" not in html and html.count('dir="rtl"') == 4


def test_an_empty_article_leads_to_telegram() -> None:
    assert "Nothing to show here" in render(rich.Rich(blocks=()))


@pytest.mark.parametrize(
    ("blocks", "title"),
    [
        ((words("First words"), rich.Heading(text=Text("The heading"))), "The heading"),
        ((rich.Heading(text=Text(" \n")), words("\nFirst words\nmore")), "First words"),
        ((rich.Divider(),), "Article"),
        ((), "Article"),
    ],
)
def test_an_articles_title_is_its_heading_else_its_first_words(blocks: Any, title: str) -> None:
    assert post(rich.Rich(blocks=blocks)).title == title


PREVIEW = PaidPreview(width=8, height=6)


@pytest.mark.parametrize(
    ("media", "flags"),
    [
        (PaidMedia(stars=5, items=(PREVIEW,)), ("no_image", "paywall")),
        (PaidMedia(stars=5, items=(PHOTO,)), ("paywall",)),
        (rich.Rich(blocks=(words("a"),)), ("no_image", "rich")),
        (rich.Rich(blocks=(rich.Details(blocks=(rich.Figure(media=PHOTO),)),)), ("rich",)),
        (rich.Rich(blocks=(rich.Figure(media=Audio(file=file())),)), ("no_image", "rich")),
        (
            rich.Rich(
                blocks=(
                    rich.Paragraph(
                        text=text("here @ann", (E.TEXT_LINK, "here"), (E.MENTION, "@ann"), url="https://a.b")
                    ),
                )
            ),
            ("no_image", "link", "mention", "rich"),
        ),
        (LivePhoto(photo=PHOTO, video=FILM), ("video",)),
        (Game(), ("no_image",)),
        (Game(photo=file()), ()),
        (Invoice(), ("no_image",)),
        (Invoice(photo_url="https://a.b/c.jpg"), ()),
        (Story(id=1), ("no_image",)),
        (Story(id=1, media=PHOTO), ()),
        (Poll(question=Text("Q"), options=(), media=PHOTO), ("poll",)),
        # The map is the bridge's own link.
        (Location(point=POINT), ("no_image",)),
    ],
)
def test_flags_tell_what_a_kind_brings(media: Media, flags: tuple[str, ...]) -> None:
    assert post(media).flags == flags


def test_articles_and_places_are_found_by_their_words() -> None:
    tag = text("#tag", (E.HASHTAG, "#tag"))
    article = rich.Rich(
        blocks=(
            rich.Heading(text=Text("Talks")),
            rich.List(items=(rich.ListItem(blocks=(words("tea"),)),)),
            rich.Table(rows=((rich.Cell(text=Text("cup")),),), title=Text("Programme")),
            rich.Quote(blocks=(words("light"),), caption=Text("stove")),
            rich.Details(blocks=(rich.Figure(media=PHOTO, caption=Text("lamp")),), title=tag),
        )
    )
    found = post(article)
    assert found.text.split("\n") == ["Talks", "tea", "Programme", "cup", "light", "stove", "#tag", "lamp"]
    assert found.tags == ("tag",)
    assert post(Venue(title="Pier", address="Quay 1"), "Words").text == "Words\n\nPier\nQuay 1"
    assert post(Checklist(title=Text("List"), items=(ChecklistItem(text=Text("tea")),))).text == "List\ntea"


def test_files_inside_other_kinds_are_the_posts_files() -> None:
    film, sound = Video(file=file("V"), thumb=file("T")), Audio(file=file("A", mime_type="audio/mpeg"))
    article = post(rich.Rich(blocks=(rich.Figure(media=film), rich.Figure(media=sound), rich.Figure(media=PHOTO))))
    assert [one.url for one in article.enclosures] == [f"{M}/V", f"{M}/A"]
    assert [one.url for one in article.images] == [f"{M}/T", f"{M}/F1"]
    bought = post(PaidMedia(stars=1, items=(film,)))
    assert [one.url for one in bought.enclosures] == [f"{M}/V"]
    assert [one.url for one in post(Story(id=1, media=film)).enclosures] == [f"{M}/V"]
    assert post(LivePhoto(photo=PHOTO, video=film)).enclosures == ()


@pytest.mark.parametrize(
    "hidden",
    [
        Photo(file=file(), spoiler=True),
        Video(file=file(), thumb=file("T"), spoiler=True),
        Document(file=file(mime_type="image/png"), spoiler=True),
        LivePhoto(photo=Photo(file=file(), spoiler=True), video=FILM),
    ],
)
def test_what_is_hidden_is_no_thumbnail_of_the_post(hidden: Any) -> None:
    assert post(hidden).images == ()
    both = build_posts(
        [message(7, "", PHOTO, media_group_id=1), message(8, "", hidden, media_group_id=1)], PUBLIC, OPTIONS
    )
    assert both[0].images == (Image(url=f"{M}/F1", width=80, height=60),)  # fmt: skip


NASTY = '<script>alert("1")</script>\'><img src=x onerror=y>\x00\ud800'
NASTY_TEXT = Text(NASTY)
NASTY_PEER = PeerName(title=NASTY, username=NASTY)
NASTY_BLOCKS: tuple[rich.Block, ...] = (
    rich.Heading(text=NASTY_TEXT),
    rich.Paragraph(text=NASTY_TEXT),
    rich.Code(text=NASTY_TEXT, language=NASTY),
    rich.Quote(blocks=(rich.Paragraph(text=NASTY_TEXT),), caption=NASTY_TEXT),
    rich.List(items=(rich.ListItem(blocks=(rich.Paragraph(text=NASTY_TEXT),)),), ordered=True, style=NASTY),
    rich.Table(rows=((rich.Cell(text=NASTY_TEXT),),), title=NASTY_TEXT),
    rich.Figure(media=Photo(file=file(NASTY)), caption=NASTY_TEXT, credit=NASTY_TEXT),
    rich.Collage(blocks=(), caption=NASTY_TEXT, credit=NASTY_TEXT),
    rich.Map(point=POINT, caption=NASTY_TEXT, credit=NASTY_TEXT),
    rich.Details(blocks=(), title=NASTY_TEXT),
    rich.Missing(kind=NASTY),
)


@pytest.mark.parametrize(
    "odd",
    [
        Contact(phone=NASTY, first_name=NASTY, last_name=NASTY),
        Contact(phone=f"1{NASTY}2"),
        Venue(title=NASTY, address=NASTY),
        Dice(emoji=NASTY, value=1),
        Game(title=NASTY, description=NASTY, photo=file(NASTY)),
        Invoice(title=NASTY, description=NASTY, currency=NASTY, photo_url="https://a.b/" + NASTY),
        Invoice(photo_url="data:text/html," + NASTY),
        PaidMedia(items=(Document(file=file(file_name=NASTY, mime_type=NASTY)),)),
        Giveaway(channels=(NASTY_PEER,), prize=NASTY, countries=(NASTY,)),
        GiveawayResults(channel=NASTY_PEER, post_id=1, winners=(NASTY_PEER,), prize=NASTY),
        Story(id=1, author=NASTY_PEER, text=NASTY_TEXT),
        Checklist(title=NASTY_TEXT, items=(ChecklistItem(text=NASTY_TEXT),)),
        LivePhoto(photo=Photo(file=file(NASTY)), video=Video(file=file(NASTY))),
        Sticker(file=file(NASTY, mime_type="video/webm"), emoji=NASTY, thumb=file(NASTY)),
        Poll(question=Text("Q"), options=(PollOption(text=Text("a"), media=Venue(title=NASTY)),)),
        *(rich.Rich(blocks=(block,)) for block in NASTY_BLOCKS),
    ],
    ids=lambda odd: type(odd).__name__,
)
def test_no_string_of_anybody_becomes_markup(odd: Media) -> None:
    channel = Channel(id=-5, kind=ChannelKind.CHANNEL, title=NASTY, username=NASTY)
    html = body(Sheet(channel, OPTIONS), Group((message(7, "", odd),)))
    visible_text(html)
    assert "\x00" not in html and "\ud800" not in html
    assert "<script" not in html and "<img src=x" not in html
    assert "<script" not in sanitize(html)


ALL = [media for media, _, _ in CASES.values()] + [rich.Rich(blocks=tuple(block for block, _ in BLOCKS.values()))]


@pytest.mark.parametrize("media", ALL, ids=lambda media: type(media).__name__)
def test_the_sanitizer_has_nothing_to_take_away(media: Media) -> None:
    html = render(media)
    assert sanitize(html).replace(' rel="noopener nofollow"', "").replace('=""', "") == html


def test_stored_messages_render_as_live_ones_do() -> None:
    live = [message(number, "Words", media) for number, media in enumerate(ALL, 1)]
    stored = msgspec.msgpack.decode(msgspec.msgpack.encode(live), type=list[Message])
    assert build_posts(stored, PUBLIC, OPTIONS) == build_posts(live, PUBLIC, OPTIONS)


def test_every_kind_has_a_name_of_its_own() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    for media in ALL:
        assert kind_of(media) in KINDS
        assert describe(media)
