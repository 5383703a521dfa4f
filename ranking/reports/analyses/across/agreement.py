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

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from operator import attrgetter
from statistics import fmean
from typing import NotRequired, TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.core.agreement.measures import AgreementMeasures, measure_agreement
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
    with_results,
)
from ranking.reports.analyses.agreement import CHANCE, PAIRING
from ranking.reports.analyses.diagnosis import SKIPPED_BLOCKS
from ranking.reports.analyses.kind import Begin, CampaignTable
from ranking.reports.analyses.options import (
    CONFIDENCE,
    KAPPA_LEVEL,
    RESAMPLES,
    SEED,
    AnalysisOptions,
    kappa_options,
)
from ranking.reports.correlations import kappa_columns, kappa_plot
from ranking.reports.inputs import Input
from ranking.reports.plots import IntervalPlot
from ranking.reports.tables import (
    Column,
    Report,
    ReportData,
    Table,
    Value,
    of_part,
    test_set_column,
)
from ranking.reports.wording.agreement import intervals_in_words, strength_caution
from version import code_version


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementFigures:
    """The figures of a row, in the order of its columns; averages of rows are floats."""

    systems: float | None
    blocks: float | None
    labels: float | None
    comparisons: float | None
    reference_geq_others: float | None
    intra_kappa: float | None
    inter_kappa: float | None

    @classmethod
    def average(cls, rows: Sequence["AgreementFigures"]) -> "AgreementFigures":
        """Return the mean of each figure over the rows that have it."""
        means = {}
        for field in fields(cls):
            figures = map(attrgetter(field.name), rows)
            values = [float(figure) for figure in figures if figure is not None]
            means[field.name] = fmean(values) if values else None
        return cls(**means)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTestSet:
    """The figures of a test set, without skipped blocks, and its κ of judges."""

    figures: AgreementFigures
    agreement: AgreementMeasures


_Row = TableRow[MeasuredTestSet]


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> MeasuredTestSet:
    begin(_("Measuring agreement"))
    diagnosis = diagnose_campaign(inputs.blocks, reference=inputs.reference)
    agreement = measure_agreement(
        inputs.blocks,
        **kappa_options(options),
        pairing=Pairing(options[PAIRING]),
        chance=Chance(options[CHANCE]),
    ).reported()
    geq_others = None
    if inputs.reference:
        geq_others = diagnosis.geq_others[inputs.reference]
    figures = AgreementFigures(
        systems=len(diagnosis.systems),
        blocks=diagnosis.blocks,
        labels=diagnosis.labels,
        comparisons=diagnosis.comparisons,
        reference_geq_others=geq_others,
        intra_kappa=agreement.intra.kappa,
        inter_kappa=agreement.inter.kappa,
    )
    return MeasuredTestSet(figures=figures, agreement=agreement)


def _figures(row: _Row) -> AgreementFigures:
    """Return the figures of a row with its skipped blocks."""
    figures = row.computed.figures
    return replace(figures, blocks=(figures.blocks or 0) + (row.test_set.skipped or 0))


def _data(row: _Row) -> ReportData:
    if row.result is None:
        return {}
    agreement = row.result.agreement
    kappas = {"intra": agreement.intra, "inter": agreement.inter}
    return {**asdict(_figures(row)), **kappas}


def _tell(rows: Sequence[_Row], options: AnalysisOptions) -> Report:
    counted = with_results(rows)
    average = AgreementFigures.average([_figures(row) for row in counted])
    lines: list[tuple[Value, ...]] = []
    for row in counted:
        test_set = row.test_set
        lines.append((test_set.called, test_set.languages, *astuple(_figures(row))))
    if counted:
        lines.append((_("Average"), "", *astuple(average)))
    choices = (CHANCE, PAIRING, KAPPA_LEVEL, CONFIDENCE, SEED, SKIPPED_BLOCKS)
    return Report(
        notes=_notes(rows, options),
        tables=[_table(lines, options), *_intervals(counted)],
        data={
            **options.of(choices),
            "test_sets": rows_data(rows, _data),
            "average": average,
            "version": code_version(),
        },
    )


def _notes(rows: Sequence[_Row], options: AnalysisOptions) -> list[str]:
    level = options[KAPPA_LEVEL]
    intervals = intervals_in_words(
        level,
        resamples=options[RESAMPLES] if level == "segments" else 0,
        confidence=options[CONFIDENCE],
        seed=options[SEED],
    )
    notes = [
        watermark_note(with_results(rows)),
        _(
            "References ranked as systems are included. Chance agreement: %(chance)s; %(intervals)s",
        )
        % {
            "chance": CHANCE.choices[options[CHANCE]],
            "intervals": intervals,
        },
    ]
    if _counts_skipped(options):
        notes.append(_("“Blocks” includes skipped blocks."))
    return [*notes, *row_notes(rows)]


def _table(lines: Sequence[Sequence[Value]], options: AnalysisOptions) -> Table:
    """Return the table of these lines, the last of which is their average."""
    blocks = Column("blocks", _("Blocks"), decimals=0)
    if _is_listed(options):
        blocks = replace(blocks, counts="judgments")
    return Table(
        name="agreement",
        title=_("By test set"),
        columns=(
            test_set_column(),
            Column("languages", _("Languages"), is_text=True),
            Column("systems", _("Systems"), decimals=0),
            blocks,
            Column("labels", _("Labels"), decimals=0),
            Column("comparisons", _("Comparisons"), decimals=0),
            Column("reference_geq_others", _("Reference ≥ others")),
            Column("intra_kappa", _("Self-agreement κ")),
            Column("inter_kappa", _("κ between judges")),
        ),
        rows=lines,
        rules=frozenset({len(lines) - 2}) if lines else frozenset(),
        notes=[
            _(
                "Like Table 1 of Bojar et al. (2011), who took P(E) = 1/3. The average weights all rows equally.",
            ),
        ],
    )


def _counts_skipped(options: AnalysisOptions) -> bool:
    return options[SKIPPED_BLOCKS] == "count"


def _is_listed(options: AnalysisOptions) -> bool:
    """Return whether the counted blocks are exactly those in the default list of judgments."""
    if _counts_skipped(options):
        return False
    return all(options[option] == option.default for option in JUDGES_OPTIONS)


def _intervals(rows: Sequence[_Row]) -> list[Table]:
    """Return the intervals of κ, which are not in the paper."""
    if not rows:
        return []
    return [
        _kappas_table("inter", _("κ between judges"), rows),
        _kappas_table("intra", _("Self-agreement κ"), rows),
    ]


def _kappas_table(measure: str, title: str, rows: Sequence[_Row]) -> Table:
    measured = (
        *kappa_columns(),
        Column("agreeing", _("Agreeing")),
        Column("comparable", _("Comparable")),
    )
    return Table.of(
        rows,
        name=f"{measure}_kappa",
        title=title,
        columns=(
            replace(test_set_column(), of=attrgetter("test_set.called")),
            *of_part(attrgetter(f"computed.agreement.{measure}"), measured),
        ),
        notes=[strength_caution()],
        plot=kappa_plot("test_set"),
    )


AGREEMENT_TABLE = CampaignTable(
    name="agreement",
    title=gettext_lazy("Judgments and agreement"),
    question=gettext_lazy(
        "How much was judged in each test set, how good is its reference, and how well do judges agree?",
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


class CollectedCounts(TypedDict):
    """Stored figures of a test set, or of all together, which has no ranking."""

    judges: int
    blocks: int
    skipped: int
    active_ms: int
    days: int
    comparisons: int | None
    ties: int | None
    collapsed: int | None
    segments: int | None
    counted_to: NotRequired[int]
    counted_blocks: int | None
    counted_systems: int | None


_CollectedRow = TableRow[CollectedCounts]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedFigures:
    """The figures of a row, in the order of its columns."""

    systems: int
    judges: int
    blocks: int
    comparisons: int | None
    decided: int | None
    collapsed: int | None
    comparisons_per_system: float | None
    segments: int | None
    blocks_per_segment: float | None
    skipped: int
    active_hours: float | None
    days: int | None


def _tell_collected(
    rows_and_total: Sequence[_CollectedRow],
    _options: AnalysisOptions,
) -> Report:
    """Report the collected data of each test set, and the total in the last row."""
    rows = []
    total = None
    for row in rows_and_total:
        if row.test_set.pk == TOTAL:
            total = row.computed
        else:
            rows.append(row)
    systems = 0
    lines: list[tuple[Value, ...]] = []
    data: list[ReportData] = []
    for row in rows:
        test_set = row.test_set
        figures = _collected_figures(row.computed, _systems_of(row))
        systems += figures.systems
        lines.append((test_set.called, test_set.languages, *astuple(figures)))
        counted = {
            "watermark": row.computed["counted_to"],
            "blocks": row.computed["counted_blocks"],
            "systems": row.computed["counted_systems"],
        }
        data.append({**data_of(test_set), **asdict(figures), "counted": counted})
    sums = None
    if total is not None:
        sums = _collected_figures(total, systems)
        if rows:
            lines.append((_("Total"), "", *astuple(sums)))
    judged = watermarks(
        (row.test_set.called, row.computed["counted_to"]) for row in rows
    )
    notes = [
        _(
            "Judges, blocks and skips include all judges but no attention checks; hours and days cover people only. Comparisons, sentences and ratios cover the judgments in each ranking, without the reference: %(judgments)s.",
        )
        % {"judgments": judged},
    ]
    if not rows:
        notes.append(_("No test sets yet."))
    return Report(
        notes=notes,
        tables=[
            Table(
                name="collected",
                title=_("Data collected"),
                columns=_columns(),
                rows=lines,
                rules=frozenset({len(rows) - 1}) if rows else frozenset(),
                notes=[
                    _(
                        "Systems with identical outputs share one text: “Comparisons” counts every system, “Comparisons of texts” each text once. “Per system” is comparisons divided by systems, as in WMT. The total counts each judge and day once.",
                    ),
                ],
                plot=IntervalPlot(
                    label="test_set",
                    value="blocks",
                    start=0,
                    most=len(rows),
                ),
            ),
        ],
        data={"test_sets": data, "total": sums, "version": code_version()},
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


def _systems_of(row: _CollectedRow) -> int:
    return len(row.test_set.names_of("system"))


def _collected_figures(counts: CollectedCounts, systems: int) -> CollectedFigures:
    comparisons = counts["comparisons"]
    ties = counts["ties"]
    decided = None
    if comparisons is not None and ties is not None:
        decided = comparisons - ties
    hours = None
    # No active time was recorded, or judgments were imported.
    if counts["active_ms"]:
        hours = counts["active_ms"] / _HOUR
    return CollectedFigures(
        systems=systems,
        judges=counts["judges"],
        blocks=counts["blocks"],
        comparisons=comparisons,
        decided=decided,
        collapsed=counts["collapsed"],
        comparisons_per_system=_ratio(comparisons, counts["counted_systems"]),
        segments=counts["segments"],
        blocks_per_segment=_ratio(counts["counted_blocks"], counts["segments"]),
        skipped=counts["skipped"],
        active_hours=hours,
        days=counts["days"] or None,
    )


def _ratio(count: int | None, of: int | None) -> float | None:
    if count is None or not of:
        return None
    return count / of


#: Key of the campaign's total among the rows.
TOTAL = 0


def _always(_options: AnalysisOptions) -> bool:
    """Return that the table uses only stored figures."""
    return True


COLLECTED = CampaignTable(
    name="collected",
    title=gettext_lazy("Data collected"),
    question=gettext_lazy("How much was judged in each test set?"),
    tell=_tell_collected,
    uses_stored_figures=_always,
)
