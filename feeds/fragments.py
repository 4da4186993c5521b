"""Items of XML feeds, written once and remembered, and the document that they make."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence

import msgspec

from feeds import xml
from feeds.assembly import assemble
from feeds.feed import Item


class Fragment(msgspec.Struct, frozen=True, gc=False):
    """An item in one format, in UTF-8: what stands before its footer and what after it.

    `context` is all that it was made of besides the item.
    """

    item: Item
    context: object
    before: bytes
    after: bytes


# Fragments of one format by their posts' guids.
Memory = MutableMapping[str, Fragment]


def recall(memory: Memory, item: Item, context: object, write: Callable[[], tuple[str, str]]) -> Fragment:
    """The item's fragment: the remembered one if item and context are equal, else what `write` gives.

    `write` gives the texts before and after the footer, which stands in a CDATA section.
    """
    known = memory.get(item.post.guid)
    if known is not None and known.item == item and known.context == context:
        return known
    before, after = write()
    fragment = Fragment(item, context, before.encode(), after.encode())
    memory[item.post.guid] = fragment
    return fragment


def compose(head: str, fragments: Sequence[Fragment], tail: str) -> tuple[bytes, str]:
    """The document of the fragments with their footers, and its entity tag, which the footers don't change."""
    # What stands before, between and after the footers.
    pieces = []
    so_far = head.encode()
    for fragment in fragments:
        pieces.append(so_far + fragment.before)
        so_far = fragment.after
    pieces.append(so_far + tail.encode())
    return assemble(pieces, [xml.cdata(fragment.item.footer) for fragment in fragments])
