"""The way to Telegram through a proxy: SOCKS5, HTTP or MTProxy."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from pyrogram.connection.proxy import HTTPProxy, MTProxy, Proxy, SOCKS5Proxy, normalize_proxy

from errors import BridgeError
from telegram.options import ProxySettings


class ProxyError(BridgeError):
    """The proxy settings make no sense. The text names the setting and never shows its value."""


class QuietSOCKS5(SOCKS5Proxy):
    """Kurigram logs the proxy it goes through; this one keeps its password to itself."""

    def __repr__(self) -> str:
        return f"SOCKS5 proxy {self.hostname}:{self.port}"


class QuietHTTP(HTTPProxy):
    """As above, for the other kind with a password."""

    def __repr__(self) -> str:
        return f"HTTP proxy {self.hostname}:{self.port}"


class QuietMTProxy(MTProxy):
    """As above, for the one with a secret."""

    def __repr__(self) -> str:
        return f"MTProxy {self.hostname}:{self.port}"


def to_proxy(settings: ProxySettings) -> Proxy | None:
    """Kurigram's form of the settings, None for a direct connection. Raises `ProxyError`."""
    if not settings.url:
        if not settings.host:
            return None
        return QuietSOCKS5(settings.host, settings.port, settings.username or None, settings.password or None)
    try:
        parts = urlsplit(settings.url)
        if parts.scheme in {"socks5", "socks5h", "http"} and parts.hostname and parts.port:
            kind = QuietHTTP if parts.scheme == "http" else QuietSOCKS5
            username = unquote(parts.username) if parts.username else None
            return kind(parts.hostname, parts.port, username, unquote(parts.password) if parts.password else None)
        proxy = normalize_proxy(settings.url)
    except ValueError:
        proxy = None
    if isinstance(proxy, SOCKS5Proxy):
        return QuietSOCKS5(proxy.hostname, proxy.port, proxy.username, proxy.password)
    if isinstance(proxy, MTProxy):
        return QuietMTProxy(proxy.hostname, proxy.port, proxy.secret, proxy.sni_hostname)
    raise ProxyError("TG_PROXY_URL must be socks5://host:port, http://host:port or a tg://proxy link with its secret")
