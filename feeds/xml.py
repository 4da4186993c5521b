"""Text as XML 1.0 may carry it."""

from __future__ import annotations

import re

# What the production Char of XML 1.0 (section 2.2) leaves out. Lone surrogates have no UTF-8 form either.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# What can't stand in a text or attribute as it is.
_SPECIAL = re.compile(f'[&<>"\t\n\r{_FORBIDDEN.pattern[1:]}')


def clean(text: str) -> str:
    """The text without the characters that no XML 1.0 document may hold, not even as references."""
    return _FORBIDDEN.sub("", text)


def text(value: str) -> str:
    """Character data that reads back as `value`, forbidden characters aside.

    Markup characters become hexadecimal references, as the RSS Best Practices Profile advises: readers that take
    titles for HTML decode `&amp;` once too often, but show these as typed. A carriage return is a reference as
    well, since parsers turn a bare one into a line feed (XML 1.0, section 2.11).
    """
    if _SPECIAL.search(value) is None:
        return value
    escaped = clean(value).replace("&", "&#x26;").replace("<", "&#x3C;").replace(">", "&#x3E;")
    return escaped.replace("\r", "&#xD;")


def attribute(value: str) -> str:
    """An attribute's value, quotes included, that reads back as `value`, forbidden characters aside.

    White space is written as references: parsers turn bare tabs and newlines into spaces (XML 1.0, section 3.3.3).
    """
    escaped = text(value).replace('"', "&#x22;").replace("\t", "&#x9;").replace("\n", "&#xA;")
    return f'"{escaped}"'


def cdata(value: str) -> str:
    """The inside of a CDATA section that reads back as `value`, which must be free of forbidden characters."""
    return value.replace("]]>", "]]]]><![CDATA[>")
