"""Simulated quizzes with known shares of right answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from protocols.quiz.statistics import Readings


def simulated_quiz(
    right: Sequence[float],
    *,
    snippets: int,
    questions: int = 3,
    ease: float = 0.7,
    readers: int | None = None,
    skill: float = 0.0,
    seed: int,
) -> Readings:
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
    Readings
    """
    random = np.random.default_rng(seed)
    system, snippet = (each.ravel() for each in np.indices((len(right), snippets)))
    of_snippet = random.normal(0, ease, snippets)[snippet]
    noise = random.normal(0, 1, (len(snippet), questions))
    judge = system if readers is None else (snippet + system) % readers
    of_reader = random.normal(0, skill, judge.max() + 1)[judge]
    seen = ((of_snippet + of_reader)[:, np.newaxis] + noise) / np.sqrt(ease**2 + skill**2 + 1)
    good = seen < ndtri(np.asarray(right))[system][:, np.newaxis]
    return Readings(
        systems=tuple(f"S{place:02}" for place in range(1, len(right) + 1)),
        snippets=tuple(f"snippet {place:03}" for place in range(1, snippets + 1)),
        judges=tuple(f"J{place:02}" for place in range(1, int(judge.max()) + 2)),
        wrote=system[:, np.newaxis] == np.arange(len(right)),
        snippet=snippet,
        judge=judge,
        questions=np.full(len(system), questions, dtype=np.int64),
        right=good.sum(axis=1).astype(np.int64),
        unanswered=np.zeros(len(system), dtype=np.int64),
    )
