"""The formats of `ranking.pages.formats`, as filters for templates."""

from django import template

from ranking.pages import formats

register = template.Library()

for _filter in (
    formats.kappa,
    formats.why_no_interval,
    formats.share,
    formats.judge_status_label,
    formats.rank_range,
    formats.duration,
    formats.ago,
    formats.languages,
):
    register.filter(_filter)
