"""Events about the user's own data (drafts, schedules, snippets, settings) and about the organization."""

from __future__ import annotations

from msgspec.structs import replace

from narrowcast_api.resources import (
    attachments,
    custom_emoji,
    drafts,
    linkifiers,
    navigation_views,
    playgrounds,
    reminders,
    saved_snippets,
    scheduled_messages,
)
from narrowcast_api.resources.exports import RealmExportEvent
from narrowcast_api.resources.invites import InvitesChangedEvent
from narrowcast_api.resources.linkifiers import RealmFiltersEvent, read_filters
from narrowcast_api.resources.profile_fields import CustomProfileFieldsEvent
from narrowcast_api.state.changes import (
    Change,
    CustomEmojiChanged,
    DraftsChanged,
    LinkifiersChanged,
    PresenceChanged,
    ProfileFieldsChanged,
    SavedSnippetsChanged,
    ScheduledMessagesChanged,
    SettingsChanged,
    UsersChanged,
)
from narrowcast_api.state.handlers import Handlers
from narrowcast_api.state.settings import changed_limits
from narrowcast_api.state.state import State
from narrowcast_api.wire.events import (
    HasWebexTokenEvent,
    LegacySettingEvent,
    RealmDomainsAddEvent,
    RealmDomainsRemoveEvent,
    RealmUpdateDictEvent,
    RealmUpdateEvent,
    RealmUserSettingsDefaultsEvent,
    UserSettingsEvent,
)
from narrowcast_api.wire.levels import Gate

handlers = Handlers()
handlers.include(saved_snippets.handlers, lambda state: state.saved_snippets, SavedSnippetsChanged())
handlers.include(reminders.handlers, lambda state: state.reminders, ScheduledMessagesChanged())
handlers.include(drafts.handlers, lambda state: state.drafts, DraftsChanged())
handlers.include(
    scheduled_messages.handlers, lambda state: state.scheduled_messages, ScheduledMessagesChanged()
)
handlers.include(custom_emoji.handlers, lambda state: state.custom_emoji, CustomEmojiChanged())
handlers.include(linkifiers.handlers, lambda state: state.linkifiers, LinkifiersChanged())
handlers.include(playgrounds.handlers, lambda state: state.playgrounds, LinkifiersChanged())
handlers.include(
    navigation_views.handlers, lambda state: state.navigation_views, SettingsChanged(("navigation_views",))
)
handlers.include(attachments.handlers, lambda state: state.attachments, SettingsChanged(("attachments",)))


@handlers.of(HasWebexTokenEvent)
def _webex_login(state: State, event: HasWebexTokenEvent) -> tuple[Change, ...]:
    state.offers = state.offers._replace(webex_login=event.value)
    return ()


@handlers.of(UserSettingsEvent)
def _user_setting(state: State, event: UserSettingsEvent) -> tuple[Change, ...]:
    state.settings.put(event.property, event.value)
    if event.property == "enable_drafts_synchronization" and event.value is False:
        state.drafts.replace(())  # the server deletes them, without further events
        return (SettingsChanged((event.property,)), DraftsChanged())
    if event.property == "presence_enabled":
        return (SettingsChanged((event.property,)), PresenceChanged((state.me,)))
    return (SettingsChanged((event.property,)),)


@handlers.of(LegacySettingEvent)
def _legacy_setting(state: State, event: LegacySettingEvent) -> tuple[Change, ...]:
    state.settings.put(event.property, event.setting)
    return (SettingsChanged((event.property,)),)


@handlers.of(RealmUserSettingsDefaultsEvent)
def _newcomer_setting(state: State, event: RealmUserSettingsDefaultsEvent) -> tuple[Change, ...]:
    state.newcomers.put(event.property, event.value)
    return (SettingsChanged((event.property,)),)


@handlers.of(RealmUpdateEvent)
def _organization_setting(state: State, event: RealmUpdateEvent) -> tuple[Change, ...]:
    return _organization_settings(state, event.changes())


@handlers.of(RealmUpdateDictEvent)
def _organization_dict(state: State, event: RealmUpdateDictEvent) -> tuple[Change, ...]:
    return _organization_settings(state, event.changes())


def _organization_settings(state: State, values: dict[str, object]) -> tuple[Change, ...]:
    for setting, value in values.items():
        state.organization.put(setting, value)
    state.limits = changed_limits(state.limits, values)
    organization = state.organization
    state.server = replace(state.server, name=organization.text("name", state.server.name))
    return (SettingsChanged(tuple(values)),)


@handlers.of(RealmFiltersEvent)
def _filters(state: State, event: RealmFiltersEvent) -> tuple[Change, ...]:
    # TODO(server-54): before, this was the only event about linkifiers; since, `realm_linkifiers` is.
    if state.supports(Gate.LINKIFIER_OBJECTS):
        return ()
    state.linkifiers.replace(read_filters(event.realm_filters))
    return (LinkifiersChanged(),)


@handlers.of(CustomProfileFieldsEvent)
def _profile_fields(state: State, event: CustomProfileFieldsEvent) -> tuple[Change, ...]:
    state.profile_fields.replace(event.fields)
    changed = state.users.keep_profile_fields({field.id for field in event.fields})
    return (ProfileFieldsChanged(), UsersChanged(changed)) if changed else (ProfileFieldsChanged(),)


@handlers.of(InvitesChangedEvent)
def _invites(state: State, event: InvitesChangedEvent) -> tuple[Change, ...]:
    return (SettingsChanged(("invites",)),)


@handlers.of(RealmDomainsAddEvent)
def _domain_added(state: State, event: RealmDomainsAddEvent) -> tuple[Change, ...]:
    """The domains are not in the state: screens that show them fetch them again."""
    return (SettingsChanged(("domains",)),)


@handlers.of(RealmDomainsRemoveEvent)
def _domain_removed(state: State, event: RealmDomainsRemoveEvent) -> tuple[Change, ...]:
    return (SettingsChanged(("domains",)),)


@handlers.of(RealmExportEvent)
def _exports(state: State, event: RealmExportEvent) -> tuple[Change, ...]:
    return (SettingsChanged(("exports",)),)
