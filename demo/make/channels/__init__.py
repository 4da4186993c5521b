"""The demo's channels: who speaks in them, and every word that they say."""
