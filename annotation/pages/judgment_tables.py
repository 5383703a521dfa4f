"""Tables of judgments, skips and problem reports, with filters."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

import django_filters
from django import forms
from django.db.models import F, Q, QuerySet
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from annotation.models import (
    BlockControl,
    ProblemReport,
    ProblemReportKind,
    Skip,
    SkipReason,
)
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.judgment_list import (
    EQUAL_LABELS_TIE,
    HasTies,
    Outcome,
    by_group,
    counted_in_rankings,
    of_outcome,
    on_day,
    reported_by_judge,
    shows_system,
    with_words,
)
from campaign.models import Campaign, Task
from campaign.models.system import system_label, system_named
from campaign.pages.filters import YES, DayFilter, DeskFilter, YesNoFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.texts.joining import comma_list

_DAY: Final = 86_400
_ANY: Final = gettext_lazy("All")
_WHOLE: Final = {"max_digits": 9, "decimal_places": 0}


def _has(label: Any, condition: Callable[[], Any]) -> YesNoFilter:
    """Return a filter for rows that meet a condition, or that do not."""

    def filtered(rows: Any, _name: str, value: str) -> Any:
        if value == YES:
            return rows.filter(condition())
        return rows.filter(~condition())

    return YesNoFilter(label=label, method=filtered)


def _has_equal_labels() -> Q:
    return Q(HasTies(F("judgment__labels"))) & EQUAL_LABELS_TIE


def _has_comment() -> Q:
    return ~Q(judgment__comment="")


def _filter_by_day(rows: Any, _name: str, value: Any) -> Any:
    return rows.filter(on_day(value))


def _filter_by_seconds(rows: Any, name: str, value: Any) -> Any:
    return rows.filter(**{name: int(1000 * value)})


def _filter_by_word_count(rows: Any, name: str, value: Any) -> Any:
    return with_words(rows).filter(**{name: int(value)})


def _filter_by_group(rows: Any, _name: str, value: str) -> Any:
    return rows.filter(by_group(value))


def _filter_by_domain(rows: Any, name: str, value: str) -> Any:
    return rows.filter(**{f"{name}__startswith": f"{value}/"})


def _judged_later(rows: Any, _name: str, value: str) -> Any:
    return rows.filter(is_judged=value == YES)


def _filter_by_state(rows: Any, _name: str, value: str) -> Any:
    return rows.filter(is_closed=value == CLOSED)


def _number(
    label: Any,
    method: Callable[..., Any],
    **limits: Any,
) -> django_filters.NumberFilter:
    return django_filters.NumberFilter(
        label=label,
        method=method,
        min_value=0,
        **limits,
    )


def _keep_all_rows(
    rows: QuerySet[Any, Any],
    _name: str,
    _value: str,
) -> QuerySet[Any, Any]:
    """Return all rows, because the filter by system also applies this value."""
    return rows


class _JudgmentForm(forms.Form):
    """Form of filters whose values must be consistent with each other."""

    def clean(self) -> dict[str, Any]:
        """Require a system if another system or an outcome is given."""
        values: dict[str, Any] = super().clean() or {}
        if not values.get("system") and (values.get("other") or values.get("outcome")):
            self.add_error("system", _("Enter the system to compare."))
        return values


class JudgmentFilter(DeskFilter):
    """Filters for numbers of judgments."""

    judge = django_filters.CharFilter(
        "judgment__judge__pseudonym",
        label=gettext_lazy("Judge"),
        max_length=100,
    )
    system = django_filters.CharFilter(
        label=gettext_lazy("System"),
        method="of_system",
        max_length=200,
    )
    other = django_filters.CharFilter(
        label=gettext_lazy("Against"),
        method=_keep_all_rows,
        max_length=200,
    )
    outcome = django_filters.ChoiceFilter(
        label=gettext_lazy("Outcome"),
        choices=Outcome.choices,
        empty_label=_ANY,
        method=_keep_all_rows,
    )
    segment = django_filters.NumberFilter(
        "judgment__block__segment__number",
        label=gettext_lazy("Segment"),
        min_value=1,
        max_digits=9,
        decimal_places=0,
    )
    document = django_filters.CharFilter(
        "judgment__block__segment__document__name",
        label=gettext_lazy("Document"),
        max_length=300,
    )
    day = DayFilter(
        label=gettext_lazy("Day (UTC)"),
        method=_filter_by_day,
    )
    counts = _has(gettext_lazy("Counts in rankings"), counted_in_rankings)
    ties = _has(gettext_lazy("Has ties"), _has_equal_labels)
    min_seconds = _number(
        gettext_lazy("Minimum seconds"),
        _filter_by_seconds,
        field_name="judgment__active_ms__gte",
        max_value=_DAY,
    )
    max_seconds = _number(
        gettext_lazy("Maximum seconds"),
        _filter_by_seconds,
        field_name="judgment__active_ms__lte",
        max_value=_DAY,
    )
    comment = _has(gettext_lazy("Comment"), _has_comment)
    reported = _has(gettext_lazy("Reported problem"), reported_by_judge)

    group = django_filters.CharFilter(
        label=gettext_lazy("Judge group"),
        method=_filter_by_group,
        max_length=60,
    )
    domain = django_filters.CharFilter(
        label=gettext_lazy("Domain"),
        field_name="judgment__block__segment__document__name",
        method=_filter_by_domain,
        max_length=300,
    )
    min_words = _number(
        gettext_lazy("Minimum source words"),
        _filter_by_word_count,
        field_name="words__gte",
        **_WHOLE,
    )
    max_words = _number(
        gettext_lazy("Maximum source words"),
        _filter_by_word_count,
        field_name="words__lte",
        **_WHOLE,
    )

    class Meta:
        form = _JudgmentForm

    #: Filters that are set only by links; hidden unless used.
    _ONLY_IF_USED: Final = ("group", "domain", "min_words", "max_words")

    def __init__(self, data: Any, **options: Any) -> None:
        data = data.copy()
        for name in {"system", "other"}.intersection(data):
            data[name] = system_label(data[name])
        super().__init__(data, **options)
        for name in self._ONLY_IF_USED:
            if not self.data.get(name):
                del self.filters[name]

    def of_system(
        self,
        rows: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        other = self.form.cleaned_data.get("other") or ""
        outcome = self.form.cleaned_data.get("outcome") or ""
        system = system_named(value)
        other = system_named(other)
        if other or outcome:
            return of_outcome(rows, system=system, other=other, outcome=outcome)
        return rows.filter(shows_system(system))


def seconds_in_words(milliseconds: int | None) -> str:
    """Return a time such as "12.3 s", or a dash if it is unknown."""
    if milliseconds is None:
        return "–"
    return _("%(seconds)s s") % {
        "seconds": number_format(round(milliseconds / 1000, 1), decimal_pos=1),
    }


class JudgmentTable(DeskTable):
    """Rows of `judgments_listed`, already sorted; `names_by_block` holds the systems of each block by candidate."""

    number = PlainColumn(gettext_lazy("Judgment"), by="number", kind="id")
    judge = PlainColumn(gettext_lazy("Judge"), by="judge", kind="judge")
    segment = PlainColumn(gettext_lazy("Segment"), by="segment", kind="number")
    document = PlainColumn(gettext_lazy("Document"), by="document", kind="document")
    ranks = PlainColumn(gettext_lazy("Best to worst"), by="labels", kind="wide")
    time = PlainColumn(gettext_lazy("Time"), by="active_ms", kind="number")
    submitted = PlainColumn(gettext_lazy("When"), by="submitted_at", kind="seen")
    notes = PlainColumn(gettext_lazy("Notes"), by="comment", kind="wide")

    caption = gettext_lazy("Judgments")

    def __init__(
        self,
        rows: Sequence[Any],
        *,
        task: Task,
        names_by_block: Mapping[int, Sequence[Sequence[str]]],
    ) -> None:
        super().__init__(list(rows), of=[task.test_set.campaign.slug, task.pk])
        self._names_by_block = names_by_block
        self._kind = answer_kind_of(task)
        self.whole()

    def cell_number(self, row: Any) -> SafeString:
        return self.link_to("judgment", row.number, row.number)

    def cell_judge(self, row: Any) -> SafeString:
        return self.link_to("judge-page", row.judge_id, row.judge)

    def cell_segment(self, row: Any) -> SafeString:
        return self.link_to("segment", row.segment, row.segment)

    def cell_ranks(self, row: Any) -> str:
        return in_order(
            self._names_by_block.get(row.block_id, ()),
            self._kind.ranks(row.labels),
        )

    def cell_time(self, row: Any) -> str:
        return seconds_in_words(row.active_ms)

    def cell_notes(self, row: Any) -> str | SafeString:
        badges = [
            label
            for label, holds in (
                (
                    _("Control"),
                    row.control in (BlockControl.ATTENTION, BlockControl.TRAINING),
                ),
                (_("Wrong output"), row.control == BlockControl.CORRECTED),
                (pgettext("block", "Withdrawn"), row.control == BlockControl.WITHDRAWN),
                (_("Revised later"), row.later),
                (_("Problem reported"), row.is_reported),
            )
            if holds
        ]
        comment = (
            format_html('<q dir="auto">{}</q>', row.comment[:80]) if row.comment else ""
        )
        if not badges:
            return comment
        return format_html(
            '<span class="badge">{}</span> {}',
            comma_list(badges),
            comment,
        )


def in_order(candidates: Sequence[Sequence[str]], labels: Sequence[int | None]) -> str:
    """Return systems from best to worst: "A > B, C = D"; unranked ones are left out.

    The systems of one candidate are separated by commas, candidates with the same rank by "=".
    """
    by_rank: dict[int, list[str]] = {}
    for names, label in zip(candidates, labels, strict=False):
        if label is not None:
            by_rank.setdefault(label, []).append(comma_list(map(system_label, names)))
    return " > ".join(" = ".join(by_rank[rank]) for rank in sorted(by_rank))


_COMMENT_SHOWN: Final = 120


class SkipFilter(DeskFilter):
    """Filters for the skips of a test set, including by state."""

    judge = django_filters.CharFilter(
        "judge__pseudonym",
        label=gettext_lazy("Judge"),
        max_length=100,
    )
    segment = django_filters.NumberFilter(
        "block__segment__number",
        label=gettext_lazy("Segment"),
        min_value=1,
        max_digits=9,
        decimal_places=0,
    )
    reason = django_filters.ChoiceFilter(
        label=gettext_lazy("Reason"),
        choices=SkipReason.choices,
        empty_label=_ANY,
    )
    judged_later = YesNoFilter(
        label=gettext_lazy("Judged later"),
        method=_judged_later,
    )


class SkipTable(DeskTable):
    """Rows of `Skip`, with their judges and segments, and whether they were judged later."""

    segment = PlainColumn(gettext_lazy("Segment"), by="block", kind="number")
    reason = SortedColumn(gettext_lazy("Reason"), by="reason", then="-pk", kind="wide")
    comment = PlainColumn(gettext_lazy("Comment"), by="comment", kind="wide")
    judge = SortedColumn(
        gettext_lazy("Judge"),
        by="judge",
        order="judge__pseudonym",
        then="-pk",
        kind="judge",
    )
    time = SortedColumn(gettext_lazy("Time"), by="active_ms", then="-pk", kind="number")
    created = SortedColumn(
        gettext_lazy("When"),
        by="created_at",
        then="-pk",
        kind="seen",
    )

    caption = gettext_lazy("Skipped items")

    def cell_segment(self, row: Skip) -> SafeString:
        number = row.block.segment.number
        return self.link_to("segment", number, number)

    def cell_reason(self, row: Skip) -> str | SafeString:
        if not row.is_judged:  # type: ignore[attr-defined]
            return row.get_reason_display()
        return format_html(
            '{} <span class="badge">{}</span>',
            row.get_reason_display(),
            _("Judged later"),
        )

    def cell_comment(self, row: Skip) -> str | SafeString:
        if not row.comment:
            return ""
        return format_html('<q dir="auto">{}</q>', row.comment[:_COMMENT_SHOWN])

    def cell_judge(self, row: Skip) -> SafeString:
        return self.link_to("judge-page", row.judge_id, row.judge.pseudonym)

    def cell_time(self, row: Skip) -> str:
        return seconds_in_words(row.active_ms)


OPEN = "open"
CLOSED = "closed"
_STATES: Final = [
    (OPEN, pgettext_lazy("problem report", "open")),
    (CLOSED, pgettext_lazy("problem report", "closed")),
]


class ProblemReportFilter(DeskFilter):
    """Filters for a campaign's problem reports `with_state`."""

    state = django_filters.ChoiceFilter(
        label=gettext_lazy("State"),
        choices=_STATES,
        empty_label=_ANY,
        method=_filter_by_state,
    )
    kind = django_filters.ChoiceFilter(
        label=gettext_lazy("Kind"),
        choices=ProblemReportKind.choices,
        empty_label=_ANY,
    )
    judge = django_filters.CharFilter(
        "judge__pseudonym",
        label=gettext_lazy("Judge"),
        max_length=100,
    )
    task = django_filters.ModelChoiceFilter(
        label=gettext_lazy("Test set"),
        queryset=Task.objects.none(),
        empty_label=_ANY,
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        tasks = self.filters["task"]
        tasks.queryset = Task.objects.of(campaign).named().order_by("pk")
        tasks.field.label_from_instance = attrgetter("called")


class ProblemReportTable(DeskTable):
    """Rows of `ProblemReport`, with their states, judges and segments."""

    kind = PlainColumn(gettext_lazy("Problem"), by="kind", kind="wide")
    comment = PlainColumn(gettext_lazy("Comment"), by="comment", kind="wide")
    judge = SortedColumn(
        gettext_lazy("Judge"),
        by="judge__pseudonym",
        then="-pk",
        kind="judge",
    )
    task = PlainColumn(gettext_lazy("Test set"), by="task__test_set__name")
    segment = PlainColumn(
        gettext_lazy("Segment"),
        by="block__segment__number",
        kind="number",
    )
    created = SortedColumn(
        gettext_lazy("When"),
        by="created_at",
        then="-pk",
        kind="seen",
    )
    state = PlainColumn(gettext_lazy("State"), by="is_closed")

    caption = gettext_lazy("Problem reports")

    def cell_kind(self, row: ProblemReport) -> SafeString:
        return self.link_to("problem-report", row.pk, row.get_kind_display())

    def cell_comment(self, row: ProblemReport) -> str | SafeString:
        if not row.comment:
            return "–"
        return format_html('<q dir="auto">{}</q>', row.comment[:_COMMENT_SHOWN])

    def cell_segment(self, row: ProblemReport) -> str:
        return str(row.block.segment.number)

    def cell_state(self, row: Any) -> str | SafeString:
        if row.is_closed:
            return pgettext("problem report", "closed")
        return format_html(
            '<span class="badge badge-look">{}</span>',
            pgettext("problem report", "open"),
        )
