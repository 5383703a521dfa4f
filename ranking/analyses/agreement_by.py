"""Measure where judges agree and where they do not: by segment, document, system and pair of systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.agreement import CHANCE
from ranking.analyses.common import CONFIDENCE, KAPPA_LEVEL, RESAMPLES, SEED, kappa_options
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.parts import (
    PartAgreement,
    PartsMeasure,
    agreement_by_document,
    agreement_by_pair,
    agreement_by_segment,
    agreement_by_system,
)
from ranking.core.agreement.statistics import Chance
from ranking.reports import Report
from ranking.reports.agreement_by import AgreementByFound, agreement_by_report
from ranking.reports.inputs import Input

#: Those with one P(E) for all judges that needs no second count.
POOLED_CHANCE = Option(
    name="chance",
    label=CHANCE.label,
    default=CHANCE.default,
    choices={
        chance.value: CHANCE.choices[chance.value]
        for chance in (Chance.SCOTT, Chance.UNIFORM, Chance.RANDOM_CLICKER)
    },
)
FEWEST = Option(
    name="fewest",
    label=gettext_lazy("Fewest pairs of comparisons of a sentence"),
    default=10,
    low=1,
    high=10_000,
    help=gettext_lazy("Sentences with fewer are not listed: κ of one pair says nothing."),
)
MOST_SEGMENTS = 50


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> AgreementByFound:
    begin(_("Measuring agreement"))
    resampling = kappa_options(options)
    whole = measure_agreement(given.blocks, chance=Chance(options["chance"]), **resampling).inter
    if whole.kappa is None or whole.p_chance is None:
        return AgreementByFound(whole=whole, fewest=options["fewest"])
    measure = PartsMeasure(p_chance=whole.p_chance, **resampling)
    by_document: tuple[PartAgreement, ...] = ()
    if given.blocks.document is not None:
        by_document = agreement_by_document(
            given.blocks, measure, progress=begin(_("Measuring documents"))
        )
    return AgreementByFound(
        whole=whole,
        fewest=options["fewest"],
        by_system=agreement_by_system(
            given.blocks, measure, progress=begin(_("Measuring systems"))
        ),
        by_pair=agreement_by_pair(
            given.blocks, measure, progress=begin(_("Measuring pairs of systems"))
        ),
        by_document=by_document,
        by_segment=agreement_by_segment(
            given.blocks, measure, most=MOST_SEGMENTS, fewest=options["fewest"]
        ),
    )


def _tell(given: Input, options: Mapping[str, Any], found: AgreementByFound) -> Report:
    del options
    return agreement_by_report(given, found)


AGREEMENT_BY = AnalysisKind(
    name="agreement_by",
    title=gettext_lazy("Agreement by part"),
    question=gettext_lazy(
        "On which systems, pairs of systems, documents and sentences do judges agree least?"
    ),
    options=(POOLED_CHANCE, FEWEST, KAPPA_LEVEL, CONFIDENCE, RESAMPLES, SEED),
    find=_find,
    tell=_tell,
)
