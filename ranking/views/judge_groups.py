"""The organisers' pages of groups of judges."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.models import JudgeGroup
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered
from ranking.pages.forms import JudgeGroupForm
from ranking.selectors.group_uses import group_uses, groups_listed
from ranking.services.judge_groups import JudgeGroupInUseError, judge_group_delete

_SECTION = "judge-groups"


def _group(request: HttpRequest, slug: str, group_id: int) -> JudgeGroup:
    campaign = organised_campaign(request, slug)
    present = JudgeGroup.objects.present().select_related("campaign")
    return get_object_or_404(present, pk=group_id, campaign=campaign)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def judge_groups_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the groups of a campaign and what they are in force for; POST makes one."""
    campaign = organised_campaign(request, slug)
    form = JudgeGroupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        group = form.save(campaign)
        if group is not None:
            messages.success(request, _("“%(name)s” is made.") % {"name": group.name})
            return redirect("judge-groups", slug)
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "groups": groups_listed(campaign=campaign),
        "form": form,
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "people/groups.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def judge_group_page(request: HttpRequest, slug: str, group_id: int) -> HttpResponse:
    """Show a group; POST changes its name and what its judges are asked for."""
    group = _group(request, slug, group_id)
    name = group.name
    form = JudgeGroupForm(request.POST or None, group=group)
    if request.method == "POST" and form.is_valid() and form.save(group.campaign):
        messages.success(request, _("Saved."))
        return redirect("judge-groups", slug)
    context = {
        "campaign": group.campaign,
        "section": _SECTION,
        "group": group,
        "name": name,
        "judges": group.members.count(),
        "uses": group_uses(group=group),
        "form": form,
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "people/group.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def judge_group_delete_page(request: HttpRequest, slug: str, group_id: int) -> HttpResponse:
    """Say what deleting a group does and what uses it, and do it."""
    group = _group(request, slug, group_id)
    if not is_answered(request):
        return _ask(request, group)
    try:
        judge_group_delete(group=group)
    except JudgeGroupInUseError as error:
        return _ask(request, group, error=str(error))
    messages.success(request, _("The group “%(name)s” is deleted.") % {"name": group.name})
    return redirect("judge-groups", slug)


def _ask(request: HttpRequest, group: JudgeGroup, error: str = "") -> HttpResponse:
    count = group.members.count()
    said = ngettext(
        "%(count)d judge is in it, who stays a judge.",
        "%(count)d judges are in it, who stay judges.",
        count,
    )
    facts = [said % {"count": count}, *group_uses(group=group)]
    if group.blocks_asked is not None:
        facts.append(_("What it asks of its judges no longer counts."))
    question = Question(
        title=_("Delete “%(name)s”") % {"name": group.name},
        facts=facts,
        after=_("Earlier designs and rankings keep its name. A new group may have the same."),
        answers=[Answer(_("Delete the group"))],
        cancel=reverse("judge-group", args=[group.campaign.slug, group.pk]),
        error=error,
    )
    return ask(request, question, campaign=group.campaign, section=_SECTION)
