"""Pages for people: a channel, one of its posts, an error, and the front page.

Plain HTML, whole without script: the one that there is only puts dates on the reader's clock and offers to copy.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from markupsafe import Markup

from feeds import dates, xml
from feeds.assembly import assemble, entity_tag
from feeds.excerpt import excerpt
from feeds.feed import MEDIA_TYPES, Document, Feed, FeedFormat, Item, Source
from feeds.placeholders import with_placeholders
from posts.filters import Filters
from posts.flags import FLAGS
from posts.graphemes import clusters
from posts.post import Post

if TYPE_CHECKING:
    import jinja2

CONTENT_TYPE = f"{MEDIA_TYPES[FeedFormat.HTML]}; charset=utf-8"

# Stands for a post's footer until the page is assembled. A page can't hold it otherwise: HTML forbids NUL, and every
# text that a template prints is cleaned of it.
_FOOTER = Markup("\0")
_TEMPLATES = Path(__file__).parent / "templates"
_FEED_NAMES = {FeedFormat.RSS: "RSS", FeedFormat.ATOM: "Atom", FeedFormat.JSON: "JSON Feed"}
_HEAD_TITLE_CHARS = 70
_SUMMARY_CHARS = 200


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """How the posts of a page are chosen: what the box for it shows, whose form asks for others.

    There are at most `limit` posts; a form may ask for `limits[0]` to `limits[1]`. `kept` are parameters that go along.

    `action` is the address that the form asks. "" is the one that the page was opened at, which may hold the token,
    that no page may hold; then links to older and newer posts lead there, too.
    """

    filters: Filters = Filters()
    limit: int
    limits: tuple[int, int]
    action: str = ""
    kept: tuple[tuple[str, str], ...] = ()


class OpenedFeed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed that somebody has opened in a browser, which gets a page instead.

    `address` is what a feed reader is to be given, `bare_url` shows the feed itself in a browser, too.
    """

    format: FeedFormat
    address: str
    bare_url: str


class CommentsLinks(msgspec.Struct, frozen=True, kw_only=True):
    """Where a post's comments are on the bridge: their page, "" if none can be linked, and their feeds by format."""

    title: str
    page_url: str
    feed_urls: dict[FeedFormat, str]


class FrontPage(msgspec.Struct, frozen=True, kw_only=True):
    """What the front page says.

    `status` is one sentence on the state of the login, `ready` whether it is good news. `channel` is what the
    visitor typed and `choice` how posts are chosen; `addresses` are those that they lead to, by format, `problem` and
    `choice_problem` why they lead nowhere. `guarded` is whether the addresses need the token, which no page tells.
    `list_url` is the list of all feeds, "" where it needs the token.
    """

    base_url: str
    status: str
    ready: bool
    choice: Choice
    guarded: bool = False
    list_url: str = ""
    channel: str = ""
    addresses: dict[FeedFormat, str] = {}
    problem: str = ""
    choice_problem: str = ""


class _Date(msgspec.Struct, frozen=True):
    """A date as a `time` element has it: for machines and for people."""

    machine: str
    spoken: str


class _FeedLink(msgspec.Struct, frozen=True):
    """A feed in one format: the format's name, the feed's address, its media type."""

    name: str
    url: str
    type: str


class _Entry(msgspec.Struct, frozen=True):
    """An item as the templates show it."""

    post: Post
    content: Markup
    footer: Markup
    permalink: str
    own_author: bool
    source: Source | None
    published: _Date | None
    edited: _Date | None


def render(feed: Feed, zone: tzinfo, choice: Choice | None = None, opened: OpenedFeed | None = None) -> Document:
    """The channel's page. Footers are no part of the entity tag.

    Dates are on the clock of `zone` until the script puts them on the reader's. Without `choice` there is no box to
    choose posts; with `opened` the page says that this is the address of a feed.
    """
    own_path = choice is not None and not choice.action
    return _document(
        "channel.html",
        feed,
        feed.items,
        zone,
        summary=excerpt(feed.description, _SUMMARY_CHARS),
        choice=choice,
        opened=opened,
        opened_as=_FEED_NAMES[opened.format] if opened else "",
        older=_query_of(feed.older_url) if own_path else feed.older_url,
        newer=_query_of(feed.newer_url) if own_path else feed.newer_url,
    )


def render_post_page(
    feed: Feed, item: Item, zone: tzinfo, *, comments: CommentsLinks | None = None, raw: str = ""
) -> Document:
    """One post of the feed's channel on a page of its own, which is at `feed.self_url`.

    Below it the page leads to the post's `comments`. `raw` is shown there as it is (Telegram's own message, for
    debugging).
    """
    summary = excerpt(item.post.text, _SUMMARY_CHARS) or item.post.title
    comment_feeds = _feed_links(comments.feed_urls) if comments is not None else []
    return _document(
        "post.html", feed, (item,), zone, summary=summary, comments=comments, comment_feeds=comment_feeds, raw=raw
    )


def render_error_page(status: int, reason: str, *, advice: str = "", home_url: str = "") -> Document:
    """A page that says what went wrong: the HTTP status, one line of reason, and what the reader can do."""
    return _plain("error.html", status=status, reason=reason, advice=advice, home_url=home_url)


def render_front_page(front: FrontPage) -> Document:
    """The page at the bridge's root. Its form asks for the root again, with the parameter `channel`."""
    return _plain("front.html", front=front, feeds=_feed_links(front.addresses))


def favicon() -> Document:
    """The picture that browsers show beside the bridge's pages, which is at `/favicon.ico` there."""
    body = _static("favicon.svg").encode()
    return Document(body=body, content_type="image/svg+xml", etag=entity_tag([body]), last_modified=0)


def load() -> None:
    """Load all that pages need, so that the first one does not wait for it; blocks for about 0.1 s."""
    for name in _environment().list_templates(extensions=["html"]):
        _environment().get_template(name)


@functools.cache
def content_security_policy() -> str:
    """The Content-Security-Policy (CSP 3) that fits every page of this module.

    Nothing is loaded but images and media; the images in `data:` are placeholders, and the sanitizer lets no other
    through. The one style sheet and the one script are known by their hashes, so
    whatever else might get into a page does not run.
    """
    return "; ".join(
        [
            "default-src 'none'",
            "img-src http: https: data:",
            "media-src http: https:",
            f"style-src {_source(_static('page.css'))}",
            f"script-src {_source(_static('page.js'))}",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )


def _document(template: str, feed: Feed, items: Sequence[Item], zone: tzinfo, **values: object) -> Document:
    entries = [_entry(feed, item, zone) for item in items]
    links = {FeedFormat.RSS: feed.feed_url, FeedFormat.ATOM: feed.atom_url, FeedFormat.JSON: feed.json_url}
    skeleton = _render(template, feed=feed, feeds=_feed_links(links), entries=entries, **values)
    body, etag = assemble([piece.encode() for piece in skeleton.split(_FOOTER)], [item.footer for item in items])
    return Document(body=body, content_type=CONTENT_TYPE, etag=etag, last_modified=feed.updated)


def _plain(template: str, **values: object) -> Document:
    body = _render(template, **values).encode()
    return Document(body=body, content_type=CONTENT_TYPE, etag=entity_tag([body]), last_modified=0)


def _render(template: str, **values: object) -> str:
    return _environment().get_template(template).render(values)


def _entry(feed: Feed, item: Item, zone: tzinfo) -> _Entry:
    post = item.post
    source = feed.sources.get(post.channel_id)
    posts_url = feed.posts_url if source is None else source.posts_url
    permalink = f"{posts_url}/{post.message_ids[0]}" if posts_url and post.message_ids else post.link
    return _Entry(
        post=post,
        content=Markup(with_placeholders(item.content, post.placeholders)),
        footer=_FOOTER,
        permalink=permalink,
        # Who signs in the channel's name has its address, but a name of their own.
        own_author=_is_own(post.author, feed.author, feed.handle),
        source=None if source is None or _is_own(post.author, source.title, source.handle) else source,
        published=_date(post.date, zone),
        edited=_date(post.updated, zone) if post.updated != post.date else None,
    )


def _is_own(author: str, name: str, handle: str) -> bool:
    """Whether the post is by whoever has that name, and so need not be said to be."""
    return author in ("", name, f"{name} ({handle})")


def _feed_links(addresses: Mapping[FeedFormat, str]) -> list[_FeedLink]:
    return [
        _FeedLink(name, url, MEDIA_TYPES[format])
        for format, name in _FEED_NAMES.items()
        if (url := addresses.get(format, ""))
    ]


def _query_of(url: str) -> str:
    """The address as a reference that leaves the path as it is (RFC 3986 4.2); "" for none."""
    return f"?{url.partition('?')[2]}" if url else ""


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


def _source(text: str) -> str:
    """The source expression that allows an inline element with this text (CSP 3, 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@functools.cache
def _static(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


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
    environment.globals["style"] = Markup(_static("page.css"))
    environment.globals["script"] = Markup(_static("page.js"))
    environment.globals["flags"] = [(flag.name, flag.description) for flag in FLAGS]
    return environment
