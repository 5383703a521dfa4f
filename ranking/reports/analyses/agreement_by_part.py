"""Measure the agreement of judges by system, pair of systems, document and sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.core.agreement.intervals import AgreementEstimate, reported
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.parts import (
    PartAgreement,
    PartsMeasure,
    agreement_by_document,
    agreement_by_segment,
    agreement_by_systems,
)
from ranking.core.agreement.statistics import Chance
from ranking.reports.analyses.agreement import CHANCE
from ranking.reports.analyses.kind import AnalysisKind, Begin, Progress
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
from ranking.reports.inputs import Input, ignored_documents_notes, report_on
from ranking.reports.tables import BETWEEN, Column, Report, Table, of_part
from ranking.reports.wording.agreement import (
    CHANCE_WORDS,
    kappa_undefined_in_words,
    missing_in_words,
    strength_caution,
)
from ranking.reports.wording.numbers import decimals

#: Only P(E) pooled over all judges, which needs no second count.
POOLED_CHANCE = replace(
    CHANCE,
    choices={
        Chance.CONGER.value: CHANCE_WORDS[Chance.CONGER],
        Chance.SCOTT.value: CHANCE_WORDS[Chance.SCOTT],
        Chance.UNIFORM.value: CHANCE_WORDS[Chance.UNIFORM],
        Chance.RANDOM_CLICKER.value: CHANCE_WORDS[Chance.RANDOM_CLICKER],
    },
)
FEWEST = Option(
    "fewest",
    gettext_lazy("Minimum pairs of comparisons per sentence"),
    10,
    low=1,
    high=10_000,
)
MOST_SEGMENTS = 50


@dataclass(frozen=True, kw_only=True)
class AgreementParts:
    """Agreement between judges, overall and by part; no parts if the overall κ is undefined."""

    whole: AgreementEstimate
    by_system: Sequence[PartAgreement] = ()
    by_pair: Sequence[PartAgreement] = ()
    by_document: Sequence[PartAgreement] = ()
    by_segment: Sequence[PartAgreement] = ()
    fewest: int


def _find_parts(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> AgreementParts:
    begin(_("Measuring agreement"))
    blocks = inputs.blocks
    resampling = kappa_options(options)
    chance = Chance(options[POOLED_CHANCE])
    whole = measure_agreement(blocks, chance=chance, **resampling).inter
    fewest = options[FEWEST]
    if whole.kappa is None or whole.p_chance is None:
        return AgreementParts(whole=reported(whole), fewest=fewest)
    measure = PartsMeasure(p_chance=whole.p_chance, **resampling)

    def progress() -> Progress:
        return begin(_("Measuring agreement"))

    by_document: Sequence[PartAgreement] = ()
    if blocks.document is not None:
        by_document = agreement_by_document(blocks, measure, progress=progress())
    by_system = agreement_by_systems(blocks, 1, measure, progress=progress())
    by_pair = agreement_by_systems(blocks, 2, measure, progress=progress())
    by_segment = agreement_by_segment(
        blocks,
        measure,
        most=MOST_SEGMENTS,
        fewest=fewest,
    )
    return AgreementParts(
        whole=reported(whole),
        by_system=_reported_parts(by_system),
        by_pair=_reported_parts(by_pair),
        by_document=_reported_parts(by_document),
        by_segment=_reported_parts(by_segment),
        fewest=fewest,
    )


def _reported_parts(parts: Sequence[PartAgreement]) -> list[PartAgreement]:
    return [row.reported() for row in parts]


def _tell_parts(
    inputs: Input,
    _options: AnalysisOptions,
    answer: AgreementParts,
) -> Report:
    """Report agreement by part, lowest first."""
    documents = []
    for row in answer.by_document:
        documents.append(
            {
                "document": _document(inputs, row),
                "segments": row.segments,
                "agreement": row.agreement,
            },
        )
    return report_on(
        inputs,
        notes=_part_notes(inputs, answer.whole),
        tables=_part_tables(inputs, answer) if answer.by_system else [],
        data={**vars(answer), "by_document": documents},
    )


def _part_notes(inputs: Input, whole: AgreementEstimate) -> list[str]:
    if whole.kappa is None or whole.p_chance is None:
        of_whole = kappa_undefined_in_words(whole)
    else:
        of_whole = _(
            "κ between all judges: %(kappa)s; P(E) for all parts: %(chance)s.",
        ) % {
            "kappa": decimals(whole.kappa, 3),
            "chance": decimals(whole.p_chance, 3),
        }
    notes = [
        of_whole,
        _(
            "With many parts, some are extreme by chance: intervals hold for one part at a time.",
        ),
        strength_caution(),
    ]
    if inputs.blocks.document is None:
        notes += ignored_documents_notes(inputs)
    return notes


def _part_tables(inputs: Input, answer: AgreementParts) -> list[Table]:
    kappa = answer.whole.kappa

    def document(row: PartAgreement) -> str:
        return _document(inputs, row)

    tables = [
        _part_table(
            _least_first(answer.by_system),
            Column("part", _("System"), is_text=True, names="system", of=_first_part),
            kappa,
            name="by_system",
            title=_("By system"),
        ),
        _part_table(
            _least_first(answer.by_pair),
            Column("part", _("Systems"), is_text=True, names="systems", of=_both_parts),
            kappa,
            name="by_pair",
            title=_("By pair of systems"),
        ),
    ]
    if answer.by_document:
        tables.append(
            _part_table(
                _least_first(answer.by_document),
                Column(
                    "part",
                    _("Document"),
                    is_text=True,
                    names="document",
                    of=document,
                ),
                kappa,
                name="by_document",
                title=_("By document"),
            ),
        )
    fewest = _(
        "Only sentences with at least %(fewest)d pairs of comparisons. Intervals generalise to other judges of the same sentence.",
    ) % {"fewest": answer.fewest}
    of_segments = _part_table(
        answer.by_segment,
        Column("part", _("Sentence"), is_text=True, names="segment", of=_first_part),
        kappa,
        name="by_segment",
        title=_("Sentences with lowest agreement"),
    )
    return [*tables, replace(of_segments, notes=[fewest])]


def _first_part(row: PartAgreement) -> str:
    return str(row.part[0])


def _both_parts(row: PartAgreement) -> str:
    return BETWEEN.join(map(str, row.part))


def _missing_in_words(row: PartAgreement) -> str | None:
    return missing_in_words(row.agreement)


def _part_table(
    parts: Sequence[PartAgreement],
    part_column: Column,
    kappa: float | None,
    *,
    name: str,
    title: str,
) -> Table:
    measured = (
        *kappa_columns(with_reason=False),
        Column("p_agree", "P(A)"),
        Column("comparable", _("Comparable")),
    )
    return Table.of(
        parts,
        name=name,
        title=title,
        columns=(
            part_column,
            *of_part(attrgetter("agreement"), measured),
            Column("segments", _("Segments")),
            Column(
                "why",
                _("Reason for missing κ or interval"),
                is_text=True,
                of=_missing_in_words,
            ),
        ),
        plot=kappa_plot("part", mark=kappa),
    )


def _least_first(parts: Sequence[PartAgreement]) -> list[PartAgreement]:
    """Return parts by P(A), which is the order of κ, as P(E) is the same for all."""

    def key(row: PartAgreement) -> tuple[bool, float]:
        p_agree = row.agreement.p_agree
        return p_agree is None, p_agree or 0.0

    return sorted(parts, key=key)


def _document(inputs: Input, row: PartAgreement) -> str:
    number = int(row.part[0])
    if number < len(inputs.documents):
        return inputs.documents[number]
    return _("document %(number)d") % {"number": number + 1}


AGREEMENT_BY = AnalysisKind(
    name="agreement_by",
    title=gettext_lazy("Agreement by part"),
    page="agreement",
    question=gettext_lazy(
        "On which systems, documents and sentences do judges agree least?",
    ),
    options=(POOLED_CHANCE, FEWEST, KAPPA_LEVEL, CONFIDENCE, RESAMPLES, SEED),
    find=_find_parts,
    tell=_tell_parts,
)
