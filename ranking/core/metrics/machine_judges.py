"""Machine judges beside people on the same items: agreement, biases, and the alternative annotator test.

An item is the outputs of one segment that were shown together or, if outputs are scored, a pair of scored outputs. A machine
is compared with the people who judged the same items, so that a difference between the two is not one of the items.

The preference for an output is 1 if it is better than the other one, ½ for a tie, and 0 if it is worse. It is averaged over
comparisons; those of people of one item share the weight of the machine's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ranking.core.agreement.intervals import Agreement
from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.beside import OutputScores
from ranking.core.counting.counts import Comparisons, comparisons_of, shown_position, tally
from ranking.core.estimates import Estimate
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.shares import clustered_share
from ranking.core.methods.shares import expected_wins
from ranking.core.metrics.alternative_annotators import (
    FEWEST_ITEMS,
    AlternativeAnnotators,
    alternative_annotator_test,
)
from ranking.core.metrics.figures import Drawing, Figure, pair_differences
from ranking.core.metrics.people import Metric
from ranking.core.scores import TIE_DECIMALS

#: Judges are named by pseudonyms, which are never empty.
_MACHINE = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class MachineAnswers:
    """Answers of a machine judge.

    Attributes
    ----------
    name : str
    blocks : Blocks
        B judged blocks, by one judge without a name.
    is_reversed : bool, shape (B,)
        Whether the block was shown in the reverse of the order in which a person judged it.
    scores : OutputScores or None
        Scores of outputs, if the protocol has any.
    skipped : int
        Number of skipped blocks.
    """

    name: str
    blocks: Blocks
    is_reversed: BoolArray
    scores: OutputScores | None
    skipped: int

    def of_systems(self, systems: tuple[str, ...]) -> MachineAnswers:
        """Return the answers about the outputs of some of the systems, in this order."""
        index = [self.blocks.systems.index(name) for name in systems]
        return replace(self, blocks=self.blocks.of_systems(index))


def blocks_of_pairs(scores: OutputScores) -> Blocks:
    """Return scores as comparisons: a block of two outputs for each pair that a judge scored on one segment.

    Positions in these blocks mean nothing.
    """
    own = scores.by_judge
    first, second = np.triu_indices(len(scores.systems), 1)
    difference = np.round(pair_differences(own.values), TIE_DECIMALS)
    row, pair = np.nonzero(~np.isnan(difference))
    lead = difference[row, pair]
    block = np.arange(len(row))
    labels = np.zeros((len(row), len(scores.systems)), dtype=np.int8)
    candidates = np.full_like(labels, -1)
    labels[block, first[pair]] = np.where(lead >= 0, 1, 2)
    labels[block, second[pair]] = np.where(lead <= 0, 1, 2)
    candidates[block, first[pair]] = 0
    candidates[block, second[pair]] = 1
    return Blocks(
        systems=scores.systems,
        labels=labels,
        candidates=candidates,
        judge=own.judge[row].astype(np.int32),
        judges=own.judges,
        segment=own.segment[row].astype(np.int32),
        key=block.astype(np.uint64),
    )


@dataclass(frozen=True, kw_only=True)
class FigureBesidePeople:
    """A share of a machine, and of people on the same items.

    Attributes
    ----------
    machine : Estimate
    people, difference : Estimate or None
        None for figures that people do not have.
    comparisons : int
        Number of the machine's comparisons.
    """

    machine: Estimate
    people: Estimate | None
    difference: Estimate | None
    comparisons: int


@dataclass(frozen=True, kw_only=True)
class MachineFigures:
    """Figures of a machine beside people who judged the same items.

    Attributes
    ----------
    judgments : int
        Number of the machine's judged blocks or scored outputs that people judged, too.
    agreement : Agreement
        Of the machine with each person.
    ceiling : Agreement
        Of people with each other, on the same items.
    shares : mapping of str to FigureBesidePeople
        "ties": share of ties; "first" and "longer": preference for the output shown first and for the longer one;
        "consistency": share of comparisons with the same outcome in both orders. Those without comparisons are left out.
    systems : mapping of str to FigureBesidePeople
        Preference for the outputs of each system.
    """

    judgments: int
    agreement: Agreement
    ceiling: Agreement
    shares: Mapping[str, FigureBesidePeople]
    systems: Mapping[str, FigureBesidePeople]


def machine_figures(
    people: Blocks,
    machine: MachineAnswers,
    lengths: FloatArray,
    *,
    has_positions: bool,
    drawing: Drawing,
) -> MachineFigures:
    """Measure a machine beside people on the same items.

    Intervals of the machine's shares are over segments (`ranking.core.judges.shares`); those of people's, and of
    differences, are over segments and judges.

    Parameters
    ----------
    people : Blocks
    machine : MachineAnswers
        Over the same n systems.
    lengths : float64, shape (S, n)
        Length of each output by segment number; NaN where unknown.
    has_positions : bool
        Whether the outputs of a block were shown together.
    drawing : Drawing
        Confidence of the intervals.
    """
    of_people, of_machine = _numbered(people, machine.blocks)
    is_shared = np.isin(of_people, of_machine)
    is_known = np.isin(of_machine, of_people)
    shared = people.take(is_shared).with_judges_in_order()
    own = _listed(machine.blocks.take(is_known), of_machine[is_known])
    rows = _Matched(own, _listed(shared, of_people[is_shared]), drawing)
    is_second = machine.is_reversed[is_known][own.columns.block]
    with_machine = inter_judge_agreement(
        _joined(shared, machine.blocks.take(is_known)), confidence=drawing.confidence
    )
    among_people = inter_judge_agreement(shared, confidence=drawing.confidence)
    shares: dict[str, FigureBesidePeople | None] = {}
    if not people.best_worst:
        shares["ties"] = rows.ties()
    if has_positions:
        shares["first"] = rows.preference(own.shown_first, rows.people.shown_first)
    longer = own.longer(lengths)
    shares["longer"] = rows.preference(longer, rows.people.longer(lengths))
    shares["consistency"] = _consistency(own.take(~is_second), own.take(is_second), drawing)
    systems = {
        name: rows.preference(own.of_system(index), rows.people.of_system(index))
        for index, name in enumerate(people.systems)
    }
    return MachineFigures(
        judgments=int(np.count_nonzero(is_known)),
        agreement=with_machine.judges[0].agreement,
        ceiling=among_people.inter,
        shares={name: each for name, each in shares.items() if each is not None},
        systems={name: each for name, each in systems.items() if each is not None},
    )


def _numbered(people: Blocks, machine: Blocks) -> tuple[Int64Array, Int64Array]:
    """Return the number of the item of each block: equal for blocks with the same outputs of a segment."""
    columns = [
        np.column_stack([blocks.segment, np.packbits(blocks.candidates >= 0, axis=1)])
        for blocks in (people, machine)
    ]
    numbers = np.unique(np.concatenate(columns), axis=0, return_inverse=True)[1]
    of_people, of_machine = np.split(numbers.reshape(-1), [len(people)])
    return of_people.astype(np.int64), of_machine.astype(np.int64)


def _joined(people: Blocks, machine: Blocks) -> Blocks:
    """Return the blocks of people and of a machine, which comes first among the judges."""
    columns = {
        name: np.concatenate([getattr(people, name), getattr(machine, name)])
        for name in ("labels", "candidates", "segment", "key")
    }
    judge = np.concatenate([people.judge + np.int32(1), np.zeros(len(machine), dtype=np.int32)])
    return Blocks(
        systems=people.systems,
        judges=(_MACHINE, *people.judges),
        judge=judge,
        best_worst=people.best_worst,
        **columns,
    )


@dataclass(frozen=True, eq=False)
class _Listed:
    """C comparisons with the number of their pair of outputs, and their segment.

    A direction is 1 for comparisons whose first system is meant, −1 if the second one is, and 0 for neither.
    """

    columns: Comparisons
    pair: Int64Array
    segment: Int64Array

    def take(self, rows: BoolArray) -> _Listed:
        found = {name: column[rows] for name, column in vars(self.columns).items()}
        return _Listed(Comparisons(**found), self.pair[rows], self.segment[rows])

    @property
    def shown_first(self) -> Int64Array:
        """Direction of the output shown first."""
        return -np.sign(self.columns.covariates[:, 0]).astype(np.int64)

    def longer(self, lengths: FloatArray) -> Int64Array:
        """Direction of the longer output; 0 if a length is unknown."""
        first, second = self.columns.first, self.columns.second
        difference = lengths[self.segment, first] - lengths[self.segment, second]
        return np.sign(np.nan_to_num(difference)).astype(np.int64)

    def of_system(self, index: int) -> Int64Array:
        """Direction of the outputs of a system."""
        is_first = self.columns.first == index
        is_second = self.columns.second == index
        return is_first.astype(np.int64) - is_second


def _listed(blocks: Blocks, item: Int64Array) -> _Listed:
    columns = comparisons_of(blocks, shown_position(blocks))
    n = len(blocks.systems)
    pair = (item[columns.block] * n + columns.first) * n + columns.second
    return _Listed(columns, pair, blocks.segment[columns.block].astype(np.int64))


class _Matched:
    """Each comparison of a machine with each one of the same outputs by people."""

    def __init__(self, machine: _Listed, people: _Listed, drawing: Drawing) -> None:
        self.machine = machine
        self.people = people
        self._drawing = drawing
        self._own, self._theirs = _equal_entries(machine.pair, people.pair)
        # The people of an item share the weight of the machine's comparison.
        count = np.bincount(self._own, minlength=len(machine.pair))
        self._weight = 1 / count[self._own]

    def ties(self) -> FigureBesidePeople | None:
        """Return the share of ties."""
        own, theirs = (side.columns.outcome == 0 for side in (self.machine, self.people))
        every = np.ones(len(own), dtype=np.bool_)
        return self._figure(2 * own.astype(np.int64), 2 * theirs.astype(np.int64), every)

    def preference(self, own: Int64Array, theirs: Int64Array) -> FigureBesidePeople | None:
        """Return the preference for the outputs in these directions, of the machine's and of people's comparisons."""
        by_machine = 1 + own * self.machine.columns.outcome
        by_people = 1 + theirs * self.people.columns.outcome
        return self._figure(by_machine, by_people, own != 0)

    def _figure(
        self, own: Int64Array, theirs: Int64Array, chosen: BoolArray
    ) -> FigureBesidePeople | None:
        """Return the mean over the chosen comparisons of values that are 0, 1 or 2 halves; None without any."""
        compared = chosen.copy()
        compared[np.bincount(self._own, minlength=len(own)) == 0] = False
        if not compared.any():
            return None
        rows = chosen[self._own]
        machine, judged = self._own[rows], self._theirs[rows]
        weight = self._weight[rows]
        units = (self.machine.segment[machine], self.people.columns.judge[judged])
        by_people = Figure.of_sums(weight * theirs[judged] / 2, weight, units)
        ahead = (own[machine] - theirs[judged]) / 2
        difference = Figure.of_sums(weight * ahead, weight, units)
        people = by_people.estimate(self._drawing)
        if people.low is not None:
            people = replace(people, low=max(0.0, people.low))
        segment = self.machine.segment[compared]
        return FigureBesidePeople(
            machine=_share_by_segment(own[compared], segment, self._drawing),
            people=people,
            difference=difference.estimate(self._drawing),
            comparisons=int(np.count_nonzero(compared)),
        )


def _equal_entries(one: Int64Array, other: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the indices of all pairs of equal entries, in the order of the first."""
    order = np.argsort(other, kind="stable")
    start = np.searchsorted(other[order], one, side="left")
    count = np.searchsorted(other[order], one, side="right") - start
    mine = np.repeat(np.arange(len(one)), count)
    within = np.arange(len(mine)) - np.repeat(np.cumsum(count) - count, count)
    return mine, order[start[mine] + within]


def _share_by_segment(halves: Int64Array, segment: Int64Array, drawing: Drawing) -> Estimate:
    """Return the mean of values that are 0, 1 or 2 halves, with its interval over segments."""
    place = np.unique(segment, return_inverse=True)[1]
    successes = np.bincount(place, halves).astype(np.int64)
    found = clustered_share(successes, 2 * np.bincount(place), confidence=drawing.confidence)
    value = float(found.value or 0.0)
    if len(successes) < 2:
        return Estimate(value, None, None)
    return Estimate(value, found.low, found.high)


def _consistency(
    straight: _Listed, reverse: _Listed, drawing: Drawing
) -> FigureBesidePeople | None:
    """Return the share of comparisons with the same outcome in both orders; None if there is only one."""
    one, other = _equal_entries(straight.pair, reverse.pair)
    if not len(one):
        return None
    is_same = straight.columns.outcome[one] == reverse.columns.outcome[other]
    return FigureBesidePeople(
        machine=_share_by_segment(2 * is_same.astype(np.int64), straight.segment[one], drawing),
        people=None,
        difference=None,
        comparisons=len(one),
    )


def machine_beside_annotators(
    people: Blocks, machine: MachineAnswers, *, epsilon: float
) -> AlternativeAnnotators:
    """Run the alternative annotator test on rankings and choices, in the order in which people saw the outputs.

    Agreement on an item is the share of pairs of its outputs that both order or tie alike; for two outputs, both choose
    the same. Raises TooFewPeopleError as `alternative_annotator_test` does.
    """
    own = machine.blocks.take(~machine.is_reversed)
    of_people, of_machine = _numbered(people, own)
    items = np.unique(of_machine)
    is_shared = np.isin(of_people, items)
    most = int((own.candidates >= 0).sum(axis=1).max(initial=1))
    shape = (len(people.judges), len(items), most)
    theirs = np.searchsorted(items, of_people[is_shared])
    ranks = _ranks(own, np.searchsorted(items, of_machine), (1, *shape[1:]))
    return alternative_annotator_test(
        _ranks(people.take(is_shared), theirs, shape),
        ranks[0],
        alignment="order",
        epsilon=epsilon,
        fewest_items=FEWEST_ITEMS,
    )


def _ranks(blocks: Blocks, item: Int64Array, shape: tuple[int, int, int]) -> FloatArray:
    """Return the labels of J judges on I items with up to K outputs, in the order of their systems; NaN where missing."""
    block, system = np.nonzero(blocks.candidates >= 0)
    place = np.arange(len(block)) - np.searchsorted(block, block)
    labels = blocks.labels[block, system].astype(np.float64)
    labels[labels == 0] = np.nan
    ranks = np.full(shape, np.nan)
    ranks[blocks.judge[block], item[block], place] = labels
    return ranks


def scores_beside_annotators(
    people: OutputScores, machine: OutputScores, *, epsilon: float
) -> AlternativeAnnotators:
    """Run the alternative annotator test on scores of the same n systems. Each output is an item.

    Raises TooFewPeopleError as `alternative_annotator_test` does.
    """
    own, theirs = machine.by_judge, people.by_judge
    is_shared = np.isin(theirs.segment, own.segment)
    values = np.full((len(theirs.judges), *own.values.shape), np.nan)
    row = np.searchsorted(own.segment, theirs.segment[is_shared])
    values[theirs.judge[is_shared], row] = theirs.values[is_shared]
    return alternative_annotator_test(
        values.reshape(len(values), -1),
        own.values.reshape(-1),
        alignment="rmse",
        epsilon=epsilon,
        fewest_items=FEWEST_ITEMS,
    )


def metric_of_machine(machine: MachineAnswers, *, is_scored: bool) -> Metric | None:
    """Return a machine's scores of outputs, as metrics have them; None without any.

    If outputs are ranked, the score of an output is the share of its comparisons on the segment that it wins, with ties
    as halves, and that of a system is its Expected Wins.
    """
    if is_scored:
        if machine.scores is None:
            return None
        own = machine.scores.by_judge
        return Metric(
            name=machine.name,
            systems=machine.scores.systems,
            segments=own.segment,
            values=own.values,
            is_machine=True,
        )
    blocks = machine.blocks
    compared = comparisons_of(blocks)
    if not len(compared.block):
        return None
    segments, row = np.unique(blocks.segment[compared.block], return_inverse=True)
    n = len(blocks.systems)
    won = np.zeros((len(segments), n))
    count = np.zeros((len(segments), n))
    for system, sign in ((compared.first, 1), (compared.second, -1)):
        np.add.at(won, (row, system), (1 + sign * compared.outcome) / 2)
        np.add.at(count, (row, system), 1)
    return Metric(
        name=machine.name,
        systems=blocks.systems,
        segments=segments.astype(np.int64),
        values=np.where(count > 0, won / np.maximum(count, 1), np.nan),
        of_systems=expected_wins(tally(blocks).wins).values,
        is_machine=True,
    )
