"""A judge's page of what is kept about them: to download, and to ask that nothing leads to them any more."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.export.own_data import own_data_zip
from annotation.views.judge import sending_setup
from annotation.views.steps import onboarding_or_404
from campaign.services import erasure_ask, erasure_withdraw


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def own_data_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what a judge can download and what erasure does; POST asks for erasure, or withdraws that."""
    judge = onboarding_or_404(request, slug).judge
    action = request.POST.get("action")
    if action == "ask":
        erasure_ask(judge=judge, language=get_language() or "")
        return redirect("judge-data", slug)
    if action == "withdraw":
        erasure_withdraw(judge=judge)
        return redirect("judge-data", slug)
    context = {
        "campaign": judge.campaign,
        "judge": judge,
        "erasure": judge.erasure_requests.order_by("-pk").first(),
        "setup": sending_setup(judge),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "judge/own_data.html", context, status=status)


@require_safe
@login_required
@never_cache
def own_data_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Send what is kept about a judge as a zip."""
    judge = onboarding_or_404(request, slug).judge
    return HttpResponse(
        own_data_zip(judge),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{slug}-my-data.zip"'},
    )
