"""The one gate between a post's HTML and every document."""

from __future__ import annotations

import html as html_text
from collections.abc import Callable

import nh3

from feeds.feed import SafeHtml
from feeds.xml import clean as drop_forbidden

# The allow-list. Nothing here can run code, load a frame, send a form, or style itself. There is no `id` or `name`
# either: a page's own anchors stay its own.
_ATTRIBUTES: dict[str, set[str]] = {
    "*": {"class", "dir", "lang", "title"},
    "a": {"href"},
    "audio": {"controls", "loop", "preload", "src"},
    "del": {"datetime"},
    "details": {"open"},
    "img": {"alt", "height", "loading", "src", "width"},
    "ins": {"datetime"},
    "li": {"value"},
    "meter": {"aria-hidden", "aria-label", "max", "min", "value"},
    "ol": {"reversed", "start", "type"},
    "progress": {"aria-hidden", "aria-label", "max", "value"},
    "source": {"src", "type"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
    # Muted or not, browsers let nothing play with sound before the page has been touched.
    "video": {"autoplay", "controls", "height", "loop", "muted", "playsinline", "poster", "preload", "src", "width"},
}
# fmt: off
_PLAIN_TAGS = {
    "abbr", "b", "bdi", "blockquote", "br", "caption", "cite", "code", "dd", "div", "dl", "dt", "em", "figcaption",
    "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "kbd", "mark", "p", "pre", "q", "rp", "rt",
    "ruby", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody",
    "tfoot", "thead", "tr", "u", "ul", "var", "wbr",
}
# fmt: on
_SCHEMES = {"http", "https", "mailto", "tel", "tg"}

_CLEANER = nh3.Cleaner(
    tags=_PLAIN_TAGS | (_ATTRIBUTES.keys() - {"*"}),
    attributes=_ATTRIBUTES,
    url_schemes=_SCHEMES,
    url_relative="deny",
    link_rel="noopener nofollow",
)


def sanitize(html: str) -> SafeHtml:
    """Balanced HTML with nothing but the allow-list in it, and no character that XML 1.0 forbids.

    Takes any string. Links get `rel="noopener nofollow"`; addresses that are relative or of another scheme than
    http, https, mailto, tel and tg are dropped, their texts stay. Should the parser fail, the HTML comes back as
    visible, escaped text.
    """
    return fail_closed(_CLEANER.clean, drop_forbidden(html))


def fail_closed(clean: Callable[[str], str], html: str) -> SafeHtml:
    """What `clean` makes of the HTML; the HTML as escaped text if it raises anything, a panic included."""
    try:
        return SafeHtml(clean(html))
    # A panic in the parser's native code arrives as pyo3's PanicException, which is no Exception and has no
    # importable name. Whatever went wrong, the only safe answer is known.
    except BaseException as fault:
        if not isinstance(fault, Exception) and type(fault).__name__ != "PanicException":
            raise
        return SafeHtml(html_text.escape(html))
