"""Renders the service's Markdown to sanitised HTML in the service's form.

`render` depends only on the source and a context of lookups: no network, no clock, and bounded work.
"""

from narrowcast_server.markdown.context import (
    AttachmentInfo,
    EmojiPicture,
    LinkedChannel,
    LinkPattern,
    LinkPreview,
    MarkdownContext,
    MentionedGroup,
    MentionedUser,
    NoLookups,
    RenderedMarkdown,
)
from narrowcast_server.markdown.render import render, topic_links
from narrowcast_server.markdown.renderings import RenderingFailed, Renderings
from narrowcast_server.markdown.widgets import check_submessage, widget_for

__all__ = [
    "AttachmentInfo",
    "EmojiPicture",
    "LinkPattern",
    "LinkPreview",
    "LinkedChannel",
    "MarkdownContext",
    "MentionedGroup",
    "MentionedUser",
    "NoLookups",
    "RenderedMarkdown",
    "RenderingFailed",
    "Renderings",
    "check_submessage",
    "render",
    "topic_links",
    "widget_for",
]
