"""Rules on judges, what followed from them, and what was taken back."""

from functools import partial
from typing import Any

from django.utils import timezone

from annotation.models import QualityAction, QualityReversal, QualityRule
from annotation.services import quality_action_revert
from campaign.models import User
from tests.factories import make_campaign, make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_person, small_task

TERMS: dict[str, Any] = {
    "measure": "ties",
    "direction": "above",
    "threshold": 0.5,
    "minimum": 1,
    "action": "warn",
}


def rule() -> Create:
    return partial(QualityRule.objects.create, campaign=make_campaign(), **TERMS)


def action_by_a_rule() -> Create:
    there = small_task()
    rule = QualityRule.objects.create(campaign=there.test_set.campaign, **TERMS)
    judge = make_judge(there.test_set.campaign)
    return partial(QualityAction.objects.create, judge=judge, task=there, rule=rule, action="warn")


def action_by_a_person() -> Create:
    there = small_task()
    return partial(
        QualityAction.objects.create,
        judge=make_judge(there.test_set.campaign),
        task=there,
        created_by=make_person(),
        action="warn",
    )


breaks_by_fields(
    "quality_rule_threshold_in_range",
    rule,
    {"threshold": float("nan")},
    {"threshold": float("inf")},
    {"threshold": float("-inf")},
    {"threshold": -0.01},
    {"threshold": 1.01},
    {"threshold": 50},
    {"measure": "inter", "threshold": -1.01},
    {"measure": "inter", "threshold": 1.01},
    {"measure": "seconds", "threshold": -1},
    {"measure": "seconds", "threshold": 86_401},
    {"measure": "disagrees", "threshold": 1.01},
    accepted={"measure": "seconds", "threshold": 86_400},
)

breaks_by_fields(
    "quality_action_has_a_text_exactly_if_a_message",
    action_by_a_person,
    {"action": "message"},
    {"action": "warn", "text": "Take care."},
    accepted={"action": "message", "text": "Take care."},
)


@breaks("quality_rule_terms_stay")
def the_terms_of_a_rule_are_changed(attempt: Attempt) -> None:
    there = small_task()
    rules = QualityRule.objects.filter(campaign=there.test_set.campaign)
    QualityRule.objects.create(campaign=there.test_set.campaign, **TERMS)
    other = QualityRule.objects.create(campaign=make_campaign("elsewhere"), **TERMS)
    changes: list[dict[str, Any]] = [
        {"campaign": other.campaign},
        {"task": there},
        {"measure": "inter"},
        {"direction": "below"},
        {"threshold": 0.6},
        {"minimum": 2},
        {"action": "pause"},
        {"replaces": other},
    ]
    for change in changes:
        with attempt.refuses(saying="never change"):
            rules.update(**change)
    with attempt.accepts():
        rules.update(switched_off_at=timezone.now(), switched_off_by=make_person())


@breaks("quality_action_by_a_rule_or_by_a_person")
def a_rule_and_a_person_act_at_once_or_neither(attempt: Attempt) -> None:
    create = action_by_a_rule()
    organiser = make_person()
    with attempt.refuses():
        create(rule=None)
    with attempt.refuses():
        create(created_by=organiser)
    with attempt.accepts():
        create()
    with attempt.accepts():
        create(rule=None, created_by=organiser)


@breaks("quality_action_append_only")
def an_action_is_changed_or_deleted(attempt: Attempt) -> None:
    create = action_by_a_person()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        QualityAction.objects.update(action="pause")
    with attempt.refuses(saying="Cannot update or delete"):
        QualityAction.objects.all().delete()


@breaks("quality_reversal_append_only")
def a_reversal_is_changed_or_deleted(attempt: Attempt) -> None:
    create = action_by_a_person()
    create()
    action, organiser = QualityAction.objects.get(), User.objects.get(judges=None)
    with attempt.accepts():
        QualityReversal.objects.create(action=action, created_by=organiser)
    quality_action_revert(action=action, user=organiser)
    with attempt.refuses(saying="Cannot update"):
        QualityReversal.objects.update(note="I did not mean it.")
    with attempt.refuses(saying="Cannot update or delete"):
        QualityReversal.objects.all().delete()
