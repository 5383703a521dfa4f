"""Simulated edits with known acceptability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from protocols.editing.statistics import OUTCOMES, Edits, Outcome


def simulated_edits(
    acceptable: Sequence[float],
    edits: Sequence[int],
    *,
    segments: int,
    acceptors: int = 2,
    ease: float = 0.0,
    unable: float = 0.1,
    editors: int = 1,
    skill: float = 0.0,
    seed: int,
) -> Edits:
    """Draw edits of K systems.

    A share `unable` of the edits fails. Of all others, so many are acceptable that a share `acceptable[k]` of all edits of a system is;
    their acceptors agree. Segments differ in ease, by `ease` standard deviations of the noise, and editors by `skill` of them.

    Parameters
    ----------
    acceptable : sequence of float, length K
        Expected acceptability of each system, at most 1 − `unable`.
    edits : sequence of int, length K
        Edits of each system.
    segments : int
        Each edit is of one of these, drawn at random.
    acceptors : int
    ease, unable : float
    editors : int
        Who take turns, so that of a segment each edits other systems.
    skill : float
    seed : int

    Returns
    -------
    Edits

    Raises
    ------
    ValueError
        If there is no such campaign.
    """
    if len(acceptable) != len(edits) or max(acceptable) > 1 - unable:
        raise ValueError("acceptable: expected one share of each system, at most 1 − unable")
    random = np.random.default_rng(seed)
    system = np.repeat(np.arange(len(edits)), edits)
    segment = random.integers(1, segments + 1, len(system))
    of_segment = random.normal(0, 1, segments + 1)[segment]
    noise = random.normal(0, 1, len(system))
    editor = (segment + system) % editors
    by_editor = random.normal(0, skill, editors)[editor] if skill else np.zeros(len(system))
    seen = (ease * of_segment + by_editor + noise) / np.sqrt(ease**2 + skill**2 + 1)
    good = seen < ndtri(np.asarray(acceptable)[system] / (1 - unable))
    failed = random.random(len(system)) < unable
    outcome = np.where(failed, OUTCOMES.index(Outcome.UNABLE), OUTCOMES.index(Outcome.EDITED))
    given = np.where(failed, 0, acceptors)
    unknown = np.full(len(system), -1, dtype=np.int64)
    return Edits(
        systems=tuple(f"S{place:02}" for place in range(1, len(edits) + 1)),
        wrote=system[:, np.newaxis] == np.arange(len(edits)),
        segment=segment,
        editor=editor,
        outcome=outcome,
        accepted=np.where(good, given, 0),
        acceptances=given,
        distance=unknown,
        length=unknown,
        active_ms=unknown,
    )
