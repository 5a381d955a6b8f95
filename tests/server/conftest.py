"""Fixtures that several files of these tests share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from narrowcast_server.zulip_archive.layout import COMPLETE_LEVEL, NEWEST_LEVEL, TargetServer
from narrowcast_server.zulip_archive.reading.archive import read_archive
from narrowcast_server.zulip_archive.writing.archive import write_archive
from support.archives import quiet

# --- archives of Zulip ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def odd_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with something of every kind that an organization can have; read-only."""
    from support import odd_world

    folder = tmp_path_factory.mktemp("odd") / "data"
    odd_world.make(folder)
    return folder


@pytest.fixture(scope="session")
def odd_archive(odd_data: Path) -> Path:
    """The archive of `odd_data`."""
    target = odd_data.parent / "archive.tar.gz"
    write_archive(odd_data, target, server=TargetServer(COMPLETE_LEVEL), say=quiet)
    return target


@pytest.fixture(scope="session")
def back_at(odd_data: Path) -> Callable[[int], Path]:
    """The folder imported from an archive of `odd_data` for a server of a level; made once per level."""

    @cache
    def back(level: int) -> Path:
        target, folder = odd_data.parent / f"{level}.tar", odd_data.parent / f"back-{level}"
        write_archive(odd_data, target, server=TargetServer(level), say=quiet)
        read_archive(target, folder, say=quiet)
        return folder

    return back


@pytest.fixture(params=[COMPLETE_LEVEL, NEWEST_LEVEL])
def odd_back(back_at: Callable[[int], Path], request: pytest.FixtureRequest) -> Path:
    """The folder imported from an archive of `odd_data`, for both archive layouts; read-only."""
    return back_at(request.param)
