"""What leads out of the messages: links, files and people."""

from __future__ import annotations

from urllib.parse import urlsplit

from textual import on

from narrowcast.panes.messages.pane import MessagesPane
from narrowcast.screens.main.travel import TravelScreen
from narrowcast.text.link_claims import doubt


class OutsideScreen(TravelScreen):
    """Follows links, fetches files, shows who somebody is."""

    @on(MessagesPane.LinkRequested)
    def _follow_link(self, event: MessagesPane.LinkRequested) -> None:
        url = event.url
        own = urlsplit(url).netloc == urlsplit(self.session.account.site).netloc
        if own and "/user_uploads/" in urlsplit(url).path:
            self.spawn(self._download(url), "download the file")
        elif own and urlsplit(url).fragment == "drafts":
            self.call_later(self.run_action, "go_drafts")
        elif own and urlsplit(url).fragment in ("scheduled", "reminders"):
            self.call_later(self.run_action, f"app.command('go.{urlsplit(url).fragment}')")
        elif warning := doubt(event.label, url):
            self._confirm_link(url, warning)
        else:
            self._open_link(url)

    def _confirm_link(self, url: str, warning: str) -> None:
        from narrowcast.screens.dialogs.picker import Choice, Picker

        choices = [
            Choice("leave", "Cancel"),
            Choice("open", f"Open {url}"),
            Choice("copy", "Copy link"),
        ]

        def chosen(what: str | None) -> None:
            if what == "open":
                self._open_link(url)
            elif what == "copy":
                self.app.copy_to_clipboard(url)
                self.tell("Copied.")

        self.app.push_screen(Picker(warning, choices), chosen)

    def _open_link(self, url: str) -> None:
        from narrowcast.terminal.opener import open_link

        self.spawn(open_link(url), "open the link")
        self.tell(f"Opening {url}")

    async def _download(self, url: str) -> None:
        """Into the user's folder for downloads, under a safe name that is not taken."""
        from platformdirs import user_downloads_path

        folder = user_downloads_path()
        folder.mkdir(parents=True, exist_ok=True)
        self.tell("Downloading…")
        fetched = await self.session.client.uploads.download(url=url, folder=folder)
        self.tell(f"Downloaded to {fetched.path}", seconds=10)

    @on(MessagesPane.PersonRequested)
    def _show_person(self, event: MessagesPane.PersonRequested) -> None:
        """Who somebody is, and what one can do about them."""
        from narrowcast.commands.people import show

        show(self, event.user_id)
