"""A judge's own receipt: what they worked, as a page that prints and as a file."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.export.work_time import clock_time, work_time_csv
from annotation.selectors import work_time
from annotation.selectors.judges import messages_to
from annotation.selectors.judgment_list import own_problem_reports
from annotation.views.judge import sending_setup
from annotation.views.steps import onboarding_or_404


@require_safe
@login_required
@never_cache
def work_time_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show sentences and active time by day and in all, what is counted, and what became of problems reported."""
    judge = onboarding_or_404(request, slug).judge
    worked = work_time(judge)
    context = {
        "campaign": judge.campaign,
        "judge": judge,
        "worked": worked,
        "total": worked.total,
        "total_time": clock_time(worked.total.active_seconds),
        "days": [(day, each, clock_time(each.active_seconds)) for day, each in worked.days.items()],
        "reports": own_problem_reports(judge),
        "messages_to_judge": messages_to(judge),
        "setup": sending_setup(judge),
    }
    return render(request, "judge/work_time.html", context)


@require_safe
@login_required
@never_cache
def work_time_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the same as a CSV file."""
    judge = onboarding_or_404(request, slug).judge
    return HttpResponse(
        work_time_csv(judge=judge, worked=work_time(judge)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-my-time.csv"'},
    )
