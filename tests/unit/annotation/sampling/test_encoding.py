"""What a planned HIT's row keeps is what was drawn."""

import json

from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.plans import BlockPlan, HITPlan, blocks_decoded, plan_encoded


@st.composite
def blocks(draw: st.DrawFn) -> BlockPlan:
    """Output ids of any size, each of another system; in some blocks one candidate is a control."""
    ids = draw(st.lists(st.integers(1, 2**62), min_size=2, max_size=30, unique=True))
    cuts = draw(st.lists(st.integers(1, len(ids) - 1), max_size=25, unique=True).map(sorted))
    groups = [ids[a:b] for a, b in zip([0, *cuts], [*cuts, len(ids)], strict=True)]
    systems = tuple(tuple(sorted(f"system {id_}" for id_ in group)) for group in groups)
    control = draw(st.none() | st.integers(0, len(groups) - 1))
    return BlockPlan(
        segment=draw(st.integers(1, 10**6)),
        candidates=tuple(tuple(sorted(group)) for group in groups),
        systems=systems,
        control=() if control is None else systems[control],
        why={"chosen": "uniform", "size": len(groups)},
    )


@given(st.lists(blocks(), max_size=4))
def test_what_is_encoded_is_decoded_alike(drawn: list[BlockPlan]) -> None:
    plan = HITPlan(number=1, blocks=tuple(drawn), why={})
    systems = {id_: f"system {id_}" for block in drawn for ids in block.candidates for id_ in ids}
    found = blocks_decoded(
        json.loads(plan_encoded(plan)),
        segments=[block.segment for block in drawn],
        systems=systems,
        whys=[block.why for block in drawn],
    )
    assert found == plan.blocks


def test_a_control_is_expected_last_and_nothing_else_is_said_of_systems() -> None:
    shown = BlockPlan(
        segment=7,
        candidates=((11, 12), (13,)),
        systems=(("amber", "birch"), ("damaged",)),
        control=("damaged",),
        why={},
    )
    plan = HITPlan(number=1, blocks=(shown,), why={})
    assert json.loads(plan_encoded(plan)) == [{"candidates": [[11, 12], [13]], "expected": [1, 2]}]
