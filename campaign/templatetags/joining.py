"""Template tags and filters that join texts by the punctuation of the reader's language (`campaign.texts.joining`)."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from campaign.texts import joining

register = template.Library()

register.filter(joining.with_full_stop)
register.simple_tag(joining.comma)
register.simple_tag(joining.semicolon)
register.simple_tag(joining.colon)
register.simple_tag(joining.labelled_html, name="labelled")


@register.filter
def comma_list(items: Iterable[object]) -> SafeString:
    """Return "A, B, C"."""
    return joining.comma_list_html(items)


@register.filter
def sentence_list(texts: Iterable[Any]) -> SafeString:
    """Return sentences one after the other; those that are not HTML are escaped."""
    return mark_safe(joining.sentence_list(map(conditional_escape, texts)))  # noqa: S308  each is escaped


class SentencesNode(template.Node):
    """Node that leaves out the white space between two sentences after wide punctuation, as in Chinese."""

    child_nodelists = ("nodelist",)

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        rendered = ""
        for node in self.nodelist:
            text = str(node.render_annotated(context))
            if joining.ends_wide(rendered.rstrip()):
                rendered = rendered.rstrip() + text.lstrip()
            else:
                rendered += text
        return mark_safe(rendered)  # noqa: S308  as Django joins nodes


@register.tag
def sentences(parser: Parser, token: Token) -> SentencesNode:  # noqa: ARG001
    """Render sentences, with the white space between them that the language has."""
    nodelist = parser.parse(("endsentences",))
    parser.delete_first_token()
    return SentencesNode(nodelist)
