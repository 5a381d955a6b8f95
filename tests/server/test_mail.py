"""Mail that the server sends, taken by a real SMTP server."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from narrowcast_server.actions.mail import due_letters, send_mail, settle
from narrowcast_server.actions.missed_mail import marks, tell_missed
from narrowcast_server.mail.letters import BadAddress, Letter, encoded, is_address
from narrowcast_server.mail.settings import MailSettings, Security
from narrowcast_server.mail.smtp import Fate, Outcome, apart, deliver
from narrowcast_server.operator.arguments import Fault
from narrowcast_server.operator.control import ask
from narrowcast_server.operator.server_file import NAME, ServerFileError, read
from narrowcast_server.organization.config import Config, Quotas
from narrowcast_server.serve import Options, ServeError, open_core
from support.clock import VirtualClock
from support.mailbox import Mailbox, mailbox
from support.server import TestServer, running_server
from support.tls import make_certificates

HOSTILE = "Team\r\nBcc: victim@example.com\r\n\r\n<b>\u202ehi"
LETTER = Letter(7, "dario@demo.example", "Hello", "A line\n\nAnother", 1_800_000_000)


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as open_box:
        yield open_box


@pytest.fixture
async def server(tmp_path: Path, box: Mailbox) -> AsyncIterator[TestServer]:
    """One that sends its mail to `box`."""
    async with running_server(tmp_path / "data", config=Config(mail=box.settings())) as running:
        yield running


async def sent(settings: MailSettings, *letters: Letter) -> list[Outcome]:
    messages = [encoded(letter, "Demo", settings.sender) for letter in letters]
    return await apart(partial(deliver, settings, messages))


# --- one letter -------------------------------------------------------------------------------------------------


async def test_a_letter_arrives_as_it_was_written(box: Mailbox) -> None:
    assert await sent(box.settings(), LETTER) == [Outcome(Fate.SENT)]
    recipients, message = await box.next()
    assert recipients == ["dario@demo.example"]
    assert message["From"] == "Demo <chat@team.example>"
    assert message["To"] == "dario@demo.example"
    assert message["Subject"] == "Hello"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"] == "<narrowcast.7.1800000000@team.example>"
    assert message.get_content().rstrip().splitlines() == ["A line", "", "Another"]


@pytest.mark.parametrize("from_the_start", [True, False])
async def test_the_way_is_encrypted_and_the_password_goes_by_it_alone(
    tmp_path: Path, from_the_start: bool
) -> None:
    made = make_certificates(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)
    people = {"chat": "secret"}
    async with mailbox(context=context, from_the_start=from_the_start, people=people) as box:
        security = Security.TLS if from_the_start else Security.STARTTLS
        settings = box.settings(security=security, user="chat", password="secret", ca_file=made.authority)
        assert await sent(settings, LETTER) == [Outcome(Fate.SENT)]
        assert (box.encrypted, box.signed_in) == ([True], ["chat"])
        (wrong,) = await sent(replace(settings, password="guess"), LETTER)
        assert (wrong.fate, wrong.reason[:3]) == (Fate.LATER, "535")
        (unknown,) = await sent(replace(settings, ca_file=None), LETTER)
        assert unknown.fate is Fate.LATER
        assert "certificate" in unknown.reason.lower()


async def test_what_offers_no_encryption_gets_nothing(box: Mailbox) -> None:
    (outcome,) = await sent(box.settings(security=Security.STARTTLS, user="chat", password="secret"), LETTER)
    assert outcome.fate is Fate.LATER
    assert "STARTTLS" in outcome.reason
    assert box.received.empty()


async def test_one_refusal_does_not_hold_up_the_others(box: Mailbox) -> None:
    box.refusals = {"no@x.example": ["550 Nobody of that name"], "full@x.example": ["452 Too busy"]}
    letters = [replace(LETTER, recipient=f"{name}@x.example") for name in ("a", "no", "b", "full", "c")]
    outcomes = await sent(box.settings(), *letters)
    assert [outcome.fate for outcome in outcomes] == [
        Fate.SENT,
        Fate.NEVER,
        Fate.SENT,
        Fate.LATER,
        Fate.SENT,
    ]
    assert outcomes[1].reason == "550 Nobody of that name"
    assert [(await box.next())[0] for _ in range(3)] == [["a@x.example"], ["b@x.example"], ["c@x.example"]]


async def test_a_server_that_is_not_there_or_says_nothing_is_tried_again_later() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        settings = MailSettings("127.0.0.1", port, "chat@x.example", Security.NONE, timeout_seconds=0.2)
        assert [outcome.fate for outcome in await sent(settings, LETTER, LETTER)] == [Fate.LATER] * 2
        silent.listen()
        (outcome,) = await sent(settings, LETTER)
        assert outcome.fate is Fate.LATER
        assert "timed out" in outcome.reason


@pytest.mark.parametrize(
    ("subject", "organization"), [(HOSTILE, "Demo"), ("Hello", HOSTILE), ("x" * 5000, "\n" * 300)]
)
async def test_no_name_and_no_topic_becomes_a_header(box: Mailbox, subject: str, organization: str) -> None:
    message = encoded(replace(LETTER, subject=subject), organization, "chat@team.example")
    assert await apart(partial(deliver, box.settings(), [message])) == [Outcome(Fate.SENT)]
    recipients, arrived = await box.next()
    assert recipients == ["dario@demo.example"]
    assert arrived["Bcc"] is None
    assert arrived["To"] == "dario@demo.example"
    assert len(arrived["Subject"]) < 200
    assert "\u202e" not in arrived["Subject"] + arrived["From"]
    assert arrived.get_content().startswith("A line")


@pytest.mark.parametrize(
    "address",
    ["", "a", "a@", "@b", "a@b\r\nBcc: c@d", "a@b, c@d", "<a@b>", "a b@c", "a@b c", "x\n@y", "a@b\0", "a@b>"],
)
def test_what_is_no_single_address_gets_no_mail(address: str) -> None:
    assert not is_address(address)
    with pytest.raises(BadAddress):
        encoded(replace(LETTER, recipient=address), "Demo", "chat@team.example")


def test_a_control_character_of_a_text_is_shown_and_does_nothing() -> None:
    message = encoded(replace(LETTER, body="a\x1b[2Jb\n.\nc\x00"), "Demo", "chat@team.example")
    assert message.get_content() == "a\ufffd[2Jb\n.\nc\ufffd\n"


# --- the queue --------------------------------------------------------------------------------------------------


async def test_an_invitation_by_address_brings_the_link_that_makes_an_account(
    server: TestServer, box: Mailbox
) -> None:
    fields = {"invitee_emails": "new@demo.example", "stream_ids": []}
    await server.call("ada", "POST", "/invites", fields)
    recipients, message = await box.next()
    assert recipients == ["new@demo.example"]
    text = message.get_content()
    assert "Ada Moreno invites you to Demo" in text
    (token,) = set(re.findall(rf"{server.url}/join/([^/\s]+)/", text))
    joined = {"email": "new@demo.example", "full_name": "New Person", "password": "a good password"}
    await server.call(None, "POST", f"/join/{token}", joined)
    (row,) = server.core.store.all("SELECT due, sent, error FROM sent_emails")
    assert (row["due"], row["error"]) == (None, None)


async def test_where_mail_is_sent_the_list_of_invitations_shows_no_links_of_others(
    server: TestServer,
) -> None:
    fields = {"invitee_emails": "new@demo.example", "stream_ids": []}
    await server.call("ada", "POST", "/invites", fields)
    (row,) = (await server.call("ada", "GET", "/invites"))["invites"]
    assert "link_url" not in row


async def test_what_could_not_be_sent_is_tried_again_and_given_up_at_last(tmp_path: Path) -> None:
    clock = VirtualClock()
    core = open_core(Options(data=tmp_path), "http://x", config=Config(durable=False), clock=clock)
    core.config = replace(core.config, mail=MailSettings("127.0.0.1", 1, "chat@x.example"))
    with core.transaction():
        send_mail(core, "a@x.example", "s", "b")
        send_mail(core, "b@x.example", "s", "b")
    waits = []
    for _ in range(6):
        letter = due_letters(core)[-1]
        with core.transaction():
            settle(core, letter, Outcome(Fate.LATER, "busy"))
        due = core.store.integer("SELECT due FROM sent_emails WHERE id = ?", letter.id)
        if due is None:
            break
        waits.append(due - core.now())
        clock.jump(waits[-1])
    assert waits == [60, 300, 1800, 7200, 21_600]
    first = due_letters(core)[0]
    with core.transaction():
        settle(core, first, Outcome(Fate.NEVER, "550 no"))
    assert due_letters(core) == []
    core.close()


async def test_what_waits_is_sent_after_a_restart(tmp_path: Path, box: Mailbox) -> None:
    away = replace(box.settings(), port=1)
    async with running_server(tmp_path / "data", config=Config(mail=away)) as server:
        await server.call("ada", "POST", "/invites", {"invitee_emails": "new@x.example", "stream_ids": []})
    clock = VirtualClock(4_000_000_000)
    async with running_server(tmp_path / "data", config=Config(mail=box.settings()), clock=clock):
        assert (await box.next())[0] == ["new@x.example"]


async def test_a_mail_server_that_is_away_is_logged_and_holds_up_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = MailSettings("127.0.0.1", 1, "chat@x.example", Security.NONE, timeout_seconds=1)
    logged = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Watch(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "mail could not be sent" in record.getMessage():
                loop.call_soon_threadsafe(logged.set)

    handler = Watch()
    logging.getLogger("narrowcast.server").addHandler(handler)
    try:
        async with running_server(tmp_path / "data", config=Config(mail=settings)) as server:
            fields = {"invitee_emails": "new@x.example", "stream_ids": []}
            await server.call("ada", "POST", "/invites", fields)
            async with asyncio.timeout(30):
                await logged.wait()
            lines = await ask(server.core.folder, "mail", {})
            assert "127.0.0.1 port 1" in lines[0]
            assert lines[1].startswith("1 wait")
            assert "new@x.example" in lines[2]
    finally:
        logging.getLogger("narrowcast.server").removeHandler(handler)


async def test_nobody_floods_strangers_with_invitations(tmp_path: Path, box: Mailbox) -> None:
    config = Config(mail=box.settings(), quotas=replace(Quotas(), mails_a_day=2))
    async with running_server(tmp_path / "data", config=config) as server:
        for name in ("a", "b"):
            fields = {"invitee_emails": f"{name}@x.example", "stream_ids": []}
            await server.call("ada", "POST", "/invites", fields)
        (first, _) = (await server.call("ada", "GET", "/invites"))["invites"]
        await server.refusal("ada", "POST", f"/invites/{first['id']}/resend")
        await server.call("ada", "DELETE", f"/invites/{first['id']}")
        fields = {"invitee_emails": "c@x.example", "stream_ids": []}
        refusal = await server.refusal("ada", "POST", "/invites", fields)
        assert (refusal["code"], refusal["daily_limit_reached"]) == ("INVITATION_FAILED", True)
        await server.call("bruno", "POST", "/invites", fields)


# --- a new password ---------------------------------------------------------------------------------------------


async def test_who_forgot_their_password_gets_a_link_that_works_once(
    server: TestServer, box: Mailbox
) -> None:
    old_key = server.user("ada").api_key
    await server.call(None, "POST", "/reset", {"email": "ada@demo.example"})
    recipients, message = await box.next()
    assert recipients == ["ada@demo.example"]
    (token,) = re.findall(rf"narrowcast login {server.url}/reset/([^/\s]+)/", message.get_content())
    page = await server.client.get(f"{server.url}/reset/{token}/")
    assert page.status_code == 200
    assert "ada" not in page.text.lower().replace(token.lower(), "")
    answer = await server.call(None, "POST", f"/reset/{token}", {"password": "another good one"})
    assert answer["email"] == "ada@demo.example"
    assert answer["api_key"] == server.user("ada").api_key != old_key
    await server.refusal(None, "POST", f"/reset/{token}", {"password": "yet another one"})
    signed_in = {"username": "ada@demo.example", "password": "another good one"}
    assert (await server.call(None, "POST", "/fetch_api_key", signed_in))["api_key"] == answer["api_key"]


async def test_nobody_learns_by_a_reset_who_has_an_account(server: TestServer, box: Mailbox) -> None:
    answers = [
        (await server.raw(None, "POST", "/reset", {"email": email})).text
        for email in ("ada@demo.example", "nobody@demo.example", "iris-bot@demo.example")
    ]
    assert len(set(answers)) == 1
    await server.call(None, "POST", "/reset", {"email": "dario@demo.example"})
    assert [(await box.next())[0][0] for _ in range(2)] == ["ada@demo.example", "dario@demo.example"]
    assert box.received.empty()


async def test_a_reset_is_asked_for_a_few_times_only(server: TestServer) -> None:
    for email in ("ada@demo.example", "nobody@demo.example"):
        for _ in range(3):
            await server.call(None, "POST", "/reset", {"email": email})
        await server.refusal(None, "POST", "/reset", {"email": email}, 429)
    assert server.core.store.integer("SELECT count(*) FROM sent_emails") == 1


async def test_a_link_for_a_password_ends_by_time_by_the_password_and_with_the_account(
    tmp_path: Path, box: Mailbox
) -> None:
    clock = VirtualClock()
    async with running_server(tmp_path, config=Config(mail=box.settings()), clock=clock) as server:

        async def link(name: str) -> str:
            (_, line) = await ask(tmp_path, "link", {"who": f"{name}@demo.example"})
            return "/reset/" + line.rstrip("/").rpartition("/")[2]

        late, changed, closed = await link("dario"), await link("elif"), await link("farid")
        fields = {"password": "a good password"}
        await ask(tmp_path, "password", {"who": "elif@demo.example"})
        await ask(tmp_path, "deactivate", {"who": "farid@demo.example"})
        clock.jump(86_401)
        for path in (late, changed, closed, "/reset/made-up"):
            refusal = await server.refusal(None, "POST", path, fields)
            assert "Ask for a new one." in refusal["msg"]
        assert (await server.refusal(None, "POST", await link("dario"), {"password": "x"}))["code"]


async def test_without_mail_a_reset_says_whom_to_ask(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        refusal = await server.refusal(None, "POST", "/reset", {"email": "ada@demo.example"})
        assert "This server sends no mail." in refusal["msg"]
        with pytest.raises(Fault, match=r"no mail is sent: server.toml"):
            await ask(tmp_path, "mail", {})


# --- what was missed --------------------------------------------------------------------------------------------


class Away:
    """Somebody who wants mail, and the clock."""

    def __init__(self, server: TestServer, clock: VirtualClock) -> None:
        self.server = server
        self.clock = clock

    async def wants(self, **settings: object) -> None:
        given = {"enable_offline_email_notifications": True, **settings}
        await self.server.call("elif", "PATCH", "/settings", given)
        self.look()

    def look(self) -> None:
        user = self.server.user("elif")
        tell_missed(self.server.core, user, marks(self.server.core).get(user.id))

    def mails(self, after: float = 121) -> list[tuple[str, str]]:
        """Subject and text of what was written to them since, when some time has passed."""
        self.clock.jump(after)
        self.look()
        rows = self.server.core.store.all("SELECT subject, body FROM sent_emails ORDER BY id")
        with self.server.core.transaction():
            self.server.core.store.execute("DELETE FROM sent_emails")
        return [(row["subject"], row["body"]) for row in rows]


@pytest.fixture
async def away(tmp_path: Path) -> AsyncIterator[Away]:
    clock = VirtualClock()
    async with running_server(tmp_path, clock=clock) as server:
        yield Away(server, clock)


async def test_all_that_was_missed_is_one_mail_after_the_chosen_time(away: Away) -> None:
    server = away.server
    await server.send_direct("dario", ["elif"], "before she wanted mail")
    await away.wants()
    await server.send_direct("dario", ["elif"], "lunch?")
    await server.send("ada", "general", "plans", "@**Elif Kaya** what do you think?\nReally.")
    await server.send("ada", "general", "plans", "not for her")
    assert away.mails(after=100) == []
    ((subject, body),) = away.mails(after=30)
    assert subject == "2 messages from Dario Vance, Ada Moreno"
    assert "> lunch?" in body
    assert "#general > plans" in body
    assert "> Really." in body
    assert "not for her" not in body
    assert "before she wanted mail" not in body
    assert f"narrowcast open '{server.url}/#narrow/channel/" in body
    assert "My settings" in body
    assert away.mails() == []


async def test_what_was_read_or_could_have_been_seen_is_no_news(away: Away) -> None:
    server = away.server
    await away.wants()
    read = await server.send_direct("dario", ["elif"], "read")
    await server.call("elif", "POST", "/messages/flags", {"messages": [read], "op": "add", "flag": "read"})
    await server.send_direct("dario", ["elif"], "seen")
    away.clock.jump(5)
    await server.call("elif", "POST", "/users/me/presence", {"status": "active"})
    assert away.mails() == []
    await server.send_direct("dario", ["elif"], "missed")
    ((_, body),) = away.mails()
    assert "missed" in body
    assert "seen" not in body


async def test_settings_decide_on_what_is_told(away: Away) -> None:
    server = away.server
    await away.wants(enable_stream_email_notifications=False, wildcard_mentions_notify=False)
    await server.send("ada", "general", "t", "@**all** look")
    assert away.mails() == []
    await away.wants(message_content_in_email_notifications=False)
    await server.send_direct("dario", ["elif"], "a secret")
    ((subject, body),) = away.mails()
    assert subject == "A message for you"
    assert "secret" not in body
    assert "Dario" not in body
    await away.wants(enable_stream_email_notifications=True)
    await server.send("ada", "general", "t", "plain talk")
    assert len(away.mails()) == 1
    await away.wants(enable_stream_email_notifications=False, enable_offline_email_notifications=False)
    await server.send_direct("dario", ["elif"], "into the void")
    assert away.mails() == []
    await away.wants()
    assert away.mails() == []


async def test_what_is_muted_or_out_of_sight_by_then_is_not_told(away: Away) -> None:
    server = away.server
    await away.wants()
    fields = {"stream_id": server.channel("general"), "topic": "noise", "visibility_policy": 1}
    await server.call("elif", "POST", "/user_topics", fields)
    await server.send("ada", "general", "noise", "@**Elif Kaya** hey")
    add = {"subscriptions": [{"name": "operations"}], "principals": [server.id("elif")]}
    await server.call("bruno", "POST", "/users/me/subscriptions", add)
    await server.send("bruno", "operations", "t", "@**Elif Kaya** secret")
    remove = {"subscriptions": ["operations"], "principals": [server.id("elif")]}
    await server.call("bruno", "DELETE", "/users/me/subscriptions", remove)
    assert [body for _, body in away.mails() if "secret" in body or "hey" in body] == []


# --- the operator's file ----------------------------------------------------------------------------------------


def written(folder: Path, text: str) -> Path:
    (folder / NAME).write_text(text)
    (folder / NAME).chmod(0o600)
    return folder


def test_the_file_says_how_mail_is_sent_and_what_the_limits_are(tmp_path: Path) -> None:
    assert read(tmp_path).mail is None
    (tmp_path / "ca.pem").touch()
    found = read(
        written(
            tmp_path,
            """
            [mail]
            host = "smtp.example.com"
            user = "chat"
            password = "secret"
            sender = "chat@example.com"
            ca_file = "ca.pem"
            [limits]
            upload_mib_a_person = 7
            """,
        )
    )
    assert found.mail is not None
    assert (found.mail.port, found.mail.security) == (587, Security.STARTTLS)
    assert found.mail.ca_file == tmp_path / "ca.pem"
    assert "secret" not in repr(found)
    assert found.quotas == replace(Quotas(), upload_mib_a_person=7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[mail", "cannot be read"),
        ("[post]\nhost = 'x'", "there is no post; there are mail, limits"),
        ("mail = 3", r"\[mail\] is no table"),
        ("[mail]\nhots = 'x'", "there is no mail.hots"),
        ("[mail]\nhost = 'x'\nsender = 'nobody'", "sender, which is an email address"),
        ("[mail]\nhost = 'x'\nsender = 'a@b.c'\nport = 'ten'", "mail.port is no whole number"),
        ("[mail]\nhost = 'x'\nsender = 'a@b.c'\nsecurity = 'ssl'", "one of starttls, tls, none"),
        ("[mail]\nhost = 'x'\nsender = 'a@b.c'\nsecurity = 'none'\nuser = 'u'", "in the clear"),
        ("[mail]\nhost = 'x'\nsender = 'a@b.c'\nca_file = 'none.pem'", "there is no file"),
        ("[limits]\ndrafts = -1", "limits.drafts is no whole number"),
        ("[limits]\ndraughts = 1", "there is no limits.draughts"),
        ("[limits]\ndrafts = true", "limits.drafts is no whole number"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ServerFileError, match=said):
        read(written(tmp_path, text))
    with pytest.raises(ServeError, match=NAME):
        open_core(Options(data=tmp_path), "http://x")


async def test_the_operator_tries_the_mail_and_hears_what_is_wrong(server: TestServer, box: Mailbox) -> None:
    lines = await ask(server.core.folder, "mail", {"to": "op@x.example"})
    assert lines == ["127.0.0.1 took a mail to op@x.example"]
    assert (await box.next())[0] == ["op@x.example"]
    box.refusals = {"op@x.example": ["550 \x1b[2J go away"]}
    with pytest.raises(Fault, match="550"):
        await ask(server.core.folder, "mail", {"to": "op@x.example"})
    with pytest.raises(Fault, match="is no address"):
        await ask(server.core.folder, "mail", {"to": "op"})
