"""The page on which a judge declines to take part, and changes their mind."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.services import judge_decline, judge_take_part
from annotation.views.judge import sending_setup
from annotation.views.steps import onboarding_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def declining_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what declining does; POST declines, or takes part again."""
    judge = onboarding_or_404(request, slug).judge
    action = request.POST.get("action")
    if action == "decline":
        judge_decline(judge=judge)
        return redirect("judge-decline", slug)
    if action == "return":
        judge_take_part(judge=judge)
        return redirect("judge", slug)
    context = {
        "campaign": judge.campaign,
        "judge": judge,
        "setup": sending_setup(judge),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "judge/declining.html", context, status=status)
