"""The table of a campaign's judges, and what it is filtered by: for the page and for REST."""

from typing import Any, Final

import django_filters
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.selectors.judges import StandingOfJudge
from campaign.models import Campaign, Judge
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.texts.languages import language_name

STANDINGS: Final = {
    StandingOfJudge.PRESENT.value: gettext_lazy("takes part"),
    StandingOfJudge.EXPECTED.value: gettext_lazy("not here yet"),
    StandingOfJudge.PAUSED.value: gettext_lazy("paused"),
    StandingOfJudge.EXCLUDED.value: gettext_lazy("excluded"),
    StandingOfJudge.DECLINED.value: gettext_lazy("declined"),
    StandingOfJudge.WITHDRAWN.value: gettext_lazy("withdrawn"),
}


class CampaignJudgeFilter(DeskFilter):
    """Filters of `campaign_judges`."""

    name = django_filters.CharFilter(
        label=gettext_lazy("Name or address contains"), max_length=100, method="of_name"
    )
    group = django_filters.CharFilter(label=gettext_lazy("Group"), max_length=60, method="of_group")
    language = django_filters.CharFilter(
        label=gettext_lazy("Language"), max_length=35, method="of_language"
    )
    state = django_filters.ChoiceFilter(
        "standing",
        label=gettext_lazy("State"),
        choices=list(STANDINGS.items()),
        empty_label=gettext_lazy("any"),
    )

    def of_name(self, queryset: QuerySet[Any, Any], name: str, value: str) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(
            Q(pseudonym__icontains=value)
            | Q(reached_at__icontains=value)
            | Q(user__name__icontains=value)
        )

    def of_group(self, queryset: QuerySet[Any, Any], name: str, value: str) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(group_members__group__name__iexact=value)

    def of_language(
        self, queryset: QuerySet[Any, Any], name: str, value: str
    ) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(Q(languages=[]) | Q(languages__contains=[value]))


def _sorted(words: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(words, by=by, then="pseudonym", **options)


class CampaignJudgeTable(DeskTable):
    """Rows of `campaign_judges`, each with a box to tick for what is done to several at once."""

    name = _sorted(gettext_lazy("Judge"), "pseudonym", kind="judge")
    address = _sorted(gettext_lazy("Address, or how they came"), "reached_at", kind="wide")
    languages = PlainColumn(gettext_lazy("Languages"), by="languages")
    expertise = PlainColumn(gettext_lazy("Expertise"), by="expertise")
    groups = PlainColumn(gettext_lazy("Groups"), by="pk")
    conflicts = PlainColumn(gettext_lazy("Conflicts of interest"), by="pk", kind="wide")
    state = _sorted(gettext_lazy("State"), "standing")
    seen = _sorted(gettext_lazy("Last seen"), "seen_at", kind="seen", initial_sort_descending=True)

    caption = gettext_lazy("Judges of the campaign")

    def __init__(self, rows: QuerySet[Any, Any], *, campaign: Campaign) -> None:
        super().__init__(rows)
        # A reverse for each row would be a quarter of the page.
        address = reverse("campaign-judge", args=[campaign.slug, 0])
        self._address = address.removesuffix("0/")
        self._tick = _("Choose %(judge)s")

    def cell_name(self, row: Any) -> SafeString:
        name = "" if row.user is None or row.user.name == row.pseudonym else row.user.name
        return format_html(
            '<input class="pick" type="checkbox" name="judge" value="{}" form="assign" aria-label="{}">'
            ' <a href="{}{}/">{}</a> <span class="quiet" dir="auto">{}</span>',
            row.pk,
            self._tick % {"judge": row.pseudonym},
            self._address,
            row.pk,
            row.pseudonym,
            name,
        )

    def cell_address(self, row: Any) -> str | SafeString:
        if row.reached_at:
            return format_html("<bdi>{}</bdi>", row.reached_at)
        return came_in_words(row)

    def cell_languages(self, row: Any) -> str:
        return ", ".join(map(language_name, row.languages)) or _("all")

    def cell_expertise(self, row: Any) -> str:
        return ", ".join(row.expertise)

    def cell_groups(self, row: Any) -> str:
        return ", ".join(row.group_names)

    def cell_conflicts(self, row: Any) -> str:
        return ", ".join(row.conflict_names)

    def cell_state(self, row: Any) -> str:
        return str(STANDINGS[row.standing])

    def cell_seen(self, row: Any) -> str | SafeString:
        if row.seen_at is None:
            return ""
        return format_html(
            '<time datetime="{}">{}</time>',
            row.seen_at.isoformat(),
            date_format(localtime(row.seen_at), "SHORT_DATETIME_FORMAT"),
        )


def came_in_words(row: Any) -> str:
    """Return how a judge of `campaign_judges` without an address came."""
    if row.origin != Judge.Origin.PERSON:
        return str(row.get_origin_display())
    if row.panel:
        return _("by a panel")
    return row.came_by or row.note or _("by a link")
