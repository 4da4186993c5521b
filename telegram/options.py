"""What the Telegram floor needs to know from the settings."""

from __future__ import annotations

from pathlib import Path

import msgspec

from config import Settings
from telegram.watchdog import WatchdogOptions


class ProxySettings(msgspec.Struct, frozen=True, kw_only=True):
    """A SOCKS5 proxy by its parts, or any kind by one `url`; both empty for none. The URL wins."""

    host: str = ""
    port: int = 1080
    username: str = ""
    password: str = ""
    url: str = ""

    def __repr__(self) -> str:
        return "ProxySettings(...)"


class TelegramOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The account's application, where its session lies, and how patient to be. All times in seconds."""

    api_id: int
    api_hash: str
    session_path: Path
    proxy: ProxySettings = ProxySettings()
    call_timeout: float = 60
    # How long a start may take before it counts as failed, and its resources are freed.
    connect_timeout: float = 30
    # Pauses between attempts to connect: the first, then doubled up to the longest.
    first_pause: float = 2
    longest_pause: float = 120
    # Whether the connection for files is made right after the login, ahead of the first file.
    files_ahead: bool = True
    watchdog: WatchdogOptions = WatchdogOptions()

    def __repr__(self) -> str:
        return f"TelegramOptions(session_path={self.session_path!r})"


def options_from(settings: Settings) -> TelegramOptions:
    """The options that the settings ask for."""
    return TelegramOptions(
        api_id=settings.tg_api_id,
        api_hash=settings.tg_api_hash.get_secret_value(),
        session_path=settings.session_path,
        proxy=ProxySettings(
            host=settings.tg_proxy_host,
            port=settings.tg_proxy_port,
            username=settings.tg_proxy_username,
            password=settings.tg_proxy_password.get_secret_value(),
            url=settings.tg_proxy_url.get_secret_value(),
        ),
        call_timeout=settings.tg_rpc_timeout,
        watchdog=WatchdogOptions(
            enabled=settings.tg_watchdog_enabled,
            interval=settings.tg_watchdog_interval,
            timeout=settings.tg_watchdog_timeout,
            failures=settings.tg_watchdog_failures,
            restart_timeout=settings.tg_watchdog_restart_timeout,
            heartbeat_every=settings.tg_watchdog_heartbeat_every,
            flap_limit=settings.tg_disconnect_flap_limit,
            flap_window=settings.tg_disconnect_flap_window,
            download_timeouts=settings.media_timeout_restart_threshold,
        ),
    )
