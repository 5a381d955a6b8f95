"""Hints for new users, which clients show once (outside the contract)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.http.params import required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.permissions import Callers

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

STEPS: Final = (
    "visibility_policy_banner",
    "intro_inbox_view_modal",
    "intro_recent_view_modal",
    "first_stream_created_banner",
    "jump_to_conversation_banner",
    "non_interleaved_view_messages_fading",
    "interleaved_view_messages_fading",
    "intro_resolve_topic",
    "navigation_tour_video",
)
"""Hints that clients show once."""


def steps_of(organization: Organization, user: User) -> list[dict[str, object]]:
    """The hints that a user has not seen yet; none for bots."""
    if user.is_bot:
        return []
    seen = set(organization.store.strings("SELECT step FROM onboarding_steps WHERE user_id = ?", user.id))
    return [{"type": "one_time_notice", "name": step} for step in STEPS if step not in seen]


def mark_step(organization: Organization, user: User, step: str) -> None:
    """Stores that the user has seen a hint, so that their other clients need not show it."""
    if step not in STEPS:
        raise ServiceError(f"Unknown onboarding_step: {step}")
    organization.store.execute("INSERT OR IGNORE INTO onboarding_steps VALUES (?, ?)", user.id, step)
    organization.emit(
        {"type": "onboarding_steps", "onboarding_steps": steps_of(organization, user)}, [user.id]
    )


@part("onboarding_steps")
def onboarding_steps(request: Snapshot) -> dict[str, object]:
    """The hints that the caller has not seen."""
    return {
        "navigation_tour_video_url": None,
        "onboarding_steps": steps_of(request.organization, request.user),
    }


routes = Routes()

STEP = required("onboarding_step", text_without_null)


@routes.post("/users/me/onboarding_steps", STEP, callers=Callers.PEOPLE)
def post_step(call: Call) -> ResponseBody:
    mark_step(call.organization, call.user, call[STEP])
    return {}
