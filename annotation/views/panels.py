"""Panels of recruiting services: organisers' pages, and the addresses for participants and webhooks."""

import re
from typing import Any, Final
from urllib.parse import quote

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.core.validators import RegexValidator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    QueryDict,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.export.work_time import participations_csv
from annotation.pages.panel_addresses import panel_entry_address, panel_events_address
from annotation.pages.panels import (
    ParticipationFilter,
    ParticipationTable,
)
from annotation.selectors.judging import judge_of_user
from annotation.selectors.panels import (
    panels_counted,
    participation_at_address,
    participation_of,
    participations_described,
    participations_of,
)
from annotation.services.panels import (
    ParticipationRefusedError,
    arrival_refused_in_words,
    no_more_items,
    participation_begin,
    participation_event_apply,
    participation_refresh,
)
from campaign.accounts.clients import client_address
from campaign.export.downloads import download, for_spreadsheets
from campaign.models import (
    Campaign,
    Panel,
    PanelKind,
    Participation,
    ParticipationState,
    Task,
)
from campaign.models.questions import QuestionStage
from campaign.pages.forms import VersionedForm, WholeNumberField, languages_validate
from campaign.selectors.panel_requests import (
    Entry,
    EntryRefusedError,
    EventForgedError,
    EventRefusedError,
    generic_entry,
    prolific_entry,
    prolific_event,
)
from campaign.selectors.questions import answers_owed
from campaign.selectors.tasks import work_of_judges
from campaign.services.panels import (
    ARRIVALS_SECONDS,
    CODE_PATTERN,
    GENERIC_TERMS,
    MOST_BLOCKS,
    MOST_MINUTES,
    MOST_PARTICIPATIONS,
    PROLIFIC_TERMS,
    panel_change,
    panel_create,
    panel_open_or_close,
)
from campaign.texts.counted import counted
from campaign.texts.languages import language_name
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import (
    changed_campaign,
    form_page,
    organised_campaign,
    user_of,
)
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, page_view

_CODE = RegexValidator(
    CODE_PATTERN,
    gettext_lazy("Enter at least four letters or digits."),
)


class PanelForm(VersionedForm):
    """Terms of a panel's study; for a new panel, also its service."""

    kind = forms.ChoiceField(choices=PanelKind.choices)
    name = forms.CharField(max_length=100)
    blocks_asked = WholeNumberField(min_value=1, max_value=MOST_BLOCKS)
    minutes_allowed = WholeNumberField(min_value=1, max_value=MOST_MINUTES)
    participations_per_member = WholeNumberField(
        min_value=1,
        max_value=MOST_PARTICIPATIONS,
        initial=1,
    )
    languages = forms.MultipleChoiceField(
        required=False,
        validators=[languages_validate],
        widget=forms.CheckboxSelectMultiple,
    )
    screen_out_after_training = forms.BooleanField(required=False, initial=True)
    completion_code = forms.CharField(
        required=False,
        validators=[_CODE],
        help_text=gettext_lazy(
            "The code set at the service. Leave empty to generate one.",
        ),
    )
    screened_out_code = forms.CharField(
        required=False,
        validators=[_CODE],
        help_text=gettext_lazy("Must differ from the completion code."),
    )
    webhook_secret = forms.CharField(
        required=False,
        max_length=200,
        # Browsers ignore “off” here, and would fill in the organiser's own password.
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(
        self,
        *args: Any,
        campaign: Campaign,
        panel: Panel | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.describe(Panel)
        self.fields |= forms.fields_for_model(Panel, GENERIC_TERMS)
        if panel is not None:
            self.initial = forms.model_to_dict(panel, exclude=["webhook_secret"])
        languages = self.fields["languages"]
        assert isinstance(languages, forms.MultipleChoiceField)  # noqa: S101  for the type checker
        tags = Task.objects.of(campaign).languages() | set(
            panel.languages if panel else (),
        )
        languages.choices = [(tag, language_name(tag)) for tag in sorted(tags)]
        if panel is not None:
            del self.fields["kind"]
            is_prolific = panel.kind == PanelKind.PROLIFIC
            for name in GENERIC_TERMS if is_prolific else PROLIFIC_TERMS:
                del self.fields[name]


@form_view
def panels_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the panels of a campaign; POST adds one."""
    campaign = organised_campaign(request, slug)
    form = PanelForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        user = user_of(request)
        with RefusalsAt(form):
            panel = panel_create(campaign=campaign, user=user, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("panel", slug, panel.pk)
    states = ParticipationState.choices
    panels = []
    for panel_counts in panels_counted(campaign=campaign):
        panels.append(
            (
                panel_counts,
                [
                    (label, getattr(panel_counts, f"count_{state}"))
                    for state, label in states
                ],
            ),
        )
    context = {
        "campaign": campaign,
        "section": "panels",
        "form": form,
        "panels": panels,
    }
    return form_page(request, "organiser/panels.html", context)


@form_view
def panel_page(request: HttpRequest, slug: str, panel_id: int) -> HttpResponse:
    """Show a panel's addresses, codes and participations; POST changes its terms."""
    campaign = organised_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    form = PanelForm(request.POST or None, campaign=campaign, panel=panel)
    if request.method == "POST" and form.is_valid():
        with RefusalsAt(form):
            panel_change(panel=panel, **form.cleaned_data)
            messages.success(
                request,
                _("Saved. Participants who have already started keep their terms."),
            )
            return redirect("panel", slug, panel.pk)
    own = reverse("panel", args=[campaign.slug, panel.pk])
    participation_filter = ParticipationFilter.of(
        request,
        participations_of(panel=panel),
        address=own,
    )
    status = participation_filter.status
    if form.is_bound:
        status = 400
    context = {
        "campaign": campaign,
        "section": "panels",
        "panel": panel,
        "address": panel_entry_address(request, panel),
        "events": panel_events_address(request, panel),
        "filter": participation_filter,
        "table": ParticipationTable(participation_filter.rows, of=[campaign.slug]).of(
            request,
            address=own,
        ),
        "form": form,
    }
    return render(request, "organiser/panel.html", context, status=status)


@action_view
def panel_open(request: HttpRequest, slug: str, panel_id: int) -> HttpResponse:
    """Open a panel to new participants, or close it."""
    campaign = organised_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    is_open = request.POST.get("open") == "1"
    if not is_open and not is_answered(request):
        return ask(
            request,
            _close_question(campaign, panel),
            campaign=campaign,
            section="panels",
        )
    panel_open_or_close(panel=panel, is_open=is_open)
    messages.success(request, _("Saved."))
    return redirect("panel", slug, panel_id)


def _close_question(campaign: Campaign, panel: Panel) -> Question:
    begun = panel.participations.filter(ended_at__isnull=True).count()
    sentence = counted(
        "%(count)d participant has started and can finish.",
        "%(count)d participants have started and can finish.",
        begun,
    )
    return Question(
        title=_("Stop admitting participants"),
        facts=[
            sentence,
            _("New participants see that the study is closed."),
        ],
        after=_("You can admit participants again at any time."),
        answers=[Answer(_("Stop admitting participants"))],
        fields={"open": "0"},
        cancel=reverse("panel", args=[campaign.slug, panel.pk]),
    )


@require_safe
@login_required
def participations_download(
    request: HttpRequest,
    slug: str,
    panel_id: int,
) -> HttpResponse:
    """Send the participations as CSV, with the outcomes and codes needed for payment; not for analysts."""
    campaign = changed_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    filename = f"{campaign.slug}-{panel.kind}-{panel.pk}-participations.csv"
    return for_spreadsheets(
        download(filename, "".join(participations_csv(panel=panel))),
    )


# HEAD is not allowed, because programs use it to check links.
@require_http_methods(["GET", "POST"])
@never_cache
def panel_entry(request: HttpRequest, token: str) -> HttpResponse:
    """Show a participant the start button; POST signs them in and redirects them to the work.

    Opening the address changes nothing, because previews and scanners follow links too. A participant who
    is already signed in is redirected at once.
    """
    panel = Panel.objects.select_related("campaign").filter(key=token).first()
    if panel is None:
        raise Http404
    try:
        entry = _entry(request, panel)
    except EntryRefusedError as error:
        return _refusal_page(request, panel, str(error), status=400)
    if request.method == "POST":
        return _begin(request, panel, entry)
    if request.user.is_authenticated:
        own = participation_at_address(panel=panel, entry=entry, user=request.user)
        if own is not None:
            return _lead_on(participation_refresh(participation=own))
    if refused := arrival_refused_in_words(panel=panel, entry=entry):
        return _refusal_page(request, panel, refused, status=403)
    context = {"panel": panel, "work": work_of_judges(campaign=panel.campaign)}
    return render(request, "panel/begin.html", context)


def _begin(request: HttpRequest, panel: Panel, entry: Entry) -> HttpResponse:
    try:
        participation = participation_begin(
            panel=panel,
            entry=entry,
            address=client_address(request),
        )
    except ParticipationRefusedError as error:
        return _refusal_page(request, panel, str(error), status=error.status)
    participation = participation_refresh(participation=participation)
    judge = participation.judge
    user = judge.user
    if user is None or not user.is_active or judge.withdrawn_at is not None:
        return _refusal_page(request, panel, no_more_items(), status=403)
    login(request, user)
    return _lead_on(participation)


def _lead_on(participation: Participation) -> HttpResponse:
    begun = participation.state == ParticipationState.STARTED
    return redirect(
        "judge" if begun else "completion",
        slug=participation.panel.campaign.slug,
    )


def _entry(request: HttpRequest, panel: Panel) -> Entry:
    # Ids have no spaces, so a “+” is one that the service did not encode.
    sent = QueryDict(request.META.get("QUERY_STRING", "").replace("+", "%2B"))
    # Services where HTML is entered keep the entity of an ampersand.
    parameters = [(name.removeprefix("amp;"), values) for name, values in sent.lists()]
    # Different values of one parameter are not an id.
    query = {name: ",".join(dict.fromkeys(values)) for name, values in parameters}
    if panel.kind == PanelKind.PROLIFIC:
        return prolific_entry(query)
    return generic_entry(query, parameter=panel.id_parameter)


def _refusal_page(
    request: HttpRequest,
    panel: Panel,
    why: str,
    *,
    status: int,
) -> HttpResponse:
    context = {"why": why, "service": panel.service_name, "is_address": status == 400}
    response = render(request, "panel/refused.html", context, status=status)
    if status == 429:
        response["Retry-After"] = str(ARRIVALS_SECONDS)
    return response


# https://docs.prolific.com/api-reference/studies/the-study-object
PROLIFIC_COMPLETE: Final = "https://app.prolific.com/submissions/complete?cc={code}"


@page_view
def completion(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the state of the participation, and its code once it is earned."""
    judge = judge_of_user(user=user_of(request), campaign_slug=slug)
    participation = None
    if judge is not None:
        participation = participation_of(judge=judge)
    if judge is None or participation is None:
        raise Http404
    participation = participation_refresh(
        participation=participation,
        asks_for_code=True,
    )
    [described] = participations_described([participation])
    has_code = participation.state in Participation.EARNING
    context = {
        "campaign": judge.campaign,
        "participation": participation,
        "service": participation.panel.service_name,
        "done": described.blocks_done,
        "has_code": has_code,
        "has_last_questions": bool(answers_owed(judge=judge, stage=QuestionStage.END)),
        "address": _return_address(participation) if has_code else "",
    }
    return render(request, "panel/completion.html", context)


def _return_address(participation: Participation) -> str:
    """Return the address that returns the participant to the service; empty if they enter the code themselves."""
    panel = participation.panel
    if panel.kind == PanelKind.PROLIFIC:
        address = PROLIFIC_COMPLETE
    elif participation.state == ParticipationState.FINISHED:
        address = panel.completion_address
    else:
        address = panel.screened_out_address
    values = {"id": participation.judge.external_id, "code": participation.code}
    return re.sub(
        r"\{(id|code)\}",
        lambda match: quote(values[match[1]], safe=""),
        address,
    )


@csrf_exempt
@require_POST
def panel_events(request: HttpRequest, token: str) -> HttpResponse:
    """Apply a webhook of Prolific.

    Returns 204, even if it concerns no participant of this panel; 400 if it is malformed, and 403 if its
    signature is invalid.
    """
    panel = Panel.objects.filter(events_key=token).first()
    if panel is None:
        raise Http404
    try:
        event = prolific_event(
            secret=panel.webhook_secret,
            timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
            signature=request.headers.get("X-Prolific-Request-Signature", ""),
            body=request.body,
            now=timezone.now(),
        )
    except EventForgedError as error:
        return HttpResponse(str(error), status=403, content_type="text/plain")
    except EventRefusedError as error:
        return HttpResponseBadRequest(str(error), content_type="text/plain")
    if event is not None:
        participation_event_apply(panel=panel, event=event)
    return HttpResponse(status=204)
