"""Media addresses can't be made up, changed or used past their end; the key outlives restarts."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from media_source import Clock, file_ref

from errors import BadSignature, StorageError
from media_cache.signing import KEY_FILE, MediaSigner, load_signing_key

KEY = bytes(range(32))
DAY = 86400


def parts_of(url: str) -> tuple[int, int, str, str, str | None]:
    split = urlsplit(url)
    _, media, channel, post, unique_id, digest = split.path.rsplit("/", 5)
    assert media == "media"
    return int(channel), int(post), unique_id, digest, parse_qs(split.query).get("exp", [None])[0]


def test_an_address_names_channel_post_and_file_and_is_accepted() -> None:
    signer = MediaSigner(KEY, "https://bridge.example.org/base")
    url = signer.url(-1001234, 42, file_ref("AgAD-x_y"))
    assert url.startswith("https://bridge.example.org/base/media/-1001234/42/AgAD-x_y/")
    assert "?" not in url
    assert signer.verify(*parts_of(url)) is None


def test_a_digest_is_128_bits_in_url_safe_letters_and_stays_the_same() -> None:
    # A changed digest would break every picture in every reader's store.
    url = MediaSigner(KEY, "").url(-1001234, 42, file_ref("AgADabc"))
    # openssl dgst -sha256 -mac HMAC of `media:-1001234/42/AgADabc/`, the first 16 bytes.
    assert url == "/media/-1001234/42/AgADabc/PsxBqY6BVNtjiKxNNAPBdQ"


@pytest.mark.parametrize(
    "change",
    [
        {0: -1001235},
        {1: 43},
        {2: "AgADabd"},
        {3: "AAAAAAAAAAAAAAAAAAAAAA"},
        {3: ""},
        {3: "ключ"},
        {3: "\udcff"},
        {4: "99999999999"},
        {2: "\udcff"},
    ],
)
def test_a_changed_address_is_refused(change: dict[int, object]) -> None:
    signer = MediaSigner(KEY, "")
    parts: list[object] = list(parts_of(signer.url(-1001234, 42, file_ref("AgADabc"))))
    for place, value in change.items():
        parts[place] = value
    with pytest.raises(BadSignature):
        signer.verify(*parts)  # type: ignore[arg-type]


def test_no_two_addresses_share_what_is_signed() -> None:
    signer = MediaSigner(KEY, "")
    assert parts_of(signer.url(1, 23, file_ref("4")))[3] != parts_of(signer.url(12, 3, file_ref("4")))[3]


def test_another_key_accepts_nothing() -> None:
    url = MediaSigner(KEY, "").url(1, 2, file_ref("x"))
    with pytest.raises(BadSignature):
        MediaSigner(b"other" * 7, "").verify(*parts_of(url))


@given(st.integers(min_value=0, max_value=4_000_000_000), st.integers(min_value=1, max_value=400))
def test_an_address_with_an_end_is_good_for_the_ttl_at_least_and_twice_the_ttl_at_most(now: int, days: int) -> None:
    clock = Clock(now)
    signer = MediaSigner(KEY, "", days, now=clock)
    parts = parts_of(signer.url(1, 2, file_ref("x")))
    left = signer.verify(*parts)
    assert left is not None
    assert days * DAY < left <= 2 * days * DAY
    clock.now += left - 1
    assert signer.verify(*parts) == 1
    clock.now += 1
    with pytest.raises(BadSignature, match="expired"):
        signer.verify(*parts)


def test_addresses_made_within_one_window_are_equal() -> None:
    clock = Clock(10 * 7 * DAY)
    signer = MediaSigner(KEY, "", 7, now=clock)
    first = signer.url(1, 2, file_ref("x"))
    clock.now += 7 * DAY - 1
    assert signer.url(1, 2, file_ref("x")) == first
    clock.now += 1
    assert signer.url(1, 2, file_ref("x")) != first


def test_an_end_can_neither_be_moved_nor_left_out() -> None:
    signer = MediaSigner(KEY, "", 7, now=Clock())
    channel, post, unique_id, digest, expiry = parts_of(signer.url(1, 2, file_ref("x")))
    assert expiry is not None
    for changed in [str(int(expiry) + 1), f"0{expiry}", f" {expiry}", "", None, "soon", "9" * 5000]:
        with pytest.raises(BadSignature):
            signer.verify(channel, post, unique_id, digest, changed)


def test_addresses_without_an_end_stop_working_when_the_owner_sets_a_ttl() -> None:
    parts = parts_of(MediaSigner(KEY, "").url(1, 2, file_ref("x")))
    with pytest.raises(BadSignature, match="no end"):
        MediaSigner(KEY, "", 7).verify(*parts)


def test_addresses_with_an_end_keep_it_when_the_owner_drops_the_ttl() -> None:
    clock = Clock()
    parts = parts_of(MediaSigner(KEY, "", 7, now=clock).url(1, 2, file_ref("x")))
    signer = MediaSigner(KEY, "", now=clock)
    assert signer.verify(*parts)
    clock.now += 15 * DAY
    with pytest.raises(BadSignature):
        signer.verify(*parts)


def test_the_base_url_can_follow_the_request() -> None:
    signer = MediaSigner(KEY, "", 7, now=Clock())
    there = signer.at("https://other.example")
    assert there.url(1, 2, file_ref("x")) == "https://other.example" + signer.url(1, 2, file_ref("x"))


def test_links_are_equal_as_long_as_their_addresses_are() -> None:
    clock = Clock()
    signer = MediaSigner(KEY, "", 7, now=clock)
    links = signer.at("https://a.example")
    assert links == signer.at("https://a.example")
    assert hash(links) == hash(signer.at("https://a.example"))
    assert links != signer.at("https://b.example")
    assert KEY.decode("latin-1") not in repr(links) and repr(KEY) not in repr(links)
    clock.now += 7 * DAY
    later = signer.at("https://a.example")
    assert links != later
    assert links.url(1, 2, file_ref("x")) != later.url(1, 2, file_ref("x"))


# The key


def test_the_key_is_made_once_for_its_owner_only_and_read_again(tmp_path: Path) -> None:
    data = tmp_path / "new" / "data"
    key = load_signing_key(data, "")
    path = data / KEY_FILE
    assert len(key) == 32
    assert key == path.read_bytes() == load_signing_key(data, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in data.iterdir()] == [KEY_FILE]


def test_two_bridges_have_different_keys(tmp_path: Path) -> None:
    assert load_signing_key(tmp_path / "a", "") != load_signing_key(tmp_path / "b", "")


def test_a_secret_makes_the_key_and_leaves_no_file(tmp_path: Path) -> None:
    key = load_signing_key(tmp_path, "пароль")
    assert key == load_signing_key(tmp_path / "elsewhere", "пароль")
    assert key != load_signing_key(tmp_path, "other")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"short", bytes(33)])
def test_a_damaged_key_is_set_aside_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    (tmp_path / KEY_FILE).write_bytes(content)
    with caplog.at_level(logging.WARNING):
        key = load_signing_key(tmp_path, "")
    assert len(key) == 32
    assert key == load_signing_key(tmp_path, "")
    (aside,) = tmp_path.glob(f"{KEY_FILE}.bad-*")
    assert aside.read_bytes() == content
    assert f"{len(content)} bytes" in caplog.text


def test_a_key_that_others_can_read_is_closed_to_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    load_signing_key(tmp_path, "")
    (tmp_path / KEY_FILE).chmod(0o644)
    with caplog.at_level(logging.WARNING):
        load_signing_key(tmp_path, "")
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert "readable by others" in caplog.text


def test_a_place_that_can_not_hold_a_key_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StorageError, match="set MEDIA_SIGNING_SECRET") as caught:
        load_signing_key(tmp_path / "file", "")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.getuid() != 0, reason="needs to become another user")
def test_a_folder_of_another_user_is_one_clear_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    script = (
        "import os, sys; from pathlib import Path; from media_cache.signing import load_signing_key\n"
        "os.setuid(65534)\n"
        "try: load_signing_key(Path(sys.argv[1]), '')\n"
        "except Exception as fault: print(type(fault).__name__, fault)"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("StorageError Cannot use the signing key")
    assert "Permission denied" in done.stdout


def test_many_processes_that_start_at_once_agree_on_the_key(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from media_cache.signing import load_signing_key\n"
        "sys.stdin.readline(); print(load_signing_key(Path(sys.argv[1]), '').hex())"
    )
    root = Path(__file__).parent.parent
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in crowd:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    keys = {process.communicate(timeout=20)[0].strip() for process in crowd}
    assert keys == {(tmp_path / KEY_FILE).read_bytes().hex()}
