"""Opening links that lead out of the messages: other sites, and uploaded files."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.confirm import NO, YES, Answer, ConfirmScreen
from narrowcast.terminal.programs import open_link
from narrowcast.text.link_claims import link_warning

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def follow(screen: Workspace, url: str, label: str) -> None:
    """Opens an external address, or downloads an uploaded file. ``label``: the text of the link."""
    own = urlsplit(url).netloc == urlsplit(screen.session.account.site).netloc
    place = urlsplit(url).fragment
    if own and "/user_uploads/" in urlsplit(url).path:
        screen.downloads.start(url)
    elif own and place in ("drafts", "scheduled", "reminders"):
        screen.run(f"go.{place}")
    elif warning := link_warning(label, url):
        _confirm(screen, url, warning)
    else:
        _open(screen, url)


def _confirm(screen: Workspace, url: str, warning: str) -> None:
    answers = [Answer("leave", "Cancel", NO), Answer("copy", "Copy link"), Answer("open", "Open link", YES)]

    def chosen(what: str | None) -> None:
        if what == "open":
            _open(screen, url)
        elif what == "copy":
            app_of(screen).copy(url, lambda: screen.tell("Copied."))

    screen.app.push_screen(ConfirmScreen(warning, answers, effect=url), chosen)


def _open(screen: Workspace, url: str) -> None:
    screen.spawn(open_link(url), "open the link")
    screen.tell(f"Opening {url}")
