"""Add judges by a list: first what each row would do, then all of it or nothing."""

from typing import Any, Final, cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.pages.judge_forms import JudgeListForm
from campaign.export.judge_links import judge_links, judge_links_csv
from campaign.models import Campaign, User
from campaign.selectors import languages_without_work
from campaign.services import (
    AddedList,
    CheckedList,
    JudgeListRefusedError,
    MailTerms,
    RowState,
    judge_list_add,
    judge_list_check,
    mail_is_printed,
)
from campaign.views.access import organised_campaign

#: Rows that are shown of each kind.
_SHOWN: Final = 200


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def judges_add_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form; POST says what a list would do, and with `act` does it."""
    campaign = organised_campaign(request, slug)
    if request.method != "POST":
        return _page(request, campaign, JudgeListForm())
    form = JudgeListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, campaign, form, 400)
    checked = judge_list_check(campaign=campaign, judges=form.judges)
    new = len(checked.of(RowState.NEW))
    if request.POST.get("act") != "add" or not new:
        return _page(request, campaign, form, checked=checked)
    if request.POST.get("new") != str(new):
        # Somebody else changed the campaign meanwhile.
        return _page(request, campaign, form, 409, checked=checked)
    data = form.cleaned_data
    base_url = request.build_absolute_uri("/")
    mail = MailTerms(base_url=base_url, language=data["language"], note=data["note"])
    try:
        added = judge_list_add(
            campaign=campaign,
            judges=form.judges,
            mail=mail if data["how"] == "mail" else None,
            by=cast("User", request.user),
        )
    except JudgeListRefusedError as error:
        return _page(request, campaign, form, 409, checked=error.checked, refused=str(error))
    return _done(request, campaign, added, base_url)


def _page(
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
        "section": "campaign-judges",
        "form": form,
        "mail_is_printed": mail_is_printed(),
        **({} if checked is None else _checked(campaign, checked)),
        **more,
    }
    return render(request, "people/judges_add.html", context, status=status)


def _checked(campaign: Campaign, checked: CheckedList) -> dict[str, Any]:
    wrong, new = checked.of(RowState.WRONG), checked.of(RowState.NEW)
    left = [row for row in checked.rows if row.state in (RowState.KNOWN, RowState.AGAIN)]
    languages = dict.fromkeys(tag for row in new for tag in row.languages)
    return {
        "checked": checked,
        "wrong": wrong[:_SHOWN],
        "new": new[:_SHOWN],
        "left": left[:_SHOWN],
        "new_count": len(new),
        "without_work": languages_without_work(campaign=campaign, languages=list(languages)),
        "sums": [
            ngettext("%(count)d new judge", "%(count)d new judges", len(new)) % {"count": len(new)},
            ngettext("%(count)d row changes nothing", "%(count)d rows change nothing", len(left))
            % {"count": len(left)},
            ngettext("%(count)d row is wrong", "%(count)d rows are wrong", len(wrong))
            % {"count": len(wrong)},
        ],
    }


def _done(
    request: HttpRequest, campaign: Campaign, added: AddedList, base_url: str
) -> HttpResponse:
    count = len(added.judges)
    said = ngettext("%(count)d judge was added.", "%(count)d judges were added.", count)
    links = judge_links(added, base_url=base_url)
    context = {
        "campaign": campaign,
        "section": "campaign-judges",
        "said": said % {"count": count},
        "queued": "" if links else _("Their messages are on their way."),
        "links": links[:_SHOWN],
        "links_csv": judge_links_csv(links) if links else "",
        "more": max(0, len(links) - _SHOWN),
        "expires_at": added.expires_at,
    }
    # Not after a redirect: until then the tokens would have to be kept somewhere.
    return render(request, "people/judges_added.html", context, status=201)
