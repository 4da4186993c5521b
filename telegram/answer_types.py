"""Whether an answer is of the kind that its method promises."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from operator import attrgetter
from typing import Any, cast, get_args

from pyrogram import raw
from pyrogram.raw.core import TLObject

from telegram.errors import AnswerNotUnderstood
from telegram.packets import Unreadable

# What a call brings that says how another call is to be made; the type of that one counts.
_WRAPPERS = (raw.functions.InvokeWithLayer, raw.functions.InitConnection, raw.functions.InvokeWithoutUpdates)
# Answers of MTProto itself, which every call can get.
_NOTICES = (raw.types.BadMsgNotification, raw.types.BadServerSalt)


def check_answer(query: TLObject[Any], answer: object) -> None:
    """Raise `AnswerNotUnderstood` unless the answer is one to this query."""
    if isinstance(answer, Unreadable):
        raise AnswerNotUnderstood(answer.why)
    if isinstance(answer, _NOTICES):
        return
    while isinstance(query, _WRAPPERS):
        query = query.query
    # The class can be hashed, whatever its instances can.
    expected = _promised_by(cast(Hashable, type(query)))
    if expected is None:
        return
    kinds, several = expected
    if several:
        fits = isinstance(answer, list) and all(isinstance(one, kinds) for one in answer)
    else:
        fits = isinstance(answer, kinds)
    # That something has not changed is no answer to who never says what is known already.
    if not fits or type(answer).__name__.endswith("NotModified"):
        raise AnswerNotUnderstood(getattr(answer, "QUALNAME", type(answer).__name__))


@cache
def _promised_by(method: Hashable) -> tuple[tuple[type, ...], bool] | None:
    """The types that a method may answer with, and whether with a list of them; None if it does not say."""
    # Kurigram writes it down for type checkers: `class GetUsers(TLObject["list[raw.base.User]"])`.
    promise = str(get_args(vars(method)["__orig_bases__"][0])[0].__forward_arg__)
    name = promise.removeprefix("list[").removesuffix("]")
    if not name.startswith("raw.base."):
        return None
    try:
        union = attrgetter(name.removeprefix("raw."))(raw).__union_types__
    except AttributeError:
        return None
    return get_args(union) or (union,), name != promise
