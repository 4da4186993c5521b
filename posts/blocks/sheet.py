"""What the blocks of one post share."""

from __future__ import annotations

from model.channel import Channel
from model.entity import Text
from model.media import FileRef
from model.message import Message
from posts.entities import TextLinks, render_text
from posts.plain import Span, escape, spans_of
from posts.post import Enclosure, Image, Placeholder, PostFile, RenderOptions


class Sheet:
    """The paper that one post is written on: its surroundings, and the files that its HTML has come to name."""

    __slots__ = ("_files", "_placeholders", "_spans", "channel", "enclosures", "images", "options", "text_links")

    def __init__(self, channel: Channel, options: RenderOptions) -> None:
        self.channel = channel
        self.options = options
        self.text_links = TextLinks(options.link_host, channel.username)
        self.images: list[Image] = []
        self.enclosures: list[Enclosure] = []
        self._files: dict[tuple[int, str], tuple[str, FileRef]] = {}
        self._placeholders: dict[str, bytes] = {}
        # By identity; the text is kept, so that its id stays its own.
        self._spans: dict[int, tuple[Text, list[Span]]] = {}

    def spans(self, text: Text) -> list[Span]:
        """`spans_of`, worked out once for each text; not to be changed."""
        known = self._spans.get(id(text))
        if known is None:
            known = self._spans[id(text)] = (text, spans_of(text))
        return known[1]

    def text(self, text: Text) -> str:
        """The text with its entities as HTML."""
        return render_text(text, self.text_links, spans=self.spans)

    def inline(self, text: Text) -> str:
        """The text as HTML without block elements."""
        return render_text(text, self.text_links, inline=True, spans=self.spans)

    def url(self, message: Message, file: FileRef) -> str:
        """The public URL of a file of the message, not escaped; the same one each time."""
        key = (message.id, file.unique_id)
        known = self._files.get(key)
        if known is not None:
            return known[0]
        url = self.options.media.url(self.channel.id, message.id, file)
        self._files[key] = (url, file)
        return url

    @property
    def files(self) -> tuple[PostFile, ...]:
        """The files whose URLs were asked for."""
        return tuple(PostFile(message_id, file) for (message_id, _), (_, file) in self._files.items())

    def note_image(self, url: str, file: FileRef) -> None:
        """Note an image that the post's HTML shows."""
        self.images.append(Image(url=url, width=max(file.width, 0), height=max(file.height, 0)))

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """Stripped thumbnails of what the post's HTML shows."""
        return tuple(Placeholder(url, stripped) for url, stripped in self._placeholders.items())

    def note_placeholder(self, url: str, *pictures: FileRef | None) -> None:
        """Note the stripped thumbnail, the first that one of the pictures has, of an element with that `src`."""
        for picture in pictures:
            if picture is not None and picture.stripped:
                self._placeholders.setdefault(url, picture.stripped)
                return

    def image(self, message: Message, file: FileRef, alt: str, *, largest: int = 0) -> str:
        """An `<img>`, noted as an image of the post. `largest` > 0 bounds its longer side, in pixels."""
        url = self.url(message, file)
        self.note_image(url, file)
        self.note_placeholder(url, file)
        size = size_attributes(file.width, file.height, largest)
        return f'<img src="{escape(url)}"{size} alt="{escape(alt)}" loading="lazy">'

    def poster(self, message: Message, thumb: FileRef | None) -> str:
        """The attribute ` poster=".."` of a film, noted as an image of the post; "" without a thumbnail."""
        if thumb is None:
            return ""
        url = self.url(message, thumb)
        self.note_image(url, thumb)
        return f' poster="{escape(url)}"'


def size_attributes(width: int, height: int, largest: int = 0) -> str:
    """` width=".." height=".."`, scaled down to `largest` if that is > 0; "" unless both are known."""
    if width <= 0 or height <= 0:
        return ""
    longer = max(width, height)
    if 0 < largest < longer:
        width, height = max(1, width * largest // longer), max(1, height * largest // longer)
    return f' width="{width}" height="{height}"'
