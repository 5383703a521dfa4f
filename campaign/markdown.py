"""Markdown by organisers as HTML for judges: no raw HTML, no pictures, no links but safe ones."""

import re
from collections.abc import MutableMapping, Sequence
from typing import Any, Final

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

# A page of ours asks no other host for anything, and leads to nothing that runs.
_LINKS: Final = re.compile(r"(https?|mailto):", re.IGNORECASE)


def markdown_render(text: str) -> SafeString:
    """The text as HTML. Headings begin one level down: the page has one of its own."""
    # By the preset of markdown-it, raw HTML is text.
    html: str = _PARSER.render(text)
    return mark_safe(html)  # noqa: S308  the parser escapes, and its links are checked


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802  the library's name
        return _LINKS.match(url.strip()) is not None and super().validateLink(url)


def _heading(
    self: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: Any,
    env: MutableMapping[str, Any],
) -> str:
    tokens[index].tag = f"h{min(6, int(tokens[index].tag[1]) + 1)}"
    return self.renderToken(tokens, index, options, env)


def _link(
    self: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: Any,
    env: MutableMapping[str, Any],
) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer")
    return self.renderToken(tokens, index, options, env)


def _parser() -> MarkdownIt:
    parser = _Parser("js-default", {"html": False, "linkify": False})
    parser.disable("image")
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, _heading)
    parser.add_render_rule("link_open", _link)
    return parser


_PARSER: Final = _parser()
