"""Machine judges beside people: worked examples, and intervals in simulated worlds with and without biases."""

from functools import cache

import numpy as np
import pytest

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.beside import OutputScores
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.metrics.alternative_annotators import (
    TooFewPeopleError,
    alternative_annotator_test,
)
from ranking.core.metrics.figures import Drawing, Pairs
from ranking.core.metrics.machine_judges import (
    FigureBesidePeople,
    MachineBesidePeople,
    annotators_of_blocks,
    annotators_of_scores,
    metric_of_blocks,
    metric_of_scores,
    pairs_as_shown,
    pairs_scored,
)
from tests.benchmarks.machine_judges import WORLDS, judged
from tests.some_now import some_now

SYSTEMS = ("A", "B", "C")


def own_texts(segments: int, systems: int) -> Int64Array:
    """Return numbers of texts of which no two are the same."""
    return np.tile(np.arange(systems), (segments, 1))


def row(judge: str, shown: str, *labels: int, segment: int = 1) -> BlockRow:
    return BlockRow(judge, segment, [(system,) for system in shown], labels)


def measured(
    people: Pairs,
    machine: Pairs,
    systems: tuple[str, ...] = SYSTEMS,
    lengths: FloatArray | None = None,
    *,
    has_positions: bool = True,
) -> dict[str, FigureBesidePeople]:
    """Return the figures by name, those of systems by their names."""
    if lengths is None:
        lengths = np.full((4, len(systems)), np.nan)
    beside = MachineBesidePeople(people, machine, systems, Drawing())
    figures = beside.figures(lengths, has_positions=has_positions)
    return {each.system or each.figure: each for each in figures}


def values(
    found: dict[str, FigureBesidePeople],
) -> dict[str, tuple[float | None, float | None, int]]:
    return {
        name: (
            None if each.value is None else each.value.value,
            None if each.people is None else each.people.value,
            each.comparisons,
        )
        for name, each in found.items()
    }


def test_worked_example_of_a_machine_that_prefers_the_first_output() -> None:
    people = blocks_from_rows(
        [row("ada", "ABC", 1, 2, 3), row("ben", "CBA", 1, 1, 2)], SYSTEMS
    )
    machine = blocks_from_rows(
        [row("0", "ABC", 1, 2, 2), row("1", "CBA", 1, 1, 2)], SYSTEMS
    )
    lengths = np.array([[np.nan] * 3, [50, 30, 30]])
    found = measured(pairs_as_shown(people), pairs_as_shown(machine), lengths=lengths)
    assert values(found) == {
        # With Ada: A–B and A–C in one of two orders; with Ben: these, and B–C in both. Ada and Ben agree on nothing.
        "agreement": (pytest.approx(3 / 6), 0, 6),
        "ties": (pytest.approx(2 / 6), pytest.approx(1 / 6), 6),
        "first": (pytest.approx(5 / 6), pytest.approx(5.5 / 6), 6),
        "consistency": (pytest.approx(1 / 3), None, 3),
        # B and C are equally long.
        "longer": (0.5, 0.5, 4),
        "A": (0.5, 0.5, 4),
        "B": (0.5, pytest.approx(2.5 / 4), 4),
        "C": (0.5, pytest.approx(1.5 / 4), 4),
    }
    # One segment tells nothing about others.
    assert {each.value and each.value.low for each in found.values()} == {None}
    difference = found["first"].difference
    assert difference is not None
    assert difference.value == pytest.approx(-0.5 / 6)


def test_worked_example_of_an_unbiased_machine_that_scores() -> None:
    people = OutputScores.of_rows(
        [
            *[
                (1, "ada", "A", 70),
                (1, "ada", "B", 50),
                (2, "ada", "A", 60),
                (2, "ada", "B", 60),
            ],
            *[
                (1, "ben", "A", 90),
                (1, "ben", "B", 95),
                (3, "ben", "A", 10),
                (3, "ben", "B", 20),
            ],
        ]
    )
    machine = OutputScores.of_rows(
        [(1, "0", "A", 5), (1, "0", "B", 3), (2, "0", "A", 4), (2, "0", "B", 4)]
    )
    assert people is not None
    assert machine is not None
    systems = ("A", "B")
    found = measured(
        pairs_scored(people, systems, own_texts(4, 2)),
        pairs_scored(machine, systems, own_texts(4, 2)),
        systems,
        has_positions=False,
    )
    assert values(found) == {
        # Only segment 1 has two people: the machine agrees with Ada, and they disagree.
        "agreement": (0.5, 0, 1),
        "ties": (0.5, 0.5, 2),
        # People of segment 1 count half each.
        "A": (0.75, 0.5, 2),
        "B": (0.25, 0.5, 2),
    }


def test_items_of_people_alone_change_nothing() -> None:
    rows = [row("ada", "ABC", 1, 2, 3), row("ben", "CBA", 1, 1, 2)]
    machine = pairs_as_shown(blocks_from_rows([row("0", "ABC", 1, 2, 2)], SYSTEMS))
    more = [
        *rows,
        row("ada", "ABC", 3, 2, 1, segment=2),
        row("ben", "ABC", 3, 2, 1, segment=2),
    ]
    some, all_ = (
        pairs_as_shown(blocks_from_rows(each, SYSTEMS)) for each in (rows, more)
    )
    assert measured(some, machine) == measured(all_, machine)


def test_machine_without_items_of_people_has_no_figures() -> None:
    people = pairs_as_shown(blocks_from_rows([row("ada", "AB", 1, 2)], SYSTEMS))
    machine = pairs_as_shown(blocks_from_rows([row("0", "BC", 1, 2)], SYSTEMS))
    assert measured(people, machine) == {}


def test_score_of_a_ranked_output_is_the_share_of_its_comparisons_that_it_wins() -> (
    None
):
    rows = [
        row("0", "ABC", 1, 2, 2),
        row("1", "CBA", 1, 1, 2),
        row("0", "AC", 2, 1, segment=3),
    ]
    metric = metric_of_blocks("bot 1", blocks_from_rows(rows, SYSTEMS))
    assert metric.segments.tolist() == [1, 3]
    assert metric.values == pytest.approx(
        np.array([[2 / 4, 2 / 4, 2 / 4], [0, np.nan, 1]]), nan_ok=True
    )
    assert metric.is_machine
    # Expected Wins: B lost once against A and won once; A and C have won 1 of 2 and 1 of 3.
    assert metric.scores == pytest.approx([(1 / 2 + 1 / 3) / 2, 1 / 2, 2 / 3])


def test_scores_of_a_machine_are_its_metric() -> None:
    scores = OutputScores.of_rows(
        [(2, "0", "B", 5.0), (2, "0", "C", 3.0), (7, "0", "B", 4.0)]
    )
    assert scores is not None
    metric = metric_of_scores("bot 1", scores)
    assert (metric.systems, metric.segments.tolist()) == (("B", "C"), [2, 7])
    assert metric.values == pytest.approx(np.array([[5, 3], [4, np.nan]]), nan_ok=True)


def ranked_by_four(segments: int) -> tuple[Blocks, Blocks, FloatArray]:
    """Return blocks of four people and a machine in different orders, and all ranks."""
    random = np.random.default_rng(1)
    ranks = random.integers(1, 4, (5, segments, 3))
    rows = []
    for annotator in range(5):
        for segment in range(segments):
            order = random.permutation(3)
            shown = "".join(SYSTEMS[index] for index in order)
            labels = ranks[annotator, segment, order].tolist()
            rows.append(row(f"j{annotator}", shown, *labels, segment=segment + 1))
    people = blocks_from_rows(rows[: 4 * segments], SYSTEMS)
    return (
        people,
        blocks_from_rows(rows[4 * segments :], SYSTEMS),
        ranks.astype(np.float64),
    )


def test_alternative_annotator_test_of_rankings_is_that_of_their_ranks() -> None:
    people, machine, ranks = ranked_by_four(40)
    found = annotators_of_blocks(people, machine, epsilon=0.1)
    expected = alternative_annotator_test(
        ranks[:4], ranks[4], alignment="order", epsilon=0.1
    )
    assert found.p_value == pytest.approx(expected.p_value)
    assert found.advantage == pytest.approx(expected.advantage)
    assert found.items.tolist() == [40] * 4
    turned = [row("1", "CBA", 3, 2, 1, segment=segment) for segment in range(1, 41)]
    straight = [
        row("0", "ABC", *labels, segment=segment)
        for segment, labels in zip(
            machine.segment.tolist(), machine.labels.tolist(), strict=True
        )
    ]
    twice = blocks_from_rows(straight + turned, SYSTEMS)
    again = annotators_of_blocks(people, twice, epsilon=0.1)
    assert again.p_value.tolist() == found.p_value.tolist()


def test_alternative_annotator_test_of_scores_is_that_of_each_output() -> None:
    random = np.random.default_rng(2)
    scored = random.integers(0, 100, (5, 20, 2)).astype(np.float64)
    rows = [
        (segment, f"j{annotator}", system, scored[annotator, segment, column])
        for annotator in range(5)
        for segment in range(20)
        for column, system in enumerate("AB")
    ]
    people, machine = (OutputScores.of_rows(each) for each in (rows[:160], rows[160:]))
    assert people is not None
    assert machine is not None
    texts = own_texts(20, 2)
    found = annotators_of_scores(people, machine, ("A", "B"), texts, epsilon=0.1)
    flat = scored.reshape(5, 40)
    expected = alternative_annotator_test(
        flat[:4], flat[4], alignment="rmse", epsilon=0.1
    )
    assert found.p_value == pytest.approx(expected.p_value)
    assert found.winning_rate == expected.winning_rate


def test_systems_with_the_same_text_have_one_scored_output() -> None:
    texts = own_texts(21, 3)
    texts[:, 1] = 0
    rows = [
        (segment, judge, system, float(segment % 7 + number))
        for segment in range(1, 21)
        for number, judge in enumerate(("a", "b", "c", "d"))
        for system in SYSTEMS
    ]
    scores = OutputScores.of_rows(rows)
    assert scores is not None
    pairs = pairs_scored(scores, SYSTEMS, texts)
    compared = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    assert {frozenset(pair) for pair in compared} == {
        frozenset((0, 2)),
        frozenset((1, 2)),
    }
    found = annotators_of_scores(scores, scores, SYSTEMS, texts, epsilon=0.1)
    assert found.items.tolist() == [40] * 4


def test_alternative_annotator_test_needs_three_people_and_thirty_items() -> None:
    people, machine, _ranks = ranked_by_four(40)
    two = people.without_judges(["j0", "j1"])
    with pytest.raises(TooFewPeopleError):
        annotators_of_blocks(two, machine, epsilon=0.2)
    with pytest.raises(TooFewPeopleError):
        annotators_of_blocks(people.take(people.segment < 30), machine, epsilon=0.2)


@cache
def true_values(name: str) -> dict[str, float]:
    """Return the figures of a large campaign with many judges."""
    found = judged(WORLDS[name], 0, segments=2_000, judges=400)
    return {figure: each.value for figure, each in found.items()}


def test_biases_are_found_where_they_are() -> None:
    biased, unbiased = true_values("biased"), true_values("unbiased")
    for figure in ("first", "longer", "A"):
        difference = f"{figure}, difference"
        assert biased[difference] > 0.05
        assert abs(unbiased[difference]) < 0.02


@pytest.mark.parametrize("name", some_now(WORLDS))
def test_intervals_hold_the_truth(name: str) -> None:
    truth = true_values(name)
    campaigns = 80
    inside = dict.fromkeys(truth, 0)
    for seed in range(1, campaigns + 1):
        for figure, each in judged(WORLDS[name], seed, segments=60, judges=8).items():
            assert each.low is not None
            assert each.high is not None
            inside[figure] += each.low <= truth[figure] <= each.high
    # 95%, less three standard errors.
    least = 0.95 - 3 * (0.95 * 0.05 / campaigns) ** 0.5
    assert {figure: n for figure, n in inside.items() if n < least * campaigns} == {}
