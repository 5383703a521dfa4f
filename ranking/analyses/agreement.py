"""Measure how far judges agree with each other and with themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE, KAPPA_LEVEL, RESAMPLES, SEED, kappa_options
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.agreement.measures import label_agreement, measure_agreement
from ranking.core.agreement.parts import agreement_by_length, agreement_by_reference
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.reports import Report
from ranking.reports.agreements import AgreementFound, agreement_report
from ranking.reports.inputs import Input
from ranking.wording.agreement import CHANCE_WORDS, PAIRING_WORDS

PAIRING = Option(
    name="pairing",
    label=gettext_lazy("Same item"),
    default=Pairing.UNORDERED.value,
    choices={each.value: words for each, words in PAIRING_WORDS.items()},
)
CHANCE = Option(
    name="chance",
    label=gettext_lazy("Agreement by chance"),
    default=Chance.SCOTT.value,
    choices={each.value: words for each, words in CHANCE_WORDS.items()},
)
BY_REFERENCE = Option(
    name="by_reference",
    label=gettext_lazy("With and without the reference"),
    default=False,
)
BY_LENGTH = Option(name="by_length", label=gettext_lazy("By length of the source"), default=True)


def agreement_found(
    given: Input,
    *,
    by_reference: bool,
    tokens: npt.NDArray[np.int64] | None,
    how: Mapping[str, Any],
) -> AgreementFound:
    """Measure agreement.

    Parameters
    ----------
    given : Input
    by_reference : bool
        Whether to measure with and without the reference, too; `given` has one then.
    tokens : int64, shape (last segment number + 1,), or None
        Words of each segment's source, to measure by length, too.
    how : mapping
        `pairing`, `chance`, `resample`, `resamples`, `confidence` and `seed`.
    """
    resampling = kappa_options(how)
    return AgreementFound(
        measures=measure_agreement(given.blocks, **how),
        labels=label_agreement(given.blocks, **resampling),
        by_reference=agreement_by_reference(given.read.blocks, given.reference, **how)
        if by_reference and given.reference is not None
        else None,
        by_length=() if tokens is None else agreement_by_length(given.blocks, tokens, **how),
    )


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> AgreementFound:
    begin(_("Measuring agreement"))
    how = {
        **kappa_options(options),
        "pairing": Pairing(options["pairing"]),
        "chance": Chance(options["chance"]),
    }
    by_length = options["by_length"] and given.texts is not None
    return agreement_found(
        given,
        by_reference=options["by_reference"],
        tokens=given.texts.words() if by_length and given.texts is not None else None,
        how=how,
    )


def _tell(given: Input, options: Mapping[str, Any], found: AgreementFound) -> Report:
    return agreement_report(given, found, is_by_length=options["by_length"])


AGREEMENT = AnalysisKind(
    name="agreement",
    title=gettext_lazy("Agreement"),
    question=gettext_lazy(
        "How far do judges agree with each other and with themselves, and where do they not?"
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
    find=_find,
    tell=_tell,
)
