"""Answers of a task, from files of other tools and as such files."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.answer_files import answer_files
from annotation.export.answers import answers_response, answers_written, formats_written
from annotation.importing.answer_rows import repeated_in_words, skips_in_words
from annotation.importing.answers import AnswersImported, sent_answers_import
from annotation.pages.answers_form import AnswersForm
from campaign.formats import FormatError
from campaign.importing.errors import ImportRefusedError
from campaign.models import Task
from campaign.selectors.uploads import judgments_imports
from campaign.views.access import organised_task


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def answers_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Say which files answers are read from and written as; POST imports one, `?as=` a format says what it lacks."""
    task = organised_task(request, slug, task_id)
    files = answer_files(task.protocol)
    wanted = request.GET.get("as", "")
    written = answers_written(task=task, file_format=wanted) if wanted else None
    if wanted and written is None:
        raise Http404
    if written is not None and "download" in request.GET:
        return answers_response(task=task, file_format=wanted, written=written)
    form = None
    if files is not None and files.formats:
        given = (request.POST, request.FILES) if request.method == "POST" else ()
        form = AnswersForm(*given, files=files)
    if form is not None and form.is_bound and form.is_valid() and _imported(request, task, form):
        return redirect("answers", slug, task_id)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "judgments",
        "form": form,
        "formats": formats_written(task),
        "wanted": wanted,
        "written": written,
        "imports": judgments_imports(task=task),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "organiser/answers.html", context, status=status)


def _imported(request: HttpRequest, task: Task, form: AnswersForm) -> bool:
    """Import the file; False, with an error, if refused."""
    try:
        imported = sent_answers_import(
            task=task,
            sent=form.cleaned_data["file"],
            file_format=form.cleaned_data["file_format"] or None,
        )
    except (FormatError, ImportRefusedError) as error:
        form.add_error("file", str(error))
        return False
    messages.success(request, _in_words(imported))
    if imported.skips:
        messages.success(request, skips_in_words(imported.skips))
    if imported.repeated:
        messages.warning(request, repeated_in_words(imported.repeated))
    for loss in imported.losses:
        messages.warning(
            request,
            _("Not carried over: %(what)s (%(count)s times, first at %(first)s).")
            % {"what": loss.what, "count": number_format(loss.count), "first": loss.first},
        )
    return True


def _in_words(imported: AnswersImported) -> str:
    said = ngettext(
        "%(judgments)s judgment imported, %(there)s already there.",
        "%(judgments)s judgments imported, %(there)s already there.",
        imported.judgments,
    )
    return said % {
        "judgments": number_format(imported.judgments),
        "there": number_format(imported.already_there),
    }
