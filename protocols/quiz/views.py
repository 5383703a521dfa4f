"""The organisers' page of the snippets of a quiz."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.selectors.judges_needed import judges_needed
from campaign.models import Protocol
from campaign.views.access import organised_task
from protocols.quiz.forms import SnippetsForm
from protocols.quiz.snippets import snippet_json, snippets_of, snippets_settled_in_words


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def snippets_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the snippets of a quiz with their statements; POST replaces all of them by a file, until judges begin."""
    task = organised_task(request, slug, task_id)
    if task.protocol != Protocol.QUIZ:
        raise Http404
    form = SnippetsForm(request.POST, request.FILES) if request.method == "POST" else SnippetsForm()
    if form.is_bound and form.is_valid():
        count = form.replace(task)
        if count is not None:
            messages.success(
                request,
                ngettext(
                    "The quiz has %(count)d snippet.", "The quiz has %(count)d snippets.", count
                )
                % {"count": count},
            )
            return redirect("snippets", slug, task.pk)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "texts",
        "form": form,
        "settled": snippets_settled_in_words(task=task),
        "snippets": [snippet_json(each) for each in snippets_of(task)],
        "needed": [words for needed in judges_needed([task]) for words in needed.words],
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/snippets.html", context, status=status)
