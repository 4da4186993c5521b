"""Files get the type that players and browsers need, whatever their uploader says."""

from __future__ import annotations

import gzip
import io
import struct
import wave
import zipfile

import pytest
from PIL import Image

from media_cache.mime import believed_unseen, mime_of


def image(kind: str) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(stream, kind)
    return stream.getvalue()


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content


def mp4(brand: bytes) -> bytes:
    return box(b"ftyp", brand + b"\x00\x00\x02\x00" + brand + b"mp41") + box(b"moov", bytes(100))


def ogg(codec: bytes) -> bytes:
    page = b"OggS\x00\x02" + bytes(8) + b"\x01\x00\x00\x00" + bytes(8)
    return page + b"\x01" + bytes([len(codec)]) + codec


def wav() -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(1000))
    return stream.getvalue()


def archive(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name in names:
            file.writestr(name, "content")
    return stream.getvalue()


WEBM = b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webmB\x87\x81\x04B\x85\x81\x02"
OPUS = ogg(b"OpusHead\x01\x01\x38\x01\x80\xbb\x00\x00\x00\x00\x00")
HTML = b"<!DOCTYPE html><html><script>alert(1)</script></html>"
STRANGE = bytes.fromhex("00019cfe0317e200") * 40
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("head", "claimed", "mime_type"),
    [
        (image("JPEG"), "", "image/jpeg"),
        (image("JPEG"), "image/png", "image/jpeg"),
        (image("PNG"), "", "image/png"),
        (image("WEBP"), "image/webp", "image/webp"),
        (image("GIF"), "video/mp4", "image/gif"),
        (b"%PDF-1.7\n", "application/pdf", "application/pdf"),
        # Telegram knows what a container holds.
        (gzip.compress(b'{"tgs":1}', mtime=0), "application/x-tgsticker", "application/x-tgsticker"),
        (gzip.compress(b"plain", mtime=0), "", "application/gzip"),
        (WEBM, "video/webm", "video/webm"),
        (OPUS, "audio/ogg", "audio/ogg"),
        (mp4(b"isom"), "video/mp4", "video/mp4"),
        (mp4(b"isom"), "audio/mp4", "audio/mp4"),
        (mp4(b"M4A "), "audio/mp4", "audio/mp4"),
        (mp4(b"isom"), "", "video/mp4"),
        (archive("word/document.xml"), DOCX, DOCX),
        (wav(), "audio/x-wav", "audio/wav"),
        # What libmagic does not know at all.
        (STRANGE, "audio/mpeg", "audio/mpeg"),
        (STRANGE, "audio/mp3", "audio/mpeg"),
        (STRANGE, "AUDIO/MPEG; x=1", "audio/mpeg"),
        (STRANGE, "video/mp4", "video/mp4"),
        (STRANGE, "application/x-unheard-of", "application/octet-stream"),
        # A claim never makes a file something that a browser runs, nor hides that it is.
        (STRANGE, "text/html", "application/octet-stream"),
        (image("JPEG"), "text/html", "image/jpeg"),
        (HTML, "image/png", "text/html"),
        (HTML, "video/mp4", "text/html"),
        (SVG, "image/webp", "image/svg+xml"),
        (b"hello world", "text/html", "text/plain"),
        (b"", "", "application/octet-stream"),
    ],
)
def test_the_type_follows_the_content_and_telegram_where_it_knows_better(
    head: bytes, claimed: str, mime_type: str
) -> None:
    assert mime_of(head, claimed) == mime_type


@pytest.mark.parametrize(
    ("claimed", "mime_type"),
    [
        ("image/jpeg", "image/jpeg"),
        ("VIDEO/MP4; codecs=avc1", "video/mp4"),
        ("audio/mp3", "audio/mpeg"),
        ("text/html", ""),
        ("image/svg+xml", ""),
        ("application/pdf", ""),
        ("", ""),
    ],
)
def test_of_a_file_that_nobody_has_seen_only_harmless_types_are_named(claimed: str, mime_type: str) -> None:
    assert believed_unseen(claimed) == mime_type
