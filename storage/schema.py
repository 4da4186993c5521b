"""All migrations of the bridge's database, oldest first."""

from __future__ import annotations

from storage.database import Migration
from storage.flood_store import FLOOD_TABLE, FLOODS_BY_SCOPE
from storage.gone_store import MEDIA_GONE
from storage.history_store import HISTORY_TABLES
from storage.joined_store import JOINED_CHATS
from storage.media_store import MEDIA_FILES
from storage.thread_store import THREADS

MIGRATIONS: tuple[Migration, ...] = (
    (*HISTORY_TABLES, *MEDIA_FILES),
    FLOOD_TABLE,
    MEDIA_GONE,
    FLOODS_BY_SCOPE,
    JOINED_CHATS,
    THREADS,
)
