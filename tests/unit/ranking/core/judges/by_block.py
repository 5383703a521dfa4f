"""The tallies of judges counted block by block in plain Python, as a second implementation."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, product

from ranking.core.judged.blocks import BlockRow

Pattern = tuple[int, ...]


def given(row: BlockRow) -> list[int]:
    """Return the labels that were given, in shown order."""
    return [label for label in row.labels if label]


def pattern(labels: Sequence[int]) -> Pattern:
    """Return how often each label was used, the best first."""
    return tuple(labels.count(label) for label in sorted(set(labels)))


def lines(rows: Iterable[BlockRow]) -> Counter[tuple[str, Pattern, int]]:
    """Count blocks by judge, pattern, and whether they follow the shown order or its reverse."""
    found: Counter[tuple[str, Pattern, int]] = Counter()
    for row in rows:
        labels = given(row)
        follows = labels in (sorted(labels), sorted(labels, reverse=True))
        found[row.judge, pattern(labels), int(follows)] += 1
    return found


def places(
    rows: Iterable[BlockRow],
    reference: str,
) -> Counter[tuple[str, Pattern, int]]:
    """Count blocks by judge, pattern, and the place of the reference among the labels used."""
    found: Counter[tuple[str, Pattern, int]] = Counter()
    for row in rows:
        labels = given(row)
        own = [
            label
            for systems, label in zip(row.candidates, row.labels, strict=True)
            if label and reference in systems
        ]
        if own and len(labels) > 1:
            place = sorted(set(labels)).index(own[0])
            found[row.judge, pattern(labels), place] += 1
        else:
            found[row.judge, (), 0] += 1
    return found


def repeats(rows: Sequence[BlockRow]) -> dict[tuple[str, int], tuple[int, int]]:
    """Count pairs of comparisons of an item by judge and segment, and those that agree."""
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for one, other in combinations(rows, 2):
        if (one.judge, one.segment) != (other.judge, other.segment):
            continue
        mine, theirs = _outcomes(one), _outcomes(other)
        both = mine.keys() & theirs.keys()
        pairs, agreeing = found.get((one.judge, one.segment), (0, 0))
        agreeing += sum(mine[item] == theirs[item] for item in both)
        found[one.judge, one.segment] = pairs + len(both), agreeing
    return {key: counts for key, counts in found.items() if counts[0]}


def _outcomes(row: BlockRow) -> dict[frozenset[frozenset[str]], frozenset[str] | None]:
    """Return the winner of each pair of candidates, None for a tie."""
    labelled = [
        (frozenset(systems), label)
        for systems, label in zip(row.candidates, row.labels, strict=True)
        if label
    ]
    return {
        frozenset({first, second}): None if a == b else first if a < b else second
        for (first, a), (second, b) in combinations(labelled, 2)
    }


def positions(rows: Iterable[BlockRow]) -> dict[tuple[str, int, int, int], list[int]]:
    """Sum over informative blocks by judge, number of labels and two positions."""
    found: dict[tuple[str, int, int, int], list[int]] = {}
    for row in rows:
        labels = given(row)
        count = len(labels)
        apart = {
            place: count * label - sum(labels)
            for place, label in enumerate(row.labels)
            if label
        }
        squares = sum(each**2 for each in apart.values())
        if not squares:
            continue
        for (first, deviation), second in product(apart.items(), apart):
            if first <= second:
                sums = found.setdefault((row.judge, count, first, second), [0, 0, 0])
                sums[0] += 1
                sums[1] += squares
                sums[2] += deviation if first == second else 0
    return found
