"""Pages for people: a channel, one of its posts, an error, and the front page. Plain HTML, no script."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from markupsafe import Markup

from feeds import dates, xml
from feeds.assembly import assemble, entity_tag
from feeds.excerpt import excerpt
from feeds.feed import MEDIA_TYPES, Document, Feed, FeedFormat, Item
from posts.graphemes import clusters
from posts.post import Post

if TYPE_CHECKING:
    import jinja2

CONTENT_TYPE = f"{MEDIA_TYPES[FeedFormat.HTML]}; charset=utf-8"

# Stands for a post's footer until the page is assembled. A page can't hold it otherwise: HTML forbids NUL, and every
# text that a template prints is cleaned of it.
_FOOTER = Markup("\0")
_TEMPLATES = Path(__file__).parent / "templates"
_HEAD_TITLE_CHARS = 70
_SUMMARY_CHARS = 200


class FrontPage(msgspec.Struct, frozen=True, kw_only=True):
    """What the front page says.

    `status` is one sentence on the state of the login, `ready` whether it is good news. `channel` is what the
    visitor typed, `feed_url` and `page_url` the addresses that it leads to, `problem` why it leads nowhere.
    """

    base_url: str
    status: str
    ready: bool
    channel: str = ""
    feed_url: str = ""
    page_url: str = ""
    problem: str = ""


class _Date(msgspec.Struct, frozen=True):
    """A date as a `time` element has it: for machines and for people."""

    machine: str
    spoken: str


class _Entry(msgspec.Struct, frozen=True):
    """An item as the templates show it."""

    post: Post
    content: Markup
    footer: Markup
    permalink: str
    own_author: bool
    published: _Date | None
    edited: _Date | None


def render(feed: Feed, zone: tzinfo) -> Document:
    """The channel's page. Dates are on the clock of `zone`; footers are no part of the entity tag."""
    return _document("channel.html", feed, feed.items, zone, summary=excerpt(feed.description, _SUMMARY_CHARS))


def render_post_page(feed: Feed, item: Item, zone: tzinfo, *, raw: str = "") -> Document:
    """One post of the feed's channel on a page of its own, which is at `feed.self_url`.

    `raw` is shown below it as it is (Telegram's own message, for debugging).
    """
    summary = excerpt(item.post.text, _SUMMARY_CHARS) or item.post.title
    return _document("post.html", feed, (item,), zone, summary=summary, raw=raw)


def render_error_page(status: int, reason: str, *, advice: str = "", home_url: str = "") -> Document:
    """A page that says what went wrong: the HTTP status, one line of reason, and what the reader can do."""
    return _plain("error.html", status=status, reason=reason, advice=advice, home_url=home_url)


def render_front_page(front: FrontPage) -> Document:
    """The page at the bridge's root. Its form asks for the root again, with the parameter `channel`."""
    return _plain("front.html", front=front)


def load() -> None:
    """Load all that pages need, so that the first one does not wait for it; blocks for about 0.1 s."""
    for name in _environment().list_templates(extensions=["html"]):
        _environment().get_template(name)


@functools.cache
def content_security_policy() -> str:
    """The Content-Security-Policy (CSP 3) that fits every page of this module.

    Nothing is loaded but images and media; the one style sheet is known by its hash.
    """
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return "; ".join(
        [
            "default-src 'none'",
            "img-src http: https:",
            "media-src http: https:",
            f"style-src 'sha256-{digest}'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )


def _document(
    template: str, feed: Feed, items: Sequence[Item], zone: tzinfo, *, summary: str, raw: str = ""
) -> Document:
    entries = [_entry(feed, item, zone) for item in items]
    skeleton = _render(template, feed=feed, entries=entries, summary=summary, raw=raw)
    body, etag = assemble([piece.encode() for piece in skeleton.split(_FOOTER)], [item.footer for item in items])
    return Document(body=body, content_type=CONTENT_TYPE, etag=etag, last_modified=feed.updated)


def _plain(template: str, **values: object) -> Document:
    body = _render(template, **values).encode()
    return Document(body=body, content_type=CONTENT_TYPE, etag=entity_tag([body]), last_modified=0)


def _render(template: str, **values: object) -> str:
    return _environment().get_template(template).render(values)


def _entry(feed: Feed, item: Item, zone: tzinfo) -> _Entry:
    post = item.post
    permalink = f"{feed.posts_url}/{post.message_ids[0]}" if feed.posts_url and post.message_ids else post.link
    return _Entry(
        post=post,
        content=Markup(item.content),
        footer=_FOOTER,
        permalink=permalink,
        own_author=post.author in ("", feed.title) or post.author_url == feed.link,
        published=_date(post.date, zone),
        edited=_date(post.updated, zone) if post.updated != post.date else None,
    )


def _date(seconds: int | None, zone: tzinfo) -> _Date | None:
    when = dates.moment(seconds)
    if when is None:
        return None
    local = dates.local(when, zone)
    return _Date(dates.rfc3339(local), dates.spoken(local))


def _finalize(value: object) -> object:
    """Runs on every value that a template prints: what is not sanitized yet loses forbidden characters."""
    return value if isinstance(value, Markup) else xml.clean(str(value))


def _initial(title: str) -> str:
    """What stands where a channel has no photo: its title's first letter or sign."""
    words = title.split()
    first = next((word for word in words if word[0].isalnum()), words[0] if words else "?")
    return next(clusters(first)).upper()


@functools.cache
def _style() -> str:
    return (_TEMPLATES / "page.css").read_text(encoding="utf-8")


@functools.cache
def _environment() -> jinja2.Environment:
    # Here, since it takes a tenth of the service's start, which needs no page.
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["initial"] = _initial
    environment.filters["headline"] = functools.partial(excerpt, limit=_HEAD_TITLE_CHARS)
    environment.globals["style"] = Markup(_style())
    return environment
