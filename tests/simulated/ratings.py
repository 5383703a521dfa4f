"""Simulated ratings by judges of known severity and noise: where the truth is known, intervals can be checked."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from protocols.frame.scale.statistics.ratings import POINTS, Items, Ratings
from tests.simulated.allotment import allot

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RatingWorld:
    """A campaign to be simulated.

    A judge sees, on a continuous scale, quality of the system + ease of the segment + quality of the very
    text + mildness of the judge + the judge's taste for the system + noise, all independent and normal, and
    gives the nearest point from 1 to 5.

    Attributes
    ----------
    quality : tuple of float, length K
        Of each system, on the scale of points.
    segments, judges, raters : int
    items_per_judge : int or None
    ease, text, mildness, taste, noise : float
        Standard deviations.
    """

    quality: tuple[float, ...]
    segments: int
    judges: int
    raters: int = 2
    items_per_judge: int | None = None
    ease: float = 0.5
    text: float = 0.7
    mildness: float = 0.5
    taste: float = 0.1
    noise: float = 0.8

    @property
    def spread(self) -> float:
        """Standard deviation of what judges see of one system."""
        parts = (self.ease, self.text, self.mildness, self.taste, self.noise)
        return float(np.sqrt(sum(part**2 for part in parts)))

    def true_means(self) -> FloatArray:
        """Return the expected rating of each system over all segments and judges, shape (K,)."""
        steps = np.arange(1, POINTS) + 0.5
        quality = np.asarray(self.quality)[:, np.newaxis]
        if self.spread == 0:
            return np.asarray(1.0 + (quality > steps).sum(axis=1))
        return np.asarray(1.0 + ndtr((quality - steps) / self.spread).sum(axis=1))


def simulated_ratings(world: RatingWorld, *, seed: int) -> Ratings:
    """Draw a campaign: its allotment, and all its ratings by one criterion.

    Parameters
    ----------
    world : RatingWorld
    seed : int

    Returns
    -------
    Ratings

    Raises
    ------
    NotFeasibleError
        If there are too few judges.
    """
    systems = len(world.quality)
    given = allot(
        systems=systems,
        segments=world.segments,
        judges=world.judges,
        raters=world.raters,
        items_per_judge=world.items_per_judge,
        seed=seed,
    )
    random = np.random.default_rng([seed, 1])
    ease = random.normal(0, world.ease, world.segments)
    text = random.normal(0, world.text, (world.segments, systems))
    mildness = random.normal(0, world.mildness, world.judges)
    taste = random.normal(0, world.taste, (world.judges, systems))
    seen = (
        np.asarray(world.quality)[given.system]
        + ease[given.segment]
        + text[given.segment, given.system]
        + mildness[given.judge]
        + taste[given.judge, given.system]
        + random.normal(0, world.noise, len(given))
    )
    segment, system = np.divmod(np.arange(world.segments * systems), systems)
    return Ratings(
        items=Items(
            systems=tuple(f"S{place:02}" for place in range(1, systems + 1)),
            segment=segment + 1,
            wrote=system[:, np.newaxis] == np.arange(systems),
            conditions=(),
            condition=np.full(len(segment), -1, dtype=np.int64),
        ),
        judges=tuple(f"J{place:03}" for place in range(1, world.judges + 1)),
        item=given.segment * systems + given.system,
        judge=given.judge,
        value=np.clip(np.rint(seen), 1, POINTS).astype(np.int64),
    )
