from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.services import judge_decline, judge_take_part
from annotation.views.opaque import opaque
from annotation.views.steps import onboarding_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def declining_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what declining does; POST declines, or takes part again."""
    judge = onboarding_or_404(request, slug).judge
    if request.method == "POST" and request.POST.get("action") == "decline":
        judge_decline(judge=judge)
        return redirect("judge-decline", slug)
    if request.method == "POST":
        judge_take_part(judge=judge)
        return redirect("judge", slug)
    context = {
        "campaign": judge.campaign,
        "judge": judge,
        "setup": {"user": opaque("user", judge.user_id)},
    }
    return render(request, "judge/declining.html", context)
