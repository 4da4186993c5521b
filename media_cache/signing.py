"""Signed addresses of media files, and the key behind them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from errors import BadSignature, StorageError
from model.media import FileRef

log = logging.getLogger(__name__)

KEY_FILE = "signing.key"
KEY_BYTES = 32
_DIGEST_BYTES = 16
_DAY = 86400
# Twelve digits of unix seconds reach far enough.
_EXPIRY = re.compile(r"[0-9]{1,12}", re.ASCII)


@dataclass(frozen=True, slots=True)
class SignedLinks:
    """Addresses below one base URL, all with one end. Equal objects make equal addresses."""

    base_url: str
    # Unix seconds in digits, "" without an end.
    expiry: str
    _key: bytes = field(repr=False)

    def url(self, channel_id: int, post_id: int, file: FileRef) -> str:
        """The absolute address of the file in that post (post id 0: the channel's own photo)."""
        digest = _digest(self._key, channel_id, post_id, file.unique_id, self.expiry)
        query = f"?exp={self.expiry}" if self.expiry else ""
        return f"{self.base_url}/media/{channel_id}/{post_id}/{file.unique_id}/{digest}{query}"


class MediaSigner:
    """Makes and checks the addresses under which files are public.

    An address names channel, post and file and carries 128 bits of HMAC-SHA256 over them, so nobody can make up one
    for a file that the bridge has not shown. With `ttl_days` > 0 it also carries its end (`exp`, unix seconds). The
    end is a multiple of the TTL: addresses made within one window are equal, and each is good for at least the TTL
    and at most twice as long.
    """

    def __init__(self, key: bytes, base_url: str, ttl_days: int = 0, *, now: Callable[[], float] = time.time) -> None:
        """`base_url` without a slash at its end; `now` gives unix seconds."""
        self._key = key
        self._base_url = base_url
        self._ttl = ttl_days * _DAY
        self._now = now

    def at(self, base_url: str) -> SignedLinks:
        """The addresses below another base URL, as they are made now."""
        return SignedLinks(base_url, self._expiry(), self._key)

    def url(self, channel_id: int, post_id: int, file: FileRef) -> str:
        """The absolute address of the file in that post (post id 0: the channel's own photo)."""
        return self.at(self._base_url).url(channel_id, post_id, file)

    def verify(self, channel_id: int, post_id: int, unique_id: str, digest: str, expiry: str | None) -> float | None:
        """Check an address's digest in constant time, then its end.

        `expiry` is the `exp` parameter as it came. Returns for how many more seconds the address is good, None for
        ever. Raises BadSignature.
        """
        # Compared as bytes: `compare_digest` refuses text beyond ASCII, which anybody can send.
        expected = _digest(self._key, channel_id, post_id, unique_id, expiry or "").encode()
        if not hmac.compare_digest(expected, digest.encode("utf-8", "surrogatepass")):
            raise BadSignature("This media address is not one that the bridge has made")
        if not expiry:
            if self._ttl:
                raise BadSignature("This media address has no end date: open the post again for a new one")
            return None
        if _EXPIRY.fullmatch(expiry) is None:
            raise BadSignature("This media address is not one that the bridge has made")
        left = int(expiry) - self._now()
        if left <= 0:
            raise BadSignature("This media address has expired: open the post again for a new one")
        return left

    def _expiry(self) -> str:
        if not self._ttl:
            return ""
        window = int(self._now()) // self._ttl
        return str((window + 2) * self._ttl)


def _digest(key: bytes, channel_id: int, post_id: int, unique_id: str, expiry: str) -> str:
    message = f"media:{channel_id}/{post_id}/{unique_id}/{expiry}".encode("utf-8", "surrogatepass")
    code = hmac.digest(key, message, "sha256")[:_DIGEST_BYTES]
    return base64.urlsafe_b64encode(code).rstrip(b"=").decode()


def load_signing_key(data_path: Path, secret: str) -> bytes:
    """The key for `MediaSigner`: from the secret if there is one, else from the key file in `data_path`.

    The key file (32 random bytes, mode 0600) is made at first use. A damaged one is set aside with a warning, since
    the addresses that were signed with it are lost anyhow. Raises StorageError when the file can neither be read
    nor made.
    """
    if secret:
        return hashlib.sha256(b"media signing key:" + secret.encode("utf-8", "surrogateescape")).digest()
    path = data_path / KEY_FILE
    try:
        return _key_from(path)
    except OSError as fault:
        raise StorageError(
            f"Cannot use the signing key {path}: {fault.strerror}. Make {data_path} a folder that uid {os.getuid()} "
            "can read and write, or set MEDIA_SIGNING_SECRET"
        ) from fault


def _key_from(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        key = path.read_bytes()
        if len(key) == KEY_BYTES:
            _keep_private(path)
            return key
        aside = path.with_name(f"{KEY_FILE}.bad-{secrets.token_hex(4)}")
        path.rename(aside)
        log.warning(
            "The signing key %s has %d bytes instead of %d: kept as %s, making a new one. "
            "Media addresses in feeds that were read before stop working",
            path,
            len(key),
            KEY_BYTES,
            aside.name,
        )
    return _make_key(path)


def _make_key(path: Path) -> bytes:
    """Make the key file in one step; if another process was faster, its key is the key."""
    fresh = path.with_name(f"{KEY_FILE}.part.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(descriptor)
        # A link, not a rename: it never replaces a key that is there already.
        with suppress(FileExistsError):
            path.hardlink_to(fresh)
    finally:
        fresh.unlink(missing_ok=True)
    return path.read_bytes()


def _keep_private(path: Path) -> None:
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        log.warning("The signing key %s was readable by others (mode %o): set to 600", path, mode)
        path.chmod(0o600)
