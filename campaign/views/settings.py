from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from campaign.accounts.time_zone import browser_time_zone
from campaign.pages.forms import (
    VERSION,
)
from campaign.pages.settings import (
    CampaignForm,
    SettingsForm,
)
from campaign.selectors.credentials import may_make_campaigns
from campaign.selectors.tasks import reference_use_in_words, tasks_in_order
from campaign.services.campaigns import ReferenceRankedError
from campaign.texts.joining import semicolon_list
from campaign.views.access import form_page, organised_campaign, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import form_view


@form_view
def campaign_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules of a campaign; POST changes them."""
    campaign = organised_campaign(request, slug)
    form = SettingsForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        if not form.has_changed():
            messages.info(request, _("No changes."))
            return redirect("campaign-settings", slug)
        try:
            is_saved = form.save(rank_shown_reference="confirmed" in request.POST)
        except ReferenceRankedError as error:
            return _ask_about_reference(request, form, error)
        if is_saved:
            messages.success(request, _("Saved: %(rules)s.") % {"rules": _labels(form)})
            return redirect("campaign-settings", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "section": "settings",
        "reference_notes": reference_use_in_words(
            campaign=campaign,
            is_shown=campaign.show_reference,
        ),
        "tasks": tasks_in_order(campaign),
    }
    return form_page(request, "organiser/settings.html", context)


def _ask_about_reference(
    request: HttpRequest,
    form: SettingsForm,
    error: ReferenceRankedError,
) -> HttpResponse:
    question = Question(
        title=_("Show a ranked reference"),
        facts=error.facts,
        after=_(
            "You can hide the reference again; judgments made until then are kept.",
        ),
        answers=[Answer(_("Show reference"))],
        cancel=reverse("campaign-settings", args=[form.campaign.slug]),
        sure=_("Judges see the reference and rank it."),
        confirmed="yes",
        error=_("Select the checkbox to confirm.") if is_answered(request) else "",
        fields={
            name: request.POST[name]
            for name in (*form.fields, VERSION)
            if name in request.POST
        },
    )
    return ask(request, question, campaign=form.campaign, section="settings")


def _labels(form: SettingsForm) -> str:
    return semicolon_list(str(form.fields[name].label) for name in form.changed_data)


@form_view
def campaign_new(request: HttpRequest) -> HttpResponse:
    """Ask for the name of a new campaign; POST creates it and redirects to it. For organisers only."""
    user = user_of(request)
    if not may_make_campaigns(user):
        raise Http404
    form = CampaignForm(request.POST or None)
    if form.is_valid():
        campaign = form.save(user=user, time_zone=browser_time_zone(request))
        if campaign is not None:
            return redirect("campaign-detail", campaign.slug)
    return form_page(request, "organiser/campaign_new.html", {"form": form})
