"""An app with the colors that the app computes for its themes, for single widgets."""

from __future__ import annotations

from textual.app import App

from narrowcast.app.theme_colours import computed_colours


class ThemedApp(App[None]):
    """Has the variables of the theme that widgets are painted with."""

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        self.theme_variables = {**variables, **computed_colours(self.current_theme, variables)}
        return self.theme_variables
