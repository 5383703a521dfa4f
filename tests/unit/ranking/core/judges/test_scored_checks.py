"""Attention checks of outputs that are scored one at a time."""

import numpy as np
import pytest

from annotation.judge_measures import JudgeMeasure
from ranking.core.judges.clicking import reference_margins, reference_preferences_of_margins
from ranking.core.judges.tallies import JudgeTallies, ScoredCheck, ScoredOutput, tally_scored_checks
from ranking.judge_monitoring import measures_of_tallies


def check(score: float, *others: tuple[str, float], judge: str = "ada") -> ScoredCheck:
    """Return a check beside outputs of these systems, the nearest first; several by name “A B”."""
    return ScoredCheck(
        judge=judge,
        segment=1,
        score=score,
        others=[ScoredOutput(tuple(names.split()), given) for names, given in others],
    )


def preference(*checks: ScoredCheck):  # type: ignore[no-untyped-def]
    tallies = tally_scored_checks(checks)
    margins = reference_margins(tallies.damaged_places, len(tallies.judges))
    [found] = reference_preferences_of_margins(margins)
    return found


def test_the_damaged_text_is_compared_with_the_nearest_outputs_of_different_systems() -> None:
    # B's second output and A's are passed over, and so is the fifth system.
    beside = [("A", 80), ("B", 10), ("B", 90), ("A C", 5), ("C", 30), ("D", 20), ("E", 0)]
    found = preference(check(20, *beside))
    # Lower than A and C, as low as D, higher than B.
    assert (found.comparisons, found.preferred, found.tied) == (4, 2, 1)
    assert found.share == 0.5


def test_the_lowest_of_four_has_one_chance_in_four() -> None:
    low = check(20, ("A", 80), ("B", 60), ("C", 90))
    assert preference(low).p_random == pytest.approx(1 / 4)
    assert preference(low, low).p_random == pytest.approx(1 / 16)
    assert preference(low).share == 1
    high = check(95, ("A", 80), ("B", 60), ("C", 90))
    assert preference(high).p_random == pytest.approx(1)
    assert preference(high).share == 0


def test_equal_scores_say_nothing_of_clicking() -> None:
    assert preference(check(50, ("A", 50), ("B", 50))).p_random == pytest.approx(1)


def test_checks_with_nothing_beside_them_tell_nothing() -> None:
    assert tally_scored_checks([]) == JudgeTallies()
    assert measures_of_tallies(tally_scored_checks([check(10)])) == {"ada": {}} or not (
        tally_scored_checks([check(10)]).judges
    )


def test_who_scores_without_reading_is_called_careful_no_more_often_than_promised() -> None:
    random = np.random.default_rng(1)
    names = [f"S{place}" for place in range(6)]
    checks = [
        check(
            round(random.normal(60, 20)),
            *((name, round(random.normal(60, 20))) for name in random.permutation(names)),
            judge=f"judge {judge:03}",
        )
        for judge in range(400)
        for _check in range(6)
    ]
    found = measures_of_tallies(tally_scored_checks(checks))
    p_values = np.array(
        [results[JudgeMeasure.BAD_REFERENCE_RANDOM].value for results in found.values()]
    )
    assert len(p_values) == 400
    for level in (0.05, 0.2):
        # Within three standard errors of a share of 400 judges.
        assert np.mean(p_values <= level) <= level + 3 * np.sqrt(level * (1 - level) / 400)
    assert np.mean(p_values <= 0.2) >= 0.1
