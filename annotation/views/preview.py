"""Preview the judge's pages for organisers without storing anything."""

from secrets import token_hex
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from annotation.selectors.onboarding import JudgeOnboarding
from annotation.views.judge import instructions_context, screen_context, screen_setup
from campaign.models import Judge, Task, User
from campaign.selectors.instructions import instructions_in_force, instructions_to_read
from campaign.views.access import organised_campaign
from campaign.views.decorators import page_view


@page_view
def preview_of_campaign(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the preview of the campaign's first test set."""
    campaign = organised_campaign(request, slug)
    first = Task.objects.of(campaign).order_by("pk").first()
    if first is None:
        messages.error(request, _("Add texts first: there is nothing to preview yet."))
        return redirect("test-sets", slug)
    return redirect("judge-preview", slug, first.pk)


@page_view
def preview(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Redirect to the first page that a new judge of the test set sees."""
    pages = _pages(_task(request, slug, task_id))
    return redirect(pages["instructions"] or pages["sentences"])


@page_view
def preview_instructions(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the instructions as judges read them, with a link to the sentences."""
    task = _task(request, slug, task_id)
    in_force = instructions_in_force(campaign=task.test_set.campaign)
    wanted = request.GET.get("language") or get_language() or ""
    shown = instructions_to_read(in_force=in_force, language=wanted)
    pages = _pages(task)
    if shown is None:
        return redirect(pages["sentences"])
    context = {
        **_shared(task, pages, "instructions"),
        **instructions_context(shown, in_force),
        "onward": pages["sentences"],
    }
    return render(request, "judge/instructions_preview.html", context)


@require_safe
@gzip_page
@login_required
@never_cache
@ensure_csrf_cookie
def preview_sentences(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the judging page; its requests go to addresses that store nothing."""
    task = _task(request, slug, task_id)
    judge = _judge(request, task)
    protocols = [task.protocol]
    context = screen_context(judge, protocols) | _shared(task, _pages(task), "sentences")
    context["setup"] = screen_setup(judge, request.path, protocols) | {
        "preview": reverse("preview-assignments", args=[task.pk]).removesuffix("assignments/"),
        "campaign": slug,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
        "owner": _owner(),
    }
    return render(request, "judge/judge.html", context)


def _task(request: HttpRequest, slug: str, task_id: int) -> Task:
    """Return the task if the user organises its campaign, without remembering it in the session."""
    campaign = organised_campaign(request, slug)
    return get_object_or_404(
        Task.objects.select_related("test_set__campaign"), pk=task_id, test_set__campaign=campaign
    )


def _owner() -> str:
    """Return a random owner, so that the page does not read data that other pages stored on the device."""
    return f"preview/{token_hex(8)}"


def _judge(request: HttpRequest, task: Task) -> Judge:
    """Return an unsaved judge."""
    user = cast("User", request.user)
    return Judge(campaign=task.test_set.campaign, user=user, pseudonym=user.name)


def _pages(task: Task) -> dict[str, str]:
    """Return the addresses of the pages in order; empty for pages that judges would not see."""
    campaign = task.test_set.campaign
    where = [campaign.slug, task.pk]
    has_instructions = bool(instructions_in_force(campaign=campaign))
    return {
        "instructions": reverse("judge-preview-instructions", args=where)
        if has_instructions
        else "",
        "sentences": reverse("judge-preview-sentences", args=where),
    }


def _shared(task: Task, pages: dict[str, str], here: str) -> dict[str, object]:
    return {
        "campaign": task.test_set.campaign,
        "task": task,
        "pages": pages,
        "here": here,
        "onboarding": JudgeOnboarding(
            judge=Judge(campaign=task.test_set.campaign),
            owes_acceptance=True,
            has_instructions=bool(pages["instructions"]),
            has_choice=False,
            protocols=[task.protocol],
        ),
    }
