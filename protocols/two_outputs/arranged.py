"""What judges chose of two outputs as items and choices, whichever output was shown first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from protocols.two_outputs.models import Verdict
from protocols.two_outputs.statistics.judges import Choice, Choices

#: Names of systems whose outputs are the same text.
_SAME_TEXT: Final = " = "
_CHOICES: Final = {
    Verdict.FIRST: Choice.X,
    Verdict.SECOND: Choice.Y,
    Verdict.SAME: Choice.SAME,
    Verdict.BOTH_FINE: Choice.SAME,
    Verdict.BOTH_WRONG: Choice.BOTH_WRONG,
}
_MIRRORED: Final = {Choice.X: Choice.Y, Choice.Y: Choice.X}


@dataclass(frozen=True, slots=True)
class Said:
    """An answer about the output of `first`, which was shown first, and of `second`; of systems that wrote the same, all."""

    segment: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    judge: str
    verdict: Verdict


@dataclass(frozen=True)
class ChoicesRead:
    """Answers about two outputs.

    Attributes
    ----------
    choices : Choices
    systems : tuple of two str, optional
        Which system X is and which Y, if all items are of the same two; None for several pairs.
    four_answers : bool
        Whether "both fine" and "both wrong" are told apart.
    """

    choices: Choices
    systems: tuple[str, str] | None
    four_answers: bool


def choices_arranged(
    said: Iterable[Said], *, systems: tuple[str, str] | None = None, four_answers: bool
) -> ChoicesRead:
    """Return answers as arrays; those about two systems if they are named."""
    rows = list(_rows(said, systems))
    pairs = {pair for _segment, pair, _judge, _choice in rows}
    items = {each: n for n, each in enumerate(sorted({row[:2] for row in rows}))}
    judges = sorted({judge for _segment, _pair, judge, _choice in rows})
    places = {judge: n for n, judge in enumerate(judges)}
    columns = [
        (items[segment, pair], places[judge], choice) for segment, pair, judge, choice in rows
    ]
    item, judge, choice = np.array(columns, dtype=np.int64).reshape(-1, 3).T
    return ChoicesRead(
        choices=Choices(item, judge, choice, tuple(judges), len(items)),
        systems=systems or (pairs.pop() if len(pairs) == 1 else None),
        four_answers=four_answers,
    )


def _rows(
    said: Iterable[Said], systems: tuple[str, str] | None
) -> Iterator[tuple[int, tuple[str, str], str, Choice]]:
    """Yield segment, the two systems, judge and choice of each answer."""
    for each in said:
        choice = _CHOICES[each.verdict]
        pair = _pair(each.first, each.second, systems)
        if pair is not None:
            yield each.segment, pair, each.judge, choice
            continue
        pair = _pair(each.second, each.first, systems)
        if pair is not None:
            yield each.segment, pair, each.judge, _MIRRORED.get(choice, choice)


def _pair(
    first: tuple[str, ...], second: tuple[str, ...], systems: tuple[str, str] | None
) -> tuple[str, str] | None:
    """Return X and Y if they are the first and the second; None if not, or not in this order."""
    if systems is not None:
        return systems if systems[0] in first and systems[1] in second else None
    one, other = (_SAME_TEXT.join(sorted(each)) for each in (first, second))
    return (one, other) if one < other else None
