from __future__ import annotations

import asyncio

from virtual_time import run

from media_cache.attendance import Attendance


def test_a_file_is_deserted_from_the_moment_at_which_the_last_viewer_leaves() -> None:
    async def scene() -> None:
        viewers = Attendance()
        await asyncio.sleep(5)
        # Nobody has been there yet.
        assert viewers.deserted_for == 0
        with viewers.attended():
            with viewers.attended():
                await asyncio.sleep(5)
            await asyncio.sleep(5)
            assert viewers.deserted_for == 0
        await asyncio.sleep(7)
        assert viewers.deserted_for == 7
        with viewers.attended():
            assert viewers.deserted_for == 0

    run(scene())


def test_positions_are_those_at_which_somebody_stands() -> None:
    viewers = Attendance()
    with viewers.standing_at(3):
        with viewers.standing_at(3), viewers.standing_at(1):
            assert viewers.positions == {1: 1, 3: 2}
        assert list(viewers.positions) == [3]
    assert list(viewers.positions) == []
