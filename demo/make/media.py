"""Media as messages carry them: each function gives a `Media` that writes its files and keys."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from datetime import datetime
from io import BytesIO

from PIL import Image

from demo.make.export import Export, Media
from demo.make.markup import Json

Scene = Callable[[], Image.Image]


# A photo is pressed until it fits, in bytes.
_PHOTO_MAX = 88_000
# Where a picture's own data begins in a baseline JPEG of that quality, in bytes.
_STRIPPED_HEAD = 623


def jpeg(image: Image.Image, quality: int = 80) -> bytes:
    """The picture as a progressive JPEG of about 90 kB at most."""
    while True:
        out = BytesIO()
        image.convert("RGB").save(out, "JPEG", quality=quality, optimize=True, progressive=True)
        if out.tell() <= _PHOTO_MAX or quality <= 52:
            return out.getvalue()
        quality -= 4


def detail(scene: Scene, left: int, top: int, right: int, bottom: int) -> Scene:
    """A part of a scene."""
    return lambda: scene().crop((left, top, right, bottom))


def small(image: Image.Image, side: int = 320) -> bytes:
    """The picture as a thumbnail of at most `side` pixels."""
    copy = image.convert("RGB")
    copy.thumbnail((side, side), Image.Resampling.LANCZOS)
    return jpeg(copy, 70)


def stripped(image: Image.Image) -> str:
    """The picture as Telegram's stripped thumbnail, in base64: a JPEG without what is the same in all of them."""
    copy = image.convert("RGB")
    copy.thumbnail((40, 40), Image.Resampling.LANCZOS)
    out = BytesIO()
    copy.save(out, "JPEG", quality=20, subsampling=2, optimize=False)
    scan, end = out.getvalue()[_STRIPPED_HEAD:-2], out.getvalue()[-2:]
    assert end == b"\xff\xd9"
    return b64encode(bytes((1, copy.height, copy.width)) + scan).decode()


def photo(scene: Scene, spoiler: bool = False, above: bool = False) -> Media:
    """A photo; `above` puts the caption over it."""

    def media(export: Export, moment: datetime) -> Json:
        picture = scene()
        content = jpeg(picture)
        place = export.put(export.numbered("photos/photo", moment, ".jpg"), content)
        keys: Json = {"photo": place, "photo_file_size": len(content)}
        keys |= {"width": picture.width, "height": picture.height}
        if spoiler:
            keys["media_spoiler"] = True
        keys["bridge"] = {"stripped": stripped(picture)}
        if above:
            keys["bridge"]["invert_media"] = True
        return keys

    return media


def document(
    place: str,
    content: Callable[[], bytes],
    mime_type: str,
    *,
    file_name: str | None = None,
    thumb: Scene | None = None,
    size: tuple[int, int] | None = None,
    **keys: object,
) -> Media:
    """A file at `place` (a `/` at its end: numbered as Telegram Desktop does for files without a name).

    `keys` are the export's own: `media_type`, `duration_seconds`, `performer`, ... `size` is in pixels.
    """

    def media(export: Export, moment: datetime) -> Json:
        data = content()
        where = place.format(at=f"{moment:%d-%m-%Y_%H-%M-%S}")
        entry: Json = {"file": export.put(where, data)}
        if file_name is not None:
            entry["file_name"] = file_name
        entry["file_size"] = len(data)
        if thumb is not None:
            picture = thumb()
            preview = small(picture)
            entry |= {"thumbnail": export.put(f"{where}_thumb.jpg", preview), "thumbnail_file_size": len(preview)}
            entry["bridge"] = {"stripped": stripped(picture)}
        entry |= {key: value for key, value in keys.items() if value is not None}
        if mime_type:
            entry["mime_type"] = mime_type
        if size is not None:
            entry |= {"width": size[0], "height": size[1]}
        return entry

    return media


def poll(question: str, answers: Sequence[tuple[str, int]], *, closed: bool = False, **bridge: object) -> Media:
    """A poll with (answer, votes); `bridge` refines it: `quiz`, `correct`, `solution`, ..."""

    def media(_export: Export, _moment: datetime) -> Json:
        options = [{"text": text, "voters": votes, "chosen": False} for text, votes in answers]
        total = sum(votes for _, votes in answers)
        keys: Json = {"poll": {"question": question, "closed": closed, "total_voters": total, "answers": options}}
        if bridge:
            keys["bridge"] = {"poll": bridge}
        return keys

    return media


def preview(url: str, title: str, *, scene: Scene | None = None, **page: object) -> Media:
    """A link preview, with a picture if a scene is given."""

    def media(export: Export, moment: datetime) -> Json:
        entry: Json = {"url": url, "display_url": url.removeprefix("https://"), "type": "article", "title": title}
        if scene is not None:
            entry["photo"] = export.put(export.numbered("photos/preview", moment, ".jpg"), small(scene(), 800))
        return {"bridge": {"web_page": entry | page}}

    return media


def raw_media(name: str, **fields: object) -> Media:
    """A medium that exports can't say: a TL object by its name (`Dice`) and fields."""
    return lambda _export, _moment: {"bridge": {"media": {"_": f"types.MessageMedia{name}", **fields}}}


def keys_only(**keys: object) -> Media:
    """A medium without a file: contact, location, venue."""
    return lambda _export, _moment: dict(keys)
