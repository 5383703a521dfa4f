"""Alternative annotator test: whether a machine may stand in for one of the people (Calderon, Reichart & Dror 2025).

Each person in turn is left out, and the machine is compared with this person: who of the two agrees better with the
remaining people, item by item? The machine wins against a person if it is at least as good on so many items more that a
one-sided test at a false discovery rate of 5% rejects "the person is better by ε or more". ε is the advantage that people
need to be worth their cost.

References
----------
N. Calderon, R. Reichart, R. Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify
Replacing Human Annotators with LLMs, ACL.
Y. Benjamini, D. Yekutieli (2001), The Control of the False Discovery Rate in Multiple Testing under Dependency,
Annals of Statistics 29.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtr

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.metrics.figures import pair_differences
from ranking.core.ranges import Correction, adjusted
from ranking.core.words import word_check

#: Agreement of two annotations: equality of choices, closeness of ratings or scores, or the share of pairs of outputs that
#: two rankings order or tie alike.
Alignment = Literal["accuracy", "rmse", "order"]
#: Items of a person that the t-test needs; Wilcoxon's test is used with fewer.
FEWEST_ITEMS = 30
#: People per item, without which no consensus is left when one of them is left out.
FEWEST_PEOPLE = 3
_FALSE_DISCOVERY_RATE = 0.05
#: Share of won comparisons from which a machine passes.
_PASSING = 0.5
#: Agreements that are closer are equal up to rounding.
_EQUAL = 1e-9


class TooFewPeopleError(ValueError):
    """No person has enough items that were annotated by enough people and by the machine."""


@dataclass(frozen=True, eq=False)
class AlternativeAnnotators:
    """Comparison of a machine with each of J people.

    Attributes
    ----------
    items : int64, shape (J,)
        Items of each person that are compared.
    advantage : float64, shape (J,)
        Share of these on which the machine agrees with the remaining people at least as well as the person does; NaN for
        people who are not compared.
    p_value, adjusted_p : float64, shape (J,)
        Of "the person is better by ε or more", before and after the correction of Benjamini & Yekutieli; NaN for people
        who are not compared.
    wins : bool, shape (J,)
        Whether the machine wins against the person.
    epsilon : float
    dropped : int
        Items that too few people annotated.
    """

    items: Int64Array
    advantage: FloatArray
    p_value: FloatArray
    adjusted_p: FloatArray
    wins: BoolArray
    epsilon: float
    dropped: int

    @property
    def winning_rate(self) -> float:
        """Share of the compared people against whom the machine wins, ω."""
        compared = ~np.isnan(self.p_value)
        return float(self.wins[compared].mean())

    @property
    def advantage_probability(self) -> float:
        """Mean probability that the machine is at least as good as a person, ρ."""
        return float(np.nanmean(self.advantage))

    @property
    def passes(self) -> bool:
        """True if the machine wins against at least half of the people."""
        return self.winning_rate >= _PASSING


def alternative_annotator_test(
    people: FloatArray,
    machine: FloatArray,
    *,
    alignment: Alignment,
    epsilon: float = 0.2,
    fewest_people: int = FEWEST_PEOPLE,
    fewest_items: int = 2,
) -> AlternativeAnnotators:
    """Compare a machine with each of J people on I items.

    Parameters
    ----------
    people : float64, shape (J, I), or (J, I, K) for rankings of K outputs
        Codes of choices, ratings, scores or ranks; NaN where missing.
    machine : float64, shape (I,) or (I, K)
        The same of the machine.
    alignment : "accuracy", "rmse" or "order"
        For choices, for ratings and scores, and for rankings.
    epsilon : float
        At least 0 and below 1. The authors suggest 0.2 for experts, 0.15 for skilled people and 0.1 for crowd workers.
    fewest_people : int
        Items with fewer people are left out; at least 2.
    fewest_items : int
        People with fewer items are not compared; 30 in the authors' code, which has no test of ranks.

    Raises
    ------
    TooFewPeopleError
        If no person can be compared.
    ValueError
        If an argument is out of range, or shapes differ.
    """
    word_check("alignment", alignment, Alignment)
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon: {epsilon} is not at least 0 and below 1")
    if people.shape[1:] != machine.shape:
        raise ValueError(
            f"machine: expected shape {people.shape[1:]}, got {machine.shape}",
        )
    if fewest_people < 2:
        raise ValueError("fewest_people: at least 2 people are needed")
    count = len(people)
    annotators = np.concatenate([people, machine[np.newaxis]])
    annotators = annotators.reshape(count + 1, people.shape[1], -1)
    has_answer = ~np.isnan(annotators).all(axis=2)
    by_people = has_answer[:count]
    by_machine = has_answer[count]
    has_enough_people = by_people.sum(axis=0) >= fewest_people
    is_used = has_enough_people & by_machine
    is_dropped = ~is_used & by_people.any(axis=0)
    items = np.count_nonzero(by_people & is_used, axis=1).astype(np.int64)
    advantage = np.full(count, np.nan)
    p_value = np.full(count, np.nan)
    for person in np.flatnonzero(items >= fewest_items).tolist():
        own_items = annotators[:, is_used & has_answer[person]]
        comparison = _machine_beside_person(own_items, person, alignment)
        advantage[person] = comparison.is_machine_as_good.mean()
        p_value[person] = _p_value(comparison.person_lead, epsilon)
    compared = ~np.isnan(p_value)
    if not compared.any():
        raise TooFewPeopleError(
            f"the test needs at least {fewest_items} items annotated by one person, by {fewest_people - 1} others"
            f" and by the machine; there are at most {items.max(initial=0)}",
        )
    adjusted_p = np.full(count, np.nan)
    adjusted_p[compared] = _benjamini_yekutieli(p_value[compared])
    return AlternativeAnnotators(
        items=items,
        advantage=advantage,
        p_value=p_value,
        adjusted_p=adjusted_p,
        wins=adjusted_p <= _FALSE_DISCOVERY_RATE,
        epsilon=epsilon,
        dropped=int(np.count_nonzero(is_dropped)),
    )


class _MachineBesidePerson(NamedTuple):
    """Comparison of the machine with a person on I items, each of shape (I,).

    Attributes
    ----------
    is_machine_as_good : bool
        Whether the machine is at least as good as the person.
    person_lead : float64
        1 where only the person is at least as good as the other, −1 where only the machine is, 0 where both are.
    """

    is_machine_as_good: BoolArray
    person_lead: FloatArray


def _machine_beside_person(
    annotators: FloatArray,
    person: int,
    alignment: Alignment,
) -> _MachineBesidePerson:
    """Compare a person with the machine, which is the last annotator, by their agreement with the other people."""
    machine = len(annotators) - 1
    remaining = np.delete(annotators, [person, machine], axis=0)
    person_likeness = _likeness(remaining, annotators[person], alignment)
    machine_likeness = _likeness(remaining, annotators[machine], alignment)
    person_agreement = np.nanmean(person_likeness, axis=0)
    machine_agreement = np.nanmean(machine_likeness, axis=0)
    is_machine_as_good = machine_agreement >= person_agreement - _EQUAL
    is_person_as_good = person_agreement >= machine_agreement - _EQUAL
    return _MachineBesidePerson(
        is_machine_as_good=is_machine_as_good,
        person_lead=is_person_as_good.astype(np.float64) - is_machine_as_good,
    )


def _likeness(
    annotators: FloatArray,
    one: FloatArray,
    alignment: Alignment,
) -> FloatArray:
    """Return the agreement of each annotator with one of them on each item, shape (J, I); NaN without both.

    Only the order of agreements matters to the test, so the root of the mean square is not taken.
    """
    difference = annotators - one
    if alignment == "rmse":
        return -np.square(difference)[:, :, 0]
    if alignment == "accuracy":
        choice_difference = difference[:, :, 0]
        alike = np.where(choice_difference == 0, 1.0, 0.0)
        return np.where(np.isnan(choice_difference), np.nan, alike)
    order = _order(annotators)
    own_order = _order(one)
    is_compared = ~np.isnan(order + own_order)
    pairs = np.count_nonzero(is_compared, axis=2)
    alike = np.count_nonzero(order == own_order, axis=2)
    unknown = np.isnan(difference).all(axis=2)
    share_alike = alike / np.maximum(pairs, 1)
    return np.where(unknown, np.nan, share_alike)


def _order(ranks: FloatArray) -> FloatArray:
    """Return the sign of the difference of each pair of outputs, shape (..., P), for ranks of shape (..., K)."""
    return np.asarray(np.sign(pair_differences(ranks)))


def _p_value(lead: FloatArray, epsilon: float) -> float:
    """Return the p-value of "the mean lead of the person is ε or more"."""
    count = len(lead)
    if count < FEWEST_ITEMS:
        from scipy.stats import wilcoxon  # a fifth of Django's start-up time

        return float(wilcoxon(lead - epsilon, alternative="less").pvalue)
    advantage = float(lead.mean()) - epsilon
    standard_error = float(lead.std(ddof=1)) / count**0.5
    if standard_error > 0:
        return float(stdtr(count - 1, advantage / standard_error))
    if advantage < 0:
        return 0.0
    return 1.0


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    harmonic = sum(1 / number for number in range(1, len(p) + 1))
    uncorrelated = adjusted(p, Correction.BENJAMINI_HOCHBERG)
    return np.minimum(1.0, uncorrelated * harmonic)
