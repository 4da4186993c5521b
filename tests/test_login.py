"""Logging in against the local server: by phone, by QR code, with a password, over data centers."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import re
import select
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import segno
from pyrogram import raw
from telegram_world import logged_in, options_for, small_world

from telegram.connection import open_connection
from telegram.login_flow import LoginFailed, Method, _drawing, _duration, login
from telegram.session_file import SessionFile, SessionInUse
from tg_throttle import RpcGate
from tgserver import Server
from tgserver.crypto.rsa import RsaKey

PHONE = "4915123456789"
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


@pytest.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(small_world(), rsa_key=rsa_key) as running:
        with running.trust():
            yield running


class Script:
    """Answers questions from a list, and keeps what it was asked and told."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.questions: list[str] = []
        self.secret_questions: list[str] = []
        self.shown: list[str] = []

    async def ask(self, question: str) -> str:
        self.questions.append(question)
        return self.answers.pop(0)

    async def ask_secret(self, question: str) -> str:
        self.secret_questions.append(question)
        return self.answers.pop(0)

    def show(self, text: str) -> None:
        self.shown.append(text)

    @property
    def codes_shown(self) -> int:
        return sum("█" in text or "▄" in text for text in self.shown)


class Scanner(Script):
    """A phone that scans the QR code that is shown."""

    def __init__(self, server: Server, *answers: str, from_code: int = 1) -> None:
        super().__init__(*answers)
        self.server = server
        self.from_code = from_code

    def show(self, text: str) -> None:
        super().show(text)
        if "▄" in text and self.codes_shown == self.from_code:
            # The server knows which token is on show; the drawing has a test of its own.
            token = list(self.server.logins.tokens)[-1]
            asyncio.get_running_loop().call_later(0.02, self.server.scan_qr, token)


def account(server: Server, *, password: str | None = None, dc_id: int | None = None) -> None:
    user = raw.types.User(id=7001, access_hash=1, first_name="Grace", last_name="Hopper", username="grace")
    server.add_account(user, phone=PHONE, code="24680", password=password, hint="the usual", dc_id=dc_id)


async def who_is_in(server: Server, folder: Path) -> str:
    """The account that the session file is logged in as, by asking the server."""
    connection = await open_connection(options_for(folder), RpcGate(), server.connection_factory)
    name = connection.name
    await connection.close()
    return name


async def test_login_by_phone_number_and_code(server: Server, tmp_path: Path) -> None:
    account(server)
    folder = tmp_path / "data"
    script = Script("+49 151 2345-6789", "24680")
    name = await login(options_for(folder), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert name == "Grace Hopper (@grace)"
    assert await who_is_in(server, folder) == name
    path = SessionFile(folder).path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(entry.name for entry in folder.iterdir()) == ["bridge.session", "bridge.session.lock"]


async def test_wrong_numbers_and_codes_can_be_given_again(server: Server, tmp_path: Path) -> None:
    account(server)
    script = Script("no digits", "999", PHONE, "11111", "", "24680")
    await login(options_for(tmp_path), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert [text for text in script.shown if "not know that number" in text]
    assert len([text for text in script.shown if "not the code" in text]) == 2


async def test_an_expired_code_is_sent_anew(server: Server, tmp_path: Path) -> None:
    account(server)
    server.fail("auth.signIn", "PHONE_CODE_EXPIRED", 1)
    script = Script(PHONE, "24680", "24680")
    await login(options_for(tmp_path), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert server.calls["auth.sendCode"] == 2


async def test_the_password_is_asked_with_its_hint_until_it_is_right(server: Server, tmp_path: Path) -> None:
    account(server, password="open sesame")
    script = Script(PHONE, "24680", "wrong", "", "open sesame")
    name = await login(options_for(tmp_path), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert name == "Grace Hopper (@grace)"
    assert len(script.secret_questions) == 3
    assert "the usual" in script.secret_questions[0]
    assert not [text for text in script.shown + script.questions if "sesame" in text]


async def test_an_account_of_another_data_center_is_followed_there(server: Server, tmp_path: Path) -> None:
    account(server, dc_id=4)
    script = Script(PHONE, "24680")
    await login(options_for(tmp_path), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert await who_is_in(server, tmp_path) == "Grace Hopper (@grace)"


async def test_an_account_that_moves_during_the_sign_in_is_followed(server: Server, tmp_path: Path) -> None:
    account(server)
    server.fail("auth.signIn", "USER_MIGRATE_4", 1)
    # The number is at home at DC 2, so DC 4 sends the login back, and all of it goes on from there.
    script = Script(PHONE, "24680", "24680")
    await login(options_for(tmp_path), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert server.calls["auth.signIn"] == 2


async def test_login_by_qr_code(server: Server, tmp_path: Path) -> None:
    account(server)
    script = Scanner(server)
    name = await login(options_for(tmp_path), script, method=Method.QR, connection_factory=server.connection_factory)
    assert name == "Grace Hopper (@grace)"
    assert script.codes_shown == 1
    assert await who_is_in(server, tmp_path) == name


async def test_login_by_qr_code_asks_for_the_password(server: Server, tmp_path: Path) -> None:
    account(server, password="open sesame")
    script = Scanner(server, "wrong", "open sesame")
    await login(options_for(tmp_path), script, method=Method.QR, connection_factory=server.connection_factory)
    assert await who_is_in(server, tmp_path) == "Grace Hopper (@grace)"
    assert "the usual" in script.secret_questions[0]


@pytest.mark.parametrize("password", [None, "open sesame"])
async def test_login_by_qr_code_at_another_data_center(server: Server, tmp_path: Path, password: str | None) -> None:
    account(server, dc_id=4, password=password)
    script = Scanner(server, "open sesame")
    await login(options_for(tmp_path), script, method=Method.QR, connection_factory=server.connection_factory)
    assert await who_is_in(server, tmp_path) == "Grace Hopper (@grace)"


async def test_a_qr_code_that_expires_is_followed_by_another(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account(server)
    monkeypatch.setattr("tgserver.rpc.auth._TOKEN_LIFETIME", 1)
    script = Scanner(server, from_code=2)
    await login(options_for(tmp_path), script, method=Method.QR, connection_factory=server.connection_factory)
    assert script.codes_shown == 2


async def test_a_qr_code_that_nobody_scans_ends_the_login(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tgserver.rpc.auth._TOKEN_LIFETIME", 1)
    monkeypatch.setattr("telegram.login_flow.QR_CODES", 1)
    with pytest.raises(LoginFailed, match="scanned"):
        await login(options_for(tmp_path), Script(), method=Method.QR, connection_factory=server.connection_factory)
    assert not SessionFile(tmp_path).path.exists()


async def test_the_user_chooses_how_to_log_in(server: Server, tmp_path: Path) -> None:
    account(server)
    script = Script("what?", "p", PHONE, "24680")
    await login(options_for(tmp_path), script, connection_factory=server.connection_factory)
    assert len([question for question in script.questions if "QR" in question.upper()]) == 2


async def test_a_session_that_works_is_replaced_only_on_demand(server: Server, tmp_path: Path) -> None:
    await logged_in(server, tmp_path)
    before = SessionFile(tmp_path).path.read_bytes()
    script = Script("n")
    assert await login(options_for(tmp_path), script, connection_factory=server.connection_factory) == "Local Tester"
    assert [text for text in script.shown if "Local Tester" in text]
    assert SessionFile(tmp_path).path.read_bytes() != b""
    assert await who_is_in(server, tmp_path) == "Local Tester"
    assert len(before) == len(SessionFile(tmp_path).path.read_bytes())

    account(server)
    script = Script("y", "p", PHONE, "24680")
    name = await login(options_for(tmp_path), script, connection_factory=server.connection_factory)
    assert name == "Grace Hopper (@grace)"
    assert await who_is_in(server, tmp_path) == name


async def test_a_login_that_is_broken_off_keeps_the_old_session(server: Server, tmp_path: Path) -> None:
    await logged_in(server, tmp_path)
    account(server)

    class Impatient(Script):
        async def ask(self, question: str) -> str:
            if question.startswith("Code"):
                raise KeyboardInterrupt
            return await super().ask(question)

    with pytest.raises(KeyboardInterrupt):
        await login(options_for(tmp_path), Impatient("y", "p", PHONE), connection_factory=server.connection_factory)
    assert await who_is_in(server, tmp_path) == "Local Tester"
    assert not [entry for entry in tmp_path.iterdir() if entry.name not in ("bridge.session", "bridge.session.lock")]


async def test_a_revoked_session_is_replaced_without_asking(server: Server, tmp_path: Path) -> None:
    await logged_in(server, tmp_path)
    server.revoke()
    account(server)
    script = Script(PHONE, "24680")
    await login(options_for(tmp_path), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert [text for text in script.shown if "no use any more" in text]
    assert await who_is_in(server, tmp_path) == "Grace Hopper (@grace)"


async def test_a_damaged_session_file_is_replaced(server: Server, tmp_path: Path) -> None:
    SessionFile(tmp_path).path.write_bytes(b"this is no database" * 100)
    account(server)
    script = Script(PHONE, "24680")
    await login(options_for(tmp_path), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert [text for text in script.shown if "damaged" in text]
    assert await who_is_in(server, tmp_path) == "Grace Hopper (@grace)"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("FLOOD_WAIT_7", "7 seconds"),
        ("FLOOD_WAIT_7200", "2 hours"),
        ("API_ID_INVALID", "my.telegram.org"),
        ("PHONE_NUMBER_BANNED", "banned"),
        ("PHONE_NUMBER_FLOOD", "tomorrow"),
        ("SOMETHING_NEW", "SOMETHING_NEW"),
    ],
)
async def test_what_stops_a_login_is_said_in_one_line(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    server.fail("auth.sendCode", error, code=None if "_WAIT_" in error else 400)
    with pytest.raises(LoginFailed) as caught:
        await login(
            options_for(tmp_path / "data"),
            Script(PHONE),
            method=Method.PHONE,
            connection_factory=server.connection_factory,
        )
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "unknown_errors.txt").exists()


async def test_a_number_without_an_account_is_refused(server: Server, tmp_path: Path) -> None:
    account(server)
    server.fail("auth.signIn", "PHONE_NUMBER_UNOCCUPIED", code=400)
    with pytest.raises(LoginFailed):
        await login(
            options_for(tmp_path),
            Script(PHONE, "24680"),
            method=Method.PHONE,
            connection_factory=server.connection_factory,
        )


async def test_no_connection_is_said_within_bounded_time(server: Server, tmp_path: Path) -> None:
    server.refuse()
    with pytest.raises(LoginFailed, match="No connection"):
        async with asyncio.timeout(5):
            await login(
                options_for(tmp_path, connect_timeout=0.5),
                Script(),
                method=Method.PHONE,
                connection_factory=server.connection_factory,
            )


async def test_a_session_in_use_is_left_alone(server: Server, tmp_path: Path) -> None:
    with SessionFile(tmp_path).lock(), pytest.raises(SessionInUse, match=r"bridge\.session"):
        await login(options_for(tmp_path), Script(), connection_factory=server.connection_factory)


async def test_logging_in_logs_no_secrets(server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    account(server, password="open sesame")
    script = Script(PHONE, "24680", "open sesame")
    await login(options_for(tmp_path), script, method=Method.PHONE, connection_factory=server.connection_factory)
    assert not re.search(rf"{PHONE}|24680|sesame|{'0' * 32}", caplog.text)


def test_the_qr_code_holds_the_link_that_telegram_apps_know() -> None:
    expected = io.StringIO()
    segno.make("tg://login?token=-_8BAg==").terminal(expected, border=2, compact=True)
    assert _drawing(b"\xfb\xff\x01\x02") == expected.getvalue()


@pytest.mark.parametrize(("seconds", "words"), [(1, "1 seconds"), (121, "3 minutes"), (7201, "3 hours")])
def test_durations_are_rounded_up(seconds: int, words: str) -> None:
    assert _duration(seconds) == words


def run_command(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "telegram.login", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_the_command_without_settings_says_which_are_missing(tmp_path: Path) -> None:
    done = run_command(tmp_path)
    assert done.returncode == 1
    assert "TG_API_ID" in done.stderr
    assert "my.telegram.org" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_without_a_terminal_says_that_it_needs_one(tmp_path: Path) -> None:
    done = run_command(tmp_path, TG_API_ID="1", TG_API_HASH="0" * 32)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "terminal" in done.stderr


def test_the_command_ends_quietly_on_ctrl_c(tmp_path: Path) -> None:
    """In a real terminal, at the first question."""
    command = f"{sys.executable} -m telegram.login"
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(tmp_path)
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TG_API_ID": "1", "TG_API_HASH": "0" * 32}
        os.execve(sys.executable, command.split(), environment)
    seen = read_until(terminal, "(p)?")
    os.write(terminal, b"\x03")
    seen += read_until(terminal, "")
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 130
    assert "nothing was changed" in seen
    assert "Traceback" not in seen
    assert not (tmp_path / "data" / "bridge.session").exists()


def read_until(terminal: int, end: str) -> str:
    """What is shown up to `end`; "" for the end of the program."""
    seen = b""
    while not end or end not in seen.decode(errors="replace"):
        if not select.select([terminal], [], [], 20)[0]:
            raise AssertionError(f"only {seen!r}")
        try:
            seen += os.read(terminal, 1000)
        except OSError:
            break
    return seen.decode(errors="replace")
