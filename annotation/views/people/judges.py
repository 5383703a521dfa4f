"""The judges of a campaign as a table, and what is done to several at once."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.pages.campaign_judge_table import CampaignJudgeFilter, CampaignJudgeTable
from annotation.pages.judge_forms import AssignForm
from annotation.selectors.judges import campaign_judges
from campaign.models import Campaign, Judge, JudgeGroup
from campaign.selectors.rehearsals import rehearsal_to_see
from campaign.services import judge_group_members_change
from campaign.views.access import organised_campaign


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def campaign_judges_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the judges; POST puts some of them into a group or takes them out.

    `?sort=` and `?page=` as any table, the rest as `CampaignJudgeFilter` has it.
    """
    campaign = organised_campaign(request, slug)
    asked = CampaignJudgeFilter.of(request, campaign_judges(campaign=campaign))
    if request.method != "POST":
        return _page(request, campaign, asked, AssignForm(campaign=campaign), asked.status)
    form = AssignForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return _page(request, campaign, asked, form, 400)
    chosen = _chosen(request, campaign, asked, form.cleaned_data["who"])
    _assign(request, form.cleaned_data["group"], chosen)
    return redirect(request.get_full_path())


def _page(
    request: HttpRequest,
    campaign: Campaign,
    asked: CampaignJudgeFilter,
    form: AssignForm,
    status: int,
) -> HttpResponse:
    table = CampaignJudgeTable(asked.found, campaign=campaign)
    context: dict[str, Any] = {
        "campaign": campaign,
        "section": "campaign-judges",
        "rehearsal": rehearsal_to_see(campaign=campaign),
        "filter": asked,
        "table": table.of(request),
        "form": form,
        "has_groups": JudgeGroup.objects.present().filter(campaign=campaign).exists(),
    }
    return render(request, "people/judges.html", context, status=status)


def _chosen(
    request: HttpRequest, campaign: Campaign, asked: CampaignJudgeFilter, who: str
) -> list[Judge]:
    if who == "found":
        return list(Judge.objects.filter(pk__in=asked.found.order_by().values("pk")))
    ticked = [int(text) for text in request.POST.getlist("judge") if _is_key(text)]
    return list(Judge.objects.filter(campaign=campaign, pk__in=ticked))


def _is_key(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


def _assign(request: HttpRequest, group: JudgeGroup, chosen: list[Judge]) -> None:
    if not chosen:
        messages.error(request, _("Tick judges in the table first."))
        return
    if request.POST.get("act") == "remove":
        _added, count = judge_group_members_change(group=group, remove=chosen)
        said = ngettext(
            "%(count)d judge was taken out of “%(group)s”.",
            "%(count)d judges were taken out of “%(group)s”.",
            count,
        )
    else:
        count, _removed = judge_group_members_change(group=group, add=chosen)
        said = ngettext(
            "%(count)d judge was put into “%(group)s”.",
            "%(count)d judges were put into “%(group)s”.",
            count,
        )
    messages.success(request, said % {"count": count, "group": group.name})
