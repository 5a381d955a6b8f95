"""The registry of commands, and users' changes to its keys."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path

import pytest
from textual.actions import parse

import narrowcast
from narrowcast.app.app import NarrowcastApp
from narrowcast.commands.run import workspace_function
from narrowcast.keys.command import UNUSED, Context, around
from narrowcast.keys.keymap import (
    KeymapError,
    effective,
    key_label,
    key_table,
    normalize,
    textual_keymap,
    typed,
)
from narrowcast.keys.registry import REGISTRY, bindings_for, by_id
from narrowcast.panes.compose.pane import ComposePane
from narrowcast.panes.messages.message_list import MessageList
from narrowcast.panes.messages.pane import MessagesPane
from narrowcast.panes.navigation.pane import NavigationList
from narrowcast.screens.account.second_factor import EnrolmentForm, RecoveryCodesScreen
from narrowcast.screens.channels.browse import ChannelsScreen
from narrowcast.screens.channels.folders import FoldersScreen
from narrowcast.screens.conversations.screen import ConversationsScreen
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.confirm import ConfirmScreen
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_controls import ChoiceControl
from narrowcast.screens.dialogs.help import HelpScreen
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.dialogs.progress import ProgressScreen
from narrowcast.screens.groups.groups import GroupsScreen
from narrowcast.screens.groups.members import GroupMembersScreen
from narrowcast.screens.later.scheduled import ScheduledScreen
from narrowcast.screens.later.snippets import SnippetsScreen
from narrowcast.screens.main.screen import MainScreen
from narrowcast.screens.messages.drafts import ConflictScreen, DraftsScreen
from narrowcast.screens.messages.outbox import OutboxScreen
from narrowcast.screens.messages.picture import PictureScreen
from narrowcast.screens.messages.preview import PreviewScreen
from narrowcast.screens.organization.invitations import InvitationsScreen
from narrowcast.screens.organization.linkifiers import LinkifiersScreen
from narrowcast.screens.own.files import FilesScreen
from narrowcast.screens.own.views import ViewsScreen
from narrowcast.screens.people.accounts import AccountsScreen, BotsScreen
from narrowcast.screens.people.card import PersonScreen
from narrowcast.screens.settings.app_settings import KeysScreen
from narrowcast.screens.settings.screen import SettingsScreen
from narrowcast.screens.settings.server_settings import NewcomerSettingsScreen
from narrowcast.screens.start.login import LoginScreen
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.virtual_list import VirtualList

OWNERS: dict[Context, type] = {
    Context.APP: NarrowcastApp,
    Context.MAIN: MainScreen,
    Context.NAVIGATION: NavigationList,
    Context.MESSAGES: MessagesPane,
    Context.FOUND: MessageList,
    Context.COMPOSE: ComposePane,
    Context.EDITOR: Editor,
    Context.LIST: VirtualList,
    Context.DIALOG: Dialog,
    Context.HELP: HelpScreen,
    Context.ASK: AskScreen,
    Context.CONFIRM: ConfirmScreen,
    Context.FORM: FormScreen,
    Context.CHOICE: ChoiceControl,
    Context.PICKER: Picker,
    Context.PROGRESS: ProgressScreen,
    Context.MANAGE: ManageScreen,
    Context.ORDERED: LinkifiersScreen,
    Context.CHANNELS: ChannelsScreen,
    Context.FOLDERS: FoldersScreen,
    Context.GROUPS: GroupsScreen,
    Context.GROUP_MEMBERS: GroupMembersScreen,
    Context.SCHEDULED: ScheduledScreen,
    Context.SNIPPETS: SnippetsScreen,
    Context.DRAFTS: DraftsScreen,
    Context.DRAFT_CONFLICT: ConflictScreen,
    Context.OUTBOX: OutboxScreen,
    Context.CONVERSATIONS: ConversationsScreen,
    Context.PICTURE: PictureScreen,
    Context.INVITATIONS: InvitationsScreen,
    Context.NEWCOMERS: NewcomerSettingsScreen,
    Context.FILES: FilesScreen,
    Context.KEYS: KeysScreen,
    Context.SETTINGS: SettingsScreen,
    Context.VIEWS: ViewsScreen,
    Context.ACCOUNTS: AccountsScreen,
    Context.BOTS: BotsScreen,
    Context.PERSON: PersonScreen,
    Context.ENROLMENT: EnrolmentForm,
    Context.RECOVERY_CODES: RecoveryCodesScreen,
    Context.TEXT: PreviewScreen,
    Context.WELCOME: WelcomeScreen,
    Context.LOGIN: LoginScreen,
}
PANES = (Context.NAVIGATION, Context.MESSAGES)
ALIKE = [
    {"navigation.leave", "go.home"},  # both leave the current place
    {"navigation.mark-read", "message.mark-read"},  # the row, or the open view
    {"navigation.down", "message.down"},
    {"navigation.up", "message.up"},
    {"navigation.page-down", "message.page-down"},
    {"navigation.page-up", "message.page-up"},
    {"navigation.first", "message.oldest"},
    {"navigation.last", "message.newest"},
    {"navigation.open", "message.enter"},
    {"navigation.collapse", "message.collapse"},
    {"navigation.mute", "topic.mute"},
    {"message.sender", "people.card"},
]
"""Commands of different panes that do the same to the selected item there."""


def test_ids_are_unique_and_every_command_has_a_function_or_a_method_where_its_keys_are_heard() -> None:
    assert len(by_id()) == len(REGISTRY)
    missing = []
    for command in REGISTRY:
        if (function := workspace_function(command)) is not None:
            (screen,) = signature(function).parameters.values()
            assert screen.annotation == "Workspace", command.id
            continue
        path, name, _ = parse(str(command.run))
        owner = {"app": NarrowcastApp, "self": OWNERS[command.context]}.get(path)
        if owner is not None and not hasattr(owner, name):  # test_messages_commands looks for those of parts
            missing.append(command.id)
    assert missing == []


def test_every_context_has_an_owner_that_binds_all_of_its_keys() -> None:
    assert set(OWNERS) == set(Context)
    for context, owner in OWNERS.items():
        bound = {
            getattr(binding, "id", None)
            for kind in owner.__mro__
            for binding in vars(kind).get("BINDINGS", ())
        }
        assert {binding.id for binding in bindings_for(context)} <= bound, context


def test_no_key_is_bound_outside_of_the_registry() -> None:
    source = Path(narrowcast.__file__).parent
    found = [
        str(file.relative_to(source))
        for file in source.rglob("*.py")
        if re.search(r"(?<!def )\bBinding\(", file.read_text(encoding="utf-8"))
    ]
    assert sorted(found) == ["keys/command.py", "keys/keymap.py"]
    screens = (source / "screens").rglob("*.py")
    assert not [file for file in screens if re.search(r"event\.(key|character)\b", file.read_text("utf-8"))]


def test_within_a_context_no_key_has_two_meanings() -> None:
    for context in Context:
        keys = [key for command in REGISTRY if command.context is context for key in command.keys]
        assert len(keys) == len(set(keys)), context


def test_no_key_of_a_dialog_is_handled_by_its_list_first() -> None:
    moves = {key for command in REGISTRY if command.context is Context.LIST for key in command.keys}
    letters = {key for key in moves if len(key) == 1}
    hidden = [
        command.id
        for command in REGISTRY
        if Context.LIST in around(command.context) and letters & set(command.keys)
    ]
    assert hidden == []


def test_a_key_means_the_same_in_every_pane() -> None:
    outer = [command for command in REGISTRY if command.context is Context.MAIN]
    for pane in PANES:
        for command in (command for command in REGISTRY if command.context is pane):
            others = [
                *outer,
                *(other for other in REGISTRY if other.context in PANES and other.context != pane),
            ]
            for other in others:
                if set(command.keys) & set(other.keys):
                    assert {command.id, other.id} in ALIKE, (command.id, other.id)


def test_the_contexts_around_a_context_are_listed_once_and_do_not_include_it() -> None:
    for context in Context:
        assert context not in around(context)
        assert len(set(around(context))) == len(around(context))


def test_no_default_key_is_one_that_a_terminal_cannot_tell_apart() -> None:
    effective({})
    for command in REGISTRY:
        for key in command.keys:
            assert normalize(key) == key, command.id
            assert key not in {"ctrl+h", "ctrl+i", "ctrl+m"}, command.id


def test_bindings_carry_the_ids_that_keymaps_use() -> None:
    ids = {binding.id for binding in bindings_for(Context.MAIN)}
    assert ids == {command.id for command in REGISTRY if command.context is Context.MAIN}


@pytest.mark.parametrize(
    ("user", "complaint"),
    [
        ({"go.all": "ctrl+h"}, "cannot be told from backspace"),
        ({"go.all": "ctrl+i"}, "cannot be told from tab"),
        ({"go.all": "ctrl+m"}, "cannot be told from enter"),
        ({"go.all": "ctrl+["}, "cannot be told from escape"),
        ({"go.nowhere": "w"}, "no such command"),
        ({"go.all": "f", "go.starred": ["f"]}, "f is both go.all and go.starred"),
        ({"go.inbox": "j", "message.down": ["j", "down"]}, "j is both go.inbox and message.down"),
        ({"compose.send": "x"}, "types a character in the compose box"),
        ({"go.all": "hyper+x"}, "no such modifier"),
        ({"go.all": "fluff"}, "no such key"),
        ({"channels.edit": "n", "manage.new": "n"}, "n is both manage.new and channels.edit"),
        ({"form.send": "escape", "form.cancel": "escape"}, "Esc is both form.send and form.cancel"),
    ],
)
def test_a_keymap_that_cannot_work_is_refused_with_the_reason(user: dict[str, str], complaint: str) -> None:
    with pytest.raises(KeymapError, match=complaint):
        effective(user)


def test_a_keymap_swaps_two_keys_when_both_are_named() -> None:
    keymap = textual_keymap(effective({"go.all": "f", "go.starred": ["a", "f10"]}))
    assert keymap == {"go.all": "f", "go.starred": "a,f10"}


def test_a_key_of_the_users_own_is_lost_by_the_command_that_has_it_by_default() -> None:
    user = {"go.all": ["N", "comma"], "own.status": "escape", "go.inbox": "j"}
    keys = effective(user)
    assert (keys["go.all"], keys["own.status"], keys["go.inbox"]) == (("N", "comma"), ("escape",), ("j",))
    assert (keys["go.next-unread-followed"], keys["message.choose"]) == (("alt+q",), ())
    assert (keys["message.down"], keys["navigation.down"]) == (("down",), ("down",))
    assert keys["form.cancel"] == by_id()["form.cancel"].keys, "forms do not hear keys of the main screen"
    keymap = textual_keymap(keys)
    assert (keymap["message.choose"], keymap["go.next-unread-followed"]) == (UNUSED, "alt+q")
    assert keymap["message.down"] == "down"


def test_a_key_that_is_heard_everywhere_can_be_given_to_a_command_of_a_dialog() -> None:
    keys = effective({"person.mute": "ctrl+q"})
    assert (keys["person.mute"], keys["app.quit"]) == (("ctrl+q",), ("ctrl+c",))


def test_a_key_of_the_users_own_is_lost_by_a_command_of_the_preset() -> None:
    preset = {"go.all": ["f"], "go.starred": ["a"]}
    keys = effective({**preset, "go.inbox": "f"}, {"go.inbox"})
    assert (keys["go.inbox"], keys["go.all"], keys["go.starred"]) == (("f",), (), ("a",))


def test_every_key_can_be_given_to_one_command_of_the_main_screen() -> None:
    every = {key for command in REGISTRY for key in command.keys}
    for key in every:
        keys = effective({"go.inbox": [key]})
        assert keys["go.inbox"] == (key,)
        heard = [
            one.id for one in REGISTRY if one.context in {Context.MAIN, Context.APP} and key in keys[one.id]
        ]
        assert heard == ["go.inbox"]


def test_an_empty_list_is_a_key_that_nobody_can_press_or_choose() -> None:
    keys = effective({"go.all": [], "go.inbox": []})
    assert textual_keymap(keys) == {"go.all": UNUSED, "go.inbox": UNUSED}
    with pytest.raises(ValueError, match="no such key"):
        normalize(UNUSED)


def test_keys_are_written_as_people_write_them() -> None:
    labels = [
        key_label(key) for key in ("ctrl+k", "question_mark", "slash", "alt+left", "f2", "minus", "enter")
    ]
    assert labels == ["Ctrl-k", "?", "/", "Alt-←", "F2", "-", "Enter"]


def test_keys_are_accepted_as_every_screen_shows_them() -> None:
    for key in {key for command in REGISTRY for key in command.keys}:
        assert normalize(key_label(key)) == normalize(key)


def test_keys_are_accepted_in_other_common_spellings() -> None:
    spelled = {
        "Ctrl-g": "ctrl+g",
        "CTRL+G": "ctrl+g",
        "Alt-R": "alt+shift+r",
        "Shift-Alt-r": "alt+shift+r",
        "Ctrl-Alt-d": "alt+ctrl+d",
        "Return": "enter",
        "Ins": "insert",
        "Shift-f": "F",
        "Shift-F6": "shift+f6",
        "esc": "escape",
        "PageUp": "pageup",
        "Alt--": "alt+minus",
        "ctrl-+": "ctrl+plus",
    }
    assert {key: normalize(key) for key in spelled} == spelled


def test_keys_are_asked_for_as_they_are_typed() -> None:
    assert [typed(key) for key in ("left_square_bracket", "alt+full_stop", "ctrl+k", "space", "f2")] == [
        "[",
        "alt+.",
        "ctrl+k",
        "space",
        "f2",
    ]
    for key in {key for command in REGISTRY for key in command.keys} | {"plus", "ctrl+plus", "alt+comma"}:
        assert normalize(typed(key)) == key


def test_the_key_table_has_every_command() -> None:
    table = key_table()
    assert all(f"| {command.id} |" in table for command in REGISTRY)


def test_keys_of_dialogs_that_never_meet_may_be_the_same() -> None:
    assert effective({"channels.edit": "f7", "snippets.edit": "f7"})["channels.edit"] == ("f7",)
