"""Template tags and filters for figures with links to their details, and for the tasks of a test set.

Figures are linked on pages with `addresses` in their context; elsewhere they are plain text.
"""

from collections.abc import Mapping
from typing import Any

from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.selectors.tasks import tasks_listed
from campaign.models import Protocol, Task
from campaign.models.system import system_label
from ranking.pages import formats
from ranking.pages.formats import Addresses, figure
from ranking.reports.wording.progress import not_counted_in_words, not_in_pace_in_words
from ranking.reports.wording.ranges import rank_range, shared_rank

register = template.Library()

for _filter in (
    formats.figure,
    formats.kappa,
    formats.interval,
    formats.share,
    formats.judge_status_label,
    rank_range,
    shared_rank,
    formats.duration,
    formats.ago,
    formats.languages,
    system_label,
):
    register.filter(_filter)

_BEFORE = "judge_link"


@register.filter
def of_system(rows: Mapping[str, Any], system: str) -> Any:
    """Return the row of a system; None if there is none."""
    return rows.get(system)


@register.simple_tag(takes_context=True)
def judge_link(context: Context, judge_id: int, pseudonym: str) -> SafeString:
    """Return a judge's name as a link to their page, on a page with a `campaign` and a `task`."""
    cache: Any = context.render_context
    # Reverse the URL once instead of for each row.
    before = cache.get(_BEFORE)
    if before is None:
        task = context["task"]
        address = reverse("judge-page", args=[context["campaign"].slug, task.pk, 0])
        before = address.removesuffix("0/")
        cache[_BEFORE] = before
    return format_html('<a href="{}{}/"><bdi>{}</bdi></a>', before, judge_id, pseudonym)


@register.filter
def candidate_letter(index: int) -> str:
    """Return the letter that judges see for the candidate at this index (from 0): A, B, C …"""
    return chr(ord("A") + index)


class OnceNode(template.Node):
    """Node that renders its content once per rendering of the template, and repeats the result."""

    child_nodelists = ("nodelist",)

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        # Cached for this rendering only, because each request has its own render context.
        rendered: SafeString | None = context.render_context.get(self)
        if rendered is None:
            rendered = self.nodelist.render(context)
            context.render_context[self] = rendered
        return rendered


@register.tag
def once(parser: Parser, token: Token) -> OnceNode:  # noqa: ARG001
    """Render the content once in a loop; it must not depend on the row."""
    nodelist = parser.parse(("endonce",))
    parser.delete_first_token()
    return OnceNode(nodelist)


@register.simple_tag(takes_context=True)
def system_link(context: Context, name: str) -> SafeString:
    """Return a system's name as a link to its page of wins and losses."""
    addresses: Addresses | None = context.get("addresses")
    if addresses is None:
        address = None
    else:
        address = addresses.system(name)
    label = format_html("<bdi>{}</bdi>", system_label(name))
    if address is None:
        return label
    return format_html('<a href="{}">{}</a>', address, label)


@register.simple_tag(takes_context=True)
def judged_link(context: Context, number: int, judge: str = "") -> str | SafeString:
    """Return the number of judged blocks, in total or by a judge, as a link to the judgments."""
    addresses: Addresses | None = context.get("addresses")
    if addresses is None or not number:
        return figure(number)
    return format_html('<a href="{}">{}</a>', addresses.judged(judge), figure(number))


@register.simple_tag(takes_context=True)
def skipped_link(context: Context, number: int, judge: str = "") -> str | SafeString:
    """Return the number of blocks skipped and not judged later, in total or by a judge, as a link to the skips."""
    addresses: Addresses | None = context.get("addresses")
    if addresses is None or not number:
        return figure(number)
    address = addresses.skips(judge, standing=True)
    return format_html('<a href="{}">{}</a>', address, figure(number))


@register.simple_tag(takes_context=True)
def outcome_link(
    context: Context,
    number: int,
    name: str,
    outcome: str,
) -> str | SafeString:
    """Return the number of a system's comparisons with this outcome, as a link to the judgments."""
    addresses: Addresses | None = context.get("addresses")
    if addresses is None or not number or name not in addresses.systems:
        return figure(number)
    address = addresses.judgments(system=name, outcome=outcome)
    return format_html('<a href="{}">{}</a>', address, figure(number))


@register.simple_tag
def not_counted(excluded: int) -> str:
    """Return a sentence on blocks judged by excluded judges; empty if there are none."""
    return not_counted_in_words(excluded)


@register.simple_tag
def not_in_pace(not_by_people: int) -> str:
    """Return a sentence on imported and simulated blocks; empty if there are none."""
    return not_in_pace_in_words(not_by_people)


@register.simple_tag
def tasks_beside(task: Task) -> list[Any]:
    """Return all tasks of a test set, each with its `share` of the target, and `may_go` if it may be deleted.

    Returns none, without a query, if the test set has only a ranking; otherwise one query.
    """
    if not task.is_one_of_several and task.protocol == Protocol.RANKING:
        return []
    rows: list[Any] = list(
        tasks_listed(campaign=task.test_set.campaign).filter(test_set=task.test_set_id),
    )
    for row in rows:
        target = row.blocks_wanted
        if target:
            row.share = min(1.0, (row.judged - row.excluded) / target)
        else:
            row.share = None
        # The ranking is deleted last, with the test set.
        is_beside = task.is_one_of_several and row.protocol != Protocol.RANKING
        row.may_go = is_beside and not row.judged
    return rows
