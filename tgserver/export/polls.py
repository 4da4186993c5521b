"""Polls and checklists."""

from __future__ import annotations

from pyrogram import raw

from tgserver.export.bridge import PollExtra
from tgserver.export.scope import Scope
from tgserver.export.text import with_entities
from tgserver.export.values import Json, as_dict, as_list, count, int32, timestamp
from tgserver.export.vectors import complete


def build_poll(scope: Scope, message_id: int, data: Json, extra: PollExtra | None) -> raw.types.MessageMediaPoll:
    """A poll with its results. `extra` tells what exports leave out: that it is a quiz, and the like."""
    written = as_dict(data.get("poll"))
    extra = extra or PollExtra()
    answers: list[raw.base.PollAnswer] = []
    results: list[raw.types.PollAnswerVoters] = []
    for index, answer in enumerate(as_list(written.get("answers"))):
        fields = as_dict(answer) or {"text": answer}
        # As Telegram's own clients do: the option is the answer's place, in ASCII.
        option = str(index).encode()
        answers.append(raw.types.PollAnswer(text=with_entities(fields.get("text")), option=option))
        voters = raw.types.PollAnswerVoters(
            option=option,
            voters=count(fields.get("voters")),
            chosen=fields.get("chosen") is True or None,
            correct=index in extra.correct or None,
        )
        complete(voters)
        results.append(voters)
    close_date = timestamp(written, "close_date") or None
    outcome = raw.types.PollResults(
        results=results,
        total_voters=count(written.get("total_voters")),
        solution=extra.solution,
    )
    complete(outcome)
    return raw.types.MessageMediaPoll(
        poll=raw.types.Poll(
            id=scope.id_for(message_id, "poll"),
            question=with_entities(written.get("question")),
            answers=answers,
            hash=0,
            closed=written.get("closed") is True or None,
            public_voters=extra.public_voters or None,
            multiple_choice=extra.multiple_choice or None,
            quiz=extra.quiz or None,
            close_date=close_date,
        ),
        results=outcome,
    )


def todo_items(value: object) -> list[raw.types.TodoItem]:
    """The tasks of a checklist; those without an id are numbered from 1."""
    items = []
    for number, item in enumerate(as_list(value), start=1):
        fields = as_dict(item) or {"text": item}
        title = with_entities(fields.get("text", fields.get("title")))
        items.append(raw.types.TodoItem(id=int32(fields.get("id"), number), title=title))
    return items


def build_todo(scope: Scope, data: Json) -> raw.types.MessageMediaToDo:
    """A checklist with the tasks that are done."""
    written = as_dict(data.get("todo_list"))
    tasks = written.get("items") or written.get("tasks") or written.get("answers")
    completions = []
    for item, built in zip(as_list(tasks), todo_items(tasks), strict=True):
        fields = as_dict(item)
        by = scope.peers.peer(fields.get("completed_by_id"), fields.get("completed_by"))
        if by is None and fields.get("completed") is not True:
            continue
        done_at = timestamp(fields, "completion_date") or timestamp(data)
        completions.append(raw.types.TodoCompletion(id=built.id, completed_by=by or scope.peer, date=done_at))
    return raw.types.MessageMediaToDo(
        todo=raw.types.TodoList(
            title=with_entities(written.get("title")),
            list=todo_items(tasks),
            others_can_append=written.get("others_can_append") is True or None,
            others_can_complete=written.get("others_can_complete") is True or None,
        ),
        completions=completions or None,
    )


def task_ids(value: object) -> list[int]:
    """Ids of tasks, given as numbers or as objects with an `id`."""
    return [int32(as_dict(entry).get("id", entry)) for entry in as_list(value)]
