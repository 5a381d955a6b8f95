"""A window is killed at every point of a draft or an edit of a message: around each write of its journal and
its requests.

Another window of the account, which is already open or opened later, must find text that is some seconds old,
as one draft, which is the server's, or as one unsaved edit.
"""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.records import Edit
from simulation.striking import AROUND, Scene, play

PLACE = ChannelDestination(11, "soup")
VERSIONS = ("first words", "first words, and more", "first words, and more, and all")
EACH_STANDS = 5.0
"""Seconds between two versions."""


async def _drafts(scene: Scene) -> tuple[list[str], int, list[str]]:
    """Returns the drafts of the other window; how many versions were old enough at the kill; the points reached."""
    await scene.open()
    scene.victim.journal_writer.hurry = True
    scene.begin("/drafts")
    draft_id, kept = None, 0
    for text in VERSIONS:
        draft_id = scene.victim.session.drafts.save(draft_id, PLACE, text)
        await asyncio.sleep(EACH_STANDS)
        kept += not scene.was_killed
    await scene.end()
    here = [draft.content for draft in scene.other.session.drafts.all()]
    await scene.other.quit()
    assert here == [draft["content"] for _, draft in scene.service.drafts.values()], scene.where
    return here, kept, scene.points


@pytest.mark.parametrize("beside", [True, False], ids=["another window is open", "one is opened later"])
def test_a_draft_is_there_once_wherever_its_window_was_killed(beside: bool) -> None:
    drafts, _, points = play(_drafts, 0, beside=beside)
    assert drafts == [VERSIONS[-1]]
    assert set(points) >= AROUND
    for fatal in range(1, len(points) + 1):
        drafts, kept, reached = play(_drafts, fatal, beside=beside)
        where = f"killed {reached[-1]}, point {fatal} of {points}"
        was_early = drafts == [] and reached == ["before a write"]
        assert was_early or drafts in [[text] for text in VERSIONS[max(kept - 1, 0) :]], where


async def _changes(scene: Scene) -> tuple[list[str], int, list[str]]:
    """Returns the unsaved edits that the other window finds; the versions that were old enough; the points
    reached.
    """
    await scene.open()
    scene.victim.journal_writer.hurry = True
    scene.begin("/messages")
    kept = 0
    for text in VERSIONS:
        scene.victim.session.edits.update(Edit(1, "words", text, PLACE))
        await asyncio.sleep(EACH_STANDS)
        kept += not scene.was_killed
    await scene.end()
    found = [edit.content for edit in scene.other.session.edits.take_over()]
    assert not scene.other.session.edits.take_over(), "they were taken over once"
    await scene.other.quit()
    return found, kept, scene.points


@pytest.mark.parametrize("beside", [True, False], ids=["another window is open", "one is opened later"])
def test_a_change_of_a_message_is_found_wherever_its_window_was_killed(beside: bool) -> None:
    changes, _, points = play(_changes, 0, beside=beside)
    assert changes == [VERSIONS[-1]]
    assert len(points) >= 2 * len(VERSIONS)
    for fatal in range(1, len(points) + 1):
        changes, kept, reached = play(_changes, fatal, beside=beside)
        where = f"killed {reached[-1]}, point {fatal} of {points}"
        was_early = changes == [] and reached == ["before a write"]
        assert was_early or changes in [[text] for text in VERSIONS[max(kept - 1, 0) :]], where
