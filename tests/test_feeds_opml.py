"""The list of feeds that readers import."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from feeds import opml, xml
from feeds.opml import Section, Subscription

CREATED = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def subscription(title: str, description: str = "") -> Subscription:
    return Subscription(
        title=title,
        feed_url=f"https://bridge.example/rss/{len(title)}?key=k&limit=3",
        html_url="https://t.me/name",
        description=description,
    )


def test_the_list_is_this() -> None:
    sections = [Section(title="C++ <news>", subscriptions=(subscription("std::vector<int>", 'a "b"\nc'),))]
    assert opml.render("AT&T", CREATED, sections, [subscription("Loose")], language="pt-BR").decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<opml version="2.0">\n'
        "<head>\n"
        "<title>AT&#x26;T</title>\n"
        "<dateCreated>Mon, 30 Nov 2026 12:00:00 +0000</dateCreated>\n"
        "<docs>http://opml.org/spec2.opml</docs>\n"
        "</head>\n"
        "<body>\n"
        '<outline text="C++ &#x3C;news&#x3E;" title="C++ &#x3C;news&#x3E;">\n'
        '<outline type="rss" text="std::vector&#x3C;int&#x3E;" title="std::vector&#x3C;int&#x3E;"'
        ' description="a &#x22;b&#x22;&#xA;c" language="pt-BR"'
        ' xmlUrl="https://bridge.example/rss/16?key=k&#x26;limit=3" htmlUrl="https://t.me/name"/>\n'
        "</outline>\n"
        '<outline type="rss" text="Loose" title="Loose" language="pt-BR"'
        ' xmlUrl="https://bridge.example/rss/5?key=k&#x26;limit=3" htmlUrl="https://t.me/name"/>\n'
        "</body>\n"
        "</opml>\n"
    )


def test_what_nobody_has_said_is_left_out() -> None:
    (outline,) = etree.fromstring(opml.render("Feeds", CREATED, [], [subscription("News")])).iterfind("body/outline")
    assert sorted(outline.keys()) == ["htmlUrl", "text", "title", "type", "xmlUrl"]


@given(title=st.text(), folder=st.text(), about=st.text(), head=st.text(), url=st.text())
@example(title="\ud800\x00]]>&amp;<b>\r\n\t", folder="'\"", about="\ufffe", head="<![CDATA[", url="a&b\tc")
def test_any_text_reads_back_as_typed(title: str, folder: str, about: str, head: str, url: str) -> None:
    entry = Subscription(title=title, feed_url=url, html_url=url, description=about)
    body = opml.render(head, CREATED, [Section(title=folder, subscriptions=(entry,))], [entry])
    root = etree.fromstring(body)
    assert (root.findtext("head/title") or "") == xml.clean(head)
    (section, loose) = root.iterfind("body/outline")
    assert section.get("text") == section.get("title") == xml.clean(folder)
    for outline in (section[0], loose):
        assert outline.get("text") == outline.get("title") == xml.clean(title)
        assert (outline.get("description") or "") == xml.clean(about)
        assert outline.get("xmlUrl") == outline.get("htmlUrl") == xml.clean(url)
