"""The client's address and the public base URL: what a request says, and whom it may say it for."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from starlette.requests import Request

from errors import BadParameter
from routes.origin import Origin

PROXY = "10.0.0.1"


def request(peer: str = "203.0.113.9", scheme: str = "http", **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in ({"host": "bridge.local:8000"} | headers).items()}
    return Request(
        {
            "type": "http",
            "method": "GET",
            "scheme": scheme,
            "server": ("0.0.0.0", 8000),
            "path": "/rss/name",
            "query_string": b"",
            "client": (peer, 40000),
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        }
    )


FORWARDED = {
    "x_forwarded_for": "198.51.100.7, 10.0.0.2",
    "x_forwarded_proto": "https",
    "x_forwarded_host": "Feeds.example.org",
    "x_forwarded_prefix": "/bridge/",
}


def test_without_trusted_proxies_forwarded_headers_count_for_nothing() -> None:
    origin = Origin("", ())
    asked = request(**FORWARDED)
    assert origin.client(asked) == "203.0.113.9"
    assert origin.base_url(asked) == "http://bridge.local:8000"


def test_a_trusted_proxy_tells_client_and_address() -> None:
    origin = Origin("", (ip_network("10.0.0.0/8"),))
    asked = request(PROXY, **FORWARDED)
    assert origin.client(asked) == "198.51.100.7"
    assert origin.base_url(asked) == "https://feeds.example.org/bridge"


def test_a_client_can_not_hide_behind_an_address_that_it_made_up() -> None:
    origin = Origin("", (ip_network("10.0.0.0/8"),))
    assert origin.client(request(PROXY, x_forwarded_for="10.0.0.77, 198.51.100.7")) == "198.51.100.7"


def test_a_proxy_on_a_mapped_ipv4_address_is_recognised() -> None:
    origin = Origin("", (ip_network("10.0.0.0/8"),))
    assert origin.client(request("::ffff:10.0.0.1", x_real_ip="198.51.100.7")) == "198.51.100.7"


def test_the_configured_address_wins() -> None:
    origin = Origin("https://feeds.example.org/b", ())
    assert origin.base_url(request(host="evil.example")) == "https://feeds.example.org/b"


def test_a_client_that_names_no_host_gets_the_address_that_it_reached() -> None:
    assert Origin("", ()).base_url(request(host="")) == "http://0.0.0.0:8000"


@pytest.mark.parametrize(
    "host", ["a b", 'x"><script>', "evil.example/path", "name:port", "user@host", "name:65536", "name:0"]
)
def test_a_host_that_is_no_host_is_a_bad_request(host: str) -> None:
    with pytest.raises(BadParameter, match="Host"):
        Origin("", ()).base_url(request(host=host))


@pytest.mark.parametrize("host", ["localhost:8000", "[::1]:8000", "192.0.2.1", "bridge.example.org", "name:65535"])
def test_names_and_addresses_with_and_without_port_are_hosts(host: str) -> None:
    assert Origin("", ()).base_url(request(host=host)) == f"http://{host}"


@pytest.mark.parametrize("prefix", ['/a"b', "/..", "/a/./b", "a", "//evil.example"])
def test_a_bad_prefix_from_a_proxy_is_a_bad_request(prefix: str) -> None:
    origin = Origin("", (ip_network("10.0.0.0/8"),))
    with pytest.raises(BadParameter, match="X-Forwarded-Prefix"):
        origin.base_url(request(PROXY, x_forwarded_prefix=prefix))
