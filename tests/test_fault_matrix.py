"""Whatever goes wrong between the bridge and Telegram, readers are told in time what it is, and it heals."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

pytest.register_assert_rewrite("fault_matrix_lane")
from fault_matrix import METHODS, Cell, cells
from fault_matrix_lane import Lane, lane_logs

pytestmark = pytest.mark.asyncio(loop_scope="module")

CELLS = list(cells())
# So many services run side by side: they mostly wait.
LANES = 8

Outcomes = dict[Cell, asyncio.Future[float]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Outcomes]:
    """The outcomes of all cells that the run asks for, as they come."""
    wanted = [
        item.callspec.params["cell"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and "cell" in item.callspec.params
    ]
    by_method: dict[object, list[Cell]] = defaultdict(list)
    for cell in wanted:
        by_method[cell.method].append(cell)
    loop = asyncio.get_running_loop()
    outcomes: Outcomes = {cell: loop.create_future() for cell in wanted}
    places = asyncio.Semaphore(LANES)
    folder = tmp_path_factory.mktemp("lanes")

    async def run(number: int, lane_cells: list[Cell]) -> None:
        async with places:
            lane = Lane(lane_cells[0].method, folder / f"{number}")
            try:
                await lane.run(lane_cells, outcomes)
            except BaseException as error:
                for cell in lane_cells:
                    if not outcomes[cell].done():
                        outcomes[cell].set_exception(RuntimeError(f"the lane broke: {error!r}"))
                        outcomes[cell].exception()
                raise

    with lane_logs():
        lanes = [loop.create_task(run(number, some)) for number, some in enumerate(by_method.values())]
        yield outcomes
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.id)
async def test_a_call_that(cell: Cell, outcomes: Outcomes) -> None:
    took = await outcomes[cell]
    assert took <= cell.heals
