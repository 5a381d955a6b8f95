"""The files of one account: where they are, who may read them, which window may write them."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.folders import account_folder_name, private_file, private_folder
from narrowcast_api.storage.records import Draft, OutboxMessage, OutboxState
from narrowcast_api.storage.windows import Machine, open_window
from support.journals import killed

SITE, EMAIL = "https://chat.example", "ada@demo.example"
DRAFT = Draft("d1", DraftVersion(ChannelDestination(7, "lunch"), "Soup"), 1.0)


MESSAGE = OutboxMessage("m1", 1, ChannelDestination(7, "lunch"), "Soup", OutboxState.WAITING, 1.0)


def storage_at(folder: Path, *, kind: str = "app", machine: Machine | None = None) -> AccountStorage:
    return AccountStorage.open(
        folder / "data", folder / "cache", SITE, EMAIL, kind=kind, machine=machine, executor=inline
    )


def crash(storage: AccountStorage) -> None:
    """Releases what the operating system releases when the process is killed."""
    assert storage.window is not None
    storage.window.release_locks()
    killed(storage.journal)
    storage.cache.file.close()


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_account_has_a_name_that_every_file_system_takes(site: str, email: str) -> None:
    try:
        name = account_folder_name(site, email)
    except ValueError:  # urllib does not accept it as an address
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


def test_folders_that_are_made_on_the_way_are_closed_too_and_those_above_stay(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    folder = private_folder(tmp_path / "open" / "app" / "account")
    modes = [one.stat().st_mode & 0o777 for one in (folder, folder.parent, folder.parent.parent)]
    assert modes == [0o700, 0o700, 0o755]


def kinds(storage: AccountStorage) -> list[str]:
    return [window.kind for window in storage.other_windows()]


def test_two_windows_write_and_each_knows_of_the_other(tmp_path: Path) -> None:
    first = storage_at(tmp_path)
    second = storage_at(tmp_path, kind="sender")
    assert (first.read_only, second.read_only) == (False, False)
    assert (first.warnings, second.warnings) == ((), ())
    assert (kinds(first), kinds(second)) == (["sender"], ["app"])
    first.journal.put_outbox(MESSAGE)
    second.journal.put_draft(DRAFT)
    for storage in (first, second):
        assert [record.content for record in storage.journal.load_outbox()] == ["Soup"]
        assert storage.journal.load_drafts() == [DRAFT]
    second.close()
    assert kinds(first) == []
    first.close()


def test_what_a_living_window_has_not_sent_stays_its_own_and_what_a_gone_one_left_is_adopted_once(
    tmp_path: Path,
) -> None:
    first, second, third = (storage_at(tmp_path) for _ in range(3))
    first.journal.put_outbox(MESSAGE)
    assert second.journal.refresh().result().outbox().keys() == {"m1"}
    assert second.closed_windows() == set()
    owner = first.window.id if first.window else None
    assert second.journal.load_outbox() == [replace(MESSAGE, owner=owner)]
    third.journal.refresh()
    crash(first)
    assert second.closed_windows() == third.closed_windows() == {owner}
    taken = [storage.journal.take_over({owner}).result().outbox()["m1"] for storage in (second, third)]
    assert {record.owner for record in taken if record is not None} == {
        second.window.id if second.window else ""
    }
    second.close()
    third.close()


def test_a_start_takes_over_what_nobody_sends(tmp_path: Path) -> None:
    first = storage_at(tmp_path)
    first.journal.put_outbox(MESSAGE)
    crash(first)
    second = storage_at(tmp_path)
    (record,) = second.journal.load_outbox()
    assert second.window is not None
    assert record.owner == second.window.id
    second.close()


def test_a_window_of_a_killed_process_is_gone(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; "
        "from narrowcast_api.storage.windows import open_window; "
        "window = open_window(Path(sys.argv[1]), 'app'); print(window.id, flush=True); "
        "sys.stdin.read(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        other = process.stdout.readline().strip()
        window = open_window(tmp_path, "app")
        assert [record.pid for record in window.others()] == [process.pid]
        assert not window.is_gone(other)
        process.communicate("")
    assert window.others() == []
    assert window.is_gone(other)
    assert not window.is_gone(window.id)
    assert not (tmp_path / "windows" / other).exists()
    window.close()
    assert list((tmp_path / "windows").iterdir()) == []


def test_killed_windows_leave_no_files_behind_for_ever(tmp_path: Path) -> None:
    first, second = open_window(tmp_path, "app"), open_window(tmp_path, "app")
    first.release_locks()
    third = open_window(tmp_path, "app")
    assert {path.name for path in (tmp_path / "windows").iterdir()} == {second.id, third.id}
    assert second.is_gone(first.id)
    second.close()
    third.close()


def test_only_one_window_at_a_time_takes_on_a_duty(tmp_path: Path) -> None:
    first, second = storage_at(tmp_path), storage_at(tmp_path)
    assert [window.acquire_task("drafts") for window in (first, second, first)] == [True, False, True]
    crash(first)
    assert second.acquire_task("drafts")
    second.close()


def test_an_earlier_version_that_allows_one_window_is_left_alone(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "data" / account_folder_name(SITE, EMAIL))
    storage_at(tmp_path).close()
    with (folder / "lock").open("r+") as old:
        fcntl.flock(old, fcntl.LOCK_EX | fcntl.LOCK_NB)
        second = storage_at(tmp_path)
        assert second.read_only
        (warning,) = second.warnings
        assert "earlier version" in warning
        assert second.journal.put_draft(DRAFT).result() is False
        second.close()
    third = storage_at(tmp_path)
    with (folder / "lock").open("r+") as old, pytest.raises(BlockingIOError):
        fcntl.flock(old, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as the earlier version does
    third.close()


HERE, THERE = Machine("laptop", "boot-1"), Machine("desktop", "boot-2")


def test_a_window_on_another_machine_with_the_same_home_is_recognised_though_locks_do_not_reach_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", lambda file, how: None)  # other machines' locks are invisible
    first = storage_at(tmp_path, machine=HERE)
    assert first.journal.put_draft(DRAFT).result() is True
    first.cache.save_snapshot(b"{}")
    second = storage_at(tmp_path, machine=THERE)
    assert second.read_only
    (warning,) = second.warnings
    assert "laptop" in warning
    assert "read-only" in warning
    assert (second.journal.load_drafts(), second.cache.load_snapshot()) == ([], None), (
        "SQLite cannot share files that far"
    )
    assert second.journal.put_draft(DRAFT).result() is False
    second.close()
    first.close()
    third = storage_at(tmp_path, machine=THERE)
    assert not third.read_only
    third.close()


def test_a_window_on_another_machine_is_gone_when_its_file_was_not_touched_for_minutes(
    tmp_path: Path,
) -> None:
    first = storage_at(tmp_path, machine=HERE)
    assert first.window is not None
    file = tmp_path / "data" / account_folder_name(SITE, EMAIL) / "windows" / first.window.id
    long_ago = file.stat().st_mtime - 600
    os.utime(file, (long_ago, long_ago))
    second = storage_at(tmp_path, machine=THERE)
    assert not second.read_only
    second.close()
    first.window.touch()
    assert storage_at(tmp_path, machine=THERE).read_only
    first.close()


def test_another_machine_of_the_same_name_is_another_one(tmp_path: Path) -> None:
    first = storage_at(tmp_path, machine=Machine("localhost", "boot-1", "one"))
    second = storage_at(tmp_path, machine=Machine("localhost", "boot-2", "two"))
    assert second.read_only
    second.close()
    first.close()


def test_what_the_same_machine_left_before_it_was_started_again_is_adopted(tmp_path: Path) -> None:
    first = storage_at(tmp_path, machine=HERE)
    first.journal.put_outbox(MESSAGE)
    second = storage_at(tmp_path, machine=Machine(HERE.host, "boot-3"))
    assert not second.read_only
    assert [record.owner for record in second.journal.load_outbox()] == [
        second.window.id if second.window else ""
    ]
    second.close()
    first.close()


def test_without_locks_there_is_one_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    first = storage_at(tmp_path)
    assert not first.read_only
    assert first.acquire_task("drafts")
    second = storage_at(tmp_path)
    assert second.read_only
    assert "no locks" in second.warnings[0]
    second.close()
    first.close()
    third = storage_at(tmp_path)
    assert not third.read_only
    third.close()


def test_without_a_writable_folder_all_is_in_memory_and_a_warning_says_so(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("module", ["httpx2", "pydantic", "websockets", "selectolax"])
def test_storage_is_cheap_to_import(module: str) -> None:
    script = f"import sys, narrowcast_api.storage.account_storage; print({module!r} in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.parametrize("others_may", [0o044, 0o040, 0o004, 0o001, 0o022])
def test_files_and_folders_that_others_could_read_become_private(tmp_path: Path, others_may: int) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file"
    folder.mkdir()
    file.touch()
    folder.chmod(0o700 | others_may)
    file.chmod(0o600 | others_may)
    assert stat.S_IMODE(private_folder(folder).stat().st_mode) == 0o700
    assert stat.S_IMODE(private_file(file).stat().st_mode) == 0o600


def test_a_folder_that_another_window_creates_at_the_same_moment_causes_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = Path.mkdir

    def later_than_another(
        path: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False
    ) -> None:
        mkdir(path, mode)
        mkdir(path, mode, parents, exist_ok)

    monkeypatch.setattr(Path, "mkdir", later_than_another)
    assert private_folder(tmp_path / "data" / "account").is_dir()
