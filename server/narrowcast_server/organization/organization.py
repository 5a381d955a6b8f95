"""The running organization: its store, in-memory records, event queues, and transactions."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from narrowcast_server.computing.workers import Workers
from narrowcast_server.markdown.renderings import Renderings
from narrowcast_server.organization.browser_sign_ins import BrowserSignIns
from narrowcast_server.organization.clock import RealClock, ServerClock
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.events import EventHub, QueuedEvent
from narrowcast_server.organization.login_limits import LoginLimits
from narrowcast_server.organization.measures import Measures
from narrowcast_server.organization.memberships import Memberships
from narrowcast_server.organization.models import Channel, Group, User
from narrowcast_server.organization.passwords import Passwords
from narrowcast_server.organization.realm_settings import DEFAULTS
from narrowcast_server.organization.second_factors import SecondFactors
from narrowcast_server.storage.directory import Directory
from narrowcast_server.storage.disk import Disk
from narrowcast_server.storage.extra_keys import ExtraKeys
from narrowcast_server.storage.folder_lock import FolderLock
from narrowcast_server.storage.key_vault import FILE as KEYS_FILE
from narrowcast_server.storage.key_vault import ClosedVault, KeyVault, seal_stored_keys
from narrowcast_server.storage.reader import Reader
from narrowcast_server.storage.store import UNUSABLE, Store, unusable

if TYPE_CHECKING:
    from narrowcast_server.markdown import LinkPreview

DATABASE = "narrowcast.db"
T = TypeVar("T")
_LARGE_PAGES: Final = 2

_log = logging.getLogger("narrowcast.server")


class Organization:
    """The running organization, on which routes, actions, the demo world and the delivery of scheduled
    messages work.

    Changes happen inside `with organization.transaction():`; events emitted inside are sent after the commit, and
    discarded if the transaction fails.
    """

    def __init__(
        self,
        folder: Path,
        config: ServerConfig,
        clock: ServerClock | None = None,
        *,
        keys_stay_sealed: bool = False,
    ) -> None:
        """`keys_stay_sealed`: nobody can log in, and nothing about keys is changed or created."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder
        self.config = config
        self.clock: ServerClock = clock or RealClock()
        # Before the database is opened: a second server must not even migrate it.
        self._lock = FolderLock(folder)
        try:
            self.store, self.vault = _opened(folder, keys_stay_sealed=keys_stay_sealed)
        except BaseException:  # the folder stays locked until it is released
            self._lock.release()
            raise
        self.disk = Disk(self.store.log_path)
        self.reader = Reader(self.store.path)
        self.users: Directory[User] = Directory(
            self.store, "users", partial(User.of, open_key=self.vault.open)
        )
        self.channels: Directory[Channel] = Directory(self.store, "channels", Channel.of)
        self.groups: Directory[Group] = Directory(self.store, "groups", Group.of)
        self.memberships = Memberships(self.store, self.groups)
        self.hub = EventHub(self)
        self.passwords = Passwords()
        self.workers = Workers()
        self.extra_keys = ExtraKeys(self.store)
        self.measures = Measures(self.clock.now())
        self.renderings = Renderings(self.workers)
        self.login_limits = LoginLimits(self.clock, config.login_attempts)
        self.reset_limits = LoginLimits(self.clock, config.reset_attempts)
        self.browser_sign_ins = BrowserSignIns(self.clock)
        self.second_factors = SecondFactors(self.store, self.vault, self.clock)
        self.link_previews: dict[str, LinkPreview] = {}
        """Predefined website previews; the server never fetches pages."""
        self.large_pages = asyncio.Semaphore(_LARGE_PAGES)
        """Held while the rest of a large page of messages is encoded."""
        self.export_wanted = asyncio.Event()
        """Set when an export is pending."""
        self.callers: set[int] = set()
        """Ids of the users who have made authenticated requests since this server started."""
        self.presence_events: dict[tuple[int, bool], int] = {}
        """Times of the last presence events, in UTC seconds, by user id and whether the user was active."""
        self.arriving_bytes: Counter[int] = Counter()
        """Sizes of the forms with files that are being received, by user id."""
        self.generation = int(self.clock.now())
        self._settings: dict[str, object] | None = None
        self._pending: list[QueuedEvent] = []
        self._after_commit: list[Callable[[], None]] = []
        self._users_by_email: dict[str, int] | None = None

    # --- transactions and events ---------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction: all changes inside take effect together; their events are sent after the commit."""
        # No request awaits inside: another one would run in this transaction, and be undone with it.
        self._pending, self._after_commit = [], []
        changes = self.store.changes
        try:
            with self.store.transaction():
                yield
        except BaseException:  # also if it is cancelled: nothing of it may be sent or kept
            self._pending, self._after_commit = [], []
            if self.store.changes != changes:
                # Most requests are rejected before any change; then the in-memory records are still valid.
                self.forget()
            raise
        # Only behind the commit: no client may hear of what can still be undone, and a deleted file cannot come back.
        pending, self._pending = self._pending, []
        works, self._after_commit = self._after_commit, []
        self.hub.dispatch(pending)
        for work in works:
            try:
                work()
            except OSError:
                _log.exception("an action after a commit failed")

    async def until_durable(self, changes: int) -> None:
        """Returns once the changes would survive a machine crash: at once if there were none since `changes`,
        else after a flush.
        """
        if self.config.durable and self.store.changes != changes:
            await self.disk.flushed()

    def emit(
        self,
        event: Mapping[str, object],
        to: Iterable[int],
        *,
        per_user: Mapping[int, Mapping[str, object]] | None = None,
        public_channel: bool = False,
        local: tuple[str, str] | None = None,
    ) -> None:
        """Queues an event for the users in `to`.

        `per_user` holds fields that differ by user; `public_channel` also sends it to queues that asked for
        all public channels; `local` is (queue id, local id) of the sender.
        """
        assert self.store.in_transaction, "events belong to a transaction"
        self._pending.append(QueuedEvent(event, frozenset(to), per_user or {}, public_channel, local))

    def after_commit(self, work: Callable[[], None]) -> None:
        """Runs work that cannot be undone, such as deleting a file, once the transaction has been committed."""
        assert self.store.in_transaction, "there is nothing to wait for"
        self._after_commit.append(work)

    def forget(self) -> None:
        """Discards everything in memory that mirrors the store."""
        for directory in (self.users, self.channels, self.groups):
            directory.forget()
        self.memberships.forget()
        self._settings = None
        self.forget_addresses()

    # --- time and settings ---------------------------------------------------------------------------------

    def now(self) -> int:
        """The server's time in UTC seconds."""
        return int(self.clock.now())

    @property
    def settings(self) -> Mapping[str, object]:
        """The organization's settings, named as in registration but without `realm_`."""
        if self._settings is None:
            stored = {
                row["name"]: json.loads(row["value"]) for row in self.store.all("SELECT * FROM settings")
            }
            self._settings = {**DEFAULTS, **stored}
        return self._settings

    def set_settings(self, **values: object) -> None:
        """Stores settings of the organization; emits no events."""
        for name, value in values.items():
            self.store.execute(
                "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
                " WHERE value IS NOT excluded.value",
                name,
                json.dumps(value),
            )
        self._settings = None

    def setting(self, name: str, kind: type[T]) -> T:
        """The value of a setting of this type."""
        value = self.settings[name]
        assert isinstance(value, kind)
        return value

    @property
    def url(self) -> str:
        """The canonical address of the organization, without a trailing slash."""
        return self.config.url or "http://localhost"

    @property
    def level(self) -> int:
        """The feature level that this server emulates."""
        return self.config.level

    @property
    def empty_topic_name(self) -> str:
        """The display name of the empty topic."""
        return self.setting("empty_topic_display_name", str)

    # --- finding people ------------------------------------------------------------------------------------

    def forget_addresses(self) -> None:
        """Discards the address index; call this after changing an address."""
        self._users_by_email = None

    def user_by_address(self, address: str) -> User | None:
        """Looks up a user by real or API address, ignoring case."""
        if self._users_by_email is None:
            self._users_by_email = {}
            for user in self.users.all():
                self._users_by_email[self.dummy_address(user.id)] = user.id
                self._users_by_email[user.delivery_email.lower()] = user.id
        identity = self._users_by_email.get(address.strip().lower())
        return None if identity is None else self.users.get(identity)

    def dummy_address(self, user_id: int) -> str:
        """The API address of a user whose real one is hidden (USR-11)."""
        return f"user{user_id}@{self.setting('domain', str)}"

    def listening_ids(self) -> list[int]:
        """Ids of the active users who have an event queue now; events specific to a user are needed only for
        these.
        """
        return [identity for identity in self.user_ids() if self.hub.is_listening(identity)]

    def user_ids(self) -> list[int]:
        """Ids of the active users, who can have event queues."""
        return [user.id for user in self.users.all() if user.is_active]

    def close(self) -> None:
        """Ends all event queues, closes the store and releases the folder."""
        self.hub.close()
        self.disk.close()
        self.reader.close()
        self.store.close()
        self._lock.release()


def _opened(folder: Path, *, keys_stay_sealed: bool) -> tuple[Store, KeyVault]:
    """Opens the store and the vault, with every API key sealed for that; raises StoreError for an unusable database."""
    path = folder / DATABASE
    if path.is_file() and not path.stat().st_size and (folder / KEYS_FILE).exists():
        # The database is created before the secret.
        raise unusable(path, sqlite3.DatabaseError("the file is empty"))
    store = Store(path)
    if keys_stay_sealed:
        return store, ClosedVault()
    try:
        vault = KeyVault(folder)
        seal_stored_keys(store, vault)
    except BaseException as error:  # an open connection would keep the file locked
        store.connection.close()
        if isinstance(error, UNUSABLE):
            raise unusable(path, error) from error
        raise
    return store, vault
