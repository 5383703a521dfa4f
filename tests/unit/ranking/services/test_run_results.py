"""Results of runs from tallies: the same bits from tallies kept up to date as from all judgments."""

import json
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.core.live.definition import tallies_of_blocks
from ranking.core.live.state import LiveState
from ranking.core.methods.registry import METHODS
from ranking.core.ranges import Correction
from ranking.core.rankings.range_kinds import RANGE_KINDS, RangeOptions
from ranking.core.rankings.records import RunParameters
from ranking.reports.range_choices import (
    RangeChoiceError,
    completed_ranges,
)
from ranking.services.run_results import run_definition, run_result_of
from tests.properties import examples
from tests.some_now import some_now
from tests.unit.ranking.core.live.histories import (
    RANKED,
    History,
    histories,
    long_history,
)

SEED = 5


def choices_of(method: str) -> list[RangeOptions]:
    """Return every choice of ranges that goes with a method."""
    found = []
    for level, kind in product(LEVELS, RANGE_KINDS):
        try:
            choice = completed_ranges({"resample": level, "ranges": kind})
        except RangeChoiceError:
            continue
        if kind != "anytime" or method == "expected_wins":
            found.append(choice)
    return found


CHOICES = [
    (method, choice)
    for method in ("expected_wins", "bradley_terry", "bojar", "geq_others")
    for choice in choices_of(method)
]


def parameters_of(method: str, choice: RangeOptions) -> RunParameters:
    """Return what a run records."""
    parameters = {
        **choice.recorded,
        "content_key_version": CONTENT_KEY_VERSION,
        "reference": "exclude",
        "left_out": [],
        "method_parameters": dict(METHODS[method].defaults),
        # More than are scored at a time, and not a multiple of it.
        "resamples": 100,
        "systems": list(RANKED),
        "excluded_judges": [],
        "agreement": {
            "chance": "conger",
            "chance_of_judges": "own",
            "resample": "two_way",
            "confidence": 0.95,
        },
    }
    return cast("RunParameters", parameters)


def assert_same_result(
    history: History,
    method: str,
    choice: RangeOptions,
    stops: list[int],
) -> Any:
    """Return the result, the same from tallies kept up to date and from all judgments."""
    parameters = parameters_of(method, choice)
    definition = run_definition(parameters, method=method, seed=SEED)
    state, at = LiveState(definition), 0
    for stop in [*stops, len(history.events)]:
        history.advance(state, at, stop)
        at = stop
    whole = tallies_of_blocks(history.blocks(at), definition)
    kept, expected = (
        json.dumps(run_result_of(tallies, parameters, seed=SEED), allow_nan=False)
        for tallies in (state.tallies(), whole)
    )
    assert kept == expected
    return json.loads(expected)


@pytest.mark.parametrize(("method", "choice"), some_now(CHOICES, most=12))
def test_a_result_is_a_function_of_tallies(method: str, choice: RangeOptions) -> None:
    history = long_history(300)
    result = assert_same_result(history, method, choice, [150, 151, 160])
    assert len(result["systems"]) == len(RANKED)
    assert result["input"]["documents"] == 8
    assert result["agreement"]["inter"]["low"] is not None


@given(history=histories, data=st.data())
@examples(50)
def test_any_history_gives_the_same_result(
    history: History,
    data: st.DataObject,
) -> None:
    method, choice = data.draw(st.sampled_from(CHOICES))
    last = len(history.events)
    stops = sorted(data.draw(st.lists(st.integers(0, last), max_size=4)))
    result = assert_same_result(history, method, choice, stops)
    blocks = history.blocks(last)
    assert result["input"]["blocks"] == len(blocks)
    assert result["input"]["judges"] == len(set(blocks.judge.tolist()))


def test_a_kappa_whose_interval_says_too_little_is_recorded_as_missing() -> None:
    history = long_history(300)
    early = History(history.events[:12], history.documents)
    agreement = assert_same_result(early, "expected_wins", RangeOptions(), [5])[
        "agreement"
    ]
    reasons = {row["reason"] for row in (agreement["inter"], *agreement["judges"])}
    assert agreement["inter"]["kappa"] is None
    assert reasons <= {
        "no_comparison",
        "no_interval",
        "interval_too_wide",
        "chance_is_certain",
    }


def test_a_single_document_is_none_and_not_few() -> None:
    """The judgments of the other documents are yet to come."""
    history = long_history(300)
    one = History(
        tuple(
            event
            for event in history.events
            if event.row.segment < 5 and event.revises is None
        ),
        history.documents,
    )
    result = assert_same_result(one, "expected_wins", RangeOptions(), [5, 6])
    assert "one_document" in result["limits"]
    assert "few_documents" not in result["limits"]
    assert "documents" not in result["input"]


def test_tallies_for_other_ranges_are_refused() -> None:
    two_way = parameters_of("expected_wins", RangeOptions())
    by_judges = parameters_of("expected_wins", RangeOptions(resample="judges"))
    definition = run_definition(two_way, method="expected_wins", seed=SEED)
    tallies = LiveState(definition).tallies()
    with pytest.raises(ValueError, match="another definition"):
        run_result_of(tallies, by_judges, seed=SEED)


def test_options_with_the_same_tallies_share_a_definition() -> None:
    same = {
        run_definition(
            parameters_of("expected_wins", choice),
            method="expected_wins",
            seed=SEED,
        ).digest
        for choice in (
            RangeOptions(),
            RangeOptions(confidence=0.9),
            RangeOptions(ranges="confidence_set", correction=Correction.HOLM),
            RangeOptions(ranges="anytime", correction=Correction.HOLM),
            RangeOptions(sides=1),
        )
    }
    assert len(same) == 1
    other = {
        run_definition(parameters_of(method, choice), method=method, seed=seed).digest
        for method, choice, seed in (
            ("expected_wins", RangeOptions(resample="judges"), SEED),
            ("expected_wins", RangeOptions(resample="judges"), SEED + 1),
            ("expected_wins", RangeOptions(resample="pairs"), SEED),
            ("bojar", RangeOptions(), SEED),
        )
    }
    assert len(other | same) == 5


@pytest.mark.parametrize(
    ("method", "level", "live"),
    [
        ("expected_wins", "two_way", True),
        ("lopez", "blocks", True),
        # Its weights depend on all judgments.
        ("lopez", "two_way", False),
        ("hopkins_may", "two_way", False),
        ("trueskill", "blocks", False),
        ("davidson_judges", "two_way", False),
    ],
)
def test_methods_that_need_all_judgments_say_so(
    method: str,
    level: Level,
    live: bool,
) -> None:
    choice = completed_ranges({"resample": level})
    if live:
        assert run_definition(parameters_of(method, choice), method=method, seed=0)
        return
    with pytest.raises(ValueError, match=f"{method} needs all judgments"):
        run_definition(parameters_of(method, choice), method=method, seed=0)
