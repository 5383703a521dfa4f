"""WMT's table of the amount of data collected: judging work by test set."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.across.rows import TableRow, data_of, watermarks
from ranking.analyses.kind import AnalysisKind
from ranking.code_version import code_version
from ranking.reports.tables import Column, Plot, Report, Table, Value

_HOUR = 3_600_000


def _tell(told: Sequence[TableRow], _options: Mapping[str, Any]) -> Report:
    """Report the collected data of each test set, and the total in the last row."""
    rows = [row for row in told if row.test_set.pk != TOTAL]
    total = next((row.found for row in told if row.test_set.pk == TOTAL), None)
    shown = [(row, _figures(row.found, _systems(row))) for row in rows]
    sums = None if total is None else _figures(total, sum(_systems(row) for row in rows))
    lines: list[tuple[Value, ...]] = [
        (row.test_set.name, row.test_set.languages, *figures.values()) for row, figures in shown
    ]
    if sums is not None and rows:
        lines.append((_("Total"), "", *sums.values()))
    return Report(
        notes=[
            _(
                "Judges, blocks and skips include all judges but no attention checks; hours and days are those of people. Comparisons, sentences and ratios cover the judgments in each ranking, without the reference: %(judgments)s."
            )
            % {
                "judgments": watermarks(
                    (row.test_set.name, row.found["counted_to"]) for row in rows
                )
            },
            *([] if rows else [_("No test sets yet.")]),
        ],
        tables=[
            Table(
                name="collected",
                title=_("Data collected"),
                columns=_columns(),
                rows=lines,
                rules=frozenset({len(rows) - 1} if rows else ()),
                notes=[
                    _(
                        "Systems with identical outputs share one text: “Comparisons” count every system, “Comparisons of texts” each text once. “Per system” is comparisons divided by systems, as in WMT. The total counts each judge and day once."
                    )
                ],
                plot=Plot(
                    kind="intervals", label="test_set", value="blocks", start=0, most=len(rows)
                ),
            )
        ],
        data={
            "test_sets": [
                {
                    **data_of(row.test_set),
                    **figures,
                    "counted": {
                        "watermark": row.found["counted_to"],
                        "blocks": row.found["counted_blocks"],
                        "systems": row.found["counted_systems"],
                    },
                }
                for row, figures in shown
            ],
            "total": sums,
            "version": code_version(),
        },
    )


def _columns() -> tuple[Column, ...]:
    return (
        Column("test_set", _("Test set"), is_text=True, names="test_set"),
        Column("languages", _("Languages"), is_text=True),
        Column("systems", _("Systems")),
        Column("judges", _("Judges")),
        Column("blocks", _("Blocks"), counts="judgments"),
        Column("comparisons", _("Comparisons")),
        Column("decided", _("Decided")),
        Column("collapsed", _("Comparisons of texts")),
        Column("comparisons_per_system", _("Per system"), decimals=1),
        Column("segments", _("Sentences")),
        Column("blocks_per_segment", _("Blocks per sentence"), decimals=2),
        Column("skipped", _("Skipped")),
        Column("active_hours", _("Active hours"), decimals=1),
        Column("days", _("Days")),
    )


def _systems(row: TableRow) -> int:
    return len(row.test_set.names_of("system"))


def _figures(found: Mapping[str, Any], systems: int) -> dict[str, Any]:
    """Return the figures of a row by the keys of its columns, in column order."""
    comparisons, ties = found["comparisons"], found["ties"]
    return {
        "systems": systems,
        "judges": found["judges"],
        "blocks": found["blocks"],
        "comparisons": comparisons,
        "decided": None if comparisons is None or ties is None else comparisons - ties,
        "collapsed": found["collapsed"],
        "comparisons_per_system": _ratio(comparisons, found["counted_systems"]),
        "segments": found["segments"],
        "blocks_per_segment": _ratio(found["counted_blocks"], found["segments"]),
        "skipped": found["skipped"],
        # No active time was recorded, or judgments were imported.
        "active_hours": found["active_ms"] / _HOUR if found["active_ms"] else None,
        "days": found["days"] or None,
    }


def _ratio(count: int | None, of: int | None) -> float | None:
    return None if count is None or not of else count / of


#: Key of the campaign's total among the rows.
TOTAL = 0

COLLECTED = AnalysisKind(
    of_campaign=True,
    name="collected",
    title=gettext_lazy("Data collected"),
    question=gettext_lazy("How much was judged in each test set?"),
    tell=_tell,
    is_live=lambda _options: True,
)
