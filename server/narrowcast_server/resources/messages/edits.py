"""Editing the text of messages."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from narrowcast_server.markdown import RenderedMarkdown
from narrowcast_server.organization import flags
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import FlagBit, Message, User
from narrowcast_server.queries.rendering import rendered
from narrowcast_server.resources.messages.changes import add_history, stored
from narrowcast_server.resources.messages.sending import check_content, mention_bits
from narrowcast_server.rules.messages import check_mentions, check_wildcards
from narrowcast_server.uploads.attachments import claim_attachments, release_attachments

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_DELETED: Final = "(deleted)"
_FROM_TEXT: Final = int(flags.MENTIONS | FlagBit.ALERT_WORD)


def check_base(message: Message, prev_content_sha256: str | None) -> None:
    """Raises EXPECTATION_MISMATCH if the edit is based on another text than the current one."""
    if prev_content_sha256 is None:
        return
    if hashlib.sha256(message.content.encode()).hexdigest() != prev_content_sha256.lower():
        raise ServiceError(
            "'prev_content_sha256' value does not match the expected value.",
            "EXPECTATION_MISMATCH",
            field_name="prev_content_sha256",
        )


def edit_content(organization: Organization, user: User, message: Message, content: str) -> dict[str, object]:
    """Stores a new text, with its mentions; returns the fields with the texts for `update_message`."""
    content = check_content(organization, content if content.strip() else _DELETED)
    rendering = rendered(organization, user, content)
    check_mentions(rendering)
    if message.channel_id is not None:
        check_wildcards(organization, user, organization.channels[message.channel_id], rendering)
    now = organization.now()
    add_history(
        organization,
        message,
        {
            "user_id": user.id,
            "timestamp": now,
            "prev_content": message.content,
            "prev_rendered_content": message.rendered,
            "prev_rendered_content_version": 1,
        },
        content=content,
        rendered=rendering.html,
        last_edited=now,
        is_me=int(rendering.is_me_message),
        has_link=int(rendering.has_link),
        has_image=int(rendering.has_image),
        has_attachment=int(rendering.has_attachment),
    )
    organization.store.execute("UPDATE message_words SET content = ? WHERE rowid = ?", content, message.id)
    changed = stored(organization, message.id)
    # In this order, since the author may be able to open an upload only by the link in this very message.
    claim_attachments(organization, user, changed, rendering.attachments)
    release_attachments(organization, changed, rendering.attachments)
    _mention_anew(organization, changed, rendering)
    before = {"orig_content": message.content, "orig_rendered_content": message.rendered}
    return {
        **(before if organization.settings["message_edit_history_visibility_policy"] == "all" else {}),
        "content": content,
        "rendered_content": rendering.html,
        "is_me_message": rendering.is_me_message,
    }


def _mention_anew(organization: Organization, message: Message, rendering: RenderedMarkdown) -> None:
    """Replaces the flags that follow from the text (FLG-10)."""
    people = set(
        organization.store.integers("SELECT user_id FROM user_messages WHERE message_id = ?", message.id)
    )
    bits = mention_bits(organization, message, rendering, people)
    organization.store.execute(
        "UPDATE user_messages SET flags = flags & ~ ? WHERE message_id = ?", _FROM_TEXT, message.id
    )
    organization.store.execute_many(
        "UPDATE user_messages SET flags = flags | ? WHERE user_id = ? AND message_id = ?",
        [(int(bit), user_id, message.id) for user_id, bit in bits.items()],
    )
