"""A question before something that cannot be undone: what is asked, what it does, and a button for each answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from narrowcast.keys.hints import HasApp, KeyHint, key_of, keys_of
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.dialog import SMALL, Dialog
from narrowcast.screens.dialogs.key_line import LOW
from narrowcast.text.safe_text import safe_block, safe_line
from narrowcast.widgets.style_sheet import style_sheet

__all__ = ["NO", "YES", "Answer", "AnswerButton", "ConfirmScreen", "Question", "ask_first"]

T = TypeVar("T")

YES, NO = "confirm.yes", "confirm.no"
"""The commands whose keys give an answer from everywhere in the dialog."""
SIDES = 6
"""Columns of the dialog that are not for buttons."""


class Answer(Struct, Generic[T], frozen=True):
    """What the dialog is dismissed with, and the text of its button. ``command``: `YES` or `NO` if a key gives it."""

    value: T
    label: str
    command: str = ""


class Question(Struct, frozen=True):
    """``text``: what is asked; ``yes``: the confirming answer; ``effect``: what that does, if neither says it. Texts
    may come from the server.
    """

    text: str
    yes: str
    effect: str = ""


class AnswerButton(Button, Generic[T], inherit_bindings=False):
    """One answer, with the key that gives it; pressed by the keys of the dialog."""

    def __init__(self, answer: Answer[T], key: str, *, boxed: bool) -> None:
        label = Content.assemble((key, "underline"), " " if key else "", safe_line(answer.label))
        super().__init__(Content.assemble("[", label, "]") if boxed else label, compact=True)
        self.answer = answer

    @property
    def columns(self) -> int:
        """The columns that it takes, with the one that divides it from the next."""
        return Content.from_text(self.label).cell_length + 3


class ConfirmScreen(Dialog[T | None], Generic[T]):
    """Dismissed with the value of the answer, or with None. The first answer has the focus: it loses nothing."""

    DEFAULT_CSS = style_sheet(__name__)
    WIDTH = SMALL
    KEYS: ClassVar[Sequence[KeyHint]] = (
        ("confirm.next", "next"),
        ("confirm.press", "presses"),
        ("dialog.close", "cancels"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.CONFIRM)]
    AUTO_FOCUS = "AnswerButton"

    def __init__(self, question: str, answers: Sequence[Answer[T]], *, effect: str = "") -> None:
        super().__init__()
        self._question = question
        self._effect = effect
        self._answers = answers
        self._texts = VerticalScroll(can_focus=False)
        self.buttons: Sequence[AnswerButton[T]] = ()
        self.add_class("-grave")

    def body(self) -> ComposeResult:
        keys, boxed = keys_of(self), self.app.native_ansi_color
        self.buttons = [
            AnswerButton(answer, key_of(keys, answer.command), boxed=boxed) for answer in self._answers
        ]
        with self._texts:
            yield Static(safe_block(self._question), id="question", markup=False)
            if self._effect:
                yield Static(safe_block(self._effect), id="effect", markup=False)
        with Container(id="buttons"):
            yield from self.buttons

    def fit(self) -> None:
        """Puts the buttons below each other if they do not fit in a row; a text that is too long scrolls."""
        super().fit()
        self.set_class(self._is_narrow, "-narrow")
        self._texts.styles.max_height = self.rows_left(self.rows_beside())

    def rows_beside(self) -> int:
        return (len(self.buttons) if self._is_narrow else 1) + int(self.app.size.height >= LOW)

    @property
    def _is_narrow(self) -> bool:
        return sum(button.columns for button in self.buttons) > self.columns - SIDES

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if isinstance(event.button, AnswerButton):
            self.dismiss(event.button.answer.value)

    def action_press(self) -> None:
        if isinstance(self.focused, AnswerButton):
            self.dismiss(self.focused.answer.value)

    def action_move(self, by: int) -> None:
        """Goes to the next button, or to the previous one."""
        here = next((place for place, button in enumerate(self.buttons) if button.has_focus), 0)
        self.set_focus(self.buttons[(here + by) % len(self.buttons)])

    def action_answer(self, command: str) -> None:
        """Gives the answer that has this key."""
        for button in self.buttons:
            if button.answer.command == command:
                self.dismiss(button.answer.value)


def ask_first(screen: HasApp, question: Question, then: Callable[[], object]) -> None:
    """Does something only after the user has confirmed it."""

    def answered(sure: bool | None) -> None:
        if sure:
            then()

    answers = (Answer(False, "Cancel", NO), Answer(True, question.yes, YES))
    screen.app.push_screen(ConfirmScreen(question.text, answers, effect=question.effect), answered)
