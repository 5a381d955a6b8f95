"""Modal editing: how each key changes a text. A cursor is written as |."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.config.config import Config
from narrowcast.widgets.text_buffer import TextBuffer
from narrowcast.widgets.vim_keys import VimKeys
from support.sessions import until
from support.stage import on_stage


def after(text: str, keys: str) -> str:
    """The text after keys in normal mode; "<" stands for Escape."""
    buffer = TextBuffer(text.replace("|", ""))
    buffer.cursor = text.index("|")
    vim = VimKeys(buffer)
    vim.inserting = False
    for key in keys:
        if key == "<":
            vim.take("escape", None)
        elif not vim.take(key, key):
            buffer.insert(key, typed=True)
    return f"{buffer.text[: buffer.cursor]}|{buffer.text[buffer.cursor :]}"


@pytest.mark.parametrize(
    ("before", "keys", "expected"),
    [
        ("one |two three", "w", "one two |three"),
        ("one two |three", "2b", "|one two three"),
        ("|one two", "e", "on|e two"),
        ("|one two", "$", "one tw|o"),
        ("  one |two", "^", "  |one two"),
        ("  one |two", "0", "|  one two"),
        ("a|b\ncd\nef", "j", "ab\nc|d\nef"),
        ("ab\ncd\ne|f", "gg", "|ab\ncd\nef"),
        ("|ab\ncd\nef", "G", "ab\ncd\n|ef"),
        ("|ab\ncd\nef", "2G", "ab\n|cd\nef"),
        ("|one two three", "dw", "|two three"),
        ("|one two three", "d2w", "|three"),
        ("one |two three", "cwfour<", "one fou|r three"),
        ("one |two", "D", "one| "),
        ("one |two", "Cthree<", "one thre|e"),
        ("ab\n|cd\nef", "dd", "ab\n|ef"),
        ("|ab\ncd\nef", "2dd", "|ef"),
        ("ab\n|cd", "dd", "|ab"),
        ("|ab\ncd", "yyp", "ab\n|ab\ncd"),
        ("|ab\ncd", "ddp", "cd\n|ab"),
        ("|ab\ncd", "djP", "|ab\ncd\n"),
        ("|abc", "xp", "b|ac"),
        ("|abc", "3x", "|"),
        ("ab|c", "X", "a|c"),
        ("|abc", "rz", "|zbc"),
        ("|abc", "~", "A|bc"),
        ("a|b\n  cd", "J", "ab| cd"),
        ("|ab", "ocd<", "ab\nc|d"),
        ("|ab", "Ocd<", "c|d\nab"),
        ("a|b", "Ix<", "|xab"),
        ("|ab", "Ax<", "ab|x"),
        ("|abc", "xu", "|abc"),
        ("|one two", "ywP", "one| one two"),
        ("|one two", "ccnew<", "ne|w"),
        ("|one", "d<x", "|ne"),
        ("|one", "dqx", "|ne"),
        ("|é👨‍👩x", "lx", "é|x"),
        ("|", "xdwdddjpuJ~rX0$Gbwe", "|"),
        ("|one two three", "dw.", "|three"),
        ("|abc", "x.", "|c"),
        ("one |two two", "cwfour<w.", "one four fou|r"),
        ("|ab\nab", "A!<j.", "ab!\nab|!"),
        ("|abcd", "rzl.", "z|zcd"),
        ("|ab\ncd\nef", "2ddu.", "|ef"),
        ("|abc", ".", "|abc"),
        ("|abc", "3.", "|abc"),
        ("|abcdefghi", "x3..", "|hi"),
        ("|a b c d e f", "dw2.", "|d e f"),
        ("|a b c d e f", "d2w1.", "|d e f"),
        ("|abcdef", "rz3.", "zz|zdef"),
        ("|abc", "r.", "|.bc"),
        ("|a b c", "cwx<", "|x b c"),
        ("on|e two", "cwly<", "onl|y two"),
        ("|one two three", "c2wfour<", "fou|r three"),
        ("one|  two", "cw-<", "one|-two"),
        ("one |two\nthree", "dw", "one| \nthree"),
        ("|one\ntwo three", "d2w", "|three"),
        ("one |two  \n  three", "yw0P", "two | one two  \n  three"),
        ("|a b c d e f g h", "2d3w", "|g h"),
        ("|a b c d", "2d3w", "|"),
        ("ab\ncd\nef\n|gh", "2dk", "|ab"),
        ("  a|b", "3d0", "|b"),
    ],
)
def test_keys_of_normal_mode(before: str, keys: str, expected: str) -> None:
    assert after(before, keys) == expected


def test_every_key_leaves_a_cursor_within_the_text() -> None:
    import random

    chance = random.Random(7)
    for _ in range(300):
        buffer = TextBuffer("one two\n\n  thrée 🇩🇪 four\nfive")
        buffer.cursor = 0
        vim = VimKeys(buffer)
        for _ in range(60):
            key = chance.choice("<iaIAoOxXDCYsSpPuJ~rdcyhjklwbe0^$Gg123 z\n")
            if key == "<":
                vim.take("escape", None)
            elif not vim.take(key, key):
                buffer.insert(key)
            assert 0 <= buffer.cursor <= len(buffer.text)


async def test_the_preset_edits_in_two_modes_and_escape_leaves_from_the_second(tmp_path: Path) -> None:
    async with on_stage(tmp_path, config=Config(preset="vim")) as stage:
        await stage.press("c")
        stage.screen.writing.focus_text()
        text = stage.screen.writing.text
        await stage.type("one two")
        await stage.press("escape")
        assert text.has_focus
        assert text.in_normal_mode
        await until(lambda: "NORMAL" in stage.status_line)
        await stage.press("0", "d", "w")
        assert text.text == "two"
        await stage.press("A")
        await stage.type("!")
        assert text.text == "two!"
        await stage.press("escape", "escape")
        await until(lambda: not text.has_focus)


async def test_other_presets_edit_in_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("c")
        stage.screen.writing.focus_text()
        await stage.press("escape")
        await until(lambda: not stage.screen.writing.text.has_focus)
