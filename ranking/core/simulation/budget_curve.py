"""Forecasts of separated pairs and clusters by number of judgments, fast enough for a page with a
slider.

Abilities of systems are drawn: before the first judgment from Koehn's (2012) model, afterwards from
their posterior; some may be equally good, as in `ranking.core.simulation.noise`. Future comparisons
are simulated from them, as normal variables with the correlation of comparisons in one block.
`needs_of_design` estimates the remaining effort with other designs, given the systems and the noise
in a campaign's judgments.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp, ndtr

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int64Array,
    as_column,
    pairwise_differences,
    per_sample,
)
from ranking.core.counting.counts import Tallies
from ranking.core.ranges import clusters as clusters_of
from ranking.core.ranges import ranges_of_better
from ranking.core.simulation.measures import critical_wins
from ranking.core.simulation.model import QUALITY_RANGE, groups_of_systems


class GroupsPosterior:
    """Posterior of n abilities, given an estimate of each with an independent normal error.

    A priori, all systems differ, or they share 1 to n abilities, with all numbers and all group
    sizes equally likely. Abilities of groups are normal around 0, with one of several equally
    likely spreads. In the posterior, groups consist of systems with consecutive estimates, because
    other groups are much less likely. All such partitions are summed over, from the lowest estimate
    to the highest, and drawn backwards.

    Parameters
    ----------
    estimate, variance : float64, shape (n,)
    spreads : float64, shape (T,)
        Standard deviations of abilities.
    share_with_equals : float
        Prior probability that the number of groups is drawn; otherwise all systems differ.
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
        self._estimate = estimate[self._order]
        self._precision = 1 / variance[self._order]
        self._spreads = spreads
        n = len(estimate)
        self._runs = self._evidence_of_runs()
        self._group_evidence = self._evidence_of_groups()
        number = np.arange(1, n + 1)
        # A partition into runs corresponds to g! labellings of its groups, each equally likely.
        log_compositions = gammaln(n) - gammaln(number) - gammaln(n - number + 1)
        log_partitions = gammaln(number + 1) - log_compositions - gammaln(n + 1)
        evidence = as_column(log_partitions) + self._group_evidence[1:, n]
        prior = np.full(n, share_with_equals / n)
        prior[-1] += 1 - share_with_equals
        with np.errstate(divide="ignore"):
            log_prior = np.log(prior)
        weight = as_column(log_prior) + evidence
        self._chances = np.exp(weight - logsumexp(weight))
        best = logsumexp(evidence, axis=1).max()
        self._evidence = np.exp(evidence - best)

    def _evidence_of_groups(self) -> FloatArray:
        """Return the log evidence that the first j systems are g groups, shape (n + 1, n + 1, T) for
        [g, j].
        """
        n = len(self._estimate)
        reached = np.full((n + 1, n + 1, len(self._spreads)), -np.inf)
        reached[0, 0] = 0.0
        for groups in range(1, n + 1):
            begins = reached[groups - 1, :-1]
            with_run = begins[:, np.newaxis] + self._runs
            reached[groups, 1:] = logsumexp(with_run, axis=0)
        return reached

    def is_possible(self, groups: int, *, odds: float) -> bool:
        """Return True if the likelihood of this number of groups is at most `odds` times lower than
        that of the best number.
        """
        relative_likelihood = self._evidence[groups - 1].sum()
        return bool(relative_likelihood * odds >= 1)

    def draw(
        self,
        experiments: int,
        random: np.random.Generator,
        *,
        groups: int | None = None,
        odds: float = 1.0,
    ) -> FloatArray:
        """Draw abilities, shape (E, n), in the order of the given estimates; with `groups` groups
        if given.

        For n groups, use the largest spread whose likelihood is at most `odds` times lower than
        that of another.
        """
        n = len(self._estimate)
        count = len(self._spreads)
        chances = self._chances
        if groups is not None:
            chances = self._chances_of(groups, odds)
        chosen = random.choice(n * count, size=experiments, p=chances.ravel())
        abilities = np.empty((experiments, n))
        luck = random.standard_normal((experiments, n))
        uniform = random.random((experiments, n))
        cumulated: dict[tuple[int, int, int], FloatArray] = {}
        drawn: dict[tuple[int, int, int], tuple[float, float]] = {}
        for row, which in enumerate(chosen.tolist()):
            group, spread = divmod(which, count)
            end = n
            # From the highest group to the lowest.
            for groups_below in range(group, -1, -1):
                key = (groups_below, end, spread)
                if key not in cumulated:
                    cumulated[key] = self._cumulated_begins(groups_below, end, spread)
                chances_below = cumulated[key]
                position = uniform[row, groups_below] * chances_below[-1]
                begin = int(np.searchsorted(chances_below, position))
                run = (begin, end, spread)
                if run not in drawn:
                    drawn[run] = self._group_ability(begin, end, spread)
                mean, deviation = drawn[run]
                ability = mean + luck[row, groups_below] * deviation
                abilities[row, self._order[begin:end]] = ability
                end = begin
        return abilities

    def _chances_of(self, groups: int, odds: float) -> FloatArray:
        """Return the chances of a number of groups, always this one, and a spread, shape (n, T)."""
        spread_evidence = self._evidence[groups - 1]
        if groups == len(self._estimate):
            is_likely = spread_evidence * odds >= spread_evidence.max()
            widest = np.flatnonzero(is_likely)[-1]
            spread_evidence = np.zeros_like(spread_evidence)
            spread_evidence[widest] = 1.0
        chances = np.zeros_like(self._chances)
        chances[groups - 1] = spread_evidence / spread_evidence.sum()
        return chances

    def _cumulated_begins(self, groups_below: int, end: int, spread: int) -> FloatArray:
        """Return cumulated weights of the systems at which a group that ends there may begin.

        `groups_below` further groups are below.
        """
        evidence_of_groups_below = self._group_evidence[groups_below, :end, spread]
        evidence_of_group = self._runs[:end, end - 1, spread]
        weight = evidence_of_groups_below + evidence_of_group
        return np.cumsum(np.exp(weight - weight.max()))

    def _group_ability(self, begin: int, end: int, spread: int) -> tuple[float, float]:
        """Return the mean and the standard deviation of the ability of a group."""
        own = self._precision[begin:end]
        prior_precision = float(self._spreads[spread]) ** -2
        precision = float(own.sum()) + prior_precision
        weighted = own * self._estimate[begin:end]
        mean = float(weighted.sum()) / precision
        return mean, precision**-0.5

    def _evidence_of_runs(self) -> FloatArray:
        """Return the log evidence, including s! orders, that systems i … j are one group, shape (n,
        n, T).
        """
        n = len(self._estimate)
        # Sums over systems begin … end − 1, each of shape (n, n, 1).
        precision = _sums_of_runs(self._precision)
        first = _sums_of_runs(self._precision * self._estimate)
        second = _sums_of_runs(self._precision * self._estimate**2)
        log_precision = _sums_of_runs(np.log(self._precision))
        prior = self._spreads**-2
        total = precision + prior
        total = np.where(total > 0, total, 1.0)
        log_scale = log_precision + np.log(prior) - np.log(total)
        evidence = (log_scale - second + first**2 / total) / 2
        begin = np.arange(n)
        size = begin + 1 - as_column(begin)
        log_orders = gammaln(np.maximum(1, size) + 1)
        evidence = evidence + as_column(log_orders)
        return np.where(as_column(size) > 0, evidence, -np.inf)


def _sums_of_runs(values: FloatArray) -> FloatArray:
    """Return the sums of n values from each to each, shape (n, n, 1); meaningless in reverse order."""
    cumulated = np.append(0.0, np.cumsum(values))
    until_end = cumulated[1:]
    before_begin = as_column(cumulated[:-1])
    return as_column(until_end - before_begin)


#: Noise levels of campaigns, for qualities from 0 to 10: those fitted to WMT10 and WMT12, and
#: Koehn's 7 to 12.
NOISES = (4.0, 12.0)
#: Share of comparisons that are not tied, in the same campaigns.
DECIDED_SHARE = 0.83
#: Possible standard deviations of abilities (log odds), weighted by the judgments; the smallest
#: means nearly equal.
_SPREADS = np.geomspace(0.05, 2.0, 12)
_NEWTON_STEPS = 20
_WEAK_SPREAD = 2.0
#: Number of simulated campaigns: fewer with many systems, which take longer.
_MOST_EXPERIMENTS = 192
_FEWEST_EXPERIMENTS = 96
_PAIRS_IN_ALL = 30_000
#: Simulated separately: this share of campaigns with 1, 2 and n different qualities, unless the
#: judgments make another number of qualities this many times as likely; for n, those with the
#: largest spread that the judgments do not make this many times less likely than another.
_EXTREME_SHARE = 0.25
_POSSIBLE_ODDS = 100.0
_SPREAD_ODDS = 5.0


#: For active designs: number of campaigns, maximum blocks per step at first, maximum share of all
#: comparisons per step later, and blocks drawn per step.
_ACTIVE_EXPERIMENTS = 64
_FIRST_BLOCKS = 8
_GROWTH = 0.25
_BLOCKS_A_STEP = 8
_NEARLY_NONE = 1e-12


@dataclass(frozen=True, slots=True)
class ActiveDraw:
    """Settings for choosing pairs in an active design.

    Attributes
    ----------
    priorities : callable
        Returns the priorities (E, n, n) of pairs after wins (E, n, n) and the underlying abilities
        (E, n), given the abilities after fewer wins; 0 at first.
    floor : float
        Share of blocks drawn as in a balanced design.
    """

    priorities: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
    floor: float


@dataclass(frozen=True, kw_only=True)
class BudgetCurve:
    """Expected results after numbers of comparisons, including those already made.

    Attributes
    ----------
    comparisons : float64, shape (C,)
        Comparisons, including ties.
    pairs, pairs_low, pairs_high : float64, shape (C,)
        Expected number of pairs of systems separated by the one-sided sign test at 0.05, with the
        interval that contains 95% of outcomes.
    pairs_middle : float64, shape (C,)
        Median of the number of separated pairs.
    clusters, clusters_low, clusters_high : float64, shape (C,)
        The same for clusters by rank ranges of that test.
    """

    comparisons: FloatArray
    pairs: FloatArray
    pairs_low: FloatArray
    pairs_high: FloatArray
    pairs_middle: FloatArray
    clusters: FloatArray
    clusters_low: FloatArray
    clusters_high: FloatArray


class ForecastOptions(TypedDict, total=False):
    """How campaigns are simulated, see `budget_curve`."""

    share_with_equals: float
    confidence: float
    experiments: int
    active: ActiveDraw | None
    seed: int


@dataclass(frozen=True, kw_only=True)
class _Forecast:
    """Options of a forecast with their defaults."""

    share_with_equals: float = 0.5
    confidence: float = 0.95
    experiments: int | None = None
    active: ActiveDraw | None = None
    seed: int = 0


def budget_curve(
    comparisons: Sequence[float] | FloatArray,
    *,
    systems: int,
    per_block: int,
    wins: npt.ArrayLike | None = None,
    ties: float = 0.0,
    **options: Unpack[ForecastOptions],
) -> BudgetCurve:
    """Forecast the pairs separated and the clusters after numbers of comparisons.

    Parameters
    ----------
    comparisons : sequence of float
        Total numbers, including ties, ascending; at least the number of existing comparisons is
        used.
    systems : int
        n, at least 2.
    per_block : int
        Systems in a block, at least 2.
    wins : number, shape (n, n), optional
        ``wins[a, b]`` comparisons won by a against b so far.
    ties : number
        Tied comparisons so far.
    share_with_equals : float
        Prior probability that some systems are equally good, ½ by default.
    confidence : float
        Confidence of the intervals, 0.95 by default.
    experiments : int, optional
        Number of simulated campaigns, plus three quarters as many for extremes; 96 to 192 if not
        given, 64 for an active design.
    active : ActiveDraw, optional
        Active design that chooses pairs; if not given, all pairs meet equally often.
    seed : int
        0 by default.

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
    forecast = _Forecast(**options)
    active = forecast.active
    experiments = forecast.experiments or _experiments_for(systems, active)
    share_with_equals = forecast.share_with_equals
    confidence = forecast.confidence
    random = np.random.default_rng(forecast.seed)
    by_itself = max(1, round(_EXTREME_SHARE * experiments))
    if wins is None:
        won = np.zeros((systems, systems))
    else:
        won = np.asarray(wins, dtype=np.float64)
    decided = float(won.sum())
    outputs_per_block = min(per_block, systems)
    if decided:
        share = decided / (decided + ties)
        chances, extremes = _chances_judged(
            won,
            outputs_per_block,
            experiments,
            by_itself,
            share_with_equals,
            random,
        )
    else:
        share = DECIDED_SHARE
        chances, extremes = _chances_before(
            systems,
            experiments,
            by_itself,
            share_with_equals,
            random,
        )
    more = np.maximum(0.0, counts - decided - ties) * share
    all_chances = np.concatenate([chances, *extremes])
    separated, clusters = _simulate_curve(
        won,
        all_chances,
        more,
        outputs_per_block,
        random,
        active,
    )
    sizes = [experiments, *map(len, extremes)]
    pairs_low, pairs_high = _band(separated, sizes, confidence)
    clusters_low, clusters_high = _band(clusters, sizes, confidence)
    likely_pairs = separated[:experiments]
    return BudgetCurve(
        comparisons=counts,
        pairs=likely_pairs.mean(axis=0),
        pairs_low=pairs_low,
        pairs_high=pairs_high,
        pairs_middle=_quantile(likely_pairs, 0.5, "higher"),
        clusters=clusters[:experiments].mean(axis=0),
        clusters_low=clusters_low,
        clusters_high=clusters_high,
    )


def _experiments_for(systems: int, active: ActiveDraw | None) -> int:
    """Return the default number of simulated campaigns."""
    if active is not None:
        return _ACTIVE_EXPERIMENTS
    pairs = systems * (systems - 1) // 2
    return max(_FEWEST_EXPERIMENTS, min(_MOST_EXPERIMENTS, _PAIRS_IN_ALL // pairs))


def _band(
    values: FloatArray,
    sizes: list[int],
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the interval that contains those of all likely worlds together and of each extreme.

    An interval over many worlds may miss the true one.
    """
    lows = []
    highs = []
    for worlds in np.split(values, np.cumsum(sizes)[:-1]):
        lows.append(_quantile(worlds, (1 - confidence) / 2, "lower"))
        highs.append(_quantile(worlds, (1 + confidence) / 2, "higher"))
    return np.min(lows, axis=0), np.max(highs, axis=0)


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
    extremes = []
    for number in _extremes(n):
        equal_groups = np.full(by_itself, number)
        extremes.append(_chances_of_groups(equal_groups, n, random))
    return _chances_of_groups(groups, n, random), extremes


def _quantile(
    values: FloatArray,
    share: float,
    method: Literal["lower", "higher"],
) -> FloatArray:
    return np.asarray(np.quantile(values, share, axis=0, method=method))


def _extremes(n: int) -> list[int]:
    """Return the numbers of distinct qualities simulated separately: those that separate the fewest
    and the most pairs.
    """
    return sorted({1, min(2, n), n})


def _chances_of_groups(
    groups: Int64Array,
    n: int,
    random: np.random.Generator,
) -> FloatArray:
    """Return chances (E, n, n) for a number of different qualities, in Koehn's model."""
    experiments = len(groups)
    quality = random.uniform(0, QUALITY_RANGE, (experiments, n))
    low, high = np.log(NOISES)
    noise = np.exp(random.uniform(low, high, experiments))
    for row in np.flatnonzero(groups < n).tolist():
        group = groups_of_systems(n, int(groups[row]), random)
        quality[row] = quality[row, group]
    spread = per_sample(noise) * np.sqrt(2)
    return np.asarray(ndtr(pairwise_differences(quality) / spread))


def _chances_judged(
    won: FloatArray,
    outputs_per_block: int,
    experiments: int,
    by_itself: int,
    share_with_equals: float,
    random: np.random.Generator,
) -> tuple[FloatArray, list[FloatArray]]:
    """Return chances (E, n, n) drawn from the posterior of abilities in Bradley and Terry's model; and of each extreme.

    Comparisons in a block share its outputs. With equally good systems, the wins of one in a block
    of k have (k + 1) / 3 times the variance of independent ones, so comparisons count
    correspondingly less.
    """
    estimate, variance = _estimates(won * 3 / (outputs_per_block + 1))
    groups = GroupsPosterior(
        estimate,
        variance,
        _SPREADS,
        share_with_equals=share_with_equals,
    )
    extremes = []
    for number in _extremes(len(won)):
        if groups.is_possible(number, odds=_POSSIBLE_ODDS):
            drawn = groups.draw(by_itself, random, groups=number, odds=_SPREAD_ODDS)
            extremes.append(_chances_of_abilities(drawn))
    likely = groups.draw(experiments, random)
    return _chances_of_abilities(likely), extremes


def _chances_of_abilities(ability: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-pairwise_differences(ability))))


def _estimates(won: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the maximum likelihood abilities and their variances, as if they were independent.

    Variances are chosen so that those of differences are correct if all pairs met equally often. A
    weak prior bounds both for systems that won all comparisons or met no other system.
    """
    n = len(won)
    met = won + won.T
    won_by = won.sum(axis=1)
    ability = np.zeros(n)
    precision = np.eye(n)
    for _ in range(_NEWTON_STEPS):
        gap = ability - as_column(ability)
        rate = 1 / (1 + np.exp(gap))
        information = met * rate * (1 - rate)
        own_precision = information.sum(axis=1) + _WEAK_SPREAD**-2
        precision = np.diag(own_precision) - information
        expected = np.sum(met * rate, axis=1)
        slope = won_by - expected - ability / _WEAK_SPREAD**2
        newton_step = np.linalg.solve(precision, slope)
        step = np.clip(newton_step, -1.0, 1.0)
        ability = ability + step
        if np.abs(step).max() < 1e-9:
            break
    centre = np.eye(n) - 1 / n
    covariance = centre @ np.linalg.inv(precision) @ centre
    return ability, np.diagonal(covariance) * n / (n - 1)


def _simulate_curve(
    won: FloatArray,
    chances: FloatArray,
    more: FloatArray,
    outputs_per_block: int,
    random: np.random.Generator,
    active: ActiveDraw | None,
) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of separated pairs and of clusters, each of shape (E, C), after `more`
    decided comparisons.
    """
    experiments, n, _n = chances.shape
    first, second = np.triu_indices(n, k=1)
    pairs = len(first)
    chance = chances[:, first, second]
    # Covariance of two pairs with a system in common: 1/3 within a block.
    if n > 2:
        shared = (outputs_per_block - 2) / (n - 2) / 3
    else:
        shared = 0.0
    # Pairs meet in blocks at random.
    pairs_in_block = outputs_per_block * (outputs_per_block - 1)
    apart = 1 - pairs_in_block / (n * (n - 1))
    lead = np.zeros((experiments, pairs))
    to_come = np.zeros((experiments, pairs))
    separated = np.empty((experiments, len(more)))
    clusters = np.empty_like(separated)
    design: _BalancedPairs | _ActivePairs
    if active is None:
        design = _BalancedPairs(apart)
    else:
        design = _ActivePairs(active, won, experiments, outputs_per_block)
    system_deviation = np.sqrt(shared)
    pair_deviation = np.sqrt(1 - 2 * shared)
    before = 0.0
    for position, total in enumerate(more.tolist()):
        for size in design.parts(before, total):
            step = design.step(size, lead, to_come, random)
            system_luck = random.standard_normal((experiments, n)) * system_deviation
            own = random.standard_normal((experiments, pairs)) * pair_deviation
            luck = system_luck[:, first] - system_luck[:, second] + own
            deviation = np.sqrt(step * chance * (1 - chance))
            to_come += step
            lead += step * chance + deviation * luck
        before = total
        beats = _significantly_better(won, lead, to_come)
        separated[:, position] = np.count_nonzero(beats, axis=(1, 2))
        numbers = clusters_of(ranges_of_better(beats))
        clusters[:, position] = numbers.max(axis=1)
    return separated, clusters


def _significantly_better(
    won: FloatArray,
    lead: FloatArray,
    to_come: FloatArray,
) -> BoolArray:
    """Return whether each system is significantly better than each other one, shape (E, n, n).

    Parameters
    ----------
    won : float64, shape (n, n)
        Wins so far.
    lead, to_come : float64, shape (E, pairs)
        Wins of the first system of each pair, and comparisons, after these.
    """
    n = len(won)
    first, second = np.triu_indices(n, k=1)
    start = won[first, second]
    met = start + won[second, first]
    later = np.rint(to_come)
    decided = np.rint(met + later).astype(np.int64)
    won_later = np.clip(lead, 0, later)
    wins = np.rint(start + won_later).astype(np.int64)
    critical = critical_wins(decided)
    beats = np.zeros((len(lead), n, n), dtype=np.bool_)
    beats[:, first, second] = wins >= critical
    beats[:, second, first] = decided - wins >= critical
    return beats


@dataclass(frozen=True)
class _BalancedPairs:
    """Frequencies of pairs that meet in blocks drawn at random.

    `spread` is the variance of the number of times that a pair meets, as a share of its mean.
    """

    spread: float

    def parts(self, before: float, total: float) -> Iterator[float]:
        """Yield a step, which is not divided."""
        if total > before:
            yield total - before

    def step(
        self,
        size: float,
        lead: FloatArray,
        _to_come: FloatArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Return the number of these comparisons for each pair, shape (E, pairs)."""
        mean = size / lead.shape[1]
        deviation = np.sqrt(mean * self.spread)
        meetings = mean + random.standard_normal(lead.shape) * deviation
        return np.asarray(np.maximum(0.0, meetings))


class _ActivePairs:
    """Frequencies of pairs under an active design in E parallel campaigns, with a few blocks
    representing each step.
    """

    def __init__(
        self,
        active: ActiveDraw,
        won: FloatArray,
        experiments: int,
        outputs_per_block: int,
    ) -> None:
        self._active = active
        self._won = won
        self._outputs_per_block = outputs_per_block
        self._ability = np.zeros((experiments, len(won)))
        self._weights = np.empty((0,))
        self._judged = float(won.sum())
        #: Comparisons when the weights were computed.
        self._judged_at_weights = -1.0
        self._pairs = np.triu_indices(len(won), k=1)
        self._of_block = outputs_per_block * (outputs_per_block - 1) / 2

    def parts(self, before: float, total: float) -> Iterator[float]:
        """Yield the parts of a step, each at most a given share of all comparisons so far."""
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
        """Return the number of these comparisons for each pair, shape (E, pairs)."""
        first, second = self._pairs
        if self._judged >= (1 + _GROWTH) * self._judged_at_weights:
            self._weights = self._weights_after(lead, to_come)
            self._judged_at_weights = self._judged
        self._judged += size
        blocks = min(_BLOCKS_A_STEP, max(1, round(size / self._of_block)))
        is_balanced = random.random((len(lead), blocks)) < self._active.floor
        which = is_balanced.astype(np.intp)
        drawn_blocks = _blocks_by_weight(
            self._weights,
            which,
            self._outputs_per_block,
            random,
        )
        together = np.matmul(drawn_blocks.swapaxes(1, 2), drawn_blocks)
        comparisons_per_meeting = size / (blocks * self._of_block)
        return np.asarray(together[:, first, second] * comparisons_per_meeting)

    def _weights_after(self, lead: FloatArray, to_come: FloatArray) -> FloatArray:
        """Return the weights of pairs in active and in balanced blocks, shape (2, E, n, n)."""
        first, second = self._pairs
        wins = np.repeat(self._won[np.newaxis], len(lead), axis=0)
        ahead = np.clip(lead, 0, to_come)
        wins[:, first, second] += ahead
        wins[:, second, first] += to_come - ahead
        priority, self._ability = self._active.priorities(wins, self._ability)
        rarity = 1 / (1 + wins + wins.swapaxes(1, 2))
        return np.stack([priority, rarity])


def _blocks_by_weight(
    weights: FloatArray,
    which: Int64Array,
    outputs_per_block: int,
    random: np.random.Generator,
) -> FloatArray:
    """Draw the systems shown in B blocks of E campaigns as active designs do; 1 or 0, shape (E, B,
    n).

    The weights (2, E, n, n) are for active and for balanced blocks; `which` selects one for each
    block. The probability of the first system is proportional to its weights with all systems, that
    of each further one to its weights with the systems already chosen.
    """
    n = weights.shape[-1]
    campaign = as_column(np.arange(weights.shape[1]))
    chance = weights.sum(axis=-1)[which, campaign]
    weight_with = np.zeros_like(chance)
    chosen = np.zeros_like(chance)
    for _ in range(min(outputs_per_block, n)):
        remaining = np.where(chosen > 0, 0.0, chance + _NEARLY_NONE)
        cumulated = np.cumsum(remaining, axis=-1)
        uniform = random.random((*remaining.shape[:2], 1))
        position = uniform * cumulated[..., -1:]
        below = np.count_nonzero(cumulated <= position, axis=-1)
        system = np.minimum(below, n - 1)
        np.put_along_axis(chosen, as_column(system), 1.0, axis=-1)
        weight_with = weight_with + weights[which, campaign, system]
        chance = weight_with
    return np.asarray(chosen)


#: Number of examined numbers of comparisons, evenly spaced on a logarithmic scale, with linear
#: interpolation.
_POINTS = 36
#: The first number as a share of the last.
_FIRST = 1e-3


@dataclass(frozen=True, kw_only=True)
class DesignNeed:
    """Number of further judgments until a share of the pairs is separated under a design.

    Attributes
    ----------
    target : float
    judgments : float or None
        Median; None beyond the limit.
    low, high : float or None
        Numbers at which the upper and the lower end of the interval reach the target.
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
    **options: Unpack[ForecastOptions],
) -> tuple[DesignNeed, ...]:
    """Return the remaining effort with a design, regardless of the design of the judgments so far.

    Parameters
    ----------
    tallies : Tallies
        Tallies of the judgments so far, with at least one decided comparison.
    per_block : int
        Systems in a block of the design.
    targets : sequence of float
        Shares of the pairs of systems to be separated by the one-sided sign test at 0.05.
    limit : float
        Maximum number of further judgments to consider.
    **options
        As for `budget_curve`; with `active`, the design chooses pairs by their judgments.

    Returns
    -------
    tuple of DesignNeed
    """
    n = len(tallies.systems)
    outputs_per_block = min(per_block, n)
    comparisons_per_block = outputs_per_block * (outputs_per_block - 1) / 2
    judgments = np.append(0.0, limit * np.geomspace(_FIRST, 1.0, _POINTS))
    curve = budget_curve(
        tallies.comparisons + judgments * comparisons_per_block,
        systems=n,
        per_block=outputs_per_block,
        wins=tallies.wins,
        ties=tallies.tied,
        **options,
    )
    pairs = n * (n - 1) / 2
    needs = []
    for target in targets:
        target_pairs = target * pairs
        need = DesignNeed(
            target=target,
            judgments=_judgments_to_reach(judgments, curve.pairs_middle, target_pairs),
            low=_judgments_to_reach(judgments, curve.pairs_high, target_pairs),
            high=_judgments_to_reach(judgments, curve.pairs_low, target_pairs),
        )
        needs.append(need)
    return tuple(needs)


def _judgments_to_reach(
    judgments: FloatArray,
    pairs: FloatArray,
    target_pairs: float,
) -> float | None:
    """Return the number of judgments at which a curve first reaches a number of pairs; None if it
    never does.
    """
    reached = np.flatnonzero(pairs >= target_pairs - 1e-9)
    if not len(reached):
        return None
    end = int(reached[0])
    if end == 0:
        return 0.0
    start = end - 1
    rise = pairs[end] - pairs[start]
    part = (target_pairs - pairs[start]) / rise
    step = judgments[end] - judgments[start]
    return float(judgments[start] + part * step)
