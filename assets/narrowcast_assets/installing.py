"""How to install Narrowcast: from a checkout of its repository.

No package index has a package of this name: a command that names one would install whatever somebody registers under
it.
"""

from typing import Final

INSTALL: Final = "pipx install ."
"""The command that installs Narrowcast, in a checkout."""


def with_extra(extra: str) -> str:
    """How to install Narrowcast again with optional dependencies, for people who have installed it."""
    return f"in a checkout of Narrowcast: pipx install --force '.[{extra}]'"
