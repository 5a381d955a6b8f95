"""The server of the app: the demo data, without simulated people, and a conversation with wide text."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Self, TypeVar

from PIL import Image, ImageChops

from support.server import LoopThread, TestServer, running_server

CHANNEL, TOPIC = "random", "terminals"
MARKS = "शिव नमस्ते"
"""A name with combining marks that some terminals count as cells."""
WIDE = (
    "日本語のとても長い行",
    "combining é ñ ä",
    "emoji 👋🏽 👨‍👩‍👧 ☺️ 🇩🇪",
    "שלום עולם",
    "शिव नमस्ते",
    "ｆｕｌｌｗｉｄｔｈ",
)

Response = TypeVar("Response")


def photograph() -> bytes:
    """An image in which no two adjacent pixels have the same colour."""
    image = Image.new("RGB", (480, 320))
    image.putdata(
        [(x * 255 // 480, y * 255 // 320, (x * 7 + y * 13) % 256) for y in range(320) for x in range(480)]
    )
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


class World:
    """A context manager; the server runs in a thread of its own. ``rc`` is the account file of Ada, whose app
    is tested; Bruno checks what arrives.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "server"
        self.rc = folder / "ada.zuliprc"
        self._thread = LoopThread()
        self._running: Any = None
        self._server: TestServer | None = None

    def __enter__(self) -> Self:
        self._thread.__enter__()
        self._running = running_server(self._folder, demo=True)
        self._server = self._run(self._running.__aenter__())
        self.server.account("ada").write_zuliprc(self.rc)
        for text in WIDE:
            self._run(self.server.send("bruno", CHANNEL, TOPIC, text))
        self._run(self.server.send("bruno", CHANNEL, MARKS, "a topic with spacing marks"))
        self._run(self.server.call("chiyo", "PATCH", "/settings", {"full_name": MARKS}))
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._running.__aexit__(None, None, None))
        self._thread.__exit__()

    def _run(self, work: Coroutine[Any, Any, Response]) -> Response:
        return self._thread.do(work)

    @property
    def server(self) -> TestServer:
        assert self._server is not None
        return self._server

    @property
    def name(self) -> str:
        """The name of the organization."""
        return str(self._run(self.server.call("ada", "GET", "/server_settings"))["realm_name"])

    @property
    def link(self) -> str:
        """The link to the conversation."""
        return f"{self.server.url}/#narrow/channel/{self.server.channel(CHANNEL)}-{CHANNEL}/topic/{TOPIC}"

    def said(self) -> list[str]:
        """The newest messages of the conversation, as source."""
        found = self._run(self.server.newest("bruno", channel=CHANNEL, topic=TOPIC))
        return [str(one["content"]) for one in found]

    def show_photograph(self) -> None:
        """Sends a photograph as Bruno."""
        files = {"filename": ("photograph.png", photograph(), "image/png")}
        response = self._run(self.server.raw("bruno", "POST", "/user_uploads", files=files)).json()
        text = f"[photograph.png]({response.get('url') or response['uri']})"
        self._run(self.server.send("bruno", CHANNEL, TOPIC, text))

    def ring(self) -> None:
        """Sends a direct message from Bruno to Ada."""
        self._run(self.server.send_direct("bruno", ["ada"], "are you there?"))


def is_sharp(picture: Image.Image, columns: int) -> bool:
    """Whether a photograph is shown as pixels: colours change anywhere, not only at cell boundaries."""
    width, height = picture.size
    points = picture.load()
    assert points is not None
    cell = width // columns
    places: Counter[int] = Counter()
    for y in range(height // 4, height * 3 // 4, 3):
        for x in range(width // 4, width * 3 // 4):
            if points[x, y] != points[x + 1, y]:
                places[x % cell] += 1
    most = max(places.values(), default=0)
    return sum(count > most / 10 for count in places.values()) > 3


def is_colourful(picture: Image.Image) -> bool:
    """Whether most of the middle has bright colours, as a photograph has; text and a dark background have not."""
    width, height = picture.size
    middle = picture.crop((width // 3, height // 3, width * 2 // 3, height * 2 // 3))
    red, green, blue = middle.convert("RGB").split()
    brightest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    darkest = ImageChops.darker(ImageChops.darker(red, green), blue)
    spread = ImageChops.subtract(brightest, darkest).histogram()
    return sum(spread[40:]) > sum(spread) / 2


def straightness(picture: Image.Image) -> float:
    """The share of the left edge of the right pane that is in the right place, 0 to 1."""
    width, height = picture.size
    points = picture.load()
    assert points is not None
    lines = range(height // 8, height * 5 // 6)

    def usual(x: int) -> object:
        return Counter(points[x, y] for y in lines).most_common(1)[0][0]

    inside = width - 2 * width // 120
    ground = usual(inside)
    edge = next((x for x in range(inside, width // 2, -1) if usual(x) != ground), None)
    if edge is None:
        return 0.0
    return sum(points[edge + 1, y] == ground for y in lines) / len(lines)
