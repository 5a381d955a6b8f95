"""Polls and to-do lists as rows."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.style import Style

from narrowcast.content.inlines import Inliner, Target, TargetKind
from narrowcast.content.polls import Poll, PollOption, TodoList
from narrowcast.content.wrapping import Line, Run, clip, columns_of, wrap
from narrowcast.text.formats import counted

__all__ = ["poll_rows", "todo_rows"]

MARKS = 2
"""Cells of the mark before an option, with its blank."""
BAR = 24
NARROWEST_BAR = 8
MAX_NAMES = 20
GAP = "  "


def poll_rows(poll: Poll, me: int, width: int, inliner: Inliner) -> Iterator[Line]:
    """A poll: its question, then an option a row, with a bar as long as its share of the votes."""
    palette = inliner.palette
    votes = sum(len(option.voters) for option in poll.options)
    yield from _title(poll.question or "Poll", f"poll · {counted(votes, 'vote')}", width, inliner)
    most = max((len(option.voters) for option in poll.options), default=0)
    longest = max((cell_len(option.text) for option in poll.options), default=0)
    column = min(longest, max(1, (width - MARKS) // 2))
    for option in poll.options:
        yield from _option(option, me, width, column, most, inliner)
    if not poll.options:
        yield Line([Run("No options yet", palette.dim)])


def _option(
    option: PollOption, me: int, width: int, column: int, most: int, inliner: Inliner
) -> Iterator[Line]:
    palette = inliner.palette
    target = inliner.target(Target(TargetKind.VOTE, option.key, option.text))
    own = me in option.voters
    weight = Style(bold=True) if own else Style.null()
    mark = Run("◉ " if own else "○ ", palette.mark + target)
    *above, last = wrap([Run(option.text, palette.text + weight + target)], max(1, column))
    for number, line in enumerate(above):
        yield line.indented(mark if number == 0 else Run(" " * MARKS, palette.text))
    count = f"{len(option.voters):>3}  "
    size = min(BAR, max(NARROWEST_BAR, width // 4))
    room = width - MARKS - column - 2 - size - len(count)
    start = mark if not above else Run(" " * MARKS, palette.text)
    pad = Run(" " * max(0, column - columns_of(last.runs) + 2), palette.text)
    people = clip([Run(_names(option, me, inliner), palette.dim)], max(1, room)) if room > 0 else []
    if room < 0:  # too narrow for bars
        yield Line([start, *last.runs, pad, Run(count.rstrip(), palette.text + weight)])
        return
    filled = round(size * len(option.voters) / most) if most else 0
    yield Line(
        [
            start,
            *last.runs,
            pad,
            Run("━" * filled, palette.mark if own else palette.dim),
            Run("─" * (size - filled), palette.bar),
            Run(count, palette.text + weight),
            *people,
        ]
    )


def _names(option: PollOption, me: int, inliner: Inliner) -> str:
    names = ["you" if user_id == me else inliner.user_name(user_id) for user_id in option.voters[:MAX_NAMES]]
    return ", ".join(names) + (", …" if len(option.voters) > MAX_NAMES else "")


def todo_rows(todo: TodoList, width: int, inliner: Inliner) -> Iterator[Line]:
    """A to-do list: its title, then a task a row."""
    palette = inliner.palette
    done = sum(task.done for task in todo.tasks)
    yield from _title(todo.title or "Task list", f"to do · {done} of {len(todo.tasks)}", width, inliner)
    for task in todo.tasks:
        target = inliner.target(Target(TargetKind.TASK, task.key, task.text))
        style = palette.text + target + (Style(strike=True) if task.done else Style())
        mark = Run("[x] " if task.done else "[ ] ", palette.mark + target)
        about = Run(f"  {task.description}" if task.description else "", palette.dim)
        lines = wrap([Run(task.text, style), about], max(1, width - len(mark.text)))
        for number, line in enumerate(lines):
            yield line.indented(mark if number == 0 else Run(" " * len(mark.text), palette.text))
    if not todo.tasks:
        yield Line([Run("No tasks yet", palette.dim)])


def _title(text: str, about: str, width: int, inliner: Inliner) -> Iterator[Line]:
    """A title, and beside it what it is, as times stand beside names; below it if there is no room."""
    palette = inliner.palette
    *above, last = wrap([Run(text, palette.heading)], width)
    yield from above
    if columns_of(last.runs) + len(GAP) + len(about) > width:
        yield last
        yield Line([Run(about, palette.dim)])
        return
    yield Line([*last.runs, Run(GAP, palette.text), Run(about, palette.dim)], last.glue)
