"""Simulated judges who sort systems whose true order is known: what a sort promises."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from ranking.core.ranges import Correction, adjusted
from ranking.core.rankings.two_systems import PairJudgments, Preference
from ranking.core.sorting import (
    Pair,
    Verdict,
    drawn_winner,
    next_comparisons,
)

FloatArray = npt.NDArray[np.float64]
Int8Array = npt.NDArray[np.int8]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SimulatedWorld:
    """Systems with true qualities, and judges who compare outputs of them.

    The quality of an output is normal around that of its system. A judge sees the difference of two outputs and, where it
    is small, calls them the same. The unit of all qualities is the standard deviation of a judgment's difference.

    Attributes
    ----------
    qualities : mapping of str to float
        True quality by system, higher is better.
    judges : int
    sentences : int
        That each judge judges in each comparison.
    same : float
        Share of "same quality" between equal systems, from 0 and below 1.
    taste : float
        Standard deviation of what each judge adds to each system.
    luck : float
        Standard deviation of what each segment adds to each system.
    segments : int
        Of the test set, that samples are drawn from; no fewer than `sentences`.
    is_shared : bool
        Whether the judges of a comparison judge the same sample.
    """

    qualities: Mapping[str, float]
    judges: int = 7
    sentences: int = 100
    same: float = 0.0
    taste: float = 0.0
    luck: float = 0.0
    segments: int = 3000
    is_shared: bool = False


class SimulatedCampaign:
    """One world with its judges and segments drawn; comparisons of it are drawn when asked for."""

    def __init__(self, world: SimulatedWorld, *, seed: int, run: int = 0) -> None:
        """Draw judges and segments, a function of (seed, run)."""
        self._world = world
        self._random = np.random.Generator(
            np.random.Philox(key=np.array([seed, run], np.uint64)),
        )
        self._place = {name: place for place, name in enumerate(world.qualities)}
        systems = len(self._place)
        quality = np.array(list(world.qualities.values()))
        by_judge = world.taste * self._random.standard_normal((world.judges, systems))
        self._by_judge: FloatArray = quality + by_judge
        self._by_segment: FloatArray | None = None
        if world.luck:
            self._by_segment = world.luck * self._random.standard_normal(
                (world.segments, systems),
            )
        self._threshold = float(ndtri((1 + world.same) / 2))

    def answers(self, pair: Pair) -> tuple[Int64Array, Int8Array]:
        """Draw a comparison.

        Returns
        -------
        segments : int64, shape (judges, sentences)
        answers : int8, of that shape
            +1 where the first system of the pair is better, −1 where the second is.
        """
        world, (x, y) = self._world, (self._place[name] for name in pair)
        samples = [
            self._random.choice(world.segments, world.sentences, replace=False)
            for _judge in range(1 if world.is_shared else world.judges)
        ]
        segments = np.broadcast_to(np.array(samples), (world.judges, world.sentences))
        ahead = (self._by_judge[:, x] - self._by_judge[:, y])[:, np.newaxis]
        if self._by_segment is not None:
            ahead = (
                ahead + self._by_segment[segments, x] - self._by_segment[segments, y]
            )
        seen = ahead + self._random.standard_normal(segments.shape)
        return segments, (np.sign(seen) * (np.abs(seen) > self._threshold)).astype(
            np.int8,
        )

    def judgments(self, pair: Pair) -> PairJudgments:
        """Draw a comparison as judgments of judges called 1, 2, …"""
        segments, answers = self.answers(pair)
        names = [str(judge) for judge in range(1, self._world.judges + 1)]
        return PairJudgments(
            first=pair[0],
            second=pair[1],
            judges=[
                name for name in names for _sentence in range(self._world.sentences)
            ],
            segments=segments.ravel(),
            answers=answers.ravel(),
            identical=np.zeros(answers.size, dtype=np.bool_),
        )

    def sort(self, seed: int) -> tuple[tuple[str, ...], dict[Pair, Preference]]:
        """Sort all systems by the sign of R.

        Returns
        -------
        order : tuple of str
            Best first.
        comparisons : dict of (winner, loser) to Preference
            As counted for the winner, in the order made.
        """
        made: dict[Pair, Preference] = {}
        while True:
            verdicts = [Verdict(*pair) for pair in made]
            state = next_comparisons(self._place, verdicts, seed)
            if state.order is not None:
                return state.order, made
            for pair in state.open:
                _segments, answers = self.answers(pair)
                wins, losses = (
                    int(np.count_nonzero(answers == answer)) for answer in (1, -1)
                )
                counts = Preference(wins, losses, answers.size - wins - losses)
                winner = pair[0] if counts.lead > 0 else pair[1]
                if not counts.lead:
                    winner = drawn_winner(*pair, seed)
                is_first = winner == pair[0]
                made[pair if is_first else pair[::-1]] = (
                    counts
                    if is_first
                    else replace(counts, wins=counts.losses, losses=counts.wins)
                )


@dataclass(frozen=True)
class SortPromise:
    """How often simulated sorts are right.

    Attributes
    ----------
    sorts : int
    comparisons : float
        Mean number a sort.
    most : int
        Largest number in a sort.
    right_order : float
        Share of sorts in which no better system stands below a worse one.
    significant : float
        Share of neighbours of different quality that are told apart, the right way round.
    wrong : float
        Share of neighbours of different quality that are told apart the wrong way round.
    level : float
        Share of neighbours of equal quality that are told apart; NaN if there are none.
    any_false : float
        Share of sorts in which any neighbours are told apart that are of equal quality or the wrong way round.
    """

    sorts: int
    comparisons: float
    most: int
    right_order: float
    significant: float
    wrong: float
    level: float
    any_false: float


def simulate_sorts(
    world: SimulatedWorld,
    *,
    sorts: int,
    seed: int,
    test: str = "normal",
    level: float = 0.05,
    correction: Correction = Correction.NONE,
) -> SortPromise:
    """Sort one world many times, with new judges and sentences, and compare with its truth.

    Parameters
    ----------
    world : SimulatedWorld
    sorts : int
        One or more.
    seed : int
        0 ≤ seed < 2**64.
    test : "normal" or "exact"
        Both take judgments for independent; with `taste`, or with `luck` of shared samples, they are not.
    level : float
    correction : Correction
        For the comparisons of one sort.

    Returns
    -------
    SortPromise

    Raises
    ------
    ValueError
        If `sorts` is below 1, or the test is none of the two.
    """
    if sorts < 1:
        raise ValueError("sorts: expected one or more")
    if test not in ("normal", "exact"):
        raise ValueError(f"test: {test!r} is neither normal nor exact")
    numbers, right, false_sorts = [], 0, 0
    neighbours: list[tuple[float, bool]] = []  # true difference, told apart
    for run in range(sorts):
        order, made = SimulatedCampaign(world, seed=seed, run=run).sort(seed + run)
        p = np.array(
            [
                each.p_normal if test == "normal" else each.p_exact
                for each in made.values()
            ],
        )
        is_small = dict(
            zip(made, (adjusted(p, correction) <= level).tolist(), strict=True),
        )
        of_sort = [
            (world.qualities[above] - world.qualities[below], is_small[above, below])
            for above, below in pairwise(order)
        ]
        numbers.append(len(made))
        ordered = [world.qualities[name] for name in order]
        right += all(above >= below for above, below in pairwise(ordered))
        false_sorts += any(told and difference <= 0 for difference, told in of_sort)
        neighbours += of_sort
    differing = [
        (difference > 0, told) for difference, told in neighbours if difference
    ]
    return SortPromise(
        sorts=sorts,
        comparisons=float(np.mean(numbers)),
        most=max(numbers),
        right_order=right / sorts,
        significant=_share([told and is_right for is_right, told in differing]),
        wrong=_share([told and not is_right for is_right, told in differing]),
        level=_share([told for difference, told in neighbours if not difference]),
        any_false=false_sorts / sorts,
    )


def _share(of: list[bool]) -> float:
    return float(np.mean(of)) if of else float("nan")
