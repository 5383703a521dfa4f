"""Simulated ratings by judges of known severity and noise: where the truth is known, intervals can be checked."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from protocols.frame.scale.statistics.ratings import (
    PAPER_SCALE,
    POINTS,
    Items,
    Ratings,
    Scale,
)
from tests.simulated.allotment import Allotment, allot

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class RatingWorld:
    """A campaign to be simulated.

    A judge sees, on a continuous scale, quality of the system + ease of the segment + quality of the very
    text + mildness of the judge + the judge's taste for the system + noise, all independent and normal, and
    gives the nearest point of the scale, whose ends are at 1 and 5. Ratings on one screen also share the effect
    of the screen.

    Attributes
    ----------
    quality : tuple of float, length K
        Of each system, on the scale of points.
    segments, judges, raters : int
    items_per_judge : int or None
    ease, text, mildness, taste, noise, screen : float
        Standard deviations.
    scale : Scale
    outputs : int
        On a screen.
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
    screen: float = 0.0
    scale: Scale = PAPER_SCALE
    outputs: int = 1

    @property
    def spread(self) -> float:
        """Standard deviation of what judges see of one system."""
        parts = (
            self.ease,
            self.text,
            self.mildness,
            self.taste,
            self.noise,
            self.screen,
        )
        return float(np.sqrt(sum(part**2 for part in parts)))

    def true_means(self) -> FloatArray:
        """Return the expected rating of each system over all segments and judges, shape (K,)."""
        places = np.arange(self.scale.points - 1) + 0.5
        steps = 1 + places * (POINTS - 1) / (self.scale.points - 1)
        quality = np.asarray(self.quality)[:, np.newaxis]
        if self.spread == 0:
            return np.asarray(self.scale.lowest + (quality > steps).sum(axis=1))
        return np.asarray(
            self.scale.lowest + ndtr((quality - steps) / self.spread).sum(axis=1),
        )

    def given(self, seen: FloatArray) -> Int64Array:
        """Return the points that judges give for what they see."""
        steps = (seen - 1) * (self.scale.points - 1) / (POINTS - 1)
        points = np.clip(np.rint(steps), 0, self.scale.points - 1).astype(np.int64)
        return self.scale.lowest + points


def _on_screens(world: RatingWorld, *, seed: int) -> tuple[Allotment, Int64Array]:
    """Return who rates what with several outputs on a screen, and the screen of each rating.

    Systems of a segment are dealt to screens at random, as often as it has raters; each screen goes to the judge with
    the fewest who has not seen the segment.
    """
    random = np.random.default_rng([seed, 2])
    work = np.zeros(world.judges, dtype=np.int64)
    rows: list[tuple[int, int, int, int]] = []
    screens = 0
    for segment in range(world.segments):
        free = np.ones(world.judges, dtype=np.bool_)
        for _rater in range(world.raters):
            systems = random.permutation(len(world.quality))
            for start in range(0, len(systems), world.outputs):
                order = np.lexsort((random.random(world.judges), work, ~free))
                judge = int(order[0])
                free[judge] = False
                work[judge] += 1
                shown = systems[start : start + world.outputs].tolist()
                rows += [(segment, system, judge, screens) for system in shown]
                screens += 1
    segment, system, judge, screen = np.array(rows, dtype=np.int64).T
    return Allotment(segment, system, judge), screen


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
    if world.outputs > 1:
        given, screen = _on_screens(world, seed=seed)
    else:
        given = allot(
            systems=systems,
            segments=world.segments,
            judges=world.judges,
            raters=world.raters,
            items_per_judge=world.items_per_judge,
            seed=seed,
        )
        screen = np.arange(len(given))
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
    if world.screen:
        seen = seen + random.normal(0, world.screen, screen.max() + 1)[screen]
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
        value=world.given(seen),
        scale=world.scale,
    )
