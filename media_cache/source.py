"""What the media cache needs from Telegram."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from model.media import FileRef

FindFile = Callable[[], Awaitable[FileRef]]
"""Looks the file up in its message. Raises MediaGone, PostNotFound, ChannelPrivate ... or a PassingFault."""


class FileSource(Protocol):
    """Gives out the bytes of files."""

    async def file_part(self, file: FileRef, offset: int, limit: int) -> bytes:
        """Bytes [offset, offset + limit) of the file, fewer at its end, none past it.

        Raises FileReferenceExpired, MediaGone, FloodWait, TelegramTimeout or TelegramUnavailable.
        """
        ...
