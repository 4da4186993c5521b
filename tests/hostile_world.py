"""A Telegram whose chats are hostile: each text, name, address and file name of each kind of message is an attack."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, cycle
from typing import Any

from hostile_vectors import HIT, HTML, TRICKS, URLS, mutated
from PIL import Image
from pyrogram import raw
from tl_objects import arbitrary, constructors

from tgserver import Chat, ServedFile, World
from tgserver.tl import check_writable

T = raw.types

TEXTS, KINDS, QUIET, BARRED = 7001, 7002, 7003, 7004
"""Bare ids: texts of all vectors; all kinds of messages; a harmless channel; one that Telegram bars."""
AUTHOR, BOT = 7101, 7102
SEED = 20261201
# Where a picture may be that is not on the bridge: an invoice shows its seller's.
SHOWN = "https://shown.example/picture.png"


def marked(channel: int) -> int:
    """The id that clients know a channel by."""
    return -(10**12) - channel


def mark(channel: int, message_id: int) -> str:
    """A word that stands in one message of one channel and nowhere else."""
    return f"mark{channel}x{message_id}x"


def picture() -> bytes:
    """A small PNG."""
    stream = io.BytesIO()
    Image.new("RGB", (2, 2), "teal").save(stream, "PNG")
    return stream.getvalue()


@dataclass(frozen=True)
class HostileWorld:
    """The world, and the words that were put into its messages of plain text, by message id of `TEXTS`."""

    world: World
    texts: dict[int, str]


def hostile_world() -> HostileWorld:
    """The same world each time."""
    world = World()
    words = cycle([*HTML, *TRICKS])
    author = T.User(id=AUTHOR, access_hash=1, first_name=next(words), last_name=HTML[0], username=f"x{HTML[150]}")
    world.add_user(author)
    world.add_user(T.User(id=BOT, access_hash=1, first_name=HTML[60], username=HTML[61], bot=True))
    texts = [*HTML, *TRICKS, *URLS, *mutated(SEED, 80)]
    vectors = world.add_chat(_channel(TEXTS, "hostile_texts", "\u202e</title>" + HTML[2], about="".join(HTML[90:140])))
    for message_id, text in enumerate(texts, 1):
        vectors.messages[message_id] = _text_message(message_id, text)
    kinds = world.add_chat(_channel(KINDS, f'x"><{HTML[51]}', f"\u05d0{HTML[60]}", about=HTML[3], megagroup=True))
    for message in _Maker(world).messages():
        kinds.messages[message.id] = message
    quiet = world.add_chat(_channel(QUIET, "quiet", "Quiet"))
    quiet.messages[1] = _message(QUIET, 1, f"hello {mark(QUIET, 1)}")
    barred = world.add_chat(
        _channel(BARRED, "barred", HTML[52], restricted=True, restriction_reason=_reasons(HTML[53]))
    )
    barred.messages[1] = _message(BARRED, 1, f"{HTML[54]} {mark(BARRED, 1)}", restriction_reason=_reasons(HTML[55]))
    for message in vectors.messages.values():
        check_writable(message)
    return HostileWorld(world, dict(enumerate(texts, 1)))


def _channel(channel_id: int, username: str, title: str, about: str = "", **fields: Any) -> Chat:
    return Chat(
        peer=T.Channel(
            id=channel_id,
            access_hash=channel_id,
            title=title,
            photo=T.ChatPhotoEmpty(),
            date=1_600_000_000,
            username=username,
            broadcast=not fields.get("megagroup"),
            **fields,
        ),
        about=about,
    )


def _reasons(text: str) -> list[Any]:
    return [T.RestrictionReason(platform="all", reason=text, text=text)]


def _message(channel: int, message_id: int, text: str, **fields: Any) -> raw.types.Message:
    return T.Message(
        id=message_id,
        peer_id=T.PeerChannel(channel_id=channel),
        date=1_700_000_000 + 60 * message_id,
        message=text,
        **fields,
    )


def _text_message(message_id: int, text: str) -> raw.types.Message:
    """A post of the channel that says the text and, on a line of its own, its mark; formatted at random."""
    whole = f"{text}\n{mark(TEXTS, message_id)}"
    chance = random.Random(message_id)
    units = len(whole.encode("utf-16-le")) // 2
    urls = cycle(URLS[message_id % len(URLS) :] + URLS[: message_id % len(URLS)])

    def make(annotation: str, name: str) -> Any:
        if name in {"offset", "length"}:
            return chance.randint(0, units)
        if annotation == "str":
            return next(urls) if name == "url" else text
        return None

    kinds = [kind for kind in constructors("MessageEntity") if not kind.__name__.startswith("Input")]
    entities = [arbitrary(chance.choice(kinds), chance, make=make, whole=1) for _ in range(message_id % 5)]
    if text in URLS:
        entities.append(T.MessageEntityUrl(offset=0, length=units))
        entities.append(T.MessageEntityTextUrl(offset=0, length=units, url=text))
    return _message(
        TEXTS, message_id, whole, entities=entities, post=True, post_author=text if message_id % 3 else None
    )


class _Maker:
    """Makes messages of all kinds, in whose every text there is an attack.

    A message's mark stands on its first button.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._chance = random.Random(SEED)
        self._words = cycle([*HTML, *TRICKS])
        self._urls = cycle(URLS)
        self._message_ids = count(1)
        self._file_ids = count(9001)
        self._bytes = picture()
        self._photos = [self._photo() for _ in range(3)]
        self._documents = [self._document(mime, attributes) for mime, attributes in self._flavours()]
        by_name: dict[str, Callable[[], Any]] = {
            "url": lambda: next(self._urls),
            "photo_url": lambda: next(self._urls),
            "option": lambda: b"0",
            "user_id": lambda: AUTHOR,
            "new_creator_id": lambda: AUTHOR,
            "bot_id": lambda: BOT,
            "winners": lambda: [AUTHOR, BOT],
            "channel_id": lambda: TEXTS,
            "channels": lambda: [TEXTS, KINDS],
            "photo_id": lambda: self._photos[0].id,
            "poster_photo_id": lambda: self._photos[1].id,
            "author_photo_id": lambda: self._photos[2].id,
            "document_id": lambda: self._chance.choice(self._documents).id,
            "video_id": lambda: self._documents[0].id,
            "audio_id": lambda: self._documents[4].id,
            "currency": lambda: next(self._words)[:60],
        }
        by_type: dict[str, Callable[[], Any]] = {
            "str": lambda: next(self._words),
            "raw.base.Peer": lambda: self._chance.choice(
                [T.PeerUser(user_id=AUTHOR), T.PeerUser(user_id=BOT), T.PeerChannel(channel_id=TEXTS)]
            ),
            "raw.base.Chat": lambda: world.chats["channel", TEXTS].peer,
            "raw.base.User": lambda: world.users[AUTHOR],
            "raw.base.Photo": lambda: self._chance.choice(self._photos),
            "raw.base.Document": lambda: self._chance.choice(self._documents),
            "raw.base.GeoPoint": lambda: T.GeoPoint(long=1.5, lat=-2.5, access_hash=1),
            "raw.base.WebDocument": lambda: T.WebDocument(
                url=self._chance.choice([SHOWN, next(self._urls)]), access_hash=1, size=2, mime_type="", attributes=[]
            ),
            "raw.base.WebPage": lambda: self._any(T.WebPage, 1),
            "raw.base.StoryItem": lambda: self._any(T.StoryItem, 1),
        }
        self._makers = (by_name, by_type)

    def messages(self) -> Iterator[Any]:
        """All of them, oldest first."""
        for kind in constructors("MessageMedia"):
            if kind not in {T.MessageMediaDocument, T.MessageMediaPhoto}:
                yield self._writable(self._post, kind, 1)
                yield self._writable(self._post, kind, 1, silent=True)
                yield self._writable(self._post, kind, 0, silent=True)
        for number, document in enumerate(self._documents):
            media: Any = T.MessageMediaDocument(document=document, spoiler=number % 3 == 0, video_cover=self._photos[0])
            yield self._writable(self._post, media)
            yield self._writable(self._post, media, silent=True)
        for spoiler in (True, False):
            yield self._writable(self._post, T.MessageMediaPhoto(photo=self._photos[0], spoiler=spoiler))
        for kind in constructors("PageBlock"):
            if not kind.__name__.startswith("Input"):
                yield self._writable(self._article, kind)
        for kind in constructors("MessageAction"):
            yield self._writable(self._event, kind)

    def _writable(self, make: Callable[..., Any], *arguments: Any, **fields: Any) -> Any:
        """What TL can carry: Kurigram can't read each list of numbers back."""
        for _ in range(50):
            try:
                check_writable(made := make(*arguments, **fields))
            except ValueError:
                continue
            made.id = next(self._message_ids)
            markup = getattr(made, "reply_markup", None)
            if markup is not None:
                markup.rows[0].buttons[0].text += mark(KINDS, made.id)
            return made
        raise AssertionError("no message of this kind can be written")

    def _post(self, media: Any, whole: float = 1, *, silent: bool = False, **fields: Any) -> raw.types.Message:
        """A message with all that can stand around media, given or of a kind; a silent one has no text of its own."""
        reply = self._any(T.MessageReplyHeader, 1)
        reply.forum_topic, reply.reply_to_scheduled, reply.reply_to_msg_id = False, False, 1
        forwarded = self._chance.random() < 0.5
        return _message(
            KINDS,
            1,
            "" if silent else next(self._words)[:300],
            entities=[T.MessageEntityTextUrl(offset=0, length=9, url=next(self._urls))],
            media=self._any(media, whole) if isinstance(media, type) else media,
            from_id=T.PeerUser(user_id=AUTHOR),
            fwd_from=self._any(T.MessageFwdHeader, 1) if forwarded else None,
            reply_to=None if forwarded else reply,
            reply_markup=self._keyboard(),
            via_bot_id=BOT,
            post_author=next(self._words),
            reactions=T.MessageReactions(
                results=[T.ReactionCount(reaction=T.ReactionEmoji(emoticon=next(self._words)), count=2)]
            ),
            restriction_reason=_reasons(next(self._words)) if self._chance.random() < 0.3 else None,
            **fields,
        )

    def _event(self, kind: type[Any]) -> raw.types.MessageService:
        return T.MessageService(
            id=1,
            peer_id=T.PeerChannel(channel_id=KINDS),
            from_id=T.PeerUser(user_id=AUTHOR),
            date=1_700_000_000 + self._chance.randrange(10**6),
            action=self._any(kind, 1),
        )

    def _keyboard(self) -> Any:
        urls = ["https://a.example/", next(self._urls), next(self._urls)]
        buttons = [T.KeyboardInlineButton(text=next(self._words), type=T.InlineButtonTypeUrl(url=url)) for url in urls]
        return T.ReplyInlineMarkup(rows=[T.KeyboardInlineButtonRow(buttons=buttons)])

    def _article(self, kind: type[Any]) -> raw.types.Message:
        blocks = [self._any(kind, 1), self._any(kind, 1)]
        article = T.RichMessage(blocks=blocks, photos=[*self._photos], documents=[*self._documents])
        return self._post(None, silent=True, rich_message=article)

    def _any(self, kind: type[Any], whole: float) -> Any:
        return arbitrary(kind, self._chance, 5, make=self._value, whole=whole)

    def _value(self, annotation: str, name: str) -> Any:
        by_name, by_type = self._makers
        make = by_name.get(name) or by_type.get(annotation)
        return None if make is None else make()

    def _photo(self) -> raw.types.Photo:
        file_id = next(self._file_ids)
        sizes = [T.PhotoSize(type=kind, w=side, h=side, size=len(self._bytes)) for kind, side in (("m", 320), ("y", 9))]
        for size in sizes:
            self._serve(file_id, size.type)
        return T.Photo(id=file_id, access_hash=1, file_reference=b"r", date=9, sizes=[*sizes], dc_id=2)

    def _document(self, mime: str, attributes: list[Any]) -> raw.types.Document:
        file_id = next(self._file_ids)
        self._serve(file_id, "")
        self._serve(file_id, "m")
        return T.Document(
            id=file_id,
            access_hash=1,
            file_reference=b"r",
            date=9,
            mime_type=mime,
            size=len(self._bytes),
            dc_id=2,
            attributes=[T.DocumentAttributeFilename(file_name=next(self._words)), *attributes],
            thumbs=[T.PhotoSize(type="m", w=320, h=320, size=len(self._bytes))],
        )

    def _serve(self, file_id: int, size: str) -> None:
        self._world.add_file(ServedFile(file_id, 1, b"r", len(self._bytes), self._bytes, size))

    def _flavours(self) -> Iterator[tuple[str, list[Any]]]:
        """Media types of documents with their attributes."""
        film = T.DocumentAttributeVideo(duration=2.5, w=3, h=4)
        yield "video/mp4", [film]
        yield "video/mp4", [film, T.DocumentAttributeAnimated()]
        yield "video/mp4", [T.DocumentAttributeVideo(duration=2.5, w=3, h=4, round_message=True)]
        yield f'video/mp4"><img src=x onerror={HIT}>', [film]
        for voice in (False, True):
            title, performer = next(self._words), next(self._words)
            yield "audio/mpeg", [T.DocumentAttributeAudio(duration=2, voice=voice, title=title, performer=performer)]
        yield "image/png", [T.DocumentAttributeImageSize(w=3, h=4)]
        yield "text/html", []
        yield "image/svg+xml", []
        yield f'"><script>{HIT}</script>', []
        for kind in ("image/webp", "video/webm", "application/x-tgsticker"):
            none = T.InputStickerSetEmpty()
            yield kind, [T.DocumentAttributeSticker(alt=next(self._words), stickerset=none)]
        for words in TRICKS:
            yield "application/pdf", [T.DocumentAttributeFilename(file_name=words)]
