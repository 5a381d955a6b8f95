"""Saved views of the channels pane: searches and conversations saved under a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.content.addresses import InApp, fragment_of, resolve
from narrowcast.keys.registry import Context, bindings_for, by_id
from narrowcast.panes.navigation.saved_views import BUILT_IN, title
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import LineField, Values, YesNo
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.main.choices import ChoiceTarget
from narrowcast.text import names
from narrowcast.widgets.empty import Empty
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.resources.navigation_views import NavigationView
from narrowcast_api.state.changes import SettingsChanged

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


class ViewsScreen(ManageScreen[NavigationView]):
    TITLE_TEXT = "Saved views"
    KEYS = (
        ("list.select", "opens"),
        ("manage.new", "saves the current view"),
        ("views.edit", "edits"),
        ("manage.delete", "deletes"),
    )
    EMPTY = Empty("No saved views", "A saved view opens a search again; it can stand in the left pane.")
    FOLLOWS = (SettingsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.VIEWS)]

    def __init__(self, session: Session, here: Narrow | None) -> None:
        super().__init__(session)
        self._narrow = here

    def rows(self) -> Sequence[ListRow[NavigationView]]:
        views = sorted(self.state.navigation_views.all(), key=lambda one: (not one.is_pinned, title(one)))
        return [
            ListRow(one.fragment, one, title(one), "pinned" if one.is_pinned else "", mark="▸")
            for one in views
        ]

    def open(self, item: NavigationView) -> None:
        target = resolve(f"#{item.fragment}", self.state)
        if isinstance(target, InApp):
            self.dismiss(target.narrow)
        elif item.fragment == "feed":
            self.dismiss(Narrow.all())
        elif item.fragment in BUILT_IN and (command := f"go.{item.fragment}") in by_id():
            self.dismiss(ChoiceTarget(command=command))
        else:
            self.say(f"{title(item)}: Narrowcast has no such view.")

    def new(self) -> None:
        here = self._narrow
        if here is None or not here.terms:
            self.say("Open a search or conversation first, then save it here.")
            return
        fragment = fragment_of(here, self.state)
        built_in = fragment in BUILT_IN

        async def submit(values: Values) -> None:
            add, pinned = self.session.client.navigation_views.add, values.flag("pinned")
            if built_in:
                await add(fragment=fragment, is_pinned=pinned)
            else:
                await add(fragment=fragment, is_pinned=pinned, name=values.text("name"))

        fields = [
            LineField(
                "name",
                "Name",
                needs="built-in name" if built_in else "",
                value=names.view(self.state, here)[:100],
                required=not built_in,
                limit=100,
            ),
            YesNo("pinned", "Pinned", value=True),
        ]
        ask(self, "Save view", fields, submit)

    def action_edit(self) -> None:
        item = self.selected
        if item is None:
            return
        built_in = item.fragment in BUILT_IN

        async def submit(values: Values) -> None:
            if values.changed("name") or values.changed("pinned"):
                await self.session.client.navigation_views.update(
                    fragment=item.fragment,
                    is_pinned=values.new_flag("pinned"),
                    name=values.new_text("name"),
                )

        fields = [
            LineField(
                "name",
                "Name",
                needs="built-in name" if built_in else "",
                value=title(item),
                limit=100,
            ),
            YesNo("pinned", "Pinned", value=item.is_pinned),
        ]
        ask(self, f"View {title(item)}", fields, submit)

    def question(self, item: NavigationView) -> Question:
        return Question(f"Delete the view {title(item)}?", "Delete view", "Its messages stay.")

    async def delete(self, item: NavigationView) -> None:
        await self.session.client.navigation_views.remove(fragment=item.fragment)
