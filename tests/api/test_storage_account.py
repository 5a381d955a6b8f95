"""The files of one account: where they are, who may read them, who may write them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api.model.drafts import DraftVersion
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.folders import account_folder_name, private_folder
from narrowcast_api.storage.lock import AccountLock
from narrowcast_api.storage.records import Draft

SITE, EMAIL = "https://chat.example", "ada@demo.example"
DRAFT = Draft("d1", DraftVersion(ChannelDestination(7, "lunch"), "Soup"), 1.0)


def storage_at(folder: Path) -> AccountStorage:
    return AccountStorage.open(folder / "data", folder / "cache", SITE, EMAIL, executor=inline)


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_account_has_a_name_that_every_file_system_takes(site: str, email: str) -> None:
    try:
        name = account_folder_name(site, email)
    except ValueError:  # not an address at all, for urllib
        return
    assert 11 < len(name) < 80
    assert all(character.isascii() and (character.isalnum() or character in ".@+-") for character in name)
    assert not name.startswith((".", "-"))


def test_one_account_has_one_folder_and_two_have_two() -> None:
    same = {
        account_folder_name(site, email)
        for site in ("https://chat.example", "https://Chat.example/", "chat.example")
        for email in ("ada@demo.example", " Ada@demo.example")
    }
    assert len(same) == 1
    others = {
        account_folder_name(site, email)
        for site in (SITE, "https://chat.example:8443", "https://chat.example/team")
        for email in (EMAIL, "ada@demo-example", "ada-demo.example")
    }
    assert len(others) == 9
    assert "/" not in account_folder_name("https://x/../..", "../../etc/passwd")


def test_folders_are_closed_to_others_even_if_they_were_open(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    for name in ("open", "new"):
        assert private_folder(tmp_path / name).stat().st_mode & 0o777 == 0o700


def test_the_first_instance_writes_and_the_second_says_who_does(tmp_path: Path) -> None:
    first = storage_at(tmp_path)
    second = storage_at(tmp_path)
    assert (first.read_only, second.read_only) == (False, True)
    assert first.warnings == ()
    (warning,) = second.warnings
    assert str(os.getpid()) in warning
    assert "only reads" in warning
    second.close()
    first.close()
    third = storage_at(tmp_path)
    assert not third.read_only
    third.close()


def test_a_killed_instance_leaves_no_lock_behind(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; "
        "from narrowcast_api.storage.lock import AccountLock; "
        "lock = AccountLock.acquire(Path(sys.argv[1])); print(lock.held, flush=True); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "lock")], capture_output=True, text=True, check=False
    )
    assert ran.stdout == "True\n"
    lock = AccountLock.acquire(tmp_path / "lock")
    assert lock.held
    lock.release()


def test_another_process_is_seen_too(tmp_path: Path) -> None:
    lock = AccountLock.acquire(tmp_path / "lock")
    script = (
        "import sys; from pathlib import Path; from narrowcast_api.storage.lock import AccountLock; "
        "lock = AccountLock.acquire(Path(sys.argv[1])); print(lock.held, lock.owner_pid)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "lock")], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["False", str(lock.owner_pid)]
    lock.release()


def test_where_no_folder_can_be_made_all_is_in_memory_and_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    (tmp_path / "cache").write_text("here too")
    storage = storage_at(tmp_path)
    assert len(storage.warnings) == 2
    storage.journal.put_draft(DRAFT)
    assert storage.journal.load_drafts() == [DRAFT]
    storage.close()


def test_what_was_handed_over_is_on_the_disk_after_close(tmp_path: Path) -> None:
    with AccountStorage.open(tmp_path / "data", tmp_path / "cache", SITE, EMAIL) as storage:
        storage.journal.put_draft(DRAFT)
    with storage_at(tmp_path) as again:
        assert again.journal.load_drafts() == [DRAFT]


@pytest.mark.parametrize("module", ["httpx", "pydantic", "websockets", "selectolax"])
def test_storage_is_cheap_to_import(module: str) -> None:
    script = f"import sys, narrowcast_api.storage.account_storage; print({module!r} in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
