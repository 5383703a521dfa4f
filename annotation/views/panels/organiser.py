"""An organiser's pages of panels: addresses, codes, and the state of participations."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.export.participations import participations_csv
from annotation.pages.participation_table import ParticipationFilter, ParticipationTable
from annotation.selectors.panels import panels_of, participations_of
from annotation.views.panels.forms import PanelForm
from campaign.models import Campaign, Panel, ParticipationState, User
from campaign.services import (
    PanelRefusedError,
    panel_change,
    panel_create,
    panel_open_or_close,
)
from campaign.views.access import changed_campaign, organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered


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
            form.add_error(error.field, str(error))
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
            form.add_error(error.field, str(error))
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
    status = 400 if form.is_bound else context["filter"].status
    return render(request, "organiser/panel.html", context, status=status)


def _context(request: HttpRequest, campaign: Campaign, panel: Panel) -> dict[str, Any]:
    address = request.build_absolute_uri(reverse("panel-entry", args=[panel.key]))
    events = request.build_absolute_uri(reverse("panel-events", args=[panel.events_key]))
    own = reverse("panel", args=[campaign.slug, panel.pk])
    asked = ParticipationFilter.of(request, participations_of(panel=panel), at=own)
    return {
        "campaign": campaign,
        "section": "panels",
        "panel": panel,
        "address": address + panel.query,
        "events": events,
        "filter": asked,
        "table": ParticipationTable(asked.found, campaign=campaign).of(request, at=own),
    }


@require_POST
@login_required
def panel_open(request: HttpRequest, slug: str, panel_id: int) -> HttpResponse:
    """Open the panel to new judges, or close it."""
    campaign = organised_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    is_open = request.POST.get("open") == "1"
    if not is_open and not is_answered(request):
        return ask(request, _close_question(campaign, panel), campaign=campaign, section="panels")
    panel_open_or_close(panel=panel, is_open=is_open)
    said = (
        _("New participants are admitted.")
        if is_open
        else _("New participants are no longer admitted.")
    )
    messages.success(request, said)
    return redirect("panel", slug, panel_id)


def _close_question(campaign: Campaign, panel: Panel) -> Question:
    begun = panel.participations.filter(ended_at__isnull=True).count()
    said = ngettext(
        "%(count)d participant has begun and can finish.",
        "%(count)d participants have begun and can finish.",
        begun,
    )
    return Question(
        title=_("Stop admitting participants"),
        facts=[
            said % {"count": begun},
            _("After that, people who come from the service read that the study is closed."),
        ],
        after=_("“Admit participants again” on the panel’s page undoes it."),
        answers=[Answer(_("Stop admitting participants"))],
        fields={"open": "0"},
        cancel=reverse("panel", args=[campaign.slug, panel.pk]),
    )


@require_safe
@login_required
def participations_download(request: HttpRequest, slug: str, panel_id: int) -> HttpResponse:
    """Download the participations, their ends and codes, by which people are paid; not for analysts."""
    campaign = changed_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    filename = f"{campaign.slug}-{panel.kind}-{panel.pk}-participations.csv"
    return HttpResponse(
        "".join(participations_csv(panel=panel)),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{filename}"',
            "Cache-Control": "no-store",
        },
    )
