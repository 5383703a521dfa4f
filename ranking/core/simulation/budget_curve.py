"""Pairs and clusters to expect from a number of judgments, quickly enough for a page that follows a slider.

Abilities of systems are drawn: before the first judgment from Koehn's (2012) model, afterwards from their posterior; some may
be equally good, as in `ranking.core.simulation.noise`. The comparisons to come follow from them, as normal variables with the
correlation that comparisons of one block have. `needs_of_design` says what other designs would take from now on, on the
systems and the noise that a campaign's judgments show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp, ndtr

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import Tallies
from ranking.core.ranges import clusters as clusters_of
from ranking.core.ranges import ranges_of_better
from ranking.core.simulation.measures import critical_wins
from ranking.core.simulation.model import QUALITY_RANGE


class GroupsPosterior:
    """The posterior of n abilities, given an estimate of each with an independent normal error.

    Beforehand all systems differ, or share 1 to n abilities, each number as likely, and groups of all sizes as
    likely. Abilities of groups are normal around 0, with one of some spreads, each as likely. In the posterior
    groups hold systems that follow one another by their estimates: others are much less likely. All such
    partitions are summed over, from the lowest estimate to the highest, and drawn backwards.

    Parameters
    ----------
    estimate, variance : float64, shape (n,)
    spreads : float64, shape (T,)
        Standard deviations of abilities.
    share_with_equals : float
        Chance beforehand that the number of groups is drawn; otherwise all systems differ.
    """

    def __init__(
        self,
        estimate: FloatArray,
        variance: FloatArray,
        spreads: FloatArray,
        *,
        share_with_equals: float,
    ) -> None:
        self._order = np.argsort(estimate, kind="stable")
        self._estimate, self._precision = estimate[self._order], 1 / variance[self._order]
        self._spreads = spreads
        n, count = len(estimate), len(spreads)
        self._runs = self._evidence_of_runs()
        # Log weight of the first j systems in g groups, by spread.
        reached = np.full((n + 1, n + 1, count), -np.inf)
        reached[0, 0] = 0.0
        for groups in range(1, n + 1):
            reached[groups, 1:] = logsumexp(
                reached[groups - 1, :-1, np.newaxis] + self._runs, axis=0
            )
        self._reached = reached
        number = np.arange(1, n + 1)
        # A partition into runs corresponds to g! labellings of its groups, each equally likely.
        compositions = gammaln(n) - gammaln(number) - gammaln(n - number + 1)
        prior = np.full(n, share_with_equals / n)
        prior[-1] += 1 - share_with_equals
        partitions = gammaln(number + 1) - compositions - gammaln(n + 1)
        evidence = partitions[:, np.newaxis] + reached[1:, n]
        with np.errstate(divide="ignore"):
            weight = np.log(prior)[:, np.newaxis] + evidence
        self._chances = np.exp(weight - logsumexp(weight))
        self._evidence = np.exp(evidence - logsumexp(evidence, axis=1).max())

    def is_possible(self, groups: int, *, odds: float) -> bool:
        """Return True if this number of groups explains the estimates no more than `odds` times worse than the best number."""
        return bool(self._evidence[groups - 1].sum() * odds >= 1)

    def draw(
        self,
        experiments: int,
        random: np.random.Generator,
        *,
        groups: int | None = None,
        odds: float = 1.0,
    ) -> FloatArray:
        """Draw abilities, (E, n), in the order in which the estimates were given; with a number of `groups` if given.

        Of n groups then with the largest spread that explains the estimates no more than `odds` times worse than another.
        """
        n, count = len(self._estimate), len(self._spreads)
        chances = self._chances
        if groups is not None:
            of_groups = self._evidence[groups - 1]
            if groups == n:
                widest = np.flatnonzero(of_groups * odds >= of_groups.max())[-1]
                of_groups = np.where(np.arange(count) == widest, 1.0, 0.0)
            chances = np.zeros_like(chances)
            chances[groups - 1] = of_groups / of_groups.sum()
        chosen = random.choice(n * count, size=experiments, p=chances.ravel())
        abilities = np.empty((experiments, n))
        luck = random.standard_normal((experiments, n))
        uniform = random.random((experiments, n))
        cumulated: dict[tuple[int, int, int], FloatArray] = {}
        found: dict[tuple[int, int, int], tuple[float, float]] = {}
        for row, which in enumerate(chosen.tolist()):
            left, spread = which // count + 1, which % count
            end = n
            while left:
                at = (left, end, spread)
                if at not in cumulated:
                    weight = (
                        self._reached[left - 1, :end, spread] + self._runs[:end, end - 1, spread]
                    )
                    cumulated[at] = np.cumsum(np.exp(weight - weight.max()))
                chances_below = cumulated[at]
                place = uniform[row, left - 1] * chances_below[-1]
                begin = int(np.searchsorted(chances_below, place))
                if (run := (begin, end, spread)) not in found:
                    found[run] = self._of_run(*run)
                mean, deviation = found[run]
                abilities[row, self._order[begin:end]] = mean + luck[row, left - 1] * deviation
                end, left = begin, left - 1
        return abilities

    def _of_run(self, begin: int, end: int, spread: int) -> tuple[float, float]:
        """Return the mean and the standard deviation of the ability of a group."""
        known = self._precision[begin:end]
        precision = float(known.sum()) + float(self._spreads[spread]) ** -2
        return float((known * self._estimate[begin:end]).sum()) / precision, precision**-0.5

    def _evidence_of_runs(self) -> FloatArray:
        """Return for the run of systems i … j the log evidence that they are one group, with s! ways; (n, n, T)."""
        n = len(self._estimate)
        sums = [
            np.concatenate([[0.0], np.cumsum(self._precision * self._estimate**power)])
            for power in range(3)
        ]
        logs = np.concatenate([[0.0], np.cumsum(np.log(self._precision))])
        begin, end = np.meshgrid(np.arange(n), np.arange(1, n + 1), indexing="ij")
        size = np.maximum(1, end - begin)
        precision, first, second = (each[end] - each[begin] for each in sums)
        prior = self._spreads**-2
        total = precision[:, :, np.newaxis] + prior
        evidence = (
            (logs[end] - logs[begin])[:, :, np.newaxis]
            + np.log(prior)
            - np.log(np.where(total > 0, total, 1.0))
            - second[:, :, np.newaxis]
            + first[:, :, np.newaxis] ** 2 / np.where(total > 0, total, 1.0)
        ) / 2 + gammaln(size + 1)[:, :, np.newaxis]
        return np.where((end > begin)[:, :, np.newaxis], evidence, -np.inf)


#: Noises of campaigns, for qualities from 0 to 10: those fitted to WMT10 and WMT12, and Koehn's 7 to 12.
NOISES = (4.0, 12.0)
#: Share of comparisons that are not tied, in the same campaigns.
DECIDED_SHARE = 0.83
#: Standard deviations of abilities (log odds) that the judgments choose among; the least: nearly equal.
_SPREADS = np.geomspace(0.05, 2.0, 12)
_NEWTON_STEPS = 20
_WEAK_SPREAD = 2.0
#: Simulated campaigns: fewer of many systems, where every one takes longer.
_MOST_EXPERIMENTS, _FEWEST_EXPERIMENTS, _PAIRS_IN_ALL = 192, 96, 30_000
#: Simulated separately: this share of campaigns with 1, 2 and n different qualities, unless the
#: judgments make another number of qualities this many times as likely; for n, those with the
#: largest spread that the judgments do not make this many times less likely than another.
_EXTREME_SHARE, _POSSIBLE_ODDS, _SPREAD_ODDS = 0.25, 100.0, 5.0


#: For active designs: fewer campaigns, in steps of at most this many blocks at first and of this
#: share of all comparisons later; this many blocks are drawn per step.
_ACTIVE_EXPERIMENTS = 64
_FIRST_BLOCKS, _GROWTH, _BLOCKS_A_STEP = 8, 0.25, 8
_NEARLY_NONE = 1e-12


@dataclass(frozen=True, slots=True)
class ActiveDraw:
    """Settings of the choices of an active design.

    Attributes
    ----------
    priorities : callable
        Returns the priorities (E, n, n) of pairs after wins (E, n, n), and the abilities (E, n) that they follow from, of
        those of fewer wins; 0 at first.
    floor : float
        Share of blocks that are drawn as balanced ones.
    """

    priorities: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
    floor: float


@dataclass(frozen=True, kw_only=True)
class BudgetCurve:
    """Expected results after numbers of comparisons, including those already made.

    Attributes
    ----------
    comparisons : float64, shape (C,)
        Ties included.
    pairs, pairs_low, pairs_high : float64, shape (C,)
        Pairs of systems that the one-sided sign test at 0.05 separates: expected, and the interval that
        holds 95 % of what may come.
    pairs_middle : float64, shape (C,)
        The number that half of what is likely reaches.
    clusters, clusters_low, clusters_high : float64, shape (C,)
        The same of clusters by rank ranges of that test.
    """

    comparisons: FloatArray
    pairs: FloatArray
    pairs_low: FloatArray
    pairs_high: FloatArray
    pairs_middle: FloatArray
    clusters: FloatArray
    clusters_low: FloatArray
    clusters_high: FloatArray


def budget_curve(
    comparisons: Sequence[float] | FloatArray,
    *,
    systems: int,
    per_block: int,
    wins: npt.ArrayLike | None = None,
    ties: float = 0.0,
    share_with_equals: float = 0.5,
    confidence: float = 0.95,
    experiments: int | None = None,
    active: ActiveDraw | None = None,
    seed: int = 0,
) -> BudgetCurve:
    """Forecast the pairs separated and the clusters after numbers of comparisons.

    Parameters
    ----------
    comparisons : sequence of float
        In all, ties included, ascending; a number below those already made counts as those.
    systems : int
        n, at least 2.
    per_block : int
        Systems in a block, at least 2.
    wins : number, shape (n, n), optional
        ``wins[a, b]`` comparisons won by a against b so far.
    ties : number
        Tied comparisons so far.
    share_with_equals : float
        How likely it is beforehand that some systems are equally good.
    confidence : float
        Of the intervals.
    experiments : int, optional
        Simulated campaigns, and three quarters as many of extremes; 96 to 192 if not given, 64 of an active design.
    active : ActiveDraw, optional
        Pairs meet by it; as often as each other if not given.
    seed : int

    Raises
    ------
    ValueError
        If there are fewer than two systems, or the comparisons are not ascending.
    """
    counts = np.asarray(comparisons, dtype=np.float64)
    if systems < 2 or per_block < 2:
        raise ValueError("systems, per_block: expected at least 2")
    if np.any(np.diff(counts) < 0):
        raise ValueError("comparisons: expected ascending numbers")
    if experiments is None:
        of_pairs = _PAIRS_IN_ALL // (systems * (systems - 1) // 2)
        experiments = max(_FEWEST_EXPERIMENTS, min(_MOST_EXPERIMENTS, of_pairs))
        experiments = experiments if active is None else _ACTIVE_EXPERIMENTS
    by_itself = max(1, round(_EXTREME_SHARE * experiments))
    random = np.random.default_rng(seed)
    won = np.zeros((systems, systems)) if wins is None else np.asarray(wins, dtype=np.float64)
    decided = float(won.sum())
    shown = min(per_block, systems)
    if decided:
        share = decided / (decided + ties)
        chances, extremes = _chances_judged(
            won, shown, experiments, by_itself, share_with_equals, random
        )
    else:
        share = DECIDED_SHARE
        chances, extremes = _chances_before(
            systems, experiments, by_itself, share_with_equals, random
        )
    more = np.maximum(0.0, counts - decided - ties) * share
    measured = _measured(won, np.concatenate([chances, *extremes]), more, shown, random, active)
    separated, clusters = (each[:experiments] for each in measured)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    # A band for all likely worlds together and one for each extreme: among many worlds an interval
    # may miss the true one.
    begins = np.cumsum([0, experiments, *(len(each) for each in extremes)]).tolist()
    bands = [
        (
            np.min([_quantile(each[i:j], tails[0], "lower") for i, j in pairwise(begins)], axis=0),
            np.max([_quantile(each[i:j], tails[1], "higher") for i, j in pairwise(begins)], axis=0),
        )
        for each in measured
    ]
    return BudgetCurve(
        comparisons=counts,
        pairs=separated.mean(axis=0),
        pairs_low=bands[0][0],
        pairs_high=bands[0][1],
        pairs_middle=_quantile(separated, 0.5, "higher"),
        clusters=clusters.mean(axis=0),
        clusters_low=bands[1][0],
        clusters_high=bands[1][1],
    )


def _chances_before(
    n: int,
    experiments: int,
    by_itself: int,
    share_with_equals: float,
    random: np.random.Generator,
) -> tuple[FloatArray, list[FloatArray]]:
    """Return chances (E, n, n) that a system wins against another, in Koehn's model and among equals; and of each extreme."""
    with_equals = random.random(experiments) < share_with_equals
    groups = np.where(with_equals, random.integers(1, n, experiments), n)
    extremes = [
        _chances_of_groups(np.full(by_itself, number), n, random) for number in _extremes(n)
    ]
    return _chances_of_groups(groups, n, random), extremes


def _quantile(values: FloatArray, share: float, method: Literal["lower", "higher"]) -> FloatArray:
    return np.asarray(np.quantile(values, share, axis=0, method=method))


def _extremes(n: int) -> list[int]:
    """Return the numbers of different qualities that are simulated by themselves: those that separate fewest and most pairs."""
    return sorted({1, min(2, n), n})


def _chances_of_groups(groups: Int64Array, n: int, random: np.random.Generator) -> FloatArray:
    """Return chances (E, n, n) for a number of different qualities, in Koehn's model."""
    experiments = len(groups)
    quality = random.uniform(0, QUALITY_RANGE, (experiments, n))
    noise = np.exp(random.uniform(np.log(NOISES[0]), np.log(NOISES[1]), experiments))
    for row in np.flatnonzero(groups < n).tolist():
        group = np.arange(n)
        # First one system of each group, then each further one joins that of one before it.
        for system in range(int(groups[row]), n):
            group[system] = group[int(random.random() * system)]
        quality[row] = quality[row, group]
    gap = quality[:, :, np.newaxis] - quality[:, np.newaxis, :]
    return np.asarray(ndtr(gap / (noise[:, np.newaxis, np.newaxis] * np.sqrt(2))))


def _chances_judged(
    won: FloatArray,
    shown: int,
    experiments: int,
    by_itself: int,
    share_with_equals: float,
    random: np.random.Generator,
) -> tuple[FloatArray, list[FloatArray]]:
    """Return chances (E, n, n) drawn from the posterior of abilities in Bradley and Terry's model; and of each extreme.

    Comparisons of a block share its outputs. Of equally good systems, the wins of one in a block of k
    have (k + 1) / 3 times the variance of independent ones: comparisons count the less.
    """
    estimate, variance = _estimates(won * 3 / (shown + 1))
    groups = GroupsPosterior(estimate, variance, _SPREADS, share_with_equals=share_with_equals)
    extremes = [
        _chances_of_abilities(groups.draw(by_itself, random, groups=number, odds=_SPREAD_ODDS))
        for number in _extremes(len(won))
        if groups.is_possible(number, odds=_POSSIBLE_ODDS)
    ]
    return _chances_of_abilities(groups.draw(experiments, random)), extremes


def _chances_of_abilities(ability: FloatArray) -> FloatArray:
    gap = ability[:, :, np.newaxis] - ability[:, np.newaxis, :]
    return np.asarray(1 / (1 + np.exp(-gap)))


def _estimates(won: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the abilities of most likelihood and their variances, as if those were independent.

    Variances are such that differences have theirs where all pairs met equally often. A weak prior bounds
    both where a system won all, or met no other.
    """
    n = len(won)
    met = won + won.T
    ability, precision = np.zeros(n), np.eye(n)
    for _ in range(_NEWTON_STEPS):
        rate = 1 / (1 + np.exp(ability[np.newaxis, :] - ability[:, np.newaxis]))
        information = met * rate * (1 - rate)
        precision = np.diag(information.sum(axis=1) + _WEAK_SPREAD**-2) - information
        slope = won.sum(axis=1) - (met * rate).sum(axis=1) - ability / _WEAK_SPREAD**2
        step = np.clip(np.linalg.solve(precision, slope), -1.0, 1.0)
        ability = ability + step
        if np.abs(step).max() < 1e-9:
            break
    centre = np.eye(n) - 1 / n
    covariance = centre @ np.linalg.inv(precision) @ centre
    return ability, np.diagonal(covariance) * n / (n - 1)


def _measured(
    won: FloatArray,
    chances: FloatArray,
    more: FloatArray,
    shown: int,
    random: np.random.Generator,
    active: ActiveDraw | None,
) -> tuple[FloatArray, FloatArray]:
    """Return the pairs separated and the clusters, (E, C), after `more` decided comparisons of all pairs."""
    experiments, n, _n = chances.shape
    first, second = np.triu_indices(n, k=1)
    pairs = len(first)
    chance = chances[:, first, second]
    # Covariance of two pairs with a system in common: 1/3 within a block.
    shared = (shown - 2) / (n - 2) / 3 if n > 2 else 0.0
    # The pairs that meet in a block are random.
    apart = 1 - shown * (shown - 1) / (n * (n - 1))
    start = won[first, second]
    met = start + won[second, first]
    lead, to_come = np.zeros((experiments, pairs)), np.zeros((experiments, pairs))
    separated = np.empty((experiments, len(more)))
    clusters = np.empty_like(separated)
    drawn = None if active is None else _ActivePairs(active, won, experiments, shown)
    before = 0.0
    for at, total in enumerate(more):
        for size in [total - before] if drawn is None else drawn.parts(before, total):
            if size <= 0:
                continue
            if drawn is None:
                mean = size / pairs
                chosen = random.standard_normal((experiments, pairs)) * np.sqrt(mean * apart)
                step = np.maximum(0.0, mean + chosen)
            else:
                step = drawn.step(size, lead, to_come, random)
            of_system = random.standard_normal((experiments, n)) * np.sqrt(shared)
            own = random.standard_normal((experiments, pairs)) * np.sqrt(1 - 2 * shared)
            luck = of_system[:, first] - of_system[:, second] + own
            to_come += step
            lead += step * chance + np.sqrt(step * chance * (1 - chance)) * luck
        before = total
        whole = np.rint(to_come)
        decided = np.rint(met + whole).astype(np.int64)
        wins = np.rint(start + np.clip(lead, 0, whole)).astype(np.int64)
        critical = critical_wins(decided)
        better, worse = wins >= critical, decided - wins >= critical
        separated[:, at] = np.count_nonzero(better | worse, axis=1)
        beats = np.zeros((experiments, n, n), dtype=np.bool_)
        beats[:, first, second], beats[:, second, first] = better, worse
        clusters[:, at] = clusters_of(ranges_of_better(beats)).max(axis=1)
    return separated, clusters


class _ActivePairs:
    """Frequencies of pairs under an active design, in E campaigns side by side, a few blocks standing for all of a step."""

    def __init__(self, active: ActiveDraw, won: FloatArray, experiments: int, shown: int) -> None:
        self._active, self._won, self._shown = active, won, shown
        self._ability = np.zeros((experiments, len(won)))
        self._weights = np.empty((0,))
        self._judged, self._known = float(won.sum()), -1.0
        self._pairs = np.triu_indices(len(won), k=1)
        self._of_block = shown * (shown - 1) / 2

    def parts(self, before: float, total: float) -> Iterator[float]:
        """Yield the parts of a step: each at most a share of all comparisons at the time."""
        while before < total:
            most = max(_FIRST_BLOCKS * self._of_block, _GROWTH * self._judged)
            size = min(most, total - before)
            yield size
            before += size

    def step(
        self,
        size: float,
        lead: FloatArray,
        to_come: FloatArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Return how many of these comparisons are of each pair, (E, pairs)."""
        first, second = self._pairs
        if self._judged >= (1 + _GROWTH) * self._known:
            self._weights, self._known = self._weights_after(lead, to_come), self._judged
        self._judged += size
        blocks = min(_BLOCKS_A_STEP, max(1, round(size / self._of_block)))
        is_even = (random.random((len(lead), blocks)) < self._active.floor).astype(np.intp)
        shown = _blocks_by_weight(self._weights, is_even, self._shown, random)
        together = np.matmul(shown.swapaxes(1, 2), shown)[:, first, second]
        return np.asarray(together * (size / (blocks * self._of_block)))

    def _weights_after(self, lead: FloatArray, to_come: FloatArray) -> FloatArray:
        """Return the chances of pairs in active and in even blocks, (2, E, n, n)."""
        first, second = self._pairs
        wins = np.broadcast_to(self._won, (len(lead), *self._won.shape)).copy()
        ahead = np.clip(lead, 0, to_come)
        wins[:, first, second] += ahead
        wins[:, second, first] += to_come - ahead
        priority, self._ability = self._active.priorities(wins, self._ability)
        return np.stack([priority, 1 / (1 + wins + wins.swapaxes(1, 2))])


def _blocks_by_weight(
    weights: FloatArray, which: Int64Array, shown: int, random: np.random.Generator
) -> FloatArray:
    """Return for B blocks of E campaigns which systems they show, 1 or 0, (E, B, n): drawn as active designs draw.

    The weights (2, E, n, n) hold those of active and of even blocks; `which` chooses for each block. The chance of the
    first system is proportional to its weights with all systems, that of each further one to those with the systems shown
    already.
    """
    n = weights.shape[-1]
    campaign = np.arange(weights.shape[1])[:, np.newaxis]
    chance = weights.sum(axis=-1)[which, campaign]
    weight_with = np.zeros_like(chance)
    chosen = np.zeros_like(chance)
    for _ in range(min(shown, n)):
        left = np.where(chosen > 0, 0.0, chance + _NEARLY_NONE)
        cumulated = np.cumsum(left, axis=-1)
        place = random.random((*left.shape[:2], 1)) * cumulated[..., -1:]
        system = np.minimum(np.count_nonzero(cumulated <= place, axis=-1), n - 1)
        np.put_along_axis(chosen, system[..., np.newaxis], 1.0, axis=-1)
        weight_with = weight_with + weights[which, campaign, system]
        chance = weight_with
    return np.asarray(chosen)


#: Numbers of comparisons that are examined, evenly on a logarithmic scale; between two of them, straight lines.
_POINTS = 36
#: The first one, as a share of the last.
_FIRST = 1e-3


@dataclass(frozen=True, kw_only=True)
class DesignNeed:
    """Judgments from now on until a share of the pairs is told apart under a design.

    Attributes
    ----------
    target : float
    judgments : float or None
        By which half of what is likely has reached it; None beyond the limit.
    low, high : float or None
        By which the upper and the lower end of the interval are the target.
    """

    target: float
    judgments: float | None
    low: float | None
    high: float | None


def needs_of_design(
    tallies: Tallies,
    *,
    per_block: int,
    targets: Sequence[float],
    limit: float,
    confidence: float = 0.95,
    active: ActiveDraw | None = None,
    seed: int = 0,
) -> tuple[DesignNeed, ...]:
    """Return the remaining effort with a design, independent of the design of judgments so far.

    Parameters
    ----------
    tallies : Tallies
        Of the judgments so far, with at least one decided comparison.
    per_block : int
        Systems in a block of the design.
    targets : sequence of float
        Shares of the pairs of systems, told apart by the one-sided sign test at 0.05.
    limit : float
        Most judgments to look ahead to, from now on.
    confidence : float
    active : ActiveDraw, optional
        If the design chooses pairs by their judgments; otherwise all meet as often.
    seed : int

    Returns
    -------
    tuple of DesignNeed
    """
    n = len(tallies.systems)
    shown = min(per_block, n)
    of_block = shown * (shown - 1) / 2
    judgments = np.concatenate([[0.0], limit * np.geomspace(_FIRST, 1.0, _POINTS)])
    curve = budget_curve(
        tallies.comparisons + judgments * of_block,
        systems=n,
        per_block=shown,
        wins=tallies.wins,
        ties=tallies.tied,
        confidence=confidence,
        active=active,
        seed=seed,
    )
    pairs = n * (n - 1) / 2
    return tuple(
        DesignNeed(
            target=target,
            judgments=_reached(judgments, curve.pairs_middle, target * pairs),
            low=_reached(judgments, curve.pairs_high, target * pairs),
            high=_reached(judgments, curve.pairs_low, target * pairs),
        )
        for target in targets
    )


def _reached(judgments: FloatArray, pairs: FloatArray, wanted: float) -> float | None:
    """Return where a curve first reaches a number of pairs; None if it does not."""
    there = np.flatnonzero(pairs >= wanted - 1e-9)
    if not len(there):
        return None
    at = int(there[0])
    if at == 0:
        return 0.0
    below, above = pairs[at - 1], pairs[at]
    part = (wanted - below) / (above - below)
    return float(judgments[at - 1] + part * (judgments[at] - judgments[at - 1]))
