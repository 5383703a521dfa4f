"""How a task is ranked, and when its judging stops."""

from functools import partial
from typing import Any

from django.utils import timezone

from campaign.models import Task
from ranking.models import (
    RankingSettings,
    StoppingRule,
)
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_person, small_task


def settings() -> Create:
    return partial(RankingSettings.objects.create, task=small_task())


def rule() -> Create:
    return partial(StoppingRule.objects.create, task=small_task(), after_judgments=0)


SIGN_TEST = {"ranges": "sign_test", "resample": "pairs"}
ANYTIME = {"ranges": "anytime", "correction": "holm"}
breaks_by_fields(
    "ranking_settings_anytime_ranges_of_expected_wins",
    settings,
    {**ANYTIME, "method": "bojar"},
    accepted={**ANYTIME, "method": "expected_wins"},
)
breaks_by_fields(
    "ranking_settings_methods_of_blocks_need_blocks",
    settings,
    {"method": "gt_all_in_block", "resample": "pairs"},
    accepted={"method": "gt_all_in_block", "resample": "blocks"},
)
breaks_by_fields(
    "ranking_settings_sign_tests_are_of_pairs",
    settings,
    {**SIGN_TEST, "resample": "two_way"},
    accepted=SIGN_TEST,
)
breaks_by_fields(
    "ranking_settings_confidence_sets_hold_each_or_all",
    settings,
    {"ranges": "confidence_set", "sides": 1},
    {"ranges": "confidence_set", "correction": "benjamini_hochberg"},
    accepted={"ranges": "confidence_set", "correction": "holm"},
)
breaks_by_fields(
    "ranking_settings_anytime_ranges_hold_for_all_pairs",
    settings,
    {**ANYTIME, "resample": "judges"},
    {**ANYTIME, "sides": 1},
    {**ANYTIME, "correction": "none"},
    accepted=ANYTIME,
)
breaks_by_fields(
    "stopping_rule_share_above_0_up_to_1",
    rule,
    {"pairs_share": 0.0},
    {"pairs_share": 1.01},
    {"pairs_share": float("nan")},
    accepted={"pairs_share": 1.0},
)
breaks_by_fields(
    "stopping_rule_set_later_has_a_reason",
    rule,
    {"after_judgments": 1},
    accepted={"after_judgments": 1, "reason": "Money came."},
)


@breaks("ranking_settings_immutable")
def settings_are_changed(attempt: Attempt) -> None:
    settings()()
    there = Task.objects.get()
    changes: list[dict[str, Any]] = [
        {"task": small_task(there.test_set.campaign, name="other")},
        {"method": "bojar"},
        {"reason": "Because."},
        {"judgments": 7},
        {"resample": "judges"},
        {"ranges": "confidence_set"},
        {"correction": "holm"},
        {"sides": 1},
        {"confidence": 0.9},
    ]
    for change in changes:
        with attempt.refuses(saying="Cannot update"):
            RankingSettings.objects.update(**change)
    # Who changed it may be forgotten with their account.
    with attempt.accepts():
        RankingSettings.objects.update(changed_by=make_person())
        RankingSettings.objects.update(changed_by=None)


@breaks("stopping_rule_immutable")
def a_rule_is_changed(attempt: Attempt) -> None:
    rule()()
    changes: list[dict[str, Any]] = [
        {"task": small_task(Task.objects.get().test_set.campaign, name="other")},
        {"judgments": 7},
        {"pairs_share": 0.5},
        {"clusters": 3},
        {"until": timezone.localdate()},
        {"tests": "anytime"},
        {"confidence": 0.9},
        {"reason": "Because."},
        {"after_judgments": 3, "reason": "Because."},
        {"created_at": timezone.now()},
    ]
    for change in changes:
        with attempt.refuses(saying="Cannot update"):
            StoppingRule.objects.update(**change)
    with attempt.accepts():
        StoppingRule.objects.update(changed_by=make_person())
        StoppingRule.objects.update(changed_by=None)
