"""The editor of one or more lines, on its own in an app."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult
from textual.strip import Strip

from narrowcast.panes.compose.formatting import format_text
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.editor import Editor
from support.screens import screen_rows
from support.small_apps import ContextApp


class _EditorApp(ContextApp):
    def compose(self) -> ComposeResult:
        yield Editor(placeholder="first", multiline=True)


async def test_another_placeholder_is_painted_at_once() -> None:
    app = _EditorApp()
    async with app.run_test(size=(40, 5)) as pilot:
        painted: list[str] = []
        editor = app.query_one(Editor)
        paint = editor.render_line

        def note(y: int) -> Strip:
            strip = paint(y)
            painted.append(strip.text.strip())
            return strip

        editor.render_line = note  # type: ignore[method-assign]
        editor.placeholder = "second"
        await pilot.pause()
        assert painted[:1] == ["second"]
        painted.clear()
        editor.placeholder = "second"
        await pilot.pause()
        assert painted == []


class _Painting:
    """Records the rows that are sent without a frame."""

    def __init__(self) -> None:
        self.sent: list[dict[int, str]] = []

    def send_rows(self, _widget: object, rows: dict[int, Strip], *_: object) -> bool:
        self.sent.append({y: strip.text.rstrip() for y, strip in rows.items()})
        return True


class _PaintingApp(_EditorApp):
    CSS = "Editor { height: 3; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.output = _Painting()


async def test_letters_are_sent_without_a_frame_and_what_changes_the_rows_with_one() -> None:
    app = _PaintingApp()
    async with app.run_test(size=(20, 5)) as pilot:
        await pilot.press("a", "b", "c")
        assert app.output.sent == [
            {0: "ab"},
            {0: "abc"},
        ]  # the first letter replaces the placeholder
        app.output.sent.clear()
        await pilot.press("shift+enter", "ctrl+j")
        app.query_one(Editor).insert("\n")
        await pilot.pause()
        assert not app.output.sent
        await pilot.press("d")
        assert app.output.sent == [{1: "d"}]
        app.query_one(Editor).refresh()
        await pilot.pause()
        shown = screen_rows(app.screen)
        assert [row.strip() for row in shown[:2]] == ["abc", "d"]


def test_a_placeholder_is_shown_only_as_far_as_it_is_safe() -> None:
    editor = Editor(placeholder="topic (empty: \x1b[31mgeneral\u202e chat)")
    first = editor.placeholder
    editor.placeholder = "You cannot post in #\x9b31mnews\n"
    for text in (first, editor.placeholder):
        assert text == safe_line(text)
        assert text.isprintable()


async def test_control_home_and_end_go_to_both_ends_of_a_long_text() -> None:
    app = _EditorApp()
    async with app.run_test(size=(40, 5)) as pilot:
        editor = app.query_one(Editor)
        editor.text = "\n".join(f"line {number}" for number in range(300))
        await pilot.press("ctrl+home", "a", "ctrl+end", "z")
        assert editor.text.startswith("aline 0\n")
        assert editor.text.endswith("\nline 299z")


async def test_what_is_selected_is_lit_and_replaced_by_what_is_typed() -> None:
    app = _EditorApp()
    async with app.run_test(size=(40, 5)) as pilot:
        editor = app.query_one(Editor)
        editor.text = "one two three"
        await pilot.press("ctrl+shift+left", "shift+left")
        assert editor.buffer.selection == (7, 13)
        lit = [one.text for one in editor.render_line(0) if one.style is not None and one.style.reverse]
        assert lit == [" three"]
        await pilot.press("left")
        assert editor.buffer.selection is None
        await pilot.press("ctrl+e", "shift+home", "x")
        assert editor.text == "x"
        await pilot.press("ctrl+z", "shift+end", "backspace")
        assert editor.text in ("", "one two three")


class _LineApp(ContextApp):
    def compose(self) -> ComposeResult:
        yield Editor("one two, drei vier", multiline=False)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("ctrl+left", "x"), "one two, drei xvier"),
        (("alt+b", "alt+b", "x"), "one two, xdrei vier"),
        (("ctrl+a", "alt+f", "x"), "onex two, drei vier"),
        (("ctrl+a", "ctrl+right", "ctrl+right", "x"), "one twox, drei vier"),
        (("ctrl+w",), "one two, drei "),
        (("alt+backspace",), "one two, drei "),
        (("ctrl+backspace",), "one two, drei "),
        (("ctrl+a", "alt+d"), " two, drei vier"),
        (("ctrl+a", "ctrl+delete"), " two, drei vier"),
        (("alt+b", "ctrl+u"), "vier"),
        (("alt+b", "ctrl+k", "ctrl+a", "ctrl+y"), "vierone two, drei "),
    ],
)
@pytest.mark.parametrize("app", [_LineApp, _EditorApp])
async def test_keys_for_words_do_the_same_in_one_line_and_in_several(
    app: type[ContextApp], keys: tuple[str, ...], expected: str
) -> None:
    running = app()
    async with running.run_test(size=(40, 5)) as pilot:
        editor = running.query_one(Editor)
        editor.text = "one two, drei vier"
        await pilot.press(*keys)
        assert editor.text == expected


@pytest.mark.parametrize(
    ("text", "select", "kind", "expected", "selected"),
    [
        ("a bold word", (2, 6), "bold", "a **bold** word", "bold"),
        ("a **bold** word", (4, 8), "bold", "a bold word", "bold"),
        ("a **bold** word", (4, 8), "italic", "a ***bold*** word", "bold"),
        ("one", (3, 3), "italic", "*one*", "one"),
        ("see it", (4, 6), "link", "see [it](url)", "url"),
        ("", (0, 0), "bold", "****", ""),
        ("x = 1\ny = 2", (0, 11), "code", "```\nx = 1\ny = 2\n```\n", ""),
        ("hi all", (3, 6), "quote", "hi \n```quote\nall\n```\n", ""),
        ("end", (0, 3), "spoiler", "```spoiler \nend\n```\n", ""),
    ],
)
async def test_markup_is_put_around_the_selection_or_the_word_or_removed(
    text: str, select: tuple[int, int], kind: str, expected: str, selected: str
) -> None:
    app = _EditorApp()
    async with app.run_test(size=(40, 5)):
        editor = app.query_one(Editor)
        editor.text = text
        editor.select(*select)
        format_text(editor, kind)
        assert editor.text == expected
        start, end = editor.buffer.selection or (0, 0)
        assert editor.text[start:end] == selected
        if not text:
            assert editor.buffer.cursor == 2
