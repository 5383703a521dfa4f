"""Rankings collected, quality of the references, and agreement: Table 1 of Bojar et al. (2011).

The columns are those of the paper: systems "including the reference", blocks ranked, labels, comparisons
("one block with 5 systems ranked gives 10 pairwise comparisons"), "the percentage of comparisons where the
reference was better or equal than another system", and κ of judges with themselves and between judges, with
P(E) = 1/3 "for consistency with the WMT overview paper" (§2.2). Its last row is the unweighted mean of the
rows above.

References
----------
O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual Evaluation, WMT.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.diagnosis.campaign import diagnose_campaign
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.reports.analyses.across.rows import (
    JUDGES_OPTIONS,
    TableRow,
    data_of,
    row_notes,
    rows_data,
    watermark_note,
    watermarks,
)
from ranking.reports.analyses.agreement import CHANCE, PAIRING
from ranking.reports.analyses.diagnosis import SKIPPED_BLOCKS
from ranking.reports.analyses.kind import Begin, CampaignTable
from ranking.reports.analyses.options import (
    CONFIDENCE,
    KAPPA_LEVEL,
    RESAMPLES,
    SEED,
    kappa_options,
)
from ranking.reports.correlations import kappa_columns, kappa_plot
from ranking.reports.inputs import Input
from ranking.reports.plots import IntervalPlot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    Value,
    of_part,
    test_set_column,
)
from ranking.reports.wording.agreement import intervals_in_words, strength_caution
from version import code_version

_COLUMNS = (
    "systems",
    "blocks",
    "labels",
    "comparisons",
    "reference_geq_others",
    "intra_kappa",
    "inter_kappa",
)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
    """Return the figures of a row, without skipped blocks, by the keys of their columns, and its kinds of κ."""
    begin(_("Measuring agreement"))
    found = diagnose_campaign(given.blocks, reference=given.reference)
    agreement = measure_agreement(
        given.blocks,
        **kappa_options(options),
        pairing=Pairing(options["pairing"]),
        chance=Chance(options["chance"]),
    ).reported()
    return {
        "systems": len(found.systems),
        "blocks": found.blocks,
        "labels": found.labels,
        "comparisons": found.comparisons,
        "reference_geq_others": given.reference and found.geq_others[given.reference],
        "intra_kappa": agreement.intra.kappa,
        "inter_kappa": agreement.inter.kappa,
        "agreement": agreement,
    }


def _tell(rows: Sequence[TableRow], options: Mapping[str, Any]) -> Report:
    counted = [row for row in rows if row.found is not None]
    figures = {
        row.test_set.pk: {name: row.found[name] for name in _COLUMNS}
        | {"blocks": row.found["blocks"] + (row.test_set.skipped or 0)}
        for row in counted
    }
    average = _average(list(figures.values()))
    lines: list[tuple[Value, ...]] = [
        (row.test_set.name, row.test_set.languages, *figures[row.test_set.pk].values())
        for row in counted
    ]
    if counted:
        lines.append((_("Average"), "", *average.values()))
    return Report(
        notes=[
            watermark_note(counted),
            _(
                "References ranked as systems are included. Chance agreement: %(chance)s; %(intervals)s"
            )
            % {
                "chance": CHANCE.choices[options["chance"]],
                "intervals": intervals_in_words(
                    options["resample"],
                    resamples=options["resamples"]
                    if options["resample"] == "segments"
                    else 0,
                    confidence=options["confidence"],
                    seed=options["seed"],
                ),
            },
            *(
                [_("“Blocks” includes skipped blocks.")]
                if _counts_skipped(options)
                else []
            ),
            *row_notes(rows),
        ],
        tables=[
            Table(
                name="agreement",
                title=_("By test set"),
                columns=(
                    test_set_column(),
                    Column("languages", _("Languages"), is_text=True),
                    Column("systems", _("Systems"), decimals=0),
                    Column(
                        "blocks",
                        _("Blocks"),
                        decimals=0,
                        counts="judgments" if _is_listed(options) else None,
                    ),
                    Column("labels", _("Labels"), decimals=0),
                    Column("comparisons", _("Comparisons"), decimals=0),
                    Column("reference_geq_others", _("Reference ≥ others")),
                    Column("intra_kappa", _("Self-agreement κ")),
                    Column("inter_kappa", _("κ between judges")),
                ),
                rows=lines,
                rules=frozenset({len(counted) - 1} if counted else ()),
                notes=[
                    _(
                        "Like Table 1 of Bojar et al. (2011), who took P(E) = 1/3. The average weights all rows equally."
                    )
                ],
            ),
            *_intervals(counted),
        ],
        data={
            **{
                name: options[name]
                for name in ("chance", "pairing", "resample", "confidence")
            },
            "seed": options["seed"],
            SKIPPED_BLOCKS.name: options[SKIPPED_BLOCKS.name],
            "test_sets": rows_data(
                rows,
                lambda row: (
                    {}
                    if row.found is None
                    else {
                        **figures[row.test_set.pk],
                        "intra": row.found["agreement"].intra,
                        "inter": row.found["agreement"].inter,
                    }
                ),
            ),
            "average": average,
            "version": code_version(),
        },
    )


def _counts_skipped(options: Mapping[str, Any]) -> bool:
    return bool(options[SKIPPED_BLOCKS.name] == "count")


def _is_listed(options: Mapping[str, Any]) -> bool:
    """Return whether the counted blocks are exactly those in the default list of judgments."""
    return not _counts_skipped(options) and all(
        options[judges_option.name] == judges_option.default
        for judges_option in JUDGES_OPTIONS
    )


def _average(
    rows: Sequence[Mapping[str, float | int | None]],
) -> dict[str, float | None]:
    """Return the mean of each column over the rows with a value."""
    columns = {}
    for name in _COLUMNS:
        columns[name] = [row[name] for row in rows if row[name] is not None]
    return {
        name: fmean(float(value) for value in values if value is not None)
        if values
        else None
        for name, values in columns.items()
    }


def _measure(name: str, row: TableRow) -> Any:
    return getattr(row.found["agreement"], name)


def _intervals(rows: Sequence[TableRow]) -> list[Table]:
    """Return the intervals of κ, which are not in the paper."""
    named = (
        ("inter", _("κ between judges")),
        ("intra", _("Self-agreement κ")),
    )
    return [
        Table.of(
            rows,
            name=f"{name}_kappa",
            title=title,
            columns=(
                Column(
                    "test_set",
                    _("Test set"),
                    is_text=True,
                    names="test_set",
                    of=lambda row: row.test_set.name,
                ),
                *of_part(
                    partial(_measure, name),
                    (
                        *kappa_columns(),
                        Column("agreeing", _("Agreeing")),
                        Column("comparable", _("Comparable")),
                    ),
                ),
            ),
            notes=[strength_caution()],
            plot=kappa_plot("test_set"),
        )
        for name, title in named
        if rows
    ]


AGREEMENT_TABLE = CampaignTable(
    name="agreement",
    title=gettext_lazy("Judgments and agreement"),
    question=gettext_lazy(
        "How much was judged in each test set, how good is its reference, and how well do judges agree?"
    ),
    options=(
        CHANCE,
        PAIRING,
        KAPPA_LEVEL,
        CONFIDENCE,
        RESAMPLES,
        SEED,
        replace(
            SKIPPED_BLOCKS,
            help=gettext_lazy("Bojar et al. (2011) count skipped blocks."),
        ),
        *JUDGES_OPTIONS,
    ),
    find=_find,
    tell=_tell,
    with_reference=True,
)


_HOUR = 3_600_000


def _tell_collected(told: Sequence[TableRow], _options: Mapping[str, Any]) -> Report:
    """Report the collected data of each test set, and the total in the last row."""
    rows = [row for row in told if row.test_set.pk != TOTAL]
    total = next((row.found for row in told if row.test_set.pk == TOTAL), None)
    shown = [(row, _figures(row.found, _systems_of(row))) for row in rows]
    if total is None:
        sums = None
    else:
        sums = _figures(total, sum(_systems_of(row) for row in rows))
    lines: list[tuple[Value, ...]] = [
        (row.test_set.name, row.test_set.languages, *figures.values())
        for row, figures in shown
    ]
    if sums is not None and rows:
        lines.append((_("Total"), "", *sums.values()))
    return Report(
        notes=[
            _(
                "Judges, blocks and skips include all judges but no attention checks; hours and days cover people only. Comparisons, sentences and ratios cover the judgments in each ranking, without the reference: %(judgments)s."
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
                        "Systems with identical outputs share one text: “Comparisons” counts every system, “Comparisons of texts” each text once. “Per system” is comparisons divided by systems, as in WMT. The total counts each judge and day once."
                    )
                ],
                plot=IntervalPlot(
                    label="test_set", value="blocks", start=0, most=len(rows)
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
        test_set_column(),
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


def _systems_of(row: TableRow) -> int:
    return len(row.test_set.names_of("system"))


def _figures(found: Mapping[str, Any], systems: int) -> dict[str, Any]:
    """Return the figures of a row by the keys of its columns, in column order."""
    comparisons = found["comparisons"]
    ties = found["ties"]
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
    if count is None or not of:
        return None
    return count / of


#: Key of the campaign's total among the rows.
TOTAL = 0

COLLECTED = CampaignTable(
    name="collected",
    title=gettext_lazy("Data collected"),
    question=gettext_lazy("How much was judged in each test set?"),
    tell=_tell_collected,
    uses_stored_figures=lambda _options: True,
)
