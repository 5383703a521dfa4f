"""Two rankings of a test set side by side, with what differs marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from campaign.models import Task
from ranking.core.rankings.rank import only_estimable
from ranking.models import Analysis
from ranking.pages.analysis_form import asked_in_words
from ranking.selectors.analyses import analyses_asked
from ranking.selectors.runs import latest_run

#: Stands for the ranking that the test set shows.
SHOWN = "shown"
_OFFERED = 20
# Of ids that PostgreSQL knows.
_DIGITS = 18


@dataclass(frozen=True, slots=True)
class BesideRow:
    """A system in two rankings; None where it has no rank."""

    system: str
    this: Mapping[str, Any] | None
    other: Mapping[str, Any] | None

    @property
    def places(self) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
        """Both, in the order of the columns."""
        return self.this, self.other

    @property
    def differs(self) -> bool:
        """Whether its rank, its rank range or its cluster is another."""
        return self._place(self.this) != self._place(self.other)

    @staticmethod
    def _place(row: Mapping[str, Any] | None) -> list[Any] | None:
        if row is None:
            return None
        place: dict[str, Any] = {"last_rank": row["rank"], "group": 1, **only_estimable(row)}
        names = ("rank", "last_rank", "group", "rank_low", "rank_high", "cluster")
        return [place[name] for name in names]


@dataclass(frozen=True, slots=True)
class Beside:
    """A ranking beside another: `words` say which, `choices` which others there are."""

    rows: Sequence[BesideRow]
    words: str
    chosen: str
    choices: Sequence[tuple[str, str]]

    @property
    def has_groups(self) -> bool:
        """Whether either ranks groups by themselves that nothing compares."""
        return any(
            place is not None and place.get("group", 1) > 1
            for row in self.rows
            for place in row.places
        )

    @property
    def differing(self) -> int:
        """How many systems are elsewhere."""
        return sum(row.differs for row in self.rows)


def rankings_beside(
    *, task: Task, this: Analysis, systems: Sequence[Mapping[str, Any]], chosen: str
) -> Beside | None:
    """Return the systems of an analysis beside another ranking of the test set; None where there is no other.

    `chosen` is `SHOWN` or the id of a finished analysis; raises Http404 if there is none.
    """
    asked = analyses_asked(task=task).finished().filter(kind=this.kind)
    others = asked.exclude(pk=this.pk)
    run = latest_run(task_id=task.pk)
    choices = [] if run is None else [(SHOWN, _("the ranking that is shown"))]
    for each in others[:_OFFERED]:
        row = asked_in_words(each, task)
        choices.append((str(each.pk), f"{row.words or _('as usual')} ({each.watermark})"))
    if not choices:
        return None
    if chosen == "" or (chosen == SHOWN and run is None):
        chosen = choices[0][0]
    words = dict(choices).get(chosen, chosen)
    if chosen == SHOWN and run is not None:
        return Beside(_rows(systems, run.result["systems"]), words, chosen, choices)
    if not chosen.isdecimal() or len(chosen) > _DIGITS:
        raise Http404
    found = Analysis.objects.of(task.pk).finished().filter(pk=chosen, kind=this.kind).first()
    if found is None or found.data is None:
        raise Http404
    return Beside(_rows(systems, found.data["rankings"][0]["systems"]), words, chosen, choices)


def _rows(
    these: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> list[BesideRow]:
    this = {row["system"]: row for row in these}
    other = {row["system"]: row for row in others}
    return [BesideRow(name, this.get(name), other.get(name)) for name in {**this, **other}]
