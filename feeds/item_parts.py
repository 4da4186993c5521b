"""What several formats take from an item in the same way."""

from __future__ import annotations

from collections.abc import Iterable

from feeds.feed import Item
from posts.post import Enclosure, Image


def distinct(files: Iterable[Enclosure]) -> list[Enclosure]:
    """The files in their order, no address twice: a podcast client would list the episode twice."""
    first: dict[str, Enclosure] = {}
    for file in files:
        first.setdefault(file.url, file)
    return list(first.values())


def main_file(files: Iterable[Enclosure]) -> Enclosure | None:
    """The file that is the post's enclosure where there can be but one: the first audio, else video, else any."""
    return min(files, key=_enclosure_rank, default=None)


def _enclosure_rank(file: Enclosure) -> int:
    kind, _, _ = file.mime_type.partition("/")
    return {"audio": 0, "video": 1}.get(kind, 2)


def shown_image(item: Item) -> Image | None:
    """The first image that the body shows. Readers show one of any other address beside the body, as another."""
    shown = (image for image in item.post.images if image.url.replace("&", "&amp;") in item.content)
    return next(shown, None)


def web_url(url: str) -> str:
    """The address if it is one on the web, else "": readers can't follow `tg:` links."""
    return url if url.startswith(("https://", "http://")) else ""
