"""Linkifiers and code playgrounds: patterns that become links, and sites that open code."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import Field, LineField, Text, Values
from narrowcast.screens.dialogs.manage import ORDERED_KEYS, ManageScreen, shift
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.http.encoding import Omit
from narrowcast_api.resources.linkifiers import Linkifier
from narrowcast_api.resources.playgrounds import Playground
from narrowcast_api.state.changes import LinkifiersChanged
from narrowcast_api.wire.levels import Gate


class LinkifiersScreen(ManageScreen[Linkifier]):
    """The linkifiers, in the order in which they apply. Their patterns are never run here."""

    TITLE_TEXT = "Linkifiers"
    KEYS = ORDERED_KEYS
    EMPTY = Empty("No linkifiers", "A linkifier turns texts such as #123 into links.")
    LINES = 2
    FOLLOWS = (LinkifiersChanged,)

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ORDERED)]

    def refusal(self) -> str:
        return permissions.only_administrators(self.state, "change linkifiers")

    def rows(self) -> Sequence[ListRow[Linkifier]]:
        return [
            ListRow(linkifier.id, linkifier, linkifier.pattern, note=linkifier.url_template)
            for linkifier in self.state.linkifiers
        ]

    def _fields(self, linkifier: Linkifier | None) -> list[Field]:
        now = linkifier or Linkifier(0, "", "")
        return [
            LineField(
                "pattern",
                "Pattern",
                "A regular expression with named groups, such as #(?P<number>[0-9]+)",
                value=now.pattern,
                required=True,
            ),
            LineField(
                "url_template",
                "URL template",
                "With the group names in braces, such as https://bugs.example/{number}",
                value=now.url_template,
                required=True,
            ),
            LineField(
                "reverse_template",
                "Reverse template",
                "What a pasted link becomes in the web app, such as #{number}",
                permissions.level_refusal(self.state, Gate.LINKIFIER_REVERSE),
                value=now.reverse_template,
            ),
            LineField(
                "example_input",
                "Example",
                "A text that the pattern matches, such as #123; a reverse template needs one",
                permissions.level_refusal(self.state, Gate.LINKIFIER_REVERSE),
                value=now.example_input,
            ),
            Text(
                "alternative_url_templates",
                "Other templates",
                "One per line; pasted links of these forms become the same text",
                permissions.level_refusal(self.state, Gate.LINKIFIER_ALTERNATIVES),
                value="\n".join(now.alternative_url_templates),
                rows=2,
            ),
        ]

    def new(self) -> None:
        if self.refused():
            return
        linkifiers = self.session.client.linkifiers

        async def create(values: Values) -> object:
            return await linkifiers.create(
                pattern=values.text("pattern"),
                url_template=values.text("url_template"),
                example_input=_sent(values, "example_input"),
                reverse_template=_sent(values, "reverse_template"),
                alternative_url_templates=_alternatives(values),
            )

        self.form("Add linkifier", self._fields(None), create, verb="adds", done="Added.")

    def open(self, item: Linkifier) -> None:
        needs = permissions.level_refusal(self.state, Gate.LINKIFIER_EDIT)
        linkifiers = self.session.client.linkifiers

        async def change(values: Values) -> object:
            return await linkifiers.update(
                filter_id=item.id,
                pattern=values.text("pattern"),
                url_template=values.text("url_template"),
                example_input=_sent(values, "example_input"),
                reverse_template=_sent(values, "reverse_template"),
                alternative_url_templates=_alternatives(values),
            )

        refusal = self.refusal() or needs
        self.form("Linkifier", self._fields(item), change, done="Saved.", refusal=refusal)

    def question(self, item: Linkifier) -> Question | None:
        return None if self.refused() else Question(f"Delete {item.pattern}?", "Delete linkifier")

    async def delete(self, item: Linkifier) -> None:
        await self.session.client.linkifiers.delete(filter_id=item.id)

    def action_shift(self, by: int) -> None:
        shift(self, by, self._reorder)

    async def _reorder(self, keys: list[Hashable]) -> None:
        ids = [key for key in keys if isinstance(key, int)]
        await self.session.client.linkifiers.reorder(ordered_linkifier_ids=ids)


def _sent(values: Values, name: str) -> str | Omit:
    """The text of a field; OMIT if it is still empty, as servers that do not know it must not get it."""
    return values.text(name) or values.new_text(name)


def _alternatives(values: Values) -> list[str] | Omit:
    """The templates entered, one per line; OMIT as in `_sent`."""
    text = _sent(values, "alternative_url_templates")
    return text if isinstance(text, Omit) else [line.strip() for line in text.splitlines() if line.strip()]


class PlaygroundsScreen(ManageScreen[Playground]):
    """The code playgrounds: sites that open the code of a message."""

    TITLE_TEXT = "Code playgrounds"
    KEYS = (("manage.new", "adds"), ("manage.delete", "deletes"))
    EMPTY = Empty("No code playgrounds", "A playground opens blocks of code on a web page.")
    LINES = 2
    FOLLOWS = (LinkifiersChanged,)

    def refusal(self) -> str:
        return permissions.only_administrators(self.state, "change code playgrounds")

    def rows(self) -> Sequence[ListRow[Playground]]:
        return [
            ListRow(playground.id, playground, playground.name, playground.language, playground.url_template)
            for playground in self.state.playgrounds
        ]

    def _fields(self, item: Playground | None) -> list[LineField]:
        language, name, template = (item.language, item.name, item.url_template) if item else ("", "", "")
        return [
            LineField("language", "Language", "Such as Python", value=language, required=True),
            LineField("name", "Name", "Such as Python playground", value=name, required=True),
            LineField(
                "url_template",
                "URL template",
                "Containing {code} once, such as https://play.example/?run={code}",
                value=template,
                required=True,
            ),
        ]

    def new(self) -> None:
        if self.refused():
            return
        playgrounds = self.session.client.playgrounds

        async def create(values: Values) -> object:
            return await playgrounds.add(
                name=values.text("name"),
                highlighter_language=values.text("language"),
                url_template=values.text("url_template"),
            )

        self.form("Add code playground", self._fields(None), create, verb="adds", done="Added.")

    def open(self, item: Playground) -> None:
        """Shows a playground read-only: the API cannot change one, only remove and add it."""

        async def nothing(values: Values) -> object:
            return None

        reason = "Code playgrounds cannot be edited. Delete this one and add it again."
        self.form("Code playground", self._fields(item), nothing, refusal=self.refusal() or reason)

    def question(self, item: Playground) -> Question | None:
        return None if self.refused() else Question(f"Delete {item.name}?", "Delete playground")

    async def delete(self, item: Playground) -> None:
        await self.session.client.playgrounds.delete(playground_id=item.id)
