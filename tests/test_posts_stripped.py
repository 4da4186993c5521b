from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from posts.stripped import MOST_BYTES, expand


def strip(picture: Image.Image) -> bytes:
    """What Telegram makes of a picture: libjpeg's quality 20, without the first 623 bytes and the end mark."""
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=20, subsampling=2, optimize=False)
    return bytes((1, picture.height, picture.width)) + stream.getvalue()[623:-2]


@pytest.mark.parametrize("size", [(40, 30), (22, 40), (1, 1)])
def test_a_stripped_thumbnail_is_a_picture_again(size: tuple[int, int]) -> None:
    drawn = Image.linear_gradient("L").resize(size).convert("RGB")
    with Image.open(io.BytesIO(expand(strip(drawn)))) as seen:
        seen.load()
        assert (seen.format, seen.size) == ("JPEG", size)
        # Quality 20 is coarse.
        far = [abs(seen.getpixel((0, y))[0] - drawn.getpixel((0, y))[0]) for y in range(size[1])]  # type: ignore[index]
        assert max(far) < 40


@pytest.mark.parametrize(
    "stripped",
    [b"", b"\1", b"\1\x1e\x28", b"\2\x1e\x28scan", b"\1\0\x28scan", b"\1\x1e\0scan", b"\1\x1e\x28" + bytes(MOST_BYTES)],
    ids=["nothing", "no size", "no scan", "another version", "no height", "no width", "too long"],
)
def test_what_is_no_stripped_thumbnail_is_nothing(stripped: bytes) -> None:
    assert expand(stripped) == b""


@given(st.binary(max_size=60))
def test_whatever_telegram_sends_the_file_is_a_jpegs_or_empty(stripped: bytes) -> None:
    jpeg = expand(stripped)
    assert not jpeg or (jpeg.startswith(b"\xff\xd8\xff") and jpeg.endswith(b"\xff\xd9"))
