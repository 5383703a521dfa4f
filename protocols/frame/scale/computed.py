"""Results computed from ratings, for reports."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from protocols.frame.scale.statistics.agreement import RatingAgreement, rating_agreement
from protocols.frame.scale.statistics.criteria import CriteriaCorrelation, correlated_criteria
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
    by_both_criteria,
    overlap,
    rating_outliers,
    removals,
)
from protocols.frame.scale.statistics.ratings import Items, Ratings
from protocols.models import Criterion
from ranking.core.arrays import BoolArray, Int64Array
from ranking.core.ranges import Correction


@dataclass(frozen=True)
class AgreementOf:
    """Agreement of a part of the ratings.

    Attributes
    ----------
    criterion : Criterion
    condition : str
        The kind of input; empty for all kinds together ("Cumul." in Table 1).
    points : int
    agreement : RatingAgreement
    """

    criterion: Criterion
    condition: str
    points: int
    agreement: RatingAgreement


@dataclass(frozen=True, eq=False)
class CriterionFound:
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
class RatingsFound:
    """Results for all ratings.

    Attributes
    ----------
    ratings : mapping of Criterion to Ratings
        Ratings by criterion, in the order of the passes; all have the same items and judges.
    criteria : mapping of Criterion to CriterionFound
    agreement : tuple of AgreementOf
        By criterion, condition and number of points.
    both : mapping of Rule to tuple of str
        Judges who are outliers in both adequacy and fluency; empty if only one of them is rated.
    correlated : CriteriaCorrelation or None
    proposed_easy : int64, shape (P,)
        Indices of items for an organiser to review, if no list of easy items was given.
    """

    ratings: Mapping[Criterion, Ratings]
    criteria: Mapping[Criterion, CriterionFound]
    agreement: tuple[AgreementOf, ...]
    both: Mapping[Rule, tuple[str, ...]]
    correlated: CriteriaCorrelation | None
    proposed_easy: Int64Array

    @property
    def items(self) -> Items:
        """The rated items."""
        return next(iter(self.ratings.values())).items


def ratings_found(
    read: Mapping[Criterion, Ratings],
    options: Mapping[str, Any],
    *,
    easy: BoolArray | None = None,
    words: Int64Array | None = None,
) -> RatingsFound:
    """Compute all results.

    Parameters
    ----------
    read : mapping of Criterion to Ratings
        Not empty, of I items.
    options : mapping
        Options of the analysis (`protocols.frame.scale.report`).
    easy : bool, shape (I,), optional
        Items that an organiser marked as easy.
    words : int64, shape (I,), optional
        Number of words in each item's source.

    Returns
    -------
    RatingsFound
    """
    ratings = {
        criterion: each.merged() if options["merge"] else each for criterion, each in read.items()
    }
    criteria = {
        criterion: _of_criterion(each, options, easy) for criterion, each in ratings.items()
    }
    of_both = {criterion: found.outliers for criterion, found in criteria.items()}
    is_complete = {Criterion.FLUENCY, Criterion.ADEQUACY} <= ratings.keys()
    first = next(iter(ratings.values()))
    return RatingsFound(
        ratings=read,
        criteria=criteria,
        agreement=tuple(
            row for criterion, each in read.items() for row in _agreement(criterion, each, options)
        ),
        both=by_both_criteria(of_both.values()) if is_complete else {},
        correlated=correlated_criteria(
            *(ratings[criterion] for criterion in (Criterion.FLUENCY, Criterion.ADEQUACY)),
            confidence=options["confidence"],
        )
        if is_complete
        else None,
        proposed_easy=proposed_easy_items(first, words)
        if easy is None
        else np.zeros(0, dtype=np.int64),
    )


def _of_criterion(
    ratings: Ratings, options: Mapping[str, Any], easy: BoolArray | None
) -> CriterionFound:
    own = standardised(ratings) if options["standardise"] else None
    if own is not None and not len(own.ratings):
        raise ValueError(
            _("Ratings cannot be standardised: every judge gave the same rating throughout.")
        )
    judges = rating_judges(
        ratings, easy=easy, easy_below=min(options["easy_below"], ratings.points)
    )
    outliers = rating_outliers(
        judges, deviations=options["deviations"], by_difference=options["by_difference"]
    )
    return CriterionFound(
        means=mean_ratings(
            ratings if own is None else own.ratings,
            value=None if own is None else own.value,
            correction=Correction(options["correction"]),
            confidence=options["confidence"],
            seed=options["seed"],
        ),
        judges=judges,
        outliers=outliers,
        overlap=overlap(outliers),
        removals=removals(ratings, outliers, confidence=options["confidence"]),
        not_standardised=() if own is None else own.left_out,
    )


def _agreement(
    criterion: Criterion, ratings: Ratings, options: Mapping[str, Any]
) -> list[AgreementOf]:
    found = []
    for each in (ratings, ratings.merged()):
        parts = {name: each.of_condition(n) for n, name in enumerate(each.items.conditions)}
        for name, part in {**parts, "": each}.items():
            agreement = rating_agreement(part, confidence=options["confidence"])
            agreement = replace(
                agreement, kappa=agreement.kappa.reported(), alpha=agreement.alpha.reported()
            )
            found.append(AgreementOf(criterion, name, each.points, agreement))
    return found
