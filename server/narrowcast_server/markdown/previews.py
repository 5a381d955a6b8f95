"""Previews after a paragraph, in a list item or at the end: images and videos of uploads and links, known
pages.

Nothing is ever fetched: previews use the stored upload, the form of the address, or the context's predefined
page previews.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, parse_qs, urlsplit
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from narrowcast_server.markdown.context import AttachmentInfo, LinkPreview
from narrowcast_server.markdown.elements import Engine, element
from narrowcast_server.markdown.run import UPLOADS, RenderingRun

MAX_LINKS: Final = 24
"""A message with more distinct addresses gets no previews."""
THUMBNAIL: Final = "840x560.webp"
IMAGE_SUFFIXES: Final = (".bmp", ".gif", ".jpe", ".jpeg", ".jpg", ".png", ".webp")
AUDIO_SUFFIXES: Final = (".mp3", ".ogg", ".wav", ".flac", ".m4a", ".aac", ".opus")
VIDEO_SUFFIXES: Final = (".mp4", ".webm")
PICTURE: Final = "message_inline_image"
YOUTUBE: Final = "youtube-video"
YOUTUBE_HOSTS: Final = frozenset(
    {"youtube.com", "www.youtube.com", "m.youtube.com", "youtube-nocookie.com", "www.youtube-nocookie.com"}
)
YOUTUBE_ID: Final = re.compile(r"[0-9A-Za-z_-]+")
WIKIPEDIA_FILE: Final = "/wiki/File:"


@dataclass(frozen=True, slots=True, eq=False)
class PreviewedLink:
    """A link, its parent, and the parent's parent."""

    anchor: Element
    parent: Element
    above: Element | None
    is_quoted: bool

    @property
    def href(self) -> str:
        return self.anchor.get("href", "")

    @property
    def title(self) -> str:
        """The text of the link if it differs from the address, else empty."""
        text = self.anchor.text or ""
        return "" if text == self.href else text

    @property
    def is_alone(self) -> bool:
        """Whether the link is the only content of its paragraph or list item, so that the preview can replace it."""
        return (
            not self.title
            and not (self.anchor.tail or "").strip("\n")
            and not (self.parent.text or "").strip("\n")
            and (self.parent.tag == "li" or len(self.parent) == 1)
        )


class Previews(Treeprocessor):
    """Records the links of a message and adds previews, except for links in quotes."""

    def __init__(self, md: Engine) -> None:
        super().__init__(md)
        self._engine = md

    def run(self, root: Element) -> None:
        run = self._engine.run
        links = list(links_in(root))
        for link in links:
            run.note_link(link.href)
        shown = {link.href: link for link in reversed(links) if not link.is_quoted}
        if len(shown) > MAX_LINKS:
            return
        behind: Counter[Element] = Counter()
        for link in links:
            if shown.get(link.href) is not link:
                continue
            one = preview(run, link)
            if one is not None:
                _place(root, link, one, behind)


def _place(root: Element, link: PreviewedLink, preview: Element, behind: Counter[Element]) -> None:
    takes_place = (
        link.is_alone and YOUTUBE not in preview.get("class", "") and PICTURE in preview.get("class", "")
    )
    if link.parent.tag == "li":
        link.parent.append(preview)
        if takes_place:
            link.parent.remove(link.anchor)
    elif link.parent.tag == "p" and link.above is not None:
        behind[link.parent] += 1
        link.above.insert(list(link.above).index(link.parent) + behind[link.parent], preview)
        if takes_place:
            link.above.remove(link.parent)
    else:
        root.append(preview)


def links_in(root: Element) -> Iterator[PreviewedLink]:
    """All links, breadth first."""
    waiting: deque[tuple[Element, Element | None, bool]] = deque([(root, None, False)])
    while waiting:
        parent, above, is_quoted = waiting.popleft()
        is_quoted = is_quoted or parent.tag == "blockquote"
        for child in parent:
            waiting.append((child, parent, is_quoted))
            if child.tag == "a":
                yield PreviewedLink(child, parent, above, is_quoted)


def preview(run: RenderingRun, link: PreviewedLink) -> Element | None:
    """The preview of a link, None if it has none."""
    href = link.href
    path_id = run.upload_of(href)
    if path_id is not None:
        info = run.context.attachment(path_id)
        return None if info is None else upload_preview(run, info, link)
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    page = run.context.link_preview(href)
    if page is not None:
        return page_preview(href, page)
    video = youtube_id(parts)
    if video is not None:
        run.has_image = True
        image = element("img", src=f"https://i.ytimg.com/vi/{video}/mqdefault.jpg")
        return framed(f"{YOUTUBE} {PICTURE}", image, href=href, data_id=video)
    path = parts.path.lower()
    if path.endswith(VIDEO_SUFFIXES):
        return video_preview(link)
    if not path.endswith(IMAGE_SUFFIXES):
        return None
    run.has_image = True
    if parts.netloc.endswith(".wikipedia.org") and parts.path.startswith(WIKIPEDIA_FILE):
        # The address is that of a page about the picture.
        name = parts.path.removeprefix(WIKIPEDIA_FILE)
        href = parts._replace(path=f"/wiki/Special:FilePath/File:{name}").geturl()
    return framed(PICTURE, element("img", src=href), href=href, **titled(link.title))


def titled(title: str) -> dict[str, str]:
    """A title attribute, if there is a title."""
    return {"title": title} if title else {}


def framed(css: str, inner: Element, **attributes: str) -> Element:
    """A frame with a link around an image or video."""
    frame = element("div", class_=css)
    anchor = element("a", **attributes)
    anchor.append(inner)
    frame.append(anchor)
    return frame


def upload_preview(run: RenderingRun, info: AttachmentInfo, link: PreviewedLink) -> Element | None:
    """A preview of an image (by its thumbnail) or a video; None for other files."""
    if info.is_picture:
        run.has_image = True
        image = element("img", **image_attributes(info))
        return framed(PICTURE, image, href=link.href, **titled(link.title))
    return video_preview(link) if info.content_type.startswith("video/") else None


def image_attributes(info: AttachmentInfo) -> dict[str, str]:
    """The thumbnail's address, and the type and size of the original."""
    return {
        "src": f"{UPLOADS}thumbnail/{info.path_id}/{THUMBNAIL}",
        "data_original_content_type": info.content_type,
        "data_original_dimensions": f"{info.width}x{info.height}",
    }


def inline_media(run: RenderingRun, address: str, name: str) -> Element | None:
    """An uploaded picture, or a player for uploaded audio; None for anything else."""
    path_id = run.upload_of(address)
    if path_id is None:
        return None
    info = run.context.attachment(path_id)
    if info is not None and info.is_picture:
        run.note_link(address)
        run.has_image = True
        shown = {"alt": name, "class_": "inline-image", "data_original_src": address}
        return element("img", **shown, **image_attributes(info))
    if path_id.lower().endswith(AUDIO_SUFFIXES):
        run.note_link(address)
        return element("audio", controls="controls", preload="metadata", src=address, **titled(name))
    return None


def video_preview(link: PreviewedLink) -> Element:
    """A video player that loads only metadata until started."""
    video = element("video", preload="metadata", src=link.href)
    return framed(f"{PICTURE} message_inline_video", video, href=link.href, **titled(link.title))


def youtube_id(parts: SplitResult) -> str | None:
    """The id of a YouTube video, None for other addresses."""
    candidate = ""
    query = parse_qs(parts.query)
    if parts.hostname == "youtu.be":
        candidate = parts.path.removeprefix("/")
    elif parts.hostname in YOUTUBE_HOSTS:
        if parts.path in ("/watch", "/watch_popup"):
            candidate = query.get("v", [""])[0]
        elif parts.path.startswith(("/embed/", "/shorts/", "/v/")):
            candidate = parts.path.split("/")[2]
    return candidate if YOUTUBE_ID.fullmatch(candidate) else None


def page_preview(href: str, page: LinkPreview) -> Element:
    """A preview with title, description and image of a page."""
    frame = element("div", class_="message_embed")
    if page.image_url:
        style = f'background-image: url("{page.image_url}")'
        frame.append(element("a", class_="message_embed_image", href=href, style=style))
    data = element("div", class_="data-container")
    title = element("div", class_="message_embed_title")
    title.append(element("a", page.title, href=href, title=page.title))
    data.append(title)
    data.append(element("div", page.description, class_="message_embed_description"))
    frame.append(data)
    return frame
