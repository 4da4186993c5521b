"""`python -m tgserver` as its own process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyrogram import Client, raw

from tgserver.__main__ import main
from tgserver.clients import Access

ROOT = Path(__file__).parents[2]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    folder = tmp_path / "export"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "a.bin").write_bytes(b"abc" * 500_000)
    message = {"id": 7, "type": "message", "date": "2024-01-01T00:00:00", "date_unixtime": "1704067200"}
    content = {
        "name": "Demo",
        "type": "public_channel",
        "id": 123,
        "bridge": {"username": "demo"},
        "messages": [message | {"text": "hi", "file": "files/a.bin"}],
    }
    (folder / "result.json").write_text(json.dumps(content))
    return folder


async def spawn(*arguments: str | Path, environment: Mapping[str, str] | None = None) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tgserver", *map(str, arguments), cwd=ROOT, env=environment, stdout=PIPE, stderr=PIPE
    )


@asynccontextmanager
async def running(
    *arguments: str | Path, ready: Path, environment: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[Process, Access]]:
    process = await spawn(*arguments, "--ready-file", ready, environment=environment)
    try:
        async with asyncio.timeout(15):
            while not ready.exists():
                assert process.returncode is None, await process.communicate()
                await asyncio.sleep(0.02)
        yield process, Access.read(ready)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_an_export_is_served_to_other_processes_until_told_to_stop(export: Path, tmp_path: Path) -> None:
    ready, session = tmp_path / "ready.json", tmp_path / "demo.session"
    options = ("--control-port", "0", "--session", session, "--folder", "Reading", "demo", "-1000000000123")
    async with running("--export", export, *options, ready=ready) as started:
        process, access = started
        async with Client("demo", workdir=str(tmp_path)) as client:
            message = await anext(client.get_chat_history("demo", limit=1))
            received: Any = await client.download_media(message, in_memory=True)
            assert received.getvalue() == b"abc" * 500_000
            folders = (await client.invoke(raw.functions.messages.GetDialogFilters())).filters
            assert [peer.channel_id for peer in folders[1].include_peers] == [123, 123]
        with access.trust():
            async with Client(
                "string",
                session_string=access.session_string,
                in_memory=True,
                connection_factory=access.connection_factory,
            ) as client:
                assert (await client.get_session(4)).dc_id == 4
                await client.sessions[4].stop()
        async with httpx.AsyncClient(trust_env=False) as http:
            chats = (await http.get(f"http://127.0.0.1:{access.control_port}/chats")).json()
        assert [chat["title"] for chat in chats] == ["Demo"]
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.wait_for(process.communicate(), 5)
    assert (process.returncode, err) == (0, b"")
    lines = out.decode().splitlines()
    assert lines[0] == "@demo: Demo, channel, 1 messages"
    assert f"session file: {session}" in lines
    assert lines[-2].startswith(f"listening on 127.0.0.1:{access.ports[2][0]} (DC 2")
    assert not ready.exists()


async def test_the_process_refuses_with_one_line_and_code_2(tmp_path: Path) -> None:
    process = await spawn("--export", tmp_path / "nope")
    out, err = await asyncio.wait_for(process.communicate(), 15)
    assert (process.returncode, out) == (2, b"")
    assert err.decode().startswith(f"tgserver: {tmp_path / 'nope'}: no such folder; ")
    assert err.count(b"\n") == 1


async def test_any_title_can_be_printed_in_any_encoding(tmp_path: Path) -> None:
    content = {"name": "Гавань\x1b[2J\n🚢", "type": "private_channel", "id": 5, "messages": []}
    (tmp_path / "result.json").write_text(json.dumps(content))
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    async with running("--export", tmp_path, ready=tmp_path / "ready", environment=environment) as (process, _):
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.wait_for(process.communicate(), 5)
    assert (process.returncode, err) == (0, b"")
    assert out.splitlines()[0] == b"5: \\u0413\\u0430\\u0432\\u0430\\u043d\\u044c [2J \\U0001f6a2, channel, 0 messages"


def test_a_line_tells_when_reading_takes_a_while(
    refused: Callable[..., str], export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tgserver.__main__.PATIENCE", 0.0)
    many = [{"id": number, "type": "message", "text": "x"} for number in range(1, 5000)]
    (export / "result.json").write_text(json.dumps({"type": "private_channel", "id": 5, "messages": many}))
    lines = refused("--export", export, tmp_path / "nope").splitlines()
    assert lines[0] == f"tgserver: still reading {export}"
    assert lines[-1].startswith(f"tgserver: {tmp_path / 'nope'}: no such folder")


async def test_ctrl_c_ends_the_reading_of_exports(tmp_path: Path) -> None:
    many = [{"id": number, "type": "message", "text": "x"} for number in range(1, 2000)]
    (tmp_path / "result.json").write_text(json.dumps({"type": "private_channel", "id": 5, "messages": many}))
    process = await spawn("--export", *[tmp_path] * 300)
    assert process.stderr is not None
    async with asyncio.timeout(10):
        assert b"takes the place of" in await process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs the command where it must not start; what it says on stderr."""

    def run(*arguments: str | Path) -> str:
        assert main([str(argument) for argument in arguments]) == 2
        return capsys.readouterr().err

    return run


@pytest.mark.parametrize("content", ["", "{", "[]", '{"about": "some other program\'s file"}', "\x00\xff"])
def test_a_broken_or_foreign_export_is_one_line(refused: Callable[..., str], tmp_path: Path, content: str) -> None:
    (tmp_path / "result.json").write_text(content)
    error = refused("--export", tmp_path)
    assert error.startswith("tgserver: ")
    assert str(tmp_path) in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("option", ["--port", "--control-port"])
def test_a_taken_port_is_one_line(refused: Callable[..., str], export: Path, option: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        error = refused("--export", export, option, str(port))
    assert error.startswith(f"tgserver: {option} {port}: ")
    assert error.endswith("in use; choose another\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("folder", "why"),
    [
        (["Reading", "nobody"], "--folder Reading: there is no chat nobody"),
        (["Reading", "-77"], "--folder Reading: there is no chat -77"),
        (["x" * 13, "demo"], "--folder: a folder's title is a line of 1 to 12 characters, not 'xxxxxxxxxxxxx'"),
    ],
)
def test_a_folder_that_can_not_be_is_one_line(
    refused: Callable[..., str], export: Path, folder: list[str], why: str
) -> None:
    assert refused("--export", export, "--folder", *folder) == f"tgserver: {why}\n"


def test_a_session_file_of_somebody_else_is_left_alone(
    refused: Callable[..., str], export: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.session"
    mine.write_text("precious")
    error = refused("--export", export, "--session", mine)
    assert error == f"tgserver: {mine} is not a session of a local server; it is left as it is\n"
    assert mine.read_text() == "precious"


@pytest.mark.parametrize("option", ["--session", "--ready-file"])
def test_a_place_that_can_not_be_written_to_is_one_line(
    refused: Callable[..., str], export: Path, tmp_path: Path, option: str
) -> None:
    folder = tmp_path / "folder.session"
    folder.mkdir()
    for place in (tmp_path / "missing" / "file", folder, "", "/"):
        error = refused("--export", export, option, place)
        assert str(place) in error
        assert error.count("\n") == 1
    assert list(folder.iterdir()) == []
    assert not folder.with_name("folder.session.part").exists()


@pytest.mark.parametrize("arguments", [[], ["--export", ".", "--port", "70000"], ["--export", ".", "--port", "x"]])
def test_wrong_usage_is_explained(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m tgserver" in capsys.readouterr().err
