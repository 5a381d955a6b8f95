"""A question with a one-line answer, such as a search, a path or a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["AskScreen", "FieldCompletion"]


class FieldCompletion(Protocol):
    """Completes the typed text, when the user asks for it."""

    widgets: Sequence[Widget]
    """Widgets shown below the field."""

    def typed(self, ask: AskScreen) -> None:
        """Called when the text has changed."""

    def move(self, direction: int) -> bool:
        """Selects another completion, up (-1) or down (1); False if there are none."""

    def complete(self, ask: AskScreen) -> None:
        """Replaces the typed text with the completion."""


class AskScreen(Dialog[str | None]):
    """Asks one question. Dismissed with the answer, or None.

    ``notes``: lines below the field. ``does``: what Enter does. ``read``: converts the typed text to the answer.
    ``check``: returns the problem with an answer, or an empty text; ``checks_typing``: check on every change.
    ``problem``: the problem with an earlier answer. ``marked``: typing replaces the initial text.
    """

    DEFAULT_CSS = style_sheet(__name__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ASK)]
    AUTO_FOCUS = "Editor"

    def __init__(
        self,
        question: str,
        text: str = "",
        *,
        placeholder: str = "",
        notes: tuple[str, ...] = (),
        does: str = "confirms",
        read: Callable[[str], str] = str,
        check: Callable[[str], str] | None = None,
        checks_typing: bool = False,
        problem: str = "",
        marked: bool = False,
        completion: FieldCompletion | None = None,
    ) -> None:
        super().__init__()
        self._question = question
        self._text = text
        self._placeholder = placeholder
        self._notes = notes
        self.does = does
        self._read = read
        self._check = check
        self._checks_typing = checks_typing
        self._completion = completion
        self._marked = marked
        self._problem = problem

    def title_text(self) -> str:
        return self._question

    def body(self) -> ComposeResult:
        yield Editor(self._text, placeholder=self._placeholder, classes="-spaced" if self._notes else None)
        if self._completion is not None:
            yield from self._completion.widgets
        for note in self._notes:
            line = OneLine()
            line.show_pieces([(note, "dim")])
            yield line

    def rows_beside(self) -> int:
        return 2 + len(self._notes)

    def show_keys(self) -> None:
        completes = (("ask.complete", "completes"),) if self._completion is not None else ()
        self.key_line.show_keys((("editor.submit", self.does), *completes, ("dialog.close", "cancels")))
        if self._problem:
            self.say(self._problem, "bad")

    def on_mount(self) -> None:
        if self._marked:
            self.editor.mark()

    @property
    def editor(self) -> Editor:
        return self.query_one(Editor)

    def completion_changed(self) -> None:
        """Called when the completion shows something else than before."""

    def say(self, text: str, look: str = "dim") -> None:
        """Shows a remark on the typed text. ``look``: as in `OneLine`."""
        self.key_line.show(text, look)

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """Clears the problem, or checks again."""
        event.stop()
        if event.edited:
            self._problem = ""
        if self._completion is not None:
            self._completion.typed(self)
        if self._checks_typing:
            self.say(self._problem_of(self._read(event.editor.text.strip())), "bad")
        elif event.edited:
            self.say("")

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """Dismisses with the answer; if it has a problem, stays open and shows it."""
        event.stop()
        answer = self._read(event.editor.text.strip())
        if problem := self._problem_of(answer):
            self.say(problem, "bad")
        else:
            self.dismiss(answer)

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """A click on a completion takes it."""
        event.stop()
        self.action_complete()

    def _problem_of(self, answer: str) -> str:
        return self._check(answer) if self._check is not None else ""

    def action_offer(self, direction: int) -> None:
        """Selects another completion, up (-1) or down (1)."""
        if self._completion is None or not self._completion.move(direction):
            raise SkipAction

    def action_complete(self) -> None:
        if self._completion is not None:
            self._completion.complete(self)
