"""The user's own command for notifications: a list of arguments, run without a shell, limited in number and time."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from narrowcast.terminal.processes import kill, start
from narrowcast_api.tasks import Tasks

if TYPE_CHECKING:
    from narrowcast_api.protocols.notifications import Notice

__all__ = ["PLACEHOLDERS", "CommandRunner", "arguments_of", "check_command", "command_values"]

PLACEHOLDERS = ("title", "body", "sender", "place", "reason", "count")
"""Names that may be in braces in an argument."""
PATIENCE = 10.0
"""Seconds after which a command is killed."""
MAX_AT_ONCE = 4
"""Maximum number of commands running at the same time; further notifications are skipped."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")

log = logging.getLogger(__name__)


def check_command(command: Sequence[str]) -> None:
    """Raises ValueError for an invalid command."""
    if not command:
        return
    if not command[0].strip():
        raise ValueError("the first argument is the program, and it is empty")
    if _PLACEHOLDER.search(command[0]):
        raise ValueError("the program cannot be a placeholder")
    for argument in command:
        if "\0" in argument:
            raise ValueError("an argument has a null character in it")
        for name in _PLACEHOLDER.findall(argument):
            if name not in PLACEHOLDERS:
                known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
                raise ValueError(f"{{{name}}} is not a placeholder; there are {known}")


def arguments_of(command: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The arguments with their placeholders filled in.

    An argument that begins with a placeholder never begins with a dash: a text of another user must not
    become an option.
    """
    filled = [command[0]]
    for argument in command[1:]:
        text = _PLACEHOLDER.sub(lambda match: values.get(match[1], ""), argument).replace("\0", "")
        filled.append(f" {text}" if text.startswith("-") and not argument.startswith("-") else text)
    return filled


def command_values(notice: Notice, *, title: str, body: str, count: int) -> dict[str, str]:
    """The values of the placeholders."""
    return {
        "title": title,
        "body": body,
        "sender": notice.sender,
        "place": notice.place,
        "reason": notice.reason.value,
        "count": str(count),
    }


class CommandRunner:
    """Runs one configured command per notification."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._tasks = Tasks()

    def start(self, values: Mapping[str, str]) -> None:
        """Runs the command in the background; errors are logged."""
        if not self._command or len(self._tasks) >= MAX_AT_ONCE:
            return
        self._tasks.start(self._run(arguments_of(self._command, values)), "run the command for notices")

    async def close(self) -> None:
        await self._tasks.close()

    async def _run(self, arguments: Sequence[str]) -> None:
        program = shutil.which(arguments[0])
        if program is None:
            log.warning("the command for notices is not there: %s", arguments[0])
            return
        nowhere = asyncio.subprocess.DEVNULL
        try:
            process = await start(
                program, *arguments[1:], stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
            )
        except (OSError, ValueError) as error:
            log.warning("the command for notices did not start: %s", error)
            return
        try:
            async with asyncio.timeout(PATIENCE):
                code = await process.wait()
            if code:
                log.warning("the command for notices ended with %d", code)
        except TimeoutError:
            log.warning("the command for notices took longer than %.0f s and was ended", PATIENCE)
        finally:
            await kill(process)
