"""Measure the agreement of all judges with each other and with themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import labelled
from ranking.core.agreement.measures import (
    AgreementMeasures,
    LabelAgreements,
    label_agreement,
    measure_agreement,
)
from ranking.core.agreement.parts import (
    AgreementByReference,
    LengthAgreement,
    agreement_by_length,
    agreement_by_reference,
)
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.reports.analyses.kind import AnalysisKind, Begin
from ranking.reports.analyses.options import (
    CONFIDENCE,
    KAPPA_LEVEL,
    RESAMPLES,
    SEED,
    AnalysisOptions,
    Option,
    kappa_options,
)
from ranking.reports.correlations import kappa_columns, kappa_plot
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import LinePlot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    end_columns,
    itself,
    of_part,
    plain,
)
from ranking.reports.wording.agreement import (
    CHANCE_WORDS,
    PAIRING_WORDS,
    intervals_in_words,
    no_interval_in_words,
    strength_caution,
)

PAIRING = Option(
    "pairing",
    gettext_lazy("Same item"),
    Pairing.UNORDERED.value,
    choices={pairing.value: label for pairing, label in PAIRING_WORDS.items()},
)
CHANCE = Option(
    "chance",
    gettext_lazy("Chance agreement"),
    Chance.CONGER.value,
    choices={chance.value: label for chance, label in CHANCE_WORDS.items()},
)
BY_REFERENCE = Option(
    "by_reference",
    gettext_lazy("Compare with and without the reference"),
    False,
)
BY_LENGTH = Option("by_length", gettext_lazy("By source length"), True)


@dataclass(frozen=True, kw_only=True)
class OverallAgreement:
    """Agreement of all judges; None without a comparison by the reference or by length."""

    measures: AgreementMeasures
    labels: LabelAgreements
    by_reference: AgreementByReference | None
    by_length: tuple[LengthAgreement, ...] | None


def _find_overall(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> OverallAgreement:
    begin(_("Measuring agreement"))
    blocks = inputs.blocks
    resampling = kappa_options(options)
    pairing = Pairing(options[PAIRING])
    chance = Chance(options[CHANCE])
    by_reference = None
    by_length = None
    if options[BY_REFERENCE] and inputs.reference is not None:
        by_reference = agreement_by_reference(
            inputs.read.blocks,
            inputs.reference,
            **resampling,
            pairing=pairing,
            chance=chance,
        ).reported()
    if inputs.texts is not None and options[BY_LENGTH]:
        lengths = agreement_by_length(
            blocks,
            inputs.texts.words(),
            **resampling,
            pairing=pairing,
            chance=chance,
        )
        by_length = tuple(row.reported() for row in lengths) or None
    measures = measure_agreement(blocks, **resampling, pairing=pairing, chance=chance)
    return OverallAgreement(
        measures=measures.reported(),
        labels=label_agreement(blocks, **resampling).reported(),
        by_reference=by_reference,
        by_length=by_length,
    )


def _tell_overall(
    inputs: Input,
    options: AnalysisOptions,
    answer: OverallAgreement,
) -> Report:
    """Report the agreement of judges with each other and with themselves."""
    measures = answer.measures
    notes = [
        _("Items: %(pairing)s; chance agreement: %(chance)s; %(intervals)s")
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
        *_missing_interval_notes(measures),
    ]
    if options[BY_LENGTH] and not answer.by_length:
        notes.append(_("No table by source length: source texts are missing."))
    tables = [_measures(measures, answer.by_reference), _n_agreement(answer.labels)]
    if answer.by_length:
        tables += _tables_by_length(answer.by_length)
    return report_on(
        inputs,
        notes=notes,
        tables=tables,
        data={
            **plain(measures),
            "labels": answer.labels,
            "by_reference": answer.by_reference,
            "by_length": answer.by_length,
        },
    )


def _missing_interval_notes(measures: AgreementMeasures) -> list[str]:
    """Return the reason why a κ has no interval."""
    notes = []
    for name, measure in (
        (_("Between judges"), measures.inter),
        (_("Self-agreement"), measures.intra),
    ):
        if measure.no_interval is not None:
            reason = no_interval_in_words(measure.no_interval)
            message = _("No interval for κ (%(of)s): %(reason)s.")
            notes.append(message % {"of": name, "reason": reason})
    return notes


def _measures(
    measures: AgreementMeasures,
    by_reference: AgreementByReference | None,
) -> Table:
    rows = [
        (_("Between judges"), measures.inter),
        (_("Self-agreement"), measures.intra),
    ]
    if by_reference is not None:
        for name, part in (
            (_("With the reference"), by_reference.included),
            (_("Without the reference"), by_reference.excluded),
            (
                _("without the reference, same chance agreement"),
                by_reference.excluded_same_chance,
            ),
        ):
            if part is not None:
                rows.append((labelled(name, _("Between judges")), part.inter))
                rows.append((labelled(name, _("Self-agreement")), part.intra))
    return Table.of(
        rows,
        name="agreement",
        title=_("Agreement"),
        columns=(
            Column("agreement", _("Agreement"), is_text=True, of=itemgetter(0)),
            *of_part(
                itemgetter(1),
                (
                    *kappa_columns(),
                    Column("p_agree", "P(A)"),
                    Column("p_chance", "P(E)"),
                    Column("agreeing", _("Agreeing")),
                    Column("comparable", _("Comparable")),
                ),
            ),
        ),
        notes=[strength_caution()],
        plot=kappa_plot("agreement"),
    )


def _n_agreement(agreements: LabelAgreements) -> Table:
    columns = [Column("n", "n", is_text=True, of=itemgetter(0))]
    for position, name, heading in (
        (1, "inter", _("Between judges")),
        (2, "intra", _("Self-agreement")),
    ):
        of_labels = (
            Column(f"{name}_share", heading, of=attrgetter("kappa")),
            *end_columns(f"{name}_", of=itself),
            Column(f"{name}_comparable", _("Pairs"), of=attrgetter("comparable")),
        )
        columns += of_part(itemgetter(position), of_labels)
    inter = agreements.inter.n_agreement
    intra = agreements.intra.n_agreement
    distances = map(str, range(len(inter)))
    return Table.of(
        zip(distances, inter, intra, strict=True),
        name="n_agreement",
        title=_("Labels within n of each other"),
        columns=columns,
    )


def _lengths(row: LengthAgreement) -> str:
    return f"{row.shortest}–{row.longest}"


def _tables_by_length(lengths: Sequence[LengthAgreement]) -> list[Table]:
    return [
        _length_table(
            lengths,
            "inter",
            "by_length",
            _("Agreement between judges by source length"),
        ),
        _length_table(
            lengths,
            "intra",
            "by_length_themselves",
            _("Self-agreement by source length"),
        ),
    ]


def _length_table(
    lengths: Sequence[LengthAgreement],
    measure: str,
    name: str,
    title: str,
) -> Table:
    comparable = Column("comparable", _("Comparable"), counts="judgments")
    return Table.of(
        lengths,
        name=name,
        title=title,
        columns=(
            Column("words", _("Words"), is_text=True, names="words", of=_lengths),
            Column("segments", _("Segments")),
            *of_part(
                attrgetter(f"agreement.{measure}"),
                (*kappa_columns(), comparable),
            ),
        ),
        plot=LinePlot(
            label="words",
            value="kappa",
            low="low",
            high="high",
            start=0,
            end=1,
        ),
    )


AGREEMENT = AnalysisKind(
    name="agreement",
    title=gettext_lazy("Agreement overall"),
    page="agreement",
    question=gettext_lazy(
        "How well do judges agree with each other and with themselves?",
    ),
    options=(
        CHANCE,
        PAIRING,
        BY_REFERENCE,
        BY_LENGTH,
        KAPPA_LEVEL,
        CONFIDENCE,
        RESAMPLES,
        SEED,
    ),
    find=_find_overall,
    tell=_tell_overall,
)
