"""Hints: a key on every place in view that can be followed."""

from __future__ import annotations

from narrowcast.panes.messages.painting import Hints, hint_labels
from narrowcast_api.model.messages import Reaction
from support.message_views import ListApp, message, short


async def test_hints_put_a_key_on_every_place_in_view() -> None:
    html = '<p><a href="/one">one</a> and <a href="/two">two</a></p>'
    app = ListApp([message(1, html)])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        targets = app.list.targets_in_view()
        assert [*targets] == [(1, 0), (1, 1)]
        app.list.overlay = Hints(dict(zip(targets, hint_labels(2), strict=True)), app.list.targets_beginning)
        app.list.changed()
        await pilot.pause()
        assert app.rows()[-1] == "▌   ane and swo"


async def test_hints_on_places_of_one_cell_stand_apart() -> None:
    html = '<p><a href="/1">1</a><a href="/2">2</a> <a href="/3">3</a> and <a href="/4">4</a></p>'
    app = ListApp([message(1, html)])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        targets = app.list.targets_in_view()
        labels = ("aa", "as", "ad", "af")
        app.list.overlay = Hints(dict(zip(targets, labels, strict=True)), app.list.targets_beginning)
        app.list.changed()
        await pilot.pause()
        assert app.rows()[-1] == "▌   aa as ad af"


async def test_hints_stay_on_their_places_when_messages_arrive() -> None:
    app = ListApp([message(5, '<p><a href="/one">one</a></p>'), short(6)])
    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.pause()
        targets = app.list.targets_in_view()
        app.list.overlay = Hints(dict(zip(targets, hint_labels(1), strict=True)), app.list.targets_beginning)
        app.list.changed()
        await pilot.pause()
        assert any(row.endswith(" ane") for row in app.rows())
        app.put(short(4), short(7), short(8))
        await pilot.pause()
        assert any(row.endswith(" ane") for row in app.rows())


async def test_a_hint_on_a_reaction_leaves_the_emoji_in_sight() -> None:
    reactions = tuple(Reaction("tada", "1f389", "unicode_emoji", user_id) for user_id in (2, 3))
    app = ListApp([message(1, "<p>done</p>", reactions=reactions)])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        targets = app.list.targets_in_view()
        app.list.overlay = Hints(dict(zip(targets, hint_labels(1), strict=True)), app.list.targets_beginning)
        app.list.changed()
        await pilot.pause()
        assert app.rows()[-1] == "▌   a🎉\u00a02"


def test_hint_labels_differ_and_have_one_length() -> None:
    for count in (0, 1, 26, 27, 300):
        labels = hint_labels(count)
        assert len(set(labels)) == count
        assert len({len(label) for label in labels}) <= 1


async def test_a_target_of_several_styles_has_one_hint() -> None:
    html = '<p><a href="https://x.example/">plain <strong>bold</strong> <em>slanted</em></a></p>'
    app = ListApp([message(1, html)])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        (target,) = app.list.targets_in_view()
        app.list.overlay = Hints({target: "zz"}, app.list.targets_beginning)
        assert "\n".join(app.rows()).count("zz") == 1
