"""Report on ratings, for page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from protocols.frame.lines import AnswersRead
from protocols.frame.scale.computed import RatingsFound, ratings_found
from protocols.frame.scale.files import LINES, Rating, easy_items, ratings_arranged
from protocols.frame.scale.statistics.ratings import POINTS, Items
from protocols.frame.scale.tables import ratings_report
from protocols.frame.tables import analysis_of_lines
from ranking.analyses.kind import AnalysisKind
from ranking.analyses.options import CONFIDENCE, SEED, Option, OptionError
from ranking.core.ranges import Correction
from ranking.files.records import refuse_unknown
from ranking.reports import Report
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.wording.pair_tests import CORRECTION_WORDS

MERGE = Option(
    name="merge",
    label=gettext_lazy("Merge into three points"),
    default=False,
    help=gettext_lazy("Merges 1 with 2, and 4 with 5."),
)
STANDARDISE = Option(
    name="standardise",
    label=gettext_lazy("Standardize by judge"),
    default=False,
    help=gettext_lazy("Uses z = (x − mean) / standard deviation of each judge."),
)
EASY = Option(
    name="easy",
    label=gettext_lazy("Easy texts"),
    default=(),
    help=gettext_lazy(
        "Enter a segment number, optionally with a system: “12” or “12 online-a”. If empty, candidates are proposed."
    ),
)
EASY_BELOW = Option(
    name="easy_below",
    label=gettext_lazy("Minimum rating of easy texts"),
    default=POINTS,
    low=2,
    high=POINTS,
    help=gettext_lazy("Lower ratings count as missed."),
)
DEVIATIONS = Option(
    name="deviations",
    label=gettext_lazy("Outlier threshold"),
    default=1.0,
    low=0,
    high=100,
    help=gettext_lazy("In standard deviations from the mean of all judges."),
)
BY_DIFFERENCE = Option(
    name="by_difference",
    label=gettext_lazy("Compare with other judges"),
    default=False,
    help=gettext_lazy(
        "Uses each judge’s difference from other judges on the same texts as their mean score."
    ),
)
CORRECTION = Option(
    name="correction",
    label=gettext_lazy("Correction for multiple testing"),
    default=Correction.NONE.value,
    choices={each.value: CORRECTION_WORDS[each] for each in (Correction.NONE, Correction.HOLM)},
)
_OPTIONS: Final = (
    *(MERGE, STANDARDISE, EASY, EASY_BELOW, DEVIATIONS, BY_DIFFERENCE),
    *(CORRECTION, CONFIDENCE, SEED),
)


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    _easy_named(options[EASY.name])
    return dict(options)


def _easy_named(names: Sequence[str]) -> list[tuple[int, str | None]]:
    """Return the segment and system of each text marked as easy. Raises OptionError for an invalid
    name.
    """
    found: list[tuple[int, str | None]] = []
    for name in names:
        segment, _space, system = name.partition(" ")
        if not (segment.isascii() and segment.isdigit()):
            raise OptionError(
                _("“%(given)s” is not a segment number, or a segment number and a system.")
                % {"given": name},
                field=EASY.name,
            )
        found.append((int(segment), system.strip() or None))
    return found


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {each.name: options[each.name] for each in _OPTIONS if each is not EASY}


def _find(given: Input | AnswersOfFiles, options: Mapping[str, Any]) -> RatingsFound:
    read: AnswersRead[Rating] = given.answers
    condition = options.get("condition") or None
    if condition:
        refuse_unknown("condition", [condition], {row.condition or "" for row in read.rows})
    ratings = ratings_arranged([row for row in read.rows if condition in (None, row.condition)])
    items = next(iter(ratings.values())).items
    # If only part of a file counts, a list for the whole campaign may name excluded items.
    easy = _easy(items, options[EASY.name], are_all=not (read.excluded_judges or condition))
    return ratings_found(ratings, options, easy=easy, words=_words(given, items))


def _easy(items: Items, names: Sequence[str], *, are_all: bool) -> npt.NDArray[np.bool_] | None:
    if not names:
        return None
    named = _easy_named(names)
    for name, each in zip(names, named, strict=True):
        if are_all and not easy_items(items, [each]).any():
            raise ValueError(_("No ratings of “%(given)s” match these options.") % {"given": name})
    return easy_items(items, named)


def _words(given: Input | AnswersOfFiles, items: Items) -> npt.NDArray[np.int64] | None:
    """Return the word count of each text's source; short texts are proposed as easy first."""
    if given.texts is None:
        return None
    words, last = given.texts.words(), int(items.segment.max())
    if last >= len(words):
        raise ValueError(
            _("Segment %(last)d was rated, but the source has only %(segments)d segments.")
            % {"segments": len(words) - 1, "last": last}
        )
    return words[items.segment]


def _tell(given: Input | AnswersOfFiles, options: Mapping[str, Any], found: RatingsFound) -> Report:
    return ratings_report(given, found, _options(options))


def scale_analysis(protocol: Protocol, *, title: Promise, question: Promise) -> AnalysisKind:
    """Return the analysis of a protocol whose `CRITERIA` are rated."""
    return analysis_of_lines(
        LINES,
        name=protocol.value,
        title=title,
        question=question,
        options=_OPTIONS,
        check=_checked,
        protocols=frozenset({protocol}),
        stands_for_ranking=True,
        step=gettext_lazy("Measuring agreement"),
        find=_find,
        tell=_tell,
        file_options=(Option(name="condition", default=""), Option(name="source_text", default="")),
    )
