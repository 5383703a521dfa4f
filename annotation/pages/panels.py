"""Participations of recruiting services: table and filters."""

from typing import Any

import django_filters
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from annotation.selectors.judges import JudgeStatus
from annotation.selectors.panels import participations_described
from campaign.models import (
    Participation,
    ParticipationState,
)
from campaign.pages.desk import rights
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn

_NOTHING = "–"


class ParticipationFilter(DeskFilter):
    """Filter for the participations of a panel. Ids are searched only for organisers who may see them."""

    who = django_filters.CharFilter(
        label=gettext_lazy("Judge or participant contains"),
        max_length=100,
        method="of_who",
    )
    state = django_filters.ChoiceFilter(
        label=gettext_lazy("State"),
        choices=ParticipationState.choices,
        empty_label=gettext_lazy("All"),
    )

    def of_who(
        self,
        rows: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        matches = Q(judge__pseudonym__icontains=value)
        if rights(self.request)["may_change"]:
            matches |= Q(judge__external_id__icontains=value) | Q(
                session_id__icontains=value,
            )
        return rows.filter(matches)


def _latest_first(label: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(label, by=by, then="-pk", **options)


class ParticipationTable(DeskTable):
    """Rows of `Participation`; ids and codes are personal data and shown only to members who may change the campaign."""

    judge = _latest_first(gettext_lazy("Judge"), "judge__pseudonym", kind="judge")
    participant = PlainColumn(gettext_lazy("Participant"), by="member", kind="wide")
    session = PlainColumn(gettext_lazy("Submission"), by="session_id", kind="wide")
    state = _latest_first(gettext_lazy("State"), "state")
    blocks = PlainColumn(gettext_lazy("Items"), by="pk", kind="number")
    code = PlainColumn(gettext_lazy("Code"), by="code")
    started = _latest_first(gettext_lazy("Started"), "started_at", kind="seen")
    service = _latest_first(gettext_lazy("Status at the service"), "service_status")

    caption = gettext_lazy("Participants")

    def of(self, request: HttpRequest, *, address: str = "") -> "ParticipationTable":
        super().of(request, address=address)
        self._shows_ids = rights(request)["may_change"]
        described = participations_described(
            [row.record for row in self.page.object_list],
        )
        self._described = {
            description.participation.pk: description for description in described
        }
        return self

    def cell_judge(self, row: Participation) -> SafeString:
        judge = row.judge
        link = self.link_to("campaign-judge", judge.pk, judge.pseudonym)
        status = self._described[row.pk].judge_status
        if status.may_judge:
            return link
        if status == JudgeStatus.PAUSED:
            label = pgettext("judge", "Paused")
        else:
            label = pgettext("judge", "Excluded")
        return format_html('{} <span class="badge badge-look">{}</span>', link, label)

    def cell_participant(self, row: Participation) -> str | SafeString:
        return self._personal(row.judge.external_id)

    def cell_session(self, row: Participation) -> str | SafeString:
        return self._personal(row.session_id)

    def cell_blocks(self, row: Participation) -> str:
        blocks_done = self._described[row.pk].blocks_done
        return _("%(done)s of %(asked)s") % {
            "done": blocks_done,
            "asked": row.blocks_asked,
        }

    def cell_code(self, row: Participation) -> str | SafeString:
        return self._personal(row.code)

    def cell_service(self, row: Participation) -> SafeString:
        return format_html("<bdi>{}</bdi>", row.service_status or _NOTHING)

    def _personal(self, value: str) -> str | SafeString:
        if not self._shows_ids or not value:
            return _NOTHING
        return format_html('<span dir="ltr">{}</span>', value)
