"""Every act that has a module of its own: offered by the command palette, listed in help, imported when it is used.

To add one, add a row here and a function to a module of this folder. A row is

    (id, keys, title, "module:function", needs)

``keys`` are separated by spaces and may be none: any act can be given a key in the configuration. The function
takes the main screen, and may be async; what it raises becomes a notice. ``needs`` names a gate of
`narrowcast_api.levels`, such as "Beyond.UNARCHIVE", or nothing: palette and keys refuse it on older servers.
"""

from __future__ import annotations

Row = tuple[str, str, str, str, str]

ACTS: tuple[tuple[str, tuple[Row, ...]], ...] = ()
"""Rows by the heading under which help lists them. Plain tuples: they cost nothing at the start."""
