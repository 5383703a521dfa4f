"""Results computed from ratings, for reports."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, NotRequired, TypedDict

import numpy as np
from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list
from protocols.frame.scale.criteria import Criterion, weights_of
from protocols.frame.scale.statistics.agreement import RatingAgreement, rating_agreement
from protocols.frame.scale.statistics.criteria import (
    CriteriaCorrelation,
    correlated_criteria,
)
from protocols.frame.scale.statistics.judges import (
    RatingJudge,
    proposed_easy_items,
    rating_judges,
    standardised,
)
from protocols.frame.scale.statistics.means import MeanRatings, mean_ratings
from protocols.frame.scale.statistics.outliers import (
    Removal,
    Rule,
    RuleOutcome,
    RuleOverlap,
    by_every_criterion,
    overlap,
    rating_outliers,
    removals,
)
from protocols.frame.scale.statistics.ratings import (
    POINTS,
    Items,
    Ratings,
    Scale,
    weighted_ratings,
)
from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.ranges import Correction


class RatingOptions(TypedDict):
    """Options of the analysis of ratings (`protocols.frame.scale.report`)."""

    merge: bool
    standardise: bool
    easy: Sequence[str]
    easy_below: int
    deviations: float
    by_difference: bool
    weights: NotRequired[Sequence[str]]
    correction: str
    confidence: float
    seed: int
    condition: NotRequired[str]
    source_text: NotRequired[str]


@dataclass(frozen=True)
class AgreementOf:
    """Agreement of a part of the ratings.

    Attributes
    ----------
    criterion : str
    condition : str
        The kind of input; empty for all kinds together ("Cumul." in Table 1).
    points : int
    agreement : RatingAgreement
    """

    criterion: str
    condition: str
    points: int
    agreement: RatingAgreement


@dataclass(frozen=True, eq=False)
class CriterionResult:
    """Results for one criterion.

    `not_standardised` lists judges whose ratings have no spread; standardised means leave them out.
    """

    means: MeanRatings
    judges: tuple[RatingJudge, ...]
    outliers: tuple[RuleOutcome, ...]
    overlap: RuleOverlap
    removals: tuple[Removal, ...]
    not_standardised: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Weighted:
    """Systems in the order of the weighted means of their ratings.

    `weights` are by criterion; means are on the common scale of these criteria, on which higher is
    better: values of which lower is better are reversed.
    """

    weights: Mapping[str, int]
    means: MeanRatings


@dataclass(frozen=True, eq=False)
class RatingsResult:
    """Results for all ratings.

    Attributes
    ----------
    names : mapping of str to str
        Names of the criteria, by key.
    ratings : mapping of str to Ratings
        Ratings by criterion, in the order of the passes; all have the same items and judges.
    criteria : mapping of str to CriterionResult
    agreement : tuple of AgreementOf
        By criterion, condition and number of points.
    in_all : mapping of Rule to tuple of str
        Judges who are outliers by every criterion; empty if only one is rated.
    correlated : mapping of pair of str to CriteriaCorrelation
        By two criteria, the later one first.
    weighted : Weighted or None
        Systems in the order of weighted means, if criteria have weights.
    proposed_easy : int64, shape (P,)
        Indices of items for an organiser to review, if no list of easy items was given.
    """

    names: Mapping[str, str]
    ratings: Mapping[str, Ratings]
    criteria: Mapping[str, CriterionResult]
    agreement: tuple[AgreementOf, ...]
    in_all: Mapping[Rule, tuple[str, ...]]
    correlated: Mapping[tuple[str, str], CriteriaCorrelation]
    weighted: Weighted | None
    proposed_easy: Int64Array

    @property
    def items(self) -> Items:
        """The rated items."""
        return next(iter(self.ratings.values())).items


def ratings_result(
    read: Mapping[str, Ratings],
    options: RatingOptions,
    *,
    criteria: Sequence[Criterion] = (),
    easy: BoolArray | None = None,
    word_counts: Int64Array | None = None,
) -> RatingsResult:
    """Compute all results.

    Parameters
    ----------
    read : mapping of str to Ratings
        Not empty, of I items.
    options : mapping
        Options of the analysis (`protocols.frame.scale.report`).
    criteria : sequence of Criterion, optional
        Criteria of the task, or of the default preset, with names and weights.
    easy : bool, shape (I,), optional
        Items that an organiser marked as easy.
    word_counts : int64, shape (I,), optional
        Number of words in each item's source.

    Returns
    -------
    RatingsResult
    """
    ratings = {}
    for criterion, rating in read.items():
        if options["merge"] and rating.scale.has_five_points:
            ratings[criterion] = rating.merged()
        else:
            ratings[criterion] = rating
    of_each = {}
    for criterion, rating in ratings.items():
        of_each[criterion] = _criterion_result(rating, options, easy)
    outliers = [result.outliers for result in of_each.values()]
    names = {criterion.key: criterion.label for criterion in criteria}
    first = next(iter(ratings.values()))
    agreement_rows = []
    for criterion, rating in read.items():
        agreement_rows.extend(_agreement(criterion, rating, options))
    correlated = {}
    for one, other in combinations(ratings, 2):
        correlated[(other, one)] = correlated_criteria(
            ratings[one],
            ratings[other],
            confidence=options["confidence"],
        )
    if easy is None:
        proposed_easy = proposed_easy_items(first, word_counts)
    else:
        proposed_easy = np.zeros(0, dtype=np.int64)
    if len(outliers) > 1:
        in_all = by_every_criterion(outliers)
    else:
        in_all = {}
    return RatingsResult(
        names={key: names.get(key, key) for key in ratings},
        ratings=read,
        criteria=of_each,
        agreement=tuple(agreement_rows),
        in_all=in_all,
        correlated=correlated,
        weighted=_weighted_means(ratings, options, criteria),
        proposed_easy=proposed_easy,
    )


def weights_chosen(
    criteria: Sequence[Criterion],
    options: RatingOptions,
) -> dict[str, int]:
    """Return the weights of an analysis: the given ones, or else those of the task."""
    chosen = options.get("weights")
    if chosen:
        return dict(weight_read(weight) for weight in chosen)
    weights = weights_of(criteria)
    if len(criteria) > 1:
        return weights
    return {}


#: In what stands before the last colon.
_SEVERAL_WEIGHTS: Final = re.compile(r":[0-9]+[\s,;]")


def weight_read(text: str) -> tuple[str, int]:
    """Return the criterion and weight in “fluency:2”. Raises ValueError."""
    key, _colon, weight = text.rpartition(":")
    is_weight = weight.isascii() and weight.isdigit() and int(weight)
    if not key or not is_weight or _SEVERAL_WEIGHTS.search(key):
        raise ValueError(
            _(
                "“%(given)s” is not a criterion and a weight, such as fluency:2. Repeat the option for each criterion: weights=fluency:2 weights=adequacy:1.",
            )
            % {"given": text},
        )
    return key.strip(), int(weight)


def _weighted_means(
    ratings: Mapping[str, Ratings],
    options: RatingOptions,
    criteria: Sequence[Criterion],
) -> Weighted | None:
    """Return systems by weighted means; None without weights, or if a criterion is not rated yet."""
    weights = weights_chosen(criteria, options)
    if not weights:
        return None
    if missing := [key for key in weights if key not in ratings]:
        if not options.get("weights"):
            return None
        raise ValueError(
            _("No ratings by %(names)s: choose from %(known)s.")
            % {"names": comma_list(missing), "known": comma_list(ratings)},
        )
    counted = []
    for key in weights:
        counted.append(ratings[key])
    scales = set()
    for rating in counted:
        scales.add(str(rating.scale))
    if len(scales) > 1:
        raise ValueError(_("Criteria with a weight must have the same scale."))
    both = weighted_ratings(counted, list(weights.values()))
    if not len(both.ratings):
        return None
    return Weighted(weights=weights, means=_means(both.ratings, both.value, options))


def _means(
    ratings: Ratings,
    value: FloatArray | None,
    options: RatingOptions,
    *,
    is_on_scale: bool = True,
) -> MeanRatings:
    return mean_ratings(
        ratings,
        value=value,
        is_on_scale=is_on_scale,
        correction=Correction(options["correction"]),
        confidence=options["confidence"],
        seed=options["seed"],
    )


def _criterion_result(
    ratings: Ratings,
    options: RatingOptions,
    easy: BoolArray | None,
) -> CriterionResult:
    if options["standardise"]:
        own = standardised(ratings)
        if not len(own.ratings):
            raise ValueError(
                _(
                    "Ratings cannot be standardised: every judge gave the same rating throughout.",
                ),
            )
        means = _means(own.ratings, own.value, options, is_on_scale=False)
        left_out = own.left_out
    else:
        means = _means(ratings, None, options)
        left_out = ()
    judges = rating_judges(
        ratings,
        easy=easy,
        easy_below=_easy_limit(ratings.scale, options["easy_below"]),
    )
    outliers = rating_outliers(
        judges,
        deviations=options["deviations"],
        by_difference=options["by_difference"],
    )
    return CriterionResult(
        means=means,
        judges=judges,
        outliers=outliers,
        overlap=overlap(outliers),
        removals=removals(ratings, outliers, confidence=options["confidence"]),
        not_standardised=left_out,
    )


def _easy_limit(scale: Scale, easy_below: int) -> int:
    """Return the worst rating with which an easy item is not missed.

    `easy_below` is on five points; on longer scales, it is as many points below the best.
    """
    steps = max(0, min(scale.points, POINTS) - easy_below)
    if scale.lower_is_better:
        return scale.best + steps
    return scale.best - steps


def _agreement(
    criterion: str,
    ratings: Ratings,
    options: RatingOptions,
) -> list[AgreementOf]:
    agreements = []
    measured = [ratings.in_tens() if ratings.scale.is_continuous else ratings]
    if ratings.scale.has_five_points:
        measured.append(ratings.merged())
    for measured_ratings in measured:
        parts = {}
        for n, name in enumerate(measured_ratings.items.conditions):
            parts[name] = measured_ratings.of_condition(n)
        for name, part in {**parts, "": measured_ratings}.items():
            agreement = rating_agreement(part, confidence=options["confidence"])
            agreement = replace(
                agreement,
                kappa=agreement.kappa.reported(),
                alpha=agreement.alpha.reported(),
            )
            agreements.append(
                AgreementOf(criterion, name, measured_ratings.scale.points, agreement),
            )
    return agreements
