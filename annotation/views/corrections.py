"""Organisers' pages for correcting a wrong output and deciding whether its judgments count."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from annotation.export.five_way import names_shown
from annotation.pages.corrections import CorrectionForm
from annotation.pages.judgment_tables import JudgmentTable
from annotation.selectors.corrections import corrections_listed, judgments_of
from annotation.services.corrections import correction_decide
from campaign.models import Output, SystemKind, User
from campaign.texts.languages import language_described
from campaign.views.access import of_task, organised_task
from campaign.views.decorators import action_view, form_view

#: Maximum number of judgments listed.
_MOST = 100


@form_view
def output_correct_page(
    request: HttpRequest, slug: str, task_id: int, output_id: int
) -> HttpResponse:
    """Show an output and the judgments of blocks that showed it; POST corrects it."""
    task = organised_task(request, slug, task_id)
    output = get_object_or_404(
        Output.objects.select_related("system", "segment"),
        pk=output_id,
        system__test_set=task.test_set_id,
        system__kind=SystemKind.SYSTEM,
    )
    form = CorrectionForm(request.POST or None, output=output)
    if request.method == "POST" and form.is_valid():
        user = request.user if isinstance(request.user, User) else None
        if form.correct(user):
            messages.success(
                request,
                _("Output corrected. HITs that no judge has opened are redrawn with it."),
            )
            return redirect("segment", slug, task.pk, output.segment.number)
    found = judgments_of(task=task, output=output).order_by("-number")
    rows = list(found[:_MOST])
    shown = names_shown((row.block_id for row in rows), task=task)
    context = {
        **of_task(task, "texts"),
        "output": output,
        "form": form,
        "count": found.count(),
        "table": JudgmentTable(rows, task=task, shown=shown).of(request),
        "source": language_described(task.test_set.source_language),
        "target": language_described(task.test_set.target_language),
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/output_correct.html", context, status=status)


@action_view
def correction_decide_page(
    request: HttpRequest, slug: str, task_id: int, correction_id: int
) -> HttpResponse:
    """Leave out the judgments of a corrected output, or count them again."""
    task = organised_task(request, slug, task_id)
    correction = get_object_or_404(corrections_listed(task=task), pk=correction_id)
    correction_decide(correction=correction, leave_out=request.POST.get("leave_out") == "yes")
    messages.success(request, _("Saved. The ranking is being recomputed."))
    return redirect("segment", slug, task.pk, correction.before.segment.number)
