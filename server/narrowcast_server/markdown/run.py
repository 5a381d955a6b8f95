"""The mutable record of one rendering."""

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import unquote

from narrowcast_server.markdown.context import MarkdownContext, RenderedMarkdown

UPLOADS = "/user_uploads/"


@dataclass
class RenderingRun:
    """What one rendering collects.

    The budgets limit the elements in one message: `link_budget` links, `node_budget` emoji and formulas,
    `cell_budget` cells of tables. Anything beyond stays text.
    """

    context: MarkdownContext
    stash: Callable[[str], str]
    """Stores finished HTML and returns its placeholder."""
    is_in_quote: Callable[[], bool]
    """Whether the text being processed is in a quote."""
    user_ids: set[int] = field(default_factory=set)
    silent_user_ids: set[int] = field(default_factory=set)
    group_ids: set[int] = field(default_factory=set)
    refused_groups: list[str] = field(default_factory=list)
    channel_wildcard: bool = False
    topic_wildcard: bool = False
    attachments: dict[str, None] = field(default_factory=dict)
    has_link: bool = False
    has_image: bool = False
    link_budget: int = 300
    node_budget: int = 1000
    cell_budget: int = 10_000

    def note_link(self, href: str) -> None:
        """Records a link, and the upload that it points to."""
        self.has_link = True
        path_id = self.upload_of(href)
        if path_id is not None:
            self.attachments[path_id] = None

    def upload_of(self, href: str) -> str | None:
        """The path id of an upload's address, None for other addresses: relative or absolute
        `/user_uploads/1/ab/x/a.png` -> `1/ab/x/a.png`.
        """
        path = "/" + href.removeprefix(self.context.realm_url).removeprefix("/")
        if not path.startswith(UPLOADS):
            return None
        return unquote(path.removeprefix(UPLOADS).partition("?")[0].partition("#")[0]) or None

    def rendered(self, html: str, alert_user_ids: frozenset[int], is_me_message: bool) -> RenderedMarkdown:
        return RenderedMarkdown(
            html=html,
            user_ids=frozenset(self.user_ids),
            silent_user_ids=frozenset(self.silent_user_ids - self.user_ids),
            group_ids=frozenset(self.group_ids),
            refused_groups=tuple(self.refused_groups),
            channel_wildcard=self.channel_wildcard,
            topic_wildcard=self.topic_wildcard,
            alert_user_ids=alert_user_ids,
            attachments=tuple(self.attachments),
            has_link=self.has_link,
            has_image=self.has_image,
            is_me_message=is_me_message,
        )
