"""A pomodoro in the status line: F12 starts or stops it.

[extensions.pomodoro]
minutes = 25
break_minutes = 5
status = "In a pomodoro"      # your status while you work; empty: it is not changed
"""

from __future__ import annotations

from dataclasses import dataclass

from narrowcast.extend import App, Extension, NarrowcastError


@dataclass(frozen=True)
class Settings:
    """``[extensions.pomodoro]``."""

    minutes: int = 25
    break_minutes: int = 5
    status: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.minutes <= 180 or not 1 <= self.break_minutes <= 180:
            raise ValueError("minutes and break_minutes are numbers from 1 to 180")
        if len(self.status) > 60:
            raise ValueError("status has at most 60 characters")


@dataclass
class Pomodoro:
    """The current pomodoro. ``number`` distinguishes it from earlier ones; ``app``: of the account that started it."""

    number: int = 0
    app: App[Settings] | None = None
    phase: str = ""
    ends_at: float = 0.0


current = Pomodoro()

extension = Extension("pomodoro", "A pomodoro in the status line", settings=Settings)


@extension.command("toggle", "Pomodoro: start or stop", keys=["f12"])
def toggle(app: App[Settings]) -> None:
    """Starts a pomodoro, or stops the current one."""
    current.number += 1
    if current.phase:
        current.phase = ""
        app.tell("Pomodoro stopped.")
        started_in = current.app or app
        started_in.start(show_status(started_in, ""))
    else:
        current.app = app
        app.start(run(app, current.number))
    app.redraw()


async def run(app: App[Settings], number: int) -> None:
    """Waits for the end of the work phase, then of the break."""
    await show_status(app, app.settings.status)
    for phase, minutes, text in (
        ("work", app.settings.minutes, "Time for a break."),
        ("break", app.settings.break_minutes, "The break is over."),
    ):
        current.phase, current.ends_at = phase, app.now + 60 * minutes
        app.redraw()
        await app.sleep(60 * minutes)
        if current.number != number:
            return  # stopped, or another one was started
        app.tell(text)
        await show_status(app, "")
    current.phase = ""
    app.redraw()


async def show_status(app: App[Settings], text: str) -> None:
    """Sets the user's status, if enabled; errors of the network are ignored."""
    if app.settings.status:
        try:
            await app.set_status(text)
        except NarrowcastError as error:
            app.log.info("the status was not set: %s", error)


@extension.segment(every=30)
def remaining(app: App[Settings]) -> str:
    """The phase and the remaining minutes, rounded up."""
    if not current.phase:
        return ""
    return f"{current.phase} {max(0, int(-(-(current.ends_at - app.now) // 60)))} min"
