"""The rooms behind `tg_cache`: channels, windows of messages, and how new pages join old ones."""
