"""The table of a test set's judges, and what it is filtered by."""

from collections.abc import Mapping
from typing import Any, Final

import django_filters
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import QualityAction
from annotation.selectors import JudgeStatus
from campaign.models import Judge, Task
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from ranking.pages.formats import ago, duration, figure, interval, judge_status_label, kappa
from ranking.pages.plots import percent
from ranking.selectors.judge_list import (
    FLAGGED,
    GRAVITIES,
    UNFLAGGED,
    JudgeListed,
    has_low_agreement,
)

_STATUSES: Final = [
    (JudgeStatus.GOOD.value, gettext_lazy("in good standing")),
    (JudgeStatus.WARNED.value, gettext_lazy("warned")),
    (JudgeStatus.PAUSED.value, gettext_lazy("paused")),
    (JudgeStatus.EXCLUDED.value, gettext_lazy("excluded")),
]
# Where the axis of κ begins: intervals of judges who shared little with others reach far below.
_LOWEST: Final = -0.2
_FLAGS: Final = [
    ("yes", gettext_lazy("something to look at")),
    ("no", gettext_lazy("nothing to look at")),
]


class JudgeFilter(DeskFilter):
    """Filters of `judges_listed`."""

    name = django_filters.CharFilter(
        "pseudonym", lookup_expr="icontains", label=gettext_lazy("Name contains"), max_length=100
    )
    status = django_filters.ChoiceFilter(
        label=gettext_lazy("Status"),
        choices=_STATUSES,
        empty_label=gettext_lazy("any"),
        method="of_status",
    )
    flagged = django_filters.ChoiceFilter(
        label=gettext_lazy("Flagged"),
        choices=_FLAGS,
        empty_label=gettext_lazy("any"),
        method="of_flag",
    )

    def of_status(self, queryset: QuerySet[Any, Any], name: str, value: str) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(gravity=GRAVITIES.index(JudgeStatus(value)))

    def of_flag(self, queryset: QuerySet[Any, Any], name: str, value: str) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(FLAGGED if value == "yes" else UNFLAGGED)


def _sorted(words: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(words, by=by, then="pseudonym", **options)


class JudgeTable(DeskTable):
    """Rows of `JudgeListed`; `actions` are those in force, by judge."""

    name = _sorted(gettext_lazy("Judge"), "pseudonym", kind="judge")
    flags = PlainColumn(gettext_lazy("What to look at"), by="gravity", kind="flags")
    judged = _sorted(gettext_lazy("Blocks"), "judged", kind="number", initial_sort_descending=True)
    skipped = _sorted(
        gettext_lazy("Skipped"), "standing", kind="number", initial_sort_descending=True
    )
    seconds = _sorted(gettext_lazy("Time a block"), "seconds", kind="number")
    seen = _sorted(gettext_lazy("Last seen"), "last_at", kind="seen", initial_sort_descending=True)
    agreement = _sorted(gettext_lazy("κ with others"), "kappa", kind="kappa-cell")

    caption = gettext_lazy("What each judge did, and how far they agree with the others")

    def __init__(self, data: QuerySet[Any, Any], *, task: Task) -> None:
        super().__init__(data.values_list(*JudgeListed._fields, named=True))
        self.actions: Mapping[int, list[QualityAction]] = {}
        # A reverse for each row would be a quarter of the page.
        self._address = reverse("judge-page", args=[task.test_set.campaign.slug, task.pk, 0])
        self._address = self._address.removesuffix("0/")
        self._simulated, self._imported = _("simulated"), _("imported")
        self._choose = _("Choose %(judge)s")
        #: The id of the form that rows can be chosen for; none if it is empty.
        self.chosen_by = ""

    def cell_name(self, row: JudgeListed) -> SafeString:
        link = format_html('<a href="{}{}/">{}</a>', self._address, row.judge_id, row.pseudonym)
        if self.chosen_by:
            # Behind the name, which heads the row.
            link = format_html(
                '{} <input type="checkbox" name="judge" value="{}" form="{}" aria-label="{}">',
                link,
                row.pseudonym,
                self.chosen_by,
                self._choose % {"judge": row.pseudonym},
            )
        if row.origin != Judge.Origin.SIMULATED:
            return link
        return format_html('{} <span class="badge">{}</span>', link, self._simulated)

    def cell_flags(self, row: JudgeListed) -> str | SafeString:
        reasons = [_reason(action) for action in self.actions.get(row.judge_id, ())]
        if has_low_agreement(row.disagrees):
            reasons.append(_("agrees less than the others"))
        status = GRAVITIES[row.gravity]
        words = judge_status_label(status)
        if not words and not reasons:
            return ""
        badge = (
            format_html('<span class="badge judge-status-{}">{}</span> ', status, words)
            if words
            else format_html('<span class="badge badge-look">{}</span> ', _("worth a look"))
        )
        return format_html('{}<span class="quiet">{}</span>', badge, "; ".join(reasons))

    def cell_judged(self, row: JudgeListed) -> str:
        return figure(row.judged)

    def cell_skipped(self, row: JudgeListed) -> str:
        return figure(row.standing)

    def cell_seconds(self, row: JudgeListed) -> str:
        return duration(row.seconds)

    def cell_seen(self, row: JudgeListed) -> str | SafeString:
        if row.origin != Judge.Origin.PERSON:
            return self._imported if row.origin == Judge.Origin.IMPORTED else ""
        return format_html(
            '<time datetime="{}">{}</time>', row.last_at.isoformat(), ago(row.last_at)
        )

    def cell_agreement(self, row: JudgeListed) -> str | SafeString:
        value, low, high = row.kappa, row.kappa_low, row.kappa_high
        if value is None:
            return kappa(None)
        words = "" if low is None else interval(kappa(low), kappa(high))
        return format_html(
            '<span class="kappa-words"><b>{}</b> <span class="quiet">{}</span></span>'
            '<svg class="kappa-plot" aria-hidden="true" focusable="false">'
            '<line class="tick" x1="{}" x2="{}" y1="2" y2="18"/>'
            '<line class="range" x1="{}" x2="{}" y1="10" y2="10"/>'
            '<circle class="dot" cx="{}" cy="10" r="3.5"/></svg>',
            kappa(value),
            words,
            _ZERO,
            _ZERO,
            _at(value if low is None else low),
            _at(value if high is None else high),
            _at(value),
        )


def _at(value: float) -> str:
    return percent((min(1.0, max(_LOWEST, value)) - _LOWEST) / (1 - _LOWEST))


_ZERO: Final = _at(0.0)


def _reason(action: QualityAction) -> str:
    if action.rule is not None:
        return str(action.rule.get_measure_display())
    return action.note or _("by an organiser")
