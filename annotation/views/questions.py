"""Organisers' page of questions to judges: the questions, the answers, and groups by an answer."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.pages.questions import AnswersForm, QuestionForm, judges_worked
from campaign.models import Judge
from campaign.selectors.questions import answers_summaries
from campaign.services.questions import judge_group_from_answer, question_delete
from campaign.views.access import organised_campaign
from campaign.views.decorators import form_view, refusals_as_messages


@form_view
def questions_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show questions and answers; POST saves or deletes a question, or makes a group of judges.

    The query string may have the `question` and its `language` to edit.
    """
    campaign = organised_campaign(request, slug)
    act = request.POST.get("act", "")
    if act == "delete":
        question_delete(campaign=campaign, name=request.POST.get("name", ""))
        messages.success(request, _("Question deleted. Its answers are kept."))
        return redirect("questions", slug)
    if act == "group":
        question, _equals, answer = request.POST.get("answer", "").partition("=")
        name = request.POST.get("group", "")
        with refusals_as_messages(request):
            group = judge_group_from_answer(
                campaign=campaign, question=question, answer=answer, name=name
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
    summaries = answers_summaries(campaign=campaign)
    context = {
        "campaign": campaign,
        "summaries": summaries,
        "worked": judges_worked(campaign=campaign),
        "section": "questions",
        "form": form,
        "answers_form": AnswersForm(
            judge=Judge(campaign=campaign),
            questions=[summary.question for summary in summaries],
        ),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "people/questions.html", context, status=status)
