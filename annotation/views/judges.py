"""Organisers' pages for the judges of a campaign, across its test sets."""

from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.pages.judges import (
    AssignForm,
    CampaignJudgeFilter,
    CampaignJudgeTable,
    JudgeForm,
    JudgeListForm,
    judge_details,
    judged_tasks,
)
from annotation.selectors.effects import judge_change_in_words
from annotation.selectors.judges import campaign_judges
from campaign.export.downloads import judge_links, judge_links_csv
from campaign.models import Campaign, Judge, JudgeGroup
from campaign.selectors.credentials import judge_access
from campaign.selectors.rehearsals import rehearsal_to_see
from campaign.selectors.tasks import languages_without_work
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.judge_groups import (
    judge_group_members_change,
)
from campaign.services.judge_lists import (
    CheckedList,
    JudgeListRefusedError,
    RowState,
    judge_list_add,
    judge_list_check,
)
from campaign.services.judges import (
    judge_change,
    judge_link_replace,
)
from campaign.services.notification import mail_is_printed
from campaign.texts.counted import counted
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import organised_campaign, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered, what_ends
from campaign.views.decorators import action_view, form_view


@form_view
def campaign_judges_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the judges; POST adds some of them to a group or removes them.

    The query string may have `sort` and `page`, as for any table, and filters of
    `CampaignJudgeFilter`.
    """
    campaign = organised_campaign(request, slug)
    judge_filter = CampaignJudgeFilter.of(request, campaign_judges(campaign=campaign))
    if request.method != "POST":
        return _judges_page(
            request,
            campaign,
            judge_filter,
            AssignForm(campaign=campaign),
            judge_filter.status,
        )
    form = AssignForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return _judges_page(request, campaign, judge_filter, form, 400)
    chosen = _chosen(request, campaign, judge_filter, form.cleaned_data["who"])
    _assign(request, form.cleaned_data["group"], chosen)
    return redirect(request.get_full_path())


def _judges_page(
    request: HttpRequest,
    campaign: Campaign,
    judge_filter: CampaignJudgeFilter,
    form: AssignForm,
    status: int,
) -> HttpResponse:
    table = CampaignJudgeTable(judge_filter.rows, of=[campaign.slug])
    context: dict[str, object] = {
        "campaign": campaign,
        "section": "campaign-judges",
        "rehearsal": rehearsal_to_see(campaign=campaign),
        "filter": judge_filter,
        "table": table.of(request),
        "form": form,
        "has_groups": JudgeGroup.objects.present().filter(campaign=campaign).exists(),
    }
    return render(request, "people/judges.html", context, status=status)


def _chosen(
    request: HttpRequest,
    campaign: Campaign,
    judge_filter: CampaignJudgeFilter,
    who: str,
) -> list[Judge]:
    if who == "found":
        return list(
            Judge.objects.filter(pk__in=judge_filter.rows.order_by().values("pk")),
        )
    ticked = [int(text) for text in request.POST.getlist("judge") if _is_key(text)]
    return list(Judge.objects.filter(campaign=campaign, pk__in=ticked))


def _is_key(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


def _assign(request: HttpRequest, group: JudgeGroup, chosen: list[Judge]) -> None:
    if not chosen:
        messages.error(request, _("Select judges in the table first."))
        return
    if request.POST.get("act") == "remove":
        _added, count = judge_group_members_change(group=group, remove=chosen)
        message = counted(
            "%(count)d judge removed from “%(group)s”.",
            "%(count)d judges removed from “%(group)s”.",
            count,
            group=group.name,
        )
    else:
        count, _removed = judge_group_members_change(group=group, add=chosen)
        message = counted(
            "%(count)d judge added to “%(group)s”.",
            "%(count)d judges added to “%(group)s”.",
            count,
            group=group.name,
        )
    messages.success(request, message)


_SECTION = "campaign-judges"


def _judge(request: HttpRequest, slug: str, judge_id: int) -> Judge:
    campaign = organised_campaign(request, slug)
    judge: Judge = get_object_or_404(campaign_judges(campaign=campaign), pk=judge_id)
    judge.campaign = campaign
    return judge


@form_view
def campaign_judge_page(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Show a judge; POST changes their data, after confirmation if it affects their work."""
    judge = _judge(request, slug, judge_id)
    form = JudgeForm(request.POST or None, judge=judge, campaign=judge.campaign)
    if request.method != "POST":
        judged = judged_tasks(judge)
        if judged:
            # The judge's page combines these details with their judging.
            return redirect("judge-page", slug, judged[0].pk, judge.pk)
        return _judge_page(request, judge, form)
    if not form.is_valid():
        return _judge_page(request, judge, form, 400)
    changes = form.changes(judge)
    with RefusalsAt(form, "address"):
        facts = judge_change_in_words(
            judge=_fresh(judge),
            change=lambda: judge_change(judge=_fresh(judge), changes=changes),
        )
        if facts and not is_answered(request):
            return _judge_page(request, judge, form, facts=facts)
        judge_change(judge=_fresh(judge), changes=changes)
        messages.success(request, _("Saved."))
        without = languages_without_work(
            campaign=judge.campaign,
            languages=changes.languages or (),
            judge=judge.pseudonym,
        )
        if without:
            messages.info(request, without)
        return redirect("campaign-judge", slug, judge_id)
    return _judge_page(request, judge, form, 400)


def _fresh(judge: Judge) -> Judge:
    return Judge.objects.get(pk=judge.pk)


def _judge_page(
    request: HttpRequest,
    judge: Judge,
    form: JudgeForm,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = {
        "campaign": judge.campaign,
        "section": _SECTION,
        **judge_details(judge, form),
        **more,
    }
    return render(request, "people/judge.html", context, status=status)


@action_view
def campaign_judge_link(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Show the links that a new link for a judge would replace; confirming creates it and shows it once."""
    judge = _judge(request, slug, judge_id)
    if not is_answered(request):
        question = Question(
            title=_("Replace the link of %(judge)s") % {"judge": judge.pseudonym},
            facts=[
                _("Links that stop working: %(what)s.")
                % {"what": what_ends(judge_access(judge=judge)).split(",")[0]},
                _("Browsers already signed in stay signed in."),
            ],
            after=_("The new link is shown only once. All judgments are kept."),
            answers=[Answer(_("Replace link"))],
            cancel=reverse("campaign-judge", args=[slug, judge_id]),
        )
        return ask(request, question, campaign=judge.campaign, section=_SECTION)
    try:
        _link, token = judge_link_replace(judge=judge, by=user_of(request))
    except CredentialRefusedError as error:
        messages.error(request, str(error))
        return redirect("campaign-judge", slug, judge_id)
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    form = JudgeForm(judge=judge, campaign=judge.campaign)
    # No redirect: the token would have to be stored until then.
    return _judge_page(request, judge, form, 201, new_link=link)


#: Maximum number of rows shown of each kind.
_MOST_ROWS: Final = 200


@form_view
def judges_add_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form; POST previews a list, or adds it if sent with `act`."""
    campaign = organised_campaign(request, slug)
    if request.method != "POST":
        return _adding_page(request, campaign, JudgeListForm())
    form = JudgeListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _adding_page(request, campaign, form, 400)
    checked = judge_list_check(
        campaign=campaign,
        judges=form.judges,
        needs_addresses=form.cleaned_data["how"] == "mail",
    )
    new = len(checked.of(RowState.NEW))
    if request.POST.get("act") != "add" or not new:
        return _adding_page(request, campaign, form, checked=checked)
    if request.POST.get("new") != str(new):
        # Another user has changed the campaign meanwhile.
        return _adding_page(request, campaign, form, 409, checked=checked)
    data = form.cleaned_data
    base_url = request.build_absolute_uri("/")
    mail = {"base_url": base_url, "language": data["language"], "note": data["note"]}
    try:
        added = judge_list_add(
            campaign=campaign,
            judges=form.judges,
            mail=mail if data["how"] == "mail" else None,
            by=user_of(request),
        )
    except JudgeListRefusedError as error:
        return _adding_page(
            request,
            campaign,
            form,
            409,
            checked=error.checked,
            refused=str(error),
        )
    return _added_page(request, campaign, added, base_url)


def _adding_page(
    request: HttpRequest,
    campaign: Campaign,
    form: JudgeListForm,
    status: int = 200,
    *,
    checked: CheckedList | None = None,
    **more: Any,
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "section": "invitations",
        "form": form,
        "mail_is_printed": mail_is_printed(),
        **({} if checked is None else _checked_list_context(campaign, checked)),
        **more,
    }
    return render(request, "people/judges_add.html", context, status=status)


def _checked_list_context(
    campaign: Campaign,
    checked: CheckedList,
) -> dict[str, object]:
    wrong = checked.of(RowState.WRONG)
    new = checked.of(RowState.NEW)
    skipped_rows = [
        row for row in checked.rows if row.state in (RowState.KNOWN, RowState.AGAIN)
    ]
    languages = dict.fromkeys(tag for row in new for tag in row.languages)
    return {
        "checked": checked,
        "wrong": wrong[:_MOST_ROWS],
        "new": new[:_MOST_ROWS],
        "left": skipped_rows[:_MOST_ROWS],
        "new_count": len(new),
        "without_work": languages_without_work(
            campaign=campaign,
            languages=list(languages),
        ),
        "sums": [
            counted("%(count)d new judge", "%(count)d new judges", len(new)),
            counted(
                "%(count)d row skipped",
                "%(count)d rows skipped",
                len(skipped_rows),
            ),
            counted(
                "%(count)d row with errors",
                "%(count)d rows with errors",
                len(wrong),
            ),
        ],
    }


def _added_page(
    request: HttpRequest,
    campaign: Campaign,
    added: CheckedList,
    base_url: str,
) -> HttpResponse:
    count = len(added.of(RowState.NEW))
    links = judge_links(added, base_url=base_url)
    machines = [row for row in added.of(RowState.NEW) if row.row.machine]
    are_invited = len(machines) < count and not links
    context = {
        "campaign": campaign,
        "section": "invitations",
        "heading": counted("%(count)d judge added", "%(count)d judges added", count),
        "queued": _("Invitations are being sent.") if are_invited else "",
        "machines": machines,
        "links": bool(links),
        "links_csv": judge_links_csv(links) if links else "",
        "expires_at": added.expires_at,
    }
    # No redirect: the tokens would have to be stored until then.
    return render(request, "people/judges_added.html", context, status=201)
