"""Operations that this server does not support: it responds like a Zulip server on which they are not configured."""

from __future__ import annotations

from narrowcast_server.http.params import (
    boolean,
    defaulted,
    natural,
    nullable,
    optional,
    required,
    string,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.narrow_terms import narrow
from narrowcast_server.rules.permissions import Callers

routes = Routes()

NARROW = optional("narrow", narrow)
MEETING = required("meeting_name", string)
ROOM = required("room_name", string)
VOICE_ONLY = defaulted("voice_only", boolean, False)
IS_VIDEO = defaulted("is_video_call", boolean, True)
DELETION_DELAY = optional("deletion_delay_days", nullable(natural))


@routes.get("/messages/summary", NARROW)
def summarize(call: Call) -> ResponseBody:
    """Needs a language model, which this server does not have."""
    raise ServiceError("AI features are not enabled on this server.")


@routes.get("/calls/bigbluebutton/create", MEETING, VOICE_ONLY)
def create_bigbluebutton_call(call: Call) -> ResponseBody:
    """Needs a server for video calls, which this server does not have."""
    raise ServiceError("BigBlueButton is not configured.")


@routes.post("/calls/zoom/create", IS_VIDEO)
def create_zoom_call(call: Call) -> ResponseBody:
    raise ServiceError("Zoom credentials have not been configured")


@routes.post("/calls/constructorgroups/create")
def create_constructor_groups_call(call: Call) -> ResponseBody:
    raise ServiceError("Constructor Groups is not configured.")


@routes.post("/calls/nextcloud_talk/create", ROOM)
def create_nextcloud_talk_call(call: Call) -> ResponseBody:
    raise ServiceError("Nextcloud Talk is not configured.")


@routes.post("/calls/webex/create")
def create_webex_call(call: Call) -> ResponseBody:
    raise ServiceError("Webex credentials have not been configured")


@routes.post("/realm/deactivate", DELETION_DELAY, callers=Callers.OWNERS)
def deactivate_organization(call: Call) -> ResponseBody:
    """Not possible, since the server serves only this organization."""
    raise ServiceError("This server is for one organization: its operator can stop it.")


def _refuse_push(call: Call) -> ResponseBody:
    """Needs a service that reaches phones, which this server does not have."""
    raise ServiceError(
        "Server is not configured to use push notification service.", "PUSH_SERVICE_NOT_CONFIGURED"
    )


for _method, _path in (
    ("POST", "/mobile_push/register"),
    ("POST", "/mobile_push/test_notification"),
    ("POST", "/mobile_push/e2ee/test_notification"),
    ("POST", "/users/me/apns_device_token"),
    ("DELETE", "/users/me/apns_device_token"),
    ("POST", "/users/me/android_gcm_reg_id"),
    ("DELETE", "/users/me/android_gcm_reg_id"),
):
    routes.add(_method, _path, accepts_anything=True)(_refuse_push)
