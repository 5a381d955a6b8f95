"""Settings of the app: every key of the configuration, key presets, import of another program's settings."""

from __future__ import annotations

import argparse
import threading
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from narrowcast.app.import_settings import read_zuliprc
from narrowcast.cli.account_choice import chosen_file
from narrowcast.config.config import Config, ConfigError
from narrowcast.config.config_file import CONFIG_KEYS, Value, change, check
from narrowcast.config.config_load import load, parse
from narrowcast.keys.keymap import effective
from narrowcast.keys.presets import PRESETS
from narrowcast.keys.registry import REGISTRY
from narrowcast.screens.settings.app_settings import AppSettingsScreen, KeysScreen
from narrowcast.screens.settings.capture import CaptureScreen
from narrowcast.terminal.paths import Paths
from narrowcast_api.account import Account
from narrowcast_api.errors import AccountError
from narrowcast_api.http.secret import Secret
from support.screens import (
    answer,
    at_once,
    choices,
    choose,
    form_of,
    pick,
    question_of,
    rows,
    said,
    screen_text,
)
from support.sessions import until
from support.stage import Stage, on_stage, run

COMMENTED = """\
# mine
[appearance]
theme = "paper"   # for the balcony

[keys]
"go.inbox" = "f4"
"""


def keys_of(config: object, prefix: str = "") -> set[str]:
    found: set[str] = set()
    for field in fields(config):  # type: ignore[arg-type]
        value = getattr(config, field.name)
        found |= keys_of(value, f"{field.name}.") if is_dataclass(value) else {prefix + field.name}
    return found


def test_the_screen_has_every_key_of_the_configuration() -> None:
    shown = {one.key for listed in CONFIG_KEYS.values() for one in listed}
    assert shown | {"keys", "extensions", "themes"} == keys_of(Config())


def test_a_change_keeps_comments_and_everything_else(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(COMMENTED)
    assert change(file, "appearance.theme", "contrast").appearance.theme == "contrast"
    change(file, "keys.message.star", ["ctrl+s"])
    change(file, "compose.enter", "newline")
    text = file.read_text()
    assert text.startswith(COMMENTED.replace("paper", "contrast"))
    config = parse(text, "config.toml")
    assert config.keys == {"go.inbox": "f4", "message.star": ["ctrl+s"]}
    assert config.compose.enter == "newline"
    assert change(file, "keys.message.star", None).keys == {"go.inbox": "f4"}


def test_a_new_file_is_private_and_one_that_is_there_stays_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "config" / "config.toml"
    change(file, "compose.enter", "newline")
    assert [one.stat().st_mode & 0o777 for one in (file, file.parent)] == [0o600, 0o700]
    dotfile = tmp_path / "dotfile.toml"
    dotfile.write_text("# mine\n")
    dotfile.chmod(0o640)
    file.unlink()
    file.symlink_to(dotfile)
    change(file, "compose.enter", "newline")
    assert file.is_symlink()
    assert dotfile.read_text().startswith("# mine\n")
    assert dotfile.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("appearance.theme", "pink", "no theme 'pink'"),
        ("compose.enter", "both", "send"),
        ("notifications.quiet", ["noon"], "noon"),
    ],
)
def test_a_wrong_value_is_refused_and_nothing_is_written(
    tmp_path: Path, key: str, value: str | list[str], problem: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(COMMENTED)
    assert problem in check(COMMENTED, key, value)
    with pytest.raises(ConfigError, match=problem):
        change(file, key, value)
    assert file.read_text() == COMMENTED


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_no_preset_has_a_conflict(name: str) -> None:
    keys = effective(PRESETS[name])
    defaults = {command.id: command.keys for command in REGISTRY}
    assert keys == defaults | {command_id: tuple(wanted) for command_id, wanted in PRESETS[name].items()}
    assert parse(f'preset = "{name}"\n', "c.toml").keymap == PRESETS[name]


def test_settings_of_another_program_are_read_from_its_zuliprc(tmp_path: Path) -> None:
    file = tmp_path / "zuliprc"
    file.write_text(
        "[api]\nemail=a@b.example\nkey=k\nsite=https://b.example\n"
        "[zterm]\ntheme=zt_light\nautohide=autohide\nnotify=enabled\nfootlinks=disabled\n"
    )
    imported = read_zuliprc(file)
    assert dict(imported.changes) == {
        "appearance.theme": "paper",
        "appearance.people": False,
        "notifications.popup": "auto",
        "preset": "zulip-terminal",
    }
    assert imported.left == ("footlinks",)
    file.write_text("nothing")
    with pytest.raises(ValueError, match="not a zuliprc"):
        read_zuliprc(file)


async def test_a_setting_is_changed_used_at_once_and_reset(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "app.settings")
        screen = stage.app.screen
        assert isinstance(screen, AppSettingsScreen)
        await pick(stage, "appearance.theme")
        await choose(stage, "contrast")
        assert stage.app.theme == "contrast"
        await until(lambda: "Saved" in said(stage))
        assert 'theme = "contrast"' in stage.app.paths.config_file.read_text()
        assert "Theme: contrast. u takes it back" in said(stage)
        await stage.press("x")
        assert "contrast" not in stage.app.paths.config_file.read_text()
        assert "Saved" in said(stage)
        await stage.press("u")
        await until(lambda: stage.app.theme == "contrast")


async def test_the_default_account_is_chosen_from_those_that_are_stored(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        folder = stage.app.paths.accounts
        folder.mkdir(parents=True, exist_ok=True)
        stage.server.account("bruno").write_zuliprc(folder / "bruno.zuliprc")
        await run(stage, "app.settings")
        for text, value in (("bruno", "bruno"), ("the first one", "")):
            await pick(stage, "account")
            assert "ada" not in [choice.text for choice in choices(stage)], "it is open, and not stored"
            await choose(stage, text)
            await until(lambda value=value: stage.app.config.account == value)  # type: ignore[misc]


def test_a_missing_default_account_is_reported_with_a_solution(tmp_path: Path) -> None:
    paths = Paths.under(tmp_path)
    args = argparse.Namespace(rc=None, account=None)
    account = Account("https://chat.example", "ada@demo.example", Secret("k"))
    paths.accounts.mkdir(parents=True)
    account.write_zuliprc(paths.accounts / "ada.zuliprc")
    with pytest.raises(AccountError, match=r"config\.toml: account = 'gone'.*--account: ada"):
        chosen_file(args, paths, Config(account="gone"))
    args.account = "ada"
    assert chosen_file(args, paths, Config(account="gone")) == paths.accounts / "ada.zuliprc"
    args.account = ""
    assert chosen_file(args, paths, Config(account="a")) == paths.accounts / "ada.zuliprc"


async def test_keys_are_checked_while_they_are_typed_and_work_at_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(100, 40)) as stage:
        await run(stage, "app.settings")
        await pick(stage, "keys")
        keys = stage.app.screen
        assert isinstance(keys, KeysScreen)
        keys.list.select_key("go.inbox")
        await stage.press("e")
        ask = await question_of(stage)
        ask.editor.text = ""
        await stage.type("f12345")
        assert "no such key" in screen_text(ask)
        await stage.press("enter")
        assert stage.app.screen is ask
        ask.editor.text = ""
        await stage.type("f7")
        await stage.press("enter")
        await until(lambda: stage.app.screen is keys)
        assert stage.app.keys["go.inbox"] == ("f7",)
        assert any("F7" in row and "inbox" in row for row in rows(stage))
        shown = [(row.text, row.detail) for row in keys.list.items if not row.heading]
        assert len(shown) == len(set(shown)), "a filter hides the headings"
        assert '"go.inbox" = ["f7"]' in stage.app.paths.config_file.read_text()


async def test_a_key_is_chosen_by_pressing_it_unless_the_user_gave_it_to_another_command(
    tmp_path: Path,
) -> None:
    file = Paths.under(tmp_path / "home-ada").config_file
    file.parent.mkdir(parents=True)
    file.write_text('[keys]\n"go.starred" = "f9"\n')
    async with on_stage(tmp_path, size=(100, 40), config=load(file)) as stage:
        await run(stage, "app.settings")
        await pick(stage, "keys")
        keys = stage.app.screen
        await pick(stage, "go.inbox")
        await until(lambda: isinstance(stage.app.screen, CaptureScreen))
        await stage.press("f9")
        await until(lambda: "F9 is both go.inbox and go.starred" in screen_text(stage.app.screen))
        await stage.press("enter")
        assert isinstance(stage.app.screen, CaptureScreen), "a key that the user gave away is not taken"
        for key, label in (("ctrl+q", "Ctrl-q"), ("ctrl+l", "Ctrl-l")):  # what acts in every other field
            await stage.press(key)
            await until(lambda label=label: label in screen_text(stage.app.screen))  # type: ignore[misc]
            assert "Enter takes it from:" in screen_text(stage.app.screen)
        await stage.press("f12")
        await until(lambda: "Free." in screen_text(stage.app.screen))
        await stage.press("comma")
        title = "Select several messages"
        await until(lambda: f"Enter takes it from: {title}" in screen_text(stage.app.screen))
        await stage.press("enter")
        await until(lambda: stage.app.screen is keys)
        await until(lambda: stage.app.keys["go.inbox"] == ("comma",))
        assert stage.app.keys["message.choose"] == ()
        assert f"Taken from: {title}" in said(stage)
        await stage.press("u")
        await until(lambda: stage.app.keys["go.inbox"] == ("I",))


async def test_a_key_that_was_taken_from_its_command_does_nothing_or_what_it_was_given_to(
    tmp_path: Path,
) -> None:
    keys: dict[str, str | list[str]] = {
        "write.channel": [],
        "message.reply": [],
        "go.mentions": [],
        "own.status": "#",
    }
    async with on_stage(tmp_path, config=Config(keys=keys)) as stage:
        await stage.in_topic()
        before = stage.screen.narrow
        for key in ("c", "r"):
            await stage.press(key)
            assert not stage.screen.writing.has_focus_within, key
        await stage.press("down")  # letters right after one that has no command would be dropped
        await stage.press("number_sign")
        await form_of(stage)
        assert stage.screen.narrow == before


async def test_keys_of_a_command_without_default_keys_end_when_they_are_changed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        for number, keys in enumerate(("f10", "f12", "")):
            stage.app.use_config(Config(keys={"topic.copy-link": keys} if keys else {}))
            await stage.in_topic(topic=f"topic {number}")
            for key in ("f10", "f12"):
                await stage.press(key)
                if key == keys:
                    await stage.told("Copied")
                else:
                    assert not stage.notices, (key, keys)
                stage.app.clear_notifications()


async def import_from(stage: Stage, file: Path) -> None:
    await pick(stage, "import")
    await answer(stage, str(file))


async def test_an_import_stores_the_account_of_the_file_too(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        rc = tmp_path / "zuliprc"
        stage.server.account("bruno").write_zuliprc(rc)
        with rc.open("a") as file:
            file.write("[zterm]\neditor=nano\n")
        await run(stage, "app.settings")
        for words in ("Imported 2 settings. Account bruno-", "Imported 2 settings."):
            await import_from(stage, rc)
            await until(lambda words=words: said(stage).startswith(words))  # type: ignore[misc]
        assert [path.stem.split("-")[0] for path in stage.app.paths.accounts.iterdir()] == ["bruno"]
        assert stage.app.config.compose.editor == "nano"
        rc.chmod(0o644)
        await import_from(stage, rc)
        await until(lambda: "The account was not added: " in said(stage))
        rc.chmod(0o600)
        stage.app.paths.config_file.write_text("[compose\n")
        await import_from(stage, rc)
        await until(lambda: "not TOML" in said(stage))
        assert "Imported" not in said(stage)


async def test_a_slow_disk_blocks_no_key_and_two_changes_are_written_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, threads = threading.Event(), []

    def slow(path: Path, key: str, value: Value | None) -> Config:
        threads.append(threading.current_thread())
        disk.wait(30)
        return change(path, key, value)

    monkeypatch.setattr("narrowcast.app.app.change", slow)
    async with on_stage(tmp_path) as stage:
        before = stage.app.config.appearance.people
        await run(stage, "app.settings")
        screen = stage.app.screen
        assert isinstance(screen, AppSettingsScreen)
        screen.list.select_key("appearance.people")
        await at_once(stage, "enter", "enter", "enter", "\x1b[B")
        assert screen.selected != "appearance.people", "the screen answers"
        disk.set()
        await until(lambda: len(threads) == 3)
        await until(lambda: stage.app.config.appearance.people is not before)
        assert threading.main_thread() not in threads
