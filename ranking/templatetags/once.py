"""`{% once %}…{% endonce %}`: what is the same in each row of a table is rendered with the first row.

Words, addresses and forms inside a loop are otherwise translated, reversed and escaped anew for each row.
"""

from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString

register = template.Library()


class OnceNode(template.Node):
    """Its contents as they were rendered first in this rendering of its template."""

    child_nodelists = ("nodelist",)

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        # Of this rendering alone: another request has another render context.
        kept: SafeString | None = context.render_context.get(self)
        if kept is None:
            kept = context.render_context[self] = self.nodelist.render(context)
        return kept


@register.tag
def once(parser: Parser, token: Token) -> OnceNode:  # noqa: ARG001
    """Render what is inside once; it must not name what differs from row to row."""
    nodelist = parser.parse(("endonce",))
    parser.delete_first_token()
    return OnceNode(nodelist)
