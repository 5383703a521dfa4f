"""Designs and their HITs."""

from functools import partial

from django.utils import timezone

from annotation.models import HIT, Design
from tests.factories import make_judge
from tests.integration.constraints.breakages import (
    Attempt,
    Create,
    breaks,
    breaks_by_fields,
)
from tests.integration.constraints.worlds import make_hit, small_task

NOW = timezone.now()
NAN = float("nan")


def design() -> Create:
    return partial(Design.objects.create, task=small_task())


def hit() -> Create:
    """HIT 1 is there, and the first of family 1."""
    there = small_task()
    make_hit(there, 1, family=1)
    return partial(make_hit, there, number=2)


def hit_for_a_judge() -> Create:
    there = small_task()
    judge = make_judge(there.test_set.campaign)
    return partial(make_hit, there, number=2, reserved_for=judge, reserved_until=NOW)


def repeat() -> Create:
    there = small_task()
    return partial(
        make_hit,
        there,
        number=2,
        repeats=make_hit(there, 1),
        purpose="inter",
    )


breaks_by_fields(
    "design_systems_fill_a_block",
    design,
    {"systems": ["a", "b", "c", "d"]},
    {"systems": ["a"], "kind": "binary"},
    accepted={"systems": ["a", "b"], "kind": "binary"},
)
breaks_by_fields(
    "design_rates_between_0_and_1",
    design,
    {"bad_reference_rate": -0.1},
    {"bad_reference_rate": 1.1},
    {"active_floor": -0.1},
    {"active_floor": 1.1},
    {"active_floor": NAN},
    accepted={"bad_reference_rate": 1.0, "active_floor": 1.0},
)
breaks_by_fields(
    "design_attention_checks_need_damaged_references",
    design,
    {"attention_every": 1},
    accepted={"attention_every": 1, "bad_reference_rate": 0.1},
)
breaks_by_fields(
    "design_repeats_at_most_nine_tenths",
    design,
    {"inter_share": 0.91},
    {"intra_share": 0.91},
    {"inter_share": -0.1},
    {"intra_share": NAN},
    accepted={"inter_share": 0.9, "intra_share": 0.9},
)
breaks_by_fields(
    "hit_one_first_in_a_family",
    hit,
    {"family": 1},
    accepted={"family": 2},
)
breaks_by_fields(
    "hit_on_standby_not_reserved",
    hit_for_a_judge,
    {"is_standby": True},
    accepted={"is_standby": False},
)
breaks_by_fields(
    "hit_withdrawn_is_closed",
    hit,
    {"withdrawn_at": NOW},
    accepted={"withdrawn_at": NOW, "completed_at": NOW},
)
breaks_by_fields(
    "hit_of_one_judge_is_reserved",
    hit_for_a_judge,
    {"purpose": "training", "reserved_for": None, "reserved_until": None},
    accepted={"purpose": "training"},
)
breaks_by_fields(
    "hit_reserved_for_iff_reserved_until",
    hit_for_a_judge,
    {"reserved_for": None},
    {"reserved_until": None},
)
breaks_by_fields(
    "hit_repeats_iff_repeat",
    repeat,
    {"repeats": None},
    {"repeats": None, "purpose": "redundancy"},
    {"purpose": "first"},
    accepted={"purpose": "redundancy"},
)


@breaks("hit_repeats_original_of_its_task")
def a_hit_repeats_a_repeat_or_one_elsewhere(attempt: Attempt) -> None:
    there = small_task()
    elsewhere = small_task(there.test_set.campaign, name="elsewhere")
    first, strange = make_hit(there), make_hit(elsewhere)
    with attempt.refuses(saying="must repeat an original HIT"):
        make_hit(there, 2, purpose="inter", repeats=strange)
    with attempt.accepts():
        make_hit(there, 2, purpose="inter", repeats=first)
    copy = make_hit(there, 2, purpose="inter", repeats=first)
    with attempt.refuses(saying="must repeat an original HIT"):
        make_hit(there, 3, purpose="inter", repeats=copy)
    with attempt.refuses(saying="must repeat an original HIT"):
        HIT.objects.filter(pk=copy.pk).update(repeats=strange)
