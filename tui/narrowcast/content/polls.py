"""Polls and to-do lists: messages whose parts are their submessages.

The first submessage creates the widget, each later one is a vote or a change by somebody. Invalid submessages
are ignored and do not affect the others. Only a person's last vote on an option counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct, field

from narrowcast.text.safe_text import SafeText, safe_line

__all__ = ["Poll", "PollOption", "Task", "TodoList", "read_widget"]

MAX_ROWS = 200


class Part(Protocol):
    """One submessage: who sent it, and its JSON."""

    @property
    def sender_id(self) -> int: ...
    @property
    def content(self) -> str: ...


class PollOption(Struct):
    """`key` names the option in a vote."""

    key: str
    text: SafeText
    voters: list[int] = field(default_factory=list)


class Poll(Struct):
    """A question and its options in the order in which they were added."""

    question: SafeText
    options: list[PollOption]

    def vote(self, key: str, me: int) -> dict[str, object]:
        """The submessage that adds or removes the current user's vote for `key`."""
        mine = any(option.key == key and me in option.voters for option in self.options)
        return {"type": "vote", "key": key, "vote": -1 if mine else 1}

    def next_number(self, me: int) -> int:
        """The number for the current user's next option: one with a number already used is ignored."""
        return _next_number(option.key.removeprefix(f"{me},") for option in self.options)


class Task(Struct):
    """`key` names the task in a change."""

    key: str
    text: SafeText
    description: SafeText
    done: bool = False


class TodoList(Struct):
    title: SafeText
    tasks: list[Task]

    def strike(self, key: str) -> dict[str, object]:
        """The submessage that marks a task as done or not done."""
        return {"type": "strike", "key": key}

    def next_number(self, me: int) -> int:
        """The number for the current user's next task: one with a number already used is ignored."""
        return _next_number(task.key.removesuffix(f",{me}") for task in self.tasks)


def _next_number(used: Iterable[str]) -> int:
    """One more than the highest number in ``used``, which also has other texts."""
    return max((int(text) for text in used if text.isdecimal() and len(text) < 10), default=0) + 1


def read_widget(parts: Iterable[Part]) -> Poll | TodoList | None:
    """The poll or list that `parts` describe, None if they describe neither."""
    submessages = list(parts)
    data = _object(submessages[0].content) if submessages else None
    if data is None:
        return None
    later = submessages[1:]
    extra = data.get("extra_data")
    extra = extra if isinstance(extra, dict) else {}
    if data.get("widget_type") == "poll":
        return _poll(extra, later)
    if data.get("widget_type") == "todo":
        return _todo(extra, later)
    return None


def _object(content: str) -> dict[str, object] | None:
    try:
        data = json.loads(content) if len(content) < 1_000_000 else None
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _string(data: Mapping[str, object], name: str) -> SafeText:
    value = data.get(name)
    return safe_line(value, 500) if isinstance(value, str) else SafeText("")


def _rows(data: Mapping[str, object], name: str) -> list[object]:
    value = data.get(name)
    return value[:MAX_ROWS] if isinstance(value, list) else []


def _poll(extra: Mapping[str, object], later: list[Part]) -> Poll:
    poll = Poll(_string(extra, "question"), [])
    for index, text in enumerate(_rows(extra, "options")):
        if isinstance(text, str):
            poll.options.append(PollOption(f"canned,{index}", safe_line(text, 500)))
    by_key = {option.key: option for option in poll.options}
    for part in later:
        data = _object(part.content)
        if data is None:
            continue
        kind = data.get("type")
        if kind == "question":
            poll.question = _string(data, "question")
        elif kind == "new_option" and len(poll.options) < MAX_ROWS:
            option = PollOption(f"{part.sender_id},{data.get('idx')}", _string(data, "option"))
            if option.key not in by_key:
                by_key[option.key] = option
                poll.options.append(option)
        elif kind == "vote" and (chosen := by_key.get(str(data.get("key")))) is not None:
            if part.sender_id in chosen.voters:
                chosen.voters.remove(part.sender_id)
            if data.get("vote") == 1:
                chosen.voters.append(part.sender_id)
    return poll


def _todo(extra: Mapping[str, object], later: list[Part]) -> TodoList:
    todo = TodoList(_string(extra, "task_list_title"), [])
    for index, row in enumerate(_rows(extra, "tasks")):
        if isinstance(row, dict):
            todo.tasks.append(Task(f"{index},canned", _string(row, "task"), _string(row, "desc")))
    by_key = {task.key: task for task in todo.tasks}
    for part in later:
        data = _object(part.content)
        if data is None:
            continue
        kind = data.get("type")
        if kind == "new_task_list_title":
            todo.title = _string(data, "title")
        elif kind == "new_task" and len(todo.tasks) < MAX_ROWS:
            task = Task(f"{data.get('key')},{part.sender_id}", _string(data, "task"), _string(data, "desc"))
            if task.key not in by_key:
                by_key[task.key] = task
                todo.tasks.append(task)
        elif kind == "strike" and (struck := by_key.get(str(data.get("key")))) is not None:
            struck.done = not struck.done
    return todo
