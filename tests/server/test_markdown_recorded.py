"""A thousand texts as a Zulip server rendered them, compared with the embedded server's rendering."""

from __future__ import annotations

import pytest

from narrowcast_server.markdown import render
from support.renderings import RecordedContext, Rendering, as_read, recorded

MAX_DIFFERENT = 25
"""The number of texts meant to differ; server/README.md lists the differences."""


@pytest.mark.parametrize("part", recorded().renderings)
def test_texts_are_rendered_as_on_a_zulip_server(part: str) -> None:
    context = RecordedContext()
    other = {}
    for one in recorded().renderings[part]:
        html = as_read(render(recorded().world.filled(one.text), context).html)
        if html != _meant(one):
            other[one.text] = (html, _meant(one))
    assert not other


def _meant(one: Rendering) -> str:
    return as_read((one.html or "") if one.ours is None else one.ours)


def test_only_listed_texts_differ_from_the_recorded_html() -> None:
    different = [one for part in recorded().renderings.values() for one in part if one.ours is not None]
    assert len(different) <= MAX_DIFFERENT
    assert all(one.html is None or _meant(one) != as_read(one.html) for one in different)
