"""Pages for the state of a campaign and its tasks (current state, possible changes, their effects) and the bin."""

from typing import cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.selectors.effects import (
    StateEffects,
    closing_in_words,
    state_effects,
    transitions_possible,
)
from campaign.models import Campaign, CampaignState, Transition
from campaign.models.campaign import TRANSITIONS, UNDOES, CampaignQuerySet
from campaign.pages.activity import activity_rows
from campaign.pages.settings import (
    DeletionForm,
    LifetimeForm,
)
from campaign.selectors.activity import state_changes
from campaign.services.campaigns import (
    BIN_DAYS,
    StateRefusedError,
    campaign_delete,
    campaign_restore,
    campaign_state_change,
    task_close,
    task_reopen,
)
from campaign.texts.joining import labelled
from campaign.views.access import (
    form_page,
    organised_campaign,
    organised_task,
    user_of,
)
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, page_view


@form_view
def campaign_state_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the state, closing time and target of a campaign; POST changes closing time and target."""
    campaign = organised_campaign(request, slug)
    form = LifetimeForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid() and form.save():
        messages.success(request, _("Saved."))
        return redirect("campaign-state", slug)
    transition = request.GET.get("done", "")
    undo = None
    if transition in Transition:
        undo = UNDOES.get(cast("Transition", transition))
    possible = transitions_possible(campaign)
    context = {
        "campaign": campaign,
        "section": "state",
        "form": form,
        "transitions": possible,
        "undo": undo if undo in possible else None,
        "changes": activity_rows(campaign, list(state_changes(campaign=campaign)[:50])),
        "is_archived": campaign.state == CampaignState.ARCHIVED,
        "is_rehearsal": campaign.rehearsal_of_id is not None,
        "is_draft": campaign.state == CampaignState.DRAFT,
    }
    return form_page(request, "organiser/state.html", context)


@form_view
def campaign_transition_page(
    request: HttpRequest,
    slug: str,
    transition: str,
) -> HttpResponse:
    """Show the effects of a change of state; POST makes it."""
    campaign = organised_campaign(request, slug)
    if transition not in Transition:
        raise Http404
    requested = Transition(transition)
    effects = state_effects(campaign=campaign, transition=requested)
    form = None
    if requested == Transition.DELETE:
        form = DeletionForm(request.POST or None)
    if request.method != "POST":
        return _ask(request, campaign, effects, form)
    user = user_of(request)
    try:
        if requested == Transition.DELETE:
            typed = request.POST.get("name", "")
            return _redirect_after_deletion(
                request,
                campaign,
                campaign_delete(campaign=campaign, typed_name=typed, by=user),
            )
        campaign_state_change(campaign=campaign, transition=requested, by=user)
    except StateRefusedError as error:
        return _ask(request, campaign, effects, form, error=str(error))
    messages.success(request, labelled(campaign.name, TRANSITIONS[requested][1].label))
    if requested == Transition.OPEN:
        # It cannot be undone; the overview shows what follows.
        return redirect("campaign-detail", slug)
    return redirect(f"{reverse('campaign-state', args=[slug])}?done={requested}")


def _ask(
    request: HttpRequest,
    campaign: Campaign,
    effects: StateEffects,
    form: DeletionForm | None,
    error: str = "",
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "section": "state",
        "effects": effects,
        "form": form,
        "undo": UNDOES.get(effects.transition),
        "error": error,
    }
    return render(
        request,
        "organiser/transition.html",
        context,
        status=409 if error else 200,
    )


def _redirect_after_deletion(
    request: HttpRequest,
    campaign: Campaign,
    is_gone: bool,
) -> HttpResponse:
    if is_gone:
        message = _("“%(name)s” deleted.")
    else:
        message = _("“%(name)s” moved to the bin.")
    messages.success(request, message % {"name": campaign.name})
    return redirect("campaign-list" if is_gone else "campaign-bin")


@page_view
def campaign_bin(request: HttpRequest) -> HttpResponse:
    """List the campaigns in the bin that the user is a member of; owners restore theirs."""
    context = {"campaigns": _campaigns_in_bin(request), "days": BIN_DAYS}
    return render(request, "organiser/bin.html", context)


@action_view
def campaign_restore_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Restore a campaign from the bin."""
    campaign = get_object_or_404(_campaigns_in_bin(request), slug=slug)
    campaign_restore(campaign=campaign, by=user_of(request))
    messages.success(
        request,
        _("“%(name)s” restored (%(state)s).")
        % {"name": campaign.name, "state": campaign.get_state_display()},
    )
    return redirect("campaign-state", slug)


def _campaigns_in_bin(request: HttpRequest) -> CampaignQuerySet:
    campaigns = Campaign.objects.with_role_of(user_of(request))
    return campaigns.filter(state=CampaignState.BIN).order_by("state_since", "pk")


@form_view
def task_close_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the judges at work in a task; POST closes it."""
    task = organised_task(request, slug, task_id)
    if not is_answered(request):
        question = Question(
            title=_("Close %(name)s") % {"name": task.called},
            facts=closing_in_words(task=task),
            after=_("You can reopen it in the settings."),
            answers=[Answer(_("Close test set"))],
            cancel=reverse("campaign-settings", args=[slug]),
        )
        return ask(
            request,
            question,
            campaign=task.test_set.campaign,
            section="settings",
        )
    task_close(task=task)
    messages.success(request, _("%(name)s closed.") % {"name": task.called})
    return redirect("campaign-settings", slug)


@action_view
def task_reopen_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Reopen a closed test set."""
    task = organised_task(request, slug, task_id)
    task_reopen(task=task)
    messages.success(request, _("%(name)s reopened.") % {"name": task.called})
    return redirect("campaign-settings", slug)
