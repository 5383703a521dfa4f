"""Closing a test set to judges, and opening it again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.selectors.at_work import closing_in_words
from campaign.services import test_set_close, test_set_reopen
from campaign.views.access import organised_test_set
from campaign.views.confirming import Answer, Question, ask, is_answered


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def test_set_close_page(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Say who is at work in a test set, and close it."""
    test_set = organised_test_set(request, slug, test_set_id)
    if not is_answered(request):
        question = Question(
            title=_("Close %(name)s") % {"name": test_set.name},
            facts=closing_in_words(test_set=test_set),
            after=_("“Open again” on the page of settings undoes it."),
            answers=[Answer(_("Close the test set"))],
            cancel=reverse("campaign-settings", args=[slug]),
        )
        return ask(request, question, campaign=test_set.campaign, section="settings")
    test_set_close(test_set=test_set)
    messages.success(
        request, _("Judges get no more sentences of %(name)s.") % {"name": test_set.name}
    )
    return redirect("campaign-settings", slug)


@require_POST
@login_required
def test_set_reopen_page(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Open a closed test set again."""
    test_set = organised_test_set(request, slug, test_set_id)
    test_set_reopen(test_set=test_set)
    messages.success(request, _("%(name)s is open to judges again.") % {"name": test_set.name})
    return redirect("campaign-settings", slug)
