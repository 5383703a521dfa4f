"""The pages of a campaign's rehearsal: begin one, look at it, end it."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.models import CampaignState, User
from campaign.selectors.rehearsals import rehearsal_state
from campaign.services.rehearsals import (
    RehearsalRefusedError,
    rehearsal_begin,
    rehearsal_end_later,
)
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered
from cells.forms import RehearsalForm
from cells.rehearsing import rehearsal_in_words


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def rehearsal_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rehearsal that a campaign has; POST begins one in its place."""
    campaign = organised_campaign(request, slug)
    state = rehearsal_state(campaign=campaign)
    last = state.rehearsal
    initial = (
        {"share": round(100 * last.share)}
        | {name: getattr(last, name) for name in ("bots", "skill", "seed")}
        if last
        else None
    )
    form = RehearsalForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        asked = {**form.cleaned_data, "share": form.cleaned_data["share"] / 100}
        try:
            rehearsal_begin(campaign=campaign, by=cast("User", request.user), **asked)
        except RehearsalRefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Simulated judges are at work; this page shows how far."))
            return redirect("rehearsal", slug)
    context = {
        "campaign": campaign,
        "section": "state",
        "form": form,
        "state": state,
        "job": state.job,
        "words": last and rehearsal_in_words(last),
        "is_draft": campaign.state == CampaignState.DRAFT and campaign.rehearsal_of_id is None,
    }
    is_part = request.headers.get("HX-Request")
    name = "organiser/_rehearsal.html" if is_part else "organiser/rehearsal.html"
    return render(request, name, context, status=400 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def rehearsal_end_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what goes with the rehearsal; POST ends it."""
    campaign = organised_campaign(request, slug)
    if request.method == "POST" and is_answered(request):
        rehearsal_end_later(campaign=campaign, by=cast("User", request.user))
        messages.success(request, _("The rehearsal ends; in a moment nothing is left of it."))
        return redirect("rehearsal", slug)
    question = Question(
        title=_("End the rehearsal"),
        facts=[
            _("Its simulated judges, their judgments, rankings and reports are deleted for good."),
            _("Nothing changes in “%(name)s”.") % {"name": campaign.name},
        ],
        after=_("This cannot be undone; the same seed rehearses the same again."),
        answers=[Answer(_("End the rehearsal"))],
        cancel=reverse("rehearsal", args=[slug]),
    )
    return ask(request, question, campaign=campaign, section="state")
