"""The alternative annotator test: a worked example, a second implementation by item and person, and refusals.

On the nine data sets that the authors released, winning rates and advantage probabilities are those of their code for each of 52
models, to the last digit (nitaytech/AltTest at 18428b1); the repository has no licence, so its data are not kept here.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from ranking.core.arrays import FloatArray
from ranking.core.metrics.alternative_annotators import (
    Alignment,
    TooFewPeopleError,
    alternative_annotator_test,
)


def test_worked_example() -> None:
    # Person 0 differs from the others on 10 of 40 items, the machine on the last 2.
    people = np.zeros((3, 40))
    people[0, :10] = 1
    machine = np.zeros(40)
    machine[-2:] = 1
    found = alternative_annotator_test(
        people,
        machine,
        alignment="accuracy",
        epsilon=0.1,
    )
    assert found.items.tolist() == [40, 40, 40]
    assert found.advantage.tolist() == [38 / 40, 38 / 40, 38 / 40]
    # Leads of person 0: 2 items gained, 10 lost, 28 equal. Mean −0.2, standard deviation √(10.4 / 39).
    error = np.sqrt((12 - 40 * 0.2**2) / 39) / np.sqrt(40)
    p = [stats.t.cdf((-0.2 - 0.1) / error, 39)]
    # Leads of the others: 2 items gained, 38 equal.
    error = np.sqrt((2 - 40 * 0.05**2) / 39) / np.sqrt(40)
    p += 2 * [stats.t.cdf((0.05 - 0.1) / error, 39)]
    assert found.p_value == pytest.approx(p)
    assert found.adjusted_p == pytest.approx(
        stats.false_discovery_control(p, method="by").clip(max=1),
    )
    assert found.wins.tolist() == [True, False, False]
    assert found.winning_rate == pytest.approx(1 / 3)
    assert found.advantage_probability == pytest.approx(38 / 40)
    assert not found.passes


def _accuracy(one: FloatArray, other: FloatArray) -> float:
    return float(one[0] == other[0])


def _closeness(one: FloatArray, other: FloatArray) -> float:
    return -float((one[0] - other[0]) ** 2)


def _order(one: FloatArray, other: FloatArray) -> float:
    pairs = [(i, k) for i in range(len(one)) for k in range(i)]
    return float(
        np.mean(
            [
                np.sign(one[i] - one[k]) == np.sign(other[i] - other[k])
                for i, k in pairs
            ],
        ),
    )


@pytest.mark.parametrize(
    ("alignment", "likeness", "outputs"),
    [("accuracy", _accuracy, 1), ("rmse", _closeness, 1), ("order", _order, 4)],
)
def test_second_implementation_with_missing_answers(
    alignment: Alignment,
    likeness: Callable[[FloatArray, FloatArray], float],
    outputs: int,
) -> None:
    random = np.random.default_rng(3)
    truth = random.integers(1, 5, (80, outputs))
    answers = np.clip(truth + random.integers(-1, 2, (6, 80, outputs)), 1, 4).astype(
        np.float64,
    )
    people, machine = answers[:5], answers[5]
    people[random.random((5, 80)) < 0.3] = np.nan
    people[4, 10:] = np.nan
    machine[:5] = np.nan
    found = alternative_annotator_test(
        people if outputs > 1 else people[:, :, 0],
        machine if outputs > 1 else machine[:, 0],
        alignment=alignment,
        epsilon=0.15,
        fewest_items=30,
    )
    advantage, p_value = [], []
    for person in range(4):
        leads, good = [], []
        for item in range(80):
            known = [j for j in range(5) if not np.isnan(people[j, item, 0])]
            if len(known) < 3 or person not in known or np.isnan(machine[item, 0]):
                continue
            others = [people[j, item] for j in known if j != person]
            mine = np.mean([likeness(people[person, item], each) for each in others])
            machines = np.mean([likeness(machine[item], each) for each in others])
            good.append(machines >= mine - 1e-12)
            leads.append(float(mine >= machines - 1e-12) - float(good[-1]))
        advantage.append(np.mean(good))
        p_value.append(stats.ttest_1samp(leads, 0.15, alternative="less").pvalue)
    assert found.advantage[:4] == pytest.approx(advantage)
    assert found.p_value[:4] == pytest.approx(p_value)
    assert np.isnan(found.p_value[4])
    expected = stats.false_discovery_control(p_value, method="by") <= 0.05
    assert found.wins.tolist() == [*expected, False]


def test_people_with_few_items_are_tested_by_ranks() -> None:
    random = np.random.default_rng(0)
    people = random.integers(0, 2, (3, 9)).astype(np.float64)
    found = alternative_annotator_test(people, people[0], alignment="accuracy")
    # The machine is person 0: every lead is 0, and each rank of −ε counts for the machine.
    leads = np.zeros(9) - 0.2
    expected = stats.wilcoxon(leads, alternative="less").pvalue
    assert found.p_value[0] == pytest.approx(expected)
    assert found.advantage[0] == 1


def test_items_of_two_people_are_dropped() -> None:
    people = np.zeros((3, 50))
    people[2, :10] = np.nan
    found = alternative_annotator_test(people, np.zeros(50), alignment="accuracy")
    assert found.dropped == 10
    assert found.items.tolist() == [40, 40, 40]


def test_two_people_are_too_few() -> None:
    with pytest.raises(TooFewPeopleError):
        alternative_annotator_test(
            np.zeros((2, 50)),
            np.zeros(50),
            alignment="accuracy",
        )


@pytest.mark.parametrize(
    "arguments",
    [{"epsilon": 1.0}, {"alignment": "kappa"}, {"fewest_people": 1}],
)
def test_invalid_arguments_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        alternative_annotator_test(
            np.zeros((3, 50)),
            np.zeros(50),
            **{"alignment": "accuracy", **arguments},  # type: ignore[arg-type]
        )
