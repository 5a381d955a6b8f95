"""A form: labelled fields that are submitted together; what was typed stays until the server has accepted it.

    FormScreen(
        "New channel",
        [LineField("name", "Name", required=True), YesNo("private", "Private")],
        state=session.state,
        submit=create,  # async; receives Values; raises UnusableValue or a NarrowcastError with the problem
    )

Dismissed with the result of ``submit`` (True for None), or None if the user leaves.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Static

from narrowcast.content.wrapping import Run, wrap
from narrowcast.keys.hints import SEPARATOR, key_of, keys_of, with_keys
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.screens.dialogs.form_controls import ChoiceControl, FormRow, focusable
from narrowcast.screens.dialogs.form_fields import DateTimeField, Field, UnusableValue, Values
from narrowcast.screens.dialogs.key_line import LOW
from narrowcast.text import formats
from narrowcast.text.natural_time import EXAMPLES
from narrowcast.text.safe_text import safe_block
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine, Piece
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast_api.errors import NarrowcastError

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = ["FormScreen", "read_only_form"]

HIGH_FROM = 30
"""Height of the terminal from which a form has buttons."""
SIDES = 4
"""Columns of a form that are not text."""
PROBLEM_ROWS = 2
"""Rows reserved for the problem with a value."""
WAITING = "Please wait…"
CHANGE = "<choice.previous> <choice.next> or <choice.choose> to change"


class FormScreen(Dialog[object], inherit_bindings=False):
    """See the module's description. ``verb``: what submitting does, as in "Ctrl-d saves"."""

    DEFAULT_CSS = style_sheet(__name__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.FORM)]
    AUTO_FOCUS = ""

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        *,
        state: State,
        submit: Callable[[Values], Awaitable[object]],
        verb: str = "saves",
        note: str = "",
        focus: str = "",
    ) -> None:
        """``note``: a dim text below the title; ``focus``: the field that gets the focus, by default the first."""
        super().__init__()
        self._title = title
        self._verb = verb
        self._note = safe_block(note)
        self._submit = submit
        self._focus_first = focus
        self.rows = [
            FormRow(field if number else replace(field, section=""), state)
            for number, field in enumerate(fields)
        ]
        self._scroll = VerticalScroll(can_focus=False)
        self._hint = OneLine(id="hint")
        self._sending = False
        self._warned = False

    def title_text(self) -> str:
        return self._title

    def body(self) -> ComposeResult:
        if self._note:
            yield Static(self._note, id="note", markup=False)
        with self._scroll:
            for row in self.rows:
                yield row
                yield row.problem
        yield self._hint
        with Horizontal(id="buttons"):
            yield from self._buttons()

    def _buttons(self) -> Iterator[Button]:
        """What the mouse can press; keys do the same from everywhere, so that no button takes the focus."""
        verb, *rest = self._verb.split()
        does = " ".join([verb.removesuffix("s").capitalize(), *rest])
        for button in (
            Button("Cancel", action="screen.leave", compact=True),
            Button(does, action="screen.send", variant="primary", compact=True),
        ):
            button.can_focus = False
            yield button

    def on_mount(self) -> None:
        """Focuses the first field that can be changed."""
        first = next(
            (row for row in self.rows if row.is_enabled and row.field.name == self._focus_first), None
        )
        first = first or next((row for row in self.rows if row.is_enabled), None)
        if first is not None:
            self._enter(first)
            if isinstance(first.control, Editor):
                first.control.buffer.end()
            first.mark()

    @property
    def _width(self) -> int:
        return max(1, self.columns - SIDES)

    def fit(self) -> None:
        """Shows as many fields as fit; the others scroll. Blank rows divide them if there is room for all, else only
        the sections, unless that would hide a field.
        """
        super().fit()
        self.set_class(not self._has_buttons, "-few")
        height = sum(row.rows + PROBLEM_ROWS * row.has_problem for row in self.rows)
        room = self.rows_left(self.rows_beside())
        apart = others = self.rows[1:]
        if height + len(apart) > room:
            apart = [row for row in others if row.field.section]
        if height <= room < height + len(apart):
            apart = []
        for row in others:
            row.set_class(row in apart, "-apart")
        self._scroll.styles.height = max(1, min(height + len(apart), room))

    def rows_beside(self) -> int:
        return self._note_rows() + (2 if self._has_buttons else 1) + int(self.app.size.height >= LOW)

    @property
    def _has_buttons(self) -> bool:
        """Whether there is room for them: keys, which the mouse can press too, are always shown."""
        return self.app.size.height >= HIGH_FROM and any(row.is_enabled for row in self.rows)

    def show_keys(self) -> None:
        enabled = sum(row.is_enabled for row in self.rows)
        if not enabled:
            self.key_line.show_keys((("form.cancel", "closes"),))
            return
        moves = (("form.next", "next field"),) if enabled > 1 else ()
        self.key_line.show_keys((*moves, ("form.send", self._verb), ("form.cancel", "cancels")))

    def _note_rows(self) -> int:
        lines = [Run(line, Style.null()) for line in self._note.splitlines()]
        return sum(max(1, len(list(wrap([line], self._width)))) for line in lines)

    # the current field

    @property
    def _here(self) -> FormRow | None:
        focused = self.focused
        return next((row for row in self.rows if focused is not None and row.control is focused), None)

    def row(self, name: str) -> FormRow:
        """The row of a field. Raises StopIteration if there is no such field."""
        return next(row for row in self.rows if row.field.name == name)

    def _enter(self, row: FormRow) -> None:
        control = focusable(row)
        if control is not None:
            self.set_focus(
                control, scroll_visible=False
            )  # the whole row is scrolled into view, with its label
            row.scroll_visible(animate=False)
        self._show_hint()

    def _show_hint(self) -> None:
        row = self._here
        if row is None:
            self._hint.show_pieces([])
            return
        if offers := row.shown_offers():
            self._hint.show_pieces(self._offers_line(offers, is_free=row.is_free))
        elif isinstance(row.field, DateTimeField) and row.typed.strip():
            self._hint.show_pieces([self._understood(row)])
        elif isinstance(row.control, ChoiceControl) and row.control.is_cut:
            self._hint.show_pieces([(row.control.words, "")])
        elif isinstance(row.control, ChoiceControl):
            self._hint.show_pieces([(row.field.hint or with_keys(keys_of(self), CHANGE), "dim")])
        else:
            self._hint.show_pieces([(row.field.hint, "dim")])

    def _offers_line(self, offers: Sequence[tuple[str, bool]], *, is_free: bool) -> list[Piece]:
        """The completions, the chosen one stressed if the arrows choose."""
        keys = keys_of(self)
        if not is_free:
            return [
                (f"{key_of(keys, 'form.next')}: ", "accent"),
                (SEPARATOR.join(text for text, _ in offers), "dim"),
            ]
        arrows = "/".join(filter(None, (key_of(keys, "form.up"), key_of(keys, "form.down"))))
        pieces: list[Piece] = [(f"{arrows}: ", "accent")]
        for place, (text, is_chosen) in enumerate(offers):
            pieces += [(SEPARATOR if place else "", "dim"), (text, "strong" if is_chosen else "dim")]
        return pieces

    @staticmethod
    def _understood(row: FormRow) -> tuple[str, str]:
        """How the typed time is interpreted."""
        try:
            at = row.read(time.time())
        except UnusableValue:
            return f"such as {EXAMPLES}", "dim"
        if not isinstance(at, int):
            return row.field.hint, "dim"
        return formats.moment(at, time.time(), long=row.has_long_clock), "good"

    def _step(self, by: int) -> bool:
        enabled = [row for row in self.rows if row.is_enabled]
        here = self._here
        place = enabled.index(here) + by if here is not None and here in enabled else 0
        if not 0 <= place < len(enabled):
            return False
        self._enter(enabled[place])
        enabled[place].mark()
        return True

    def action_next(self) -> None:
        """Completes the typed text, or goes to the next field; after the last comes the first."""
        row = self._here
        if row is not None and row.complete():
            self._show_hint()
        elif not self._step(1):
            for first in [row for row in self.rows if row.is_enabled][:1]:
                self._enter(first)

    def action_previous(self) -> None:
        self._step(-1)

    def action_move(self, by: int) -> None:
        """Chooses a completion where other values are allowed too; else goes to another field."""
        row = self._here
        if row is not None and row.choose(by):
            self._show_hint()
        else:
            self._step(by)

    def action_new_line(self) -> None:
        row = self._here
        if row is not None and isinstance(row.control, Editor) and row.control.buffer.multiline:
            row.control.insert("\n")

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """Shows what Tab would complete, and checks again a value that had a problem."""
        event.stop()
        self._take_back_warning()
        if event.edited:
            if self._here is not None:
                self._here.edited()
            self._check_again()
        self._show_hint()

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """Enter goes to the next field, and submits from the last one. In a list of names it first accepts the
        completion, like Tab, since more names may follow.
        """
        event.stop()
        row = self._here
        if row is not None and row.complete() and row.is_list:
            self._show_hint()
        else:
            self._go_on()

    def on_choice_control_done(self) -> None:
        self._go_on()

    def on_choice_control_changed(self) -> None:
        self._take_back_warning()
        self._check_again()
        self._show_hint()

    def _take_back_warning(self) -> None:
        """Leaving must be confirmed again: the warning is out of date after a change."""
        if self._warned:
            self._warned = False
            self.say(WAITING if self._sending else "")

    def on_descendant_focus(self) -> None:
        self._show_hint()

    def _go_on(self) -> None:
        if not self._step(1):
            self.action_send()

    # submitting and leaving

    def say(self, text: str, *, bad: bool = False) -> None:
        """Shows a line below the fields; it may come from the server."""
        self.key_line.say(text[:500], bad=bad)
        self.fit()

    @property
    def shown_problems(self) -> str:
        """All problems that the form shows."""
        return " ".join([*(str(row.problem.render()) for row in self.rows), self.key_line.said])

    def _check_again(self) -> None:
        """Checks again a value that had a problem."""
        row = self._here
        if row is not None and row.has_problem:
            row.show_problem(self._problem_of(row))
            self.fit()

    @staticmethod
    def _problem_of(row: FormRow) -> str:
        """The problem with a value; empty if there is none."""
        try:
            row.read(time.time())
        except UnusableValue as problem:
            return problem.text
        return ""

    @property
    def is_touched(self) -> bool:
        """Whether closing would lose a change."""
        return any(row.is_touched for row in self.rows if row.is_enabled)

    def read(self) -> Values:
        """The values of all fields. Raises UnusableValue for the first invalid one."""
        now = time.time()
        read = {row.field.name: row.read(now) for row in self.rows}
        return Values(read, {row.field.name: row.before for row in self.rows})

    def action_send(self) -> None:
        """Passes the values to `submit`; if they are refused, the reason is shown and everything stays as typed."""
        if self._sending:
            return
        self._warned = False
        self.say("")
        for row in self.rows:
            row.show_problem(self._problem_of(row))
        self.fit()
        wrong = next((row for row in self.rows if row.has_problem), None)
        if wrong is not None:
            self._enter(wrong)
            return
        values = self.read()
        self._sending = True
        self.say(WAITING)
        app_of(self).spawn(self._send(values), self._title.lower())

    async def _send(self, values: Values) -> None:
        try:
            result = await self._submit(values)
        except UnusableValue as problem:
            if not self.is_attached:
                raise self._with_what_was_typed(problem.text) from problem
            self._refuse(problem)
        except NarrowcastError as error:
            if not self.is_attached:
                raise self._with_what_was_typed(error.user_message) from error
            self.say(error.user_message, bad=True)
        except Exception as error:
            self.say(f"Unexpected error ({type(error).__name__}). See the log for details.", bad=True)
            raise
        else:
            self.dismiss(True if result is None else result)
        finally:
            self._sending = False

    def _with_what_was_typed(self, reason: str) -> NarrowcastError:
        """An error with the typed texts, for a form that was closed while submitting: they are kept nowhere else."""
        words = [
            f"{row.field.label}: {row.typed}"
            for row in self.rows
            if row.is_enabled and row.typed and row.is_touched and not row.is_secret
        ]
        return NarrowcastError(f"{reason} You typed: {' · '.join(words)}" if words else reason)

    def _refuse(self, problem: UnusableValue) -> None:
        row = next((row for row in self.rows if row.field.name == problem.name and row.is_enabled), None)
        if row is None:
            self.say(problem.text, bad=True)
            return
        self.say("")
        row.show_problem(problem.text)
        self.fit()
        self._enter(row)

    def action_leave(self) -> None:
        """Closes the form; if there are unsaved changes, only at the second press of the key."""
        if self._warned or not (self.is_touched or self._sending):
            self.dismiss(None)
            return
        self._warned = True
        if self._sending:
            self.say("Saving… Press the same key again to close; saving continues.")
        else:
            self.say("You have unsaved changes. Press the same key again to discard them.", bad=True)


def read_only_form(
    title: str,
    fields: Sequence[Field],
    *,
    state: State,
    submit: Callable[[Values], Awaitable[object]],
    verb: str,
    note: str,
) -> FormScreen:
    """A form for a user who may not change anything; ``note`` is the reason. ``submit`` is never called."""

    async def refuse(_values: Values) -> object:
        raise UnusableValue("", note)

    shown = [replace(field, needs="read only") for field in fields]
    return FormScreen(title, shown, state=state, submit=refuse, verb=verb, note=note)
