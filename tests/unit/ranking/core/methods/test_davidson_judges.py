"""Davidson's model with judges' effects: planted effects are found, and none where there is none."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import approx_fprime

from ranking.core.counting.counts import (
    Comparisons,
    comparisons_of,
    shown_position,
    tally,
)
from ranking.core.counting.resampling import Resampling
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.bradley_terry import davidson
from ranking.core.methods.davidson_judges import (
    JudgeEffectsModel,
    Penalty,
    davidson_judges,
    davidson_judges_block_influence,
)
from ranking.core.methods.newton import NotConvergedError
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank
from tests.worlds import World, draw_campaign

Drawn = Callable[[int], Blocks]


def planted(
    *,
    discrimination: npt.NDArray[np.float64],
    leniency: npt.NDArray[np.float64],
    position: float = 0.0,
    comparisons: int = 30_000,
    seed: int = 1,
) -> tuple[Comparisons, npt.NDArray[np.float64]]:
    """Draw comparisons from the model itself, with ν = 0.6 and six abilities."""
    random = np.random.default_rng(seed)
    ability = np.array([1.0, 0.6, 0.2, -0.2, -0.6, -1.0])
    first = random.integers(0, 6, comparisons)
    second = (first + random.integers(1, 6, comparisons)) % 6
    judge = random.integers(0, len(leniency), comparisons)
    apart = random.choice([-1.0, -0.5, 0.5, 1.0], comparisons)
    eta = (
        np.exp(discrimination[judge]) * (ability[first] - ability[second])
        + position * apart
    )
    tie = 0.6 * np.exp(leniency[judge])
    total = np.exp(eta / 2) + np.exp(-eta / 2) + tie
    uniform = random.random(comparisons) * total
    outcome = np.where(
        uniform < tie,
        0,
        np.where(uniform < tie + np.exp(eta / 2), 1, -1),
    )
    return (
        Comparisons(
            first=first,
            second=second,
            judge=judge,
            block=np.arange(comparisons),
            outcome=outcome,
            covariates=apart[:, np.newaxis],
        ),
        ability,
    )


def test_planted_effects_are_recovered() -> None:
    discrimination = np.array([0.5, -0.5, 0.2, -0.2, 0.0, 0.0])
    leniency = np.array([1.0, -1.0, 0.0, 0.5, -0.5, 0.0])
    data, ability = planted(
        discrimination=discrimination,
        leniency=leniency,
        position=0.4,
    )
    fit = JudgeEffectsModel(
        data,
        systems=6,
        judges=6,
        penalty=Penalty(discrimination=0.5),
    ).fit()
    np.testing.assert_allclose(fit.ability, ability, atol=0.1)
    np.testing.assert_allclose(fit.discrimination, discrimination, atol=0.12)
    np.testing.assert_allclose(fit.leniency - fit.leniency.mean(), leniency, atol=0.12)
    np.testing.assert_allclose(fit.effects, [0.4], atol=0.05)
    assert fit.tie * np.exp(fit.leniency.mean()) == pytest.approx(0.6, rel=0.06)


def test_without_effects_it_is_the_model_of_davidson() -> None:
    data, _ability = planted(
        discrimination=np.zeros(3),
        leniency=np.zeros(3),
        comparisons=2000,
    )
    wins, ties = np.zeros((6, 6)), np.zeros((6, 6))
    won = data.outcome == 1
    lost = data.outcome == -1
    np.add.at(wins, (data.first[won], data.second[won]), 1)
    np.add.at(wins, (data.second[lost], data.first[lost]), 1)
    drew = data.outcome == 0
    np.add.at(ties, (data.first[drew], data.second[drew]), 1)
    ties += ties.T
    expected = davidson(wins[np.newaxis], ties[np.newaxis])
    model = JudgeEffectsModel(
        replace(data, covariates=np.zeros((2000, 0))),
        systems=6,
        judges=3,
        penalty=Penalty(wins=1e-9, discrimination=0, leniency=0),
    )
    fit = model.fit()
    np.testing.assert_allclose(fit.ability, expected.ability[0], atol=1e-5)
    assert fit.tie == pytest.approx(float(expected.tie[0]), rel=1e-5)
    np.testing.assert_array_equal(fit.discrimination, np.zeros(3))


def test_the_fit_is_a_maximum() -> None:
    data, _ability = planted(
        discrimination=np.array([0.5, -0.5]),
        leniency=np.array([0.5, -0.5]),
        comparisons=600,
    )
    model = JudgeEffectsModel(data, systems=6, judges=2)
    fit = model.fit()
    slope = approx_fprime(fit.parameters, model._objective, 1e-6)
    np.testing.assert_allclose(slope, 0, atol=1e-2)
    there = fit.parameters + np.random.default_rng(0).normal(0, 0.01, model.size)
    assert model._objective(there) < model._objective(fit.parameters)


def mixed(comparisons: int = 400) -> Comparisons:
    """Return comparisons by three judges who differ, with a covariate."""
    effects = np.array([0.5, 0.0, -0.5])
    return planted(
        discrimination=effects,
        leniency=-effects,
        position=0.4,
        comparisons=comparisons,
    )[0]


def some_point(model: JudgeEffectsModel, spread: float) -> npt.NDArray[np.float64]:
    return np.asarray(np.random.default_rng(3).normal(0, spread, model.size))


def test_gradient_and_information_are_the_derivatives_of_the_objective() -> None:
    """Where nothing cancels: beside the maximum, with weights, priors and a covariate."""
    data = mixed()
    weights = np.random.default_rng(2).integers(0, 3, 400).astype(np.float64)
    model = JudgeEffectsModel(data, systems=6, judges=3, weights=weights)
    at = model.fit().parameters + some_point(model, spread=0.05)
    gradient, information = model._gradient_and_information(at)
    steps = np.eye(model.size) * 1e-5
    slope = [
        (model._objective(at + h) - model._objective(at - h)) / 2e-5 for h in steps
    ]
    np.testing.assert_allclose(gradient, slope, atol=1e-5)
    curve = [
        (
            model._gradient_and_information(at - h)[0]
            - model._gradient_and_information(at + h)[0]
        )
        / 2e-5
        for h in steps
    ]
    np.testing.assert_allclose(information, curve, atol=1e-5)


def test_expected_information_is_used_if_the_likelihood_is_not_concave() -> None:
    model = JudgeEffectsModel(mixed(), systems=6, judges=3)
    at = some_point(model, spread=2.0)
    curve = [
        (
            model._gradient_and_information(at - h)[0]
            - model._gradient_and_information(at + h)[0]
        )
        / 2e-5
        for h in np.eye(model.size) * 1e-5
    ]
    assert np.linalg.eigvalsh(np.array(curve)).min() < -1
    assert np.linalg.eigvalsh(model._gradient_and_information(at)[1]).min() > 0


def test_prior_expectation_without_comparisons() -> None:
    """Normal priors with the standard deviations of the penalty, and half a unit for each."""
    penalty = Penalty(discrimination=0.5, leniency=2.0, covariate=4.0)
    none = mixed(0)
    model = JudgeEffectsModel(none, systems=2, judges=1, penalty=penalty)
    for parameter, deviation in ((0, 100.0), (3, 0.5), (4, 2.0), (5, 4.0)):
        at = np.zeros(6)
        at[parameter] = 3.0
        assert model._objective(at) == pytest.approx(-((3.0 / deviation) ** 2) / 2)


def test_a_comparison_that_counts_twice_is_one_made_twice() -> None:
    """And one that does not count is none: of the only ties, and of the last system."""
    data = mixed()
    counted = np.random.default_rng(5).integers(0, 3, 400)
    counted[(data.outcome == 0) | (data.first == 5) | (data.second == 5)] = 0
    again = np.repeat(np.arange(400), counted)
    repeated = Comparisons(
        first=data.first[again],
        second=data.second[again],
        judge=data.judge[again],
        block=data.block[again],
        outcome=data.outcome[again],
        covariates=data.covariates[again],
    )
    weighted = JudgeEffectsModel(
        data,
        systems=6,
        judges=3,
        weights=counted.astype(np.float64),
    )
    plain = JudgeEffectsModel(repeated, systems=6, judges=3)
    found, expected = weighted.fit(), plain.fit()
    np.testing.assert_allclose(found.parameters, expected.parameters, atol=1e-8)
    np.testing.assert_allclose(
        weighted.block_influence(found, 400),
        plain.block_influence(expected, 400),
        atol=1e-8,
    )
    assert (found.tie, found.ability[5]) == (0, 0)
    assert found.log_likelihood == pytest.approx(
        plain.weights @ plain.log_probabilities(expected.parameters),
    )
    # A system that was never compared answers to nothing, and abilities keep their mean.
    assert not found.response[5].any()
    np.testing.assert_allclose(found.response.sum(axis=0), 0, atol=1e-9)


def test_without_ties_it_is_the_model_of_bradley_and_terry() -> None:
    data = mixed(2000)
    decided = data.outcome != 0
    wins = np.zeros((6, 6))
    for outcome, (better, worse) in (
        (1, (data.first, data.second)),
        (-1, (data.second, data.first)),
    ):
        chosen = data.outcome == outcome
        np.add.at(wins, (better[chosen], worse[chosen]), 1)
    expected = davidson(wins[np.newaxis], np.zeros((1, 6, 6)))
    model = JudgeEffectsModel(
        replace(data, covariates=np.zeros((2000, 0))),
        systems=6,
        judges=3,
        penalty=Penalty(wins=1e-9, discrimination=0, leniency=0),
        weights=decided.astype(np.float64),
    )
    fit = model.fit()
    np.testing.assert_allclose(fit.ability, expected.ability[0], atol=1e-5)
    assert (fit.tie, fit.parameters[6]) == (0, 0)


def test_moves_of_all_blocks_cancel_but_for_the_prior() -> None:
    """At the maximum, with what is expected of each judge divided among their comparisons."""
    data = mixed()
    model = JudgeEffectsModel(
        data,
        systems=6,
        judges=3,
        penalty=Penalty(wins=1e-9, covariate=100),
    )
    influence = model.block_influence(model.fit(), 400)
    np.testing.assert_allclose(influence.sum(axis=0), 0, atol=1e-4)
    assert np.abs(influence).max() > 1e-3


def test_a_fit_that_does_not_arrive_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ranking.core.methods.davidson_judges._MAX_STEPS", 1)
    with pytest.raises(NotConvergedError, match="in 1 steps"):
        JudgeEffectsModel(mixed(), systems=6, judges=3).fit()


def test_comparisons_are_those_that_are_tallied(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(80)
    data, tallies = comparisons_of(blocks), tally(blocks)
    assert len(data.first) == tallies.comparisons
    wins = np.zeros_like(tallies.wins)
    np.add.at(wins, (data.first[data.outcome == 1], data.second[data.outcome == 1]), 1)
    np.add.at(
        wins,
        (data.second[data.outcome == -1], data.first[data.outcome == -1]),
        1,
    )
    np.testing.assert_array_equal(wins, tallies.wins)
    np.testing.assert_array_equal(data.judge, blocks.judge[data.block])


def test_position_is_0_in_the_first_place_and_1_in_the_last() -> None:
    rows = [BlockRow("j", 1, ["b", "c", "a"], [1, 2, 3]), BlockRow("j", 2, ["c"], [1])]
    found = shown_position(blocks_from_rows(rows, "abc"))
    np.testing.assert_array_equal(found, [[1, 0, 0.5], [0, 0, 0]])


def test_outputs_shown_first_do_not_gain_where_position_is_random() -> None:
    blocks, _truth = draw_campaign(World(name="position", systems=6, blocks=800), 1)
    ranking = rank(
        blocks,
        "davidson_judges",
        parameters={"covariates": "position"},
        resamples=20,
    )
    assert abs(ranking.extra["effects"]["position"]) < 0.15
    # Whoever takes the first for the better is found, whatever they say of the systems.
    labels = np.where(blocks.labels > 0, blocks.candidates + 1, 0).astype(np.int8)
    first = replace(
        blocks,
        labels=np.where(blocks.judge[:, np.newaxis] < 8, labels, blocks.labels),
    )
    ranking = rank(
        first,
        "davidson_judges",
        parameters={"covariates": "position"},
        resamples=20,
    )
    assert ranking.extra["effects"]["position"] < -1


def test_ranges_hold_where_judges_have_tastes() -> None:
    world = World(name="tastes", systems=8, spread=6, blocks=400, judges=10, taste_sd=3)
    outside = 0
    for seed in range(15):
        blocks, truth = draw_campaign(world, seed)
        place = (-truth).argsort().argsort() + 1
        for row in rank(blocks, "davidson_judges", resamples=300).systems:
            outside += not row.rank_low <= place[int(row.system[1:])] <= row.rank_high
    assert outside <= 0.07 * 15 * 8


@pytest.mark.parametrize(
    "parameters",
    [{"prior": 0.0}, {"discrimination": -1.0}, {"leniency": -0.1}],
)
def test_parameters_out_of_range_are_refused(
    drawn_blocks: Drawn,
    parameters: dict[str, float],
) -> None:
    with pytest.raises(ValueError, match=next(iter(parameters))):
        rank(drawn_blocks(9), "davidson_judges", parameters=parameters)


def test_the_order_of_blocks_changes_no_bit(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(120)
    weights = np.random.default_rng(1).integers(0, 3, 120)
    mixed_up = np.random.default_rng(2).permutation(120)
    one = davidson_judges(blocks, weights=weights, covariates="position")
    other = davidson_judges(
        blocks.take(mixed_up),
        weights=weights[mixed_up],
        covariates="position",
    )
    np.testing.assert_array_equal(one.scores.values, other.scores.values)
    assert one.extra == other.extra
    repeated = davidson_judges(
        blocks.take(np.repeat(np.arange(120), weights)),
        covariates="position",
    )
    np.testing.assert_allclose(one.scores.values, repeated.scores.values, atol=1e-8)
    arguments: dict[str, Any] = {
        "prior": 0.1, "discrimination": 0.25, "leniency": 1.0, "covariates": "position",
    }  # fmt: skip
    influence = davidson_judges_block_influence(blocks, **arguments)
    np.testing.assert_array_equal(
        davidson_judges_block_influence(blocks.take(mixed_up), **arguments),
        influence[mixed_up],
    )


def test_resamples_have_the_groups_of_connected_systems_of_other_methods() -> None:
    """One block connects two pairs of systems; resamples without it cannot compare them."""
    rows = [
        BlockRow(f"j{k % 3}", k, ["a", "b"], [1 + k % 2, 2 - k % 2]) for k in range(8)
    ]
    rows += [BlockRow(f"j{k % 3}", 20 + k, ["c", "d"], [1, 1]) for k in range(8)]
    rows += [BlockRow("j0", 30, ["b", "c"], [1, 1])]
    blocks = blocks_from_rows(rows, "abcd")
    groups = []
    for name in ("davidson_judges", "bradley_terry"):
        resampling = Resampling("segments", seed=3)
        group = METHODS[name].score_resamples(blocks, resampling, range(12)).group
        assert group is not None
        groups.append(group[:, :, np.newaxis] == group[:, np.newaxis, :])
    np.testing.assert_array_equal(*groups)
    assert 0 < groups[0][:, 0, 3].sum() < 12


def test_uncounted_systems_are_not_estimable_and_groups_not_comparable() -> None:
    rows = [
        BlockRow(f"j{k % 3}", k, ["a", "b"], [1 + k % 2, 2 - k % 2]) for k in range(8)
    ]
    rows += [BlockRow("j0", 20 + k, ["c", "d"], [1, 1]) for k in range(3)]
    rows += [BlockRow("last", 30, ["a", "e"], [1, 2])]
    blocks = blocks_from_rows(rows, "abcde")
    last = blocks.judges.index("last")
    fit = davidson_judges(blocks, weights=(blocks.judge != last).astype(np.int64))
    assert fit.scores.estimable.tolist() == [True, True, True, True, False]
    assert np.isnan(fit.scores.values).tolist() == [False, False, False, False, True]
    assert fit.scores.group is not None
    group = fit.scores.group.tolist()
    assert (group[0] == group[1], group[2] == group[3], group[0] == group[2]) == (
        True,
        True,
        False,
    )
    assert set(fit.extra["judges"]) == {"j0", "j1", "j2"}
