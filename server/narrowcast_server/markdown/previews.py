"""Previews below a paragraph: images, videos and sound of uploads and links, and pages known beforehand.

Nothing is ever fetched: what is shown comes from the stored upload, from the shape of the address, or from
the context's own knowledge of a page.
"""

import re
from collections.abc import Iterator
from html import escape
from urllib.parse import parse_qs, urlsplit

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from narrowcast_server.markdown.context import AttachmentInfo, LinkPreview
from narrowcast_server.markdown.run import UPLOADS, Run, run_of

MOST_PREVIEWS = 10
THUMBNAIL = "840x560.webp"
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".heic", ".bmp")
VIDEO_SUFFIXES = (".mp4", ".webm")
AUDIO_SUFFIXES = (".mp3", ".ogg", ".wav", ".flac", ".m4a", ".aac", ".opus")
YOUTUBE_HOSTS = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com"})
YOUTUBE_ID = re.compile(r"[A-Za-z0-9_-]{11}")


def install(md: MarkdownIt) -> None:
    """Adds the pass that notes links and puts previews behind paragraphs."""
    md.core.ruler.push("previews", preview_pass)


def preview_pass(state: StateCore) -> None:
    """Walks the blocks; quotes, tables and headings get no previews."""
    run, result, pending, quotes, shown = run_of(state.env), list[Token](), list[str](), 0, set[str]()
    for token in state.tokens:
        result.append(token)
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
        elif token.type == "inline":
            pending = [html for html in previews(run, token.children or [], shown) if not quotes]
        elif token.type == "paragraph_close":
            result += [
                Token("raw_html", "", 0, content=f"\n{html}\n" if token.hidden else f"{html}\n")
                for html in pending
            ]
            pending = []
    state.tokens = result


def previews(run: Run, children: list[Token], shown: set[str]) -> Iterator[str]:
    """The previews of the links of one paragraph, each address once a message."""
    for index, token in enumerate(children):
        if token.type != "link_open":
            continue
        href = str(token.attrs.get("href", ""))
        run.note_link(href)
        if href in shown or len(shown) >= MOST_PREVIEWS:
            continue
        text = plain_text(children, index)
        html = preview(run, href, "" if text == href else text)
        if html is not None:
            shown.add(href)
            yield html


def plain_text(children: list[Token], start: int) -> str:
    """The text of the link that opens at an index."""
    parts = []
    for token in children[start + 1 :]:
        if token.type == "link_close":
            break
        parts.append(token.content if token.type in ("text", "code_inline") else "")
    return "".join(parts)


def preview(run: Run, href: str, title: str) -> str | None:
    """The preview of one address, None where it has none."""
    path_id = run.upload_of(href)
    if path_id is not None:
        info = run.context.attachment(path_id)
        return None if info is None else upload_preview(run, info, href, title)
    parts = safe_split(href)
    if parts is None or parts[0] not in ("http", "https"):
        return None
    page = run.context.link_preview(href)
    if page is not None:
        return page_html(href, page)
    video = youtube_id(href)
    if video is not None:
        image = f"https://i.ytimg.com/vi/{video}/mqdefault.jpg"
        link = f'<a data-id="{video}" href="{escape(href)}"><img src="{image}"></a>'
        return f'<div class="youtube-video message_inline_image">{link}</div>'
    path = parts[1].lower()
    if path.endswith(IMAGE_SUFFIXES):
        run.has_image = True
        return media_html("message_inline_image", href, title, f'<img src="{escape(href)}">')
    return video_html(href, title) if path.endswith(VIDEO_SUFFIXES) else None


def safe_split(href: str) -> tuple[str, str] | None:
    """(scheme, path) of an address, None where it is none."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    return parts.scheme, parts.path


def titled(title: str) -> str:
    """A title attribute, nothing for an empty one."""
    return f' title="{escape(title)}"' if title else ""


def upload_preview(run: Run, info: AttachmentInfo, href: str, title: str) -> str | None:
    """Image (a thumbnail's address and the original's size) or video; other files have only their link."""
    if info.content_type.startswith("image/") and info.width and info.height:
        run.has_image = True
        return media_html("message_inline_image", href, title, f"<img {image_attributes(info)}>")
    if info.content_type.startswith("video/"):
        return video_html(href, title)
    return None


def video_html(href: str, title: str) -> str:
    """A video that starts when the reader asks for it."""
    video = f'<video preload="metadata" src="{escape(href)}"></video>'
    return media_html("message_inline_image message_inline_video", href, title, video)


def media_html(css: str, href: str, title: str, inner: str) -> str:
    """The frame around a picture that leads to what it shows."""
    return f'<div class="{css}"><a href="{escape(href)}"{titled(title)}>{inner}</a></div>'


def image_attributes(info: AttachmentInfo) -> str:
    """Where an uploaded image's thumbnail is, and what the original is."""
    source = escape(f"{UPLOADS}thumbnail/{info.path_id}/{THUMBNAIL}")
    kind, size = escape(info.content_type), f"{info.width}x{info.height}"
    return f'data-original-content-type="{kind}" data-original-dimensions="{size}" src="{source}"'


def youtube_id(href: str) -> str | None:
    """The id of a YouTube video, None for any other address."""
    parts = urlsplit(href)
    candidate = ""
    if parts.hostname == "youtu.be":
        candidate = parts.path.removeprefix("/")
    elif parts.hostname in YOUTUBE_HOSTS and parts.path == "/watch":
        candidate = parse_qs(parts.query).get("v", [""])[0]
    return candidate if YOUTUBE_ID.fullmatch(candidate) else None


def page_html(href: str, page: LinkPreview) -> str:
    """What a page says of itself."""
    link = escape(href)
    image = ""
    if page.image_url:
        style = f"background-image: url(&quot;{escape(page.image_url)}&quot;)"
        image = f'<a class="message_embed_image" href="{link}" style="{style}"></a>'
    return (
        f'<div class="message_embed">{image}<div class="data-container">'
        f'<div class="message_embed_title"><a href="{link}" title="{escape(page.title)}">'
        f"{escape(page.title, quote=False)}</a></div>"
        f'<div class="message_embed_description">{escape(page.description, quote=False)}</div></div></div>'
    )


def inline_media_html(run: Run, href: str, alt: str) -> str:
    """`![alt](address)`: uploads are shown in place, sound as a player; anything else stays a link."""
    run.note_link(href)
    path_id = run.upload_of(href)
    info = run.context.attachment(path_id) if path_id is not None else None
    if info is not None and info.content_type.startswith("image/") and info.width and info.height:
        run.has_image = True
        original = f'alt="{escape(alt)}" class="inline-image" data-original-src="{escape(href)}"'
        return f"<img {original} {image_attributes(info)}>"
    parts = safe_split(href)
    if parts is not None and parts[1].lower().endswith(AUDIO_SUFFIXES):
        return f'<audio controls preload="metadata" src="{escape(href)}"{titled(alt)}></audio>'
    return f'<a href="{escape(href)}">{escape(alt or href, quote=False)}</a>'
