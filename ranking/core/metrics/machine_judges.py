"""Machine judges beside people on the same items: agreement, biases, and the alternative annotator test.

An item is two outputs of a segment. A machine is compared with the people who compared the same items, so a difference
between the two is not one of the items. People of one item share the weight of the machine's answers to it.

The preference for an output is 1 if it is better than the other one, ½ for a tie, and 0 if it is worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, share
from ranking.core.beside import OutputScores
from ranking.core.counting.counts import listed_comparisons, tally
from ranking.core.estimates import Estimate
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.shares import clustered_share
from ranking.core.methods.shares import expected_wins
from ranking.core.metrics.alternative_annotators import (
    FEWEST_ITEMS,
    Alignment,
    AlternativeAnnotators,
    alternative_annotator_test,
)
from ranking.core.metrics.figures import Drawing, Figure, Pairs, pairs_of_scores
from ranking.core.metrics.people import Metric


@dataclass(frozen=True, eq=False, kw_only=True)
class MachineAnswers:
    """Answers of a machine judge.

    Attributes
    ----------
    name : str
    blocks : Blocks
        Judged blocks. The second judge is the machine where outputs were shown in reverse order.
    scores : OutputScores or None
        Scores of outputs, if the protocol has any.
    skipped : int
        Number of skipped blocks.
    """

    name: str
    blocks: Blocks
    scores: OutputScores | None
    skipped: int


def pairs_as_shown(blocks: Blocks) -> Pairs:
    """Return comparisons of outputs that were shown together, the one shown first as the first; rows are segments."""
    block, first, second, outcome = listed_comparisons(blocks, as_shown=True)
    segment, judge = blocks.segment[block], blocks.judge[block]
    return Pairs(segment, first, second, outcome, judge, by_segment=False)


def pairs_scored(scores: OutputScores, systems: Sequence[str]) -> Pairs:
    """Return the pairs of outputs that a judge scored on one segment; rows are segments."""
    own = scores.by_judge(systems)
    pairs = pairs_of_scores(own.values)
    return replace(pairs, row=own.segment[pairs.row], judge=own.judge[pairs.row])


@dataclass(frozen=True, kw_only=True)
class FigureBesidePeople:
    """A share of a machine, and of people on the same items.

    Attributes
    ----------
    figure : str
        "agreement": with a person, and of two people; "ties"; "first", "longer", "system": preference for the output shown
        first, for the longer one, and for those of a system; "consistency": share of items answered alike in both orders.
    system : str
    value : Estimate
    people, difference : Estimate or None
        None if people have no such figure.
    comparisons : int
        Number of comparisons by the machine.
    """

    figure: str
    system: str = ""
    value: Estimate
    people: Estimate | None = None
    difference: Estimate | None = None
    comparisons: int


class MachineBesidePeople:
    """A machine and people on the I items that both compared.

    Intervals of the machine's own shares are over segments (`ranking.core.judges.shares`), the others over segments and
    judges.

    Parameters
    ----------
    people, machine : Pairs
        Comparisons of n systems whose rows are segments. The machine's second judge is itself in reverse order.
    systems : sequence of str, length n
    drawing : Drawing
        Confidence of the intervals.
    """

    def __init__(
        self, people: Pairs, machine: Pairs, systems: Sequence[str], drawing: Drawing
    ) -> None:
        self._systems, self._drawing = systems, drawing
        own, theirs = (_items(side, len(systems)) for side in (machine, people))
        shared = np.intersect1d(own, theirs)
        self._segment, pair = np.divmod(shared, len(systems) ** 2)
        self._first, self._second = np.divmod(pair, len(systems))
        is_shared = np.isin(own, shared)
        self._machine = machine.take(is_shared)
        self._own_item = np.searchsorted(shared, own[is_shared])
        # One answer of each person to an item.
        _codes, once = np.unique(np.stack([theirs, people.kinds[-1]]), axis=1, return_index=True)
        rows = once[np.isin(theirs[once], shared)]
        self._people = people.take(rows)
        self._item = np.searchsorted(shared, theirs[rows])
        self._of_machine = self._counted(self._machine, self._own_item)
        self._of_people = self._counted(self._people, self._item)

    def _counted(self, side: Pairs, item: Int64Array) -> Int64Array:
        """Return the number of comparisons with each outcome −1, 0 and 1, shape (I, 3)."""
        cell = 3 * item + _outcomes(side) + 1
        return np.bincount(cell, minlength=3 * len(self._segment)).reshape(-1, 3)

    def figures(self, lengths: FloatArray, *, has_positions: bool) -> Iterator[FigureBesidePeople]:
        """Yield the figures that have any comparison.

        Parameters
        ----------
        lengths : float64, shape (S, n)
            Length of each output by segment number; NaN where unknown.
        has_positions : bool
            Whether the first output of a pair was shown first.
        """
        if not len(self._segment):
            return
        yield self._agreement()
        counts = self._of_machine
        every = np.ones(len(counts), dtype=np.bool_)
        yield self._figure("ties", counts[:, 1], self._people.human == 0, every)
        if has_positions:
            shown = np.bincount(self._own_item, (1 + self._machine.human) / 2)
            yield self._figure("first", shown, (1 + self._people.human) / 2, every)
            yield from self._consistency()
        longer = lengths[self._segment, self._first] - lengths[self._segment, self._second]
        yield from self._preference("longer", np.sign(np.nan_to_num(longer)))
        for index, system in enumerate(self._systems):
            direction = 1.0 * (self._first == index) - (self._second == index)
            yield from self._preference("system", direction, system)

    def _preference(
        self, figure: str, direction: FloatArray, system: str = ""
    ) -> Iterator[FigureBesidePeople]:
        """Yield the preference for the first output (1) or the second one (−1) of items; other items are left out."""
        counts = self._of_machine
        own = (counts.sum(axis=1) + direction * (counts[:, 2] - counts[:, 0])) / 2
        theirs = (1 + direction[self._item] * _outcomes(self._people)) / 2
        if direction.any():
            yield self._figure(figure, own, theirs, direction != 0, system)

    def _figure(
        self,
        figure: str,
        own: FloatArray | Int64Array,
        theirs: FloatArray | BoolArray,
        chosen: BoolArray,
        system: str = "",
    ) -> FigureBesidePeople:
        """Return the mean of values of comparisons of the chosen items: sums over the machine's, and each of people's."""
        rows = chosen[self._item]
        trials = self._of_machine.sum(axis=1)
        ahead = (own / trials)[self._item] - theirs
        return FigureBesidePeople(
            figure=figure,
            system=system,
            value=self._share(own, trials, chosen),
            people=self._mean(theirs, rows),
            difference=self._mean(ahead, rows),
            comparisons=int(trials[chosen].sum()),
        )

    def _share(
        self, own: FloatArray | Int64Array, trials: Int64Array, chosen: BoolArray
    ) -> Estimate:
        """Return a share of the machine from sums over items."""
        place = np.unique(self._segment[chosen], return_inverse=True)[1]
        # Ties are halves.
        successes, tried = (
            np.bincount(place, 2 * each[chosen]).astype(np.int64) for each in (own, trials)
        )
        found = clustered_share(successes, tried, confidence=self._drawing.confidence)
        value = float(found.value or 0.0)
        if len(tried) < 2:
            return Estimate(value, None, None)
        return Estimate(value, found.low, found.high)

    def _mean(
        self,
        values: FloatArray | BoolArray,
        rows: BoolArray,
        of_judges: FloatArray | None = None,
    ) -> Estimate | None:
        """Return the mean over some comparisons by people; None if it has no value.

        `of_judges` are values through which judges influence it.
        """
        weight = share(self._of_machine.sum(axis=1), self._of_people.sum(axis=1))[self._item[rows]]
        kinds = self._people.take(rows).kinds
        found = Figure.of_sums(weight * values[rows], weight, kinds)
        if of_judges is not None:
            through = Figure.of_sums(weight * of_judges[rows], weight, kinds)
            found = replace(found, of_judge=through.influence)
        return None if np.isnan(found.value) else found.estimate(self._drawing)

    def _agreement(self) -> FigureBesidePeople:
        """Return the share of people who agree with the machine, and with another person on the same items."""
        place = (self._item, _outcomes(self._people) + 1)
        trials = self._of_machine.sum(axis=1)
        others = self._of_people.sum(axis=1)[self._item] - 1
        alike = self._of_machine[place] / trials[self._item]
        alike_people = share(self._of_people[place] - 1, others)
        rows = others > 0
        if not rows.any():
            rows = ~rows
        value = self._mean(alike, rows)
        assert value is not None  # noqa: S101  the machine has answers
        return FigureBesidePeople(
            figure="agreement",
            value=value,
            # Each of two people influences their agreement.
            people=self._mean(alike_people, rows, 2 * alike_people),
            difference=self._mean(alike - alike_people, rows, alike - 2 * alike_people),
            comparisons=int(trials[np.unique(self._item[rows])].sum()),
        )

    def _consistency(self) -> Iterator[FigureBesidePeople]:
        """Yield the share of the machine's pairs of answers in both orders that are alike."""
        orders = self._machine.kinds[-1]
        straight, reverse = (
            self._counted(self._machine.take(orders == order), self._own_item[orders == order])
            for order in (0, 1)
        )
        trials = straight.sum(axis=1) * reverse.sum(axis=1)
        if trials.any():
            alike = (straight * reverse).sum(axis=1)
            yield FigureBesidePeople(
                figure="consistency",
                value=self._share(alike, trials, trials > 0),
                comparisons=int(trials.sum()),
            )


def _items(side: Pairs, systems: int) -> Int64Array:
    low, high = np.minimum(side.first, side.second), np.maximum(side.first, side.second)
    return (side.row.astype(np.int64) * systems + low) * systems + high


def _outcomes(side: Pairs) -> Int64Array:
    """Return 1 if the system with the smaller index is better, −1 if the other one is, and 0 for a tie."""
    return np.where(side.first < side.second, side.human, -side.human).astype(np.int64)


def annotators_of_blocks(
    people: Blocks, machine: Blocks, *, epsilon: float
) -> AlternativeAnnotators:
    """Run the alternative annotator test on rankings and choices. An item is the outputs that are shown together.

    Agreement is the share of pairs of outputs that both order or tie alike; for two outputs, both choose the same. Raises
    TooFewPeopleError as `alternative_annotator_test` does.
    """
    labels, candidates, segment = (
        np.concatenate([getattr(side, name) for side in (people, machine)])
        for name in ("labels", "candidates", "segment")
    )
    is_shown = candidates >= 0
    outputs = np.column_stack([segment, np.packbits(is_shown, axis=1)])
    item = np.unique(outputs, axis=0, return_inverse=True)[1].reshape(-1)
    most = int(is_shown.sum(axis=1).max(initial=1))
    # The outputs of a block in the order of their systems, which are the same for an item.
    shown = np.argsort(~is_shown, axis=1, kind="stable")[:, :most]
    ranks = np.take_along_axis(labels, shown, axis=1).astype(np.float64)
    ranks[ranks == 0] = np.nan
    return _tested(people.judge, item, ranks, "order", epsilon)


def annotators_of_scores(
    people: OutputScores, machine: OutputScores, systems: Sequence[str], *, epsilon: float
) -> AlternativeAnnotators:
    """Run the alternative annotator test on scores. Each output is an item.

    Raises TooFewPeopleError as `alternative_annotator_test` does.
    """
    theirs, own = people.by_judge(systems), machine.by_judge(systems)
    item = np.unique(np.concatenate([theirs.segment, own.segment]), return_inverse=True)[1]
    return _tested(theirs.judge, item, np.concatenate([theirs.values, own.values]), "rmse", epsilon)


def _tested(
    judge: Int64Array, item: Int64Array, values: FloatArray, alignment: Alignment, epsilon: float
) -> AlternativeAnnotators:
    """Run the test on rows of values of K outputs, those of the machine, which have no judge, last."""
    count = int(judge.max(initial=-1)) + 1
    annotators = np.full((count + 1, int(item.max(initial=-1)) + 1, values.shape[1]), np.nan)
    annotators[np.append(judge, np.full(len(item) - len(judge), count)), item] = values
    if alignment == "rmse":
        annotators = annotators.reshape(count + 1, -1)
    return alternative_annotator_test(
        annotators[:count],
        annotators[count],
        alignment=alignment,
        epsilon=epsilon,
        fewest_items=FEWEST_ITEMS,
    )


def metric_of_blocks(name: str, blocks: Blocks) -> Metric:
    """Return a machine's rankings as a metric.

    The score of an output is the share of its comparisons on the segment that it wins, with ties as halves; that of a
    system is its Expected Wins.
    """
    block, first, second, outcome = listed_comparisons(blocks)
    segments, row = np.unique(blocks.segment[block], return_inverse=True)
    n = len(blocks.systems)
    cell = np.append(row * n + first, row * n + second)
    won = np.bincount(cell, np.append(1 + outcome, 1 - outcome) / 2, len(segments) * n)
    values = share(won, np.bincount(cell, minlength=len(won)))
    return Metric(
        name=name,
        systems=blocks.systems,
        segments=segments.astype(np.int64),
        values=values.reshape(-1, n),
        of_systems=expected_wins(tally(blocks).wins).values,
        is_machine=True,
    )


def metric_of_scores(name: str, scores: OutputScores) -> Metric:
    """Return a machine's scores as a metric."""
    own = scores.by_judge(scores.systems)
    return Metric(
        name=name,
        systems=scores.systems,
        segments=own.segment,
        values=own.values,
        is_machine=True,
    )
