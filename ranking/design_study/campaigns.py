"""A simulated campaign that grows under a sampling design."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotation.sampling.priorities import active_priorities
from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.tallies import Tallies
from ranking.core.methods.shares import expected_wins
from ranking.core.simulation.measures import true_ranks
from ranking.core.simulation.model import QUALITY_RANGE, Model

_SYSTEMS, _DRAWING, _JUDGING, _RESAMPLING = range(4)


class ComparedDesign(StrEnum):
    """The sampling designs compared."""

    UNIFORM = "uniform"
    BALANCED = "balanced"
    ACTIVE = "active"


_CODES = {ComparedDesign.UNIFORM: 0, ComparedDesign.BALANCED: 1, ComparedDesign.ACTIVE: 2}


@dataclass(frozen=True, eq=False)
class Rates:
    """Outcomes of comparisons with the frequencies of a campaign's judgments.

    Comparisons are drawn one by one, so that those of one block are independent and slightly more
    informative than real ones. The true order is that of Expected Wins of all real judgments.

    Attributes
    ----------
    rates : float64, shape (2, n, n)
        ``rates[0, a, b]`` is the probability that a beats b, ``rates[1, a, b]`` that they tie.
    per_block : int
        Systems in a block, at most n.
    """

    rates: FloatArray
    per_block: int

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.rates.shape[-1])

    @property
    def shown(self) -> int:
        """Systems in a block."""
        return self.per_block


JudgmentSource = Model | Rates


def rates_of(tallies: Tallies, *, per_block: int) -> Rates:
    """Return the rates of outcomes among real comparisons.

    Raises
    ------
    ValueError
        If two systems have no decided comparison, so that their rates are unknown.
    """
    decided = tallies.wins + tallies.wins.T
    met = decided + tallies.ties
    n = len(tallies.systems)
    unknown = np.argwhere((decided == 0) & ~np.eye(n, dtype=np.bool_))
    if n < 2:
        raise ValueError("resampling needs judgments of at least two systems")
    if len(unknown):
        a, b = (tallies.systems[index] for index in unknown[0])
        raise ValueError(f"no judgment says whether {a!r} or {b!r} is better: cannot resample")
    share = np.maximum(1, met)
    return Rates(
        rates=np.stack([tallies.wins / share, tallies.ties / share]), per_block=min(per_block, n)
    )


class SimulatedCampaign:
    """A simulated campaign, a function of (source, design, seed, experiment).

    In experiments with the same number, all designs judge the same systems.

    Parameters
    ----------
    source : Model or Rates
        Source of the judgments.
    design : ComparedDesign
        Chooses the systems of each block.
    floor : float
        Share of the active blocks that are drawn as balanced ones.
    resamples : int
        Number R of resamples of its blocks; 0 for none.
    seed, experiment : int
        Not negative.

    Attributes
    ----------
    true_ranks : int64, shape (n,)
    quality : float64, shape (n,)
        Of each system; 0 where rates say who wins.
    blocks : int
        Number of blocks judged so far.
    wins, ties : int64, shape (n, n)
    resampled_wins, resampled_ties : int64, shape (R, n, n)
    """

    def __init__(
        self,
        source: JudgmentSource,
        design: ComparedDesign,
        *,
        floor: float = 0.1,
        resamples: int = 0,
        seed: int,
        experiment: int,
    ) -> None:
        self._source, self._design, self._floor = source, design, floor
        self._drawing, self._judging, self._resampling = (
            _generator(seed, experiment, stream) for stream in (_DRAWING, _JUDGING, _RESAMPLING)
        )
        n = source.systems
        self._counts = np.zeros((n, n), dtype=np.int64)
        self.blocks = 0
        self.wins, self.ties = np.zeros_like(self._counts), np.zeros_like(self._counts)
        self.resampled_wins = np.zeros((resamples, n, n), dtype=np.int64)
        self.resampled_ties = np.zeros_like(self.resampled_wins)
        self.quality, self._outputs = np.zeros(n), np.empty((0, n))
        if isinstance(source, Rates):
            self.true_ranks = true_ranks(expected_wins(source.rates[0]).values)
            return
        random = _generator(seed, experiment, _SYSTEMS)
        self.quality = random.uniform(0, QUALITY_RANGE, n)
        self._outputs = self.quality + source.noise * random.standard_normal(
            (source.segments or 0, n)
        )
        self.true_ranks = true_ranks(self.quality)

    def simulate_until(self, blocks: int) -> None:
        """Simulate judgments up to `blocks` blocks, all planned from the current counts."""
        # Imported here, because the compiler takes longer to load than all the rest.
        from ranking.design_study.kernel import simulate_more_blocks

        source, n = self._source, len(self.wins)
        noises = (0.0, 0.0, 0.0)
        if isinstance(source, Model):
            noises = (float(source.noise), float(source.judge_noise), float(source.tie_radius))
        simulate_more_blocks(
            self._drawing,
            self._judging,
            self._resampling,
            _CODES[self._design],
            float(self._floor),
            self._priorities(),
            self.quality,
            self._outputs,
            *noises,
            source.rates if isinstance(source, Rates) else np.empty((0, n, n)),
            source.shown,
            blocks - self.blocks,
            self._counts,
            self.wins,
            self.ties,
            self.resampled_wins,
            self.resampled_ties,
        )
        self.blocks = blocks

    def _priorities(self) -> FloatArray:
        if self._design is not ComparedDesign.ACTIVE:
            return np.ones(self.wins.shape)
        return active_priorities(*self._known(), self._counts)

    def _known(self) -> tuple[Int64Array, Int64Array]:
        """Return the wins and ties that active blocks are drawn by."""
        return self.wins, self.ties


def _generator(seed: int, experiment: int, stream: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed, spawn_key=(experiment, stream))
    return np.random.Generator(np.random.PCG64(sequence))
