"""What always holds: every rule has its tests, and those that are no single module's are here."""

from __future__ import annotations

import ast
import asyncio
import re
from collections import Counter
from pathlib import Path
from types import CoroutineType

import pytest
from service import serving
from telegram_world import small_world

from feeds.feed import SafeHtml
from feeds.sanitizer import sanitize
from tgserver import Server
from tgserver.crypto.rsa import RsaKey

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


def test_every_rule_is_held_by_tests_that_are_there() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8").partition("## What always holds")[2]
    rules = re.findall(r"^(\d)\. ", text, re.MULTILINE)
    held = dict(re.findall(r"^\| (\d) \| (.+) \|$", text, re.MULTILINE))
    assert list(held) == rules == [str(number) for number in range(1, 9)]
    for rule, cell in held.items():
        named = re.findall(r"`(\w+\.py)::(\w+)`", cell)
        assert named, rule
        assert cell.count("`") == 2 * len(named)
        for file, name in named:
            assert name in _tests_of(TESTS / file), f"rule {rule}: {file} has no {name}"


def _tests_of(file: Path) -> set[str]:
    """The test functions of a file, and the test cases that hypothesis' state machines become."""
    names = set()
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr == "TestCase":
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def is_ours(task: asyncio.Task[object]) -> bool:
    """Whether the task runs code of the product itself."""
    coroutine = task.get_coro()
    assert isinstance(coroutine, CoroutineType)
    if coroutine.__qualname__ == "OneTrySession.recv_worker":
        # The library's reader of one connection. Its end is the connection's, which the client watches.
        return False
    path = Path(coroutine.cr_code.co_filename)
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] not in {"tests", "tgserver", ".venv"}


async def test_every_background_task_of_the_service_is_supervised(rsa_key: RsaKey, tmp_path: Path) -> None:
    async with Server(small_world(), rsa_key=rsa_key) as server, serving(server, tmp_path) as client:
        assert (await client.get("/rss/news")).status_code == 200
        async with asyncio.timeout(10):
            # What serves a request, or ends a start, is over in a moment.
            while True:
                supervised = set((await client.get("/health")).json()["tasks"])
                left = {task.get_name() for task in asyncio.all_tasks() if is_ours(task)} - supervised
                if not left:
                    break
                await asyncio.sleep(0.05)
        running = {task.get_name() for task in asyncio.all_tasks() if is_ours(task)}
    assert running
    assert running <= supervised


async def test_a_feed_passes_each_posts_html_through_the_sanitizer_exactly_once(
    rsa_key: RsaKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: Counter[str] = Counter()

    def counting(html: str) -> SafeHtml:
        passed[html] += 1
        return sanitize(html)

    monkeypatch.setattr("rss_generator.sanitize", counting)
    async with Server(small_world(), rsa_key=rsa_key) as server, serving(server, tmp_path) as client:
        for path in ("/rss/news", "/atom/news", "/feed.json/news", "/html/news", "/rss/news?limit=40"):
            assert (await client.get(path)).status_code == 200
    contents = {html: times for html, times in passed.items() if re.search(r"\bpost \d+", html)}
    # Of the fifty posts two are files without text.
    assert len(contents) >= 48
    assert set(contents.values()) == {1}
