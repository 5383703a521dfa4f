"""The organisers' page for the snippets of a quiz."""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.selectors.judges_needed import judges_needed
from campaign.importing.uploaded_files import sent_file
from campaign.models import Protocol
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import form_page, of_task, organised_task
from campaign.views.decorators import form_view
from protocols.quiz.snippets import (
    snippet_json,
    snippets_import,
    snippets_of,
    snippets_settled_in_words,
)

#: Maximum size of a file; larger ones must be imported with the command.
MAX_BYTES: Final = 2_000_000


class SnippetsForm(forms.Form):
    """Upload of a file with all snippets of a task."""

    file = forms.FileField(
        label=_("Snippets"),
        help_text=_(
            "JSON Lines with one object per snippet, or CSV with one row per statement; at most 2 MB.",
        ),
    )

    def clean_file(self) -> Any:
        """Refuse a file that is too large."""
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                _("The file is larger than 2 MB. Use the import_snippets command."),
            )
        return file


@form_view
def snippets_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the snippets of a quiz with their statements; POST replaces them with a file until
    judging starts.
    """
    task = organised_task(request, slug, task_id)
    if task.protocol != Protocol.QUIZ:
        raise Http404
    if request.method == "POST":
        form = SnippetsForm(request.POST, request.FILES)
    else:
        form = SnippetsForm()
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        with RefusalsAt(form, "file"):
            count = snippets_import(task=task, file=sent_file(file))
            messages.success(
                request,
                ngettext(
                    "%(count)d snippet uploaded.",
                    "%(count)d snippets uploaded.",
                    count,
                )
                % {"count": count},
            )
            return redirect("snippets", slug, task.pk)
    sentences = []
    for needed in judges_needed([task]):
        sentences.extend(needed.words)
    context = {
        **of_task(task, "texts"),
        "form": form,
        "settled": snippets_settled_in_words(task=task),
        "snippets": [snippet_json(snippet) for snippet in snippets_of(task)],
        "needed": sentences,
    }
    return form_page(request, "organiser/snippets.html", context)
