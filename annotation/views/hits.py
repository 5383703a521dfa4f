from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.models import JudgmentNumber
from annotation.selectors.designs import design_in_force
from annotation.selectors.hits import hits_explained
from annotation.views.reasons import hit_reason
from campaign.views.access import organised_task

PAGE = 50


@require_safe
@never_cache
@login_required
def hits_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the HITs of a test set, latest first, and why each was drawn; `?before=` a number."""
    task = organised_task(request, slug, task_id)
    hits = hits_explained(task_id=task.pk).order_by("-number")
    before = request.GET.get("before", "")
    # Ten digits would be more than a number of a HIT can have.
    if before.isascii() and before.isdigit() and len(before) < 10:
        hits = hits.filter(number__lt=int(before))
    rows = list(hits[: PAGE + 1])
    return render(
        request,
        "dashboard/hits.html",
        {
            "campaign": task.test_set.campaign,
            "task": task,
            "section": "judgments",
            "design": design_in_force(task_id=task.pk),
            "hits": [hit_reason(hit) for hit in rows[:PAGE]],
            "older": rows[PAGE - 1].number if len(rows) > PAGE else None,
        },
    )


@require_safe
@never_cache
@login_required
def hit_page(request: HttpRequest, slug: str, task_id: int, number: int) -> HttpResponse:
    """Show a HIT: why it was drawn, and what was judged of it."""
    task = organised_task(request, slug, task_id)
    # More than the column holds would be an error of the database.
    of_number = hits_explained(task_id=task.pk).filter(number=min(number, 2**31 - 1))
    hit = get_object_or_404(of_number)
    judged = JudgmentNumber.objects.filter(judgment__block__hit=hit).order_by("number")
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "judgments",
        "hit": hit_reason(hit),
        "numbers": judged.values_list(
            "number", "judgment__judge__pseudonym", "judgment__block__segment__number"
        )[:PAGE],
    }
    return render(request, "organiser/hit.html", context)
