"""journal.db and cache.db with a changed byte: never an error that nobody expects, never a loss that nobody is told."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast_api.model.messages import Message
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.cache import Cache
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from support.journals import DRAFT, LUNCH, MESSAGE, journal_at

CACHED = Message(1, 2, "Bruno", "b@demo.example", 1_800_000_000, "<p>hello</p>", channel_id=7, topic="lunch")
UNREADABLE = 0x9E
"""A byte that is not UTF-8 wherever it stands alone."""


def places(raw: bytes, count: int) -> Iterator[int]:
    """The file's header, and offsets spread over all bytes that are not zero."""
    used = [offset for offset, value in enumerate(raw) if value and offset >= 100]
    yield from range(100)
    yield from used[:: max(1, len(used) // count)]


def changed(path: Path, offset: int, value: int) -> None:
    """Changes one byte of a file; another one than before."""
    with path.open("r+b") as file:
        file.seek(offset)
        (before,) = file.read(1)
        file.seek(offset)
        file.write(bytes([value if value != before else value ^ 1]))


@pytest.fixture
def journal_file(tmp_path: Path) -> Path:
    """A journal with a message, a draft and a read mark."""
    journal = journal_at(tmp_path)
    journal.put_outbox(MESSAGE)
    journal.put_draft(DRAFT)
    journal.put_read_marks([5])
    journal.close()
    return tmp_path / "journal.db"


def words(journal: Journal) -> list[str]:
    """Every text of the journal."""
    messages = [record.content for record in journal.load_outbox()]
    return messages + [record.version.content for record in journal.load_drafts()]


@pytest.mark.parametrize("value", [UNREADABLE, 0x00])
def test_whichever_byte_of_a_journal_is_changed_it_opens_and_no_text_goes_without_a_word(
    journal_file: Path, tmp_path: Path, value: int
) -> None:
    original = tmp_path / "original.db"
    journal_file.rename(original)
    for offset in places(original.read_bytes(), 300):
        folder = tmp_path / f"{offset}"
        folder.mkdir()
        shutil.copy(original, folder / "journal.db")
        changed(folder / "journal.db", offset, value)
        journal = journal_at(folder)
        kept = list(folder.glob("journal.db.damaged-*"))
        if journal.warning is None:
            assert len(words(journal)) == 2, offset
        elif "in memory" not in journal.warning:
            assert kept, offset
        assert journal.put_outbox(replace(MESSAGE, local_id="new")).result() or journal.warning, offset
        journal.close()
        shutil.rmtree(folder)


def test_a_byte_in_the_schema_of_a_journal_costs_only_the_table_that_it_describes(journal_file: Path) -> None:
    changed(journal_file, journal_file.read_bytes().index(b"CREATE TABLE edits") + 20, UNREADABLE)
    journal = journal_at(journal_file.parent)
    assert "damaged" in (journal.warning or "")
    assert (journal.load_outbox(), journal.load_drafts(), journal.load_read_marks()) == (
        [MESSAGE],
        [DRAFT],
        [5],
    )
    journal.close()


@pytest.mark.parametrize("byte", [UNREADABLE, ord("!")])
def test_a_damaged_message_becomes_a_draft_instead_of_being_sent(journal_file: Path, byte: int) -> None:
    raw = journal_file.read_bytes()
    place = raw.index(b'["channel",7,"lunch"]' + MESSAGE.content.encode() + b"waiting")
    changed(journal_file, place, byte)
    journal = journal_at(journal_file.parent)
    assert "became drafts" in (journal.warning or "")
    assert journal.load_outbox() == []
    (message,) = [draft for draft in journal.load_drafts() if draft.draft_id != DRAFT.draft_id]
    assert message.version == DraftVersion(None, MESSAGE.content)
    journal.close()


def test_a_damaged_letter_of_a_draft_costs_no_other_letter(journal_file: Path) -> None:
    raw = journal_file.read_bytes()
    for found in re.finditer(re.escape(b'"lunch"]' + DRAFT.content.encode()) + b"(?!day)", raw):
        changed(journal_file, found.end() - 1, UNREADABLE)
    journal = journal_at(journal_file.parent)
    assert "damaged" in (journal.warning or "")
    (draft,) = journal.load_drafts()
    assert draft.version == DraftVersion(LUNCH, DRAFT.content[:-1] + "\N{REPLACEMENT CHARACTER}")
    journal.close()


def test_an_empty_journal_has_lost_its_content_and_says_so(journal_file: Path) -> None:
    journal_file.write_bytes(b"")
    journal = journal_at(journal_file.parent)
    assert "damaged" in (journal.warning or "")
    assert [path.stat().st_size for path in journal_file.parent.glob("journal.db.damaged-*")] == [0]
    assert journal.put_draft(DRAFT).result()
    journal.close()


def test_a_journal_whose_creation_was_interrupted_is_no_damaged_one(tmp_path: Path) -> None:
    obstacle = tmp_path / "journal.db.new"
    obstacle.mkdir()
    journal = journal_at(tmp_path)
    assert "in memory only" in (journal.warning or "")
    journal.close()
    obstacle.rmdir()
    obstacle.write_bytes(b"what a process had written when it was killed")
    journal = journal_at(tmp_path)
    assert journal.warning is None
    journal.close()


@pytest.mark.parametrize("content", [b"", b"no database" * 1000])
def test_who_only_reads_says_that_a_journal_is_damaged(journal_file: Path, content: bytes) -> None:
    journal_file.write_bytes(content)
    journal = journal_at(journal_file.parent, read_only="only looked at")
    assert "damaged" in (journal.warning or "")
    journal.close()
    assert journal_file.read_bytes() == content


def test_whichever_byte_of_a_cache_is_changed_it_works_and_says_what_it_lost(tmp_path: Path) -> None:
    path = tmp_path / "original.db"
    cache = Cache.open(path, executor=inline)
    cache.save_messages([CACHED])
    cache.save_view("feed", [1], 1)
    cache.save_snapshot(b'{"a": 1}')
    cache.close()
    for offset in places(path.read_bytes(), 250):
        folder = tmp_path / f"{offset}"
        folder.mkdir()
        shutil.copy(path, folder / "cache.db")
        changed(folder / "cache.db", offset, UNREADABLE)
        cache = Cache.open(folder / "cache.db", executor=inline)
        cache.search("hello")
        cache.load_newest(10)
        cache.last_view()
        cache.load_snapshot()
        cache.save_messages([replace(CACHED, id=2)])
        assert cache.load_messages([2]) or cache.warning, offset
        cache.close()
        shutil.rmtree(folder)


def test_a_long_search_is_not_taken_for_damage(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db", executor=inline)
    cache.save_messages([CACHED])
    cache.search(" ".join(f"word{number}" for number in range(5000)))
    assert cache.warning is None
    assert cache.load_newest(1) == [CACHED]
    cache.close()


def test_an_account_with_damaged_files_opens_and_says_so(tmp_path: Path) -> None:
    def opened() -> AccountStorage:
        return AccountStorage.open(
            tmp_path / "data", tmp_path / "cache", "https://chat.example", "ada@example", executor=inline
        )

    storage = opened()
    storage.journal.put_outbox(MESSAGE)
    storage.cache.save_messages([CACHED])
    storage.close()
    for path in (*tmp_path.rglob("journal.db"), *tmp_path.rglob("cache.db")):
        changed(path, path.read_bytes().index(b"CREATE TABLE") + 15, UNREADABLE)
    storage = opened()
    journal, cache = storage.warnings
    assert "journal of drafts was damaged" in journal
    assert "cache was damaged" in cache
    storage.close()
