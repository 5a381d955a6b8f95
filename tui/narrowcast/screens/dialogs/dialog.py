"""What every dialog shares: a frame, the key that closes it, and help on its own keys."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from textual.binding import BindingType
from textual.screen import ModalScreen, Screen

from narrowcast.commands.hints import KeyHint, Keys, default_keys, hint_words
from narrowcast.commands.registry import Context, bindings_for

__all__ = ["Dialog", "keys_of"]

T = TypeVar("T")


def keys_of(screen: Screen[Any]) -> Keys:
    """The keys that the commands have in the app of ``screen``."""
    keys: Keys | None = getattr(screen.app, "keys", None)
    return default_keys() if keys is None else keys


class Dialog(ModalScreen[T]):
    """Dismissed with None when it is closed."""

    DEFAULT_CSS = """
    Dialog { align: center top; background: $background 40%; }
    Dialog > Vertical {
        width: 72; max-width: 96%; height: auto; margin-top: 1;
        background: $surface; border: round $primary; padding: 0 1;
    }
    Dialog OneLine { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.DIALOG)]

    def hints(self, *hints: KeyHint) -> str:
        """A line that names keys and what they do."""
        return " · ".join(hint_words(keys_of(self), hints))

    def action_leave(self) -> None:
        self.dismiss(None)
