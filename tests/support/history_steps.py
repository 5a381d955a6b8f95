"""The steps of random histories: each is a function of the history, a user name and two numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from support.histories import History

CHANNELS = ("general", "engineering", "design", "operations", "leads", "support", "new")
TOPICS = ("soup", "Soup", "stew", "✔ soup", "")
TEXTS = (
    "hello",
    "@**Dario Vance** look",
    "@**all** hear",
    "**bold** :tada:",
    "/me waves",
    "/poll Lunch?\nsoup\nstew",
    "@*cooks* soup",
)
REALM_PERMISSIONS = {
    "can_create_public_channel_group": "role:members",
    "can_delete_own_message_group": "role:everyone",
    "can_move_messages_between_topics_group": "role:everyone",
    "can_mention_many_users_group": "role:administrators",
    "can_set_delete_message_policy_group": "role:moderators",
}
"""Permissions that steps change, with their initial holders."""

Option = TypeVar("Option")


def pick(options: Sequence[Option], number: int) -> Option:
    """Returns one of the options."""
    return options[number % len(options)]


async def send_channel(h: History, who: str, where: int, what: int) -> None:
    topic, text = pick(TOPICS, what // 7), pick(TEXTS, what)
    response = await h.do(
        who, "POST", "/messages", type="stream", to=h.channel(where), topic=topic, content=text
    )
    h.messages += [response["id"]] if response else []


async def send_direct(h: History, who: str, where: int, what: int) -> None:
    people = sorted({h.person(where), h.person(where // 7)} if what % 2 else {h.person(where)})
    response = await h.do(who, "POST", "/messages", type="private", to=people, content=pick(TEXTS, what))
    h.messages += [response["id"]] if response else []


async def edit(h: History, who: str, where: int, what: int) -> None:
    await h.do(who, "PATCH", f"/messages/{h.message(where)}", content=pick(TEXTS, what))


async def move_topic(h: History, who: str, where: int, what: int) -> None:
    mode = pick(("change_one", "change_later", "change_all"), what)
    await h.do(
        "ada", "PATCH", f"/messages/{h.message(where)}", topic=pick(TOPICS, what // 3), propagate_mode=mode
    )


async def move_channel(h: History, who: str, where: int, what: int) -> None:
    mode = pick(("change_one", "change_later", "change_all"), what)
    path = f"/messages/{h.message(where)}"
    await h.do("ada", "PATCH", path, stream_id=h.channel(what // 3), propagate_mode=mode)


async def delete_message(h: History, who: str, where: int, what: int) -> None:
    await h.do("ada", "DELETE", f"/messages/{h.message(where)}")


async def delete_topic(h: History, who: str, where: int, what: int) -> None:
    path = f"/streams/{h.channel(where)}/delete_topic"
    await h.do("ada", "POST", path, topic_name=pick(TOPICS, what))


async def react(h: History, who: str, where: int, what: int) -> None:
    path, name = f"/messages/{h.message(where)}/reactions", pick(("tada", "smile"), what)
    await h.do(who, "DELETE" if what % 5 == 4 else "POST", path, emoji_name=name)


async def flag(h: History, who: str, where: int, what: int) -> None:
    messages = sorted({h.message(where), h.message(where // 3)})
    op, name = pick(("add", "add", "remove"), what), pick(("read", "starred", "collapsed"), what // 3)
    await h.do(who, "POST", "/messages/flags", messages=messages, op=op, flag=name)


async def read_all(h: History, who: str, where: int, what: int) -> None:
    paths: list[tuple[str, dict[str, object]]] = [
        ("/mark_all_as_read", {}),
        ("/mark_stream_as_read", {"stream_id": h.channel(where)}),
        ("/mark_topic_as_read", {"stream_id": h.channel(where), "topic_name": pick(TOPICS, what)}),
    ]
    path, params = pick(paths, what)
    await h.do(who, "POST", path, **params)


async def topic_policy(h: History, who: str, where: int, what: int) -> None:
    await h.do(
        who,
        "POST",
        "/user_topics",
        stream_id=h.channel(where),
        topic=pick(TOPICS, what),
        visibility_policy=what // 5 % 4,
    )


async def own_channel_setting(h: History, who: str, where: int, what: int) -> None:
    name, value = pick(
        (("is_muted", what % 2 == 0), ("pin_to_top", what % 2 == 0), ("color", "#123456")), what
    )
    data = [{"stream_id": h.channel(where), "property": name, "value": value}]
    await h.do(who, "POST", "/users/me/subscriptions/properties", subscription_data=data)


async def subscribe(h: History, who: str, where: int, what: int) -> None:
    subscriptions = [{"name": pick(CHANNELS, where)}]
    more = {"principals": [h.person(what // 2)]} if what % 2 else {}
    await h.do(who, "POST", "/users/me/subscriptions", subscriptions=subscriptions, **more)


async def unsubscribe(h: History, who: str, where: int, what: int) -> None:
    more = {"principals": [h.person(what // 2)]} if what % 2 else {}
    await h.do(who, "DELETE", "/users/me/subscriptions", subscriptions=[pick(CHANNELS, where)], **more)


async def channel_permission(h: History, who: str, where: int, what: int) -> None:
    name = pick(
        (
            "can_administer_channel_group",
            "can_add_subscribers_group",
            "can_remove_subscribers_group",
            "can_subscribe_group",
        ),
        what,
    )
    members = {"direct_members": sorted({h.person(where), h.person(what)}), "direct_subgroups": []}
    new = pick((members, h.server.group("role:moderators"), h.server.group("role:nobody")), where)
    by = pick(("ada", "bruno", who), where)
    await h.do(by, "PATCH", f"/streams/{h.channel(what)}", **{name: {"new": new}})


async def realm_permission(h: History, who: str, where: int, what: int) -> None:
    new = pick(("role:moderators", "role:members", "role:everyone"), where)
    await h.do(
        "ada", "PATCH", "/realm", **{pick(list(REALM_PERMISSIONS), what): {"new": h.server.group(new)}}
    )


async def default_channel(h: History, who: str, where: int, what: int) -> None:
    await h.do("bruno", pick(("POST", "DELETE"), what), "/default_streams", stream_id=h.channel(where))


async def change_channel(h: History, who: str, where: int, what: int) -> None:
    changes: list[dict[str, object]] = [
        {"description": f"*{what}*"},
        {"is_private": True, "history_public_to_subscribers": what % 2 == 0},
        {"is_private": False},
        {"can_send_message_group": {"new": h.server.group("role:moderators")}},
        {"message_retention_days": what + 1},
        {"is_archived": True},
        {"is_archived": False},
        {"is_default_stream": what % 2 == 0},
    ]
    channel_id = h.channel(where)
    if what % 9 == 8:
        await h.do("ada", "DELETE", f"/streams/{channel_id}")
    else:
        await h.do("ada", "PATCH", f"/streams/{channel_id}", **pick(changes, what))


async def group(h: History, who: str, where: int, what: int) -> None:
    if what % 4 == 0 or "group" not in h.made:
        members = sorted({h.person(where), h.person(where // 7), h.server.id("farid")})
        await h.make(
            "group", "ada", "/user_groups/create", "group_id", name="cooks", description="d", members=members
        )
        return
    _, group_id = h.one("group", where)
    person = h.person(where)
    changes: list[tuple[str, str, dict[str, object]]] = [
        ("POST", f"/user_groups/{group_id}/members", {"add": [person]}),
        ("POST", f"/user_groups/{group_id}/members", {"delete": [person]}),
        ("PATCH", f"/user_groups/{group_id}", {"name": f"cooks {what}"}),
        ("PATCH", f"/user_groups/{group_id}", {"can_mention_group": {"new": h.server.group("role:members")}}),
        ("POST", f"/user_groups/{group_id}/subgroups", {"add": [h.server.group("role:moderators")]}),
        ("POST", f"/user_groups/{group_id}/deactivate", {}),
    ]
    method, path, params = pick(changes, what)
    await h.do("ada", method, path, **params)


async def person(h: History, who: str, where: int, what: int) -> None:
    somebody = h.server.id(pick(("elif", "farid", "greta", "dario"), where))
    changes: list[tuple[str, str, dict[str, object]]] = [
        ("PATCH", f"/users/{somebody}", {"role": pick((300, 400, 200), what)}),
        ("DELETE", f"/users/{h.server.id('farid')}", {}),
        ("POST", f"/users/{h.server.id('farid')}/reactivate", {}),
        ("PATCH", f"/users/{h.server.id('farid')}", {"full_name": f"Farid {what}"}),
        ("POST", f"/users/{h.server.id('farid')}/reactivate", {}),
    ]
    method, path, params = pick(changes, what)
    await h.do("ada", method, path, **params)


async def status(h: History, who: str, where: int, what: int) -> None:
    changes = ({"status_text": "busy"}, {"status_text": ""}, {"emoji_name": "tada"}, {"emoji_name": ""})
    await h.do(who, "POST", "/users/me/status", **pick(changes, what))


async def change_or_delete(
    h: History, kind: str, path: str, where: int, what: int, **changes: object
) -> None:
    """Changes or deletes one of the registered objects, as its creator."""
    owner, made_id = h.one(kind, where)
    if what % 3 == 1:
        await h.do(owner, "PATCH", f"{path}/{made_id}", **changes)
    else:
        await h.do(owner, "DELETE", f"{path}/{made_id}")


async def draft(h: History, who: str, where: int, what: int) -> None:
    content = {"type": "stream", "to": [h.channel(where)], "topic": "soup", "content": f"draft {what}"}
    if what % 3 == 0 or "draft" not in h.made:
        await h.make("draft", who, "/drafts", "ids", drafts=[content])
        return
    await change_or_delete(h, "draft", "/drafts", where, what, draft=content)


async def scheduled(h: History, who: str, where: int, what: int) -> None:
    later = int(h.server.now()) + 86_400
    if what % 3 == 0 or "scheduled" not in h.made:
        await h.make(
            "scheduled",
            who,
            "/scheduled_messages",
            "scheduled_message_id",
            type="stream",
            to=h.channel(where),
            topic="soup",
            content=f"later {what}",
            scheduled_delivery_timestamp=later,
        )
        return
    await change_or_delete(h, "scheduled", "/scheduled_messages", where, what, content=f"changed {what}")


async def snippet(h: History, who: str, where: int, what: int) -> None:
    if what % 3 == 0 or "snippet" not in h.made:
        await h.make("snippet", who, "/saved_snippets", "saved_snippet_id", title=f"t{what}", content="c")
        return
    await change_or_delete(h, "snippet", "/saved_snippets", where, what, title=f"t{what}")


async def own_setting(h: History, who: str, where: int, what: int) -> None:
    changes = (
        {"twenty_four_hour_time": what % 2 == 0},
        {"send_private_typing_notifications": what % 2 == 0},
        {"enable_drafts_synchronization": True},
    )
    await h.do(who, "PATCH", "/settings", **pick(changes, what))


async def mute_person(h: History, who: str, where: int, what: int) -> None:
    await h.do(who, "POST" if what % 2 else "DELETE", f"/users/me/muted_users/{h.person(where)}")


async def organization(h: History, who: str, where: int, what: int) -> None:
    _, field_id = h.one("field", where)
    changes: list[tuple[str, str, dict[str, object]]] = [
        (
            "PATCH",
            f"/realm/profile_fields/{field_id}",
            {"name": f"Changed {what}", "required": what % 2 == 0},
        ),
        ("DELETE", f"/realm/profile_fields/{field_id}", {}),
        ("PATCH", "/realm", {"name": f"Demo {what}"}),
        ("PATCH", "/realm", {"description": f"*{what}*"}),
        ("PATCH", "/realm", {"message_content_edit_limit_seconds": pick((600, "unlimited"), where)}),
        ("PATCH", "/realm", {"can_add_custom_emoji_group": {"new": h.server.group("role:moderators")}}),
        ("PATCH", "/realm/user_settings_defaults", {"enter_sends": where % 2 == 0}),
        ("POST", "/users/me/alert_words", {"alert_words": [f"word{what}"]}),
    ]
    if what % 3 == 0 or "field" not in h.made:
        params = {"field_type": pick((1, 2, 4, 5), where), "name": f"Field {what}"}
        await h.make("field", "ada", "/realm/profile_fields", "id", **params)
        return
    method, path, params = pick(changes, what)
    await h.do("ada", method, path, **params)


async def linkifier(h: History, who: str, where: int, what: int) -> None:
    pattern = {"pattern": f"#{what}(?P<id>[0-9]+)", "url_template": "https://x.example/{id}"}
    if what % 3 == 0 or "linkifier" not in h.made:
        await h.make("linkifier", "ada", "/realm/filters", "id", **pattern)
        return
    await change_or_delete(h, "linkifier", "/realm/filters", where, what, **pattern)


async def playground(h: History, who: str, where: int, what: int) -> None:
    if what % 3 or "playground" not in h.made:
        address = {"name": f"P{what}", "url_template": "https://p.example/{code}"}
        await h.make("playground", "ada", "/realm/playgrounds", "id", pygments_language="Python", **address)
        return
    _, made_id = h.one("playground", where)
    await h.do("ada", "DELETE", f"/realm/playgrounds/{made_id}")


async def profile_value(h: History, who: str, where: int, what: int) -> None:
    _, field_id = h.one("field", where)
    if what % 4 == 3:
        await h.do(who, "DELETE", "/users/me/profile_data", data=[field_id])
        return
    value = pick((f"value {what}", "2001-02-03", "https://x.example/"), what)
    await h.do(who, "PATCH", "/users/me/profile_data", data=[{"id": field_id, "value": value}])


async def folder(h: History, who: str, where: int, what: int) -> None:
    if what % 4 == 0 or "folder" not in h.made:
        await h.make(
            "folder", "ada", "/channel_folders/create", "channel_folder_id", name=f"F{what}", description="d"
        )
        return
    _, folder_id = h.one("folder", where)
    changes: list[dict[str, object]] = [
        {"name": f"G{what}"},
        {"is_archived": what % 2 == 0},
        {"description": "e"},
    ]
    if what % 4 == 1:
        await h.do("ada", "PATCH", f"/streams/{h.channel(where)}", folder_id=folder_id)
    else:
        await h.do("ada", "PATCH", f"/channel_folders/{folder_id}", **pick(changes, what))


async def reminder(h: History, who: str, where: int, what: int) -> None:
    later = int(h.server.now()) + 86_400
    if what % 2 == 0 or "reminder" not in h.made:
        path = "/reminders"
        await h.make(
            "reminder",
            who,
            path,
            "reminder_id",
            message_id=h.message(where),
            scheduled_delivery_timestamp=later,
        )
        return
    owner, reminder_id = h.one("reminder", where)
    await h.do(owner, "DELETE", f"/reminders/{reminder_id}")


async def bot(h: History, who: str, where: int, what: int) -> None:
    if what % 3 == 0 or "bot" not in h.made:
        await h.make("bot", who, "/bots", "user_id", full_name=f"Bot {what}", short_name=f"bot{what}")
        return
    await change_or_delete(h, "bot", "/bots", where, what, full_name=f"Bot the {what}.")


async def navigation_view(h: History, who: str, where: int, what: int) -> None:
    fragment = pick(("narrow/is/starred", "narrow/is/mentioned"), where)
    requests: list[tuple[str, str, dict[str, object]]] = [
        ("POST", "/navigation_views", {"fragment": fragment, "is_pinned": what % 2 == 0, "name": "V"}),
        ("PATCH", f"/navigation_views/{fragment}", {"is_pinned": what % 2 == 0}),
        ("DELETE", f"/navigation_views/{fragment}", {}),
    ]
    method, path, params = pick(requests, what)
    await h.do(who, method, path, **params)


async def vote(h: History, who: str, where: int, what: int) -> None:
    content = '{"type":"vote","key":"canned,0","vote":1}'
    await h.do(who, "POST", "/submessage", message_id=h.message(where), msg_type="widget", content=content)


async def new_channel(h: History, who: str, where: int, what: int) -> None:
    subscriptions = [{"name": "new", "description": "d"}]
    more = {"invite_only": what % 2 == 0, "principals": [h.person(where), h.person(where // 7)]}
    await h.do(who, "POST", "/users/me/subscriptions", subscriptions=subscriptions, **more)


STEPS: dict[str, Callable[[History, str, int, int], Any]] = {
    function.__name__: function
    for function in (
        send_channel,
        send_direct,
        edit,
        move_topic,
        move_channel,
        delete_message,
        delete_topic,
        react,
        flag,
        read_all,
        topic_policy,
        own_channel_setting,
        subscribe,
        unsubscribe,
        change_channel,
        channel_permission,
        realm_permission,
        default_channel,
        group,
        person,
        status,
        draft,
        scheduled,
        snippet,
        own_setting,
        mute_person,
        organization,
        linkifier,
        playground,
        vote,
        new_channel,
        profile_value,
        folder,
        reminder,
        bot,
        navigation_view,
    )
}
