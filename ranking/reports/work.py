"""How fast judges were when an analysis was asked for, and what was to be done: frozen with the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFacts:
    """What hours and days follow from.

    Attributes
    ----------
    judged : int
        Blocks judged in the test set, by everybody.
    counted : int or None
        Judgments that count in its latest ranking, as its stopping rule counts them: those of excluded judges do not, nor
        those of others where a group alone counts. None without a ranking.
    wanted : int or None
        Blocks it wants.
    rule_judgments : int or None
        Judgments at which its stopping rule ends.
    today : int
        Blocks that people judged since midnight, before which the days were.
    days : sequence of int
        Blocks that people judged on each of the last seven whole days; empty before there are seven.
    pace : sequence of (blocks, words, seconds)
        Of each judge among the latest judgments that were measured.
    base_words, output_words : float or None
        Words of source and references that a block shows, and of an output, on average; None without texts.
    most_shown : int
        Outputs that a block may show by the protocol.
    """

    judged: int
    wanted: int | None
    rule_judgments: int | None
    today: int
    days: Sequence[int]
    pace: Sequence[tuple[int, float, float]]
    base_words: float | None
    output_words: float | None
    counted: int | None
    most_shown: int

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values; `recorded_work` reads them."""
        return {
            **asdict(self),
            "days": list(self.days),
            "pace": [list(each) for each in self.pace],
        }

    @property
    def of_judges(self) -> tuple[list[int], list[float], list[float]]:
        """Blocks, words and seconds of each judge."""
        return (
            [blocks for blocks, _words, _seconds in self.pace],
            [words for _blocks, words, _seconds in self.pace],
            [seconds for _blocks, _words, seconds in self.pace],
        )

    @property
    def rule_more(self) -> float:
        """Judgments that count until the stopping rule ends; 0 without one that ends at a number."""
        counted = self.judged if self.counted is None else self.counted
        return max(0.0, float((self.rule_judgments or 0) - counted))

    def of_everybody(self, counting: float) -> float:
        """Return how many judgments everybody makes until so many more count, if as large a share counts as so far."""
        if not counting or self.counted is None:
            return counting
        return counting * max(1.0, self.judged / self.counted) if self.counted else inf

    def words(self, outputs: float) -> float | None:
        """Return the words of a block of so many outputs."""
        if self.base_words is None or self.output_words is None:
            return None
        return self.base_words + outputs * self.output_words


def recorded_work(values: Mapping[str, Any]) -> WorkFacts:
    """Return what `WorkFacts.recorded` recorded."""
    pace = tuple((int(blocks), words, seconds) for blocks, words, seconds in values["pace"])
    return WorkFacts(**{**values, "days": tuple(values["days"]), "pace": pace})
