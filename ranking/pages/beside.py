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
from ranking.pages.report_shown import ShownTable, shown_tables
from ranking.reports.tables import Column, Report, Table, Value
from ranking.selectors.analyses import analyses_asked
from ranking.selectors.runs import latest_run
from ranking.wording.ranges import rank_cell, rank_range

#: Stands for the ranking that the test set shows.
SHOWN = "shown"
_OFFERED = 20
# Of ids that PostgreSQL knows.
_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Beside:
    """A ranking beside another: `choices` are the others there are, `differing` is how many systems are elsewhere."""

    table: ShownTable
    differing: int
    chosen: str
    choices: Sequence[tuple[str, str]]


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
        return _beside(systems, run.result["systems"], words, chosen, choices)
    if not chosen.isdecimal() or len(chosen) > _DIGITS:
        raise Http404
    found = Analysis.objects.of(task.pk).finished().filter(pk=chosen, kind=this.kind).first()
    if found is None or found.data is None:
        raise Http404
    others_systems = found.data["rankings"][0]["systems"]
    return _beside(systems, others_systems, words, chosen, choices)


def _beside(
    these: Sequence[Mapping[str, Any]],
    those: Sequence[Mapping[str, Any]],
    words: str,
    chosen: str,
    choices: Sequence[tuple[str, str]],
) -> Beside:
    sides = [{row["system"]: only_estimable(row) for row in rows} for rows in (these, those)]
    has_groups = any(row.get("group", 1) > 1 for side in sides for row in side.values())
    rows: list[tuple[Value, ...]] = []
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        this, other = (_place(side.get(name), has_groups=has_groups) for side in sides)
        rows.append((name, *this, *other, "≠" if this != other else ""))
    heads = [*([_("Group")] if has_groups else []), _("Rank"), _("Rank range"), _("Cluster")]
    table = Table(
        name="beside",
        title=_("Side by side"),
        columns=[
            Column("system", _("System"), is_text=True),
            *(
                Column(f"{side}_{number}", f"{head} · {side_words}")
                for side, side_words in (("this", _("This choice")), ("other", words))
                for number, head in enumerate(heads)
            ),
            Column("differs", _("Differs"), is_text=True),
        ],
        rows=rows,
    )
    (shown,) = shown_tables(Report(tables=[table], data={}))
    return Beside(shown, sum(row[-1] != "" for row in rows), chosen, choices)


def _place(row: Mapping[str, Any] | None, *, has_groups: bool) -> tuple[Value, ...]:
    """Return the group, the rank, the rank range and the cluster of a system; dashes where it has none."""
    if row is None:
        return (None,) * (3 + has_groups)
    group = (row.get("group", 1),) if has_groups else ()
    return (*group, rank_cell(row), rank_range(row), row["cluster"])
