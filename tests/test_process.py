"""The service as a process: how it starts, what it says when it can't, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config import Settings
from demo.processes import DIRECT

ROOT = Path(__file__).resolve().parent.parent
ACCOUNT = {"TG_API_ID": "1", "TG_API_HASH": "0" * 32}


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """This process's environment with the bridge's settings replaced."""
    own = {name.upper() for name in Settings.model_fields}
    kept = {name: value for name, value in os.environ.items() if name not in own}
    places = {"DATA_PATH": str(folder / "data"), "SESSION_PATH": str(folder / "data"), "API_HOST": "127.0.0.1"}
    return kept | places | settings


def start(folder: Path, **settings: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(ROOT / "api_server.py")]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment(folder, **settings),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def outcome(folder: Path, **settings: str) -> tuple[int, list[str]]:
    """The exit code and the lines of a start that should fail at once."""
    process = start(folder, **settings)
    out, err = process.communicate(timeout=30)
    assert out == ""
    return process.returncode, err.splitlines()


@contextmanager
def running(folder: Path, port: int, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """The service, answering on the port; killed at the end if it still runs."""
    process = start(folder, **ACCOUNT, API_PORT=str(port), **settings)
    try:
        wait_for_ping(port)
        yield process
    finally:
        process.kill()
        process.communicate()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_ping(port: int) -> None:
    """Return when /ping answers, with whatever status."""
    end = time.monotonic() + 30
    while True:
        try:
            DIRECT.open(f"http://127.0.0.1:{port}/ping", timeout=5)
        except urllib.error.HTTPError:
            return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)
        else:
            return


def test_missing_settings_are_one_line_each_and_exit_1(tmp_path: Path) -> None:
    code, lines = outcome(tmp_path)
    assert code == 1
    assert [line.split()[0] for line in lines] == ["TG_API_ID", "TG_API_HASH"]


def test_the_env_file_of_the_working_directory_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("TG_API_ID=1\nTG_API_HASH=wrong\n", "utf-8")
    assert outcome(tmp_path) == (1, ["TG_API_HASH must be 32 hex digits"])


def test_a_taken_port_is_one_line_and_exit_1(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, lines = outcome(tmp_path, **ACCOUNT, API_PORT=str(port))
    assert code == 1
    assert len(lines) == 1
    assert f"API_PORT {port}" in lines[0]
    assert "in use" in lines[0]


def test_a_data_folder_that_can_not_be_made_is_one_line_and_exit_1(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be", "utf-8")
    code, lines = outcome(tmp_path, **ACCOUNT, API_PORT=str(free_port()))
    assert code == 1
    assert len(lines) == 1
    assert str(tmp_path / "data") in lines[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_exit_0_within_ten_seconds(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path, free_port()) as process:
        began = time.monotonic()
        process.send_signal(number)
        assert process.wait(10) == 0
        assert time.monotonic() - began < 10
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize("name", ["bridge.db", "signing.key"])
def test_a_damaged_file_of_its_own_is_set_aside_with_a_warning_and_rebuilt(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / name).write_bytes(b"not what it was")
    with running(tmp_path, free_port()) as process:
        process.terminate()
        _, err = process.communicate(timeout=15)
    assert process.returncode == 0
    warnings = [line for line in err.splitlines() if "WARNING" in line]
    assert any(name in line for line in warnings), err
    assert "Traceback" not in err
    kept = [
        path
        for path in data.iterdir()
        if path.name.startswith(f"{name}.") and "-wal" not in path.name and "-shm" not in path.name
    ]
    assert [path.read_bytes() for path in kept] == [b"not what it was"]


def test_without_a_login_it_starts_asks_nothing_and_says_so(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, port) as process:
        text = ""
        deadline = time.monotonic() + 10
        while not text and time.monotonic() < deadline:
            try:
                DIRECT.open(f"http://127.0.0.1:{port}/ping", timeout=5)
            except urllib.error.HTTPError as degraded:
                assert degraded.code == 503
                text = degraded.read().decode()
        assert "./run.sh login" in text
        process.terminate()
        out, err = process.communicate(timeout=15)
    assert out == ""
    assert sum("login" in line for line in err.splitlines()) == 1


def test_a_second_service_on_the_same_data_ends_with_one_line_and_harms_nothing(tmp_path: Path) -> None:
    with running(tmp_path, free_port()) as first:
        part = tmp_path / "data" / "media" / "name.part.1234"
        part.parent.mkdir(exist_ok=True)
        part.write_bytes(b"on its way")
        second = start(tmp_path, **ACCOUNT, API_PORT=str(free_port()))
        _, err = second.communicate(timeout=60)
        assert second.returncode == 1
        assert f"(pid {first.pid})" in err.splitlines()[-1]
        assert "Traceback" not in err
        assert part.exists()


def test_two_services_on_one_port_do_not_both_believe_that_they_have_it(tmp_path: Path) -> None:
    port = free_port()
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    both = [start(folder, **ACCOUNT, API_PORT=str(port)) for folder in folders]
    try:
        wait_for_ping(port)
        deadline = time.monotonic() + 30
        while all(process.poll() is None for process in both) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert sorted(process.poll() is None for process in both) == [False, True]
    finally:
        for process in both:
            process.kill()
            process.communicate()


def test_importing_the_service_neither_reads_the_environment_nor_exits(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import api_server; print('imported')"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment(tmp_path, TG_RPC_TIMEOUT="nonsense", PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.stdout == "imported\n"
