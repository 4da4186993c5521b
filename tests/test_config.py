"""Settings: read once, checked together, each fault one line."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from config import Settings, SettingsError, load_settings

GOOD = {"TG_API_ID": "12345", "TG_API_HASH": "0123456789abcdef0123456789ABCDEF"}


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment that holds the required settings and nothing else of the bridge's."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in GOOD.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def problems_of(environ: pytest.MonkeyPatch, **variables: str) -> tuple[str, ...]:
    for name, value in variables.items():
        environ.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings(None)
    return caught.value.problems


def test_the_two_required_settings_are_enough(environ: pytest.MonkeyPatch) -> None:
    settings = load_settings(None)
    assert settings.tg_api_id == 12345
    assert settings.api_port == 8000
    assert settings.data_path == Path("data")
    assert settings.ping_unhealthy_after == 250


def test_all_errors_are_reported_together_one_line_each(environ: pytest.MonkeyPatch) -> None:
    environ.delenv("TG_API_ID")
    problems = problems_of(environ, TG_RPC_TIMEOUT="abc", API_PORT="70000", DEBUG="maybe")
    assert problems == (
        "TG_API_ID is required: The application's id from my.telegram.org.",
        "API_PORT must be an integer from 1 to 65535, got '70000'",
        "DEBUG must be true/1/yes/on or false/0/no/off, got 'maybe'",
        "TG_RPC_TIMEOUT must be an integer >= 1, got 'abc'",
    )


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("TG_RPC_TIMEOUT", "0", "TG_RPC_TIMEOUT must be an integer >= 1, got '0'"),
        ("TG_RPC_MIN_INTERVAL_MS", "-1", "TG_RPC_MIN_INTERVAL_MS must be an integer >= 0, got '-1'"),
        ("MEDIA_CACHE_MAX_GB", "much", "MEDIA_CACHE_MAX_GB must be a number >= 0, got 'much'"),
        ("TZ", "Mars/Olympus", "TZ must be the name of a time zone, such as Europe/Berlin, got 'Mars/Olympus'"),
        ("MEDIA_CACHE_MAX_GB", "inf", "MEDIA_CACHE_MAX_GB must be a number >= 0, got 'inf'"),
        (
            "API_HOST",
            "ü..x",
            "API_HOST must be a host name or address of this machine, such as 127.0.0.1 or ::, got 'ü..x'",
        ),
        ("TG_API_ID", "99999999999", "TG_API_ID must be an integer from 1 to 2147483647, got '99999999999'"),
        (
            "TG_PROXY_URL",
            "garbage",
            "TG_PROXY_URL must be socks5://host:port, http://host:port or a tg://proxy link with its secret",
        ),
        ("LOG_LEVEL", "loud", "LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL, got 'loud'"),
        ("FEED_LANGUAGE", "en_US", "FEED_LANGUAGE must be a language tag, such as en, pt-BR or zh-Hant, got 'en_US'"),
        ("TG_LINK_HOST", "https://t.me", "TG_LINK_HOST must be a host name, such as t.me, got 'https://t.me'"),
        (
            "TRUSTED_PROXIES",
            "10.0.0.0/8, proxy",
            "TRUSTED_PROXIES must be addresses or networks separated by commas, such as 10.0.0.0/8,::1, "
            "got '10.0.0.0/8, proxy'",
        ),
        (
            "PYROGRAM_BRIDGE_URL",
            "bridge.example.org",
            "PYROGRAM_BRIDGE_URL must be an http(s) address without query, such as https://bridge.example.org, "
            "got 'bridge.example.org'",
        ),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(
    environ: pytest.MonkeyPatch, name: str, value: str, problem: str
) -> None:
    assert problems_of(environ, **{name: value}) == (problem,)


def test_secrets_never_appear_in_errors_or_in_the_settings_text(environ: pytest.MonkeyPatch) -> None:
    assert problems_of(environ, TG_API_HASH="hush-hush") == ("TG_API_HASH must be 32 hex digits",)
    environ.setenv("TG_API_HASH", GOOD["TG_API_HASH"])
    for name in ("TOKEN", "TG_PROXY_PASSWORD", "MEDIA_SIGNING_SECRET"):
        environ.setenv(name, f"hush-{name}")
    environ.setenv("TG_PROXY_URL", "socks5://user:hush@proxy.example:1080")
    shown = repr(load_settings(None))
    assert "hush" not in shown
    assert GOOD["TG_API_HASH"] not in shown


@pytest.mark.parametrize(("word", "value"), [("TRUE", True), ("1", True), ("Yes", True), ("on", True), ("No", False)])
def test_booleans_take_their_words_in_any_case(environ: pytest.MonkeyPatch, word: str, value: bool) -> None:
    environ.setenv("TIME_BASED_MERGE", word)
    assert load_settings(None).time_based_merge is value


@pytest.mark.parametrize("word", ["t", "y", "2", "enabled"])
def test_a_boolean_takes_no_other_word(environ: pytest.MonkeyPatch, word: str) -> None:
    assert len(problems_of(environ, TIME_BASED_MERGE=word)) == 1


def test_an_empty_variable_counts_as_unset(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("API_PORT", "")
    assert load_settings(None).api_port == 8000


def test_the_env_file_is_read_and_the_environment_wins(environ: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("API_PORT=8100\nTG_API_ID=7\nSOMETHING_ELSE=1\n", "utf-8")
    settings = load_settings(file)
    assert (settings.api_port, settings.tg_api_id) == (8100, 12345)


def test_an_env_file_in_another_encoding_is_one_line(environ: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes("TOKEN=пароль".encode("utf-16"))
    with pytest.raises(SettingsError, match="is not a text file in UTF-8"):
        load_settings(file)


def test_the_time_zone_is_the_named_one(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("TZ", "Asia/Tokyo")
    assert load_settings(None).time_zone == ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    "url", ['http://a b"><x/', "http://[::1", "https://u:p@host", "https://host/a?b", "https:///a"]
)
def test_a_public_address_that_could_break_out_of_a_link_is_refused(environ: pytest.MonkeyPatch, url: str) -> None:
    (problem,) = problems_of(environ, PYROGRAM_BRIDGE_URL=url)
    assert problem.startswith("PYROGRAM_BRIDGE_URL must be an http(s) address without query")


@pytest.mark.parametrize("url", ["http://[::1]:8000", "https://bridge.example.org/b", "http://127.0.0.1"])
def test_public_addresses_of_all_sorts_are_taken(environ: pytest.MonkeyPatch, url: str) -> None:
    environ.setenv("PYROGRAM_BRIDGE_URL", url + "/")
    assert load_settings(None).pyrogram_bridge_url == url


def test_an_absurdly_long_number_is_refused_in_one_short_line(environ: pytest.MonkeyPatch) -> None:
    (problem,) = problems_of(environ, HISTORY_CACHE_TTL_MINUTES="9" * 400)
    assert problem.startswith("HISTORY_CACHE_TTL_MINUTES must be an integer")
    assert len(problem) < 150


def test_a_line_of_the_env_file_that_can_not_be_read_stops_the_start(
    environ: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    file.write_text('API_PORT=8100\nTOKEN="secret\nDEBUG=false\n', "utf-8")
    with pytest.raises(SettingsError, match=r"\.env line 2 can't be read"):
        load_settings(file)


def test_the_limits_of_the_download_time_must_be_in_order(environ: pytest.MonkeyPatch) -> None:
    wrong = {"MEDIA_DOWNLOAD_TIMEOUT_MIN": "200", "MEDIA_DOWNLOAD_TIMEOUT_MAX": "100", "API_PORT": "0"}
    assert problems_of(environ, **wrong) == (
        "API_PORT must be an integer from 1 to 65535, got '0'",
        "MEDIA_DOWNLOAD_TIMEOUT_MAX must not be less than MEDIA_DOWNLOAD_TIMEOUT_MIN, got '100'",
    )
