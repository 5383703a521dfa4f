"""What organisers decide about judges."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.models import QualityAction, QualityActionKind
from annotation.services import (
    QualityRefusedError,
    judge_reinstate,
    quality_action_revert,
    quality_action_take,
)
from campaign.models import Judge, TestSet, User
from campaign.views.access import organised_test_set
from campaign.views.confirming import Answer, Question, ask, is_answered
from ranking.pages.acting import stopping_in_words
from ranking.pages.forms import REINSTATE, ActionForm, NoteForm
from ranking.selectors.judge_measures import measures_of
from ranking.selectors.rule_effects import STOPPING


@require_POST
@login_required
def judge_act(request: HttpRequest, slug: str, test_set_id: int, judge_id: int) -> HttpResponse:
    """Warn, pause, exclude or reinstate a judge; to pause or exclude is asked first."""
    test_set = organised_test_set(request, slug, test_set_id)
    judge = get_object_or_404(Judge, pk=judge_id, campaign=test_set.campaign_id)
    form = ActionForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest(_("Warn, pause, exclude or reinstate the judge."))
    user, note = cast("User", request.user), form.cleaned_data["note"]
    action = form.cleaned_data["action"]
    if action in STOPPING and not is_answered(request):
        question = _stop_question(judge, test_set, action, note)
        return ask(
            request, question, campaign=test_set.campaign, test_set=test_set, section="judges"
        )
    try:
        if action == REINSTATE:
            judge_reinstate(judge=judge, user=user, note=note)
        else:
            evidence = {"measures": measures_of(judge=judge, test_set=test_set)}
            quality_action_take(
                judge=judge,
                test_set=test_set,
                action=action,
                user=user,
                note=note,
                evidence=evidence,
            )
    except QualityRefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _said(action) % {"judge": judge.pseudonym})
    return redirect(_address_of(test_set, judge.pk))


def _stop_question(judge: Judge, test_set: TestSet, action: str, note: str) -> Question:
    is_exclusion = action == QualityActionKind.EXCLUDE
    title = _("Exclude %(judge)s") if is_exclusion else _("Pause %(judge)s")
    return Question(
        title=title % {"judge": judge.pseudonym},
        facts=stopping_in_words(judge=judge, test_set=test_set, action=action),
        after=_("One click on “Revert” undoes it; the history keeps both."),
        answers=[Answer(_("Exclude the judge") if is_exclusion else _("Pause the judge"))],
        fields={"action": action, "note": note},
        cancel=_address_of(test_set, judge.pk),
    )


def _said(action: str) -> str:
    return {
        QualityActionKind.WARN: _("%(judge)s is warned: they see a friendly note on their page."),
        QualityActionKind.PAUSE: _("%(judge)s is paused and gets no more sentences."),
        QualityActionKind.EXCLUDE: _(
            "%(judge)s is excluded. The ranking is being recomputed without them; nothing "
            "is deleted."
        ),
        REINSTATE: _("%(judge)s is reinstated."),
    }[action]


@require_POST
@login_required
def action_revert(
    request: HttpRequest, slug: str, test_set_id: int, action_id: int
) -> HttpResponse:
    """Take an action back."""
    test_set = organised_test_set(request, slug, test_set_id)
    action = get_object_or_404(QualityAction, pk=action_id, judge__campaign=test_set.campaign_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest(_("The note is too long."))
    try:
        quality_action_revert(
            action=action, user=cast("User", request.user), note=form.cleaned_data["note"]
        )
    except QualityRefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The action was reverted."))
    return redirect(_address_of(test_set, action.judge_id))


def _address_of(test_set: TestSet, judge_id: int) -> str:
    return reverse("judge-page", args=[test_set.campaign.slug, test_set.pk, judge_id])
