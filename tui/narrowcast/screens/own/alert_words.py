"""Alert words: words that notify the user like a mention."""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import LineField, UnusableValue, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.widgets.empty import Empty
from narrowcast_api.state.changes import SettingsChanged


class AlertWordsScreen(ManageScreen[str]):
    TITLE_TEXT = "Alert words"
    KEYS = (("manage.new", "adds"), ("manage.delete", "deletes"))
    EMPTY = Empty("No alert words", "Messages that contain one notify you like a mention.")
    FOLLOWS = (SettingsChanged,)

    def rows(self) -> Sequence[ListRow[str]]:
        return [ListRow(word, word, word) for word in sorted(self.state.users.alert_words, key=str.casefold)]

    def new(self) -> None:
        async def submit(values: Values) -> None:
            words = [word for part in values.text("words").split(",") if (word := part.strip())]
            if not words:
                raise UnusableValue("words", "Enter at least one word.")
            await self.session.client.settings.add_alert_words(words=words)

        fields = [LineField("words", "Alert words", "Separated by commas", required=True, limit=1000)]
        ask(self, "Add alert words", fields, submit, verb="adds")

    def question(self, item: str) -> Question:
        return Question(f"Delete the alert word {item!r}?", "Delete alert word")

    async def delete(self, item: str) -> None:
        await self.session.client.settings.remove_alert_words(words=[item])
