"""The rooms behind `telegram_client`: everything that knows Kurigram and TL objects."""
