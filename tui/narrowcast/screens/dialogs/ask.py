"""One question with one line to answer: searching, a path, a name."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine


class AskScreen(ModalScreen[str | None]):
    """Gives back what was typed, or None. ``hints``: lines below the field."""

    DEFAULT_CSS = """
    AskScreen { align: center top; background: $background 40%; }
    AskScreen > Vertical {
        width: 76; max-width: 94%; height: auto; margin-top: 2;
        background: $surface; border: round $primary; padding: 0 1;
    }
    AskScreen OneLine { background: $surface; }
    AskScreen Editor { background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("tab", "complete", "Complete", show=False),
    ]
    AUTO_FOCUS = "Editor"

    def __init__(
        self,
        question: str,
        text: str = "",
        *,
        placeholder: str = "",
        hints: tuple[str, ...] = (),
        keys: str = "",
    ) -> None:
        super().__init__()
        self._question = question
        self._text = text
        self._placeholder = placeholder
        self._hints = hints
        self._keys = keys or "Enter goes on · Esc leaves"

    def compose(self) -> ComposeResult:
        with Vertical():
            title = OneLine()
            title.show_pieces([(self._question, "strong")], [(self._keys, "dim")])
            yield title
            yield Editor(self._text, placeholder=self._placeholder)
            for hint in self._hints:
                line = OneLine()
                line.show_pieces([(hint, "dim")])
                yield line

    @property
    def editor(self) -> Editor:
        """The field."""
        return self.query_one(Editor)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        """Give the answer back."""
        event.stop()
        self.answer(event.editor.text.strip())

    def answer(self, text: str) -> None:
        """Subclasses check here before they call ``dismiss``."""
        self.dismiss(text)

    def action_complete(self) -> None:
        """Subclasses complete what is typed."""

    def action_leave(self) -> None:
        """Give nothing back."""
        self.dismiss(None)
