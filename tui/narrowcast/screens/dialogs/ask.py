"""One question with one line to answer: searching, a path, a name."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from narrowcast.commands.hints import KeyHint
from narrowcast.commands.registry import Context, bindings_for
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine


class AskScreen(Dialog[str | None]):
    """Gives back what was typed, or None. ``notes``: lines below the field; ``does``: what Enter does."""

    DEFAULT_CSS = """
    AskScreen > Vertical { width: 76; margin-top: 2; }
    AskScreen Editor { background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ASK)]
    AUTO_FOCUS = "Editor"
    KEYS: ClassVar[tuple[KeyHint, ...]] = ()
    """Keys that a subclass adds."""

    def __init__(
        self,
        question: str,
        text: str = "",
        *,
        placeholder: str = "",
        notes: tuple[str, ...] = (),
        does: str = "OK",
    ) -> None:
        super().__init__()
        self._question = question
        self._text = text
        self._placeholder = placeholder
        self._notes = notes
        self._does = does

    def compose(self) -> ComposeResult:
        with Vertical():
            title = OneLine()
            keys = self.hints(("editor.submit", self._does), *self.KEYS, ("dialog.close", "cancels"))
            title.show_pieces([(self._question, "strong")], [(keys, "dim")])
            yield title
            yield Editor(self._text, placeholder=self._placeholder)
            for note in self._notes:
                line = OneLine()
                line.show_pieces([(note, "dim")])
                yield line

    @property
    def editor(self) -> Editor:
        return self.query_one(Editor)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        self.answer(event.editor.text.strip())

    def answer(self, text: str) -> None:
        """Subclasses check here before they call ``dismiss``."""
        self.dismiss(text)

    def action_complete(self) -> None:
        """Subclasses complete what is typed."""
