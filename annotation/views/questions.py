"""Organisers' page of questions to judges: the questions, the answers, and groups by an answer."""

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.pages.questions import AnswersForm, QuestionForm, judges_worked
from campaign.models import Campaign, Judge, MembershipRole
from campaign.selectors.questions import answers_summaries
from campaign.services.questions import (
    judge_group_from_answer,
    question_delete,
    question_move,
)
from campaign.views.access import organised_campaign
from campaign.views.decorators import form_view, refusals_as_messages


@form_view
def questions_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show questions and answers; POST saves, moves or deletes a question, or makes a group of judges.

    The query string may have the `question` and its `language` to edit. Analysts see the questions without answers.
    """
    campaign = organised_campaign(request, slug)
    act = request.POST.get("act", "")
    if act == "delete":
        question_delete(campaign=campaign, name=request.POST.get("name", ""))
        messages.success(request, _("Question deleted. Its answers are kept."))
        return redirect("questions", slug)
    if act in {"up", "down"}:
        return _moved(request, campaign, is_up=act == "up")
    if act == "group":
        question_name, _equals, answer = request.POST.get("answer", "").partition("=")
        name = request.POST.get("group", "")
        with refusals_as_messages(request):
            group = judge_group_from_answer(
                campaign=campaign,
                question=question_name,
                answer=answer,
                name=name,
            )
            messages.success(request, _("%(name)s added.") % {"name": group.name})
        return redirect("questions", slug)
    form = QuestionForm(
        request.POST if act == "save" else None,
        campaign=campaign,
        parameters=request.GET.dict(),
    )
    if form.is_valid() and form.save():
        messages.success(request, _("Saved."))
        return redirect("questions", slug)
    role: Any = campaign.role  # type: ignore[attr-defined]  # as `organised_campaign` read it
    reads_answers = MembershipRole(role).may_change
    summaries = answers_summaries(
        campaign=campaign,
        judges=None if reads_answers else (),
    )
    names_by_stage: dict[str, list[str]] = {}
    for summary in summaries:
        question = summary.question
        names_by_stage.setdefault(question.stage, []).append(question.name)
    context = {
        "campaign": campaign,
        "summaries": summaries,
        # By when they are asked; these cannot be moved further.
        "first": {names[0] for names in names_by_stage.values()},
        "last": {names[-1] for names in names_by_stage.values()},
        "worked": judges_worked(campaign=campaign) if reads_answers else None,
        "section": "questions",
        "form": form,
        "answers_form": AnswersForm(
            judge=Judge(campaign=campaign),
            questions=[summary.question for summary in summaries],
        ),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "people/questions.html", context, status=status)


def _moved(request: HttpRequest, campaign: Campaign, *, is_up: bool) -> HttpResponse:
    """Move a question, and return to it."""
    name = request.POST.get("name", "")
    address = reverse("questions", args=[campaign.slug])
    with refusals_as_messages(request):
        moved = question_move(campaign=campaign, name=name, is_up=is_up)
        messages.success(
            request,
            _("“%(name)s” is now question %(position)s of %(count)s.")
            % {"name": name, **asdict(moved)},
        )
        address = f"{address}#summary-{name}"
    return redirect(address)
