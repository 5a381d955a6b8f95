"""One question with one line to answer: searching, a path, a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget

from narrowcast.commands.registry import Context, bindings_for
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.screens.dialogs.key_line import KeyLine
from narrowcast.screens.dialogs.title import DialogTitle
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine

__all__ = ["AskScreen", "Completion"]


class Completion(Protocol):
    """Completes what is typed, when its user asks for it."""

    widgets: Sequence[Widget]
    """What it shows below the field."""

    def typed(self, ask: AskScreen) -> None:
        """Called when the text has changed."""

    def move(self, direction: int) -> bool:
        """Choose another offer, up (-1) or down (1); False where there are none."""

    def complete(self, ask: AskScreen) -> None:
        """Put what completes it in the place of what is typed."""


class AskScreen(Dialog[str | None]):
    """Gives back what was typed, or None.

    ``notes``: lines below the field. ``does``: what Enter does. ``read``: the answer that a text stands for. ``check``:
    what is wrong with an answer, or nothing; ``checks_typing``: that is said while one types. ``problem``: what was
    wrong before. ``marked``: what is typed replaces the text that is there.
    """

    DEFAULT_CSS = """
    AskScreen > Vertical { width: 76; margin-top: 2; }
    AskScreen Editor { background: $panel; }
    AskScreen #offers { background: $panel; display: none; }
    AskScreen #offers.-some { display: block; }
    """
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
        completion: Completion | None = None,
    ) -> None:
        super().__init__()
        self._question = question
        self._text = text
        self._placeholder = placeholder
        self._notes = notes
        self._does = does
        self._read = read
        self._check = check
        self._checks_typing = checks_typing
        self._completion = completion
        self._marked = marked
        self.remark = KeyLine()
        """Says what is wrong, where answers are checked."""
        self.say(problem, "bad")

    def compose(self) -> ComposeResult:
        completes = (("ask.complete", "completes"),) if self._completion is not None else ()
        with Vertical():
            title = DialogTitle()
            keys = self.hints(("editor.submit", self._does), *completes, ("dialog.close", "cancels"))
            title.show_pieces([(self._question, "strong")], [(keys, "dim")])
            yield title
            yield Editor(self._text, placeholder=self._placeholder)
            if self._completion is not None:
                yield from self._completion.widgets
            if self._check is not None:
                yield self.remark
            for note in self._notes:
                line = OneLine()
                line.show_pieces([(note, "dim")])
                yield line

    def on_mount(self) -> None:
        if self._marked:
            self.editor.mark()

    @property
    def editor(self) -> Editor:
        return self.query_one(Editor)

    def say(self, text: str, look: str = "dim") -> None:
        """Says something about what is typed. ``look``: as in `OneLine`."""
        self.remark.show(text, look)

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """What was wrong may be right now."""
        event.stop()
        if self._completion is not None:
            self._completion.typed(self)
        if self._checks_typing:
            self.say(self._problem_of(self._read(event.editor.text.strip())), "bad")
        elif event.edited:
            self.say("")

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """An answer that is wrong stays, with the reason."""
        event.stop()
        answer = self._read(event.editor.text.strip())
        if problem := self._problem_of(answer):
            self.say(problem, "bad")
        else:
            self.dismiss(answer)

    def _problem_of(self, answer: str) -> str:
        return self._check(answer) if self._check is not None else ""

    def action_offer(self, direction: int) -> None:
        """Choose another offer, up (-1) or down (1)."""
        if self._completion is None or not self._completion.move(direction):
            raise SkipAction

    def action_complete(self) -> None:
        if self._completion is not None:
            self._completion.complete(self)
