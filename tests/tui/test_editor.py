"""The editor of one or more lines, by itself in an app."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.strip import Strip

from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.editor import Editor


class _EditorApp(App[None]):
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


def test_a_placeholder_is_shown_only_as_far_as_it_is_safe() -> None:
    editor = Editor(placeholder="topic (empty: \x1b[31mgeneral\u202e chat)")
    first = editor.placeholder
    editor.placeholder = "You cannot post in #\x9b31mnews\n"
    for text in (first, editor.placeholder):
        assert text == safe_line(text)
        assert text.isprintable()
