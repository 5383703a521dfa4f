"""Measure agreement by segment, document, system and pair of systems."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.agreement import CHANCE
from ranking.analyses.kind import AnalysisKind, Begin, Progress
from ranking.analyses.options import CONFIDENCE, KAPPA_LEVEL, RESAMPLES, SEED, Option, kappa_options
from ranking.core.agreement.intervals import AgreementEstimate
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.parts import (
    PartAgreement,
    PartsMeasure,
    agreement_by_document,
    agreement_by_segment,
    agreement_by_systems,
)
from ranking.core.agreement.statistics import Chance
from ranking.reports.correlations import kappa_columns, kappa_plot
from ranking.reports.inputs import Input, ignored_documents_notes, report_on
from ranking.reports.tables import BETWEEN, Column, Named, Report, Table, of_part
from ranking.wording.agreement import (
    missing_in_words,
    not_estimable_in_words,
    strength_caution,
)
from ranking.wording.numbers import decimals

#: Only P(E) pooled over all judges, which needs no second count.
POOLED_CHANCE = replace(
    CHANCE,
    choices={
        chance.value: CHANCE.choices[chance.value]
        for chance in (Chance.SCOTT, Chance.UNIFORM, Chance.RANDOM_CLICKER)
    },
)
FEWEST = Option(
    name="fewest",
    label=gettext_lazy("Minimum pairs of comparisons per sentence"),
    default=10,
    low=1,
    high=10_000,
)
MOST_SEGMENTS = 50


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
    """Return agreement between judges, overall and by part; no parts if the overall κ is undefined."""
    begin(_("Measuring agreement"))
    resampling = kappa_options(options)
    whole = measure_agreement(given.blocks, chance=Chance(options["chance"]), **resampling).inter
    by = dict.fromkeys(("by_system", "by_pair", "by_document", "by_segment"), ())
    found: dict[str, Any] = {"whole": whole, **by, "fewest": options["fewest"]}
    if whole.kappa is None or whole.p_chance is None:
        return found
    measure = PartsMeasure(p_chance=whole.p_chance, **resampling)

    def progress() -> Progress:
        return begin(_("Measuring agreement"))

    if given.blocks.document is not None:
        found["by_document"] = agreement_by_document(given.blocks, measure, progress=progress())
    for name, systems in (("by_system", 1), ("by_pair", 2)):
        found[name] = agreement_by_systems(given.blocks, systems, measure, progress=progress())
    found["by_segment"] = agreement_by_segment(
        given.blocks, measure, most=MOST_SEGMENTS, fewest=options["fewest"]
    )
    return found


def _tell(given: Input, _options: Mapping[str, Any], found: Mapping[str, Any]) -> Report:
    """Report agreement by part, lowest first."""
    documents = [
        {
            "document": _document(given, row),
            "segments": row.segments,
            "agreement": row.agreement,
        }
        for row in found["by_document"]
    ]
    return report_on(
        given,
        notes=_notes(given, found["whole"]),
        tables=_tables(given, found) if found["by_system"] else [],
        data={**found, "by_document": documents},
    )


def _notes(given: Input, whole: AgreementEstimate) -> list[str]:
    if whole.kappa is None or whole.p_chance is None:
        return [
            _("κ between all judges: %(why)s.") % {"why": not_estimable_in_words(str(whole.reason))}
        ]
    return [
        _("κ between all judges: %(kappa)s; P(E) for all parts: %(chance)s.")
        % {"kappa": decimals(whole.kappa, 3), "chance": decimals(whole.p_chance, 3)},
        _("With many parts, some are extreme by chance: intervals hold for one part at a time."),
        strength_caution(),
        *([] if given.blocks.document is not None else ignored_documents_notes(given)),
    ]


def _tables(given: Input, found: Mapping[str, Any]) -> list[Table]:
    whole = found["whole"].kappa
    parts: tuple[tuple[str, str, str, Named, Callable[[PartAgreement], str]], ...] = (
        ("by_system", _("By system"), _("System"), "system", lambda row: str(row.part[0])),
        (
            *("by_pair", _("By pair of systems"), _("Systems"), "systems"),
            lambda row: BETWEEN.join(map(str, row.part)),
        ),
        (
            *("by_document", _("By document"), _("Document"), "document"),
            lambda row: _document(given, row),
        ),
        (
            *("by_segment", _("Sentences with lowest agreement"), _("Sentence"), "segment"),
            lambda row: str(row.part[0]),
        ),
    )
    most = _(
        "Only sentences with at least %(fewest)d pairs of comparisons. Intervals generalize to other judges of the same sentence."
    ) % {"fewest": found["fewest"]}
    return [
        Table.of(
            found[name] if name == "by_segment" else _least_first(found[name]),
            name=name,
            title=title,
            columns=(
                Column("part", heading, is_text=True, names=names, of=said),
                *of_part(
                    attrgetter("agreement"),
                    (
                        *kappa_columns(with_reason=False),
                        Column("p_agree", "P(A)"),
                        Column("comparable", _("Comparable")),
                    ),
                ),
                Column("segments", _("Segments")),
                Column(
                    "why",
                    _("Reason for missing κ or interval"),
                    is_text=True,
                    of=lambda row: missing_in_words(row.agreement),
                ),
            ),
            notes=[most] if name == "by_segment" else (),
            plot=kappa_plot("part", mark=whole),
        )
        for name, title, heading, names, said in parts
        if name != "by_document" or found[name]
    ]


def _least_first(parts: Sequence[PartAgreement]) -> list[PartAgreement]:
    def key(row: PartAgreement) -> tuple[bool, float]:
        kappa = row.agreement.kappa
        return kappa is None, kappa or 0.0

    return sorted(parts, key=key)


def _document(given: Input, row: PartAgreement) -> str:
    number = int(row.part[0])
    if number < len(given.documents):
        return given.documents[number]
    return _("document %(number)d") % {"number": number + 1}


AGREEMENT_BY = AnalysisKind(
    name="agreement_by",
    title=gettext_lazy("Agreement by part"),
    page="agreement",
    question=gettext_lazy("On which systems, documents and sentences do judges agree least?"),
    options=(POOLED_CHANCE, FEWEST, KAPPA_LEVEL, CONFIDENCE, RESAMPLES, SEED),
    find=_find,
    tell=_tell,
)
