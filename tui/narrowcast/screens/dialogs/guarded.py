"""Lists of things that not everybody may change: who may is said before anything is typed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import ClassVar, TypeVar

from msgspec.structs import replace
from textual.binding import BindingType

from narrowcast.commands.hints import KeyHint
from narrowcast.commands.registry import Context, bindings_for
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import Field, Refused, Values
from narrowcast.screens.dialogs.manage import ManageScreen

__all__ = ["GuardedScreen", "OrderedScreen", "moved"]

T = TypeVar("T")


class GuardedScreen(ManageScreen[T]):
    """A subclass says in ``refusal`` why nothing can be changed here; the empty text is: go on."""

    READ_KEYS: ClassVar[tuple[KeyHint, ...]] = (("list.select", "shows details"),)
    """What the keys do for who may only read."""

    def refusal(self) -> str:
        """Who may change these things, in a sentence; empty for who may."""
        return ""

    def refused(self, refusal: str | None = None) -> bool:
        """Say ``refusal``, or the screen's own, and whether there is one."""
        reason = self.refusal() if refusal is None else refusal
        if reason:
            self.say(reason, bad=True)
        return bool(reason)

    def _show_keys(self) -> None:
        refusal = self.refusal()
        if refusal:
            self._said.show_pieces(
                [(refusal, "warn")], [(self.hints(*self.READ_KEYS, ("manage.find", "filters")), "dim")]
            )
        else:
            super()._show_keys()

    def form(
        self,
        title: str,
        fields: Sequence[Field],
        submit: Callable[[Values], Awaitable[object]],
        *,
        verb: str = "saves",
        note: str = "",
        done: str = "",
        refusal: str | None = None,
        then: Callable[[object], None] | None = None,
    ) -> None:
        """Ask for some fields. Who may not change them sees them, and why.

        ``done`` is said when the server has taken them, or ``then`` called with what ``submit`` gave.
        """
        reason = self.refusal() if refusal is None else refusal

        async def guarded(values: Values) -> object:
            if reason:
                raise Refused("", reason)
            return await submit(values)

        def closed(result: object) -> None:
            self.reread()
            if result is None:
                return
            if then is not None:
                then(result)
            elif done:
                self.say(done)

        if reason:
            fields = [replace(field, needs="read only") for field in fields]
            note = reason
        form = FormScreen(title, fields, state=self.state, submit=guarded, verb=verb, note=note)
        self.app.push_screen(form, closed)

    def copy(self, text: str, what: str = "") -> None:
        """Put a text into the clipboard."""
        self.app.copy_to_clipboard(text)
        self.say(f"Copied {what}." if what else "Copied.")


class OrderedScreen(GuardedScreen[T]):
    """Things whose order matters and can be changed."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ORDERED)]

    async def reorder(self, keys: list[Hashable]) -> None:
        raise NotImplementedError

    def action_shift(self, by: int) -> None:
        row = self.list.selected_item
        if row is None or self.refused():
            return
        order = moved([item.key for item in self.list.items], row.key, by)
        if order is not None:
            self.work(self.reorder(order))


def moved(order: list[Hashable], key: Hashable, by: int) -> list[Hashable] | None:
    """The order with one thing moved; None where it cannot move further."""
    place = order.index(key)
    target = place + by
    if not 0 <= target < len(order):
        return None
    order = list(order)
    order.insert(target, order.pop(place))
    return order
