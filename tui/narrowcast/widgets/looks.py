"""The looks of the parts of a line: colours by the names that themes give them.

Textual would have each part as a component class of the stylesheet. It then matches every rule of the stylesheet with
every part whenever a widget is mounted or gets the focus; that was a tenth of the time to the first paint. A look
needs the theme alone, and is worked out when a part is first painted.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from rich.style import Style
from textual.color import Color
from textual.widget import Widget

__all__ = ["Look", "look_style"]


class Look(Struct, frozen=True):
    """`color` and `ground` are names of the theme's colours, with a share of it where they shine through what is
    below: "primary", "foreground 40%". '' leaves what is below as it is. A ground with a share of it is none where
    the colours are the terminal's own.
    """

    color: str = ""
    ground: str = ""
    letters: Style = Style()
    ansi: Style = Style()
    """Added where the colours are the terminal's own: they have no shades."""
    ansi_color: str = ""
    """In place of `color` there."""


def look_style(widget: Widget, look: Look) -> Style:
    """`look` as a style to lay over that of `widget`, in the present theme."""
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
    """The colour of that name, with its transparency; None for no colour. "auto" is what can be read on `ground`."""
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
