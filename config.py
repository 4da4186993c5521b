"""The settings: environment variables and the `.env` file, read once, checked together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, tzinfo
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import annotated_types
from dotenv.parser import parse_stream
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

VERSION = "0.1.0"

TRUE_WORDS = frozenset({"true", "1", "yes", "on"})
FALSE_WORDS = frozenset({"false", "0", "no", "off"})
PROXY_SCHEMES = ("socks5://", "socks5h://", "http://", "tg://proxy", "tg:proxy", "https://t.me/proxy", "t.me/proxy")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

# Scheme, host name or address with an optional port, and a plain path: nothing that could end an attribute or a line.
_BASE_URL = re.compile(r"https?://(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]+)*")
# The shape of BCP 47's tags (RFC 5646 2.1).
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")

Network = IPv4Network | IPv6Network


class SettingsError(ValueError):
    """One or more settings are wrong. `problems` holds one line each, ready to be shown; no secret is in them."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def _parse_bool(value: object) -> object:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in TRUE_WORDS or word in FALSE_WORDS:
        return word in TRUE_WORDS
    raise ValueError("must be true/1/yes/on or false/0/no/off")


def _parse_networks(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return tuple(ip_network(part.strip(), strict=False) for part in value.split(",") if part.strip())
    except ValueError:
        raise ValueError("must be addresses or networks separated by commas, such as 10.0.0.0/8,::1") from None


def _parse_base_url(value: object) -> object:
    url = str(value).strip().rstrip("/")
    if url and _BASE_URL.fullmatch(url) is None:
        raise ValueError("must be an http(s) address without query, such as https://bridge.example.org")
    return url


def _parse_proxy_url(value: object) -> object:
    text = value.get_secret_value() if isinstance(value, SecretStr) else str(value).strip()
    if text and not text.startswith(PROXY_SCHEMES):
        raise ValueError("must be socks5://host:port, http://host:port or a tg://proxy link with its secret")
    return text


def _parse_listen_host(value: object) -> object:
    host = str(value).strip()
    if re.fullmatch(r"[A-Za-z0-9_.:%-]+", host) is None:
        raise ValueError("must be a host name or address of this machine, such as 127.0.0.1 or ::")
    return host


def _parse_link_host(value: object) -> object:
    host = str(value).strip().lower()
    if not host or any(character not in "abcdefghijklmnopqrstuvwxyz0123456789.-" for character in host):
        raise ValueError("must be a host name, such as t.me")
    return host


def _parse_language(value: object) -> object:
    tag = str(value).strip()
    if tag and _LANGUAGE.fullmatch(tag) is None:
        raise ValueError("must be a language tag, such as en, pt-BR or zh-Hant")
    return tag


def _parse_time_zone(value: object) -> object:
    name = str(value).strip().removeprefix(":")
    try:
        if name:
            ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("must be the name of a time zone, such as Europe/Berlin") from None
    return name


def _parse_api_hash(value: object) -> object:
    text = value.get_secret_value() if isinstance(value, SecretStr) else str(value).strip()
    if re.fullmatch(r"[0-9a-fA-F]{32}", text) is None:
        raise ValueError("must be 32 hex digits")
    return text


def _parse_log_level(value: object) -> object:
    level = str(value).strip().upper()
    if level not in LOG_LEVELS:
        raise ValueError(f"must be one of {', '.join(LOG_LEVELS)}")
    return level


Bool = Annotated[bool, BeforeValidator(_parse_bool)]
Port = Annotated[int, Field(ge=1, le=65535)]
# Nothing that is counted here makes sense beyond: a thousand million seconds are 31 years.
MOST = 10**9
AtLeastZero = Annotated[int, Field(ge=0, le=MOST)]
AtLeastOne = Annotated[int, Field(ge=1, le=MOST)]


class Settings(BaseSettings):
    """Every setting of the service. The environment variable is the field's name in capitals."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    tg_api_id: Annotated[int, Field(ge=1, le=2**31 - 1)] = Field(
        description="The application's id from my.telegram.org."
    )
    tg_api_hash: Annotated[SecretStr, BeforeValidator(_parse_api_hash)] = Field(
        description="The application's hash from my.telegram.org, 32 hex digits."
    )
    session_path: Path = Field(Path("data"), description="The folder of the session file.")
    data_path: Path = Field(
        Path("data"), description="The folder of the database, the media cache and the signing key."
    )
    api_host: Annotated[str, BeforeValidator(_parse_listen_host)] = Field(
        "0.0.0.0", description="The address to listen on."
    )
    api_port: Port = Field(8000, description="The port to listen on.")
    pyrogram_bridge_url: Annotated[str, BeforeValidator(_parse_base_url)] = Field(
        "", description="The public base URL of this service. Empty: taken from each request."
    )
    token: SecretStr = Field(
        SecretStr(""), description="The token that private routes need. Empty: everything is open."
    )
    trusted_proxies: Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_parse_networks)] = Field(
        (), description="Addresses or networks, separated by commas, whose X-Forwarded-* headers are believed."
    )
    log_level: Annotated[str, BeforeValidator(_parse_log_level)] = Field(
        "INFO", description="The least severity that is logged."
    )
    debug: Bool = Field(False, description="Serves the OpenAPI documentation at /docs.")
    time_based_merge: Bool = Field(
        False, description="Joins messages that follow each other within seconds into one post."
    )
    show_bridge_link: Bool = Field(False, description="Adds a link to the post's page on this bridge to its footer.")
    show_post_flags: Bool = Field(False, description="Adds the post's flags to its footer.")
    tg_link_host: Annotated[str, BeforeValidator(_parse_link_host)] = Field(
        "t.me", description="The web host that links to channels and posts point to."
    )
    feed_language: Annotated[str, BeforeValidator(_parse_language)] = Field(
        "", description="The language that feeds and posts are said to be in, such as pt-BR. Empty: they don't say."
    )
    tg_proxy_host: str = Field("", description="The SOCKS5 proxy to reach Telegram through.")
    tg_proxy_port: Port = Field(1080, description="The proxy's port.")
    tg_proxy_username: str = Field("", description="The proxy's user name.")
    tg_proxy_password: SecretStr = Field(SecretStr(""), description="The proxy's password.")
    tg_proxy_url: Annotated[SecretStr, BeforeValidator(_parse_proxy_url)] = Field(
        SecretStr(""), description="The proxy as one address instead: socks5://, http:// or a tg://proxy link."
    )
    tg_rpc_concurrency: AtLeastOne = Field(1, description="How many Telegram calls may run at once.")
    tg_rpc_min_interval_ms: AtLeastZero = Field(
        500, description="The least time between the starts of two calls, in ms."
    )
    tg_rpc_timeout: AtLeastOne = Field(60, description="The longest that one call may take, in seconds.")
    tg_chat_cache_ttl_hours: AtLeastOne = Field(12, description="How old a channel's title, about and photo may get.")
    history_cache_ttl_minutes: AtLeastZero = Field(
        480, description="How old a channel's history may get before a poll asks Telegram again. 0: ask at each poll."
    )
    tg_watchdog_enabled: Bool = Field(
        True, description="Probes the connection, and restarts it when it does not answer or is lost again and again."
    )
    tg_watchdog_interval: AtLeastOne = Field(60, description="Seconds between two probes of the connection.")
    tg_watchdog_timeout: AtLeastOne = Field(10, description="The longest that a probe may take, in seconds.")
    tg_watchdog_failures: AtLeastOne = Field(
        3, description="So many probes in a row without an answer lead to a restart of the connection."
    )
    tg_watchdog_restart_timeout: AtLeastOne = Field(
        90, description="The longest that a restart may take, in seconds; after that the process ends with code 70."
    )
    tg_watchdog_heartbeat_every: AtLeastZero = Field(
        30, description="After so many probes a line in the log says how things are. 0: never."
    )
    tg_disconnect_flap_limit: AtLeastOne = Field(
        3, description="So many lost connections within TG_DISCONNECT_FLAP_WINDOW lead to a restart of the connection."
    )
    tg_disconnect_flap_window: AtLeastOne = Field(
        120, description="The time in which lost connections are counted, in seconds."
    )
    tg_ping_unhealthy_after: AtLeastZero = Field(
        0,
        description="/ping is degraded when Telegram's latest answer is older than this, in seconds. "
        "0: TG_WATCHDOG_INTERVAL * (TG_WATCHDOG_FAILURES + 1) + TG_WATCHDOG_TIMEOUT.",
    )
    tg_max_concurrent_transmissions: AtLeastOne = Field(3, description="How many files are downloaded at once.")
    media_download_timeout_min: AtLeastOne = Field(120, description="The least time a download is given, in seconds.")
    media_download_timeout_max: AtLeastOne = Field(1800, description="The most time a download is given, in seconds.")
    media_download_min_speed: AtLeastOne = Field(
        262144, description="The slowest acceptable download, in bytes a second: a file's time is its size over this."
    )
    media_timeout_restart_threshold: AtLeastOne = Field(
        5, description="So many downloads in a row that run out of time lead to a restart of the connection."
    )
    media_cache_ttl_days: AtLeastOne = Field(20, description="Media that nobody has asked for this long is removed.")
    media_cache_max_gb: Annotated[float, Field(ge=0, le=MOST, allow_inf_nan=False)] = Field(
        0, description="The media cache's size limit in GB; the least recently used goes first. 0: no limit."
    )
    media_warm: Bool = Field(True, description="Fetches the media of what is polled before anyone asks for it.")
    media_warm_max_mb: Annotated[int, Field(ge=1, le=100)] = Field(
        20, description="Larger files, in MB, are fetched only when somebody asks for them."
    )
    media_signing_secret: SecretStr = Field(
        SecretStr(""),
        description="The key that media addresses are signed with. Empty: a random key file in DATA_PATH.",
    )
    media_url_ttl_days: AtLeastZero = Field(0, description="Media addresses expire after this many days. 0: never.")
    io_thread_pool_size: AtLeastOne = Field(32, description="Threads for rendering and file work.")
    reply_quote_truncate_chars: AtLeastZero = Field(
        200, description="How much of a near post is quoted in a reply to it."
    )
    reply_quote_truncate_distance: AtLeastZero = Field(
        2, description="How near, in message ids, a post counts as near."
    )
    tz: Annotated[str, BeforeValidator(_parse_time_zone)] = Field(
        "", description="The time zone of dates on pages. Empty: the system's."
    )

    @field_validator("media_download_timeout_max")
    @classmethod
    def _not_below_the_least(cls, value: int, info: ValidationInfo) -> int:
        if value < info.data.get("media_download_timeout_min", 0):
            raise ValueError("must not be less than MEDIA_DOWNLOAD_TIMEOUT_MIN")
        return value

    @property
    def ping_unhealthy_after(self) -> int:
        """Seconds after Telegram's latest answer from which /ping reports the service as degraded."""
        until_a_restart = self.tg_watchdog_interval * (self.tg_watchdog_failures + 1) + self.tg_watchdog_timeout
        return self.tg_ping_unhealthy_after or until_a_restart

    @property
    def time_zone(self) -> tzinfo:
        """The zone that `tz` names, else the system's, else UTC."""
        if self.tz:
            return ZoneInfo(self.tz)
        try:
            with Path("/etc/localtime").open("rb") as file:
                return ZoneInfo.from_file(file)
        except (OSError, ValueError):
            return UTC


def load_settings(env_file: Path | None = Path(".env")) -> Settings:
    """The settings from the environment, which wins, and from `env_file` if there is one.

    Raises SettingsError naming every wrong setting, one line each.
    """
    try:
        broken = _broken_lines(env_file) if env_file is not None and env_file.is_file() else []
    except UnicodeDecodeError:
        raise SettingsError([f"{env_file} is not a text file in UTF-8"]) from None
    except OSError as error:
        raise SettingsError([f"{env_file} can't be read: {error.strerror}"]) from None
    if broken:
        # A line that is skipped may have held the token, and the bridge would be open.
        raise SettingsError(broken)
    try:
        return Settings(_env_file=env_file)  # type: ignore[call-arg]
    except ValidationError as error:
        problems = [_problem(item["loc"], item["type"], item["msg"], item["input"]) for item in error.errors()]
        raise SettingsError(problems) from None


def _broken_lines(env_file: Path) -> list[str]:
    with env_file.open(encoding="utf-8") as stream:
        return [
            f"{env_file} line {binding.original.line} can't be read: write NAME=value, with quotes closed"
            for binding in parse_stream(stream)
            if binding.error
        ]


def _problem(location: tuple[int | str, ...], kind: str, message: str, value: Any) -> str:
    name = str(location[0])
    field = Settings.model_fields[name]
    if kind == "missing":
        return f"{name.upper()} is required: {field.description}"
    text = str(value)
    shown = "" if field.annotation is SecretStr else f", got {text[:60] + '…' if len(text) > 60 else text!r}"
    return f"{name.upper()} {_requirement(field, message)}{shown}"


def _requirement(field: FieldInfo, message: str) -> str:
    """What the setting must be, in words: its own validator's, else from its type and bounds."""
    own = message.removeprefix("Value error, ")
    if own != message:
        return own
    low = next((str(item.ge) for item in field.metadata if isinstance(item, annotated_types.Ge)), None)
    high = next((str(item.le) for item in field.metadata if isinstance(item, annotated_types.Le)), None)
    if field.annotation in {int, float}:
        noun = "an integer" if field.annotation is int else "a number"
        if low is not None and high is not None and (int(high) < MOST or "less than" in message):
            return f"must be {noun} from {low} to {high}"
        return f"must be {noun} >= {low}"
    return f"is wrong: {message[0].lower()}{message[1:]}"
