"""The control port: the server's levers over HTTP, for demonstrations and other languages.

Loopback only. Requests that change something must be JSON, and the host must be a loopback
name: so no web page that happens to be open in a browser can pull the levers.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import uvicorn
from pyrogram import raw
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tgserver.entities import entity_from_json
from tgserver.export import build_message
from tgserver.export.text import utf16_length
from tgserver.export.values import timestamp
from tgserver.faults import LONGEST, Action, Fault, is_number
from tgserver.server import Server
from tgserver.transport import HOST
from tgserver.world import Chat, ChatKey, TLMessage

_FAULT_FIELDS = frozenset({"action", "method", "times", "after", "error", "code", "seconds", "dc_id", "media"})
# Bytes a second.
_FASTEST = 10**12
_NUMBER = re.compile(r"-?[0-9]{1,19}")
Endpoint = Callable[[Request], Awaitable[Response]]


class BadRequest(Exception):
    """A request that can't be done; its text says why."""

    def __init__(self, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Signals are for the process that this port is a part of.
        yield


class ControlPort:
    """The HTTP side of a server. `folders` are where the files of a chat's export are."""

    def __init__(self, server: Server, *, port: int = 0, folders: Mapping[ChatKey, Path] | None = None) -> None:
        self._server = server
        self._folders = dict(folders or {})
        self.port = port
        self._task: asyncio.Task[None] | None = None
        self._uvicorn = _Uvicorn(
            uvicorn.Config(self.app(), log_config=None, lifespan="off", access_log=False, timeout_graceful_shutdown=1)
        )

    async def start(self) -> None:
        """Listen. Raises OSError if the port is taken."""
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((HOST, self.port))
        except OSError:
            listener.close()
            raise
        self.port = listener.getsockname()[1]
        self._task = asyncio.create_task(self._uvicorn.serve(sockets=[listener]))
        while not self._uvicorn.started and not self._task.done():
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """Finish the requests under way and close."""
        if self._task is not None:
            self._uvicorn.should_exit = True
            await self._task

    def app(self) -> Starlette:
        """The ASGI application."""
        table: list[tuple[str, str, Endpoint]] = [
            ("GET", "/chats", self._chats),
            ("PATCH", "/chats/{chat}", self._rename),
            ("POST", "/chats/{chat}/messages", self._post),
            ("PATCH", "/chats/{chat}/messages/{message:int}", self._edit),
            ("DELETE", "/chats/{chat}/messages/{message:int}", self._delete),
            ("GET", "/calls", self._calls),
            ("DELETE", "/calls", self._forget_calls),
            ("GET", "/faults", self._faults),
            ("POST", "/faults", self._add_fault),
            ("DELETE", "/faults", self._clear_faults),
            ("GET", "/network", self._network),
            ("PATCH", "/network", self._set_network),
        ]
        return Starlette(
            routes=[Route(path, endpoint, methods=[method]) for method, path, endpoint in table],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])],
            exception_handlers={BadRequest: _refuse},
        )

    async def _chats(self, _: Request) -> Response:
        return JSONResponse([_summary(chat) for chat in self._server.world.chats.values() if not chat.mentioned])

    async def _rename(self, request: Request) -> Response:
        chat = self._chat(request)
        body = await _body(request, {"title", "username"})
        for name, value in body.items():
            if not isinstance(value, str):
                raise BadRequest(f"{name} must be a text")
        with _refusing():
            self._server.rename(chat, **body)
        return JSONResponse(_summary(chat))

    async def _post(self, request: Request) -> Response:
        chat = self._chat(request)
        body = await _body(request, {"text", "entities", "message"})
        with _refusing():
            if "message" in body:
                built = self._built(chat, body["message"])
                if built.id in chat.messages:
                    raise BadRequest(f"chat {chat.id} has a message {built.id} already; PATCH changes it")
                message = self._server.post(chat, built)
            else:
                text = _text(body)
                message = self._server.post(chat, text, entities=_entities(body, text))
        return JSONResponse(_told(message), 201)

    async def _edit(self, request: Request) -> Response:
        chat = self._chat(request)
        message_id = self._message_id(chat, request)
        body = await _body(request, {"text", "entities", "message"})
        with _refusing():
            if "message" in body:
                message = self._server.edit(chat, self._built(chat, body["message"], message_id))
            elif not isinstance(chat.messages[message_id], raw.types.Message):
                raise BadRequest("a service message has no text to edit")
            else:
                text = _text(body)
                message = self._server.edit(chat, message_id, text, entities=_entities(body, text))
        return JSONResponse(_told(message))

    async def _delete(self, request: Request) -> Response:
        chat = self._chat(request)
        self._server.delete(chat, self._message_id(chat, request))
        return Response(status_code=204)

    async def _calls(self, _: Request) -> Response:
        return JSONResponse(dict(self._server.calls.most_common()))

    async def _forget_calls(self, _: Request) -> Response:
        self._server.forget_calls()
        return Response(status_code=204)

    async def _faults(self, _: Request) -> Response:
        return JSONResponse([asdict(fault) for fault in self._server.faults])

    async def _add_fault(self, request: Request) -> Response:
        body = await _body(request, _FAULT_FIELDS)
        try:
            fault = Fault(**body)
        except (TypeError, ValueError) as error:
            raise BadRequest(f"{error}; actions are {', '.join(Action)}") from error
        if fault.dc_id is not None and fault.dc_id not in self._server.dcs:
            raise BadRequest(f"there is no data center {fault.dc_id}")
        return JSONResponse(asdict(self._server.faults.add(fault)), 201)

    async def _clear_faults(self, _: Request) -> Response:
        self._server.faults.clear()
        return Response(status_code=204)

    async def _network(self, _: Request) -> Response:
        return JSONResponse({"latency": self._server.latency, "bandwidth": self._server.bandwidth})

    async def _set_network(self, request: Request) -> Response:
        body = await _body(request, {"latency", "bandwidth"})
        latency, bandwidth = body.get("latency", 0), body.get("bandwidth")
        if not is_number(latency) or not 0 <= latency <= LONGEST:
            raise BadRequest(f"latency must be a number of seconds from 0 to {LONGEST}")
        if bandwidth is not None and (not is_number(bandwidth) or not 1 <= bandwidth <= _FASTEST):
            raise BadRequest(f"bandwidth must be a number of bytes a second from 1 to {_FASTEST}, or null for no limit")
        self._server.latency = body.get("latency", self._server.latency)
        self._server.bandwidth = body.get("bandwidth", self._server.bandwidth)
        return await self._network(request)

    def _chat(self, request: Request) -> Chat:
        which = request.path_params["chat"]
        try:
            return self._server.chat(int(which) if _NUMBER.fullmatch(which) else which)
        except KeyError:
            raise BadRequest(f"there is no chat {which}", 404) from None

    def _message_id(self, chat: Chat, request: Request) -> int:
        message_id: int = request.path_params["message"]
        if message_id not in chat.messages:
            raise BadRequest(f"chat {chat.id} has no message {message_id}", 404)
        return message_id

    def _built(self, chat: Chat, data: Any, message_id: int | None = None) -> TLMessage:
        """A message from the form that an export has. Raises ExportError."""
        if not isinstance(data, dict):
            raise BadRequest("message must be an object, as in an export's result.json")
        if message_id is not None:
            data = data | {"id": message_id}
        if not timestamp(data):
            data = data | {"date_unixtime": int(time.time())}
        return build_message(chat, data, self._folders.get(chat.key), self._server.world)


@contextmanager
def _refusing() -> Iterator[None]:
    """What the server can't do is the request's fault."""
    try:
        yield
    except ValueError as error:
        raise BadRequest(str(error)) from error


def _summary(chat: Chat) -> dict[str, Any]:
    return {
        "id": chat.id,
        "username": getattr(chat.peer, "username", None),
        "title": title_of(chat),
        "kind": kind_of(chat),
        "messages": len(chat.messages),
        "newest": chat.ids[-1] if chat.ids else None,
        "pts": chat.pts,
    }


def title_of(chat: Chat) -> str:
    """How a list names a chat. A basic group and the supergroup that it became differ."""
    peer = chat.peer
    if isinstance(peer, raw.types.User):
        return " ".join(filter(None, [peer.first_name, peer.last_name])) or "Deleted account"
    became_supergroup = isinstance(peer, raw.types.Chat) and peer.migrated_to is not None
    return f"{peer.title} (before the upgrade)" if became_supergroup else peer.title


def kind_of(chat: Chat) -> str:
    """What people call a chat of that kind."""
    if isinstance(chat.peer, raw.types.User):
        return "bot" if chat.peer.bot else "private chat"
    if isinstance(chat.peer, raw.types.Chat):
        return "basic group"
    return "channel" if chat.peer.broadcast else "supergroup"


def _told(message: TLMessage) -> dict[str, Any]:
    return {"id": message.id, "date": message.date}


def _text(body: Mapping[str, Any]) -> str:
    text = body.get("text")
    if not isinstance(text, str) or not text:
        raise BadRequest('either "text" (not empty) or "message" is needed')
    return text


def _entities(body: Mapping[str, Any], text: str) -> list[raw.base.MessageEntity]:
    entries = body.get("entities", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadRequest("entities must be a list of objects")
    length = utf16_length(text)
    entities = [entity_from_json(entry) for entry in entries]
    for entry in entries:
        if not (entry["offset"] >= 0 and 1 <= entry["length"] <= length - entry["offset"]):
            raise BadRequest(f"entity {entry['type']}: it must be within the text, which has {length} UTF-16 units")
    return entities


async def _body(request: Request, fields: set[str] | frozenset[str]) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadRequest("the body must be application/json", 415)
    content = await request.body()
    try:
        body = json.loads(content)
        # What JSON (RFC 8259) and UTF-8 can't say, Python's reader lets pass.
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError as error:
        raise BadRequest("the body is nested too deep") from error
    except UnicodeEncodeError as error:
        raise BadRequest("the body has a lone half of a surrogate pair, which is no character") from error
    except ValueError as error:
        raise BadRequest(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict) or body.keys() - fields:
        raise BadRequest(f"the body must be an object with some of {', '.join(sorted(fields))}")
    return body


async def _refuse(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, error.status if isinstance(error, BadRequest) else 500)
