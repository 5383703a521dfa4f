"""How a task is ranked, and when its judging stops."""

from functools import partial
from typing import Any

from campaign.models import Task
from ranking.models import RankingSettings, StoppingRule
from tests.integration.constraints.breakages import Attempt, breaks
from tests.integration.constraints.worlds import make_person, small_task


def terms_are_changed(
    model: type[RankingSettings | StoppingRule],
    changes: list[dict[str, Any]],
    attempt: Attempt,
) -> None:
    fields: dict[str, Any] = {"after_judgments": 0} if model is StoppingRule else {}
    model.objects.create(task=small_task(), **fields)
    other = small_task(Task.objects.get().test_set.campaign, name="other")
    for change in [{"task": other}, *changes]:
        with attempt.refuses(saying="Cannot update"):
            model.objects.update(**change)
    # Who changed it may be forgotten with their account.
    with attempt.accepts():
        model.objects.update(changed_by=make_person())
        model.objects.update(changed_by=None)


SETTINGS: list[dict[str, Any]] = [
    {"method": "bojar"},
    {"judgments": 7},
    {"resample": "judges"},
    {"confidence": 0.9},
]
RULE: list[dict[str, Any]] = [
    {"judgments": 7},
    {"clusters": 3},
    {"tests": "anytime"},
    {"confidence": 0.9},
]
breaks("ranking_settings_immutable")(
    partial(terms_are_changed, RankingSettings, SETTINGS),
)
breaks("stopping_rule_immutable")(partial(terms_are_changed, StoppingRule, RULE))
