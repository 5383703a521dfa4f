"""What the page of a design shows of candidates."""

from django import template

register = template.Library()


@register.filter
def candidate_letter(index: int) -> str:
    """Return what judges call the candidate at this place, from 0: A, B, C …"""
    return chr(ord("A") + index)
