"""What people and programs rely on by name does not disappear."""

from __future__ import annotations

from public_surface import frozen, surface


def test_no_public_name_has_disappeared_or_changed() -> None:
    gone = sorted(frozen() - surface())
    assert not gone, "people and programs rely on these"


def test_each_new_public_name_is_on_the_list() -> None:
    new = sorted(surface() - frozen())
    assert not new, "`make docs-pages` adds them"


def test_the_list_has_every_kind_of_name() -> None:
    kinds = (
        "narrowcast_api.",
        "client.",
        "narrowcast.extend.",
        "command ",
        "script ",
        "entry point ",
        "json ",
    )
    counts = {kind: sum(line.startswith(kind) for line in frozen()) for kind in kinds}
    assert all(counts.values())
    assert counts["client."] > 150
