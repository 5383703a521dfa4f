"""Which comparisons a judgment makes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from annotation.selectors.judgment_list import Outcome


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts that a judge compared.

    Attributes
    ----------
    first, second : sequence of str
        The systems that wrote each text, by name; the first text was shown before the second.
    first_label, second_label : int
        From 1, the best, to 5.
    """

    first: Sequence[str]
    second: Sequence[str]
    first_label: int
    second_label: int

    @property
    def outcome(self) -> Outcome:
        """How it ended for the first text."""
        if self.first_label == self.second_label:
            return Outcome.TIED
        return Outcome.WON if self.first_label < self.second_label else Outcome.LOST

    def turned(self) -> "Comparison":
        """Return the same with the second text as the first."""
        return Comparison(self.second, self.first, self.second_label, self.first_label)


def comparisons_of(
    candidates: Sequence[Sequence[str]], labels: Sequence[int | None]
) -> Iterator[Comparison]:
    """Yield the comparisons of a judgment: a pair for any two texts that both have a label, in shown order.

    `candidates` and `labels` have the same length, at least one.
    """
    ranked = [
        (names, label) for names, label in zip(candidates, labels, strict=True) if label is not None
    ]
    for (first, first_label), (second, second_label) in combinations(ranked, 2):
        yield Comparison(first, second, first_label, second_label)


def is_asked_for(each: Comparison, *, system: str, other: str, outcome: str) -> bool:
    """Return whether a comparison, as it stands, is one of a system; with another, with this outcome, if these are named."""
    return (
        system in each.first
        and (not other or other in each.second)
        and (not outcome or each.outcome == outcome)
    )
