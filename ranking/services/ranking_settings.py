"""Change ranking settings and stopping rules of test sets."""

from collections.abc import Mapping
from sys import float_info
from typing import Any, Final, Unpack

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.task_rules import judgments_so_far
from annotation.services.numbers import ranking_request
from campaign.database.many_rows import row_locked
from campaign.models import JudgeGroup, Task, User
from campaign.texts.counted import counted
from campaign.texts.joining import sentence_list
from campaign.texts.refusals import RefusedError
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.range_kinds import RangeOptions, RangeParts
from ranking.models import RankingSettings, StoppingRule
from ranking.reports.analyses.ranking import method_check
from ranking.reports.range_choices import RangeChoiceError, completed_ranges
from ranking.reports.wording.methods import LiveMethod
from ranking.reports.wording.stopping_rules import (
    CRITERIA,
    OF_TESTS,
    RuleTests,
    looks_at_tests,
)
from ranking.selectors.runs import ranking_settings_in_force, stopping_rule_history

#: A thousand resamples are too few for a higher confidence level.
MAX_CONFIDENCE = 0.999


class NotRankedError(RefusedError):
    """The answers of the task put outputs in no order, so that there is no ranking to set."""

    status = 409


class SettingChanges(RangeParts, total=False):
    """Changed ranking settings."""

    judge_group: JudgeGroup | None


@transaction.atomic
def ranking_settings_change(
    *,
    task: Task,
    changed_by: User | None = None,
    method: str | None = None,
    method_options: Mapping[str, Any] | None = None,
    reason: str = "",
    **changes: Unpack[SettingChanges],
) -> RankingSettings:
    """Change the ranking method of a task, its rank ranges, and the judges who count.

    `changes` are parts of `RangeOptions` as plain values, and `judge_group`. Omitted settings stay unchanged, except
    that another method starts with its default options.

    If the kind of ranges changes, omitted level, correction and sides become the defaults of the new kind.
    A change is stored as a row with its author, time, reason, all settings, and the number of judgments.
    Nothing is stored if no setting differs, unless there is a new reason, which fixes the settings. After the
    first judgment, a change needs a reason. A new ranking is requested. Earlier runs keep the settings they
    recorded.

    Only judges of `judge_group` count in the ranking; None means all. Locks the test set and the group. Raises
    `RangeChoiceError`, and changes nothing, if the settings are inconsistent, and `NotRankedError` for a change if the
    answers put outputs in no order.
    """
    locked = row_locked(task)
    before = ranking_settings_in_force(task_id=task.pk)
    current = before.choice
    parts: SettingChanges = {
        "ranges": current.ranges,
        "confidence": current.confidence,
        "judge_group": before.judge_group,
    }
    if changes.get("ranges", current.ranges) == current.ranges:
        parts["resample"] = current.resample
        parts["correction"] = current.correction
        parts["sides"] = current.sides
    parts.update(changes)
    group = parts.pop("judge_group")
    choice = completed_ranges(parts)
    chosen = LiveMethod(before.method if method is None else method)
    _check(chosen, choice, task)
    if method_options is None and chosen == before.method:
        method_options = before.method_options
    options = _options_checked(chosen, method_options or {})
    reason = reason.strip()
    is_same = (choice, chosen, options, group) == (
        before.choice,
        before.method,
        before.method_options,
        before.judge_group,
    )
    if is_same and reason in ("", before.reason):
        return before
    answers = answer_kind_of(locked)
    if not answers.compares_outputs:
        raise NotRankedError(answers.why_not_ranked)
    judgments = judgments_so_far(task_id=task.pk)
    if judgments and not reason:
        raise RangeChoiceError(_why_now(judgments), field="reason")
    if group is not None:
        _group_check(group, task)
    settings = RankingSettings(
        task=task,
        changed_by=changed_by,
        judge_group=group,
        method=chosen,
        method_options=options,
        reason=reason,
        judgments=judgments,
        **choice.recorded,
    )
    settings.save(force_insert=True)
    if settings.judgments and not is_same:
        ranking_request(task_id=task.pk)
    return settings


def _options_checked(method: LiveMethod, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that differ from their defaults; raise `RangeChoiceError` for wrong ones."""
    if method is LiveMethod.BY_DESIGN and not options:
        return {}
    if method is LiveMethod.BY_DESIGN:
        raise RangeChoiceError(
            "Choose the method that has these options.",
            field="method_options",
        )
    try:
        return METHODS[method].changed_options(options)
    except ValueError as error:
        raise RangeChoiceError(str(error), field="method_options") from error


def _why_now(judgments: int) -> str:
    return counted(
        "Enter a reason: there is already %(judgments)s judgment.",
        "Enter a reason: there are already %(judgments)s judgments.",
        judgments,
        judgments=judgments,
    )


def _group_check(group: JudgeGroup, task: Task) -> None:
    """Lock the group, so that it cannot be deleted meanwhile; raise `RangeChoiceError` if it does not exist."""
    present = JudgeGroup.objects.present().filter(campaign=task.test_set.campaign_id)
    if not present.select_for_update(no_key=True).filter(pk=group.pk).exists():
        raise RangeChoiceError(
            _("Judge group not found: “%(name)s”.") % {"name": group.name},
            field="judge_group",
        )


def _check(method: LiveMethod, choice: RangeOptions, task: Task) -> None:
    """Raise `RangeChoiceError` for choices that this test set or the method does not allow."""
    if choice.confidence > MAX_CONFIDENCE:
        raise RangeChoiceError(
            f"The maximum confidence is {MAX_CONFIDENCE}.",
            field="confidence",
        )
    is_active = _has_active_design(task)
    if choice.ranges == "anytime" and is_active:
        raise RangeChoiceError(_not_under_an_active_design(), field="ranges")
    if method is LiveMethod.BY_DESIGN:
        return
    method_check(method, choice, field="method")
    if is_active and method is not LiveMethod.BRADLEY_TERRY:
        raise RangeChoiceError(
            _(
                "Use Bradley–Terry: under an active design some pairs are compared more often, so shares of wins "
                "are not comparable.",
            ),
            field="method",
        )


def _has_active_design(task: Task) -> bool:
    return Design.objects.filter(task=task, kind=Design.Kind.ACTIVE).exists()


def _not_under_an_active_design() -> str:
    return _(
        "Anytime ranges cannot tell systems apart under an active design, which compares them with "
        "different opponents.",
    )


#: Smallest and largest value of each term, and the error for others.
_LIMITS: Final = {
    "judgments": (1, 2**31 - 1, "Enter at least 1 judgment."),
    "clusters": (2, 2**15 - 1, "Enter at least 2 clusters."),
    "pairs_share": (float_info.min, 1, "Enter a share above 0 and up to 1."),
    "confidence": (
        float_info.min,
        MAX_CONFIDENCE,
        f"The maximum confidence is {MAX_CONFIDENCE}.",
    ),
}


class StoppingRuleError(RefusedError, ValueError):
    """Invalid stopping rule; `field` names the invalid part."""


@transaction.atomic
def stopping_rule_set(
    *,
    task: Task,
    changed_by: User | None = None,
    reason: str = "",
    **terms: Any,
) -> StoppingRule | None:
    """Replace the stopping rule; without criteria, remove it.

    `terms` are the criteria, `tests` (see `default_tests`) and `confidence`. It is stored as a row with the number of judgments; after the first judgment, it needs a reason. Nothing
    is stored if the rule is unchanged. A new ranking is requested. Locks the test set.

    Returns the rule in force, or None if there is none. Raises `StoppingRuleError`, and changes nothing, if the rule is
    invalid.
    """
    row_locked(task)
    rule = StoppingRule(
        task=task,
        changed_by=changed_by,
        reason=reason.strip(),
        after_judgments=judgments_so_far(task_id=task.pk),
        **{"tests": default_tests(task), **terms},
    )
    _check_rule(rule)
    history = stopping_rule_history(task_id=task.pk)
    before = history[0] if history else None
    if before is None and not rule.is_there:
        return None
    # Without a criterion of tests, a default of tests is no change.
    is_tests_compared = "tests" in terms or looks_at_tests(rule.recorded)
    compared = [*CRITERIA, "confidence", *(["tests"] if is_tests_compared else [])]
    if before is not None and all(
        getattr(rule, name) == getattr(before, name) for name in compared
    ):
        if before.is_there:
            return before
        return None
    if rule.after_judgments and not rule.reason:
        raise StoppingRuleError(
            _(
                "Enter a reason: judging has started, so the rule was not set in advance. The reason is shown "
                "with the rule.",
            ),
            field="reason",
        )
    rule.save(force_insert=True)
    if rule.after_judgments:
        ranking_request(task_id=task.pk)
    if rule.is_there:
        return rule
    return None


def default_tests(task: Task) -> RuleTests:
    """Return the tests of a new stopping rule: anytime ranges, which hold at any look, where they are available."""
    if _why_not_anytime(task):
        return RuleTests.HOLM
    return RuleTests.ANYTIME


def _why_not_anytime(task: Task) -> str:
    """Return the reason why a task has no anytime ranges; empty if it has them."""
    if _has_active_design(task):
        return _not_under_an_active_design()
    if ranking_settings_in_force(task_id=task.pk).resample != "two_way":
        return _(
            "Anytime ranges need rankings that account for segments and judges. Change the ranking settings first.",
        )
    return ""


def _check_rule(rule: StoppingRule) -> None:
    """Raise `StoppingRuleError` for terms that are out of range or do not fit the task."""
    for name, (low, high, message) in _LIMITS.items():
        value = getattr(rule, name)
        if value is not None and not low <= value <= high:
            raise StoppingRuleError(message, field=name)
    of_ranking = [name for name in OF_TESTS if getattr(rule, name) is not None]
    if of_ranking and not answer_kind_of(rule.task).compares_outputs:
        reason = answer_kind_of(rule.task).why_not_ranked
        remedy = _("Use a number of judgments or a date for the stopping rule.")
        raise StoppingRuleError(sentence_list([reason, remedy]), field=of_ranking[0])
    if not of_ranking or rule.tests != StoppingRule.Tests.ANYTIME:
        return
    if why_not := _why_not_anytime(rule.task):
        raise StoppingRuleError(why_not, field="tests")
