"""Rankings, how their ranges are made, and what was measured of the judges."""

from functools import partial
from typing import Any

from django.utils import timezone

from campaign.models import TestSet
from ranking.models import QualityReport, RankingRun, RankingSettings
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_person, small_test_set


def settings() -> Create:
    return partial(RankingSettings.objects.create, test_set=small_test_set())


def run() -> Create:
    return partial(
        RankingRun.objects.create,
        test_set=small_test_set(),
        method="expected_wins",
        parameters={},
        seed=1,
        watermark=0,
        code_version="0",
        result={},
        started_at=timezone.now(),
    )


SIGN_TEST = {"ranges": "sign_test", "resample": "pairs"}
ANYTIME = {"ranges": "anytime", "correction": "holm"}

breaks_by_fields(
    "ranking_settings_level_is_known",
    settings,
    {"resample": "words"},
    accepted={"resample": "blocks"},
)
breaks_by_fields(
    "ranking_settings_ranges_are_known", settings, {"ranges": "guess"}, accepted=SIGN_TEST
)
breaks_by_fields(
    "ranking_settings_correction_is_known",
    settings,
    {"correction": "bonferroni"},
    accepted={"correction": "benjamini_hochberg"},
)
breaks_by_fields(
    "ranking_settings_sides_one_or_two",
    settings,
    {"sides": 0},
    {"sides": 3},
    accepted={"sides": 1},
)
breaks_by_fields(
    "ranking_settings_confidence_above_0_up_to_0_999",
    settings,
    {"confidence": 0.0},
    {"confidence": 0.9991},
    {"confidence": float("nan")},
    accepted={"confidence": 0.999},
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


@breaks("ranking_settings_immutable")
def settings_are_changed(attempt: Attempt) -> None:
    settings()()
    there = TestSet.objects.get()
    changes: list[dict[str, Any]] = [
        {"test_set": small_test_set(there.campaign, name="other")},
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


@breaks("ranking_run_immutable")
def a_ranking_is_changed_or_deleted(attempt: Attempt) -> None:
    create = run()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        RankingRun.objects.update(seed=2)
    with attempt.refuses(saying="Cannot update or delete"):
        RankingRun.objects.all().delete()


@breaks("ranking.QualityReport.test_set")
def a_test_set_has_two_reports(attempt: Attempt) -> None:
    there = small_test_set()
    QualityReport.objects.create(test_set=there, watermark=0, measures={})
    with attempt.refuses():
        QualityReport.objects.create(test_set=there, watermark=0, measures={})
    with attempt.accepts():
        other = small_test_set(there.campaign, name="other")
        QualityReport.objects.create(test_set=other, watermark=0, measures={})
