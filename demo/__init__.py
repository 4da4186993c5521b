"""The demo: channels of our own, served by the local Telegram server, read through the bridge."""
