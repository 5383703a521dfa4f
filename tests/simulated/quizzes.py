"""Simulated quizzes with known shares of right answers."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from protocols.quiz.statistics import Reading


def simulated_quiz(
    right: Sequence[float],
    *,
    snippets: int,
    questions: int = 3,
    ease: float = 0.7,
    readers: int | None = None,
    skill: float = 0.0,
    seed: int,
) -> list[Reading]:
    """Draw a quiz: each system's output of each snippet is read once, by a reader of its own system or by any of `readers`.

    Parameters
    ----------
    right : sequence of float, length K
        Expected share of right answers of each system, between 0 and 1.
    snippets, questions : int
    ease : float
        How much snippets differ, in standard deviations of the noise of single answers.
    readers : int or None
        Who take turns, so that nobody reads a snippet twice; at least K. None: each system has one reader.
    skill : float
        How much readers differ, in these standard deviations.
    seed : int

    Returns
    -------
    list of Reading
    """
    random = np.random.default_rng(seed)
    system, snippet = (each.ravel() for each in np.indices((len(right), snippets)))
    of_snippet = random.normal(0, ease, snippets)[snippet]
    noise = random.normal(0, 1, (len(snippet), questions))
    judge = system if readers is None else (snippet + system) % readers
    of_reader = random.normal(0, skill, judge.max() + 1)[judge]
    seen = ((of_snippet + of_reader)[:, np.newaxis] + noise) / np.sqrt(
        ease**2 + skill**2 + 1,
    )
    good = seen < ndtri(np.asarray(right))[system][:, np.newaxis]
    return [
        Reading(
            snippet=f"snippet {snippet[place] + 1:03}",
            systems=(f"S{of + 1:02}",),
            judge=f"J{judge[place] + 1:02}",
            answers=tuple(good[place].tolist()),
            expected=(True,) * questions,
        )
        for place, of in enumerate(system.tolist())
    ]
