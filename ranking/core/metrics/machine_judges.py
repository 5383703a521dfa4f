"""Machine judges beside people on the same items: agreement, biases, and the alternative annotator test.

An item is two outputs of a segment, or an output that was scored. A machine is compared with the people who compared or
scored the same items, so a difference between the two is not one of the items. People of one item share the weight of
the machine's answers to it.

The preference for an output is 1 if it is better than the other one, ½ for a tie, and 0 if it is worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Final, NamedTuple

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, share
from ranking.core.beside import OutputScores, ScoresByJudge
from ranking.core.counting.counts import listed_comparisons, tally
from ranking.core.estimates import Estimate
from ranking.core.grouping import distinct_pairs, sums_by_cell
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.shares import expected_wins
from ranking.core.metrics.alternative_annotators import (
    FEWEST_ITEMS,
    Alignment,
    AlternativeAnnotators,
    alternative_annotator_test,
)
from ranking.core.metrics.figures import Drawing, Figure, Pairs, pairs_of_scores
from ranking.core.metrics.people import Metric
from ranking.core.scores import TIE_DECIMALS


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


#: The machine judge's name where it answers in reverse order.
_REVERSED: Final = "1"


def pairs_as_shown(blocks: Blocks) -> Pairs:
    """Return comparisons of outputs that were shown together, the one shown first as the first; rows are segments."""
    block, first, second, outcome = listed_comparisons(blocks, as_shown=True)
    return Pairs(
        row=blocks.segment[block],
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        human=outcome.astype(np.int8),
        judge=blocks.judge[block],
        by_segment=False,
    )


def pairs_scored(
    scores: OutputScores,
    systems: Sequence[str],
    texts: Int64Array,
) -> Pairs:
    """Return the pairs of outputs that a judge scored on one segment; rows are segments.

    Systems with the same text have one output. `texts` are numbers of texts by segment number, shape (S, n).
    """
    own = scores.by_judge(systems)
    pairs = pairs_of_scores(own.values)
    segment = own.segment[pairs.row].astype(np.int32)
    judge = own.judge[pairs.row].astype(np.int32)
    is_pair = texts[segment, pairs.first] != texts[segment, pairs.second]
    return replace(pairs, row=segment, judge=judge).take(is_pair)


@dataclass(frozen=True, kw_only=True)
class FigureBesidePeople:
    """A share of a machine, and of people on the same items.

    Attributes
    ----------
    figure : str
        "agreement": with a person, and of two people; "kappa": the same beyond chance; "ties"; "first", "longer", "system": preference for the output shown
        first, for the longer one, and for those of a system; "consistency": share of items answered alike in both orders.
        Of scores, with those of a person, and of two people: "same_score": share of equal ones; "score_distance": mean
        absolute difference; "score_correlation": Pearson's correlation. "score": mean score.
    system : str
        For "system", and for the mean score of a system's outputs.
    value : Estimate
    people, difference : Estimate or None
        None if people have no such figure.
    comparisons : int
        Number of comparisons, or of scored outputs, by the machine.
    """

    figure: str
    system: str = ""
    value: Estimate | None
    people: Estimate | None = None
    difference: Estimate | None = None
    comparisons: int


class MachineBesidePeople:
    """A machine and people on the I items that both compared.

    Intervals are over segments and judges. There is none where all answers are the same.

    Parameters
    ----------
    people, machine : Pairs
        Comparisons of n systems whose rows are segments. The machine's second judge is itself in reverse order.
    systems : sequence of str, length n
    drawing : Drawing
        Confidence of the intervals.
    """

    def __init__(
        self,
        people: Pairs,
        machine: Pairs,
        systems: Sequence[str],
        drawing: Drawing,
    ) -> None:
        self._systems = systems
        self._drawing = drawing
        machine_items = _items(machine, len(systems))
        people_items = _items(people, len(systems))
        shared = np.intersect1d(machine_items, people_items)
        self._segment, pair = np.divmod(shared, len(systems) ** 2)
        self._first, self._second = np.divmod(pair, len(systems))
        is_shared = np.isin(machine_items, shared)
        self._machine = machine.take(is_shared)
        self._machine_item = np.searchsorted(shared, machine_items[is_shared])
        # One answer of each person to an item.
        judge = people.kinds[-1]
        judges = int(judge.max(initial=0)) + 1
        answers = people_items * judges + judge
        _answers, first_rows = np.unique(answers, return_index=True)
        rows = first_rows[np.isin(people_items[first_rows], shared)]
        self._people = people.take(rows)
        self._item = np.searchsorted(shared, people_items[rows])
        self._machine_outcomes = self._outcome_counts(self._machine, self._machine_item)
        self._people_outcomes = self._outcome_counts(self._people, self._item)
        self._trials = self._machine_outcomes.sum(axis=1)

    def _outcome_counts(self, side: Pairs, item: Int64Array) -> Int64Array:
        """Return the number of comparisons with each outcome −1, 0 and 1, shape (I, 3)."""
        cell = 3 * item + _outcomes(side) + 1
        counts = np.bincount(cell, minlength=3 * len(self._segment))
        return counts.reshape(-1, 3)

    def figures(
        self,
        lengths: FloatArray,
        *,
        has_positions: bool,
    ) -> Iterator[FigureBesidePeople]:
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
        yield self.agreement()
        yield self._beyond_chance()
        every = np.ones(len(self._item), dtype=np.bool_)
        machine_ties = self._machine_outcomes[:, 1] / self._trials
        people_ties = (self._people.human == 0).astype(np.float64)
        yield self._figure("ties", machine_ties[self._item], people_ties, every)
        if has_positions:
            preferences = (1 + self._machine.human) / 2
            machine_first = np.bincount(self._machine_item, preferences) / self._trials
            people_first = (1 + self._people.human) / 2
            yield self._figure("first", machine_first[self._item], people_first, every)
            yield from self._consistency()
        first_length = lengths[self._segment, self._first]
        second_length = lengths[self._segment, self._second]
        longer = np.sign(np.nan_to_num(first_length - second_length))
        yield from self._preference("longer", longer)
        for index, system in enumerate(self._systems):
            is_first = (self._first == index).astype(np.float64)
            is_second = self._second == index
            yield from self._preference("system", is_first - is_second, system)

    def agreement(self) -> FigureBesidePeople:
        """Return the share of people who agree with the machine, and with another person on the same items."""
        of_machine, of_people, rows = self._agreeing()
        # Each of two people influences their agreement.
        figure = self._figure("agreement", of_machine, of_people, rows, influences=2.0)
        if rows.any():
            return figure
        return replace(figure, value=self._mean(of_machine, ~rows))

    def _agreeing(self) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return whether the machine and other people agree with each person, and whether there are others."""
        outcome = (self._item, _outcomes(self._people) + 1)
        people = self._people_outcomes.sum(axis=1)[self._item]
        others = people - 1
        machine_agrees = self._machine_outcomes[outcome] / self._trials[self._item]
        agreeing_others = self._people_outcomes[outcome] - 1
        return machine_agrees, share(agreeing_others, others), others > 0

    def _beyond_chance(self) -> FigureBesidePeople:
        """Return κ of the agreements; a judge's chance is to tie as often as they do, and to prefer either output otherwise."""
        of_machine, of_people, rows = self._agreeing()
        has_others = bool(rows.any())
        if not has_others:
            rows = ~rows
        machine_ties = self._machine_outcomes[:, 1] / self._trials
        machine_tie = self._weighted(machine_ties[self._item], rows)
        person_tie = self._weighted((self._people.human == 0).astype(np.float64), rows)
        machine = _kappa(self._weighted(of_machine, rows), machine_tie, person_tie)
        people = None
        if has_others:
            agreement = self._weighted(of_people, rows)
            agreement = replace(agreement, of_judge=2.0 * agreement.influence)
            people = _kappa(agreement, person_tie, person_tie)

        def estimated(one: Figure | None) -> Estimate | None:
            if one is None:
                return None
            return one.estimate(self._drawing)

        difference = None
        if machine is not None and people is not None:
            difference = machine.minus(people)
        return FigureBesidePeople(
            figure="kappa",
            value=estimated(machine),
            people=estimated(people),
            difference=estimated(difference),
            comparisons=self._comparisons(rows),
        )

    def _consistency(self) -> Iterator[FigureBesidePeople]:
        """Yield the agreement of the machine with itself in reverse order."""
        is_reversed = self._machine.kinds[-1] == 1
        straight = self._machine.take(~is_reversed)
        reverse = self._machine.take(is_reversed)
        itself = replace(reverse, judge=None)
        beside = MachineBesidePeople(itself, straight, self._systems, self._drawing)
        if not len(beside._segment):
            return
        yield replace(
            beside.agreement(),
            figure="consistency",
            comparisons=len(reverse),
        )

    def _preference(
        self,
        figure: str,
        direction: FloatArray,
        system: str = "",
    ) -> Iterator[FigureBesidePeople]:
        """Yield the preference for the first output (1) or the second one (−1) of items; other items are left out."""
        wins = self._machine_outcomes[:, 2]
        losses = self._machine_outcomes[:, 0]
        lead = (wins - losses) / self._trials
        direction_of_person = direction[self._item]
        machine = (1 + direction * lead) / 2
        people = (1 + direction_of_person * _outcomes(self._people)) / 2
        rows = direction_of_person != 0
        if rows.any():
            preference = self._figure(figure, machine[self._item], people, rows)
            yield replace(preference, system=system)

    def _figure(
        self,
        figure: str,
        machine: FloatArray,
        people: FloatArray,
        rows: BoolArray,
        *,
        influences: float = 1.0,
    ) -> FigureBesidePeople:
        """Return the means of the machine's and of people's values, for some comparisons by people.

        A person influences people's mean `influences` times as much as through their own value.
        """
        of_judges = influences * people
        return FigureBesidePeople(
            figure=figure,
            value=self._mean(machine, rows),
            people=self._mean(people, rows, of_judges),
            difference=self._mean(
                machine - people,
                rows,
                machine - of_judges,
                least=-1.0,
            ),
            comparisons=self._comparisons(rows),
        )

    def _comparisons(self, rows: BoolArray) -> int:
        """Return the number of the machine's comparisons of the items of some comparisons by people."""
        comparisons_of_item = np.bincount(self._item[rows], minlength=len(self._trials))
        return int(self._trials[comparisons_of_item > 0].sum())

    def _weighted(self, values: FloatArray, rows: BoolArray) -> Figure:
        """Return the mean over some comparisons by people."""
        people = self._people_outcomes.sum(axis=1)
        weight = share(self._trials, people)[self._item[rows]]
        kinds = self._people.take(rows).kinds
        return Figure.of_sums(weight * values[rows], weight, kinds)

    def _mean(
        self,
        values: FloatArray,
        rows: BoolArray,
        of_judges: FloatArray | None = None,
        *,
        least: float = 0.0,
    ) -> Estimate | None:
        """Return the mean over some comparisons by people; None if it has no value.

        `of_judges` are values through which judges influence it. Shares are at least 0, their differences −1.
        """
        mean = self._weighted(values, rows)
        if np.isnan(mean.value):
            return None
        if of_judges is not None:
            through_judges = self._weighted(of_judges, rows)
            mean = replace(mean, of_judge=through_judges.influence)
        return mean.estimate(self._drawing, least=least)


def _kappa(agreement: Figure, one_tie: Figure, other_tie: Figure) -> Figure | None:
    """Return the agreement of two judges beyond chance, from the shares of their ties; None if both tie everything."""
    one, other = one_tie.value, other_tie.value
    chance = one * other + (1 - one) * (1 - other) / 2
    if chance == 1:
        return None
    room = 1 - chance

    def change(
        agreement_change: FloatArray,
        one_tie_change: FloatArray,
        other_tie_change: FloatArray,
    ) -> FloatArray:
        chance_change = (
            one_tie_change * (3 * other - 1) / 2 + other_tie_change * (3 * one - 1) / 2
        )
        kappa_change = agreement_change * room - chance_change * (1 - agreement.value)
        return np.asarray(kappa_change / room**2)

    through_judges = agreement.influence
    if agreement.of_judge is not None:
        through_judges = agreement.of_judge
    return Figure(
        value=(agreement.value - chance) / room,
        influence=change(agreement.influence, one_tie.influence, other_tie.influence),
        kinds=agreement.kinds,
        of_judge=change(through_judges, one_tie.influence, other_tie.influence),
    )


class ScoresBesidePeople:
    """Scores by a machine and by people of the outputs that both scored, however many outputs judges see at once.

    The parameters are those of `annotators_of_scores`, and the settings of intervals.
    """

    def __init__(
        self,
        people: OutputScores,
        machine: OutputScores,
        systems: Sequence[str],
        texts: Int64Array,
        drawing: Drawing,
    ) -> None:
        self._systems = systems
        self._texts = texts
        self._drawing = drawing
        people_scores = _item_scores(people, systems, texts)
        machine_scores = _item_scores(machine, systems, texts)
        shared = np.intersect1d(people_scores.item, machine_scores.item)
        people_scores = people_scores.about(shared)
        # People are compared with each other on items with several of them, and the machine with people on the same items.
        items, of_item, number = np.unique(
            people_scores.item,
            return_inverse=True,
            return_counts=True,
        )
        self._has_ceiling = bool((number > 1).any())
        if self._has_ceiling:
            people_scores = people_scores.take(number[of_item] > 1)
            items = items[number > 1]
        self._people = people_scores
        self._machine = machine_scores.about(items)

    def figures(self) -> Iterator[FigureBesidePeople]:
        """Yield the figures, if there is any shared item."""
        if not len(self._machine):
            return
        machine_figures = _MachineScores(self._people, self._machine).agreement()
        people_figures: dict[str, Figure] = {}
        if self._has_ceiling:
            people_figures = _OtherScores(self._people).agreement()
        for name, (least, most) in _LIMITS.items():
            people = people_figures.get(name)
            if people is not None:
                # Each of two people influences their agreement.
                people = replace(people, of_judge=2.0 * people.influence)
            machine = machine_figures.get(name)
            if machine is not None or people is not None:
                yield self._figure(name, machine, people, least=least, most=most)
        yield self._mean_score()
        for index, system in enumerate(self._systems):
            segment, text = np.divmod(self._machine.item, len(self._systems))
            system_items = self._machine.item[self._texts[segment, index] == text]
            if len(system_items):
                yield self._mean_score(system_items, system)

    def _mean_score(
        self,
        items: Int64Array | None = None,
        system: str = "",
    ) -> FigureBesidePeople:
        """Return the mean scores of some items; of all, if none are given."""
        machine = self._machine
        people = self._people
        if items is not None:
            machine = machine.about(items)
            people = people.about(items)
        scores = _MachineScores(people, machine)
        figure = self._figure(
            "score",
            scores.mean(scores.by_machine),
            scores.mean(scores.by_person),
        )
        return replace(figure, system=system, comparisons=len(machine))

    def _figure(
        self,
        figure: str,
        machine: Figure | None,
        people: Figure | None,
        *,
        least: float = -inf,
        most: float = inf,
    ) -> FigureBesidePeople:
        """Return a figure of the machine, and that of people, with limits of their intervals."""

        def estimated(one: Figure | None) -> Estimate | None:
            if one is None:
                return None
            return one.estimate(self._drawing, least=least, most=most)

        difference = None
        if machine is not None and people is not None:
            difference = machine.minus(people).estimate(
                self._drawing,
                least=least - most,
                most=most - least,
            )
        return FigureBesidePeople(
            figure=figure,
            value=estimated(machine),
            people=estimated(people),
            difference=difference,
            comparisons=len(self._machine),
        )


#: Limits of the agreement of scores.
_LIMITS: Final = {
    "same_score": (0.0, 1.0),
    "score_distance": (0.0, inf),
    "score_correlation": (-1.0, 1.0),
}


@dataclass(frozen=True, eq=False)
class _ItemScores:
    """N scores, sorted by item.

    Attributes
    ----------
    item : int64, shape (N,)
        Number of the segment times the number of systems, plus the number of the output's text.
    segment, judge : int64, shape (N,)
    score : float64, shape (N,)
    """

    item: Int64Array
    segment: Int64Array
    judge: Int64Array
    score: FloatArray

    def __len__(self) -> int:
        return len(self.item)

    def take(self, rows: BoolArray | Int64Array) -> _ItemScores:
        """Return some of the scores."""
        return _ItemScores(
            self.item[rows],
            self.segment[rows],
            self.judge[rows],
            self.score[rows],
        )

    def about(self, items: Int64Array) -> _ItemScores:
        """Return the scores of some items."""
        return self.take(np.isin(self.item, items))


def _item_scores(
    scores: OutputScores,
    systems: Sequence[str],
    texts: Int64Array,
) -> _ItemScores:
    """Return one score of each judge for each output, also of several systems."""
    own = scores.by_judge(systems)
    row, system = np.nonzero(~np.isnan(own.values))
    segment = own.segment[row]
    item = segment * len(systems) + texts[segment, system]
    items, judge, answer = distinct_pairs(item, own.judge[row])
    means = np.bincount(answer, own.values[row, system]) / np.bincount(answer)
    return _ItemScores(items, items // len(systems), judge, means)


class _MachineScores:
    """The scores of each person and the machine's scores of the same items; an item weighs 1."""

    def __init__(self, people: _ItemScores, machine: _ItemScores) -> None:
        person, answer = _joined(people.item, machine.item)
        self.by_person = people.score[person]
        self.by_machine = machine.score[answer]
        _items, index, number = np.unique(
            people.item[person],
            return_inverse=True,
            return_counts=True,
        )
        self._weight = 1 / number[index]
        self._kinds = (people.segment[person], people.judge[person])

    def mean(self, values: FloatArray) -> Figure:
        """Return a mean over the persons' scores."""
        return Figure.of_sums(self._weight * values, self._weight, self._kinds)

    def agreement(self) -> dict[str, Figure]:
        """Return the agreement of the machine with a person; without the correlation if one side has equal scores throughout."""
        difference = np.round(self.by_machine - self.by_person, TIE_DECIMALS)
        figures = {
            "same_score": self.mean((difference == 0).astype(np.float64)),
            "score_distance": self.mean(np.abs(difference)),
        }
        weight = self._weight / self._weight.sum()
        person = _standardised(self.by_person, weight)
        machine = _standardised(self.by_machine, weight)
        if person is not None and machine is not None:
            figures["score_correlation"] = _correlation(
                weight,
                person * machine,
                person**2,
                machine**2,
                self._kinds,
            )
        return figures


class _OtherScores:
    """The scores of each person, and those of the other people of the same items; an item weighs 1."""

    def __init__(self, people: _ItemScores) -> None:
        self._people = people
        _items, self._index, self._number = np.unique(
            people.item,
            return_inverse=True,
            return_counts=True,
        )
        self._weight = 1 / self._number[self._index]
        self._kinds = (people.segment, people.judge)

    def agreement(self) -> dict[str, Figure]:
        """Return the agreement of two people; without the correlation if all scores are equal."""
        figures = {
            "same_score": self._mean(self._same()),
            "score_distance": self._mean(self._distance()),
        }
        weight = self._weight / self._weight.sum()
        person = _standardised(self._people.score, weight)
        if person is not None:
            squares = person**2
            figures["score_correlation"] = _correlation(
                weight,
                person * self._mean_of_others(person),
                squares,
                self._mean_of_others(squares),
                self._kinds,
            )
        return figures

    def _mean(self, values: FloatArray) -> Figure:
        return Figure.of_sums(self._weight * values, self._weight, self._kinds)

    def _same(self) -> FloatArray:
        """Return the share of the others with the same score."""
        score = np.round(self._people.score, TIE_DECIMALS)
        answers = np.column_stack([self._index, score])
        _answers, index, number = np.unique(
            answers,
            axis=0,
            return_inverse=True,
            return_counts=True,
        )
        with_same_score = number[index.reshape(-1)]
        return np.asarray((with_same_score - 1) / self._others)

    def _distance(self) -> FloatArray:
        """Return the mean absolute difference from the scores of the others."""
        score = self._people.score
        # By item, and in ascending order within an item.
        order = np.lexsort((score, self._index))
        ascending = score[order]
        item = self._index[order]
        position = np.arange(len(order))
        starts = np.cumsum(self._number) - self._number
        start = starts[item]
        lower = position - start
        higher = self._number[item] - 1 - lower
        sum_before = np.concatenate([[0.0], np.cumsum(ascending)])
        sum_of_lower = sum_before[position] - sum_before[start]
        sum_of_item = np.bincount(self._index, score)[item]
        sum_of_higher = sum_of_item - sum_of_lower - ascending
        distance = np.empty(len(order))
        distance[order] = (
            ascending * lower - sum_of_lower + sum_of_higher - ascending * higher
        )
        return np.asarray(distance / self._others)

    @property
    def _others(self) -> Int64Array:
        """The number of other people of the same item, shape (N,)."""
        return self._number[self._index] - 1

    def _mean_of_others(self, values: FloatArray) -> FloatArray:
        totals = np.bincount(self._index, values)
        return np.asarray((totals[self._index] - values) / self._others)


def _standardised(values: FloatArray, weight: FloatArray) -> FloatArray | None:
    """Return values with weighted mean 0 and variance 1; None if all are equal. The weights sum to 1."""
    if np.ptp(values) == 0:
        return None
    deviation = values - weight @ values
    return np.asarray(deviation / sqrt(weight @ deviation**2))


def _correlation(
    weight: FloatArray,
    product: FloatArray,
    first_square: FloatArray,
    second_square: FloatArray,
    kinds: tuple[Int64Array, Int64Array],
) -> Figure:
    """Return Pearson's correlation from products and squares of standardised values."""
    value = float(weight @ product)
    influence = weight * (product - value * (first_square + second_square) / 2)
    return Figure(value, influence, kinds)


def _joined(one: Int64Array, other: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the rows of each pair of equal numbers in two ascending arrays."""
    first = np.searchsorted(one, other, "left")
    number = np.searchsorted(one, other, "right") - first
    row_of_other = np.repeat(np.arange(len(other)), number)
    before = np.cumsum(number) - number
    offset = np.arange(len(row_of_other)) - before[row_of_other]
    return first[row_of_other] + offset, row_of_other


def _items(side: Pairs, systems: int) -> Int64Array:
    low = np.minimum(side.first, side.second)
    high = np.maximum(side.first, side.second)
    row = side.row.astype(np.int64)
    return (row * systems + low) * systems + high


def _outcomes(side: Pairs) -> Int64Array:
    """Return 1 if the system with the smaller index is better, −1 if the other one is, and 0 for a tie."""
    is_in_order = side.first < side.second
    outcomes = np.where(is_in_order, side.human, -side.human)
    return outcomes.astype(np.int64)


def unanswered(people: Blocks, machine: Blocks) -> int:
    """Return how often people judged outputs of a segment that the machine did not judge together; several people count once."""
    return len(_shown_together(people) - _shown_together(machine))


def _shown_together(blocks: Blocks) -> set[bytes]:
    is_shown = np.packbits(blocks.candidates >= 0, axis=1)
    rows = np.column_stack([blocks.segment.astype(np.int64), is_shown])
    return {outputs.tobytes() for outputs in np.unique(rows, axis=0)}


def annotators_of_blocks(
    people: Blocks,
    machine: Blocks,
    *,
    epsilon: float,
) -> AlternativeAnnotators:
    """Run the alternative annotator test on rankings and choices, without the machine's answers in reverse order.

    An item is the outputs that are shown together. Agreement is the share of pairs that both order or tie alike; for two
    outputs, both choose the same. Raises TooFewPeopleError as `alternative_annotator_test` does.
    """
    machine = machine.without_judges([_REVERSED])
    labels = np.concatenate([people.labels, machine.labels])
    candidates = np.concatenate([people.candidates, machine.candidates])
    segment = np.concatenate([people.segment, machine.segment])
    is_shown = candidates >= 0
    outputs = np.column_stack([segment, np.packbits(is_shown, axis=1)])
    _outputs, item = np.unique(outputs, axis=0, return_inverse=True)
    most = int(is_shown.sum(axis=1).max(initial=1))
    # The outputs of a block in the order of their systems, which are the same for an item.
    shown_first = np.argsort(~is_shown, axis=1, kind="stable")
    positions = shown_first[:, :most]
    ranks = np.take_along_axis(labels, positions, axis=1).astype(np.float64)
    ranks[ranks == 0] = np.nan
    answers = _Answers(
        judge=people.judge.astype(np.int64),
        item=item.reshape(-1),
        values=ranks,
    )
    return _run_annotator_test(answers, "order", epsilon)


def annotators_of_scores(
    people: OutputScores,
    machine: OutputScores,
    systems: Sequence[str],
    texts: Int64Array,
    *,
    epsilon: float,
) -> AlternativeAnnotators:
    """Run the alternative annotator test on scores, without the machine's answers in reverse order.

    Each output is an item, also of several systems. `texts` are those of `pairs_scored`. Raises TooFewPeopleError as `alternative_annotator_test` does.
    """
    by_people = _drop_duplicate_texts(people.by_judge(systems), texts)
    straight = machine.by_judge(systems).without_judge(_REVERSED)
    by_machine = _drop_duplicate_texts(straight, texts)
    segment = np.concatenate([by_people.segment, by_machine.segment])
    _segments, item = np.unique(segment, return_inverse=True)
    answers = _Answers(
        judge=by_people.judge,
        item=item,
        values=np.concatenate([by_people.values, by_machine.values]),
    )
    return _run_annotator_test(answers, "rmse", epsilon)


def _drop_duplicate_texts(scores: ScoresByJudge, texts: Int64Array) -> ScoresByJudge:
    """Leave out scores of systems whose text is that of an earlier system with a score."""
    values = scores.values.copy()
    own = texts[scores.segment]
    for system in range(values.shape[1]):
        for earlier in range(system):
            is_same = own[:, system] == own[:, earlier]
            has_earlier_score = ~np.isnan(scores.values[:, earlier])
            values[is_same & has_earlier_score, system] = np.nan
    return replace(scores, values=values)


class _Answers(NamedTuple):
    """Answers of people and, after them, of the machine.

    Attributes
    ----------
    judge : int64, shape (P,)
        Judge of each of people's rows.
    item : int64, shape (P + M,)
    values : float64, shape (P + M, K)
        Values of K outputs.
    """

    judge: Int64Array
    item: Int64Array
    values: FloatArray


def _run_annotator_test(
    answers: _Answers,
    alignment: Alignment,
    epsilon: float,
) -> AlternativeAnnotators:
    """Run the test; the machine is the last annotator."""
    count = int(answers.judge.max(initial=-1)) + 1
    items = int(answers.item.max(initial=-1)) + 1
    machine_rows = len(answers.item) - len(answers.judge)
    annotator = np.append(answers.judge, np.full(machine_rows, count))
    outputs = answers.values.shape[1]
    values: FloatArray = np.full((count + 1, items, outputs), np.nan)
    values[annotator, answers.item] = answers.values
    if alignment == "rmse":
        values = values.reshape(count + 1, -1)
    return alternative_annotator_test(
        values[:count],
        values[count],
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
    # Each comparison counts for both of its outputs.
    won = sums_by_cell(
        row=np.append(row, row),
        column=np.append(first, second),
        values=np.append(1 + outcome, 1 - outcome) / 2,
        shape=(len(segments), len(blocks.systems)),
    )
    return Metric(
        name=name,
        systems=blocks.systems,
        segments=segments.astype(np.int64),
        values=won.means,
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
