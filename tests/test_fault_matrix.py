"""Whatever goes wrong between the bridge and Telegram, readers are told in time what it is, and it heals."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from fault_matrix import FAULTS, METHODS, Cell, Kind, Method, cells
from fault_matrix_lane import Lane, lane_logs

import telegram.session

# The lanes live longer than a test.
pytestmark = pytest.mark.asyncio(loop_scope="module")

CELLS = list(cells())
# So many services run side by side: they mostly wait.
LANES = 8
# What carries other calls, agrees on keys, or keeps a line alive: nobody waits for its answer.
CARRIERS = {"invokeWithLayer", "req_pq_multi", "req_DH_params", "set_client_DH_params", "ping_delay_disconnect"}

# Asked only for files that Telegram hands out through a delivery network, and for the list of all channels: both have
# tests of their own.
ELSEWHERE = {
    "help.getCdnConfig",
    "messages.getDialogFilters",
    "upload.getCdnFile",
    "upload.getCdnFileHashes",
    "upload.reuploadCdnFile",
}

Outcomes = dict[Cell, asyncio.Future[float]]


class Run:
    """The outcomes of the cells that are asked for, as they come."""

    def __init__(self, wanted: list[Cell], folder: Path) -> None:
        loop = asyncio.get_running_loop()
        self.outcomes: Outcomes = {cell: loop.create_future() for cell in wanted}
        self._places = asyncio.Semaphore(LANES)
        by_method: dict[Method, list[Cell]] = defaultdict(list)
        for cell in wanted:
            by_method[cell.method].append(cell)
        self.lanes = [Lane(method, folder / f"{number}") for number, method in enumerate(by_method)]
        self.tasks = [
            loop.create_task(self._run(lane, lane_cells))
            for lane, lane_cells in zip(self.lanes, by_method.values(), strict=True)
        ]

    async def _run(self, lane: Lane, lane_cells: list[Cell]) -> None:
        async with self._places:
            try:
                await lane.run(lane_cells, self.outcomes)
            finally:
                for cell in lane_cells:
                    # Its test says so.
                    self.outcomes[cell].cancel()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Run]:
    """All that the tests to come ask for, under way."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path]
    values = [test.callspec.params.get("cell") for test in tests if hasattr(test, "callspec")]
    wanted = [value for value in values if isinstance(value, Cell)]
    with pytest.MonkeyPatch.context() as patch, lane_logs():
        # Cells follow each other so closely that a line which is lost once in each would look like one that flaps.
        patch.setattr(telegram.session, "CALM_AFTER", 0.2)
        running = Run(wanted, tmp_path_factory.mktemp("lanes"))
        yield running
        for task in running.tasks:
            task.cancel()
        await asyncio.gather(*running.tasks, return_exceptions=True)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.id)
async def test_a_fault_is_told_in_time_and_heals(cell: Cell, run: Run) -> None:
    assert await asyncio.wait_for(asyncio.shield(run.outcomes[cell]), 300) <= cell.heals


async def test_nothing_is_asked_that_the_matrix_does_not_have(run: Run) -> None:
    await asyncio.gather(*run.tasks)
    calls = set().union(*(lane.calls for lane in run.lanes))
    assert calls <= {method.name for method in METHODS} | CARRIERS


async def test_every_call_in_the_code_is_in_the_matrix() -> None:
    """All but those of a login, which no reader waits for, and of delivery networks."""
    called = set()
    for path in Path(telegram.session.__file__).parent.glob("*.py"):
        if not path.stem.startswith("login"):
            called |= set(re.findall(r"raw\.functions\.([\w.]+)\(", path.read_text("utf-8")))
    names = {re.sub(r"([A-Z])", lambda found: found.group().lower(), name, count=1) for name in called}
    assert len(names) > 15
    assert names <= {method.name for method in METHODS} | ELSEWHERE


async def test_every_cell_has_a_name_of_its_own_and_no_row_is_idle() -> None:
    assert len({cell.id for cell in CELLS}) == len(CELLS) > 250
    assert {cell.row for cell in CELLS} == set(FAULTS)
    assert {cell.method for cell in CELLS} == set(METHODS)
    # What passes never looks final, whatever is asked.
    for cell in CELLS:
        if cell.row.stale:
            assert not cell.statuses & {403, 404, 500}


# How the documentation begins the row of a kind of fault.
DOCUMENTED = {
    "Telegram asks for a pause": {Kind.FLOOD},
    "Telegram's own trouble": {Kind.TELEGRAM},
    "an error that the bridge does not know": {Kind.UNKNOWN},
    "a private channel": {Kind.PRIVATE},
    "no such channel": {Kind.NOT_FOUND, Kind.NO_THREAD},
    "a call is not answered": {Kind.UNANSWERED},
    "the line is half-open": {Kind.HALF_OPEN},
    "the line is lost again and again": {Kind.LINE, Kind.KEY},
    "the line is lost once": {Kind.BLIP},
    "the session is ended": {Kind.LOGGED_OUT},
    "the account is banned": {Kind.LOGGED_OUT},
    "the application is refused": {Kind.LOGGED_OUT},
}


@pytest.mark.parametrize(("words", "kinds"), DOCUMENTED.items(), ids=list(DOCUMENTED))
async def test_the_documentation_tells_what_the_matrix_proves(words: str, kinds: set[Kind]) -> None:
    text = (Path(__file__).parent.parent / "docs/operations.md").read_text("utf-8")
    found = [line for line in text.splitlines() if line.startswith(f"| {words}")]
    assert len(found) == 1
    _, state, signs, readers, _ = (cell.strip() for cell in found[0].strip("|").split("|"))
    rows = [row for row in FAULTS if row.kind in kinds and f"`{row.state}`" in state]
    assert rows
    for row in rows:
        assert readers.startswith(str(row.status)), row.words
        assert ("stored" in readers) == bool(row.stale), row.words
        assert row.log.strip() in signs, row.words
