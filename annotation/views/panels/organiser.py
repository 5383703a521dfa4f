"""An organiser's pages of panels: addresses, codes, and the state of participations."""

from typing import Any, cast
from xml.sax.saxutils import escape

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.selectors.panels import panels_of, participations_of
from annotation.views.panels.forms import PanelForm
from campaign.models import Campaign, Panel, PanelKind, ParticipationState, User
from campaign.services import (
    PanelRefusedError,
    panel_change,
    panel_create,
    panel_open_or_close,
    sns_topic_approve,
)
from campaign.views.access import organised_campaign

#: Rows on the page; the CSV has all.
AT_ONCE = 200
PROLIFIC_QUERY = (
    "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
)
_QUESTION = """<?xml version="1.0" encoding="UTF-8"?>
<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">
  <ExternalURL>{address}</ExternalURL>
  <FrameHeight>0</FrameHeight>
</ExternalQuestion>"""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def panels_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the panels of a campaign; POST adds one."""
    campaign = organised_campaign(request, slug)
    form = PanelForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        user = cast("User", request.user)
        kind = form.cleaned_data["kind"]
        try:
            panel = panel_create(campaign=campaign, kind=kind, terms=form.terms, user=user)
        except PanelRefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("The panel has been added. Its addresses are below."))
            return redirect("panel", slug, panel.pk)
    states = ParticipationState.choices
    panels = [
        (each.panel, [(label, each.counts[state]) for state, label in states])
        for each in panels_of(campaign=campaign)
    ]
    context = {"campaign": campaign, "section": "panels", "form": form, "panels": panels}
    status = 400 if form.is_bound else 200
    return render(request, "organiser/panels.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def panel_page(request: HttpRequest, slug: str, panel_id: int) -> HttpResponse:
    """Show a panel's addresses, codes and participations; POST changes its terms."""
    campaign = organised_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    form = PanelForm(request.POST or None, campaign=campaign, panel=panel)
    if request.method == "POST" and form.is_valid():
        try:
            panel_change(panel=panel, terms=form.terms)
        except PanelRefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request,
                _(
                    "The change applies to new participants; those who have started "
                    "keep their terms."
                ),
            )
            return redirect("panel", slug, panel.pk)
    context = _context(request, campaign, panel) | {"form": form}
    status = 400 if form.is_bound else 200
    return render(request, "organiser/panel.html", context, status=status)


def _context(request: HttpRequest, campaign: Campaign, panel: Panel) -> dict[str, Any]:
    address = request.build_absolute_uri(reverse("panel-entry", args=[panel.key]))
    events = request.build_absolute_uri(reverse("panel-events", args=[panel.events_key]))
    rows = participations_of(panel=panel, limit=AT_ONCE + 1)
    is_prolific = panel.kind == PanelKind.PROLIFIC
    return {
        "campaign": campaign,
        "section": "panels",
        "panel": panel,
        "is_prolific": is_prolific,
        "address": address + PROLIFIC_QUERY if is_prolific else address,
        "question": "" if is_prolific else _QUESTION.format(address=escape(address)),
        "events": events,
        "rows": rows[:AT_ONCE],
        "has_more": len(rows) > AT_ONCE,
    }


@require_POST
@login_required
def panel_open(request: HttpRequest, slug: str, panel_id: int) -> HttpResponse:
    """Open the panel to new judges, or close it."""
    campaign = organised_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    is_open = request.POST.get("open") == "1"
    panel_open_or_close(panel=panel, is_open=is_open)
    said = (
        _("New participants are admitted.")
        if is_open
        else _("New participants are no longer admitted.")
    )
    messages.success(request, said)
    return redirect("panel", slug, panel_id)


@require_POST
@login_required
def panel_topic(request: HttpRequest, slug: str, panel_id: int) -> HttpResponse:
    """Trust the SNS topic that requested to send here."""
    campaign = organised_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    if sns_topic_approve(panel=panel, topic_arn=request.POST.get("topic", "")):
        messages.success(request, _("Notifications of this topic are accepted from now on."))
    else:
        messages.error(request, _("This topic no longer asks to be confirmed. See the one below."))
    return redirect("panel", slug, panel_id)
