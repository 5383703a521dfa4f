"""All that is computed of ratings: a report, asked for by page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.frame.scale.computed import RatingOptions, RatingsFound, ratings_found
from protocols.frame.scale.files import RatingsRead, easy_items, ratings_chosen
from protocols.frame.scale.statistics.ratings import POINTS, Items
from protocols.frame.scale.tables import ratings_report
from ranking.analyses.kind import AnalysisKind, Begin, ChosenJudgments
from ranking.analyses.options import CONFIDENCE, SEED, Option, OptionError
from ranking.core.ranges import Correction
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.wording.pair_tests import CORRECTION_WORDS

MERGE = Option(
    name="merge",
    label=gettext_lazy("Three points of five"),
    default=False,
    help=gettext_lazy("1 and 2 are one point, and 4 and 5."),
)
STANDARDISE = Option(
    name="standardise",
    label=gettext_lazy("Means standardised by judge"),
    default=False,
    help=gettext_lazy("Of z = (x − mean) / standard deviation of each judge."),
)
EASY = Option(
    name="easy",
    label=gettext_lazy("Easy texts"),
    default=(),
    help=gettext_lazy(
        "A segment’s number, or a number and a system: “12” or “12 online-a”. If none is named, some are proposed."
    ),
)
EASY_BELOW = Option(
    name="easy_below",
    label=gettext_lazy("Easy texts are missed below"),
    default=POINTS,
    low=2,
    high=POINTS,
    help=gettext_lazy("So many points."),
)
DEVIATIONS = Option(
    name="deviations",
    label=gettext_lazy("Judges stand out beyond"),
    default=1.0,
    low=0,
    high=100,
    help=gettext_lazy("So many standard deviations."),
)
BY_DIFFERENCE = Option(
    name="by_difference",
    label=gettext_lazy("Mean scores of judges by their difference to others"),
    default=False,
    help=gettext_lazy("On the same texts."),
)
CORRECTION = Option(
    name="correction",
    label=gettext_lazy("Pairs corrected by"),
    default=Correction.NONE.value,
    choices={each.value: CORRECTION_WORDS[each] for each in (Correction.NONE, Correction.HOLM)},
)
_OF_REPORTS: Final = (
    *(MERGE, STANDARDISE, EASY_BELOW, DEVIATIONS, BY_DIFFERENCE),
    *(CORRECTION, CONFIDENCE, SEED),
)


@dataclass(frozen=True)
class _Found:
    """Ratings, and what was found in them."""

    read: RatingsRead
    found: RatingsFound


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    _easy_named(options[EASY.name])
    return dict(options)


def _easy_named(names: Sequence[str]) -> list[tuple[int, str | None]]:
    """Return segment and system of each text that is called easy; OptionError where one is not named so."""
    found: list[tuple[int, str | None]] = []
    for name in names:
        segment, _space, system = name.partition(" ")
        if not (segment.isascii() and segment.isdigit()):
            raise OptionError(
                _("“%(given)s” is no segment’s number, nor a number and a system.")
                % {"given": name},
                field=EASY.name,
            )
        found.append((int(segment), system.strip() or None))
    return found


def _options(options: Mapping[str, Any]) -> RatingOptions:
    chosen = {option.name: options[option.name] for option in _OF_REPORTS}
    return RatingOptions(**{**chosen, CORRECTION.name: Correction(chosen[CORRECTION.name])})


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, options: Mapping[str, Any]
) -> RatingsRead:
    del options
    return ratings_chosen(task=task, watermark=watermark, judgments=judgments)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> _Found:
    begin(_("Measuring agreement"))
    read: RatingsRead = given.answers
    if not read.ratings:
        raise ValueError(_("No judgment counts by this choice."))
    items = read.items
    return _Found(
        read,
        ratings_found(
            read,
            _options(options),
            easy=_easy(items, options[EASY.name]),
            words=_words(given, items),
        ),
    )


def _easy(items: Items, names: Sequence[str]) -> npt.NDArray[np.bool_] | None:
    if not names:
        return None
    named = _easy_named(names)
    for name, each in zip(names, named, strict=True):
        if not easy_items(items, [each], are_all=False).any():
            raise ValueError(
                _("Nothing called “%(given)s” was rated of what counts here.") % {"given": name}
            )
    return easy_items(items, named)


def _words(given: Input, items: Items) -> npt.NDArray[np.int64] | None:
    """Return the words of each text's source: the shortest are proposed as easy first."""
    return None if given.texts is None else given.texts.words()[items.segment]


def _tell(given: Input, options: Mapping[str, Any], found: _Found) -> Report:
    return ratings_report(found.read, found.found, _options(options), given=given)


def scale_analysis(protocol: Protocol, *, title: Promise, question: Promise) -> AnalysisKind:
    """Return the analysis of a protocol whose `CRITERIA` are rated."""
    return AnalysisKind(
        name=protocol.value,
        title=title,
        question=question,
        options=(
            *(MERGE, STANDARDISE, EASY, EASY_BELOW, DEVIATIONS, BY_DIFFERENCE),
            *(CORRECTION, CONFIDENCE, SEED),
        ),
        check=_checked,
        protocols=frozenset({protocol}),
        stands_for_ranking=True,
        read=_read,
        find=_find,
        tell=_tell,
    )
