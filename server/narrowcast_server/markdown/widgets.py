"""Polls and to-do lists: messages that start with a command and store their data in submessages."""

from collections.abc import Mapping

Widget = dict[str, object]
MAX_TEXT = 1000


def widget_for(source: str) -> Widget | None:
    """The first submessage's content of `/poll` and `/todo` messages, None for all others.

    `{"widget_type": "poll", "extra_data": {"question": str, "options": [str, ...]}}` or
    `{"widget_type": "todo", "extra_data": {"task_list_title": str, "tasks": [{"task": str, "desc": str}]}}`.
    """
    first, _, rest = source.strip().partition("\n")
    command, _, title = first.partition(" ")
    title, lines = title.strip(), [text for line in rest.split("\n") if (text := without_bullet(line))]
    if command == "/poll":
        return {"widget_type": "poll", "extra_data": {"question": title, "options": lines}}
    if command == "/todo":
        tasks = [task_of(line) for line in lines]
        return {"widget_type": "todo", "extra_data": {"task_list_title": title, "tasks": tasks}}
    return None


def without_bullet(line: str) -> str:
    text = line.strip()
    return text[1:].strip() if text.startswith(("-", "*")) else text


def task_of(line: str) -> dict[str, str]:
    """Parses `name: description` as a task."""
    task, _, description = line.partition(": ")
    return {"task": task.strip(), "desc": description.strip()}


def check_submessage(widget_type: str, data: object, is_author: bool) -> str | None:
    """Why a later submessage of a widget is rejected, None if it is valid. `data` is its parsed JSON."""
    checks = {"poll": POLL_CHECKS, "todo": TODO_CHECKS}.get(widget_type)
    if checks is None:
        return None
    if not isinstance(data, Mapping):
        return f"{widget_type} data is not a dict"
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in checks:
        return f"Unknown type for {widget_type} data: {kind}"
    if kind in AUTHOR_ONLY and not is_author:
        return f"You can't edit a {AUTHOR_ONLY[kind]} unless you are the author."
    if unexpected := data.keys() - checks[kind].keys() - {"type"}:
        return f"Invalid {widget_type} data: {min(unexpected)} is unexpected"
    for name, expected in checks[kind].items():
        value = data.get(name)
        if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
            return f"Invalid {widget_type} data: {name}"
        if isinstance(value, str) and len(value) > MAX_TEXT:
            return f"Invalid {widget_type} data: {name} is too long"
    if kind == "vote" and data.get("vote") not in (1, -1):
        return "Invalid poll data: vote"
    return None


AUTHOR_ONLY = {"question": "question", "new_task_list_title": "task list title"}
POLL_CHECKS: dict[str, dict[str, type]] = {
    "vote": {"key": str, "vote": int},
    "question": {"question": str},
    "new_option": {"idx": int, "option": str},
}
TODO_CHECKS: dict[str, dict[str, type]] = {
    "new_task": {"key": int, "task": str, "desc": str, "completed": bool},
    "strike": {"key": str},
    "new_task_list_title": {"title": str},
}
