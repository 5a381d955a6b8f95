"""The welcome screen, shown without an account."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Center, Vertical
from textual.widgets import Static

from narrowcast.keys.hints import ShownHint, key_of, keys_of, shown_hints, with_keys
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import app_of
from narrowcast.screens.start.login import LoginScreen
from narrowcast.screens.start.logo import Logo
from narrowcast.screens.start.offers import OfferList, WelcomeOffer
from narrowcast.screens.start.text_screen import TextScreen
from narrowcast.terminal.textual_fixes import FixedScreen
from narrowcast.text.safe_text import safe_block
from narrowcast.widgets.focus import focus_now
from narrowcast.widgets.one_line import OneLine, hint_pieces
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.version import VERSION

PROMISE = "Team chat, at the speed of the keyboard"
HINTS = (("list.select", "opens"), ("app.help", "keyboard shortcuts"))
OFFERS = (
    WelcomeOffer("login", "Log in to an organization", "you have an account there"),
    WelcomeOffer("demo", "Try the demo", "no setup, nothing is kept"),
    WelcomeOffer("serve", "Run a server on this machine", "for all of its users"),
    WelcomeOffer("quit", "Quit"),
)
AIRY_FROM = 24
"""Rows of the terminal from which blank rows divide the offers."""

SERVE_TEXT = """\
To let the users of this machine chat, run this in another terminal and leave it running:

    narrowcast serve

It creates an organization with you as its owner, and prints its address and how to log in.
The users of this machine then run: narrowcast login ADDRESS

<dialog.close> goes back."""


class WelcomeScreen(FixedScreen[None]):
    """Offers to log in, try the demo, or run a server on this machine."""

    DEFAULT_CSS = style_sheet(__name__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.WELCOME)]

    def __init__(self, problem: str = "") -> None:
        super().__init__()
        self._problem = problem
        self._offers = OfferList(OFFERS)

    def compose(self) -> ComposeResult:
        with Vertical():
            with Center():
                yield Logo()
            yield Static(f"Narrowcast {VERSION} · {PROMISE}", id="promise", markup=False)
            if self._problem:
                yield Static(safe_block(self._problem), id="problem", markup=False)
            yield self._offers
            hint = OneLine()
            keys = keys_of(self)
            both = f"{key_of(keys, 'list.up')} {key_of(keys, 'list.down')}"
            hint.show_pieces(hint_pieces([ShownHint(both, "select"), *shown_hints(keys, HINTS)]))
            yield hint

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(Logo).fit(event.size)
        self._offers.show_air(event.size.height >= AIRY_FROM and not self._problem)

    def on_mount(self) -> None:
        focus_now(self._offers)

    @on(VirtualList.Selected)
    def _chosen(self, event: VirtualList.Selected) -> None:
        event.stop()
        if (offer := self._offers.selected_item) is not None:
            self.action_choose(offer.what)

    def action_choose(self, what: str) -> None:
        app = app_of(self)
        if what == "login":
            self.app.push_screen(LoginScreen())
        elif what == "demo":
            app.spawn(app.demo.start(), "start the demo")
        elif what == "serve":
            self.app.push_screen(TextScreen(with_keys(keys_of(self), SERVE_TEXT)))
        else:
            app.action_app_quit()
