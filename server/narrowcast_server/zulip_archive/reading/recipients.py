"""Recipients of messages: channels, and direct conversations by their members."""

from __future__ import annotations

from collections import defaultdict

from narrowcast_server.resources.messages.sending import conversation_of
from narrowcast_server.zulip_archive.numbers import RecipientType
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow


class RecipientReader:
    """Resolves the recipients of an archive by id."""

    def __init__(self, intake: Intake) -> None:
        self._organization = intake.organization
        self.channels: dict[int, int] = {}
        """Our ids of channels by the ids of their recipients."""
        self._people: dict[int, int] = {}
        self._groups: dict[int, set[int]] = {}
        self._conversations: dict[tuple[int, int], int] = {}
        for row in intake.rows("zerver_recipient"):
            self._read(intake, row)
        for row in intake.rows("zerver_userprofile_crossrealm"):
            if row.has("recipient_id"):
                self._people[row.integer("recipient_id")] = row.reference("id", intake.users)
        members: dict[int, set[int]] = defaultdict(set)
        for row in intake.rows("zerver_subscription"):
            recipient_id = row.integer("recipient")
            if recipient_id in self._groups:
                members[recipient_id].add(row.reference("user_profile", intake.users))
            elif recipient_id not in self.channels and recipient_id not in self._people:
                row.fault(f"recipient is {recipient_id}, which is not in the archive")
        self._groups = {recipient_id: members[recipient_id] for recipient_id in self._groups}

    def _read(self, intake: Intake, row: ArchiveRow) -> None:
        identity = row.integer("id")
        if identity in self.channels or identity in self._people or identity in self._groups:
            row.fault("the id occurs twice")
        kind = row.one_of("type", tuple(RecipientType))
        if kind == RecipientType.CHANNEL:
            self.channels[identity] = row.reference("type_id", intake.channels)
        elif kind == RecipientType.PERSON:
            self._people[identity] = row.reference("type_id", intake.users)
        else:
            self._groups[identity] = set()

    def place(self, row: ArchiveRow, sender_id: int) -> tuple[int | None, int | None]:
        """(channel id, conversation id) of a message; one of them is None."""
        identity = row.integer("recipient")
        if identity in self.channels:
            return self.channels[identity], None
        return None, self.conversation(row, sender_id)

    def people(self, row: ArchiveRow, sender_id: int) -> set[int]:
        """The members of the direct conversation that a message belongs to."""
        identity = row.integer("recipient")
        if identity in self._people:
            return {self._people[identity], sender_id}
        if identity not in self._groups:
            row.fault(f"recipient is {identity}, which is not in the archive")
        return self._groups[identity] | {sender_id}

    def conversation(self, row: ArchiveRow, sender_id: int) -> int:
        """The direct conversation of a message, created if needed."""
        key = (row.integer("recipient"), sender_id)
        if key not in self._conversations:
            self._conversations[key] = conversation_of(self._organization, self.people(row, sender_id))
        return self._conversations[key]
