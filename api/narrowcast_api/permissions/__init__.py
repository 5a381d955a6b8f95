"""Who may do what, said before anything is typed: the rules of roles and permissions as far as the state tells.

The server has the last word. Each rule gives a `Refusal`: empty for who may, else a sentence that says who may.
"""

from narrowcast_api.permissions.channels import (
    administers,
    channel_refusal,
    channel_write_refusal,
    direct_refusal,
    topic_refusal,
    topics_policy,
    topics_policy_refusal,
    write_refusal,
)
from narrowcast_api.permissions.groups import (
    group_refusal,
    manages_all_groups,
    named_groups,
    possible_holders,
)
from narrowcast_api.permissions.messages import (
    delete_refusal,
    edit_refusal,
    edit_seconds_left,
    move_channel_refusal,
    move_topic_refusal,
    resolve_refusal,
)
from narrowcast_api.permissions.refusal import ALLOWED, Refusal
from narrowcast_api.permissions.roles import (
    ROLE_NAMES,
    below,
    group_name,
    holders,
    is_administrator,
    is_owner,
    leaving_refusal,
    level_needed,
    may_administer,
    may_deactivate,
    only_administrators,
    only_holders,
    only_members,
    only_owners,
    role_name,
    role_of,
    roles_to_give,
)
from narrowcast_api.permissions.settings import bot_refusal, bot_types, organization_refusal, summary_refusal

__all__ = [
    "ALLOWED",
    "ROLE_NAMES",
    "Refusal",
    "administers",
    "below",
    "bot_refusal",
    "bot_types",
    "channel_refusal",
    "channel_write_refusal",
    "delete_refusal",
    "direct_refusal",
    "edit_refusal",
    "edit_seconds_left",
    "group_name",
    "group_refusal",
    "holders",
    "is_administrator",
    "is_owner",
    "leaving_refusal",
    "level_needed",
    "manages_all_groups",
    "may_administer",
    "may_deactivate",
    "move_channel_refusal",
    "move_topic_refusal",
    "named_groups",
    "only_administrators",
    "only_holders",
    "only_members",
    "only_owners",
    "organization_refusal",
    "possible_holders",
    "resolve_refusal",
    "role_name",
    "role_of",
    "roles_to_give",
    "summary_refusal",
    "topic_refusal",
    "topics_policy",
    "topics_policy_refusal",
    "write_refusal",
]
