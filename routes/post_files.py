"""From a media address to the file that Telegram can be asked for."""

from __future__ import annotations

from errors import MediaGone
from model.files import find_file
from model.media import FileRef
from model.message import Message
from tg_cache import History
from tg_throttle import Priority

# In media addresses, the place of a post's id for the channel's own photo.
CHANNEL_PHOTO = 0


class PostFiles:
    """Looks files up in posts. All methods raise MediaGone, and what History raises."""

    def __init__(self, history: History) -> None:
        self._history = history

    async def find(self, channel_id: int, post_id: int, unique_id: str) -> FileRef:
        """The file as the stored post has it; Telegram is asked only for a post that is not stored."""
        if post_id == CHANNEL_PHOTO:
            return await self._channel_photo(channel_id, unique_id)
        return _file_of(await self._history.message(channel_id, post_id), unique_id)

    async def renew(self, channel_id: int, post_id: int, unique_id: str) -> FileRef:
        """The file with a reference that is good for hours: Telegram is asked for the post again."""
        if post_id == CHANNEL_PHOTO:
            return await self._channel_photo(channel_id, unique_id)
        return _file_of(await self._history.refetch(channel_id, post_id), unique_id)

    async def renew_in_background(self, channel_id: int, post_id: int, unique_id: str) -> FileRef:
        """As `renew`, for nobody in particular: calls of readers go first."""
        if post_id == CHANNEL_PHOTO:
            return await self._channel_photo(channel_id, unique_id, Priority.BACKGROUND)
        message = await self._history.refetch(channel_id, post_id, priority=Priority.BACKGROUND)
        return _file_of(message, unique_id)

    async def _channel_photo(
        self, channel_id: int, unique_id: str, priority: Priority = Priority.INTERACTIVE
    ) -> FileRef:
        # A photo of a chat is fetched by the chat's access hash and has no reference that could expire.
        photo = (await self._history.channel(channel_id, priority=priority)).photo
        if photo is None or photo.unique_id != unique_id:
            raise MediaGone("The channel has another photo now")
        return photo


def _file_of(message: Message, unique_id: str) -> FileRef:
    file = find_file(message, unique_id)
    if file is None:
        raise MediaGone(f"Post {message.id} does not have this file any more")
    return file
