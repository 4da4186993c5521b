"""The demo's command line: what it refuses, what it prints, and that nothing of it stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from demo_process import (
    ROOT,
    START_WITHIN_S,
    STOP_WITHIN_S,
    ended,
    fetch,
    running,
    start,
    started,
    text_message,
    wait_for_output,
    write_export,
)

from demo.command import FEW_CHATS, addresses, parse_arguments, printable
from demo.product import free_port


@pytest.fixture
def export(tmp_path: Path) -> str:
    """The name of a small export in the test's folder."""
    return write_export(tmp_path / "small", "Notes", [text_message(1, "hello")]).name


def refused(*arguments: str, cwd: Path, **environment: str) -> tuple[int, list[str]]:
    """The exit code and the complaints of a demo that must not start."""
    process = start(*arguments, cwd=cwd, **environment)
    _, complaints = process.communicate(timeout=START_WITHIN_S)
    assert "running" not in (cwd / "output").read_text("utf-8")
    assert "Traceback" not in complaints
    return process.returncode, complaints.splitlines()


def test_proxies_of_the_environment_are_not_asked_for_loopback(tmp_path: Path, export: str) -> None:
    dead = f"http://127.0.0.1:{free_port()}"
    proxies = {"http_proxy": dead, "HTTP_PROXY": dead, "https_proxy": dead, "all_proxy": dead, "no_proxy": ""}
    with running(export, cwd=tmp_path, **proxies) as demo:
        (feed,) = demo.feeds.values()
        assert b"hello" in fetch(feed)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM], ids=["terminal-closed", "SIGTERM"])
def test_a_signal_ends_the_demo_and_its_processes(tmp_path: Path, export: str, number: signal.Signals) -> None:
    places = tmp_path / "places"
    places.mkdir()
    with started(export, cwd=tmp_path, TMPDIR=str(places)) as demo:
        children = demo.children()
        assert len(children) == 2
        assert len(list(places.iterdir())) == 1
        demo.process.send_signal(number)
        _, complaints = demo.process.communicate(timeout=STOP_WITHIN_S)
        assert (demo.process.returncode, complaints) == (0, "")
        assert ended(children)
        assert list(places.iterdir()) == []


def test_under_nohup_the_demo_outlives_its_terminal(tmp_path: Path, export: str) -> None:
    ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with running(export, cwd=tmp_path) as demo:
            demo.process.send_signal(signal.SIGHUP)
            (feed,) = demo.feeds.values()
            assert b"hello" in fetch(feed)
            assert demo.process.poll() is None
    finally:
        signal.signal(signal.SIGHUP, ignored)


def test_a_second_interrupt_ends_a_bridge_that_does_not_listen(tmp_path: Path, export: str) -> None:
    with started(export, cwd=tmp_path) as demo:
        children = demo.children()
        next(child for child in children if "tgserver" not in child.cmdline()).suspend()
        demo.process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        demo.process.send_signal(signal.SIGINT)
        _, complaints = demo.process.communicate(timeout=STOP_WITHIN_S)
        assert (demo.process.returncode, complaints) == (0, "")
        assert ended(children)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_a_killed_demo_takes_its_processes_along(tmp_path: Path, export: str) -> None:
    with started(export, cwd=tmp_path) as demo:
        children = demo.children()
        assert len(children) == 2
        demo.process.kill()
        assert ended(children)


def test_a_process_that_ends_ends_the_demo_with_a_line(tmp_path: Path, export: str) -> None:
    with started(export, cwd=tmp_path) as demo:
        children = demo.children()
        telegram = next(child for child in children if "tgserver" in child.cmdline())
        telegram.kill()
        _, complaints = demo.process.communicate(timeout=STOP_WITHIN_S)
        assert demo.process.returncode == 1
        last = complaints.splitlines()[-1]
        assert last == "The local Telegram server was killed (signal 9); the demo has stopped"
        assert "Traceback" not in complaints
        assert ended(children)


@pytest.mark.parametrize("after_s", [0.1, 0.5, 1])
def test_an_early_interrupt_says_nothing(tmp_path: Path, export: str, after_s: float) -> None:
    process = start("--port", str(free_port()), export, cwd=tmp_path)
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=STOP_WITHIN_S)
    assert complaints == ""
    assert process.returncode in (0, -signal.SIGINT)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("nothing", None, "no such folder"),
        ("empty", {}, "result.json"),
        ("broken", {"result.json": '{"name": "x", "messages": ['}, "result.json"),
        ("slack", {"result.json": '[{"user": "U1", "text": "hi"}]'}, "result.json"),
    ],
)
def test_a_broken_or_foreign_folder_is_one_line_and_exit_2(
    tmp_path: Path, name: str, content: dict[str, str] | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).mkdir()
        for file, text in content.items():
            (tmp_path / name / file).write_text(text, "utf-8")
    code, complaints = refused("--port", str(free_port()), name, cwd=tmp_path)
    assert code == 2
    (line,) = complaints
    assert words in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--port", "0"], "must be from 1 to 65535"),
        (["--port", "99999"], "must be from 1 to 65535"),
        (["--port", "-1"], "must be from 1 to 65535"),
        (["--port", "http"], "must be from 1 to 65535"),
        (["--interval", "0"], "must be a number of seconds"),
        (["--interval", "-5"], "must be a number of seconds"),
        (["--interval", "inf"], "must be a number of seconds"),
        (["--interval", "nan"], "must be a number of seconds"),
        (["--interval", "1e300"], "must be a number of seconds"),
        (["--interval", "soon"], "must be a number of seconds"),
    ],
)
def test_wrong_usage_is_told_in_words(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        parse_arguments(arguments)
    assert exit.value.code == 2
    complaint = capsys.readouterr().err.splitlines()[-1]
    assert f"argument {arguments[0]}: {words}" in complaint
    assert repr(arguments[1]) in complaint


def test_two_demos_begun_at_once_on_one_port_are_one_demo_and_one_line(tmp_path: Path, export: str) -> None:
    port = str(free_port())
    folders = [tmp_path / "first", tmp_path / "second"]
    processes = []
    for folder in folders:
        folder.mkdir()
        processes.append(start("--port", port, str(tmp_path / export), cwd=folder))
    try:
        deadline = time.monotonic() + START_WITHIN_S
        while all(process.poll() is None for process in processes):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        loser = next(index for index, process in enumerate(processes) if process.poll() is not None)
        _, complaints = processes[loser].communicate(timeout=STOP_WITHIN_S)
        assert processes[loser].returncode == 1
        assert len(complaints.splitlines()) == 1
        assert port in complaints
        assert "running" not in (folders[loser] / "output").read_text("utf-8")
        wait_for_output(processes[1 - loser], folders[1 - loser] / "output", "^The demo is running")
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
                process.communicate(timeout=STOP_WITHIN_S)


def test_the_end_of_the_local_server_is_seen_while_the_bridge_starts(tmp_path: Path, export: str) -> None:
    process = start("--port", str(free_port()), export, cwd=tmp_path)
    try:
        parent = psutil.Process(process.pid)
        deadline = time.monotonic() + START_WITHIN_S
        while len(children := parent.children()) < 2:
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.01)
        # The bridge must not be done before the server is gone.
        telegram, bridge = sorted(children, key=lambda child: child.create_time())
        bridge.suspend()
        telegram.kill()
        telegram_ended = psutil.wait_procs([telegram], timeout=STOP_WITHIN_S)[0]
        assert telegram_ended
        bridge.resume()
        _, complaints = process.communicate(timeout=STOP_WITHIN_S)
        assert process.returncode == 1
        assert complaints == "The local Telegram server was killed (signal 9); the demo has stopped\n"
        assert ended(children)
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=STOP_WITHIN_S)


def test_a_long_start_is_told_and_can_be_left(tmp_path: Path) -> None:
    """The server, kept from going on, stands for one that loads a great export."""
    export = write_export(tmp_path / "great", "Notes", [text_message(1, "hello")]).name
    process = start("--port", str(free_port()), export, cwd=tmp_path)
    try:
        parent = psutil.Process(process.pid)
        deadline = time.monotonic() + START_WITHIN_S
        while not (children := parent.children()):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        children[0].suspend()
        printed = wait_for_output(process, tmp_path / "output", "so far")
        assert printed.startswith("Loading 1 export, ")
        children[0].resume()
        wait_for_output(process, tmp_path / "output", "^The demo is running")
    finally:
        process.terminate()
        process.communicate(timeout=STOP_WITHIN_S)
    assert process.returncode == 0


def test_a_title_reaches_the_terminal_without_what_steers_it(tmp_path: Path) -> None:
    write_export(tmp_path / "foreign", "\x1b]0;owned\x07\x1b[31mRed 漢字\u202e\nnext", [text_message(1, "hello")])
    with running("foreign", cwd=tmp_path, PYTHONIOENCODING="latin-1") as demo:
        assert "\\u6f22\\u5b57" in demo.printed
        assert "\x1b" not in demo.printed
        assert "\x07" not in demo.printed
        assert len(demo.feeds) == 1


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("The Lighthouse", "The Lighthouse"),
        ("🏳️\u200d🌈 می\u200cخواهم", "🏳️\u200d🌈 می\u200cخواهم"),
        ("two\r\n\tlines", "two lines"),
        ("\x1b[2J\x9b1m\x7f", "�[2J�1m�"),
        ("a\u202egpj.exe\u2066", "a�gpj.exe�"),
        ("a\u2028b\ud800", "a b�"),
    ],
)
def test_titles_are_shown_on_one_line(title: str, shown: str) -> None:
    assert printable(title) == shown


def test_hundreds_of_chats_have_a_line_each() -> None:
    chats = [(str(-1000000000000 - number), f"Chat {number}") for number in range(400)]
    lines = addresses("http://127.0.0.1:8000", chats).splitlines()
    assert len(lines) == 405
    assert lines[-1] == "All feeds, for a reader to import: http://127.0.0.1:8000/opml"
    assert "400 chats" in lines[1]
    assert lines[3] == "  http://127.0.0.1:8000/html/-1000000000000  Chat 0"


def test_a_few_chats_have_page_and_feed() -> None:
    text = addresses("http://127.0.0.1:8000", [("a b/c", "")] * FEW_CHATS)
    assert text.count("/rss/a%20b%2Fc") == text.count("/html/a%20b%2Fc") == text.count("(no title)") == FEW_CHATS


def test_no_place_for_files_is_one_line_and_exit_1(tmp_path: Path, export: str) -> None:
    """Nothing can be written in a folder that is a file, not even by root."""
    place = tmp_path / "place"
    place.write_text("")
    code = (
        "import sys, tempfile; tempfile.tempdir = sys.argv.pop(1)\n"
        "from demo.command import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(place), "--port", str(free_port()), export],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=START_WITHIN_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert str(place) in line


def test_files_of_the_folder_that_one_stands_in_are_no_modules(tmp_path: Path, export: str) -> None:
    for name in ("config.py", "demo.py", "errors.py"):
        (tmp_path / name).write_text("raise SystemExit('imported')\n")
    with running(export, cwd=tmp_path) as demo:
        assert len(demo.feeds) == 1


def test_a_reader_of_the_output_that_goes_away_is_no_fault(tmp_path: Path, export: str) -> None:
    command = [sys.executable, "-P", "-m", "demo", "--port", str(free_port()), export]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    complaints = process.stderr.read()
    assert (process.wait(STOP_WITHIN_S), complaints) == (0, "")
