"""Predictors: functions that learn from blocks to predict further comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import Tallies, tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.ability import comparisons_per_pair
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.methods.hopkins_may import fit as hopkins_may
from ranking.core.methods.hopkins_may.model import HopkinsMayModel, outcome_chances
from ranking.core.methods.registry import method_named
from ranking.core.methods.trueskill.online import trueskill_online
from ranking.core.methods.trueskill.wmt import trueskill_wmt
from ranking.core.scores import TIE_DECIMALS, Scores
from ranking.core.sharding.marks import on_any_engine

Int8Array = npt.NDArray[np.int8]
FloatArray = npt.NDArray[np.float64]

#: Predicted outcome of the first system against the second.
WIN, TIE, LOSS = 1, 0, -1
#: No prediction, because one of the two systems is unknown; counts as wrong.
UNKNOWN = 2

#: A function of the training blocks, over n systems, that returns predictions, shape (n, n): WIN,
#: TIE, LOSS or UNKNOWN for the first system against the second, antisymmetric except for UNKNOWN.
Predictor = Callable[[Blocks], Int8Array]
Scorer = Callable[[Blocks], Scores]


def by_scores(score: Scorer) -> Predictor:
    """Return a predictor of a win for the higher score, or of a tie within a radius.

    The radius is the one that predicts most training comparisons, the smallest of several
    (Sakaguchi, Post & Van Durme 2014 tune it on held-out data). So methods without ties can be
    compared with methods that predict ties.

    Parameters
    ----------
    score : callable
        Takes blocks and returns scores of shape (n,), on any scale.
    """

    return partial(_predict_by_scores, score)


@on_any_engine(threads=True)
def _predict_by_scores(score: Scorer, blocks: Blocks) -> Int8Array:
    scores = score(blocks)
    values = np.where(scores.estimable, np.round(scores.values, TIE_DECIMALS), 0.0)
    known = scores.estimable[:, np.newaxis] & scores.estimable[np.newaxis, :]
    difference = values[:, np.newaxis] - values[np.newaxis, :]
    radius = best_radius(tally(blocks), difference, known)
    predicted = np.where(np.abs(difference) <= radius, TIE, np.sign(difference))
    return np.where(known, predicted, UNKNOWN).astype(np.int8)


def best_radius(tallies: Tallies, difference: FloatArray, known: npt.NDArray[np.bool_]) -> float:
    """Return the tie radius that predicts most of the counted comparisons correctly.

    Parameters
    ----------
    tallies : Tallies of n systems
    difference : float64, shape (n, n)
        Score of the first system minus that of the second.
    known : bool, shape (n, n)
        Pairs to use.

    Returns
    -------
    float
        Half-way between two differences; −1 if it is best to predict no ties, even between equal
        scores.
    """
    first, second = np.nonzero(np.triu(known, 1))
    size = np.abs(difference[first, second])
    ahead = np.where(difference[first, second] >= 0, first, second)
    behind = np.where(difference[first, second] >= 0, second, first)
    order = np.argsort(size, kind="stable")
    size = size[order]
    # Gain, for each pair, of predicting a tie instead of a win of the higher score.
    gain = (tallies.ties[first, second] - tallies.wins[ahead, behind])[order]
    total = np.concatenate([[0], np.cumsum(gain)])
    # Pairs with equal differences get the same prediction: cut only where the difference grows.
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
    """Return a predictor of the most probable outcome in the relative-ability model."""
    return partial(_predict_by_ability, model or HopkinsMayModel(), inference, seed)


@on_any_engine(threads=True)
def _predict_by_ability(
    model: HopkinsMayModel, inference: Literal["collapsed", "gibbs"], seed: int, blocks: Blocks
) -> Int8Array:
    ability = hopkins_may.hopkins_may(blocks, model=model, inference=inference, seed=seed)
    known = ability.estimable[:, np.newaxis] & ability.estimable[np.newaxis, :]
    radius = ability.extra.get("radius")
    if not isinstance(radius, float):
        return np.full(known.shape, UNKNOWN, dtype=np.int8)
    chances = outcome_chances(np.nan_to_num(ability.mu), radius, model.noise)
    # Two equally probable wins are not a tie, but there is no better prediction.
    even = np.isclose(chances[0], chances[2], rtol=0, atol=1e-12)
    decided = np.where(even, TIE, np.where(chances[0] > chances[2], WIN, LOSS))
    tie = chances[1] > np.maximum(chances[0], chances[2])
    return np.where(known, np.where(tie, TIE, decided), UNKNOWN).astype(np.int8)


@on_any_engine(threads=True)
def by_pairs(blocks: Blocks) -> Int8Array:
    """Return the most frequent outcome of each pair: the oracle, if it learns from all blocks.

    No constant prediction for a pair can be right more often. Of two equally frequent outcomes, a
    tie goes before a win, and the win of the system that is first by name before the other one.
    """
    tallies = tally(blocks)
    wins, losses, ties = tallies.wins, tallies.wins.T, tallies.ties
    by_name = np.where(np.triu(np.ones_like(wins)) > 0, WIN, LOSS)
    decided = np.where(wins == losses, by_name, np.where(wins > losses, WIN, LOSS))
    predicted = np.where(ties >= np.maximum(wins, losses), TIE, decided)
    return np.where(comparisons_per_pair(wins, ties) > 0, predicted, UNKNOWN).astype(np.int8)


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
        Seed of the methods that draw random numbers.
    runs : int
        Runs of WMT's TrueSkill for each model; 20 determine the mean to a fifth of a run's standard
        deviation.
    parameters : mapping of str to mapping, optional
        Parameters that differ from the defaults, by name of the method in the registry.
    """
    given = parameters or {}
    of_wmt = {"runs": runs, **given.get("trueskill_wmt", {})}
    of_online = given.get("trueskill", {})
    relative = dict(given.get("hopkins_may", {}))
    model = HopkinsMayModel(radius=relative.pop("radius", None))
    return MappingProxyType(
        {
            "expected_wins": by_scores(_expected_wins),
            "hopkins_may": by_relative_ability(model, seed=seed, **relative),
            "trueskill_wmt": by_scores(partial(_trueskill_wmt, seed=seed, **of_wmt)),
            "trueskill": by_scores(partial(_trueskill, seed=seed, **of_online)),
        }
    )


@on_any_engine(threads=True)
def _expected_wins(blocks: Blocks) -> Scores:
    return expected_wins(tally(blocks).wins)


@on_any_engine(threads=True)
def _trueskill_wmt(blocks: Blocks, **options: Any) -> Scores:
    return trueskill_wmt(blocks, **options).scores


@on_any_engine(threads=True)
def _trueskill(blocks: Blocks, **options: Any) -> Scores:
    return trueskill_online(blocks, **options).scores


@on_any_engine(threads=True)
def score_by_method(
    method: str, parameters: Mapping[str, Any], seed: int, blocks: Blocks
) -> Scores:
    """Return the scores of systems by a method of the registry, with all its parameters."""
    return method_named(method).score(blocks, seed=seed, **parameters)
