"""The organisers' page of one judge: what they may be lent, their groups, and a new link."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.pages.campaign_judge_table import STANDINGS, came_in_words
from annotation.pages.judge_forms import JudgeForm
from annotation.selectors.effects import judge_change_in_words
from annotation.selectors.judges import campaign_judges
from campaign.models import Judge, Task, User
from campaign.selectors import judge_access, languages_without_work
from campaign.services import (
    CredentialRefusedError,
    PersonRefusedError,
    judge_change,
    judge_link_replace,
)
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered, what_ends

_SECTION = "campaign-judges"


def _judge(request: HttpRequest, slug: str, judge_id: int) -> Judge:
    campaign = organised_campaign(request, slug)
    judge: Judge = get_object_or_404(campaign_judges(campaign=campaign), pk=judge_id)
    judge.campaign = campaign
    return judge


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def campaign_judge_page(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Show a judge; POST changes what is said of them, after a page that says what it does to their work."""
    judge = _judge(request, slug, judge_id)
    form = JudgeForm(request.POST or None, judge=judge, campaign=judge.campaign)
    if request.method != "POST":
        return _page(request, judge, form)
    if not form.is_valid():
        return _page(request, judge, form, 400)
    changes = form.changes(judge)
    try:
        facts = judge_change_in_words(
            judge=_fresh(judge), change=lambda: judge_change(judge=_fresh(judge), **changes)
        )
        if facts and not is_answered(request):
            return _page(request, judge, form, facts=facts)
        judge_change(judge=_fresh(judge), **changes)
    except PersonRefusedError as error:
        form.add_error("address", str(error))
        return _page(request, judge, form, 400)
    messages.success(request, _("Saved."))
    without = languages_without_work(
        campaign=judge.campaign, languages=changes["languages"], judge=judge.pseudonym
    )
    if without:
        messages.info(request, without)
    return redirect("campaign-judge", slug, judge_id)


def _fresh(judge: Judge) -> Judge:
    return Judge.objects.get(pk=judge.pk)


def _page(
    request: HttpRequest, judge: Judge, form: JudgeForm, status: int = 200, **more: Any
) -> HttpResponse:
    shown = cast("Any", judge)
    context = {
        "campaign": judge.campaign,
        "section": _SECTION,
        "judge": judge,
        "form": form,
        "standing": STANDINGS[shown.standing],
        "came": shown.reached_at or came_in_words(shown),
        "name": "" if judge.user is None or judge.user.name == judge.pseudonym else judge.user.name,
        "may_have_link": judge.user is not None and judge.withdrawn_at is None,
        "tasks": Task.objects.of(judge.campaign)
        .named()
        .filter(judge_tallies__judge=judge)
        .order_by("id"),
        **more,
    }
    return render(request, "people/judge.html", context, status=status)


@require_POST
@never_cache
@login_required
def campaign_judge_link(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Say what a new link for a judge who lost theirs would end, and make it, to be shown this once."""
    judge = _judge(request, slug, judge_id)
    if not is_answered(request):
        question = Question(
            title=_("A new link for %(judge)s") % {"judge": judge.pseudonym},
            facts=[
                _("The links they have end at once: %(what)s.")
                % {"what": what_ends(judge_access(judge=judge)).split(",")[0]},
                _("Where they are signed in, they stay signed in."),
            ],
            after=_("The new link is shown once. What they judged stays theirs."),
            answers=[Answer(_("End the old links and make a new one"))],
            cancel=reverse("campaign-judge", args=[slug, judge_id]),
        )
        return ask(request, question, campaign=judge.campaign, section=_SECTION)
    try:
        _link, token = judge_link_replace(judge=judge, by=cast("User", request.user))
    except CredentialRefusedError as error:
        messages.error(request, str(error))
        return redirect("campaign-judge", slug, judge_id)
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    form = JudgeForm(judge=judge, campaign=judge.campaign)
    # Not after a redirect: until then the token would have to be kept somewhere.
    return _page(request, judge, form, 201, new_link=link)
