"""The facts in which two states of one account must agree, and their differences."""

from __future__ import annotations

from narrowcast_api.state.state import State


def facts(state: State) -> dict[str, object]:
    """The facts of a state; estimates of the server (traffic, recent activity) are left out."""
    unreads = state.unreads
    return {
        "users": {user.user_id: user for user in state.users},
        "muted": set(state.users.muted),
        "alert words": sorted(state.users.alert_words),
        "statuses": dict(state.statuses.items()),
        "channels": {
            channel.channel_id: channel._replace(weekly_traffic=None, is_recently_active=True)
            for channel in state.channels
        },
        "default channels": state.channels.default_ids,
        "folders": {folder.id: folder for folder in state.channels.folders},
        "default channel groups": state.default_channel_groups.all(),
        "policies": {(i, topic.lower(), policy) for i, topic, policy in state.topics.policies()},
        "groups": {group.id: group for group in state.user_groups},
        "unread": {message_id: unreads.place(message_id) for message_id in unreads},
        "unread mentions": set(unreads.mentions),
        "unread counts": (unreads.count_all(), unreads.count_directs()),
        "starred": state.starred,
        "direct conversations": {others: state.directs.newest(others) for others in state.directs.recent()},
        "settings": dict(state.settings.items()),
        "organization": dict(state.organization.items()),
        "newcomers": dict(state.newcomers.items()),
        "limits": state.limits,
        "server": state.server,
        "drafts": {draft.id: draft for draft in state.drafts},
        "scheduled": {message.id: message for message in state.scheduled_messages},
        "reminders": {reminder.id: reminder for reminder in state.reminders},
        "snippets": {snippet.id: snippet for snippet in state.saved_snippets},
        "linkifiers": state.linkifiers.all(),
        "playgrounds": state.playgrounds.all(),
        "emoji": {emoji.code: emoji for emoji in state.custom_emoji},
        "profile fields": state.profile_fields.all(),
        "managed bots": {bot.user_id: bot for bot in state.managed_bots},
        "navigation views": {view.fragment: view for view in state.navigation_views},
    }


def differences(mine: dict[str, object], fresh: dict[str, object]) -> dict[str, object]:
    """The differences of two sets of facts: (from events, from a snapshot), per fact and entry."""
    found: dict[str, object] = {}
    for name, one in mine.items():
        other = fresh[name]
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            keys = [key for key in {*one, *other} if one.get(key) != other.get(key)]
            found[name] = {key: (one.get(key), other.get(key)) for key in keys}
        else:
            found[name] = (one, other)
    return found
