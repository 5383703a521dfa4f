"""Rank systems by a chosen method, with rank ranges of a chosen kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE, METHOD, RESAMPLES, SEED
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option, OptionError
from ranking.core.counting.resampling import LEVELS
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.range_kinds import RANGE_KINDS
from ranking.core.rankings.rank import Ranking, rank
from ranking.range_choices import RangeChoice, RangeChoiceError, completed_choice
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.rankings import rankings_report
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.pair_tests import CORRECTION_WORDS, LEVEL_WORDS

_KIND_WORDS = {
    "percentile": gettext_lazy("percentiles of many rankings"),
    "sign_test": gettext_lazy("sign tests of pairs"),
    "confidence_set": gettext_lazy("confidence sets"),
    "anytime": gettext_lazy("ranges that hold at any time"),
}
#: The default of each kind of ranges.
_OF_KIND = ""
_SIDES_WORDS = {
    _OF_KIND: gettext_lazy("as usual for these ranges"),
    "1": gettext_lazy("one"),
    "2": gettext_lazy("two"),
}

RANGES = Option(
    name="ranges",
    label=gettext_lazy("Rank ranges from"),
    default="percentile",
    choices={kind: _KIND_WORDS[kind] for kind in RANGE_KINDS},
)
LEVEL = Option(
    name="resample",
    label=gettext_lazy("Accounting for"),
    default=_OF_KIND,
    choices={
        _OF_KIND: gettext_lazy("as usual for these ranges"),
        **{level: LEVEL_WORDS[level] for level in LEVELS},
    },
)
CORRECTION = Option(
    name="correction",
    label=gettext_lazy("Pairs corrected by"),
    default=_OF_KIND,
    choices={_OF_KIND: gettext_lazy("as usual for these ranges"), **CORRECTION_WORDS},
)
SIDES = Option(
    name="sides", label=gettext_lazy("Sides of tests"), default=_OF_KIND, choices=_SIDES_WORDS
)


def range_choice(options: Mapping[str, Any]) -> RangeChoice:
    """Return how complete options make rank ranges."""
    parts: dict[str, Any] = {"ranges": options["ranges"], "confidence": options["confidence"]}
    for name in ("resample", "correction"):
        if options[name] != _OF_KIND:
            parts[name] = options[name]
    if options["sides"] != _OF_KIND:
        parts["sides"] = int(options["sides"])
    return completed_choice(parts)


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the defaults of their kind of ranges written out."""
    try:
        choice = range_choice(options)
    except RangeChoiceError as error:
        raise OptionError(str(error), field=error.field) from error
    method = METHODS[options["method"]]
    if choice.ranges == "anytime" and method.name != "expected_wins":
        raise OptionError(
            _("Ranges that hold at any time are of Expected Wins alone."), field="ranges"
        )
    if isinstance(method, CountsMethod) and method.outright and choice.resample == "pairs":
        raise OptionError(
            _("%(method)s scores whole blocks: it cannot account for comparisons.")
            % {"method": METHOD_WORDS[method.name]},
            field="resample",
        )
    recorded = choice.recorded
    return {**options, **recorded, "sides": str(recorded["sides"])}


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> Ranking:
    return rank(
        given.blocks,
        options["method"],
        resamples=options["resamples"],
        seed=options["seed"],
        progress=begin(_("Ranking")),
        **range_choice(options).arguments,
    )


def _tell(given: Input, options: Mapping[str, Any], found: Ranking) -> Report:
    del options
    return rankings_report(given, [found], pairs=True)


RANKING = AnalysisKind(
    name="ranking",
    title=gettext_lazy("Ranking"),
    question=gettext_lazy(
        "Who is ahead by another method, with other rank ranges, or by other judgments?"
    ),
    options=(METHOD, RANGES, LEVEL, CORRECTION, SIDES, CONFIDENCE, RESAMPLES, SEED),
    check=checked,
    shows_rule=True,
    find=_find,
    tell=_tell,
)
