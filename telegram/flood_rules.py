"""Which of Telegram's flood waits hold what: data for the gate."""

from __future__ import annotations

from tg_throttle import FloodRules

# A pause from files only, which Telegram asks of accounts without a subscription (FLOOD_PREMIUM_WAIT).
DOWNLOADS = "downloads"

# Looking up who is who is limited apart from reading, for up to a day, and much lower.
FLOOD_RULES = FloodRules(
    own=frozenset(
        {
            "channels.getFullChannel",
            "contacts.resolveUsername",
            "messages.checkChatInvite",
            "messages.getDialogFilters",
            "messages.getDialogs",
            "messages.getFullChat",
            "users.getFullUser",
        }
    ),
    apart=frozenset({DOWNLOADS}),
)
