"""The operator's file `server.toml`: email delivery and limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_server.mail.settings import Security
from narrowcast_server.operator.arguments import Fault
from narrowcast_server.operator.control import ask
from narrowcast_server.operator.data_folder import check
from narrowcast_server.operator.server_file import NAME, ServerFileError, read
from narrowcast_server.organization.config import Quotas, ServerConfig
from narrowcast_server.serve import Options, ServeError, open_organization
from support.mailbox import Mailbox
from support.server import TestServer


def written(folder: Path, text: str) -> Path:
    (folder / NAME).write_text(text)
    (folder / NAME).chmod(0o600)
    return folder


def test_the_server_file_sets_email_delivery_and_limits(tmp_path: Path) -> None:
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


def test_the_operator_says_how_people_install_the_app(tmp_path: Path) -> None:
    assert read(tmp_path).configure(ServerConfig()).install == ""
    found = read(written(tmp_path, "[pages]\ninstall = ' pipx install /srv/narrowcast.whl'"))
    assert found.configure(ServerConfig()).install == "pipx install /srv/narrowcast.whl"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[pages]\ninstall = 7", "pages.install is not a line of text"),
        ("[pages]\ninstal = 'x'", "unknown key pages.instal"),
        ("[mail", "cannot be read"),
        ("mail = " + "[" * 5000, "cannot be read"),
        ("[post]\nhost = 'x'", "unknown key post; the keys are mail, limits, accounts"),
        (
            "[accounts]\ndisposable_domains = 'none.txt'",
            "accounts.disposable_domains: .*none.txt cannot be read",
        ),
        ("[accounts]\ndisposable = 'x'", "unknown key accounts.disposable"),
        ("mail = 3", r"\[mail\] is not a table"),
        ("[mail]\nhots = 'x'", "unknown key mail.hots"),
        ("[mail]\nhost = 'x'\nsender = 'nobody'", "a sender that is an email address"),
        ("[mail]\nhost = 'x'\nsender = 'a@b.c'\nport = 'ten'", "mail.port is not a whole number"),
        ("[mail]\nhost = 'x'\nsender = 'a@b.c'\nsecurity = 'ssl'", "one of starttls, tls, none"),
        ("[mail]\nhost = 'x'\nsender = 'a@b.c'\nsecurity = 'none'\nuser = 'u'", "in the clear"),
        ("[mail]\nhost = 'x'\nsender = 'a@b.c'\nca_file = 'none.pem'", "there is no file"),
        ("[limits]\ndrafts = -1", "limits.drafts is not a whole number"),
        ("[limits]\ndraughts = 1", "unknown key limits.draughts"),
        ("[limits]\ndrafts = true", "limits.drafts is not a whole number"),
    ],
)
def test_an_error_in_the_server_file_is_reported_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ServerFileError, match=said):
        read(written(tmp_path, text))
    with pytest.raises(ServeError, match=NAME):
        open_organization(Options(data=tmp_path), "http://x")
    assert [fault for fault in check(tmp_path) if NAME in fault]


async def test_the_operator_can_test_email_delivery_and_sees_errors(
    mailing: TestServer, box: Mailbox
) -> None:
    lines = await ask(mailing.organization.folder, "mail", {"to": "op@x.example"})
    assert lines == ["127.0.0.1 accepted an email to op@x.example"]
    assert (await box.next())[0] == ["op@x.example"]
    box.refusals = {"op@x.example": ["550 \x1b[2J go away"]}
    with pytest.raises(Fault, match="550"):
        await ask(mailing.organization.folder, "mail", {"to": "op@x.example"})
    with pytest.raises(Fault, match="is not an address"):
        await ask(mailing.organization.folder, "mail", {"to": "op"})
