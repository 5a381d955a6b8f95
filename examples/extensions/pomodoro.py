"""A pomodoro in the status line: F12 begins one, or ends it.

[extensions.pomodoro]
minutes = 25
break_minutes = 5
status = "In a pomodoro"      # your status meanwhile; empty: leave it alone
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
class Round:
    """The one under way: ``number`` tells it from those before; ``app``: of the account in which it began."""

    number: int = 0
    app: App[Settings] | None = None
    phase: str = ""
    ends_at: float = 0.0


now = Round()

extension = Extension("pomodoro", "A pomodoro in the status line", settings=Settings)


@extension.command("toggle", "Pomodoro: begin or end", keys=["f12"])
def toggle(app: App[Settings]) -> None:
    """Begin one, or end the one under way."""
    now.number += 1
    if now.phase:
        now.phase = ""
        app.tell("Pomodoro ended.")
        begun_in = now.app or app
        begun_in.start(show_status(begun_in, ""))
    else:
        now.app = app
        app.start(go_on(app, now.number))
    app.redraw()


async def go_on(app: App[Settings], number: int) -> None:
    """Work, then the break."""
    await show_status(app, app.settings.status)
    for phase, minutes, said in (
        ("work", app.settings.minutes, "Time for a break."),
        ("break", app.settings.break_minutes, "The break is over."),
    ):
        now.phase, now.ends_at = phase, app.now + 60 * minutes
        app.redraw()
        await app.sleep(60 * minutes)
        if now.number != number:
            return  # ended, or another one began
        app.tell(said)
        await show_status(app, "")
    now.phase = ""
    app.redraw()


async def show_status(app: App[Settings], text: str) -> None:
    """Set one's status, if that is wanted; without a network nothing is lost by it."""
    if app.settings.status:
        try:
            await app.set_status(text)
        except NarrowcastError as error:
            app.log.info("the status is not set: %s", error)


@extension.segment(every=30)
def left(app: App[Settings]) -> str:
    """The phase and the minutes that are left, rounded up."""
    if not now.phase:
        return ""
    return f"{now.phase} {max(0, int(-(-(now.ends_at - app.now) // 60)))} min"
