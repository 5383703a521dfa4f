"""Simulated edits with known acceptability."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from protocols.editing.statistics import Acceptance, Edit, Outcome


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
) -> list[Edit]:
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
    list of Edit

    Raises
    ------
    ValueError
        If there is no such campaign.
    """
    if len(acceptable) != len(edits) or max(acceptable) > 1 - unable:
        raise ValueError(
            "acceptable: expected one share of each system, at most 1 − unable",
        )
    random = np.random.default_rng(seed)
    system = np.repeat(np.arange(len(edits)), edits)
    segment = random.integers(1, segments + 1, len(system))
    of_segment = random.normal(0, 1, segments + 1)[segment]
    noise = random.normal(0, 1, len(system))
    editor = (segment + system) % editors
    by_editor = (
        random.normal(0, skill, editors)[editor] if skill else np.zeros(len(system))
    )
    seen = (ease * of_segment + by_editor + noise) / np.sqrt(ease**2 + skill**2 + 1)
    good = seen < ndtri(np.asarray(acceptable)[system] / (1 - unable))
    failed = random.random(len(system)) < unable
    return [
        Edit(
            segment=int(segment[place]),
            systems=(f"S{of + 1:02}",),
            judge=f"editor {editor[place]}",
            outcome=Outcome.UNABLE if failed[place] else Outcome.EDITED,
            acceptances=()
            if failed[place]
            else tuple(
                Acceptance(f"judge {n}", bool(good[place])) for n in range(acceptors)
            ),
        )
        for place, of in enumerate(system.tolist())
    ]
