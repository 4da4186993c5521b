"""Who asks, and under which address the bridge is reached: the request's own words, or a trusted proxy's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

from starlette.requests import HTTPConnection

from config import Network
from errors import BadParameter

# A host name or address with an optional port (RFC 9110 7.2, RFC 3986 3.2.2), nothing that could end a URL's authority.
_HOST = re.compile(r"(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?")
# Without the segments `.` and `..`, which clients take for steps in the path (RFC 3986 5.2.4).
_PREFIX = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)*/?")
_PORTS = range(1, 2**16)


class Origin:
    """Tells the client's address and the public base URL of a request.

    `X-Forwarded-For`, `-Proto`, `-Host`, `-Prefix` and `X-Real-IP` count only if the peer of the connection is in
    `trusted`. A `public_url` that is not empty is the base URL whatever the request says.
    """

    def __init__(self, public_url: str, trusted: Sequence[Network]) -> None:
        self._public_url = public_url
        self._trusted = tuple(trusted)

    def client(self, request: HTTPConnection) -> str:
        """The address of the client: behind trusted proxies the last address that is not one of them."""
        peer = request.client.host if request.client else ""
        if not self._is_trusted(peer):
            return peer
        chain = [
            part.strip() for part in ",".join(request.headers.getlist("x-forwarded-for")).split(",") if part.strip()
        ]
        for address in reversed(chain):
            if not self._is_trusted(address):
                return address
        return request.headers.get("x-real-ip", "").strip() or (chain[0] if chain else peer)

    def base_url(self, request: HTTPConnection) -> str:
        """The URL that all links begin with, without a slash at its end.

        Raises BadParameter for a Host header that is no host.
        """
        if self._public_url:
            return self._public_url
        scheme, host, prefix = request.scope["scheme"], request.headers.get("host") or _own_address(request), ""
        if self._is_trusted(request.client.host if request.client else ""):
            scheme = self._forwarded(request, "x-forwarded-proto") or scheme
            host = self._forwarded(request, "x-forwarded-host") or host
            prefix = self._forwarded(request, "x-forwarded-prefix").rstrip("/")
        found = _HOST.fullmatch(host)
        if found is None or (found[1] is not None and int(found[1]) not in _PORTS):
            raise BadParameter("Host", "the header must be a host name or address with an optional port")
        if scheme not in {"http", "https"}:
            raise BadParameter("X-Forwarded-Proto", "must be http or https")
        if _PREFIX.fullmatch(prefix) is None:
            raise BadParameter("X-Forwarded-Prefix", "must be a plain path such as /bridge")
        return f"{scheme}://{host.lower()}{prefix}"

    @staticmethod
    def _forwarded(request: HTTPConnection, name: str) -> str:
        # Each proxy appends its own word; the nearest one's is the last.
        return request.headers.get(name, "").split(",")[-1].strip()

    def _is_trusted(self, address: str) -> bool:
        if not self._trusted:
            return False
        try:
            parsed: IPv4Address | IPv6Address = ip_address(address)
        except ValueError:
            return False
        if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        return any(parsed in network for network in self._trusted)


def _own_address(request: HTTPConnection) -> str:
    """Where the connection was accepted: HTTP/1.0 clients need not say whom they mean."""
    host, port = request.scope.get("server") or ("", None)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
