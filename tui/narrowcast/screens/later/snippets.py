"""Saved snippets: texts to insert into messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.asking import Host, ask
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import LineField, Text, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.resources.saved_snippets import SavedSnippet
from narrowcast_api.state.changes import SavedSnippetsChanged
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

MAX_TITLE = 60


def _fields(limit: int, snippet: SavedSnippet | None = None, content: str = "") -> list[LineField | Text]:
    return [
        LineField("title", "Title", value=snippet.title if snippet else "", required=True, limit=MAX_TITLE),
        Text(
            "content",
            "Text",
            value=snippet.content if snippet else content,
            required=True,
            limit=limit,
            rows=8,
        ),
    ]


def new_snippet(host: Host, content: str = "") -> None:
    """Saves a text under a title."""

    async def submit(values: Values) -> None:
        create = host.session.client.saved_snippets.create
        await create(title=values.text("title"), content=values.text("content"))

    fields = _fields(host.session.state.limits.max_message_length, content=content)
    ask(
        host, "Create snippet", fields, submit, done="Snippet saved. The command 'Saved snippets' inserts it."
    )


class SnippetsScreen(ManageScreen[SavedSnippet]):
    """Two lines per snippet. Dismissed with the one to insert."""

    TITLE_TEXT = "Saved snippets"
    KEYS = (
        ("list.select", "inserts"),
        ("snippets.edit", "edits"),
        ("manage.new", "creates"),
        ("manage.delete", "deletes"),
    )
    EMPTY = Empty("No saved snippets", "A snippet is a text to insert into messages.")
    LINES = 2
    FOLLOWS = (SavedSnippetsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.SNIPPETS)]

    def __init__(self, session: Session, content: str = "") -> None:
        super().__init__(session)
        self._content = content

    def rows(self) -> Sequence[ListRow[SavedSnippet]]:
        snippets = sorted(self.state.saved_snippets.all(), key=lambda one: (one.title.casefold(), one.id))
        return [ListRow(one.id, one, one.title, note=" ".join(one.content.split()[:40])) for one in snippets]

    def open(self, item: SavedSnippet) -> None:
        self.dismiss(item)

    def new(self) -> None:
        new_snippet(self, self._content)

    def action_edit(self) -> None:
        item = self.selected
        if item is None:
            return
        if problem := permissions.level_refusal(self.state, Gate.SNIPPET_EDIT):
            self.say(problem, bad=True)
            return

        async def submit(values: Values) -> None:
            if values.changed("title") or values.changed("content"):
                await self.session.client.saved_snippets.edit(
                    saved_snippet_id=item.id,
                    title=values.new_text("title"),
                    content=values.new_text("content"),
                )

        ask(self, f"Snippet {item.title}", _fields(self.state.limits.max_message_length, item), submit)

    def question(self, item: SavedSnippet) -> Question:
        return Question(f"Delete the snippet {item.title}?", "Delete snippet")

    async def delete(self, item: SavedSnippet) -> None:
        await self.session.client.saved_snippets.delete(saved_snippet_id=item.id)
