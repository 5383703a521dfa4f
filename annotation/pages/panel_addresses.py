"""Addresses of a panel, to enter at its recruiting service. Empty if its keys cannot be decrypted."""

from django.http import HttpRequest
from django.urls import reverse

from campaign.models import Panel


def panel_entry_address(request: HttpRequest, panel: Panel) -> str:
    """Return the address for participants."""
    return _absolute(request, "panel-entry", panel.key, panel.query)


def panel_events_address(request: HttpRequest, panel: Panel) -> str:
    """Return the address of the webhook for Prolific."""
    return _absolute(request, "panel-events", panel.events_key)


def _absolute(request: HttpRequest, name: str, key: str, query: str = "") -> str:
    if not key:
        return ""
    return request.build_absolute_uri(reverse(name, args=[key])) + query
