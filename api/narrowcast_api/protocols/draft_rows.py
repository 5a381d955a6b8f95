"""Merges two versions of a draft that two windows of an account have written since they last agreed.

The server fields (`server_id`, `base`, `posting`) are known to the one window that synchronizes drafts; the
text may be from either.
"""

from __future__ import annotations

from msgspec.structs import replace

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.records import Draft

__all__ = ["is_same_version", "merge_rows"]


def is_same_version(one: DraftVersion | None, other: DraftVersion | None) -> bool:
    """Whether a server would treat the two as equal: it trims contents and topics."""
    if one is None or other is None:
        return one is other
    return _normal(one) == _normal(other)


def _normal(version: DraftVersion) -> tuple[object, str]:
    where = version.destination
    place: object = where
    if isinstance(where, ChannelDestination):
        place = (where.channel_id, where.topic.strip())
    return (place, version.content.strip())


def merge_rows(
    mine: Draft, theirs: Draft, agreed: DraftVersion | None, *, written_here: bool, is_leader: bool
) -> tuple[Draft, bool]:
    """Returns the merged draft, and whether the text of `theirs` must be kept as a second draft.

    `agreed` is the text from which both started, `written_here` whether `mine` was changed since, `is_leader`
    whether it has the current server fields.
    """
    if mine.missing_since is not None or theirs.missing_since is not None:
        return _merge_missing(mine, theirs, agreed), False
    written_there = theirs.version != agreed
    same = mine.version == theirs.version
    version, deleted, both = mine.version, mine.deleted and theirs.deleted, False
    if mine.deleted and not theirs.deleted:
        # New text takes precedence over the decision to delete the old one.
        deleted = same or not written_there
        version = theirs.version
    elif theirs.deleted and not mine.deleted:
        deleted = same or not written_here
    elif written_there and not written_here:
        version = theirs.version
    else:
        both = written_here and written_there and not is_same_version(mine.version, theirs.version)
    server = mine if is_leader else theirs
    is_new = not deleted and (mine.deleted or theirs.deleted)
    server_has_it = not (is_leader and mine.deleted and not mine.dirty)
    merged = replace(
        server,
        version=version,
        edited=max(mine.edited, theirs.edited),
        deleted=deleted,
        error=mine.error,
        conflict_with=theirs.conflict_with or mine.conflict_with,
        generation=max(mine.generation, theirs.generation) + is_new,
        revision=theirs.revision,
    )
    if not server_has_it:
        gone = replace(merged, server_id=None, base=None, posting=False, dirty=not deleted)
        return gone, both
    on_server = merged.server_id is not None and is_same_version(version, merged.base)
    return replace(merged, dirty=deleted or not on_server), both


def _merge_missing(mine: Draft, theirs: Draft, agreed: DraftVersion | None) -> Draft:
    """Returns a draft that one window found missing on the server while the other had it: new text in it is a new
    draft.
    """
    missing, other = (mine, theirs) if mine.missing_since is not None else (theirs, mine)
    merged = replace(
        missing,
        error=mine.error,
        generation=max(mine.generation, theirs.generation),
        revision=theirs.revision,
    )
    if other.deleted:
        return replace(merged, deleted=True, dirty=True, missing_since=None)
    if other.missing_since is not None or other.version in (missing.version, agreed):
        return merged
    return replace(
        merged,
        version=other.version,
        edited=other.edited,
        dirty=True,
        generation=merged.generation + 1,
        missing_since=None,
    )
