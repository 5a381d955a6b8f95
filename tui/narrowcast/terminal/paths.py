"""The folders for files: those of the platform, or one folder for a demo that leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct


class Paths(Struct, frozen=True):
    """The folders of this installation. XDG_* variables are respected; nothing is created here."""

    config: Path
    """``config.toml`` and ``accounts/*.zuliprc``."""
    data: Path
    """Data that must not be lost: the journal of drafts and unsent messages."""
    cache: Path
    """Data that can be fetched again."""
    state: Path
    """The folder of the log file."""

    @classmethod
    def of_user(cls) -> Paths:
        """The folders of the user who runs the program."""
        from platformdirs import PlatformDirs

        dirs = PlatformDirs("narrowcast", appauthor=False)
        return cls(dirs.user_config_path, dirs.user_data_path, dirs.user_cache_path, Path(dirs.user_log_path))

    @classmethod
    def under(cls, folder: Path) -> Paths:
        """Everything below ``folder``."""
        return cls(folder / "config", folder / "data", folder / "cache", folder / "log")

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def accounts(self) -> Path:
        return self.config / "accounts"

    @property
    def log_file(self) -> Path:
        return self.state / "narrowcast.log"
