"""The looks of the parts of a line: colours by the names that themes give them.

In Textual, each part would be a component class of the stylesheet. Textual then matches every rule with every
part whenever a widget is mounted or gets the focus, which took a tenth of the time to the first paint. A look
needs only the theme, and is computed when a part is first painted.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from rich.style import Style
from textual.color import Color
from textual.widget import Widget

from narrowcast.text.presence import PresenceMark

__all__ = ["PRESENCE_LOOKS", "Look", "look_style"]


class Look(Struct, frozen=True):
    """`color` and `ground` (the background) are names of the theme's colours, with an opacity if they are
    translucent: "primary", "foreground 40%". '' keeps the colour below. A translucent background is not drawn
    if the theme uses the terminal's own colours.
    """

    color: str = ""
    ground: str = ""
    letters: Style = Style()
    ansi: Style = Style()
    """Added if the theme uses the terminal's own colours, which have no shades."""
    ansi_color: str = ""
    """Replaces `color` if the theme uses the terminal's own colours."""


PRESENCE_LOOKS: Mapping[str, Look] = {
    PresenceMark.ACTIVE.mark: Look("text-success"),
    PresenceMark.IDLE.mark: Look("text-warning", ansi=Style(dim=True), ansi_color="foreground"),
}
"""The looks of the marks of people who are there, as parts of the lists that show them; other marks are muted."""


def look_style(widget: Widget, look: Look) -> Style:
    """`look` as a style to lay over that of `widget`, in the current theme."""
    app = widget.app
    ground = widget.background_colors[1]
    has_shades = not app.native_ansi_color
    back = _shade(look.ground, app.theme_variables, ground) if has_shades or " " not in look.ground else None
    if back is not None and ground.ansi is None:
        ground = back = ground + back
    name = look.ansi_color if look.ansi_color and app.native_ansi_color else look.color
    front = _shade(name, app.theme_variables, ground)
    if front is not None and ground.ansi is None:
        front = ground + front
    style = Style(
        color=front.rich_color if front is not None else None,
        bgcolor=back.rich_color if back is not None else None,
    )
    return style + look.letters + (look.ansi if app.native_ansi_color else Style.null())


def _shade(name: str, variables: Mapping[str, str], ground: Color) -> Color | None:
    """The colour with that name, with its opacity; None for no colour. "auto" is a colour readable on `ground`."""
    if not name:
        return None
    share = 1.0
    name, _, percent = name.partition(" ")
    value, _, of_theme = variables[name].partition(" ")
    for part in (percent, of_theme):
        share *= float(part.rstrip("%")) / 100 if part else 1.0
    color = ground.get_contrast_text(1.0) if value == "auto" else Color.parse(value)
    color = color.multiply_alpha(share)
    return color if color.a else None
