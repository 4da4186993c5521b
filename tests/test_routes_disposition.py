"""File names of strangers reach the disk of a reader unharmed and harm nothing."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routes.disposition import clean_name, content_disposition


def name_in(value: str) -> str:
    """The name a client sees: filename* if there is one (RFC 6266 4.3), else filename."""
    extended = re.search(r"filename\*=UTF-8''([^;]*)", value)
    if extended:
        return unquote(extended[1], errors="strict")
    plain = re.search(r'filename="([^"]*)"', value)
    assert plain
    return plain[1]


@pytest.mark.parametrize(
    ("file_name", "seen"),
    [
        ("report.pdf", "report.pdf"),
        ("отчёт 报告 🚀.pdf", "отчёт 报告 🚀.pdf"),
        ("تقرير.pdf", "تقرير.pdf"),
        ("👩‍👩‍👧.png", "👩‍👩‍👧.png"),
        ('say "hi".txt', 'say "hi".txt'),
        ("100%.txt", "100%.txt"),
        ("a;b=c'd.txt", "a;b=c'd.txt"),
        ("a\\b.txt", "b.txt"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\evil.exe", "evil.exe"),
        ("a\r\nSet-Cookie: x=y.txt", "a Set-Cookie: x=y.txt"),
        ("a\x00b\x1f\x7f.txt", "ab.txt"),
        ("txt.\u202eexe", "txt.exe"),
        ("lone\ud800surrogate.txt", "lonesurrogate.txt"),
        ("  spaced   out .txt ", "spaced out .txt"),
        ("e\u0301.txt", "é.txt"),
        ("", "telegram-42.pdf"),
        ("..", "telegram-42.pdf"),
        (" . ", "telegram-42.pdf"),
        ("folder/", "telegram-42.pdf"),
        ("\u200b\u202e", "telegram-42.pdf"),
    ],
)
def test_names_of_every_kind(file_name: str, seen: str) -> None:
    value = content_disposition("application/pdf", file_name, "telegram-42")
    assert name_in(value) == seen
    assert value.isascii()


def test_the_plain_name_is_there_for_old_clients() -> None:
    value = content_disposition("application/pdf", 'отчёт "1".pdf', "x")
    assert value.startswith("attachment; filename=\"_____ _1_.pdf\"; filename*=UTF-8''%D0%BE")


def test_a_plain_name_stands_alone() -> None:
    assert content_disposition("image/png", "a b.png", "x") == 'inline; filename="a b.png"'


@pytest.mark.parametrize(
    ("mime_type", "kind"),
    [
        ("image/jpeg", "inline"),
        ("image/webp", "inline"),
        ("video/mp4", "inline"),
        ("video/webm", "inline"),
        ("audio/ogg", "inline"),
        ("audio/mpeg", "inline"),
        ("image/svg+xml", "attachment"),
        ("text/html", "attachment"),
        ("application/xhtml+xml", "attachment"),
        ("text/xml", "attachment"),
        ("application/pdf", "attachment"),
        ("text/plain", "attachment"),
        ("application/x-shockwave-flash", "attachment"),
        ("application/octet-stream", "attachment"),
        ("application/x-tgsticker", "attachment"),
    ],
)
def test_only_harmless_types_are_shown_in_place(mime_type: str, kind: str) -> None:
    assert content_disposition(mime_type, "x", "x").split(";")[0] == kind


@pytest.mark.parametrize(
    ("mime_type", "suffix"),
    [("image/jpeg", ".jpg"), ("audio/ogg", ".ogg"), ("video/mp4", ".mp4"), ("x-strange/type", ".bin")],
)
def test_a_file_without_a_name_gets_one_with_the_suffix_of_its_type(mime_type: str, suffix: str) -> None:
    assert name_in(content_disposition(mime_type, "", "telegram-42")) == f"telegram-42{suffix}"


@pytest.mark.parametrize("name", ["я" * 500 + ".pdf", "🚀" * 500 + ".pdf", "x" * 500 + ".pdf"])
def test_a_long_name_keeps_its_suffix_and_its_characters_whole(name: str) -> None:
    short = clean_name(name)
    assert len(short.encode()) <= 200
    assert short.endswith(".pdf")
    assert set(short) == set(name)


@given(st.text())
def test_whatever_the_name_the_header_is_one_safe_line(name: str) -> None:
    value = content_disposition("application/pdf", name, "telegram-1")
    assert re.fullmatch(
        r"""attachment; filename="[^"\\\x00-\x1f\x7f]+"(; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?""", value, re.A
    )
    seen = name_in(value)
    assert "/" not in seen
    assert seen.strip(". ")
