"""Ranking settings and stopping rules of tasks."""

from datetime import datetime
from typing import Any

from django.db.models import Case, F, JSONField, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, JSONObject

from ranking.models import LatestRanking, RankingRun, RankingSettings, StoppingRule
from ranking.wording.stopping_rules import CRITERIA, RuleState, rule_state


def ranking_settings_in_force(*, task_id: int) -> RankingSettings:
    """Return the newest settings of a test set; the defaults, unsaved, where there are none."""
    newest = (
        RankingSettings.objects.of(task_id).select_related("judge_group").order_by("-id").first()
    )
    # Unsaved, it has no time; the field would offer the database's.
    return newest or RankingSettings(task_id=task_id, created_at=None)  # type: ignore[misc]


def ranking_settings_history(
    *, task_id: int, until: datetime | None = None
) -> list[RankingSettings]:
    """Return all chosen settings, newest first; empty if the defaults apply. One query."""
    rows = RankingSettings.objects.of(task_id).select_related("judge_group", "changed_by")
    if until is not None:
        rows = rows.filter(created_at__lte=until)
    return list(rows.order_by("-id"))


_RECORDED = (*CRITERIA, "tests", "confidence", "after_judgments")


def stopping_rule_in_force(*, task_id: int) -> StoppingRule | None:
    """Return the rule of a test set, None without one. One query."""
    rule = StoppingRule.objects.of(task_id).order_by("-id").first()
    return rule if rule is not None and rule.is_there else None


def stopping_rule_history(*, task_id: int, until: datetime | None = None) -> list[StoppingRule]:
    """Return all rules there were, the newest first; one without a criterion took the one before back."""
    rows = StoppingRule.objects.of(task_id).select_related("changed_by")
    if until is not None:
        rows = rows.filter(created_at__lte=until)
    return list(rows.order_by("-id"))


def rule_asked_for(task: str) -> Coalesce:
    """Return `StoppingRule.recorded` of the rule in force of an outer row's task, in SQL."""
    newest = StoppingRule.objects.filter(task=OuterRef(task)).order_by("-id")
    is_none = Q(**dict.fromkeys(CRITERIA))
    recorded = Case(
        When(is_none, then=Value({}, output_field=JSONField())),
        default=JSONObject(**{name: F(name) for name in _RECORDED}),
        output_field=JSONField(),
    )
    nothing = Value({}, output_field=JSONField())
    return Coalesce(Subquery(newest.values(recorded=recorded)[:1]), nothing)


def stopping_rule_state(*, task_id: int) -> RuleState | None:
    """Return the progress of a test set by its stopping rule, from its latest ranking; None without a rule."""
    rule = stopping_rule_in_force(task_id=task_id)
    if rule is None:
        return None
    latest = LatestRanking.objects.filter(pk=task_id).first()
    is_of_this = latest is not None and latest.rule == rule.recorded
    return rule_state(
        rule.recorded,
        found=latest.result.get("stopping") if latest and is_of_this else None,
        met=latest.rule_met if latest and is_of_this else None,
        judgments=latest.result["input"]["blocks"] if latest else 0,
    )


def rule_first_met(run: RankingRun) -> dict[str, Any] | None:
    """Return which ranking first met the rule that a ranking was made under. One query.

    None if none did, or if another rule is in force by now.
    """
    rule = run.parameters.get("stopping_rule", {})
    latest = LatestRanking.objects.filter(pk=run.task_id, rule=rule)
    found = latest.values_list("rule_met", flat=True).first() if rule else None
    # Ignore it if it has later judgments than an earlier ranking.
    return None if found is None or found["judgments"] > run.result["input"]["blocks"] else found
