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
        with np.errstate(divide="ignore"):
            shared = np.log(prior) + gammaln(number + 1) - compositions - gammaln(n + 1)
        weight = shared[:, np.newaxis] + reached[1:, n]
        self._chances = np.exp(weight - logsumexp(weight))

    def draw(self, experiments: int, random: np.random.Generator) -> Float64Array:
        """Draw abilities, (E, n), in the order in which the estimates were given."""
        n, count = len(self._estimate), len(self._spreads)
        chosen = random.choice(n * count, size=experiments, p=self._chances.ravel())
        abilities = np.empty((experiments, n))
        luck = random.standard_normal((experiments, n))
        uniform = random.random((experiments, n))
        for row, which in enumerate(chosen.tolist()):
            groups, spread = which // count + 1, which % count
            end = n
            while groups:
                weight = self._reached[groups - 1, :end, spread] + self._runs[:end, end - 1, spread]
                cumulated = np.cumsum(np.exp(weight - weight.max()))
                begin = int(np.searchsorted(cumulated, uniform[row, groups - 1] * cumulated[-1]))
                run = slice(begin, end)
                precision = self._precision[run].sum() + self._spreads[spread] ** -2
                mean = (self._precision[run] * self._estimate[run]).sum() / precision
                abilities[row, self._order[run]] = mean + luck[row, groups - 1] / np.sqrt(precision)
                end, groups = begin, groups - 1
        return abilities

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
