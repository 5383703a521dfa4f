"""Render Markdown of organisers for judges, without raw HTML, images and unsafe links."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# No requests to other hosts, and no links to scripts.
_LINKS: Final = re.compile(r"(https?|mailto):", re.IGNORECASE)
# The page has its own first-level heading.
_TOP: Final = 2
# The library looks for the end of a link from each bracket on. A long text with two links in each paragraph takes a
# twentieth of these steps.
_MOST_STEPS: Final = 2_000_000
# Every judge is shown the same instructions.
_CACHE_SIZE: Final = 32


@lru_cache(maxsize=_CACHE_SIZE)
def markdown_render(text: str) -> SafeString:
    """Return the text as HTML, with headings below that of the page and without skipped levels."""
    tokens = _PARSER.parse(text)
    _headings_move(tokens)
    html: str = _RENDERER.render(tokens, _PARSER.options, {})
    # Raw HTML is escaped by the preset of the library.
    safe: SafeString = mark_safe(html)  # noqa: S308  the parser escapes, and its links are checked
    return safe


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802  the library's name
        return _LINKS.match(url.strip()) is not None and super().validateLink(url)


def _headings_move(tokens: Sequence[Token]) -> None:
    headings = [token for token in tokens if token.type.startswith("heading_")]
    used = sorted({token.tag for token in headings})
    before = _TOP - 1
    for token in headings:
        if token.type == "heading_open":
            before = min(_TOP + used.index(token.tag), before + 1)
        token.tag = f"h{before}"


def _inline(state: StateCore) -> None:
    """Parse the content of paragraphs, headings and cells; those with far too many brackets are plain text."""
    steps = 0
    for token in state.tokens:
        if token.type != "inline":
            continue
        steps += token.content.count("[") * len(token.content)
        if steps > _MOST_STEPS:
            token.children = [Token("text", "", 0, content=token.content)]
        else:
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _parser() -> MarkdownIt:
    parser = _Parser("js-default", {"html": False, "linkify": False})
    parser.disable("image")
    parser.core.ruler.at("inline", _inline)
    return parser


class _Renderer(RendererHTML):
    """Renders tokens; each method is named after its token."""

    def link_open(
        self,
        tokens: Sequence[Token],
        index: int,
        options: Any,
        environment: Any,
    ) -> str:
        tokens[index].attrSet("rel", "noopener noreferrer")
        opened: str = self.renderToken(tokens, index, options, environment)
        return opened


_PARSER: Final = _parser()
_RENDERER: Final = _Renderer()
