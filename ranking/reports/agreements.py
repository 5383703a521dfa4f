"""Agreement as a report."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.agreement.intervals import AgreementEstimate
from ranking.core.agreement.measures import AgreementMeasures, LabelAgreements, NAgreement
from ranking.core.agreement.parts import AgreementByReference, LengthAgreement
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.agreement import (
    CHANCE_WORDS,
    PAIRING_WORDS,
    intervals_in_words,
    no_interval_in_words,
    strength_caution,
    strength_in_words,
)


@dataclass(frozen=True, slots=True)
class AgreementFound:
    """What was measured: what was asked for, the rest None or empty."""

    measures: AgreementMeasures
    labels: LabelAgreements
    by_reference: AgreementByReference | None = None
    by_length: tuple[LengthAgreement, ...] = ()


def agreement_report(given: Input, found: AgreementFound, *, is_by_length: bool = False) -> Report:
    """Tell the agreement between judges, and of judges with themselves; `is_by_length` where lengths were asked for."""
    measures = found.measures
    tables = [_measures(found), _n_agreement(found.labels)]
    if found.by_length:
        tables += _by_length(found.by_length)
    return Report(
        notes=[
            *input_notes(given),
            _("Pairing: %(pairing)s; chance: %(chance)s; %(intervals)s")
            % {
                "pairing": PAIRING_WORDS[measures.pairing],
                "chance": CHANCE_WORDS[measures.chance],
                "intervals": intervals_in_words(
                    measures.resample,
                    resamples=measures.resamples,
                    confidence=measures.confidence,
                    seed=measures.seed,
                ),
            },
            *_without_interval(measures),
            *(
                [_("Not by length: the texts of the sources are not here.")]
                if is_by_length and not found.by_length
                else []
            ),
        ],
        tables=tables,
        data={
            "input": input_data(given),
            "inter": measures.inter,
            "intra": measures.intra,
            "pairing": measures.pairing,
            "chance": measures.chance,
            "resample": measures.resample,
            "resamples": measures.resamples,
            "confidence": measures.confidence,
            "seed": measures.seed,
            "labels": found.labels,
            "by_reference": found.by_reference,
            "by_length": found.by_length or None,
            "version": code_version(),
        },
    )


def _without_interval(measures: AgreementMeasures) -> list[str]:
    """Return why a κ has no interval."""
    return [
        _("No interval of κ %(of)s: %(reason)s.")
        % {"of": of, "reason": no_interval_in_words(measure.no_interval)}
        for of, measure in (
            (_("between judges"), measures.inter),
            (_("with themselves"), measures.intra),
        )
        if measure.no_interval is not None
    ]


def _measures(found: AgreementFound) -> Table:
    rows = [
        _measure_row(_("between judges"), found.measures.inter),
        _measure_row(_("with themselves"), found.measures.intra),
    ]
    if found.by_reference is not None:
        for called, measures in (
            (_("with the reference"), found.by_reference.included),
            (_("without the reference"), found.by_reference.excluded),
            (_("without it, chance as with it"), found.by_reference.excluded_same_chance),
        ):
            if measures is not None:
                rows.append(_measure_row(f"{called}, {_('between judges')}", measures.inter))
                rows.append(_measure_row(f"{called}, {_('with themselves')}", measures.intra))
    return Table(
        name="agreement",
        title=_("Agreement on comparisons"),
        columns=(
            Column("agreement", _("Agreement"), is_text=True),
            Column("kappa", _("κ")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("strength", _("In words"), is_text=True),
            Column("p_agree", _("P(A)")),
            Column("p_chance", _("P(E)")),
            Column("agreeing", _("Agreeing")),
            Column("comparable", _("Comparable")),
        ),
        rows=rows,
        notes=[strength_caution()],
        plot=Plot(
            kind="intervals", label="agreement", value="kappa", low="low", high="high", mark=0
        ),
    )


def _measure_row(called: str, measure: AgreementEstimate) -> tuple[Value, ...]:
    return (
        called,
        measure.kappa,
        measure.low,
        measure.high,
        strength_in_words(measure.kappa, measure.reason),
        measure.p_agree,
        measure.p_chance,
        measure.agreeing,
        measure.comparable,
    )


def _n_agreement(found: LabelAgreements) -> Table:
    return Table(
        name="n_agreement",
        title=_("Labels of one output that differ by at most n"),
        columns=(
            Column("n", _("n"), is_text=True),
            Column("inter_share", _("Between judges")),
            Column("inter_low", _("From")),
            Column("inter_high", _("To")),
            Column("inter_comparable", _("Pairs")),
            Column("intra_share", _("With themselves")),
            Column("intra_low", _("From")),
            Column("intra_high", _("To")),
            Column("intra_comparable", _("Pairs")),
        ),
        rows=[
            (str(inter.n), *_share_cells(inter), *_share_cells(intra))
            for inter, intra in zip(found.inter.n_agreement, found.intra.n_agreement, strict=True)
        ],
    )


def _share_cells(found: NAgreement) -> tuple[Value, ...]:
    return found.share, found.low, found.high, found.comparable


def _by_length(found: tuple[LengthAgreement, ...]) -> list[Table]:
    """Return Figure 2 of Bojar et al. (2011) for this campaign, between judges and with themselves."""
    titles = (
        _("Agreement between judges by the number of words of the source sentence"),
        _("Agreement of judges with themselves by the number of words of the source sentence"),
    )
    of_rows = (
        [(row, row.agreement.inter) for row in found],
        [(row, row.agreement.intra) for row in found],
    )
    return [
        Table(
            name=name,
            title=title,
            columns=(
                Column("words", _("Words"), is_text=True, names="words"),
                Column("segments", _("Segments")),
                Column("kappa", _("κ")),
                Column("low", _("From")),
                Column("high", _("To")),
                Column("strength", _("In words"), is_text=True),
                Column("comparable", _("Comparable"), counts="judgments"),
            ),
            rows=[
                (
                    f"{row.shortest}–{row.longest}",
                    row.segments,
                    measure.kappa,
                    measure.low,
                    measure.high,
                    strength_in_words(measure.kappa, measure.reason),
                    measure.comparable,
                )
                for row, measure in rows
            ],
            plot=Plot(
                kind="line",
                label="words",
                value="kappa",
                low="low",
                high="high",
                start=0,
                end=1,
            ),
        )
        for name, title, rows in zip(
            ("by_length", "by_length_themselves"), titles, of_rows, strict=True
        )
    ]
