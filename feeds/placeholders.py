"""Blurred placeholders on pages, where pictures and films come later."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable

from feeds.feed import SafeHtml
from posts.post import Placeholder
from posts.stripped import expand

# As the sanitizer writes them: values quoted, and no bare quote or `<` in them or in a text.
_ATTRIBUTES = r'(?: [a-z-]+="[^"]*")*'
_SHOWN = re.compile(rf"<(?:img(?P<image>{_ATTRIBUTES})>|video(?P<film>{_ATTRIBUTES})>.*?</video>)", re.DOTALL)
_SOURCE = re.compile(r' src="([^"]*)"')


def with_placeholders(content: SafeHtml, placeholders: Iterable[Placeholder]) -> str:
    """The content with each image and film that has a placeholder in a frame with it.

    It has passed the sanitizer and does not pass it again: what is added holds nothing of anybody's text, only
    base64. The placeholder is an image behind the element, since no policy that is worth its name lets an element
    style itself.
    """
    jpegs = {html.escape(placeholder.url, quote=False): placeholder.stripped for placeholder in placeholders}
    if not jpegs:
        return content

    def framed(found: re.Match[str]) -> str:
        attributes = found["image"] if found["image"] is not None else found["film"]
        source = _SOURCE.search(attributes)
        jpeg = expand(jpegs.get(source[1], b"")) if source else b""
        if not jpeg:
            return found[0]
        data = base64.b64encode(jpeg).decode()
        behind = f'<img class="placeholder" src="data:image/jpeg;base64,{data}" alt="">'
        return f'<span class="frame">{behind}{found[0]}</span>'

    return _SHOWN.sub(framed, content)
