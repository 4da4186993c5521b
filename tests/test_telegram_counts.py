"""No call leaves the process past the gate: Telegram counts what the gate counts, over a whole life of the service."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path

import httpx
from service import serving, until_connected
from telegram_world import FAR_FILE, FILE, GROUP_ID, HIDDEN_ID, small_world, until

from tgserver import Server

# What keeps a line up or belongs to its start, and parts of files, which have limits of their own.
PAST_THE_GATE = {
    "auth.importAuthorization",
    "help.getConfig",
    "initConnection",
    "invokeWithLayer",
    "msgs_ack",
    "ping",
    "ping_delay_disconnect",
    "req_DH_params",
    "req_pq_multi",
    "set_client_DH_params",
    "upload.getFile",
}


async def counted(client: httpx.AsyncClient) -> Counter[str]:
    """What the gate has let through, when nothing is under way any more."""
    async with asyncio.timeout(10):
        while (gate := (await client.get("/health")).json()["gate"])["in_flight"]:
            await asyncio.sleep(0.01)
    return Counter(gate["calls"])


async def test_what_telegram_counts_is_what_the_gate_let_through(tmp_path: Path) -> None:
    async with Server(small_world()) as server:
        async with serving(server, tmp_path, tg_watchdog_interval=1, history_cache_ttl_minutes=0) as client:
            for path in ("/rss/news?limit=130", f"/atom/{GROUP_ID}", f"/rss/{HIDDEN_ID}", "/feed.json/ada_friend"):
                assert (await client.get(path)).status_code == 200, path
            assert (await client.get("/rss/nobody_here")).status_code == 404
            assert (await client.get("/rss/-1009999999999")).status_code == 404
            server.post("news", "a new post")
            for path in ("/rss/news", "/html/news?before=100", "/html/news/148", "/html/news/3"):
                assert (await client.get(path)).status_code == 200, path
            assert (await client.get("/html/news/9999")).status_code == 404
            for post_id, content in ((140, FILE), (141, FAR_FILE)):
                page = (await client.get(f"/html/news/{post_id}")).text
                (address,) = set(re.findall(r'"[^"]*(/media/[^"]+)"', page))
                assert (await client.get(address)).content == content
            server.drop_connections()
            await until_connected(client)
            assert (await client.get("/rss/news")).status_code == 200
            probed = server.calls["users.getUsers"]
            await until(lambda: server.calls["users.getUsers"] > probed)
            let_through, server_saw = await counted(client), Counter(server.calls)
        assert server_saw["auth.exportAuthorization"] == 1
        assert server_saw["messages.getDialogs"] == 1
        assert {name: count for name, count in server_saw.items() if name not in PAST_THE_GATE} == {
            name: count for name, count in let_through.items() if name not in PAST_THE_GATE
        }
        # What goes through both ways is counted by the gate as often as it came through it.
        assert all(let_through[name] <= server_saw[name] for name in PAST_THE_GATE)
        # Nothing but the end of the lines is left to say at the stop.
        assert {name for name in server.calls - server_saw if name not in PAST_THE_GATE} <= {"users.getUsers"}


async def test_a_call_that_is_asked_again_for_a_lost_line_passes_the_gate_again(tmp_path: Path) -> None:
    async with Server(small_world()) as server, serving(server, tmp_path) as client:
        server.fault("hang", "messages.getHistory", 1)
        reading = asyncio.create_task(client.get("/rss/news"))
        await until(lambda: server.calls["messages.getHistory"])
        server.drop_connections()
        assert (await reading).status_code == 200
        assert server.calls["messages.getHistory"] == (await counted(client))["messages.getHistory"] == 2


def test_the_documentation_names_what_goes_past_the_gate() -> None:
    text = (Path(__file__).parent.parent / "docs/operations.md").read_text("utf-8")
    paragraph = text.partition("These go past the gate")[2].partition("\n\n")[0]
    named = set(re.findall(r"`(\w+|\w+\.\w+)`", paragraph)) - {"gate.calls"}
    spelled_out = {"invokeWithLayer", "msgs_ack", "req_DH_params", "req_pq_multi", "set_client_DH_params"}
    assert named == PAST_THE_GATE - spelled_out
