"""Selection of a ranking method by cross-validation on held-out judgments.

Hopkins & May (2013) and Sakaguchi, Post & Van Durme (2014) evaluate a ranking method by the share
of unseen comparisons whose outcome (win, tie, loss) it predicts. Folds consist of segments, because
judgments of one segment are correlated, and a method must not learn from the segment it predicts. A
predictor is a function that learns from blocks to predict comparisons.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int8Array,
    Int64Array,
    as_column,
    pairwise_differences,
)
from ranking.core.counting.counts import Tallies, tally
from ranking.core.counting.resampling import shuffled
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.hopkins_may import outcome_chances
from ranking.core.methods.method import Parameters, comparisons_per_pair
from ranking.core.methods.registry import method_named
from ranking.core.methods.trueskill import Games
from ranking.core.scores import TIE_DECIMALS, Scores
from ranking.core.sharding import Progress, Running, in_threads, map_shards

#: Runs of WMT's TrueSkill for each model: 20 determine the mean to a fifth of a run's standard deviation.
_RUNS = {"trueskill_wmt": {"runs": 20}}

#: Predicted outcome of the first system against the second.
WIN = 1
TIE = 0
LOSS = -1
#: No prediction, because one of the two systems is unknown. Counts as wrong.
UNKNOWN = 2

#: A function of the training blocks, over n systems, that returns predictions, shape (n, n): WIN,
#: TIE, LOSS or UNKNOWN for the first system against the second, antisymmetric except for UNKNOWN.
Predictor = Callable[[Blocks], Int8Array]
Scorer = Callable[[Blocks], Scores]


@in_threads
def predict_by_scores(score: Scorer, blocks: Blocks) -> Int8Array:
    """Predict a win for the higher score, or a tie within a radius.

    The radius is the smallest one that predicts the most training comparisons (Sakaguchi, Post &
    Van Durme 2014 tune it on held-out data), so that methods without ties can be compared with
    methods that predict ties.

    Parameters
    ----------
    score : callable
        Takes blocks and returns scores of shape (n,), on any scale.
    blocks : Blocks
        Training blocks.
    """
    scores = score(blocks)
    values = np.round(scores.values, TIE_DECIMALS)
    values = np.where(scores.estimable, values, 0.0)
    both = np.logical_and.outer(scores.estimable, scores.estimable)
    difference = pairwise_differences(values)
    radius = best_radius(tally(blocks), difference, both)
    is_tie = np.abs(difference) <= radius
    predicted = np.where(is_tie, TIE, np.sign(difference))
    return np.where(both, predicted, UNKNOWN).astype(np.int8)


def best_radius(
    tallies: Tallies,
    difference: FloatArray,
    used_pairs: BoolArray,
) -> float:
    """Return the tie radius that correctly predicts the most counted comparisons.

    Parameters
    ----------
    tallies : Tallies of n systems
    difference : float64, shape (n, n)
        Score of the first system minus that of the second.
    used_pairs : bool, shape (n, n)
        Pairs to use.

    Returns
    -------
    float
        Halfway between two differences; −1 if it is best to predict no ties, even between equal
        scores.
    """
    first, second = np.nonzero(np.triu(used_pairs, 1))
    lead = difference[first, second]
    order = np.argsort(np.abs(lead), kind="stable")
    first = first[order]
    second = second[order]
    lead = lead[order]
    size = np.abs(lead)
    ahead = np.where(lead >= 0, first, second)
    behind = np.where(lead >= 0, second, first)
    # Each pair's gain from predicting a tie instead of a win for the higher score.
    tied = tallies.ties[first, second]
    won = tallies.wins[ahead, behind]
    gain = tied - won
    total = np.append(0, np.cumsum(gain))
    # Pairs with equal differences get the same prediction, so cut only where the difference grows.
    is_cut = np.ones(len(total), dtype=np.bool_)
    is_cut[1:-1] = size[1:] > size[:-1]
    total[~is_cut] = total.min() - 1
    best = int(np.argmax(total))
    if best == 0:
        return -1.0
    upper = np.append(size, size[-1] + 1)[best]
    return float((size[best - 1] + upper) / 2)


@in_threads
def predict_by_ability(parameters: Parameters, seed: int, blocks: Blocks) -> Int8Array:
    """Predict the most probable outcome in the relative-ability model, with all its parameters."""
    ability = method_named("hopkins_may").fit(blocks, seed=seed, **parameters)
    estimable = ability.scores.estimable
    both = np.logical_and.outer(estimable, estimable)
    predicted = np.full(both.shape, UNKNOWN, dtype=np.int8)
    radius = ability.extra.get("radius")
    if not isinstance(radius, float):
        return predicted
    mu = np.nan_to_num(ability.scores.values)
    win, tie, loss = outcome_chances(mu, radius)
    predicted[both] = LOSS
    predicted[both & (win > loss)] = WIN
    # Two equally probable wins are not a tie, but there is no better prediction.
    is_even = np.isclose(win, loss, rtol=0, atol=1e-12)
    is_tie = is_even | (tie > np.maximum(win, loss))
    predicted[both & is_tie] = TIE
    return predicted


@in_threads
def by_pairs(blocks: Blocks) -> Int8Array:
    """Return the most frequent outcome of each pair: the oracle, if it learns from all blocks.

    No constant prediction for a pair can be right more often. If outcomes are equally frequent, a
    tie is preferred to a win, and a win of the first system by name to a win of the other one.
    """
    tallies = tally(blocks)
    wins = tallies.wins
    losses = tallies.wins.T
    ties = tallies.ties
    is_first = np.triu(np.ones(wins.shape, dtype=np.bool_))
    is_win = (wins > losses) | ((wins == losses) & is_first)
    predicted = np.where(is_win, WIN, LOSS)
    predicted[ties >= np.maximum(wins, losses)] = TIE
    predicted[comparisons_per_pair(wins, ties) == 0] = UNKNOWN
    return predicted.astype(np.int8)


def predictors(
    parameters: Mapping[str, Parameters],
    *,
    seed: int = 0,
) -> dict[str, Predictor]:
    """Return a predictor for each method: by model outcomes for relative ability, otherwise by
    scores.

    Parameters
    ----------
    parameters : mapping of str to mapping
        The methods by their names in the registry, each with the parameters that differ from the defaults.
    seed : int
        Seed of the methods that draw random numbers.

    Raises
    ------
    ValueError
        If a method or a parameter is unknown.
    """
    by_name: dict[str, Predictor] = {}
    for name, options in parameters.items():
        complete = method_named(name).complete({**_RUNS.get(name, {}), **options})
        if name == "hopkins_may":
            by_name[name] = partial(predict_by_ability, complete, seed)
        else:
            score = partial(score_by_method, name, complete, seed)
            by_name[name] = partial(predict_by_scores, score)
    return by_name


@in_threads
def score_by_method(
    method: str,
    parameters: Parameters,
    seed: int,
    blocks: Blocks,
) -> Scores:
    """Return the scores of systems by a method of the registry, with all its parameters."""
    return method_named(method).score(blocks, seed=seed, **parameters)


@dataclass(frozen=True)
class Accuracy:
    """Share of held-out comparisons that a method predicted correctly.

    Attributes
    ----------
    correct, comparisons : int
        Numbers of correctly predicted comparisons and of all comparisons, over all folds.
    unknown : int
        Number of comparisons without a prediction, which count as wrong.
    accuracy : float
        Mean over the folds, as in the papers.
    standard_error : float
        Standard error of `accuracy`, from the spread over the folds.
    behind : float
        Accuracy of the best method minus that of this one, mean over the folds.
    behind_error : float
        Standard error of `behind`, from the differences in each fold. It is much smaller than that
        of `accuracy`, because folds are equally easy or hard for all methods.
    """

    correct: int
    comparisons: int
    unknown: int
    accuracy: float
    standard_error: float
    behind: float
    behind_error: float


@dataclass(frozen=True)
class MethodSelection:
    """Methods compared by their predictions.

    Attributes
    ----------
    methods : mapping of str to Accuracy
        Best first.
    oracle : float
        Largest share of comparisons that predictions by pair of systems can get right: each pair's
        most frequent outcome, learnt from the predicted comparisons themselves.
    majority : float
        Accuracy of always predicting the most frequent outcome, in display order (first wins, tie,
        second wins), of the training comparisons; mean over the folds.
    folds, segments, comparisons, ties : int
    seed : int
    """

    methods: Mapping[str, Accuracy]
    oracle: float
    majority: float
    folds: int
    segments: int
    comparisons: int
    ties: int
    seed: int


@dataclass(frozen=True)
class Requirement:
    """Accuracy of methods that learn from a share of the data.

    Attributes
    ----------
    share : float
        Share of the training blocks that are used.
    comparisons : float
        Number of training comparisons, mean over the folds.
    accuracy : mapping of str to float
        Accuracy by method, mean over the folds.
    """

    share: float
    comparisons: float
    accuracy: Mapping[str, float]


def folds_of_segments(
    segment: npt.NDArray[np.integer],
    folds: int,
    *,
    seed: int = 0,
) -> Int64Array:
    """Return the fold of each item by its segment number; the sizes of folds differ by at most one
    segment.

    Parameters
    ----------
    segment : integer, shape (B,)
    folds : int
        At least 2, and at most the number of segments.
    seed : int
        The fold of an item depends only on the seed and the set of segments.

    Returns
    -------
    int64, shape (B,)
        0 … folds − 1.

    Raises
    ------
    ValueError
        If there are fewer segments than folds, or fewer than two folds.
    """
    segments, of_item = np.unique(segment, return_inverse=True)
    if not 2 <= folds <= len(segments):
        raise ValueError(
            f"folds: {folds} is not between 2 and the number of segments, {len(segments)}",
        )
    fold = np.empty(len(segments), dtype=np.int64)
    fold[np.random.default_rng(seed).permutation(len(segments))] = (
        np.arange(len(segments)) % folds
    )
    return fold[of_item]


def select_method(
    blocks: Blocks,
    predictors: Mapping[str, Predictor],
    *,
    folds: int = 100,
    seed: int = 0,
    **running: Unpack[Running],
) -> MethodSelection:
    """Measure how well methods predict held-out comparisons.

    Parameters
    ----------
    blocks : Blocks
        B blocks, without the reference unless it is to be predicted.
    predictors : mapping of str to Predictor
        For instance those of `predictors`.
    folds : int
        Number of folds; the papers use 100.
    seed : int
        Seed of the folds.
    **running : see `ranking.core.sharding.Running`
        Progress is that of folds.

    Returns
    -------
    MethodSelection

    Raises
    ------
    ValueError
        As for `folds_of_segments`, and if there are no methods or no comparisons.
    """
    if not predictors:
        raise ValueError("predictors: expected at least one method")
    fold = folds_of_segments(blocks.segment, folds, seed=seed)
    tested = [tally(blocks.take(fold == number)) for number in range(folds)]
    comparisons = np.array([part.comparisons for part in tested])
    if not comparisons.any():
        raise ValueError("blocks: there is no comparison to predict")

    count_fold = partial(_fold_counts, blocks, fold, tuple(predictors.values()))
    folds_counted = map_shards(count_fold, range(folds), **running)
    counted = np.array(folds_counted, dtype=np.int64)
    correct = counted[:, :, 0]
    unknown = counted[:, :, 1]
    # Accuracy of each method on each fold; a fold without comparisons has none.
    has_comparisons = comparisons > 0
    shares = correct[has_comparisons] / as_column(comparisons[has_comparisons])
    best = int(np.argmax(shares.mean(axis=0)))
    total = int(comparisons.sum())
    methods = {}
    for m, name in enumerate(predictors):
        own = shares[:, m]
        behind = shares[:, best] - own
        methods[name] = Accuracy(
            correct=int(correct[:, m].sum()),
            comparisons=total,
            unknown=int(unknown[:, m].sum()),
            accuracy=float(own.mean()),
            standard_error=_standard_error(own),
            behind=float(behind.mean()),
            behind_error=_standard_error(behind),
        )

    def accuracy_of(name: str) -> float:
        return methods[name].accuracy

    best_first = sorted(methods, key=accuracy_of, reverse=True)
    correct_by_pairs, _unknown = _count_correct(by_pairs(blocks), blocks)
    return MethodSelection(
        methods={name: methods[name] for name in best_first},
        oracle=correct_by_pairs / total,
        majority=_majority_accuracy(blocks, fold, folds),
        folds=folds,
        segments=len(np.unique(blocks.segment)),
        comparisons=total,
        ties=sum(part.tied for part in tested),
        seed=seed,
    )


def data_requirements(
    blocks: Blocks,
    predictors: Mapping[str, Predictor],
    *,
    shares: Sequence[float] = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1),
    folds: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Requirement]:
    """Measure the accuracy of methods that learn from a share of the blocks.

    The blocks of a smaller share are a subset of those of a larger one.

    Parameters
    ----------
    blocks, predictors, folds, seed, progress
        As for `select_method`.
    shares : sequence of float
        Each above 0 and at most 1.

    Returns
    -------
    list of Requirement
        In the order of `shares`.

    Raises
    ------
    ValueError
        As for `select_method`, and if a share is out of range.
    """
    if any(not 0 < share <= 1 for share in shares):
        raise ValueError("shares: expected numbers above 0, up to 1")
    fold = folds_of_segments(blocks.segment, folds, seed=seed)
    position = shuffled(blocks.key, seed=seed, run=0)
    correct = np.full((folds, len(shares), len(predictors)), np.nan)
    learnt_from = np.empty((folds, len(shares)))
    for number in range(folds):
        held_out = blocks.take(fold == number)
        comparisons = tally(held_out).comparisons
        rows = np.flatnonzero(fold != number)
        rows = rows[np.argsort(position[rows], kind="stable")]
        for s, share in enumerate(shares):
            size = math.ceil(share * len(rows))
            # Restore the original order, which online methods may use.
            share_rows = np.sort(rows[:size])
            learnt = blocks.take(share_rows)
            learnt_from[number, s] = tally(learnt).comparisons
            if not comparisons:
                continue
            for m, predict in enumerate(predictors.values()):
                right, _unknown = _count_correct(predict(learnt), held_out)
                correct[number, s, m] = right / comparisons
        if progress is not None:
            progress(number + 1, folds)
    if np.isnan(correct).all():
        raise ValueError("blocks: there is no comparison to predict")
    accuracy = np.nanmean(correct, axis=0)
    requirements = []
    for s, share in enumerate(shares):
        by_method = dict(zip(predictors, accuracy[s].tolist(), strict=True))
        comparisons_learnt = float(learnt_from[:, s].mean())
        requirements.append(Requirement(share, comparisons_learnt, by_method))
    return requirements


@in_threads
def _fold_counts(
    blocks: Blocks,
    fold: Int64Array,
    predictors: Sequence[Predictor],
    number: int,
) -> list[tuple[int, int]]:
    """Return each predictor's numbers of correct and of unknown predictions for a fold."""
    learnt = blocks.take(fold != number)
    held_out = blocks.take(fold == number)
    return [_count_correct(predict(learnt), held_out) for predict in predictors]


def _count_correct(predicted: Int8Array, held_out: Blocks) -> tuple[int, int]:
    """Return the numbers of held-out comparisons predicted correctly and not predicted."""
    tallies = tally(held_out)
    wins = tallies.wins
    ties = np.triu(tallies.ties)
    is_unknown = predicted == UNKNOWN
    correct_wins = wins[predicted == WIN].sum()
    correct_ties = ties[predicted == TIE].sum()
    unknown = wins[is_unknown].sum() + ties[is_unknown].sum()
    return int(correct_wins + correct_ties), int(unknown)


def _majority_accuracy(blocks: Blocks, fold: Int64Array, folds: int) -> float:
    games = Games(blocks)
    counts = np.zeros((folds, 3), dtype=np.int64)
    np.add.at(counts, (fold[games.block], games.outcome_as_shown + 1), 1)
    learnt = counts.sum(axis=0) - counts
    most_frequent = np.argmax(learnt, axis=1)
    right = counts[np.arange(folds), most_frequent]
    comparisons = counts.sum(axis=1)
    has_comparisons = comparisons > 0
    accuracy = right[has_comparisons] / comparisons[has_comparisons]
    return float(accuracy.mean())


def _standard_error(values: FloatArray) -> float:
    if len(values) > 1:
        return float(values.std(ddof=1) / math.sqrt(len(values)))
    return math.nan
