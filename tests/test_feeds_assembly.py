from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from feeds.assembly import assemble

ROOT = Path(__file__).parent.parent


def test_footers_stand_between_the_pieces() -> None:
    body, _ = assemble([b"<a>", "ü<b>".encode(), b"</b>"], ["1", "2"])
    assert body.decode() == "<a>1ü<b>2</b>"


def test_a_footer_does_not_change_the_entity_tag_but_content_does() -> None:
    _, etag = assemble([b"<a>", b"</a>"], ["5 views"])
    assert assemble([b"<a>", b"</a>"], ["6 views"])[1] == etag
    assert assemble([b"<a>!", b"</a>"], ["5 views"])[1] != etag
    assert assemble([b"<a><", b"/a>"], ["5 views"])[1] != etag


def test_the_entity_tag_is_weak_quoted_and_128_bits() -> None:
    _, etag = assemble([b"x"], [])
    assert etag.startswith('W/"')
    assert etag.endswith('"')
    assert len(bytes.fromhex(etag[3:-1])) == 16


def test_another_process_gives_the_same_entity_tag() -> None:
    code = "from feeds.assembly import assemble; print(assemble([b'<a>', b'</a>'], ['x'])[1])"
    other = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert other.stdout.strip() == assemble([b"<a>", b"</a>"], ["y"])[1]


def test_a_footer_without_a_place_is_a_mistake_that_shows() -> None:
    with pytest.raises(ValueError, match="2 footers between 2 pieces"):
        assemble([b"a", b"b"], ["1", "2"])
