"""Sentences on the sources of variation that rank ranges include and ignore, for pages and reports."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NotRequired, TypedDict, TypeVar

from django.db import models
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.counted import counted
from campaign.texts.joining import sentence_list
from ranking.core.anytime import Refusal
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.counting.resampling import Level
from ranking.core.ranges import Correction
from ranking.core.rankings.range_kinds import RangeKind, RangeOptions
from ranking.core.rankings.records import RankedRow
from ranking.core.uncertainty import RangeLimit
from ranking.reports.range_choices import ONE_DOCUMENT, ToldApart
from ranking.reports.wording.numbers import decimals, percent
from ranking.reports.wording.pair_tests import (
    CORRECTED_WORDS,
    sign_tests_in_words,
    significance_in_words,
    units_in_words,
)
from ranking.reports.wording.stopping_rules import told_apart_in_words


class RangesFrom(models.TextChoices):
    """Methods for computing rank ranges."""

    PERCENTILE = "percentile", gettext_lazy("percentiles")
    SIGN_TEST = "sign_test", gettext_lazy("sign tests")
    CONFIDENCE_SET = "confidence_set", gettext_lazy("confidence sets")
    ANYTIME = "anytime", gettext_lazy("anytime ranges")


def rank_range(row: RankedRow) -> str:
    """Return "3–4", "1" for a range of one rank, or "not estimable yet"."""
    low = row["rank_low"]
    high = row["rank_high"]
    if row.get("shortage") or low is None or high is None:
        return _("not estimable yet")
    return range_of_ranks(low, high)


def shared_rank(row: RankedRow) -> str:
    """Return "3", or "1–5, tied" for a rank shared by systems with equal scores."""
    last = row.get("last_rank") or row["rank"]
    ranks = range_of_ranks(row["rank"], last)
    if last == row["rank"]:
        return ranks
    return _("%(ranks)s, tied") % {"ranks": ranks}


#: A row about a system, such as `RankedRow`.
Row = TypeVar("Row", bound=Mapping[str, object])


def systems_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the systems of rows, in their order."""
    return [row["system"] for row in rows]


def rows_by_system(rows: Iterable[Row]) -> dict[str, Row]:
    """Return rows by their systems."""
    return {str(row["system"]): row for row in rows}


def rows_by_group(rows: Iterable[RankedRow]) -> dict[int, list[RankedRow]]:
    """Return ranked systems by the number of their group; rows of older rankings have none."""
    groups: dict[int, list[RankedRow]] = {}
    for row in rows:
        groups.setdefault(row.get("group", 1), []).append(row)
    return groups


def estimable_of(rows: Iterable[RankedRow]) -> list[RankedRow]:
    """Return the ranked systems whose rank range is estimable."""
    return [row for row in rows if not row.get("shortage")]


def thin_systems(rows: Iterable[RankedRow]) -> set[str]:
    """Return the ranked systems with too few judgments for a rank range and tests."""
    return {row["system"] for row in rows if row.get("shortage")}


def shares_rank(row: RankedRow) -> bool:
    """Return whether other systems with an equal score share the rank of a system."""
    return row.get("last_rank", row["rank"]) != row["rank"]


def rank_cell(row: RankedRow) -> int | str:
    """Return a rank for a table: a number, or "1–5, tied" if systems with equal scores share it."""
    if shares_rank(row):
        return shared_rank(row)
    return row["rank"]


def cluster_rules(rows: Sequence[RankedRow]) -> frozenset[int]:
    """Return the indices of the rows where a cluster or a group of systems ends.

    No end is known next to a system whose rank range is not estimable.
    """

    def ends(row: RankedRow, below: RankedRow) -> bool:
        if row.get("group", 1) != below.get("group", 1):
            return True
        is_known = not row.get("shortage") and not below.get("shortage")
        return is_known and row["cluster"] != below["cluster"]

    last = set()
    for number, (row, below) in enumerate(pairwise(rows)):
        if ends(row, below):
            last.add(number)
    return frozenset(last)


def range_of_ranks(low: int, high: int) -> str:
    """Return "3–4", or "3" for one rank."""
    if low == high:
        return number_format(low)
    return _("%(low)s–%(high)s") % {
        "low": number_format(low),
        "high": number_format(high),
    }


def level_words() -> list[tuple[Level, str, str]]:
    """Return the available levels, recommended one first, with name and when to choose it."""
    return [
        (
            "two_way",
            _("Segments and judges (recommended)"),
            _(
                "Choose this to generalise beyond this campaign: the ranges account for other segments (documents, if several are named) and other judges.",
            ),
        ),
        (
            "segments",
            _("Segments"),
            _(
                "Choose this if only these judges matter: the ranges show how scores would vary on other segments.",
            ),
        ),
        (
            "judges",
            _("Judges"),
            _(
                "Choose this if only these segments matter: the ranges show how scores would vary with other judges.",
            ),
        ),
        (
            "blocks",
            _("Blocks"),
            _(
                "Choose this to compare with WMT12 to WMT16. The ranges are usually narrower, and valid only if each segment is judged once and judges do not differ.",
            ),
        ),
        (
            "pairs",
            _("Comparisons"),
            _(
                "Choose this to compare with Koehn (2012). The ranges are too narrow: they treat the ten comparisons of a block of five as independent.",
            ),
        ),
    ]


class UnitCounts(TypedDict):
    """Numbers of units of a ranking, as recorded with it; of documents if there are several."""

    judges: int
    segments: int
    effective_segments: float
    effective_judges: float
    documents: NotRequired[int]
    effective_documents: NotRequired[float | None]


def _documents(counts: UnitCounts | None) -> int:
    """Return the number of documents; 0 if it is unknown."""
    if counts is None:
        return 0
    return counts.get("documents") or 0


def ranges_in_words(
    choice: RangeOptions,
    *,
    resamples: int,
    limits: Collection[str],
    counts: UnitCounts | None = None,
) -> list[str]:
    """Return sentences on the computation of ranges, and on their limits.

    `counts` has the number of `documents`, if known.
    """
    accounted = accounted_for(choice, limits, counts)
    if choice.ranges == "percentile":
        message = _percentile(accounted)
    elif choice.ranges == "confidence_set":
        message = _confidence_set(choice.correction)
    elif choice.ranges == "anytime":
        message = _(
            "%(confidence)s rank ranges that hold for all systems at once, at any time.",
        )
    else:
        message = _("%(confidence)s rank ranges from sign tests %(correction)s.")
    sentence = message % {
        "confidence": percent(choice.confidence),
        "resamples": number_format(resamples),
        "correction": CORRECTED_WORDS[choice.correction],
    }
    return [sentence, accounted_in_words(accounted)]


def accounted_for(
    choice: RangeOptions,
    limits: Collection[str],
    counts: UnitCounts | None = None,
) -> str:
    """Return the units that ranges account for: a level, or "neither" segments nor judges.

    "documents_and_judges" and "documents" are returned if there are enough documents
    to replace segments; only two-way ranges treat documents as independent.
    """
    if choice.resample in ("blocks", "pairs"):
        return choice.resample
    if choice.ranges == "anytime":
        if _documents(counts):
            return "documents_and_judges"
        return "two_way"
    segments = choice.accounts_for_segments and RangeLimit.FEW_SEGMENTS not in limits
    judges = choice.resample != "segments" and RangeLimit.FEW_JUDGES not in limits
    by_documents = choice.resample == "two_way" and _documents(counts)
    if segments and by_documents and RangeLimit.FEW_DOCUMENTS not in limits:
        if judges:
            return "documents_and_judges"
        return "documents"
    if segments and judges:
        return "two_way"
    if segments:
        return "segments"
    if judges:
        return "judges"
    return "neither"


def accounted_in_words(accounted: str) -> str:
    """Return a sentence on the units that rank ranges account for, see `accounted_for`."""
    if accounted == "pairs":
        return _("They treat comparisons as independent and are too narrow.")
    return units_in_words(accounted)


def score_tests_in_words(
    choice: RangeOptions,
    correction: Correction,
    *,
    limits: Collection[str],
    counts: UnitCounts | None = None,
) -> list[str]:
    """Return a caption of p-values of a ranking's pairs: their test, what it accounts for, and the correction."""
    if choice.ranges == "sign_test":
        return sign_tests_in_words(choice.sides, correction, choice.level)
    if choice.ranges == "anytime":
        message = _(
            "Anytime tests of the difference of scores, corrected for all pairs.",
        )
    elif choice.sides == 2:
        message = _("Two-sided tests of the difference of scores, %(correction)s.")
    else:
        message = _("One-sided tests of the difference of scores, %(correction)s.")
    return [
        message % {"correction": CORRECTED_WORDS[correction]},
        units_in_words(accounted_for(choice, limits, counts)),
        *significance_in_words(correction, choice.level),
    ]


def told_apart_notes(
    pair_counts: ToldApart,
    choice: RangeOptions,
    *,
    limits: Collection[str],
    counts: UnitCounts | None = None,
) -> list[str]:
    """Return the number of pairs that a ranking tells apart, with a caption of its tests."""
    caption = score_tests_in_words(
        choice,
        pair_counts.correction,
        limits=limits,
        counts=counts,
    )
    return [told_apart_in_words(pair_counts.told_apart, pair_counts.pairs), *caption]


def count_clusters(systems: Sequence[RankedRow]) -> int | None:
    """Return the number of clusters of ranked systems; None while no rank range is estimable."""
    estimable = estimable_of(systems)
    if systems and not estimable:
        return None
    return len({(row.get("group", 1), row["cluster"]) for row in estimable})


def first_cluster(
    systems: Sequence[RankedRow],
    groups: Sequence[Sequence[str]],
) -> list[str]:
    """Return the systems of the best cluster, best first; none without ranges or a common ranking."""
    if len(groups) > 1:
        return []
    first = []
    for row in systems:
        if row["cluster"] == 1 and not row.get("shortage"):
            first.append(row["system"])
    return first


def _percentile(accounted: str) -> str:
    if accounted == "blocks":
        return _("%(confidence)s rank ranges from %(resamples)s resamples of blocks.")
    if accounted == "pairs":
        return _(
            "%(confidence)s rank ranges from %(resamples)s resamples of comparisons.",
        )
    return _("%(confidence)s rank ranges from %(resamples)s draws.")


def _confidence_set(correction: Correction) -> str:
    if correction is Correction.HOLM:
        return _(
            "%(confidence)s simultaneous confidence sets for the ranks of all systems, also valid for nearly equal systems.",
        )
    return _(
        "%(confidence)s confidence sets for the rank of each system, also valid for nearly equal systems.",
    )


def ranges_meaning(
    choice: RangeOptions,
    *,
    limits: Collection[str],
    counts: UnitCounts | None = None,
) -> str:
    """Return an explanation of a system's rank range; `counts` is as in `ranges_in_words`."""
    if choice.ranges in ("confidence_set", "anytime"):
        return _(
            "The ranks this system may have, given the systems with significantly better and significantly worse scores.",
        )
    if choice.ranges == "sign_test":
        return _(
            "The ranks this system may have, given the systems that won or lost significantly more of their comparisons with it.",
        )
    with_other = {
        "two_way": _(
            "The ranks this system could have with other segments and judges.",
        ),
        "documents_and_judges": _(
            "The ranks this system could have with other documents and judges.",
        ),
        "documents": _("The ranks this system could have with other documents."),
        "segments": _("The ranks this system could have with other segments."),
        "judges": _("The ranks this system could have with other judges."),
        "pairs": _("The ranks this system could have with other comparisons."),
    }
    return sentence_list(
        [
            with_other.get(accounted_for(choice, limits, counts))
            or _("The ranks this system could have with other blocks."),
            _(
                "Scores are resampled many times, and the most extreme ranks are left out.",
            ),
        ],
    )


def limit_in_words(limit: str, counts: UnitCounts, *, ranges: RangeKind) -> str:
    """Return a sentence on a limit of ranges, which may be one of an unconnected group of systems only."""
    if ranges == "anytime" and limit != ONE_DOCUMENT:
        return _refusal(limit)
    if limit == RangeLimit.FEW_JUDGES:
        return _few_judges(counts["judges"], counts["effective_judges"])
    if limit == RangeLimit.FEW_SEGMENTS:
        return _few_segments(counts["segments"], counts["effective_segments"])
    if limit == RangeLimit.FEW_DOCUMENTS:
        return _few_documents(counts["documents"], counts["effective_documents"] or 0.0)
    if limit == ONE_DOCUMENT:
        return _(
            "All judged segments come from one document, or no documents are named: rank ranges do not generalise to other documents.",
        )
    return limit


def _refusal(reason: str) -> str:
    """Return the reason why anytime ranges separate no systems."""
    return {
        Refusal.NO_COMPARISON.value: _(
            "No systems can be told apart: no comparison has a winner yet.",
        ),
        Refusal.FEW_JUDGES.value: _(
            "No systems can be told apart: this needs five judges with about equal shares of the work.",
        ),
        Refusal.FEW_SEGMENTS.value: _(
            "No systems can be told apart: this needs ten judged segments, or ten documents if documents are named.",
        ),
        Refusal.OTHER_OPPONENTS.value: _(
            "No systems can be told apart: they were compared with different opponents, so their scores are not comparable.",
        ),
        Refusal.ALONE.value: _(
            "No systems can be told apart: only one was judged by enough judges on enough segments.",
        ),
    }.get(reason, reason)


def _few_judges(judges: int, effective: float) -> str:
    if judges < MIN_UNITS:
        return counted(
            "Only %(count)s judge: rank ranges do not generalise to other judges.",
            "Only %(count)s judges: rank ranges do not generalise to other judges.",
            judges,
        )
    if effective >= MIN_UNITS:
        return _(
            "A group of systems has too few judges: its rank ranges do not generalise to other judges.",
        )
    return _(
        "A few of the %(count)s judges gave most judgments (effective number: %(effective)s): rank ranges do not generalise to other judges.",
    ) % {"count": number_format(judges), "effective": decimals(effective, 1)}


def _few_segments(segments: int, effective: float) -> str:
    if segments < MIN_UNITS:
        return counted(
            "Only %(count)s segment: rank ranges do not generalise to other segments.",
            "Only %(count)s segments: rank ranges do not generalise to other segments.",
            segments,
        )
    if effective >= MIN_UNITS:
        return _(
            "A group of systems has too few segments: its rank ranges do not generalise to other segments.",
        )
    return _(
        "A few of the %(count)s segments have most judgments (effective number: %(effective)s): rank ranges do not generalise to other segments.",
    ) % {"count": number_format(segments), "effective": decimals(effective, 1)}


def _few_documents(documents: int, effective: float) -> str:
    if documents < MIN_UNITS:
        return counted(
            "Only %(count)s document: rank ranges account for its segments but do not generalise to other documents.",
            "Only %(count)s documents: rank ranges account for their segments but do not generalise to other documents.",
            documents,
        )
    if effective >= MIN_UNITS:
        return _(
            "A group of systems has too few documents: its rank ranges account for their segments but do not generalise to other documents.",
        )
    return _(
        "A few of the %(count)s documents have most judgments (effective number: %(effective)s): rank ranges account for their segments but do not generalise to other documents.",
    ) % {"count": number_format(documents), "effective": decimals(effective, 1)}
