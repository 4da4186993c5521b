"""Telegram Desktop exports as a world to serve."""

from tgserver.export.errors import ExportError
from tgserver.export.loader import build_message, load_export

__all__ = ["ExportError", "build_message", "load_export"]
