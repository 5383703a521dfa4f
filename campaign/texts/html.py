"""HTML in texts of other tools."""

import re
from html import unescape
from typing import Final

#: Patterns of HTML, and what stands for them in Markdown.
_MARKUP: Final = (
    # Never looks beyond the next tag, so that the time is linear.
    (r"<(?:style|script)\b[^<>]*>[^<]*", ""),
    (r"<(?:br|/p|/li|/?ul|/?ol|/div|/h[1-6])\b[^<>]*>", "\n"),
    (r"<li\b[^<>]*>", "- "),
    (r"</?(?:b|strong)\b[^<>]*>", "**"),
    (r"<[^<>]*>", ""),
)


def plain_text(html: str) -> str:
    """Return the text of HTML in Markdown: paragraphs, lists and bold."""
    for pattern, replacement in _MARKUP:
        html = re.sub(pattern, replacement, html, flags=re.IGNORECASE)
    lines = [line.strip() for line in unescape(html).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
