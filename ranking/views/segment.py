"""A segment: its outputs in the order judges gave them, and everything that was said of it."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.pages.judgment_tables import JudgmentTable
from annotation.protocols import answer_kind
from campaign.texts.languages import language_described
from campaign.views.access import organised_task
from ranking.pages.addresses import Addresses
from ranking.selectors.segment_judged import MOST, segment_judged


@require_safe
@never_cache
@login_required
def segment_page(request: HttpRequest, slug: str, task_id: int, number: int) -> HttpResponse:
    """Show a segment of a test set by its number."""
    task = organised_task(request, slug, task_id)
    found = segment_judged(task=task, number=number)
    if found is None:
        raise Http404
    addresses = Addresses(task, compares_outputs=answer_kind(task.protocol).compares_outputs)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "texts",
        "found": found,
        "most": MOST,
        "outputs": [
            (output, [(name, addresses.system(name)) for name in output.systems])
            for output in found.outputs
        ],
        "table": JudgmentTable(found.judgments, task=task, shown=found.shown),
        "document_address": addresses.judgments(document=found.segment.document.name),
        "source": language_described(task.test_set.source_language),
        "target": language_described(task.test_set.target_language),
    }
    return render(request, "results/segment.html", context)
