"""Organisers' page of questions to judges: the questions, the answers, and groups by an answer."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.pages.questions import AnswerGroupForm, QuestionForm, judges_paragraph
from campaign.models import Campaign, Judge
from campaign.questions import questions_read
from campaign.selectors.questions import answers_summaries, questions_shown
from campaign.services.questions import question_delete
from campaign.views.access import organised_campaign
from campaign.views.decorators import form_view


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
    summaries = answers_summaries(campaign=campaign)
    form = QuestionForm(
        request.POST if act == "save" else None, campaign=campaign, shown=request.GET.dict()
    )
    group_form = AnswerGroupForm(
        request.POST if act == "group" else None,
        campaign=campaign,
        summaries=summaries,
    )
    if form.is_valid() and form.save():
        messages.success(request, _("Saved."))
        return redirect("questions", slug)
    if group_form.is_valid():
        group = group_form.save()
        if group is not None:
            messages.success(request, _("%(name)s added.") % {"name": group.name})
            return redirect("judge-group", slug, group.pk)
    context = {
        "campaign": campaign,
        "summaries": summaries,
        "paragraph": judges_paragraph(campaign=campaign),
        "section": "questions",
        "form": form,
        "group_form": group_form,
        "questions": _preview(campaign),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "people/questions.html", context, status=status)


def _preview(campaign: Campaign) -> list[object]:
    """Return the questions as judges see them in the language of the page."""
    return [
        *questions_shown(
            judge=Judge(campaign=campaign),
            questions=questions_read(campaign.questions),
            language=get_language() or "",
        )
    ]
