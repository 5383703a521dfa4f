"""The bars above each page of organisers, and the way back."""

from typing import Any

from django import template

from campaign.models import Campaign, TestSet
from campaign.pages.desk import desk_of
from campaign.pages.test_set_seen import test_set_seen
from campaign.selectors import test_sets_in_order

register = template.Library()
_KEPT = "desk"


@register.inclusion_tag("organiser/_crumbs.html", takes_context=True)
def desk_crumbs(context: template.Context) -> dict[str, Any]:
    """Show where a page is; see `_desk`."""
    return _desk(context)


@register.inclusion_tag("organiser/_bars.html", takes_context=True)
def desk_bars(context: template.Context) -> dict[str, Any]:
    """Show the bars of a page; see `_desk`."""
    return _desk(context)


def _desk(context: template.Context) -> dict[str, Any]:
    """Return what is above a page with a `campaign`, a `section` and perhaps a `test_set`.

    The test set is that of the page, or the one looked at last. One query a page.
    """
    kept: dict[str, Any] | None = context.render_context.get(_KEPT)
    if kept is not None:
        return kept
    campaign: Campaign = context["campaign"]
    own: TestSet | None = context.get("test_set")
    test_sets = test_sets_in_order(campaign)
    test_set = own or test_set_seen(context["request"].session, campaign, test_sets)
    bars = desk_of(
        campaign=campaign, section=context["section"], test_sets=test_sets, test_set=test_set
    )
    found = {"campaign": campaign, "test_set": test_set, "bars": bars}
    context.render_context[_KEPT] = found
    return found
