"""A segment: its outputs in the order judges gave them, and everything that was said of it."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.pages.judgment_table import JudgmentTable
from campaign.texts.languages import language_described
from campaign.views.access import organised_test_set
from ranking.pages.addresses import Addresses
from ranking.selectors.segment_judged import MOST, segment_judged


@require_safe
@never_cache
@login_required
def segment_page(request: HttpRequest, slug: str, test_set_id: int, number: int) -> HttpResponse:
    """Show a segment of a test set by its number."""
    test_set = organised_test_set(request, slug, test_set_id)
    found = segment_judged(test_set=test_set, number=number)
    if found is None:
        raise Http404
    addresses = Addresses(test_set)
    context = {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "section": "texts",
        "found": found,
        "most": MOST,
        "outputs": [
            (output, [(name, addresses.system(name)) for name in output.systems])
            for output in found.outputs
        ],
        "table": JudgmentTable(found.judgments, test_set=test_set, shown=found.shown),
        "document_address": addresses.judgments(document=found.segment.document.name),
        "source": language_described(test_set.source_language),
        "target": language_described(test_set.target_language),
    }
    return render(request, "results/segment.html", context)
