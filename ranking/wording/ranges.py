"""What rank ranges account for and what they do not, in words: for pages and reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ranking.core.anytime.ranges import Refusal
from ranking.core.counting.resampling import Level
from ranking.core.ranges.sign_tests import Correction
from ranking.core.rankings.range_kinds import RangeKind
from ranking.core.uncertainty.two_way import MIN_UNITS, RangeLimit
from ranking.range_choices import RangeChoice
from ranking.range_limits import ONE_DOCUMENT
from ranking.wording.numbers import number_in_words, percent_in_figures


@dataclass(frozen=True, slots=True)
class LevelWords:
    """What a level is called, and when to choose it."""

    level: Level
    label: str
    when: str


def level_words() -> list[LevelWords]:
    """Return the levels there are to choose from, the recommended one first."""
    return [
        LevelWords(
            "two_way",
            _("Segments and judges (recommended)"),
            _(
                "For statements beyond the segments and the judges of this campaign. Other "
                "segments and other judges would have given other scores; the ranges account for "
                "both."
            ),
        ),
        LevelWords(
            "segments",
            _("Segments"),
            _("When the same judges would judge any repetition, and no others are meant."),
        ),
        LevelWords(
            "judges",
            _("Judges"),
            _(
                "When these segments are all that matters, as with a text of your own, and others "
                "might judge them."
            ),
        ),
        LevelWords(
            "blocks",
            _("Blocks"),
            _(
                "As WMT12 to WMT16 were ranked. Mostly narrower, and right only if each segment is "
                "judged once and judges do not differ."
            ),
        ),
        LevelWords(
            "pairs",
            _("Comparisons"),
            _(
                "As in Koehn (2012). Too narrow: the ten comparisons of a block of five are one "
                "look of one judge."
            ),
        ),
    ]


def ranges_in_words(choice: RangeChoice, *, resamples: int, limits: Collection[str]) -> list[str]:
    """Return sentences on how ranges were made, and on what they do not account for."""
    values = {
        "confidence": percent_in_figures(choice.confidence),
        "resamples": number_format(resamples),
    }
    accounted = accounted_for(choice, limits)
    if choice.ranges == "percentile":
        sentences = _percentile(accounted)
    elif choice.ranges == "confidence_set":
        sentences = (_confidence_set(choice.correction), _account(accounted))
    elif choice.ranges == "anytime":
        sentences = (_anytime(),)
    else:
        sentences = (_sign_test(choice.correction), _account(accounted))
    return [sentence % values for sentence in sentences]


def accounted_for(choice: RangeChoice, limits: Collection[str]) -> str:
    """Return what ranges account for: a level, or "neither" segments nor judges."""
    if choice.resample in ("blocks", "pairs"):
        return choice.resample
    segments = choice.accounts_for_segments and RangeLimit.FEW_SEGMENTS not in limits
    judges = choice.resample != "segments" and RangeLimit.FEW_JUDGES not in limits
    if segments and judges:
        return "two_way"
    if segments:
        return "segments"
    return "judges" if judges else "neither"


def _percentile(accounted: str) -> tuple[str, ...]:
    if accounted == "blocks":
        return (
            _("%(confidence)s %% rank ranges from %(resamples)s block resamples."),
            _account(accounted),
        )
    if accounted == "pairs":
        return (
            _("%(confidence)s %% rank ranges from %(resamples)s resamples of comparisons."),
            _account(accounted),
        )
    return (
        {
            "two_way": _(
                "%(confidence)s %% rank ranges that account for segments and judges, "
                "from %(resamples)s draws."
            ),
            "segments": _(
                "%(confidence)s %% rank ranges that account for segments, not for judges, "
                "from %(resamples)s draws."
            ),
            "judges": _(
                "%(confidence)s %% rank ranges that account for judges, not for segments, "
                "from %(resamples)s draws."
            ),
            "neither": _(
                "%(confidence)s %% rank ranges that account for neither segments nor judges, "
                "from %(resamples)s draws."
            ),
        }[accounted],
    )


def _account(accounted: str) -> str:
    return {
        "two_way": _("They account for segments and judges."),
        "segments": _("They account for segments, not for judges."),
        "judges": _("They account for judges, not for segments."),
        "neither": _("They account for neither segments nor judges."),
        "blocks": _(
            "They take each block for independent: neither segments nor judges are in them."
        ),
        "pairs": _("They take each comparison for independent, and are too narrow."),
    }[accounted]


def _confidence_set(correction: Correction) -> str:
    if correction is Correction.HOLM:
        return _(
            "%(confidence)s %% confidence sets for the ranks of all systems together, which hold "
            "among near-equal systems too."
        )
    return _(
        "%(confidence)s %% confidence sets for the rank of each system, which hold among "
        "near-equal systems too."
    )


def _anytime() -> str:
    return _(
        "%(confidence)s %% rank ranges that account for segments and judges, and hold for all "
        "systems together, whenever one looks."
    )


def _sign_test(correction: Correction) -> str:
    return {
        Correction.NONE: _("%(confidence)s %% rank ranges from sign tests, not corrected."),
        Correction.HOLM: _("%(confidence)s %% rank ranges from sign tests, after Holm."),
        Correction.BENJAMINI_HOCHBERG: _(
            "%(confidence)s %% rank ranges from sign tests, after Benjamini and Hochberg."
        ),
    }[correction]


def ranges_meaning(choice: RangeChoice, *, limits: Collection[str]) -> str:
    """Explain what a rank range of a system is."""
    if choice.ranges in ("confidence_set", "anytime"):
        return _(
            "The ranks the system may have: it is behind the systems whose scores are "
            "significantly better, and ahead of those whose scores are significantly worse."
        )
    if choice.ranges == "sign_test":
        return _(
            "The ranks the system may have: it is behind the systems that won significantly more "
            "of their comparisons with it, and ahead of those that lost significantly more."
        )
    return {
        "two_way": _(
            "The ranks the system may have, given how few segments were judged, and by how few "
            "judges: with others, scores would differ. Scores that differ as much are drawn again "
            "and again, the systems are ranked each time, and the most extreme ranks are cut off."
        ),
        "segments": _(
            "The ranks the system may have, given how few segments were judged: with others, "
            "scores would differ. Scores that differ as much are drawn again and again, the "
            "systems are ranked each time, and the most extreme ranks are cut off."
        ),
        "judges": _(
            "The ranks the system may have, given how few judges there are: with others, scores "
            "would differ. Scores that differ as much are drawn again and again, the systems are "
            "ranked each time, and the most extreme ranks are cut off."
        ),
        "pairs": _(
            "The ranks the system may have, given how few comparisons there are: comparisons are "
            "drawn again and again at random, the systems are ranked each time, and the most "
            "extreme ranks are cut off."
        ),
    }.get(
        accounted_for(choice, limits),
        _(
            "The ranks the system may have, given how few blocks were judged: blocks are drawn "
            "again and again at random, the systems are ranked each time, and the most extreme "
            "ranks are cut off."
        ),
    )


def limit_in_words(limit: str, counts: Mapping[str, Any], *, ranges: RangeKind) -> str:
    """Return a sentence on what ranges were meant to account for, but do not.

    `counts` has the numbers of `judges` and `segments`, and the effective ones, `effective_judges`
    and `effective_segments`.
    """
    if ranges == "anytime" and limit != ONE_DOCUMENT:
        return _refusal(limit)
    if limit == RangeLimit.FEW_JUDGES:
        return _few_judges(counts["judges"], counts["effective_judges"])
    if limit == RangeLimit.FEW_SEGMENTS:
        return _few_segments(counts["segments"], counts["effective_segments"])
    if limit == ONE_DOCUMENT:
        return _(
            "All judged segments are of one document, or no others are named: the rank ranges say "
            "nothing of other documents."
        )
    return limit


def _refusal(reason: str) -> str:
    """Return why anytime ranges separate no systems."""
    return {
        Refusal.NO_COMPARISON.value: _("No comparison is decided yet: no systems are told apart."),
        Refusal.FEW_JUDGES.value: _(
            "Fewer than five judges share the work: no systems are told apart before there are "
            "more."
        ),
        Refusal.FEW_SEGMENTS.value: _(
            "Fewer than ten segments, or documents where these are named: no systems are told "
            "apart before there are more."
        ),
        Refusal.OTHER_OPPONENTS.value: _(
            "Systems met other opponents than each other: no systems are told apart."
        ),
        Refusal.ALONE.value: _(
            "Only one system was judged on enough segments by enough judges: no systems are told "
            "apart."
        ),
    }.get(reason, reason)


def _few_judges(judges: int, effective: float) -> str:
    if judges < MIN_UNITS:
        said = ngettext(
            "Only %(count)s judge: these rank ranges hold for this judge, and say nothing of others.",
            "Only %(count)s judges: these rank ranges hold for these judges, and say nothing of "
            "others.",
            judges,
        )
        return said % {"count": number_in_words(judges)}
    return _(
        "Few of the %(count)s judges gave most judgments, as if there were %(effective)s: these "
        "rank ranges hold for these judges, and say nothing of others."
    ) % {"count": number_in_words(judges), "effective": number_format(effective, 1)}


def _few_segments(segments: int, effective: float) -> str:
    if segments < MIN_UNITS:
        said = ngettext(
            "Only %(count)s segment: these rank ranges hold for this segment, and say nothing of "
            "others.",
            "Only %(count)s segments: these rank ranges hold for these segments, and say nothing "
            "of others.",
            segments,
        )
        return said % {"count": number_in_words(segments)}
    return _(
        "Few of the %(count)s segments got most judgments, as if there were %(effective)s: these "
        "rank ranges hold for these segments, and say nothing of others."
    ) % {"count": number_in_words(segments), "effective": number_format(effective, 1)}
