"""Pages to clone and rehearse campaigns, and to add, change and delete tasks."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.selectors.judges_needed import judges_needed
from annotation.selectors.task_rules import rules_settled_in_words
from annotation.selectors.tasks import preparation
from campaign.models import CampaignState, Task
from campaign.selectors.rehearsals import rehearsal_state
from campaign.selectors.tasks import languages_settled_in_words
from campaign.services.campaigns import (
    TaskRefusedError,
    rehearsal_begin,
    rehearsal_end_later,
)
from campaign.texts.joining import labelled, sentence_list, with_full_stop
from campaign.texts.languages import language_pair_name
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import (
    form_page,
    of_task,
    organised_campaign,
    organised_task,
    user_of,
)
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import form_view
from desk.pages.checklist import steps_of
from whole_campaigns.cloning import Clone, campaign_clone
from whole_campaigns.forms import (
    CloneForm,
    NewTaskForm,
    RehearsalForm,
    TaskSettingsForm,
)
from whole_campaigns.rehearsing import rehearsal_in_words
from whole_campaigns.task_deletion import (
    is_last_of_test_set,
    task_delete,
    task_deletion_in_words,
    task_deletion_refusal,
)


@form_view
def campaign_clone_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form to clone a campaign; POST creates the clone and shows the links of its judges once."""
    campaign = organised_campaign(request, slug)
    initial = {
        "name": _("%(name)s (copy)") % {"name": campaign.name},
        "slug": f"{campaign.slug[:57]}-2",
        "texts": True,
    }
    form = CloneForm(request.POST or None, initial=initial)
    context = {"campaign": campaign, "section": "state", "form": form}
    if request.method == "POST" and form.is_valid():
        with RefusalsAt(form):
            clone = campaign_clone(
                source=campaign,
                by=user_of(request),
                **form.cleaned_data,
            )
            clone_context = {
                **context,
                "campaign": clone.campaign,
                "clone": clone,
                "source": campaign,
            }
            clone_context["links"] = _links(request, clone)
            steps = steps_of(clone.campaign, preparation(campaign=clone.campaign))
            clone_context["next_step"] = next(step for step in steps if step.is_needed)
            return render(request, "organiser/cloned.html", clone_context)
    return form_page(request, "organiser/clone.html", context)


def _links(request: HttpRequest, clone: Clone) -> list[tuple[str, str]]:
    links = []
    for judge, token in clone.links:
        address = reverse("invitation", args=[token])
        links.append((judge.called, request.build_absolute_uri(address)))
    return links


@form_view
def rehearsal_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rehearsal of a campaign; POST starts a new one."""
    campaign = organised_campaign(request, slug)
    state = rehearsal_state(campaign=campaign)
    last = None
    if state.rehearsal:
        last = state.rehearsal.parameters
    initial = None
    if last:
        initial = {**last, "share": round(100 * last["share"])}
    form = RehearsalForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        parameters = {**form.cleaned_data, "share": form.cleaned_data["share"] / 100}
        with RefusalsAt(form):
            rehearsal_begin(campaign=campaign, by=user_of(request), **parameters)
            messages.success(request, _("Rehearsal started."))
            return redirect("rehearsal", slug)
    context = {
        "campaign": campaign,
        "section": "state",
        "form": form,
        "state": state,
        "job": state.job,
        "words": last and rehearsal_in_words(last),
        "is_draft": campaign.state == CampaignState.DRAFT
        and campaign.rehearsal_of_id is None,
    }
    is_part = request.headers.get("HX-Request")
    if is_part:
        name = "organiser/_rehearsal.html"
    else:
        name = "organiser/rehearsal.html"
    return form_page(request, name, context)


@form_view
def rehearsal_end_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for confirmation to end the rehearsal; POST ends it."""
    campaign = organised_campaign(request, slug)
    if request.method == "POST" and is_answered(request):
        rehearsal_end_later(campaign=campaign, by=user_of(request))
        messages.success(request, _("Rehearsal is being deleted."))
        return redirect("rehearsal", slug)
    question = Question(
        title=_("End rehearsal"),
        facts=[
            _(
                "Permanently deletes the simulated judges with their judgments, rankings and reports.",
            ),
            _("“%(name)s” is not changed.") % {"name": campaign.name},
        ],
        after=_(
            "This cannot be undone, but the same seed produces the same rehearsal.",
        ),
        answers=[Answer(_("End rehearsal"))],
        cancel=reverse("rehearsal", args=[slug]),
    )
    return ask(request, question, campaign=campaign, section="state")


# Enough for any ID.
_DIGITS = 9


@form_view
def task_add_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form for a new task, optionally with the `?test_set=` and `?study=` chosen; POST creates the task."""
    campaign = organised_campaign(request, slug)
    number = request.GET.get("test_set", "")
    test_set = None
    if number.isascii() and number.isdigit() and len(number) <= _DIGITS:
        test_set = int(number)
    form = NewTaskForm(
        request.POST or None,
        campaign=campaign,
        test_set=test_set,
        study=request.GET.get("study", ""),
    )
    if request.method == "POST" and form.is_valid():
        task = form.save(by=user_of(request))
        if task is not None:
            messages.success(
                request,
                _("Task added to %(name)s: %(protocol)s. Check its design.")
                % {"name": task.test_set.name, "protocol": task.get_protocol_display()},
            )
            for needed in judges_needed([task]):
                messages.info(request, sentence_list(needed.words))
            return redirect("test-set-texts", slug, task.pk)
    context = {"campaign": campaign, "section": "test-sets", "form": form}
    return form_page(request, "organiser/task_add.html", context)


@form_view
def task_delete_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Ask for confirmation to delete a task, or show why it cannot be deleted; POST deletes it."""
    task = organised_task(request, slug, task_id)
    if not is_answered(request):
        return _deletion_ask(request, task)
    called = task.called
    try:
        task_delete(task=task, by=user_of(request))
    except TaskRefusedError as error:
        return _deletion_ask(request, task, error=str(error))
    messages.success(request, _("“%(name)s” deleted.") % {"name": called})
    return redirect("test-sets", slug)


def _deletion_ask(request: HttpRequest, task: Task, *, error: str = "") -> HttpResponse:
    refused = error or task_deletion_refusal(task=task)
    facts: Sequence[str] = []
    after = ""
    answers: list[Answer] = []
    if refused:
        if not error:
            facts = [refused]
    else:
        facts = task_deletion_in_words(task=task)
        if is_last_of_test_set(task):
            after = _("This cannot be undone.")
            answers = [Answer(_("Delete test set"))]
        else:
            after = _("This cannot be undone, but you can add the task again.")
            answers = [Answer(_("Delete task"))]
    question = Question(
        title=_("Delete %(name)s") % {"name": task.called},
        facts=facts,
        after=after,
        answers=answers,
        cancel=reverse("test-set-texts", args=[task.test_set.campaign.slug, task.pk]),
        error=error,
    )
    campaign = task.test_set.campaign
    return ask(request, question, campaign=campaign, section="test-sets", task=task)


@form_view
def test_set_settings(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the settings of a task; POST changes them."""
    task = organised_task(request, slug, task_id)
    settled = languages_settled_in_words(test_set=task.test_set)
    rules_settled = rules_settled_in_words(task=task)
    form = TaskSettingsForm(
        request.POST or None,
        task=task,
        are_languages_settled=bool(settled),
        rules_settled=rules_settled,
    )
    if request.method == "POST" and form.is_valid() and form.save():
        task.refresh_from_db()
        messages.success(request, _settings_in_words(task))
        return redirect("test-set-settings", slug, task_id)
    if not form.rules_names and "segments_again" not in form.fields:
        rules_settled = ""
    sentences: list[str] = []
    for needed in judges_needed([task]):
        sentences += needed.words
    context = {
        **of_task(task, "settings"),
        "form": form,
        "settled": settled,
        "rules_settled": rules_settled,
        "needed": sentences,
    }
    return form_page(request, "organiser/test_set_settings.html", context)


def _settings_in_words(task: Task) -> str:
    test_set = task.test_set
    languages = language_pair_name(test_set.source_language, test_set.target_language)
    saved = [_("Saved."), with_full_stop(labelled(test_set.name, languages))]
    blocks_wanted = task.blocks_wanted
    if blocks_wanted is None:
        return sentence_list(saved)
    target = ngettext("Target: %(n)s block.", "Target: %(n)s blocks.", blocks_wanted)
    number = number_format(blocks_wanted, force_grouping=True)
    return sentence_list([*saved, target % {"n": number}])
