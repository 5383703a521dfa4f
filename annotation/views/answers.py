"""Import and export of a task's answers in files."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.importing.answer_rows import (
    by_machines_in_words,
    machines_in_words,
    repeated_in_words,
    skips_in_words,
)
from annotation.importing.answers import (
    AnswersImported,
    ImportOptions,
    sent_answers_import,
)
from annotation.importing.stored_answers import NoLongerInFile
from annotation.protocols.answer_files import formats_read
from annotation.selectors.machines import machines_of
from campaign.formats import FormatError
from campaign.formats.errors import Loss
from campaign.importing.errors import ImportRefusedError
from campaign.models import Task
from campaign.selectors.uploads import judgments_imports
from campaign.texts.counted import counted, filled
from campaign.views.access import of_task, organised_task, user_of
from campaign.views.decorators import form_view


class AnswersForm(forms.Form):
    """A file of answers, and its format."""

    file = forms.FileField(
        label=gettext_lazy("Answers"),
        help_text=gettext_lazy(
            "Plain or .gz, up to 5 MB. Import larger files with the command import_answers.",
        ),
    )
    file_format = forms.ChoiceField(label=gettext_lazy("Format"), required=False)
    machine = forms.ChoiceField(
        label=gettext_lazy("Machine judge"),
        required=False,
        help_text=gettext_lazy(
            "Judges in the file with the name and version of a machine judge are recognised, and JSON Lines with “machine” add new ones. Choose one if all answers are of that one.",
        ),
    )
    no_longer_in_file = forms.ChoiceField(
        label=gettext_lazy("Imported answers missing from the file"),
        choices=[
            ("", gettext_lazy("Ask before importing")),
            (NoLongerInFile.KEEP, gettext_lazy("Keep")),
            (NoLongerInFile.WITHDRAW, gettext_lazy("Withdraw")),
        ],
        required=False,
    )

    def __init__(self, *submission: Any, task: Task) -> None:
        super().__init__(*submission)
        formats = formats_read(task)
        machines = list(map(str, machines_of(campaign_id=task.test_set.campaign_id)))
        self.fields["machine"].choices = [  # type: ignore[attr-defined]  # a ChoiceField
            ("", gettext_lazy("As named in the file")),
            *((name, name) for name in machines),
        ]
        self.fields["file_format"].choices = [  # type: ignore[attr-defined]  # a ChoiceField
            ("", gettext_lazy("Detect automatically")),
            *((name, name) for name in formats),
        ]


@form_view
def answers_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the form for importing answers, and earlier imports; POST imports a file."""
    task = organised_task(request, slug, task_id)
    submission = (request.POST, request.FILES) if request.method == "POST" else ()
    form = AnswersForm(*submission, task=task)
    if form.is_bound and form.is_valid() and _import_answers(request, task, form):
        return redirect("answers", slug, task_id)
    context = {
        **of_task(task, "answers"),
        "form": form,
        "imports": judgments_imports(task=task),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "organiser/answers.html", context, status=status)


def _import_answers(request: HttpRequest, task: Task, form: AnswersForm) -> bool:
    """Import the file; False, with an error, if refused."""
    choice = form.cleaned_data["no_longer_in_file"]
    try:
        options = ImportOptions(
            file_format=form.cleaned_data["file_format"] or None,
            no_longer_in_file=NoLongerInFile(choice) if choice else None,
            machine=form.cleaned_data["machine"],
            by=user_of(request),
        )
        sent = form.cleaned_data["file"]
        imported = sent_answers_import(task=task, sent=sent, options=options)
    except (FormatError, ImportRefusedError) as error:
        form.add_error("file", str(error))
        return False
    messages.success(request, _judgments_in_words(imported))
    if imported.machines:
        messages.success(request, machines_in_words(imported.machines))
    if imported.by_machines:
        messages.success(request, by_machines_in_words(imported.by_machines))
    if imported.skips:
        messages.success(request, skips_in_words(imported.skips))
    if imported.repeated:
        messages.warning(request, repeated_in_words(imported.repeated))
    losses_warn(request, imported.losses)
    return True


def losses_warn(request: HttpRequest, losses: Iterable[Loss]) -> None:
    """Warn about content of a file that was not imported."""
    for loss in losses:
        message = _("Not imported: %(what)s (%(count)s times, first at %(first)s).")
        messages.warning(
            request,
            filled(message, what=loss.what, count=loss.count, first=loss.first),
        )


def _judgments_in_words(imported: AnswersImported) -> str:
    return counted(
        "%(count)s judgment imported, %(there)s already there.",
        "%(count)s judgments imported, %(there)s already there.",
        imported.judgments,
        there=imported.already_there,
    )
