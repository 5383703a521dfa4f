"""Abilities of systems some of which may be equally good, drawn from what is known of each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

Float64Array = npt.NDArray[np.float64]


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
        estimate: Float64Array,
        variance: Float64Array,
        spreads: Float64Array,
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
        # A partition into runs stands for g! labels of its groups; each assignment is as likely.
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
        """Return whether so many groups explain the estimates no more than `odds` times worse than the best number."""
        return bool(self._evidence[groups - 1].sum() * odds >= 1)

    def draw(
        self,
        experiments: int,
        random: np.random.Generator,
        *,
        groups: int | None = None,
        odds: float = 1.0,
    ) -> Float64Array:
        """Draw abilities, (E, n), in the order in which the estimates were given; of so many `groups` if given.

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
        cumulated: dict[tuple[int, int, int], Float64Array] = {}
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

    def _evidence_of_runs(self) -> Float64Array:
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
