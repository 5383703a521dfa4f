"""One simulated campaign, as it grows under a sampling design."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from annotation.sampling.priorities import active_priorities
from ranking.core.counting.tallies import Tallies
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.simulation.measures import true_ranks
from ranking.core.simulation.model import QUALITY_RANGE, Model

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_SYSTEMS, _DRAWING, _JUDGING, _RESAMPLING = range(4)


class Design(StrEnum):
    """The designs that are compared."""

    UNIFORM = "uniform"
    BALANCED = "balanced"
    ACTIVE = "active"


_CODES = {Design.UNIFORM: 0, Design.BALANCED: 1, Design.ACTIVE: 2}


@dataclass(frozen=True, eq=False)
class Rates:
    """What a pair's comparisons come out as: judgments are resampled from those of a campaign.

    Comparisons are drawn one by one, so that those of one block are independent: a little more
    informative than real ones. The truth is the order by Expected Wins of all real judgments.

    Attributes
    ----------
    rates : float64, shape (2, n, n)
        ``rates[0, a, b]`` is the chance that a beats b, ``rates[1, a, b]`` that they tie.
    per_block : int
        Systems in a block, at most n.
    """

    rates: Float64Array
    per_block: int

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.rates.shape[-1])

    @property
    def shown(self) -> int:
        """Systems in a block."""
        return self.per_block


World = Model | Rates


def rates_of(tallies: Tallies, *, per_block: int) -> Rates:
    """Resample from real comparisons.

    Raises
    ------
    ValueError
        If two systems were never compared with a winner: nothing says how they would do.
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


class Campaign:
    """A campaign that never happened: a function of (world, design, seed, experiment).

    All designs judge the same systems in the experiment of one number.

    Parameters
    ----------
    world : Model or Rates
        How judgments come about.
    design : Design
        Which systems meet.
    floor : float
        Share of the active blocks that are drawn as balanced ones.
    resamples : int
        R, how often its blocks are resampled as they come; 0 for not at all.
    seed, experiment : int
        Not negative.

    Attributes
    ----------
    true_ranks : int64, shape (n,)
    blocks : int
        Judged so far.
    wins, ties : int64, shape (n, n)
    resampled_wins, resampled_ties : int64, shape (R, n, n)
    """

    def __init__(
        self,
        world: World,
        design: Design,
        *,
        floor: float = 0.1,
        resamples: int = 0,
        seed: int,
        experiment: int,
    ) -> None:
        self._world, self._design, self._floor = world, design, floor
        self._drawing, self._judging, self._resampling = (
            _generator(seed, experiment, stream) for stream in (_DRAWING, _JUDGING, _RESAMPLING)
        )
        n = world.systems
        self._counts = np.zeros((n, n), dtype=np.int64)
        self.blocks = 0
        self.wins, self.ties = np.zeros_like(self._counts), np.zeros_like(self._counts)
        self.resampled_wins = np.zeros((resamples, n, n), dtype=np.int64)
        self.resampled_ties = np.zeros_like(self.resampled_wins)
        self._quality, self._outputs = np.zeros(n), np.empty((0, n))
        if isinstance(world, Rates):
            self.true_ranks = true_ranks(expected_wins(world.rates[0]).values)
            return
        random = _generator(seed, experiment, _SYSTEMS)
        self._quality = random.uniform(0, QUALITY_RANGE, n)
        self._outputs = self._quality + world.noise * random.standard_normal(
            (world.segments or 0, n)
        )
        self.true_ranks = true_ranks(self._quality)

    def grow(self, blocks: int) -> None:
        """Judge until there are so many blocks, all of them planned from what is known now."""
        # Importing the compiler costs more than all the rest; only simulations pay for it.
        from ranking.design_study.kernel import grow

        world, n = self._world, len(self.wins)
        priorities = np.ones((n, n))
        if self._design is Design.ACTIVE:
            priorities = active_priorities(self.wins, self.ties, self._counts)
        noises = (0.0, 0.0, 0.0)
        if isinstance(world, Model):
            noises = (float(world.noise), float(world.judge_noise), float(world.tie_radius))
        grow(
            self._drawing,
            self._judging,
            self._resampling,
            _CODES[self._design],
            float(self._floor),
            priorities,
            self._quality,
            self._outputs,
            *noises,
            world.rates if isinstance(world, Rates) else np.empty((0, n, n)),
            world.shown,
            blocks - self.blocks,
            self._counts,
            self.wins,
            self.ties,
            self.resampled_wins,
            self.resampled_ties,
        )
        self.blocks = blocks


def _generator(seed: int, experiment: int, stream: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed, spawn_key=(experiment, stream))
    return np.random.Generator(np.random.PCG64(sequence))
