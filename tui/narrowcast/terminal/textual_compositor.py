"""Replaced parts of Textual's compositor: it painted more than necessary, failed to repaint (`whole_map`), and cut wide
letters in half (`visible_cuts`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

__all__ = ["paint_lines", "paint_part", "visible_cuts", "whole_map"]

Chops = dict[int, dict[int, Strip | None]] | list[dict[int, Strip | None]]
"""The pieces of each line, by the column where they begin."""


def visible_cuts(compositor: Compositor) -> list[list[int]]:
    """The columns of each line where a visible piece of a widget begins or ends. Textual also cuts at borders that lie
    below another widget: a wide letter of that widget above such a border became two spaces.
    """
    if compositor._cuts is None:
        width, height = compositor.size
        cuts, covered = [{0, width} for _ in range(height)], [list[tuple[int, int]]() for _ in range(height)]
        for region, clip in compositor.visible_widgets.values():  # topmost first
            seen = clip.intersection(region)
            span = seen.column_span
            for y in range(seen.y, min(seen.bottom, height)) if seen else ():
                cuts[y].update(
                    cut for cut in span if not any(left < cut < right for left, right in covered[y])
                )
                covered[y].append(span)
        compositor._cuts = [sorted(row) for row in cuts]
    return compositor._cuts


def paint_lines(
    compositor: Compositor, crop: Region, is_painted: Callable[[int], bool]
) -> list[dict[int, Strip | None]]:
    """Renders the visible widgets in the lines of ``crop`` that are to be painted."""
    cuts = compositor.cuts
    chops: list[dict[int, Strip | None]] = [dict.fromkeys(row[:-1]) for row in cuts]
    lines = range(max(crop.y, 0), min(crop.bottom, len(cuts)))
    missing = {y: set(chops[y]) for y in lines if is_painted(y)}
    _take_all(compositor, cuts, chops, missing)
    return chops


def _take_all(
    compositor: Compositor,
    cuts: list[list[int]],
    chops: Chops,
    missing: dict[int, set[int]],
) -> None:
    for widget, (region, clip) in compositor.visible_widgets.items():  # topmost first
        if not missing:
            break
        _take_pieces(widget, region, clip.intersection(region), cuts, chops, missing)


def paint_part(compositor: Compositor) -> ChopsUpdate | None:
    """Renders only the visible widgets, and only their lines, in the regions to paint. Textual renders
    everything in the bounding rectangle: for a counter at the top and a letter at the bottom, that is the
    whole screen.
    """
    regions = [region.intersection(compositor.size.region) for region in compositor._dirty_regions]
    compositor._dirty_regions.clear()
    spans = list(compositor._regions_to_spans(regions))
    if not spans:
        return None
    cuts = compositor.cuts
    chops: dict[int, dict[int, Strip | None]] = {}
    missing: dict[int, set[int]] = {}
    for y, left, right in spans:
        row = cuts[y]
        chops.setdefault(y, dict.fromkeys(row[:-1]))
        missing.setdefault(y, set()).update(cut for cut, end in pairwise(row) if cut < right and end > left)
    _take_all(compositor, cuts, chops, missing)
    return ChopsUpdate(cast("Any", chops), spans, [row[1:] for row in cuts])


def _take_pieces(
    widget: Widget,
    region: Region,
    seen: Region,
    cuts: list[list[int]],
    chops: Chops,
    missing: dict[int, set[int]],
) -> None:
    """Fills missing pieces with what ``widget`` shows there; ``seen``: the visible part of its ``region``."""
    left, right = seen.column_span
    rows = [
        y
        for y in range(max(seen.y, min(missing)), min(seen.bottom, max(missing) + 1))
        if y in missing and any(left <= cut < right for cut in missing[y])
    ]
    if not rows:
        return
    first = rows[0]
    lines = widget.render_lines(Region(left - region.x, first - region.y, seen.width, rows[-1] + 1 - first))
    for y in rows:
        if y - first >= len(lines):  # a screen behind a dialog may have another size for a moment
            break
        inside = [cut for cut in cuts[y] if left < cut <= right]
        wanted = missing[y]
        pieces = lines[y - first].divide([cut - left for cut in inside])
        for cut, piece in zip([left, *inside], pieces, strict=False):  # `left` may lie below another widget
            if cut in wanted:
                wanted.remove(cut)
                chops[y][cut] = piece
        if not wanted:
            del missing[y]


_full_map = vars(Compositor)["full_map"].fget


def whole_map(compositor: Compositor) -> Any:
    """The places of all widgets, with changed ones marked for repainting. If the map is requested between a
    change and the layout that paints it, that layout compares with the new map and finds no change: a notice
    was not shown, or never removed.
    """
    if compositor.root is None or not compositor._full_map_invalidated:
        return compositor._full_map if compositor.root is not None else {}
    before = {**compositor._full_map, **(compositor._visible_map or {})}
    now = _full_map(compositor)
    if before and compositor.size.region not in compositor._dirty_regions:
        changed = (place.clip.intersection(place.region) for _, place in now.items() ^ before.items())
        compositor._dirty_regions.update(filter(None, changed))
    return now
