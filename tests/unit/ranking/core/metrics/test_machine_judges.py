"""Machine judges beside people: worked examples, and intervals in simulated worlds with and without biases."""

from functools import cache
from typing import Any

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
    ScoresBesidePeople,
    annotators_of_blocks,
    annotators_of_scores,
    metric_of_blocks,
    metric_of_scores,
    pairs_as_shown,
    pairs_scored,
)
from tests.benchmarks.machine_judges import CAMPAIGNS, WORLDS
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
) -> dict[str, tuple[Any, Any, int]]:
    """Return value, value of people and comparisons of each figure."""
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
        [row("ada", "ABC", 1, 2, 3), row("ben", "CBA", 1, 1, 2)],
        SYSTEMS,
    )
    machine = blocks_from_rows(
        [row("0", "ABC", 1, 2, 2), row("1", "CBA", 1, 1, 2)],
        SYSTEMS,
    )
    lengths = np.array([[np.nan] * 3, [50, 30, 30]])
    found = measured(pairs_as_shown(people), pairs_as_shown(machine), lengths=lengths)
    assert values(found) == {
        # With Ada: A–B and A–C in one of two orders; with Ben: these, and B–C in both. Ada and Ben agree on nothing.
        "agreement": (pytest.approx(3 / 6), 0, 6),
        # By chance, 1/3 · 1/6 + 2/3 · 5/6 · 1/2 = 1/3; of two people, 1/36 + 25/72 = 3/8.
        "kappa": (pytest.approx(1 / 4), pytest.approx(-3 / 5), 6),
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
        ],
    )
    machine = OutputScores.of_rows(
        [(1, "0", "A", 5), (1, "0", "B", 3), (2, "0", "A", 4), (2, "0", "B", 4)],
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
        "kappa": (0, -1, 1),
        "ties": (0.5, 0.5, 2),
        # People of segment 1 count half each.
        "A": (0.75, 0.5, 2),
        "B": (0.25, 0.5, 2),
    }


def of_rows(*rows: tuple[int, str, str, float]) -> OutputScores:
    scores = OutputScores.of_rows(rows)
    assert scores is not None
    return scores


def scored(
    people: OutputScores,
    machine: OutputScores,
    systems: tuple[str, ...] = ("A", "B"),
    texts: Int64Array | None = None,
) -> dict[str, FigureBesidePeople]:
    """Return the figures of scores by name, mean scores of systems by their names."""
    if texts is None:
        texts = own_texts(200, len(systems))
    beside = ScoresBesidePeople(people, machine, systems, texts, Drawing())
    return {each.system or each.figure: each for each in beside.figures()}


def test_worked_example_of_outputs_that_are_scored_one_at_a_time() -> None:
    people = of_rows(
        (1, "ada", "A", 70),
        (1, "ben", "A", 90),
        (1, "cleo", "A", 80),
        (2, "ada", "B", 40),
        (2, "dora", "B", 40),
        # One person, and none whom the machine meets.
        (3, "ben", "A", 10),
        (4, "ada", "A", 20),
        (4, "ben", "A", 30),
    )
    machine = of_rows((1, "0", "A", 80), (2, "0", "B", 50), (3, "0", "A", 60))
    found = scored(people, machine)
    own, others = found["score_correlation"].value, found["score_correlation"].people
    assert values({name: found[name] for name in found if "corr" not in name}) == {
        "same_score": (pytest.approx((1 / 3 + 0) / 2), pytest.approx((0 + 1) / 2), 2),
        # Ada, Ben and Cleo differ by 20, 10 and 10 points.
        "score_distance": (
            pytest.approx((20 / 3 + 10) / 2),
            pytest.approx((40 / 3 + 0) / 2),
            2,
        ),
        "score": (65, 60, 2),
        "A": (80, 80, 1),
        "B": (50, 40, 1),
    }
    # Each output has the weight 1.
    person = np.array([70, 90, 80, 40, 40], dtype=np.float64)
    weight = np.array([1, 1, 1, 1.5, 1.5]) / 6
    by_machine = np.array([80, 80, 80, 50, 50], dtype=np.float64)
    covariance = np.cov(person, by_machine, aweights=weight)
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert own is not None
    assert own.value == pytest.approx(correlation)
    pairs = np.array(
        [(70, 90), (70, 80), (90, 80), (40, 40), (40, 40), (40, 40)],
        dtype=np.float64,
    )
    first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
    assert others is not None
    assert others.value == pytest.approx(np.corrcoef(first, second)[0, 1])


def test_scores_of_outputs_with_one_person_have_no_ceiling() -> None:
    people = of_rows((1, "ada", "A", 3), (2, "ben", "B", 5), (3, "ada", "B", 1))
    machine = of_rows((1, "0", "A", 2), (2, "0", "B", 4), (3, "0", "B", 0))
    found = scored(people, machine)
    correlation = found["score_correlation"]
    assert correlation.value is not None
    assert correlation.value.value == pytest.approx(1)
    assert (correlation.people, correlation.difference) == (None, None)
    distance = found["score_distance"].value
    assert distance is not None
    assert distance.value == 1


def test_machine_that_gives_one_score_throughout_has_no_correlation() -> None:
    """future-agi/future-agi 2569, agentscope-ai/OpenJudge 191: it had a correlation of 1, or NaN."""
    people = of_rows((1, "ada", "A", 3), (2, "ada", "B", 5))
    machine = of_rows((1, "0", "A", 5), (2, "0", "B", 5))
    for one, other in ((people, machine), (machine, people)):
        found = scored(one, other)
        assert "score" in found
        assert "score_correlation" not in found
    several = of_rows(
        *[(segment, judge, "A", segment) for segment in (1, 2) for judge in "ab"],
    )
    constant = of_rows((1, "0", "A", 5), (2, "0", "A", 5))
    correlation = scored(several, constant)["score_correlation"]
    assert (correlation.value, correlation.difference) == (None, None)
    assert correlation.people is not None


def test_one_text_of_two_systems_is_one_scored_output() -> None:
    texts = own_texts(3, 2)
    texts[1] = 0
    people = of_rows((1, "ada", "A", 3), (1, "ben", "B", 4))
    machine = of_rows((1, "0", "A", 4), (1, "0", "B", 4))
    found = scored(people, machine, texts=texts)
    assert found["same_score"].comparisons == 1
    assert values(found)["same_score"] == (0.5, 0, 1)
    assert values(found)["A"] == values(found)["B"] == (4, 3.5, 1)
    assert scored(people, machine)["same_score"].comparisons == 2


def test_scores_in_both_orders_weigh_as_one() -> None:
    people = of_rows((1, "ada", "A", 3), (2, "ada", "A", 5))
    machine = of_rows((1, "0", "A", 3), (1, "1", "A", 4), (2, "0", "A", 1))
    found = scored(people, machine)
    assert values(found)["same_score"] == (0.25, None, 3)
    assert values(found)["score_distance"] == ((0.5 + 4) / 2, None, 3)
    assert values(found)["score"] == ((3.5 + 1) / 2, 4, 3)


def test_machine_that_has_learned_nothing_agrees_no_more_than_by_chance() -> None:
    """langwatch/langwatch 6131, openai/openai-cookbook 2940, attevon-llc/OpenTranscribe 518: it had 90%, off the base rate."""
    people = []
    always_tied = []
    for segment in range(1, 31):
        # Nine of ten pairs are tied.
        labels = [1, 2] if segment % 10 == 0 else [1, 1]
        people += [row(judge, "AB", *labels, segment=segment) for judge in "xyz"]
        always_tied.append(row("0", "AB", 1, 1, segment=segment))
    of_people, of_machine = (
        pairs_as_shown(blocks_from_rows(rows, SYSTEMS))
        for rows in (people, always_tied)
    )
    lengths = np.full((31, 3), np.nan)
    found = measured(of_people, of_machine, lengths=lengths)
    assert values(found)["agreement"] == (pytest.approx(0.9), 1, 30)
    assert values(found)["kappa"] == (pytest.approx(0), 1, 30)
    all_tied = measured(of_machine, of_machine, lengths=lengths)
    assert values(all_tied)["kappa"] == (None, None, 30)


def test_intervals_of_shares_are_within_0_and_1() -> None:
    people = []
    machine = []
    for segment in range(1, 13):
        labels = [1, 1] if segment == 1 else [1, 2]
        people += [row(judge, "AB", *labels, segment=segment) for judge in "xyz"]
        machine.append(row("0", "AB", *labels, segment=segment))
        # In the other order, the machine prefers the other output but once.
        swapped = [1, 2] if segment > 1 else [1, 1]
        machine.append(row("1", "BA", *swapped, segment=segment))
    of_people, of_machine = (
        pairs_as_shown(blocks_from_rows(rows, SYSTEMS)) for rows in (people, machine)
    )
    found = measured(of_people, of_machine, lengths=np.full((13, 3), np.nan))
    for name in ("ties", "consistency"):
        share = found[name].value
        assert share is not None
        assert (share.low, share.value > 0) == (0, True)
    for each in found.values():
        for one in (each.value, each.people):
            if each.figure == "kappa" or one is None:
                continue
            if one.low is not None and one.high is not None:
                assert 0 <= one.low <= one.high <= 1


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
        np.array([[2 / 4, 2 / 4, 2 / 4], [0, np.nan, 1]]),
        nan_ok=True,
    )
    assert metric.is_machine
    # Expected Wins: B lost once against A and won once; A and C have won 1 of 2 and 1 of 3.
    assert metric.scores == pytest.approx([(1 / 2 + 1 / 3) / 2, 1 / 2, 2 / 3])


def test_scores_of_a_machine_are_its_metric() -> None:
    scores = OutputScores.of_rows(
        [(2, "0", "B", 5.0), (2, "0", "C", 3.0), (7, "0", "B", 4.0)],
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
        ranks[:4],
        ranks[4],
        alignment="order",
        epsilon=0.1,
    )
    assert found.p_value == pytest.approx(expected.p_value)
    assert found.advantage == pytest.approx(expected.advantage)
    assert found.items.tolist() == [40] * 4
    turned = [row("1", "CBA", 3, 2, 1, segment=segment) for segment in range(1, 41)]
    straight = [
        row("0", "ABC", *labels, segment=segment)
        for segment, labels in zip(
            machine.segment.tolist(),
            machine.labels.tolist(),
            strict=True,
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
        flat[:4],
        flat[4],
        alignment="rmse",
        epsilon=0.1,
    )
    assert found.p_value == pytest.approx(expected.p_value)
    assert found.winning_rate == expected.winning_rate
    # Scores in reverse order do not count.
    in_reverse = [
        (segment, "1", system, float(score))
        for segment, _0, system, score in rows[160:]
    ]
    random.shuffle(in_reverse)
    straight = [
        (segment, "0", system, score) for segment, _j, system, score in rows[160:]
    ]
    other_scores = [
        (segment, judge, system, 100 - score)
        for segment, judge, system, score in in_reverse
    ]
    twice = OutputScores.of_rows([*straight, *other_scores])
    assert twice is not None
    again = annotators_of_scores(people, twice, ("A", "B"), texts, epsilon=0.1)
    assert again.p_value.tolist() == found.p_value.tolist()


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
def true_values(name: str, kind: str = "ranked") -> dict[str, float]:
    """Return the figures of a large campaign with many judges."""
    found = CAMPAIGNS[kind](WORLDS[name], 0, segments=2_000, judges=400)
    return {figure: each.value for figure, each in found.items()}


def test_biases_are_found_where_they_are() -> None:
    biased, unbiased = true_values("biased"), true_values("unbiased")
    for figure in ("first", "longer", "A"):
        difference = f"{figure}, difference"
        assert biased[difference] > 0.05
        assert abs(unbiased[difference]) < 0.02


def test_machine_that_favours_a_system_scores_its_outputs_higher() -> None:
    biased, unbiased = (
        true_values("biased", "scored"),
        true_values("unbiased", "scored"),
    )
    assert biased["score A, difference"] > unbiased["score A, difference"] + 0.5
    assert abs(biased["score B, difference"] - unbiased["score B, difference"]) < 0.1


@pytest.mark.parametrize("kind", CAMPAIGNS)
@pytest.mark.parametrize("name", some_now(WORLDS))
def test_intervals_hold_the_truth(name: str, kind: str) -> None:
    truth = true_values(name, kind)
    campaigns = 80
    inside = dict.fromkeys(truth, 0)
    without_interval = 0
    for seed in range(1, campaigns + 1):
        drawn = CAMPAIGNS[kind](WORLDS[name], seed, segments=60, judges=8)
        for figure, each in drawn.items():
            if each.low is None or each.high is None:
                # All outputs of a system have the same score.
                assert figure.startswith("score ")
                without_interval += 1
                inside[figure] += 1
            else:
                inside[figure] += each.low <= truth[figure] <= each.high
    assert without_interval < 5
    # 95%, less three standard errors.
    least = 0.95 - 3 * (0.95 * 0.05 / campaigns) ** 0.5
    assert {figure: n for figure, n in inside.items() if n < least * campaigns} == {}
