"""From abilities to predictions: who will win when two systems are compared once more?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import Tallies, tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.ability import compared
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.methods.hopkins_may import fit as hopkins_may
from ranking.core.methods.hopkins_may.model import HopkinsMayModel, outcome_chances
from ranking.core.methods.trueskill import online as trueskill
from ranking.core.scores import TIE_DECIMALS, Scores

Int8Array = npt.NDArray[np.int8]
FloatArray = npt.NDArray[np.float64]

#: Predicted of the first system against the second.
WIN, TIE, LOSS = 1, 0, -1
#: Nothing is known of one of the two; counts as wrong.
UNKNOWN = 2

#: Takes the blocks to learn from, over n systems; returns predictions, shape (n, n): WIN, TIE, LOSS
#: or UNKNOWN of the first system against the second, antisymmetric but for UNKNOWN.
Predictor = Callable[[Blocks], Int8Array]
Scorer = Callable[[Blocks], Scores]


def by_scores(score: Scorer) -> Predictor:
    """Predict that the higher score wins, unless the two are within a radius: then a tie.

    The radius is the one that predicts most of the comparisons learnt from, the smallest if there
    are several (Sakaguchi, Post & Van Durme 2014 tune it on held-out data). So methods that say
    nothing about ties can be compared with those that do.

    Parameters
    ----------
    score : callable
        Takes blocks and returns scores of shape (n,), on any scale.
    """

    def predict(blocks: Blocks) -> Int8Array:
        scores = score(blocks)
        values = np.where(scores.estimable, np.round(scores.values, TIE_DECIMALS), 0.0)
        known = scores.estimable[:, np.newaxis] & scores.estimable[np.newaxis, :]
        difference = values[:, np.newaxis] - values[np.newaxis, :]
        radius = best_radius(tally(blocks), difference, known)
        predicted = np.where(np.abs(difference) <= radius, TIE, np.sign(difference))
        return np.where(known, predicted, UNKNOWN).astype(np.int8)

    return predict


def best_radius(tallies: Tallies, difference: FloatArray, known: npt.NDArray[np.bool_]) -> float:
    """Radius within which to call a tie, to be right most often on counted comparisons.

    Parameters
    ----------
    tallies : Tallies of n systems
    difference : float64, shape (n, n)
        Score of the first system minus that of the second.
    known : bool, shape (n, n)
        Pairs to look at.

    Returns
    -------
    float
        Half-way between two differences; −1 where calling no tie at all, not even between equals,
        is best.
    """
    first, second = np.nonzero(np.triu(known, 1))
    size = np.abs(difference[first, second])
    ahead = np.where(difference[first, second] >= 0, first, second)
    behind = np.where(difference[first, second] >= 0, second, first)
    order = np.argsort(size, kind="stable")
    size = size[order]
    # What calling a tie gains over calling a win of the higher score, pair by pair.
    gain = (tallies.ties[first, second] - tallies.wins[ahead, behind])[order]
    total = np.concatenate([[0], np.cumsum(gain)])
    # Pairs with equal differences are called alike: cut only where the difference grows.
    cuts = np.concatenate([[True], size[1:] > size[:-1], [True]]) if len(size) else np.array([True])
    total = np.where(cuts, total, total.min() - 1)
    best = int(np.argmax(total))
    if best == 0:
        return -1.0
    upper = size[best] if best < len(size) else size[-1] + 1
    return float((size[best - 1] + upper) / 2)


def by_relative_ability(
    model: HopkinsMayModel | None = None,
    *,
    inference: Literal["collapsed", "gibbs"] = "collapsed",
    seed: int = 0,
) -> Predictor:
    """Predict the most probable outcome of the relative-ability model (its own ties)."""
    model = model or HopkinsMayModel()

    def predict(blocks: Blocks) -> Int8Array:
        ability = hopkins_may.hopkins_may(blocks, model=model, inference=inference, seed=seed)
        known = ability.estimable[:, np.newaxis] & ability.estimable[np.newaxis, :]
        radius = ability.extra.get("radius")
        if not isinstance(radius, float):
            return np.full(known.shape, UNKNOWN, dtype=np.int8)
        chances = outcome_chances(np.nan_to_num(ability.mu), radius, model.noise)
        # Two equally probable wins are no tie, but no better guess can be made of them.
        even = np.isclose(chances[0], chances[2], rtol=0, atol=1e-12)
        decided = np.where(even, TIE, np.where(chances[0] > chances[2], WIN, LOSS))
        tie = chances[1] > np.maximum(chances[0], chances[2])
        return np.where(known, np.where(tie, TIE, decided), UNKNOWN).astype(np.int8)

    return predict


def by_pairs(blocks: Blocks) -> Int8Array:
    """Predict of each pair what happened to it most often: the oracle, when it learns from all.

    No prediction that is the same whenever the two are compared can be right more often. Where two
    outcomes happened equally often, a tie goes before a win, and the win of the system that comes
    first by name before the other.
    """
    tallies = tally(blocks)
    wins, losses, ties = tallies.wins, tallies.wins.T, tallies.ties
    by_name = np.where(np.triu(np.ones_like(wins)) > 0, WIN, LOSS)
    decided = np.where(wins == losses, by_name, np.where(wins > losses, WIN, LOSS))
    predicted = np.where(ties >= np.maximum(wins, losses), TIE, decided)
    return np.where(compared(wins, ties) > 0, predicted, UNKNOWN).astype(np.int8)


def predictors(
    *,
    seed: int = 0,
    runs: int = 20,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
) -> Mapping[str, Predictor]:
    """Return the methods of the papers as predictors, by the names of the registry.

    Parameters
    ----------
    seed : int
        Of the methods that draw numbers.
    runs : int
        Runs of WMT's TrueSkill for each model; 20 give the mean to a fifth of a run's deviation.
    parameters : mapping of str to mapping, optional
        Of the methods, by their names in the registry, where they are not to be the defaults.
    """
    given = parameters or {}
    of_wmt = {"runs": runs, **given.get("trueskill_wmt", {})}
    online = given.get("trueskill", {})
    relative = dict(given.get("hopkins_may", {}))
    model = HopkinsMayModel(radius=relative.pop("radius", None))
    return MappingProxyType(
        {
            "expected_wins": by_scores(lambda blocks: expected_wins(tally(blocks).wins)),
            "hopkins_may": by_relative_ability(model, seed=seed, **relative),
            "trueskill_wmt": by_scores(
                lambda blocks: trueskill.trueskill_wmt(blocks, seed=seed, **of_wmt).scores
            ),
            "trueskill": by_scores(
                lambda blocks: trueskill.trueskill_online(blocks, seed=seed, **online).scores
            ),
        }
    )
