"""Telegram's stripped thumbnails: pictures of 40 pixels in a few hundred bytes, sent along with a message.

They are JPEGs without what is the same in all of them: everything before the picture's own data, and the end mark.
Telegram's apps show them blurred until the picture is there (https://core.telegram.org/api/files#stripped-thumbnails).
"""

from __future__ import annotations

import base64

MOST_BYTES = 4096
"""Telegram's own have less than 600 bytes; what is larger than this is none."""

_VERSION = 1
# Version, height, width.
_OWN_HEAD = 3
# JFIF, the quantization tables of libjpeg's quality 20, a frame of 0 x 0 pixels with 4:2:0 chroma, the Huffman tables
# of JPEG's annex K, the start of the scan.
_HEAD = base64.b64decode(
    b"/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71"
    b"////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4"
    b"+Pj4+Pj4+Pj/wAARCAAAAAADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF"
    b"BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW"
    b"V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi"
    b"4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC"
    b"AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm"
    b"Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq"
    b"8vP09fb3+Pn6/9oADAMBAAIRAxEAPwA="
)
# Where the frame has its height and width; both are below 256, so that the upper bytes stay 0.
_HEIGHT_AT, _WIDTH_AT = 164, 166
_END = b"\xff\xd9"


def expand(stripped: bytes) -> bytes:
    """The thumbnail as a JPEG; b"" if it is none, or of a version that nobody knows."""
    if not _OWN_HEAD < len(stripped) <= MOST_BYTES or stripped[0] != _VERSION or not stripped[1] or not stripped[2]:
        return b""
    head = bytearray(_HEAD)
    head[_HEIGHT_AT], head[_WIDTH_AT] = stripped[1], stripped[2]
    return bytes(head) + stripped[_OWN_HEAD:] + _END
