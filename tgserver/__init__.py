"""A small, real Telegram server for tests and demonstrations."""

from tgserver.accounts import Account
from tgserver.faults import Action, Fault
from tgserver.server import Server
from tgserver.world import Chat, ServedFile, World

__all__ = ["Account", "Action", "Chat", "Fault", "ServedFile", "Server", "World"]
