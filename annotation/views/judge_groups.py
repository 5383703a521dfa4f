"""Groups of judges: list, change, delete."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.pages.judge_groups import (
    JudgeGroupForm,
)
from annotation.selectors.judge_groups import (
    group_uses,
    groups_listed,
)
from annotation.services.judge_groups import (
    JudgeGroupInUseError,
    judge_group_delete,
)
from campaign.models import JudgeGroup
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import form_view

_SECTION = "judge-groups"


def _group(request: HttpRequest, slug: str, group_id: int) -> JudgeGroup:
    campaign = organised_campaign(request, slug)
    present = JudgeGroup.objects.present().select_related("campaign")
    return get_object_or_404(present, pk=group_id, campaign=campaign)


@form_view
def judge_groups_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the groups of a campaign and their uses; POST creates one."""
    campaign = organised_campaign(request, slug)
    form = JudgeGroupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        group = form.save(campaign)
        if group is not None:
            messages.success(request, _("%(name)s added.") % {"name": group.name})
            return redirect("judge-groups", slug)
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "groups": groups_listed(campaign=campaign),
        "form": form,
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "people/judge_groups.html", context, status=status)


@form_view
def judge_group_page(request: HttpRequest, slug: str, group_id: int) -> HttpResponse:
    """Show a group; POST changes its name and the block limit of its judges."""
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
    return render(request, "people/judge_group.html", context, status=status)


@form_view
def judge_group_delete_page(
    request: HttpRequest,
    slug: str,
    group_id: int,
) -> HttpResponse:
    """Show the uses of a group and the effects of deleting it; POST deletes it."""
    group = _group(request, slug, group_id)
    if not is_answered(request):
        return _ask(request, group)
    try:
        judge_group_delete(group=group)
    except JudgeGroupInUseError as error:
        return _ask(request, group, error=str(error))
    messages.success(request, _("“%(name)s” deleted.") % {"name": group.name})
    return redirect("judge-groups", slug)


def _ask(request: HttpRequest, group: JudgeGroup, error: str = "") -> HttpResponse:
    count = group.members.count()
    sentence = ngettext(
        "%(count)d judge in this group stays in the campaign.",
        "%(count)d judges in this group stay in the campaign.",
        count,
    )
    facts = [sentence % {"count": count}, *group_uses(group=group)]
    if group.blocks_asked is not None:
        facts.append(_("Its block limit no longer applies."))
    question = Question(
        title=_("Delete “%(name)s”") % {"name": group.name},
        facts=facts,
        after=_("Earlier designs and rankings keep its name. You can reuse the name."),
        answers=[Answer(_("Delete group"))],
        cancel=reverse("judge-group", args=[group.campaign.slug, group.pk]),
        error=error,
    )
    return ask(request, question, campaign=group.campaign, section=_SECTION)
