"""The recorded state: what it keeps when systems join, and when it is written down and read."""

import json

import numpy as np

from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.plans import BlockPlan, HITPlan
from annotation.sampling.state import DrawState
from tests.drawn_texts import corpus, drawn, system_names


def test_a_state_written_down_as_json_is_the_same_state() -> None:
    names = system_names(6)
    parameters = DesignParameters(kind=DesignKind.BALANCED, seed=1)
    *_, (_, state) = drawn(
        parameters,
        corpus(names, segments=9),
        hits=7,
        state=DrawState.empty(),
    )
    wins = np.arange(36, dtype=np.float64).reshape(6, 6) / 7
    state = state.judged(systems=names, wins=wins, ties=wins + wins.T, watermark=12)
    again = DrawState.from_json(json.loads(json.dumps(state.to_json())))
    assert again.to_json() == state.to_json()
    assert again.index == state.index


def test_judged_comparisons_find_their_systems_in_any_order() -> None:
    wins = np.array([[0.0, 3.0], [1.0, 0.0]])
    state = DrawState.empty("abc").judged(
        systems=["c", "a"],
        wins=wins,
        ties=np.zeros((2, 2)),
        watermark=4,
    )
    assert state.wins[state.index["c"], state.index["a"]] == 3
    assert state.wins[state.index["a"], state.index["c"]] == 1
    assert state.wins.sum() == 4
    assert state.watermark == 4


def test_joining_system_keeps_counts_of_others() -> None:
    block = BlockPlan(
        segment=1,
        candidates=((1,), (2, 3), (4,)),
        systems=(("m",), ("a", "z"), ("damaged",)),
        control=("damaged",),
        why={},
    )
    state = DrawState.empty("mz").after(HITPlan(number=1, blocks=(block,), why={}))
    wider = state.covering(["k"])
    assert wider.systems == ("a", "k", "m", "z")
    at = wider.index
    assert (
        wider.pair_counts[at["m"], at["a"]] == wider.pair_counts[at["z"], at["m"]] == 1
    )
    # Those behind one candidate have not met, and a control meets nobody.
    assert wider.pair_counts.sum() == 4
    assert wider.position_counts[at["m"], 0] == wider.position_counts[at["z"], 1] == 1
    assert wider.position_counts.sum() == 3
    assert state.covering(["m"]) is state


def test_a_sort_draws_what_most_blocks_are_wanted_of_within_what_is_left() -> None:
    state = DrawState.empty().comparing([("a", "b", 2), ("a", "c", 5), ("b", "c", 0)])
    assert state.next_comparisons == [(("a", "c"), 5), (("a", "b"), 2)]
    limited = state.limited({("a", "c"): 3}, most=4)
    assert limited.next_comparisons == [(("a", "b"), 2), (("a", "c"), 1)]
    # Where nothing is wanted, all are there to choose from.
    done = state.limited({("a", "b"): 4, ("a", "c"): 4}, most=4)
    assert [pair for pair, _blocks in done.next_comparisons] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
