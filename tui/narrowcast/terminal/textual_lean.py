"""Private parts of Textual that are replaced by faster equivalents when this module is imported; its compositor is
replaced by `textual_compositor`.

They are based on the version in `textual_version`. If another one is installed, nothing
is replaced.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Sequence
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any, Final, TypeVar

from rich.segment import Segment
from textual import _callback, events
from textual._compositor import Compositor
from textual.app import App
from textual.binding import Binding
from textual.cache import FIFOCache
from textual.dom import DOMNode
from textual.geometry import Size
from textual.keys import key_to_character
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import AwaitMount, Widget

from narrowcast.terminal.textual_compositor import paint_lines, paint_part, visible_cuts, whole_map
from narrowcast.terminal.textual_version import is_as_read

__all__ = [
    "CACHES_OF_A_STRIP",
    "OpensOver",
    "has_cache",
    "make_keys_lean",
    "make_layouts_lean",
    "make_strips_lean",
]

T = TypeVar("T")


class OpensOver(ModalScreen[T]):
    """A screen that opens over others, which are on the terminal already: its first frame composes and
    compares only its own widgets, if everything below is painted as it is.
    """

    is_new = True
    """Whether it has not been painted yet."""
    paints_alone = False
    """Whether only its widgets are painted now; its own background is not visible."""

    def is_below_known(self) -> bool:
        """Whether the terminal certainly shows what was painted of the screens below."""
        return False

    def _begin_frame(self) -> None:
        app = self.app
        if not self.is_new or self is not app.screen:
            return
        self.is_new = False
        if self.is_below_known() and all(map(_is_painted, app._background_screens)):
            self.paints_alone = True
            self._compositor._dirty_regions = {
                clip.intersection(region)
                for widget, (region, clip) in self._compositor.visible_widgets.items()
                if widget is not self
            }


def _is_painted(screen: Screen[Any]) -> bool:
    """Whether ``screen`` has no changes that wait to be laid out or painted."""
    return screen._size == screen.app.size and not (
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._dirty_widgets
        or screen._compositor._dirty_regions
    )


CACHES_OF_A_STRIP: Final = {
    "_divide_cache": 4,
    "_crop_cache": 16,
    "_style_cache": 16,
    "_filter_cache": 4,
    "_line_length_cache": 4,
    "_crop_extend_cache": 4,
    "_offsets_cache": 4,
}


def _begin_strip(strip: Strip, segments: Iterable[Segment], cell_length: int | None = None) -> None:
    strip._segments = list(segments)
    strip._cell_length = cell_length
    strip._render_cache = strip._link_ids = strip._cell_count = None


def _make_cache(strip: Strip, name: str) -> FIFOCache[Any, Any]:
    """Called for an attribute that does not exist yet."""
    if name not in CACHES_OF_A_STRIP:
        raise AttributeError(name)
    cache: FIFOCache[Any, Any] = FIFOCache(CACHES_OF_A_STRIP[name])
    setattr(strip, name, cache)
    return cache


def has_cache(strip: Strip, name: str) -> bool:
    """Whether ``strip`` has created the cache of that name."""
    try:
        object.__getattribute__(strip, name)
    except AttributeError:
        return False
    return True


def make_strips_lean() -> None:
    """Makes strips create their caches on first use: most of the seven caches of each row stay empty."""
    setattr(Strip, "__init__", _begin_strip)  # noqa: B010
    setattr(Strip, "__getattr__", _make_cache)  # noqa: B010


_resume, _resized, _paint = Screen._on_screen_resume, Screen._screen_resized, Screen._compositor_refresh
_suspend, _size_updated, _mounted = Screen._on_screen_suspend, Widget._size_updated, AwaitMount.__await__


def _may_scroll(widget: Widget, virtual_size: Size, container_size: Size) -> bool:
    """Whether a scroll bar is shown or may be needed."""
    styles = widget.styles
    return bool(
        widget.show_vertical_scrollbar
        or widget.show_horizontal_scrollbar
        or (styles.overflow_y == "auto" and virtual_size.height > container_size.height)
        or (styles.overflow_x == "auto" and virtual_size.width > container_size.width)
    )


def _take_size(
    widget: Widget, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
) -> bool:
    """Requests another layout after a change of size only if scroll bars are involved."""
    layout = layout and _may_scroll(widget, virtual_size, container_size)
    return _size_updated(widget, size, virtual_size, container_size, layout)


def _take_screen_size(screen: Screen[Any], size: Size) -> None:
    """Does not lay out a screen again that was already laid out at this size."""
    if screen._size != size:
        _resized(screen, size)


def _begin_screen(screen: Screen[Any], event: events.ScreenResume) -> None:
    """Skips styles and painting that a resumed screen does not need: a new one got its styles when it was
    created, and its layout paints all of it. One that is used again still has both.
    """
    is_used_again = isinstance(screen, OpensOver) and screen.is_new and screen.stack_updates > 0
    if screen.stack_updates == 0 or is_used_again:
        event.refresh_styles = False
    can_paint = screen.is_attached and screen.is_current and not screen.app._batch_count
    is_laid_out = screen._size != screen.app.size
    _resume(screen, event)
    if can_paint and is_used_again and not is_laid_out:
        screen._compositor._dirty_regions.add(screen.size.region)
        screen._compositor_refresh()
        is_laid_out = True
    if can_paint and is_laid_out:
        screen._repaint_required = False


def _leave_screen(screen: Screen[Any]) -> None:
    """Does not repaint a screen when a dialog opens over it; when it returns, all of it is painted."""
    _suspend(screen)
    screen._repaint_required = False


def _paint_screen(screen: Screen[Any]) -> None:
    """Does not repaint all of a screen in the background: it has reported its changes to the one above."""
    if isinstance(screen, OpensOver):
        screen._begin_frame()
        _paint(screen)
        screen.paints_alone = False
    else:
        _paint(screen)
    if screen is not screen.app.screen:
        screen._repaint_required = False


def _wait_once(mount: AwaitMount) -> Generator[Any, None, None]:
    """Waits only once for mounted widgets: both the composing code and the parent wait for them. For a screen
    there is nothing to wait for but its own start, as it is laid out then.
    """
    if getattr(mount, "_is_done", False):
        return
    if list(mount._widgets) == [mount._parent]:
        yield from mount._parent._mounted_event.wait().__await__()
    else:
        yield from _mounted(mount)
    setattr(mount, "_is_done", True)  # noqa: B010


def make_layouts_lean() -> None:
    """Lays out and paints a screen that opens only once, instead of up to five times. Partial repaints render
    only the parts concerned.
    """
    for owner, name, method in (
        (Widget, "_size_updated", _take_size),
        (Screen, "_screen_resized", _take_screen_size),
        (Screen, "_on_screen_resume", _begin_screen),
        (Screen, "_on_screen_suspend", _leave_screen),
        (Screen, "_compositor_refresh", _paint_screen),
        (AwaitMount, "__await__", _wait_once),
        (Compositor, "render_partial_update", paint_part),
        (Compositor, "_render_chops", paint_lines),
        (Compositor, "full_map", property(whole_map)),
        (Compositor, "cuts", property(visible_cuts)),
    ):
        setattr(owner, name, method)


_check_bindings = App._check_bindings


async def _check_bindings_of_key(app: App[Any], key: str, priority: bool = False) -> bool:
    """Looks up a key directly. Textual copies all bindings of all widgets from the focus outwards, twice for
    each key, and checks for each binding whether an inner widget takes the key as text.
    """
    if app._keymap:
        return await _check_bindings(app, key, priority)
    screen = app.screen
    focused = screen.focused
    nodes = [screen, app] if focused is None or focused.loading else focused.ancestors_with_self
    character = key_to_character(key)
    chain: list[tuple[DOMNode, Sequence[Binding]]] = []
    for node in nodes:
        chain.append((node, node._bindings.key_to_bindings.get(key, ())))
        if node.check_consume_key(key, character) or (node.is_modal and not priority):
            break
    for node, bindings in reversed(chain) if priority else chain:
        for binding in bindings:
            if binding.priority == priority and await app.run_action(binding.action, node):
                return True
    return False


_signature_length = _callback._count_parameters


def _count_parameters(function: Callable[..., Any]) -> int:
    """Number of parameters of a plain function or method, which Textual asks for whenever it schedules a call."""
    plain = getattr(function, "__func__", function)
    if type(plain) is not FunctionType or plain.__dict__.keys() & {"__wrapped__", "__signature__"}:
        return _signature_length(function)
    code = plain.__code__
    if plain is not function and not code.co_argcount:
        return _signature_length(function)
    more = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + more - (plain is not function)


_handlers = MessagePump._get_dispatch_methods

Handler = Callable[[Message], Awaitable[None]]


_known_handlers: dict[tuple[type, str, type], Sequence[tuple[type, Any]] | None] = {}


def _handlers_by_name(node: type, name: str, message: type) -> Sequence[tuple[type, Any]] | None:
    """The methods of a class that handle a message, innermost class first; None if one is declared with `on`."""
    found: list[tuple[type, Any]] = []
    for kind in node.__mro__:
        if vars(kind).get("_decorated_handlers", {}).keys() & set(message.__mro__):
            return None
        method = vars(kind).get(f"_{name}") or vars(kind).get(name)
        if method is not None and not getattr(method, "_textual_on", None):
            found.append((kind, method))
    return found


def _find_handlers(pump: MessagePump, name: str, message: Message) -> Iterator[tuple[type, Handler]]:
    """Cached handlers of a message. Textual searches all classes of a widget for each message."""
    asked = type(pump), name, type(message)
    if asked not in _known_handlers:
        _known_handlers[asked] = _handlers_by_name(*asked)
    known = _known_handlers[asked]
    if known is None:
        yield from _handlers(pump, name, message)
        return
    for kind, method in known:
        if message._no_default_action:
            break
        yield kind, method.__get__(pump, kind)


def make_keys_lean() -> None:
    """Makes the handling of keys and of the messages that they cause faster."""
    setattr(App, "_check_bindings", _check_bindings_of_key)  # noqa: B010
    setattr(_callback, "_count_parameters", _count_parameters)  # noqa: B010
    setattr(MessagePump, "_get_dispatch_methods", _find_handlers)  # noqa: B010


if is_as_read():
    make_strips_lean()
    make_layouts_lean()
    make_keys_lean()
