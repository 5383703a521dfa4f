"""Measure the agreement of judges with each other and with themselves."""

from collections.abc import Mapping
from operator import attrgetter, itemgetter
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import CONFIDENCE, KAPPA_LEVEL, RESAMPLES, SEED, Option, kappa_options
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
from ranking.reports.correlations import kappa_columns, kappa_plot
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import Column, Plot, Report, Table, end_columns, of_part
from ranking.wording.agreement import (
    CHANCE_WORDS,
    PAIRING_WORDS,
    intervals_in_words,
    no_interval_in_words,
    strength_caution,
)

PAIRING = Option(
    name="pairing",
    label=gettext_lazy("Same item"),
    default=Pairing.UNORDERED.value,
    choices={each.value: words for each, words in PAIRING_WORDS.items()},
)
CHANCE = Option(
    name="chance",
    label=gettext_lazy("Chance agreement"),
    default=Chance.SCOTT.value,
    choices={each.value: words for each, words in CHANCE_WORDS.items()},
)
BY_REFERENCE = Option(
    name="by_reference",
    label=gettext_lazy("Compare with and without the reference"),
    default=False,
)
BY_LENGTH = Option(name="by_length", label=gettext_lazy("By source length"), default=True)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
    begin(_("Measuring agreement"))
    resampling = kappa_options(options)
    pairing, chance = Pairing(options["pairing"]), Chance(options["chance"])
    how: dict[str, Any] = {**resampling, "pairing": pairing, "chance": chance}
    return {
        "measures": measure_agreement(given.blocks, **how),
        "labels": label_agreement(given.blocks, **resampling),
        "by_reference": agreement_by_reference(given.read.blocks, given.reference, **how)
        if options["by_reference"] and given.reference is not None
        else None,
        "by_length": agreement_by_length(given.blocks, given.texts.words(), **how) or None
        if given.texts is not None and options["by_length"]
        else None,
    }


def _tell(given: Input, options: Mapping[str, Any], found: dict[str, Any]) -> Report:
    """Report the agreement of judges with each other and with themselves."""
    measures = found["measures"]
    tables = [_measures(measures, found["by_reference"]), _n_agreement(found["labels"])]
    if found["by_length"]:
        tables += _by_length(found["by_length"])
    return report_on(
        given,
        notes=[
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
            *_without_interval(measures),
            *(
                [_("No table by source length: source texts are missing.")]
                if options["by_length"] and not found["by_length"]
                else []
            ),
        ],
        tables=tables,
        data={
            **{
                name: getattr(measures, name)
                for name in (
                    *("inter", "intra", "pairing", "chance"),
                    *("resample", "resamples", "confidence", "seed"),
                )
            },
            **{name: found[name] for name in ("labels", "by_reference", "by_length")},
        },
    )


def _without_interval(measures: AgreementMeasures) -> list[str]:
    """Return the reason why a κ has no interval."""
    return [
        _("No interval for κ (%(of)s): %(reason)s.")
        % {"of": of, "reason": no_interval_in_words(measure.no_interval)}
        for of, measure in (
            (_("Between judges"), measures.inter),
            (_("Self-agreement"), measures.intra),
        )
        if measure.no_interval is not None
    ]


def _measures(measures: AgreementMeasures, by_reference: AgreementByReference | None) -> Table:
    rows = [
        (_("Between judges"), measures.inter),
        (_("Self-agreement"), measures.intra),
    ]
    if by_reference is not None:
        for called, part in (
            (_("With the reference"), by_reference.included),
            (_("Without the reference"), by_reference.excluded),
            (
                _("without the reference, same chance agreement"),
                by_reference.excluded_same_chance,
            ),
        ):
            if part is not None:
                rows.append((f"{called}, {_('Between judges')}", part.inter))
                rows.append((f"{called}, {_('Self-agreement')}", part.intra))
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


def _n_agreement(found: LabelAgreements) -> Table:
    return Table(
        name="n_agreement",
        title=_("Labels within n of each other"),
        columns=(
            Column("n", "n", is_text=True),
            Column("inter_share", _("Between judges")),
            *end_columns("inter_"),
            Column("inter_comparable", _("Pairs")),
            Column("intra_share", _("Self-agreement")),
            *end_columns("intra_"),
            Column("intra_comparable", _("Pairs")),
        ),
        rows=[
            (
                str(n),
                *(inter.kappa, inter.low, inter.high, inter.comparable),
                *(intra.kappa, intra.low, intra.high, intra.comparable),
            )
            for n, (inter, intra) in enumerate(
                zip(found.inter.n_agreement, found.intra.n_agreement, strict=True)
            )
        ],
    )


def _by_length(found: tuple[LengthAgreement, ...]) -> list[Table]:
    return [
        Table.of(
            found,
            name=name,
            title=title,
            columns=(
                Column(
                    "words",
                    _("Words"),
                    is_text=True,
                    names="words",
                    of=lambda row: f"{row.shortest}–{row.longest}",
                ),
                Column("segments", _("Segments")),
                *of_part(
                    attrgetter(f"agreement.{kind}"),
                    (*kappa_columns(), Column("comparable", _("Comparable"), counts="judgments")),
                ),
            ),
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
        for kind, name, title in (
            ("inter", "by_length", _("Agreement between judges by source length")),
            ("intra", "by_length_themselves", _("Self-agreement by source length")),
        )
    ]


AGREEMENT = AnalysisKind(
    name="agreement",
    title=gettext_lazy("Agreement overall"),
    page="agreement",
    question=gettext_lazy("How well do judges agree with each other and with themselves?"),
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
    find=_find,
    tell=_tell,
)
