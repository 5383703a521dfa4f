"""What a planned HIT's row keeps is what was drawn."""

from annotation.sampling.plans import BlockPlan, HITPlan, plan_encoded


def test_a_control_is_expected_last_and_nothing_else_is_said_of_systems() -> None:
    shown = BlockPlan(
        segment=7,
        candidates=((11, 12), (13,)),
        systems=(("amber", "birch"), ("damaged",)),
        control=("damaged",),
        why={},
    )
    plan = HITPlan(number=1, blocks=(shown,), why={})
    assert plan_encoded(plan) == [{"candidates": ((11, 12), (13,)), "expected": [1, 2]}]
