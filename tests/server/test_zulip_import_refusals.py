"""An archive is untrusted: one with anything invalid is rejected as a whole, and texts are filtered."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from narrowcast_server.zulip_archive.layout import FOLDER, ArchiveError
from narrowcast_server.zulip_archive.reading.archive import read_archive
from narrowcast_server.zulip_archive.reading.unpacking import LIMITS, ArchiveLimits
from support.archives import Files, converted, files_of, opened, packed, quiet, rows
from support.processes import unpack

Change = Callable[[Files], object]


def realm(files: Files, table: str, number: int = 0) -> Any:
    return files["realm.json"][table][number]


def circle(files: Files) -> None:
    own = [
        group["id"] for group in files["realm.json"]["zerver_namedusergroup"] if not group["is_system_group"]
    ][:3]
    files["realm.json"]["zerver_groupgroupmembership"] += [
        {"id": 900 + n, "supergroup": own[n], "subgroup": own[(n + 1) % 3]} for n in range(3)
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: realm(f, "zerver_userprofile").update(role=777), "role is 777"),
        (lambda f: realm(f, "zerver_userprofile").update(role=True), "role is True"),
        (lambda f: realm(f, "zerver_userprofile").update(id=-1), "negative"),
        (
            lambda f: realm(f, "zerver_userprofile").update(id=realm(f, "zerver_userprofile", 1)["id"]),
            "twice",
        ),
        (lambda f: realm(f, "zerver_userprofile").update(delivery_email="no address"), "Invalid email"),
        (
            lambda f: realm(f, "zerver_userprofile").update(
                delivery_email=realm(f, "zerver_userprofile", 1)["delivery_email"].upper()
            ),
            "two people have the address",
        ),
        (lambda f: [p.update(role=400) for p in f["realm.json"]["zerver_userprofile"]], "no active owner"),
        (lambda f: realm(f, "zerver_userprofile").update(full_name=["x"]), "not a text"),
        (lambda f: realm(f, "zerver_userprofile").update(date_joined=1e300), "not a time"),
        (circle, "circle"),
        (lambda f: realm(f, "zerver_realm").update(can_create_groups=99), "99, which is not in the archive"),
        (
            lambda f: realm(f, "zerver_realm").update(
                can_manage_all_groups=next(
                    g["id"] for g in f["realm.json"]["zerver_namedusergroup"] if g["name"] == "role:internet"
                )
            ),
            "cannot be set to 'role:internet'",
        ),
        (lambda f: realm(f, "zerver_stream").update(invite_only=True, is_web_public=True), "open to the web"),
        (
            lambda f: realm(f, "zerver_subscription").update(recipient=12345),
            "12345, which is not in the archive",
        ),
        (lambda f: realm(f, "zerver_reaction").update(message=12345), "12345, which is not in the archive"),
        (lambda f: f["messages-000001.json"]["zerver_message"][0].update(sender=99), "sender is 99"),
        (lambda f: f["messages-000001.json"]["zerver_message"][0].update(recipient=99), "recipient is 99"),
        (
            lambda f: f["messages-000001.json"]["zerver_message"][1].update(id=1),
            "two messages have the same id",
        ),
        (
            lambda f: f["messages-000001.json"]["zerver_message"][0].update(edit_history="[[1]]"),
            "list of changes",
        ),
        (
            lambda f: f["messages-000001.json"]["zerver_usermessage"][0].update(message=12345),
            "not in the same file",
        ),
        (lambda f: f["attachment.json"]["zerver_attachment"][0].update(messages=[12345]), "12345 is not in"),
        (lambda f: f["uploads/records.json"].pop(0), "not in the list of files"),
        (lambda f: f.pop("uploads/" + f["uploads/records.json"][0]["path"]), "has no file"),
        (
            lambda f: f["uploads/records.json"][0].update(path="../../../etc/passwd"),
            "not a path in an archive",
        ),
        (lambda f: f["avatars/records.json"][0].update(path="/etc/passwd"), "not a path in an archive"),
        (lambda f: f["realm.json"].update(zerver_stream={"id": 1}), "not a list of rows"),
        (lambda f: f["realm.json"]["zerver_stream"].append(7), "not a row"),
        (lambda f: f.update({"realm.json": [1]}), "holds no tables"),
        (lambda f: f.update({"realm.json": b'{"a":' + b"[" * 100_000}), "not JSON"),
        (lambda f: f["realm.json"]["zerver_realm"].append(realm(f, "zerver_realm")), "2 organizations"),
        (lambda f: f.pop("realm.json"), "has no realm.json"),
        (lambda f: f.pop("attachment.json"), "has no attachment.json"),
    ],
)
def test_an_invalid_archive_is_rejected_completely(
    odd_archive: Path, tmp_path: Path, change: Change, words: str
) -> None:
    files = files_of(odd_archive)
    change(files)
    bad = packed(files, tmp_path / "bad.tar")
    with pytest.raises(ArchiveError, match=words):
        read_archive(bad, tmp_path / "data", say=quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tar"]


def test_an_imported_bot_has_at_most_the_role_of_its_owner(odd_archive: Path, tmp_path: Path) -> None:
    files = files_of(odd_archive)
    people = {person["id"]: person for person in files["realm.json"]["zerver_userprofile"]}
    bot = next(person for person in people.values() if person["bot_owner"] is not None)
    bot["bot_owner"] = next(
        i for i, person in people.items() if person["role"] == 400 and not person["is_bot"]
    )
    bot["role"] = 100
    read_archive(packed(files, tmp_path / "a.tar"), tmp_path / "data", say=quiet)
    assert rows(tmp_path / "data", f"SELECT role FROM users WHERE id = {bot['id']}") == [(400,)]


def test_imported_texts_are_sanitized(odd_archive: Path, tmp_path: Path) -> None:
    files = files_of(odd_archive)
    realm(files, "zerver_userprofile").update(full_name="Eve\x1b[2J\u202e**|7")
    realm(files, "zerver_stream").update(name="a\x1b]0;x\x07b\nc", description="<script>x</script>")
    realm(files, "zerver_realm").update(name="N\x1b[31m", welcome_message_custom_text=["no text"])
    first, second = files["messages-000001.json"]["zerver_message"][:2]
    first.update(content="a\0b <script>alert(1)</script> [x](javascript:alert(1))", subject="t\x1b[0m")
    history = [
        {"timestamp": 5, "prev_content": "x", "prev_rendered_content": "<p onclick=x><script>y</script>z</p>"}
    ]
    second.update(edit_history=json.dumps(history), rendered_content="<script>never used</script>")
    files["messages-000001.json"]["zerver_message"][2].update(content="x" * 20_000)
    said: list[str] = []
    read_archive(packed(files, tmp_path / "a.tar"), tmp_path / "data", say=said.append)
    assert any("changed: 1 names of people" in line for line in said)
    with opened(tmp_path / "data") as organization:
        assert organization.users[realm(files, "zerver_userprofile")["id"]].full_name == "Eve[2J"
        channel = organization.channels[realm(files, "zerver_stream")["id"]]
        assert channel.name == "a]0;xbc"
        assert "<script" not in channel.rendered_description
        assert organization.settings["name"] == "N[31m"
        one, two, three = organization.store.all("SELECT * FROM messages ORDER BY id LIMIT 3")
        assert one["content"].startswith("ab ")
        assert one["topic"] == "t[0m"
        for text in (one["rendered"], two["rendered"], two["history"]):
            assert "<script" not in text
            assert "onclick" not in text
            assert 'href="javascript' not in text
        assert json.loads(two["history"])[0]["prev_rendered_content"] == "<p>x</p>"
        assert len(three["content"]) == 10_000


def test_imported_names_keep_the_characters_that_names_may_have(odd_archive: Path, tmp_path: Path) -> None:
    files = files_of(odd_archive)
    flag, newer = "\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001fae9"
    name = f"A\u3000B\u00a0C\u00adD {flag}{newer}"
    realm(files, "zerver_userprofile").update(full_name=name)
    realm(files, "zerver_stream").update(name=name)
    read_archive(packed(files, tmp_path / "a.tar"), tmp_path / "data", say=quiet)
    with opened(tmp_path / "data") as organization:
        assert organization.users[realm(files, "zerver_userprofile")["id"]].full_name == name
        assert organization.channels[realm(files, "zerver_stream")["id"]].name == name


@pytest.mark.parametrize("last", ["..", "!", "a--b.txt", "x" * 300])
def test_a_foreign_upload_path_is_replaced_by_a_new_one(odd_archive: Path, tmp_path: Path, last: str) -> None:
    files = files_of(odd_archive)
    record = files["uploads/records.json"][0]
    theirs = record["path"].rpartition("/")[0] + f"/{last}"
    for row in files["attachment.json"]["zerver_attachment"]:
        if row["path_id"] == record["path"]:
            row["path_id"] = record["s3_path"] = theirs
    read_archive(packed(files, tmp_path / "a.tar"), tmp_path / "data", say=quiet)
    assert rows(tmp_path / "data", "SELECT 1 FROM attachments")
    assert (theirs,) not in rows(tmp_path / "data", "SELECT path_id FROM attachments")


def with_entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> Callable[[Path], None]:
    """Adds one entry to an archive."""

    def add(path: Path) -> None:
        with tarfile.open(path, "a") as tar:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size = kind, link, 1 if kind == tarfile.REGTYPE else 0
            tar.addfile(entry, io.BytesIO(b"x"))

    return add


def endless_header(path: Path) -> None:
    """Prepends an entry whose extended header claims a size of a gigabyte."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 30
    path.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + path.read_bytes())


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (with_entry("../outside"), "not a plain file"),
        (with_entry("/etc/outside"), "not a plain file"),
        (with_entry(f"{FOLDER}/uploads/../../outside"), "not a plain file"),
        (with_entry(f"{FOLDER}/uploads/x\\y"), "not a plain file"),
        (with_entry(f"{FOLDER}/uploads/link", tarfile.SYMTYPE, "/etc/passwd"), "not a plain file"),
        (with_entry(f"{FOLDER}/uploads/link", tarfile.LNKTYPE, "/etc/passwd"), "not a plain file"),
        (with_entry(f"{FOLDER}/uploads/pipe", tarfile.FIFOTYPE), "not a plain file"),
        (with_entry(f"{FOLDER}/uploads/device", tarfile.CHRTYPE), "not a plain file"),
        (with_entry(f"{FOLDER}/realm.json"), "twice"),
        (endless_header, "endless header"),
        (lambda path: path.write_bytes(b"PK\x03\x04" + bytes(600)), "not an archive|no realm.json"),
        (lambda path: path.write_bytes(gzip.compress(path.read_bytes())[:-20]), "damaged"),
        (lambda path: path.write_bytes(b""), "not an archive|no realm.json"),
        (lambda path: path.unlink(), "there is no"),
    ],
)
def test_archive_members_cannot_escape_the_folder_and_failed_imports_leave_nothing(
    tmp_path: Path, spoil: Callable[[Path], object], words: str
) -> None:
    bad = packed(converted(), tmp_path / "bad.tar")
    spoil(bad)
    with pytest.raises(ArchiveError, match=words):
        read_archive(bad, tmp_path / "in" / "data", say=quiet)
    assert list((tmp_path / "in").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} <= {"bad.tar", "in"}


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    unpack(packed(converted(), tmp_path / "a.tar"), folder)
    upload = folder / FOLDER / "uploads" / "0" / "SlackImportAttachment" / "ab-cd" / "notes.txt"
    upload.unlink()
    upload.symlink_to("/etc/passwd")
    with pytest.raises(ArchiveError, match="is a link"):
        read_archive(folder, tmp_path / "data", say=quiet)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (ArchiveLimits(files=3), "more than 3 files"),
        (ArchiveLimits(file=100), "too large"),
        (ArchiveLimits(tables=10), "larger than"),
        (ArchiveLimits(unpacked=1000), "too large"),
    ],
)
def test_the_sizes_of_archive_members_are_limited(tmp_path: Path, limits: ArchiveLimits, words: str) -> None:
    file = packed(converted(), tmp_path / "a.tar")
    assert limits != LIMITS
    with pytest.raises(ArchiveError, match=words):
        read_archive(file, tmp_path / "data", limits=limits, say=quiet)


def test_an_archive_that_expands_to_hundreds_of_times_its_size_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "bomb.tar.gz"
    file.write_bytes(gzip.compress(bytes(8 << 20)))
    with pytest.raises(ArchiveError, match="unpacks to more"):
        read_archive(file, tmp_path / "data", limits=ArchiveLimits(free_of_ratio=1 << 20), say=quiet)


def test_a_data_folder_that_is_not_empty_is_not_overwritten(odd_archive: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("x")
    with pytest.raises(ArchiveError, match="not empty"):
        read_archive(odd_archive, tmp_path, say=quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
