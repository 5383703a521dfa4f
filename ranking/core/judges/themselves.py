"""κ of judges with themselves, by chance as each judge's own labels give it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.core.agreement.statistics import scott_chance
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Outcome, collapsed_comparisons
from ranking.core.judges.clustered_share import Share, shares_of_sums
from ranking.core.judges.repeats import repeat_sums, tally_repeats
from ranking.core.scores import NotEstimable


@dataclass(frozen=True)
class SelfAgreement:
    """Agreement of a judge with themselves, where they compared an item more than once.

    Attributes
    ----------
    judge : str
    comparable, agreeing : int
        Pairs of the judge's comparisons of one item, and pairs with the same outcome.
    comparisons, ties : int
        All comparisons of the judge, and tied ones.
    p_agree : float or None
        P(A): agreeing / comparable.
    p_chance : float or None
        P(E) of the judge's own labels: t² + 2 ((1 − t) / 2)², with t the judge's share of ties.
    kappa, low, high : float or None
        κ with its interval, which takes P(E) for known and segments for independent.
    reason : NotEstimable or None
        Why `kappa` is None.
    """

    judge: str
    comparable: int
    agreeing: int
    comparisons: int
    ties: int
    p_agree: float | None
    p_chance: float | None
    kappa: float | None
    low: float | None
    high: float | None
    reason: NotEstimable | None


def agreement_with_themselves(
    blocks: Blocks, *, confidence: float = 0.95
) -> tuple[SelfAgreement, ...]:
    """Measure κ of each judge with themselves, by the judge's own labels.

    A judge who often ties agrees with themselves more often by chance than one who never does. P(E)
    is therefore estimated from the judge's own comparisons, all of them and not the repeated ones
    alone, as Scott's π does for all judges (Bojar et al. 2011, §2.2.2).

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set, with every system that was shown.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    tuple of SelfAgreement
        In the order of `Blocks.judges`.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    judges = len(blocks.judges)
    compared = collapsed_comparisons(blocks)
    comparisons = np.bincount(compared.judge, minlength=judges).tolist()
    tied = compared.judge[compared.outcome == Outcome.TIE]
    ties = np.bincount(tied, minlength=judges).tolist()
    shares = shares_of_sums(repeat_sums(tally_repeats(blocks), judges), confidence=confidence)
    return tuple(
        _agreement(name, again, of, own)
        for name, again, of, own in zip(blocks.judges, shares, comparisons, ties, strict=True)
    )


def _agreement(judge: str, again: Share, comparisons: int, ties: int) -> SelfAgreement:
    chance = float(scott_chance(np.asarray(ties / comparisons))) if comparisons else None
    reason = None
    if again.value is None or chance is None:
        reason = NotEstimable.NO_COMPARISON
    elif chance >= 1:
        reason = NotEstimable.CHANCE_IS_CERTAIN
    kappa, low, high = (
        None if reason is not None or chance is None or share is None else _kappa(share, chance)
        for share in (again.value, again.low, again.high)
    )
    return SelfAgreement(
        judge=judge,
        comparable=again.trials,
        agreeing=again.successes,
        comparisons=comparisons,
        ties=ties,
        p_agree=again.value,
        p_chance=chance,
        kappa=kappa,
        low=low,
        high=high,
        reason=reason,
    )


def _kappa(share: float, chance: float) -> float:
    return (share - chance) / (1 - chance)
