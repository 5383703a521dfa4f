"""The database refuses what must not be, whoever writes it. Each constraint is broken once."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import (
    Block,
    QualityAction,
    QualityRule,
    TrainingBlock,
    TrainingCandidate,
)
from annotation.services import RuleTerms, hits_plan, quality_action_take, quality_rule_add
from campaign.models import BadReference, Judge, TestSet, User
from campaign.services import bad_references_make
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_test_set

pytestmark = pytest.mark.django_db
TERMS = RuleTerms(measure="ties", direction="above", threshold=0.9, minimum=10, action="warn")


@pytest.fixture
def test_set() -> TestSet:
    return make_test_set(make_campaign())


@pytest.fixture
def organiser(test_set: TestSet) -> User:
    return make_organiser(test_set.campaign)


@pytest.fixture
def judge(test_set: TestSet) -> Judge:
    return make_judge(test_set.campaign)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"damage": "burnt"}, "bad_reference_damage_is_known"),
        ({"status": "rejected"}, "bad_reference_reviewed_exactly_if_not_pending"),
        (
            {"status": "approved", "reviewed_at": timezone.now()},
            "bad_reference_withdrawn_exactly_if_rejected_after_approval",
        ),
        (
            {"withdrawn_at": timezone.now()},
            "bad_reference_withdrawn_exactly_if_rejected_after_approval",
        ),
    ],
)
def test_damaged_references(test_set: TestSet, changes: dict[str, Any], name: str) -> None:
    bad_references_make(test_set=test_set, seed=1)
    with pytest.raises(IntegrityError, match=name):
        BadReference.objects.of(test_set.pk).update(**changes)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"control": "exam", "expected": [1]}, "block_control_is_known"),
        ({"control": "attention"}, "block_expects_an_order_exactly_if_a_control"),
        ({"expected": [1, 2]}, "block_expects_an_order_exactly_if_a_control"),
    ],
)
def test_control_blocks(test_set: TestSet, changes: dict[str, Any], name: str) -> None:
    hits_plan(test_set_id=test_set.pk, count=1)
    lend(make_judge(test_set.campaign))
    with pytest.raises(IntegrityError, match=name):
        Block.objects.update(**changes)


def test_training(test_set: TestSet) -> None:
    one, two = test_set.segments.all()[:2]
    fields: dict[str, Any] = {"test_set": test_set, "explanation": "Read."}
    block = TrainingBlock.objects.create(position=1, segment=one, **fields)
    output = one.outputs.all()[0]
    TrainingCandidate.objects.create(training_block=block, output=output, expected=None)
    for name, make in (
        (
            "training_block_position_unique_in_test_set",
            lambda: TrainingBlock.objects.create(position=1, segment=two, **fields),
        ),
        (
            "training_block_segment_unique_in_test_set",
            lambda: TrainingBlock.objects.create(position=2, segment=one, **fields),
        ),
        ("training_block_is_explained", lambda: TrainingBlock.objects.update(explanation="")),
        (
            "training_candidate_once_in_block",
            lambda: TrainingCandidate.objects.create(training_block=block, output=output),
        ),
        (
            "training_candidate_rank_between_1_and_5",
            lambda: TrainingCandidate.objects.update(expected=6),
        ),
    ):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            make()


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"measure": "charm"}, "quality_rule_measure_is_known"),
        ({"direction": "left"}, "quality_rule_direction_is_known"),
        ({"action": "shout"}, "quality_rule_action_is_known"),
        ({"minimum": 0}, "quality_rule_needs_evidence"),
        ({"threshold": float("nan")}, "quality_rule_threshold_in_range"),
        ({"threshold": float("inf")}, "quality_rule_threshold_in_range"),
    ],
)
def test_rules(test_set: TestSet, changes: dict[str, Any], name: str) -> None:
    fields = {
        "measure": "ties",
        "direction": "above",
        "threshold": 0.5,
        "minimum": 1,
        "action": "warn",
    }
    with pytest.raises(IntegrityError, match=name):
        QualityRule.objects.create(campaign=test_set.campaign, **{**fields, **changes})


def test_actions(test_set: TestSet, judge: Judge, organiser: User) -> None:
    rule = quality_rule_add(campaign=test_set.campaign, terms=TERMS, user=organiser)
    common: dict[str, Any] = {"judge": judge, "test_set": test_set, "action": "warn"}
    QualityAction.objects.create(rule=rule, **common)
    quality_action_take(judge=judge, test_set=test_set, action="pause", user=organiser)
    for name, fields in (
        ("quality_action_once_per_rule_and_judge", {"rule": rule}),
        ("quality_action_by_a_rule_or_by_a_person", {}),
        ("quality_action_by_a_rule_or_by_a_person", {"rule": rule, "created_by": organiser}),
        ("quality_action_is_known", {"created_by": organiser, "action": "shout"}),
    ):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            QualityAction.objects.create(**{**common, **fields})
