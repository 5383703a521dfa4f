"""Tests of pairs of systems in stored ranking runs: rows of numbers in the order of ranks."""

from ranking.core.ranges.sign_tests import ComparedPair
from ranking.core.rankings.rank import Ranking
from ranking.models import RankingRun
from ranking.range_choices import recorded_choice
from ranking.selectors.runs import pairs_of_rows


def stored_pairs(ranking: Ranking) -> list[list[float]]:
    """Return wins, losses, ties, p-value and corrected p-value of each pair; `pairs_of` reads them.

    Names, which every row would repeat, follow from the order within each group: first and second, first and third …
    """
    return [
        [pair.wins, pair.losses, pair.ties, pair.p_value, pair.adjusted_p] for pair in ranking.pairs
    ]


def pairs_of(run: RankingRun) -> list[ComparedPair]:
    """Return the pairs of ranked systems of a run."""
    level = recorded_choice(run.parameters).level
    pairs = pairs_of_rows(run.result["systems"])
    return [
        ComparedPair(
            better=better,
            worse=worse,
            wins=wins,
            losses=losses,
            ties=ties,
            p_value=p_value,
            adjusted_p=adjusted_p,
            significant=adjusted_p <= level,
        )
        for (better, worse), (wins, losses, ties, p_value, adjusted_p) in zip(
            pairs, run.result["pairs"], strict=True
        )
    ]
