"""Diagnosis of a campaign: problems to check for before trusting a ranking."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.core.diagnosis.campaign import (
    CONFIDENCE,
    NOBODY,
    CampaignDiagnosis,
    IdenticalTexts,
    diagnose_campaign,
    identical_texts,
)
from ranking.core.diagnosis.correlation import SampledCorrelation
from ranking.reports.analyses.kind import AnalysisKind, Begin
from ranking.reports.analyses.options import AnalysisOptions, Option, OptionError
from ranking.reports.correlations import in_figures_with_interval, interval_notes
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import IntervalPlot, PointPlot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    judge_column,
    plain,
    system_column,
)
from ranking.reports.wording.numbers import decimals

SKIPPED_BLOCKS = Option(
    "skipped_blocks",
    gettext_lazy("Skipped blocks"),
    "leave_out",
    choices={
        "leave_out": gettext_lazy("Left out"),
        "count": gettext_lazy("Counted"),
    },
    help=gettext_lazy("Bojar et al. (2011) count skipped blocks."),
)
ROUNDED = Option(
    "rounded",
    gettext_lazy("Round scores before correlating"),
    False,
    help=gettext_lazy("To tenths of a percent, as in Bojar et al. (2011)."),
)


@dataclass(frozen=True, kw_only=True)
class DiagnosisFindings:
    """Findings on the judgments, and on judgments of identical texts; None if the texts are unknown."""

    campaign: CampaignDiagnosis
    identical: IdenticalTexts | None


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> DiagnosisFindings:
    if options[SKIPPED_BLOCKS] == "count" and inputs.skips_by_system is None:
        raise OptionError(
            "Files do not record which systems skipped blocks showed.",
            field=SKIPPED_BLOCKS.name,
        )
    begin(_("Counting"))
    # All judgments, including the reference.
    blocks = inputs.read.blocks
    campaign = diagnose_campaign(
        blocks,
        reference=inputs.reference,
        decimals=3 if options[ROUNDED] else None,
        also_shown=inputs.skips_by_system,
    )
    texts = _texts_by_system(inputs)
    identical = identical_texts(blocks, texts) if texts else None
    return DiagnosisFindings(campaign=campaign, identical=identical)


def _texts_by_system(inputs: Input) -> dict[str, Sequence[str | None]]:
    """Return the known outputs of each system."""
    texts: dict[str, Sequence[str | None]] = {}
    if inputs.texts is None:
        return texts
    for name in inputs.read.blocks.systems:
        outputs = inputs.texts.of(name)
        if outputs is not None:
            texts[name] = outputs
    return texts


def campaign_report(
    inputs: Input,
    diagnosis: CampaignDiagnosis,
    identical: IdenticalTexts | None = None,
) -> Report:
    """Report the findings to check before trusting a ranking."""
    data = plain(diagnosis)
    # Counts first, as in Table 1 of Bojar et al. (2011); the names are keys below.
    data["system_names"] = data.pop("systems")
    notes = _notes(diagnosis)
    if inputs.skips_by_system is not None:
        notes.append(_("“Times judged” includes skipped blocks."))
    return report_on(
        inputs,
        notes=[*notes, *_identical_notes(identical)],
        tables=[
            _systems(diagnosis),
            *_reference_share_tables(diagnosis),
            _sole_winners(diagnosis),
            _ties(diagnosis),
            _win_ratios(diagnosis),
            _pairwise(diagnosis),
            *_identical_tables(identical),
        ],
        data={
            "systems": len(diagnosis.systems),
            **data,
            "identical_texts": plain(identical),
        },
    )


def _notes(diagnosis: CampaignDiagnosis) -> list[str]:
    tie_rate = "–" if diagnosis.tie_rate is None else decimals(diagnosis.tie_rate, 3)
    correlations = [diagnosis.score_by_times_judged]
    notes = [
        _("Labels: %(labels)s; share of ties: %(rate)s")
        % {
            "labels": number_format(diagnosis.labels),
            "rate": tie_rate,
        },
        _("Blocks without a sole winner: %(blocks)s")
        % {"blocks": number_format(diagnosis.sole_winners.get(NOBODY, 0))},
        _("Correlation of score and times judged: %(correlation)s")
        % {"correlation": _correlation(diagnosis.score_by_times_judged)},
    ]
    if diagnosis.score_by_reference is not None:
        correlations.append(diagnosis.score_by_reference)
        notes.append(
            _(
                "Correlation of score and share of blocks with the reference: %(correlation)s",
            )
            % {"correlation": _correlation(diagnosis.score_by_reference)},
        )
    return [*notes, *interval_notes(correlations, CONFIDENCE)]


def _correlation(diagnosis: SampledCorrelation) -> str:
    if diagnosis.pearson is None or diagnosis.spearman is None:
        return _("not estimable")
    return _("Pearson %(pearson)s, Spearman %(spearman)s (%(pairs)d systems)") % {
        "pearson": in_figures_with_interval(
            diagnosis.pearson,
            diagnosis.pearson_low,
            diagnosis.pearson_high,
        ),
        "spearman": in_figures_with_interval(
            diagnosis.spearman,
            diagnosis.spearman_low,
            diagnosis.spearman_high,
        ),
        "pairs": diagnosis.pairs,
    }


def _systems(diagnosis: CampaignDiagnosis) -> Table:
    beside = diagnosis.times_beside_reference

    def sole_wins(name: str) -> int:
        return diagnosis.sole_winners.get(name, 0)

    return Table.of(
        diagnosis.systems,
        name="systems",
        title=_("Systems"),
        columns=(
            Column("system", _("System"), is_text=True, names="system", of=str),
            Column("geq_others", _("≥ others"), of=diagnosis.geq_others.get),
            Column("sole_winner", _("Sole winners"), of=sole_wins),
            Column(
                "times_judged",
                _("Times judged"),
                counts="judgments",
                of=diagnosis.times_judged.get,
            ),
            Column("times_beside_reference", _("With reference"), of=beside.get),
            Column("tie_rate", _("Ties"), of=diagnosis.tie_rates.get),
        ),
        plot=PointPlot(label="system", value="geq_others", x="times_judged"),
    )


def _reference_share_tables(diagnosis: CampaignDiagnosis) -> list[Table]:
    """Return Figure 6 of Bojar et al. (2011) for this campaign."""
    beside = diagnosis.times_beside_reference
    rows = []
    for name in diagnosis.systems:
        times = diagnosis.times_judged[name]
        if name != diagnosis.reference and times and name in beside:
            rows.append((name, beside[name] / times, diagnosis.geq_others[name]))
    if not rows:
        return []
    return [
        Table(
            name="beside_reference",
            title=_("Score by share of blocks with the reference"),
            columns=(
                system_column(),
                Column("share", _("Share of blocks with the reference")),
                Column("geq_others", _("≥ others")),
            ),
            rows=rows,
            plot=PointPlot(label="system", value="geq_others", x="share"),
        ),
    ]


def _sole_winners(diagnosis: CampaignDiagnosis) -> Table:
    won = diagnosis.sole_winners
    rows = []
    # Most wins first, then by name.
    for name in sorted(sorted(diagnosis.systems), key=won.__getitem__, reverse=True):
        rows.append((name, won[name], _ratio(won[name], diagnosis.times_judged[name])))
    nobody = won.get(NOBODY, 0)
    rows.append((_("no sole winner"), nobody, _ratio(nobody, diagnosis.blocks)))
    return Table(
        name="sole_winners",
        title=_("Sole winners"),
        columns=(
            system_column(),
            Column("blocks", _("Blocks won")),
            Column("share", _("Share of its blocks")),
        ),
        rows=rows,
        notes=[_("If a block has only one label, its system is the sole winner.")],
        plot=IntervalPlot(label="system", value="blocks", start=0),
    )


def _ratio(part: int, whole: int) -> float | None:
    if whole:
        return part / whole
    return None


def _ties(diagnosis: CampaignDiagnosis) -> Table:
    rates = diagnosis.tie_rates

    def highest_first(name: str) -> tuple[bool, float, str]:
        rate = rates[name]
        return rate is None, -(rate or 0.0), name

    return Table(
        name="ties",
        title=_("Ties"),
        columns=(
            system_column(),
            Column("tie_rate", _("Ties")),
        ),
        rows=[(name, rates[name]) for name in sorted(rates, key=highest_first)],
        plot=IntervalPlot(
            label="system",
            value="tie_rate",
            start=0,
            mark=diagnosis.tie_rate,
        ),
    )


def _win_ratios(diagnosis: CampaignDiagnosis) -> Table:
    """Return Figure 1 of Koehn (2012) for this campaign."""
    rows = []
    for rank, (name, ratio) in enumerate(diagnosis.win_ratios.items(), 1):
        rows.append((rank, name, ratio))
    return Table(
        name="win_ratios",
        title=_("Win ratio"),
        columns=(
            Column("place", _("Place")),
            system_column(),
            Column("win_ratio", _("Win ratio")),
        ),
        rows=rows,
        notes=[
            _(
                "Mean share of decided comparisons won against each system, without the reference (Koehn 2012, Figure 1). Forecasts assume an even spread, which shows as a straight line.",
            ),
        ],
        plot=PointPlot(label="system", value="win_ratio", x="place"),
    )


def _pairwise(diagnosis: CampaignDiagnosis) -> Table:
    rows = []
    for one, others in diagnosis.pairwise.items():
        for other, counts in others.items():
            if one < other:
                rows.append((one, other, *counts))
    return Table(
        name="pairwise",
        title=_("Pairs of systems"),
        columns=(
            system_column(),
            Column("other", _("Other"), is_text=True, names="other"),
            Column("wins", _("Wins"), counts="won"),
            Column("losses", _("Losses"), counts="lost"),
            Column("ties", _("Ties"), counts="tied"),
        ),
        rows=rows,
    )


def _identical_notes(identical: IdenticalTexts | None) -> list[str]:
    if identical is None:
        return []
    return [
        _("Identical texts ranked differently: %(differently)s of %(compared)s")
        % {
            "differently": number_format(len(identical.differently)),
            "compared": number_format(identical.compared),
        },
    ]


def _identical_tables(identical: IdenticalTexts | None) -> list[Table]:
    if identical is None:
        return []
    rows = []
    for row in identical.differently:
        rows.append((row.segment, row.judge, *row.systems, *row.labels))
    return [
        Table(
            name="identical_texts",
            title=_("Identical texts ranked differently"),
            columns=(
                Column("segment", _("Segment"), names="segment"),
                judge_column(),
                system_column(),
                Column("other", _("Other"), is_text=True, names="other"),
                Column("label", _("Label")),
                Column("other_label", _("Other label")),
            ),
            rows=rows,
        ),
    ]


def _tell(
    inputs: Input,
    _options: AnalysisOptions,
    answer: DiagnosisFindings,
) -> Report:
    return campaign_report(inputs, answer.campaign, answer.identical)


DIAGNOSIS = AnalysisKind(
    name="diagnosis",
    title=gettext_lazy("Ties and balance"),
    page="data",
    question=gettext_lazy(
        "How balanced are ties, sole winners and judgments per system?",
    ),
    options=(SKIPPED_BLOCKS, ROUNDED),
    find=_find,
    tell=_tell,
)
