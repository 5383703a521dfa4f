"""Tell which pairs of systems differ by their own comparisons, and which contradict the order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE, METHOD, SEED
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option, OptionError
from ranking.core.counting.resampling import LEVELS
from ranking.core.diagnosis.direct_pairs import (
    contradictions,
    direct_pairs,
    majority_cycles,
    scored_on_shared_blocks,
    scored_pairs,
)
from ranking.core.methods.bradley_terry import NotConvergedError
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.ranges.sign_tests import Correction
from ranking.core.rankings.range_kinds import FEWEST_BLOCKS, RangeOptions
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.pairs import PairsFound, pairs_report, without_thin
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.pair_tests import CORRECTION_WORDS, LEVEL_WORDS

ORDER = Option(
    name="method",
    label=gettext_lazy("Order of the systems by"),
    default=METHOD.default,
    choices=METHOD.choices,
)
LEVEL = Option(
    name="resample",
    label=gettext_lazy("Accounting for"),
    default="two_way",
    choices={level: LEVEL_WORDS[level] for level in LEVELS},
    help=gettext_lazy("With comparisons, the exact sign test, as in WMT’s tables."),
)
CORRECTION = Option(
    name="correction",
    label=gettext_lazy("Pairs corrected by"),
    default=Correction.HOLM.value,
    choices={correction.value: CORRECTION_WORDS[correction] for correction in Correction},
)
TIES = Option(
    name="ties",
    label=gettext_lazy("Ties in shares"),
    default="left_out",
    choices={
        "left_out": gettext_lazy("left out"),
        "count": gettext_lazy("count, as in WMT’s tables"),
    },
)
ONLY_SHARED = Option(
    name="only_shared",
    label=gettext_lazy("Scores of a pair from shared blocks only"),
    default=False,
    help=gettext_lazy(
        "Both scores of a pair are of the blocks in which both were ranked, so that no contradiction comes "
        "from other sentences."
    ),
)


def _check(options: Mapping[str, Any]) -> dict[str, Any]:
    method = METHODS[options["method"]]
    if options["only_shared"] and not isinstance(method, CountsMethod):
        raise OptionError(
            _("%(method)s needs all judgments: it gives no scores of shared blocks.")
            % {"method": METHOD_WORDS[method.name]},
            field="only_shared",
        )
    return dict(options)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> PairsFound:
    begin(_("Comparing pairs"))
    blocks, method = given.blocks, METHODS[options["method"]]
    correction = Correction(options["correction"])
    # The sign test of comparisons is exact.
    least = 1 if options["resample"] == "pairs" else FEWEST_BLOCKS
    direct = without_thin(
        direct_pairs(blocks, level=options["resample"], correction=correction), least
    )
    try:
        scores = method.score(blocks, seed=options["seed"], **method.complete(None))
        scored = (
            scored_on_shared_blocks(blocks, method)
            if options["only_shared"] and isinstance(method, CountsMethod)
            else scored_pairs(blocks.systems, scores)
        )
    except NotConvergedError as error:
        raise ValueError(
            _("%(method)s gives no order: the estimate did not converge.")
            % {"method": METHOD_WORDS[method.name]}
        ) from error
    return PairsFound(
        scores=scores,
        direct=direct,
        scored=scored,
        contradictions=contradictions(direct, scored),
        cycles=majority_cycles(direct),
        level=RangeOptions(confidence=options["confidence"]).level,
        least=least,
    )


def _tell(given: Input, options: Mapping[str, Any], found: PairsFound) -> Report:
    return pairs_report(given, found, options)


PAIRS = AnalysisKind(
    name="pairs",
    title=gettext_lazy("Pairs"),
    question=gettext_lazy(
        "Which systems are told apart by comparisons of the two, and which pairs contradict the order?"
    ),
    options=(ORDER, LEVEL, CORRECTION, CONFIDENCE, TIES, ONLY_SHARED, SEED),
    check=_check,
    shows_rule=True,
    find=_find,
    tell=_tell,
)
