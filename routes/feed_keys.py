"""Keys that each open one channel's feeds, so that the token need not stand in a feed's address."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable

_KEY_BYTES = 16


def joint_subject(chats: Iterable[int | str]) -> str:
    """What several chats are as one subject, in whatever order; of one it is the chat itself."""
    return "+".join(sorted({str(chat) for chat in chats}))


class FeedKeys:
    """Makes and checks the keys: 128 bits of HMAC-SHA256 over the chat's id.

    A key is made of the signing key, so it is good for as long as that is, whatever the token. It opens the feeds of
    one subject, with all their formats, filters and pages, and nothing else. A subject is a chat's id, or the name of
    what is no chat, which is never a number.
    """

    def __init__(self, signing_key: bytes) -> None:
        self._signing_key = signing_key

    def of(self, subject: int | str) -> str:
        """The key of a subject's feeds."""
        # What is signed for media begins with another word, so no digest there is ever a key.
        code = hmac.digest(self._signing_key, f"feed:{subject}".encode(), "sha256")[:_KEY_BYTES]
        return base64.urlsafe_b64encode(code).rstrip(b"=").decode()

    def matches(self, subject: int | str | None, candidate: str) -> bool:
        """Whether this is the subject's key, compared in constant time. No key opens what is not known (None)."""
        # Id 0 is no chat's: unknown chats take as long as known ones.
        same = hmac.compare_digest(self.of(subject or 0).encode(), candidate.encode("utf-8", "surrogatepass"))
        return same and subject is not None
