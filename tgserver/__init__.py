"""A small, real Telegram server for tests and demonstrations."""
