"""The table of a test set's systems."""

from collections.abc import Mapping, Sequence

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import System, Task
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn


class SystemTable(DeskTable):
    """Rows of `System`; `conflicts` are the judges by system."""

    name = SortedColumn(gettext_lazy("System"), by="name", then="id")
    kind = SortedColumn(gettext_lazy("Kind"), by="kind", then="id")
    constrained = SortedColumn(gettext_lazy("Constrained"), by="constrained", then="id")
    approach = SortedColumn(gettext_lazy("Approach"), by="approach", then="id")
    condition = SortedColumn(gettext_lazy("Condition"), by="condition", then="id")
    team = SortedColumn(gettext_lazy("Team"), by="team", then="id")
    conflicts = PlainColumn(gettext_lazy("Conflicts of interest"), by="id", kind="wide")

    caption = gettext_lazy("Systems of the test set")

    def __init__(
        self,
        rows: QuerySet[System],
        *,
        task: Task,
        conflicts: Mapping[int, Sequence[tuple[str, str]]],
    ) -> None:
        super().__init__(rows)
        self._conflicts = conflicts
        self._system = reverse(
            "system", args=[task.test_set.campaign.slug, task.pk, 0]
        ).removesuffix("0/")

    def cell_name(self, row: System) -> SafeString:
        link = format_html('<a href="{}{}/">{}</a>', self._system, row.pk, row.name)
        if row.withdrawn_at is None:
            return link
        return format_html('{} <span class="badge">{}</span>', link, _("withdrawn"))

    def cell_kind(self, row: System) -> str:
        return str(row.get_kind_display())

    def cell_constrained(self, row: System) -> str:
        return {True: _("yes"), False: _("no"), None: "–"}[row.constrained]

    def cell_approach(self, row: System) -> str:
        return row.approach

    def cell_condition(self, row: System) -> str:
        return row.condition

    def cell_team(self, row: System) -> str:
        return row.team

    def cell_conflicts(self, row: System) -> str:
        return ", ".join(pseudonym for pseudonym, _note in self._conflicts.get(row.pk, ()))
