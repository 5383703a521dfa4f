"""Simulated judges who click and judges who read, as columns of blocks.

Every block shows the reference among four other outputs, in random order. What a clicker may do is
to choose labels without looking at outputs; what they choose may depend on the shown positions.
"""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

from ranking.core.judged.blocks import Blocks
from tests.measured_judges import reference_ignored, straight_lining, typed_in_order

Int8Array = npt.NDArray[np.int8]
Labelling = Callable[[np.random.Generator, int], Int8Array]

REFERENCE = "_ref"
SYSTEMS = ("a", "b", "c", "d", REFERENCE)
_SHOWN = len(SYSTEMS)
_PERMUTATION = np.arange(1, _SHOWN + 1, dtype=np.int8)


def _typed(labels: npt.NDArray[np.int8]) -> Labelling:
    return lambda _random, blocks: np.tile(labels, (blocks, 1))


def _permutation(random: np.random.Generator, blocks: int) -> Int8Array:
    return random.permuted(np.tile(_PERMUTATION, (blocks, 1)), axis=1)


def _uniform(random: np.random.Generator, blocks: int) -> Int8Array:
    return random.integers(1, 6, (blocks, _SHOWN), dtype=np.int8)


def _two_labels(random: np.random.Generator, blocks: int) -> Int8Array:
    return random.integers(1, 3, (blocks, _SHOWN), dtype=np.int8)


#: Six ways to click: the labels by shown position.
CLICKERS: Mapping[str, Labelling] = {
    "each label at random": _uniform,
    "1 to 5 in random order": _permutation,
    "1-2-3-4-5 as shown": _typed(_PERMUTATION),
    "5-4-3-2-1 as shown": _typed(_PERMUTATION[::-1]),
    "one of two labels at random": _two_labels,
    "one label for all": _typed(np.full(_SHOWN, 3, dtype=np.int8)),
}


#: The suggested rules that a simulation without clocks and damaged references can break: threshold
#: and minimum of blocks.
SUGGESTED: Mapping[str, tuple[float, int]] = {
    "reference_ignored": (0.03, 10),
    "typed_in_order": (0.01, 5),
    "one_label": (0.5, 20),
}


def suspected(blocks: Blocks, judges: int) -> npt.NDArray[np.bool_]:
    """Return the judges who break one of the rules `SUGGESTED`, given the number of judges.

    Returns
    -------
    bool, shape (J,)
        In the order of `Blocks.judges`.
    """
    found = np.zeros(len(blocks.judges), dtype=np.bool_)
    for name, evidence in (
        ("reference_ignored", reference_ignored(blocks, REFERENCE)),
        ("typed_in_order", typed_in_order(blocks)),
    ):
        below, least = SUGGESTED[name]
        found |= [
            row.blocks >= least and row.p_value(judges) < below for row in evidence
        ]
    above, least = SUGGESTED["one_label"]
    lines = straight_lining(blocks)
    judged = np.array([line.one_label.trials for line in lines])
    alike = np.array([line.one_label.successes for line in lines])
    # The lower end of the interval of Clopper and Pearson: all blocks have five labels here.
    found |= (judged >= least) & (beta.ppf(0.025, alike, judged - alike + 1) > above)
    return found


def clicking(kind: str, *, judges: int, blocks: int, seed: int) -> Blocks:
    """Draw judges who click: `blocks` each, in turn, so that any first part is one of a campaign.

    Parameters
    ----------
    kind : str
        A key of `CLICKERS`.
    judges, blocks : int
    seed : int

    Returns
    -------
    Blocks
        judges × blocks rows; each of these is on a segment of its own.
    """
    random = np.random.default_rng([seed, *kind.encode()])
    labels = CLICKERS[kind](random, judges * blocks)
    return _as_shown(random, labels, random.integers(0, _SHOWN, len(labels)), judges)


def reading(*, preferred: float, judges: int, blocks: int, seed: int) -> Blocks:
    """Draw judges who read, and prefer the reference in a share of comparisons.

    The reference's place among five has probabilities in geometric proportion.

    Parameters
    ----------
    preferred : float
        The share, from 1/2 up to 1.
    judges, blocks, seed : int
        As in `clicking`.
    """
    random = np.random.default_rng([seed, round(1000 * preferred)])
    labels = _permutation(random, judges * blocks)
    weights = odds_preferring(preferred) ** np.arange(_SHOWN - 1, -1, -1.0)
    place = random.choice(_PERMUTATION, len(labels), p=weights / weights.sum())
    position = np.argmax(labels == place[:, np.newaxis], axis=1)
    return _as_shown(random, labels, position, judges)


def odds_preferring(share: float) -> float:
    """Return the odds of neighbouring places at which the reference wins this share of four."""
    low, high = 1.0, 1e6
    for _step in range(100):
        odds = (low * high) ** 0.5
        weights = odds ** np.arange(_SHOWN - 1, -1, -1.0)
        won = float(np.average(np.arange(_SHOWN - 1, -1, -1), weights=weights)) / (
            _SHOWN - 1
        )
        low, high = (odds, high) if won < share else (low, odds)
    return high


def _as_shown(
    random: np.random.Generator,
    labels: Int8Array,
    reference: npt.NDArray[np.int64],
    judges: int,
) -> Blocks:
    """Make blocks from labels by position, with the reference at these positions."""
    count = len(labels)
    others = random.permuted(np.tile(np.arange(_SHOWN - 1), (count, 1)), axis=1)
    # Positions of the others, in an order of their own; that of the reference is the last column.
    positions = (others + reference[:, np.newaxis] + 1) % _SHOWN
    candidates = np.column_stack([positions, reference]).astype(np.int8)
    return Blocks(
        systems=SYSTEMS,
        labels=np.take_along_axis(labels, candidates.astype(np.int64), axis=1),
        candidates=candidates,
        judge=(np.arange(count) % judges).astype(np.int32),
        judges=tuple(f"j{judge:04}" for judge in range(judges)),
        segment=np.arange(count, dtype=np.int32),
        key=random.integers(0, 2**63, count, dtype=np.uint64),
    )
