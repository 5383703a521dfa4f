"""Links from figures to what is behind them, on pages that have `addresses`; elsewhere the figures alone."""

from django import template
from django.template.context import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.addresses import Addresses
from ranking.pages.formats import figure

register = template.Library()


@register.simple_tag(takes_context=True)
def system_link(context: Context, name: str) -> str | SafeString:
    """Return a system's name, as a link to the page of what it won and lost."""
    addresses: Addresses | None = context.get("addresses")
    address = None if addresses is None else addresses.system(name)
    return name if address is None else format_html('<a href="{}">{}</a>', address, name)


@register.simple_tag(takes_context=True)
def judged_link(context: Context, number: int, judge: str = "") -> str | SafeString:
    """Return how many blocks were judged, or a judge judged, as a link to the judgments."""
    addresses: Addresses | None = context.get("addresses")
    if addresses is None or not number:
        return figure(number)
    return format_html('<a href="{}">{}</a>', addresses.judged(judge), figure(number))


@register.simple_tag(takes_context=True)
def skipped_link(context: Context, number: int, judge: str = "") -> str | SafeString:
    """Return how many blocks were skipped and not judged since, or a judge did, as a link to the skips."""
    addresses: Addresses | None = context.get("addresses")
    if addresses is None or not number:
        return figure(number)
    address = addresses.skips(judge, standing=True)
    return format_html('<a href="{}">{}</a>', address, figure(number))


@register.simple_tag(takes_context=True)
def outcome_link(context: Context, number: int, name: str, outcome: str) -> str | SafeString:
    """Return how many comparisons of a system ended so, as a link to the judgments."""
    addresses: Addresses | None = context.get("addresses")
    if addresses is None or not number or name not in addresses.systems:
        return figure(number)
    address = addresses.judgments(system=name, outcome=outcome)
    return format_html('<a href="{}">{}</a>', address, figure(number))
