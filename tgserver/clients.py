"""What a Kurigram client needs to reach this server instead of Telegram."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyrogram.connection import Connection

from tgserver.crypto.rsa import PublicKey
from tgserver.transport import HOST

# `port(dc_id, media)`.
PortOf = Callable[[int, bool], int]


def connection_factory(port: PortOf) -> type[Connection]:
    """A class for `Client(connection_factory=...)` whose connections all go to loopback ports.

    The ports are looked up at each connection. A data center that the server does not have
    raises KeyError there: nothing ever leaves the machine.
    """

    class LocalConnection(Connection):
        def __init__(self, **options: Any) -> None:
            local_port = port(options["dc_id"], bool(options.get("media")))
            super().__init__(**{**options, "server_address": HOST, "port": local_port})

    return LocalConnection


def session_string(dc_id: int, auth_key: bytes, user_id: int, *, api_id: int = 1) -> str:
    """A session string for `Client(session_string=...)`, together with a `connection_factory`."""
    packed = struct.pack(">BI?256sQ?", dc_id, api_id, False, auth_key, user_id, False)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def login_token(token: bytes | str) -> bytes:
    """A QR login's token, also from its `tg://login?token=` link."""
    if isinstance(token, bytes):
        return token
    encoded = token.rpartition("token=")[2]
    return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))


@dataclass(slots=True, frozen=True)
class Access:
    """All that a client in another process needs to know: the content of a ready file.

    `ports` are those of each data center, for main and for media connections.
    """

    ports: dict[int, tuple[int, int]]
    public_key: str
    session_string: str
    control_port: int | None = None

    @property
    def connection_factory(self) -> type[Connection]:
        """For `Client(connection_factory=...)`."""
        return connection_factory(lambda dc_id, media: self.ports[dc_id][media])

    def trust(self) -> AbstractContextManager[None]:
        """Let the clients of this process accept the server's key while the context lasts."""
        return PublicKey(int(self.public_key, 16)).trusted()

    def write(self, path: Path) -> None:
        """Write the ready file, in one step: who sees it sees all of it. Raises OSError, ValueError without a name."""
        part = path.with_name(path.name + ".part")
        try:
            part.write_text(json.dumps(asdict(self), indent=2) + "\n")
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise

    @classmethod
    def read(cls, path: Path) -> Access:
        """Read a ready file. Raises OSError or ValueError."""
        content = json.loads(path.read_text())
        ports = {int(dc_id): (main, media) for dc_id, (main, media) in content.pop("ports").items()}
        return cls(ports=ports, **content)
