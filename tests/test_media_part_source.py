from __future__ import annotations

import asyncio

import msgspec
import pytest
from media_source import Finder, MemorySource, file_bytes

from errors import MediaGone, TelegramTimeout
from media_cache.pace import WrongPart
from media_cache.part_source import PartSource

MIB = 1024 * 1024
CONTENT = file_bytes(3 * MIB)


def stale(source: MemorySource) -> tuple[PartSource, Finder]:
    """A file whose reference is not valid, and who has a fresh one."""
    source.valid_references = {b"fresh"}
    file = source.put(CONTENT)
    finder = Finder(msgspec.structs.replace(file, file_reference=b"fresh"), delay=0.01)
    return PartSource(file, source, finder), finder


async def test_many_parts_that_meet_an_expired_reference_cause_one_look_up() -> None:
    parts, finder = stale(MemorySource())
    came = await asyncio.gather(*[parts.part(number * MIB, MIB, MIB) for number in range(3)])
    assert b"".join(came) == CONTENT
    assert finder.calls == 1


async def test_a_fresh_reference_that_does_not_work_either_means_that_the_file_is_gone() -> None:
    source = MemorySource()
    parts, finder = stale(source)
    source.valid_references = set()
    with pytest.raises(MediaGone):
        await parts.part(0, MIB, MIB)
    assert finder.calls == 1


async def test_a_look_up_that_fails_for_a_while_has_renewed_nothing() -> None:
    source = MemorySource(valid_references={b"fresh"})
    file = source.put(CONTENT)
    finder = Finder(TelegramTimeout(), msgspec.structs.replace(file, file_reference=b"fresh"))
    parts = PartSource(file, source, finder)
    with pytest.raises(TelegramTimeout):
        await parts.part(0, MIB, MIB)
    assert await parts.part(0, MIB, MIB) == CONTENT[:MIB]


async def test_a_post_that_has_another_file_now_has_lost_this_one() -> None:
    source = MemorySource(valid_references={b"fresh"})
    parts = PartSource(source.put(CONTENT), source, Finder(source.put(CONTENT, "other")))
    with pytest.raises(MediaGone, match="another file"):
        await parts.part(0, MIB, MIB)


@pytest.mark.parametrize(("expected", "length"), [(MIB, MIB - 1), (MIB, 0), (None, MIB + 1), (None, 0)])
async def test_a_part_of_a_length_that_it_can_not_have_is_a_fault(expected: int | None, length: int) -> None:
    source = MemorySource(spoil={0: [lambda data: bytes(length)]})
    with pytest.raises(WrongPart):
        await PartSource(source.put(CONTENT), source, Finder(source.put(CONTENT))).part(0, MIB, expected)
