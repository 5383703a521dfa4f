"""Closing a test set to judges, and opening it again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.selectors.effects import closing_in_words
from campaign.services import task_close, task_reopen
from campaign.views.access import organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def task_close_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Say who is at work in a test set, and close it."""
    task = organised_task(request, slug, task_id)
    if not is_answered(request):
        question = Question(
            title=_("Close %(name)s") % {"name": task.called},
            facts=closing_in_words(task=task),
            after=_("“Open again” on the page of settings undoes it."),
            answers=[Answer(_("Close the test set"))],
            cancel=reverse("campaign-settings", args=[slug]),
        )
        return ask(request, question, campaign=task.test_set.campaign, section="settings")
    task_close(task=task)
    messages.success(
        request, _("Judges get no more sentences of %(name)s.") % {"name": task.called}
    )
    return redirect("campaign-settings", slug)


@require_POST
@login_required
def task_reopen_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Open a closed test set again."""
    task = organised_task(request, slug, task_id)
    task_reopen(task=task)
    messages.success(request, _("%(name)s is open to judges again.") % {"name": task.called})
    return redirect("campaign-settings", slug)
