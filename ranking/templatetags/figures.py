"""The formats of `ranking.pages.formats`, as filters for templates; and links to judges."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages import formats
from ranking.wording.ranges import rank_range, shared_rank

register = template.Library()

for _filter in (
    formats.figure,
    formats.kappa,
    formats.interval,
    formats.why_no_interval,
    formats.share,
    formats.judge_status_label,
    rank_range,
    shared_rank,
    formats.duration,
    formats.ago,
    formats.languages,
):
    register.filter(_filter)

_BEFORE = "judge_link"


@register.filter
def of_system(rows: Mapping[str, Any], system: str) -> Any:
    """Return the row of a system; None where there is none."""
    return rows.get(system)


@register.simple_tag(takes_context=True)
def judge_link(context: Context, judge_id: int, pseudonym: str) -> SafeString:
    """Return a judge's name as a link to their page, on a page with a `campaign` and a `task`."""
    kept: Any = context.render_context
    # An address is reversed once, not for each row.
    before = kept.get(_BEFORE)
    if before is None:
        task = context["task"]
        address = reverse("judge-page", args=[context["campaign"].slug, task.pk, 0])
        before = kept[_BEFORE] = address.removesuffix("0/")
    return format_html('<a href="{}{}/">{}</a>', before, judge_id, pseudonym)
