"""The controls of a form: a field's label above its widget, the value it holds, and what Tab would complete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs import form_fields as fields
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.text import names
from narrowcast.text.formats import has_long_clock
from narrowcast.text.matching import best_matches
from narrowcast.text.natural_time import EXAMPLES
from narrowcast.text.safe_text import safe_block
from narrowcast.text.user_search import people
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine, Piece
from narrowcast.widgets.style_sheet import style_sheet

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

OFFERED = 6
"""Maximum number of completions shown."""
MOMENTS = ("tomorrow 9:00", "monday 9:00", "friday 9:00", "in 20 minutes", "in 2 hours", "today 17:00")
BEFORE, BEHIND = "‹ ", " ›"
LIST = "names, separated by commas"
AND = ", "
FEW = 4
"""Maximum number of options for which Space selects the next one; more are shown as a list."""
MAX_NEEDS = 40
"""Characters available beside a read-only value for the reason; a longer reason is shown without its text in
brackets."""


class ChoiceControl(OneLine, can_focus=True):
    """A choice of one option: left, right and Space change it; with many options Space opens a list."""

    DEFAULT_CSS = """
    ChoiceControl:focus:ansi { background: ansi_default; text-style: reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.CHOICE)]

    class Changed(Message):
        """Another option was chosen."""

    class Done(Message):
        """Enter was pressed: the focus moves to the next field."""

    def __init__(self, options: Sequence[tuple[object, str]], value: object, *, title: str) -> None:
        super().__init__()
        self._options = list(options)
        self._title = title
        if all(value != option for option, _ in self._options):
            self._options.insert(0, (value, "(unchanged)" if value is not None else "(select)"))
        self.value = value

    def on_mount(self) -> None:
        self.show_value()

    @property
    def _place(self) -> int:
        return next(place for place, (option, _) in enumerate(self._options) if option == self.value)

    @property
    def _is_switch(self) -> bool:
        return [option for option, _ in self._options] == [True, False]

    @property
    def words(self) -> str:
        """The text of the chosen option."""
        return self._options[self._place][1]

    @property
    def is_cut(self) -> bool:
        """Whether the text of the chosen option does not fit."""
        return 0 < self.size.width < cell_len(f"{BEFORE}{self.words}{BEHIND}")

    def show_value(self) -> None:
        """Shows the chosen option."""
        pieces: list[Piece]
        if self._is_switch:
            pieces = [(f"[{'x' if self.value else ' '}] ", "accent"), (self._title, "strong")]
        else:
            pieces = [(BEFORE, "dim"), (self.words, ""), (BEHIND, "dim")]
        self.show_pieces(pieces)

    def put(self, value: object) -> None:
        if value != self.value and any(value == option for option, _ in self._options):
            self.value = value
            self.show_value()
            self.post_message(self.Changed())

    def action_step(self, by: int) -> None:
        self.put(self._options[(self._place + by) % len(self._options)][0])

    def action_set(self, value: bool) -> None:
        if self._is_switch:
            self.put(value)

    def action_choose(self) -> None:
        """Selects the next option, or opens the list if there are many."""
        if len(self._options) <= FEW:
            self.action_step(1)
            return

        choices = [Choice(place, words) for place, (_, words) in enumerate(self._options)]

        def chosen(place: int | None) -> None:
            if place is not None:
                self.put(self._options[place][0])

        self.app.push_screen(Picker(self._title, choices), chosen)

    def action_done(self) -> None:
        self.post_message(self.Done())

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.action_choose()


class FormRow(Vertical):
    """A label and, below it, its control; what is on or off takes one row."""

    DEFAULT_CSS = style_sheet(__name__)

    def __init__(self, field: fields.Field, state: State) -> None:
        super().__init__()
        self.field = field
        self._state = state
        self.heading = OneLine()
        self.label = OneLine()
        self.control = self._make()
        self.before = fields.initial(field)
        self._chosen = 0
        self.problem = Static("", classes="problem", markup=False)
        """The problem with the value; the form shows it below the row."""

    @property
    def rows(self) -> int:
        """The rows that it takes with its section's heading, without the one that stands apart from the row above."""
        heading = int(bool(self.field.section))
        if self.field.needs or isinstance(self.field, fields.YesNo):
            return heading + 1
        return heading + 1 + (self.field.rows if isinstance(self.field, fields.Text) else 1)

    def _make(self) -> Editor | ChoiceControl:
        field, state = self.field, self._state
        match field:
            case fields.YesNo():
                return ChoiceControl([(True, "yes"), (False, "no")], field.value, title=field.label)
            case fields.OneOf():
                return ChoiceControl(field.options, field.value, title=field.label)
            case fields.Text():
                editor = Editor(field.value, multiline=True, placeholder=field.placeholder)
                editor.styles.height = field.rows
                return editor
            case fields.LineField():
                return Editor(field.value, placeholder=field.placeholder, password=field.secret)
            case fields.People():
                written = [names.recipient(state, user_id) for user_id in field.value]
                return Editor(_list_of(written), placeholder=LIST)
            case fields.Names():
                return Editor(_list_of(field.named()), placeholder=LIST)
            case fields.ChannelName():
                name = names.channel(state, field.value) if field.value is not None else ""
                return Editor(name, placeholder="name of a channel")
            case fields.DateTimeField():
                return Editor(field.value, placeholder=EXAMPLES)
        raise TypeError(f"no control for {field!r}")

    def compose(self) -> ComposeResult:
        label, needs = self.field.label, self.field.needs
        if self.field.section:
            self.heading.show_pieces([(self.field.section.upper(), "section")])
            yield self.heading
        if needs:
            what = self.typed.removesuffix(AND) if isinstance(self.control, Editor) else self.control.words
            if len(needs) > MAX_NEEDS:
                needs = needs.partition(" (")[0]
            value = what.splitlines()[0] if what else "–"
            self.label.show_pieces([(f"{label}  ", "dim"), (value, "dim")], [(needs, "warn")])
            yield self.label
            return
        if not isinstance(self.field, fields.YesNo):
            self.label.show_pieces([(label, "strong")])
            yield self.label
        yield self.control

    def show_problem(self, text: str) -> None:
        """Shows the problem with the value; an empty text clears it."""
        self.problem.update(safe_block(text[:500]))
        self.problem.set_class(bool(text), "-shown")

    @property
    def has_problem(self) -> bool:
        """Whether a problem with the value is shown."""
        return self.problem.has_class("-shown")

    def mark(self) -> None:
        """Marks an existing value so that typing replaces it. Lists are not marked, so that typing adds to them."""
        control = self.control
        if isinstance(control, Editor) and not control.buffer.multiline:
            control.buffer.end()
            if not self.is_list:
                control.mark()

    @property
    def has_long_clock(self) -> bool:
        """Whether times are shown in 24-hour format."""
        return has_long_clock(self._state)

    @property
    def is_enabled(self) -> bool:
        """Whether the value can be changed."""
        return not self.field.needs

    @property
    def is_list(self) -> bool:
        """Whether the field holds a list of names."""
        return isinstance(self.field, fields.People | fields.Names)

    @property
    def is_secret(self) -> bool:
        """Whether the value must not be shown on the screen."""
        return isinstance(self.field, fields.LineField) and self.field.secret

    @property
    def typed(self) -> str:
        """The text in the editor; empty if the control is not one."""
        return self.control.text if isinstance(self.control, Editor) else ""

    @property
    def is_touched(self) -> bool:
        """Whether the user has changed the value."""
        if isinstance(self.control, ChoiceControl):
            return self.control.value != self.before
        return self.typed != self._first

    def on_mount(self) -> None:
        self._first = self.typed

    def read(self, now: float) -> object:
        """The value. Raises UnusableValue if it is invalid."""
        if not self.is_enabled:
            return self.before
        if isinstance(self.control, ChoiceControl):
            return self.control.value
        untouched = (
            isinstance(self.field, fields.LineField | fields.Text | fields.DateTimeField | fields.Names)
            and self.typed == self._first
        )
        if untouched and self.typed.strip():
            return self.before
        return fields.read_text(self.field, self.typed, self._state, now)

    def offers(self) -> tuple[int, list[str]]:
        """The start of the text that Tab would complete, and the completions, best first."""
        typed = self.typed
        match self.field:
            case fields.People() | fields.Names():
                start = typed.rfind(",") + 1
                start += len(typed[start:]) - len(typed[start:].lstrip())
                name = names.unsigned(typed[start:])
                if isinstance(self.field, fields.People):
                    return start, _people(self._state, name)
                return start, _best(name, list(self.field.known.values()))
            case fields.ChannelName():
                return 0, _best(names.unsigned(typed), list(names.open_channels(self._state).values()))
            case fields.DateTimeField():
                return 0, [text for text in MOMENTS if typed and text.startswith(typed.lower())]
            case fields.LineField() if self.field.suggest is not None:
                found = _best(typed, self.field.suggest(typed))
                return 0, _typed_first(typed.strip(), found) if self.field.new else found
        return 0, []

    @property
    def is_free(self) -> bool:
        """Whether the field takes values that are not among its completions."""
        return isinstance(self.field, fields.LineField) and bool(self.field.new)

    def choose(self, by: int) -> bool:
        """Chooses another completion than what was typed; False if there is none in this direction."""
        _, found = self.offers()
        place = self._chosen + by
        if not (self.is_free and self.is_touched and found and 0 <= place < len(found)):
            return False
        self._chosen = place
        return True

    def edited(self) -> None:
        """After the text was changed: what was typed is what is chosen."""
        self._chosen = 0

    def complete(self) -> bool:
        """Accepts the chosen completion, by default the first; False if there is nothing to complete."""
        start, found = self.offers()
        control = self.control
        if not isinstance(control, Editor) or not found or not self.typed[start:].strip():
            return False
        chosen = found[self._chosen if self._chosen < len(found) else 0]
        if self.typed[start:].strip().casefold() == chosen.casefold():
            return False
        taken = _list_of([chosen]) if self.is_list else chosen
        control.replace(start, len(self.typed), taken)
        return True

    def shown_offers(self) -> list[tuple[str, bool]]:
        """The texts of the completions, and which of them is chosen; none if what was typed is the only one."""
        start, found = self.offers()
        typed = self.typed[start:].strip().casefold()
        if not found or (
            typed == found[0].casefold() and not (self.is_free and self.is_touched and found[1:])
        ):
            return []
        return [(self._describe(offer), place == self._chosen) for place, offer in enumerate(found)]

    def _describe(self, offer: str) -> str:
        field = self.field
        if not isinstance(field, fields.LineField):
            return offer
        if field.new and field.suggest is not None and offer not in field.suggest(self.typed):
            return f"{offer} ({field.new})"
        return field.describe(offer) if field.describe is not None else offer


def focusable(row: FormRow) -> Widget | None:
    """The widget of a row that takes the focus; None if the row is disabled."""
    return row.control if row.is_enabled else None


def _list_of(written: Sequence[str]) -> str:
    """The names, each followed by a comma, so that more can be added."""
    return "".join(name + AND for name in written)


def _people(state: State, typed: str) -> list[str]:
    """The people that match, written so that a list can hold them: names may contain commas or be ambiguous."""
    if not typed.strip():
        return []
    return [names.recipient(state, user.user_id) for user in people(state).best(state, typed, OFFERED)]


def _typed_first(typed: str, found: list[str]) -> list[str]:
    """What was typed, then the completions that differ from it; one that differs only in case replaces it."""
    same = [one for one in found if one.casefold() == typed.casefold()]
    return [*(same or ([typed] if typed and found else [])), *(one for one in found if one not in same)]


def _best(typed: str, candidates: Sequence[str]) -> list[str]:
    if not typed.strip():
        return []
    return [candidates[place] for place in best_matches(typed, candidates, OFFERED)]
