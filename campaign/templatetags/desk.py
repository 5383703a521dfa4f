"""Template tags for the navigation bars and breadcrumbs of organisers' pages."""

from typing import TypedDict

from django import template
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString

from campaign.models import Campaign, Task
from campaign.pages.desk import Desk, desk_of
from campaign.selectors.tasks import tasks_in_order

register = template.Library()
_CONTEXT_KEY = "desk"


@register.simple_tag(takes_context=True)
def heading(context: template.Context) -> SafeString:
    """Return the text of the page's block "heading", which its title repeats."""
    block = context.render_context[BLOCK_CONTEXT_KEY].get_block("heading")
    return SafeString(strip_tags(block.render(context)) if block else "")


class DeskContext(TypedDict):
    """Content of the breadcrumbs and the bars of a page."""

    campaign: Campaign
    task: Task | None
    bars: Desk


@register.inclusion_tag("organiser/_crumbs.html", takes_context=True)
def desk_crumbs(context: template.Context) -> DeskContext:
    """Show the breadcrumbs of a page; see `_desk`."""
    return _desk(context)


@register.inclusion_tag("organiser/_bars.html", takes_context=True)
def desk_bars(context: template.Context) -> DeskContext:
    """Show the bars of a page; see `_desk`."""
    return _desk(context)


@register.simple_tag
def task_name(task: Task) -> SafeString:
    """Return the display name of a task: its test set's name in its own direction, a dot and the protocol if there are others."""
    name = format_html("<bdi>{}</bdi>", task.test_set.name)
    if not task.is_one_of_several:
        return name
    return format_html(
        "{} <span>·</span> <span>{}</span>",
        name,
        task.get_protocol_display(),
    )


def _desk(context: template.Context) -> DeskContext:
    """Return the header of a page with a `campaign`, a `section` and perhaps a `task`.

    One query per page.
    """
    desk: DeskContext | None = context.render_context.get(_CONTEXT_KEY)
    if desk is not None:
        return desk
    campaign: Campaign = context["campaign"]
    own: Task | None = context.get("task")
    tasks = tasks_in_order(campaign)
    # The list's task knows whether its test set has others.
    task = own
    for task_of_list in tasks:
        if own is not None and task_of_list.pk == own.pk:
            task = task_of_list
    bars = desk_of(
        campaign=campaign,
        section=context["section"],
        tasks=tasks,
        task=task,
        path=context["request"].path,
    )
    context_of_desk: DeskContext = {"campaign": campaign, "task": task, "bars": bars}
    context.render_context[_CONTEXT_KEY] = context_of_desk
    return context_of_desk
