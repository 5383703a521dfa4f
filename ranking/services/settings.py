"""Change ranking settings and stopping rules of test sets."""

from datetime import date
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.protocols import answer_kind
from annotation.selectors.task_rules import judgments_so_far
from annotation.services.numbers import ranking_request
from campaign.models import JudgeGroup, Task, User
from campaign.refusals import RefusedError
from campaign.texts.counted import counted
from ranking.core.methods.registry import METHODS
from ranking.models import RankingSettings, StoppingRule
from ranking.range_choices import RangeChoice, RangeChoiceError, completed_choice
from ranking.selectors.runs import ranking_settings_in_force, stopping_rule_history
from ranking.wording.methods import METHOD_WORDS, LiveMethod
from ranking.wording.stopping_rules import CRITERIA, looks_at_tests

#: A thousand resamples are too few for a higher confidence level.
MAX_CONFIDENCE = 0.999


@transaction.atomic
def ranking_settings_change(
    *,
    task: Task,
    changed_by: User | None = None,
    method: str | None = None,
    reason: str = "",
    **changes: Any,
) -> RankingSettings:
    """Change the ranking method of a task, its rank ranges, and the judges who count.

    `changes` are parts of a `RangeChoice` as plain values, and `judge_group`. Omitted settings stay unchanged.

    If the kind of ranges changes, omitted level, correction and sides become the defaults of the new kind.
    A change is stored as a row with its author, time, reason, all settings, and the number of judgments.
    Nothing is stored if no setting differs, unless there is a new reason, which fixes the settings. After the
    first judgment, a change needs a reason. A new ranking is requested. Earlier runs keep the settings they
    recorded.

    Only judges of `judge_group` count in the ranking; None means all. Locks the test set and the group. Raises
    `RangeChoiceError`, and changes nothing, if the settings are inconsistent.
    """
    Task.objects.select_for_update(no_key=True).get(pk=task.pk)
    before = ranking_settings_in_force(task_id=task.pk)
    group = changes.pop("judge_group", before.judge_group)
    kept: dict[str, Any] = before.choice.recorded
    if changes.get("ranges", before.ranges) != before.ranges:
        kept = {"confidence": before.confidence}
    choice = completed_choice({**kept, **changes})
    chosen = LiveMethod(before.method if method is None else method)
    _check(choice, task)
    _method_check(chosen, choice, task)
    reason = reason.strip()
    is_same = (choice, chosen, group) == (before.choice, before.method, before.judge_group)
    if is_same and reason in ("", before.reason):
        return before
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
        reason=reason,
        judgments=judgments,
        **choice.recorded,
    )
    settings.save(force_insert=True)
    if settings.judgments and not is_same:
        ranking_request(task_id=task.pk)
    return settings


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
            _("Judge group not found: “%(name)s”.") % {"name": group.name}, field="judge_group"
        )


def _check(choice: RangeChoice, task: Task) -> None:
    """Raise `RangeChoiceError` for choices that this test set does not allow."""
    if choice.confidence > MAX_CONFIDENCE:
        raise RangeChoiceError(f"The maximum confidence is {MAX_CONFIDENCE}.", field="confidence")
    active = Design.objects.filter(task=task, kind=Design.Kind.ACTIVE)
    if choice.ranges == "anytime" and active.exists():
        raise RangeChoiceError(
            _(
                "Anytime ranges cannot tell systems apart under an active design, which compares them with "
                "different opponents."
            ),
            field="ranges",
        )


def _method_check(method: LiveMethod, choice: RangeChoice, task: Task) -> None:
    """Raise `RangeChoiceError` if a method does not support these ranges or the designs used so far."""
    if method is LiveMethod.BY_DESIGN:
        return
    if choice.ranges == "anytime" and method is not LiveMethod.EXPECTED_WINS:
        raise RangeChoiceError(
            _("Anytime ranges are only available for Expected Wins."), field="method"
        )
    if METHODS[method].layout(2).outright and choice.resample == "pairs":
        raise RangeChoiceError(
            _("%(method)s scores whole blocks and cannot account for comparisons.")
            % {"method": METHOD_WORDS[method]},
            field="method",
        )
    active = Design.objects.filter(task=task, kind=Design.Kind.ACTIVE)
    if method is not LiveMethod.BRADLEY_TERRY and active.exists():
        raise RangeChoiceError(
            _(
                "Use Bradley–Terry: under an active design some pairs are compared more often, so shares of wins "
                "are not comparable."
            ),
            field="method",
        )


_COMPARED: Final = (*CRITERIA, "tests", "confidence")
_MOST: Final = 2**31 - 1


class StoppingRuleError(RefusedError, ValueError):
    """Invalid stopping rule; `field` names the invalid part."""


@transaction.atomic
def stopping_rule_set(
    *,
    task: Task,
    changed_by: User | None = None,
    judgments: int | None = None,
    pairs_share: float | None = None,
    clusters: int | None = None,
    until: date | None = None,
    tests: str = StoppingRule.Tests.HOLM,
    confidence: float = 0.95,
    reason: str = "",
) -> StoppingRule | None:
    """Replace the stopping rule; without criteria, remove it.

    It is stored as a row with the number of judgments; after the first judgment, it needs a reason. Nothing
    is stored if the rule is unchanged. A new ranking is requested. Locks the test set.

    Returns the rule in force, or None if there is none. Raises `StoppingRuleError`, and changes nothing, if the rule is
    invalid.
    """
    Task.objects.select_for_update(no_key=True).get(pk=task.pk)
    rule = StoppingRule(
        task=task,
        changed_by=changed_by,
        judgments=judgments,
        pairs_share=pairs_share,
        clusters=clusters,
        until=until,
        tests=StoppingRule.Tests(tests),
        confidence=confidence,
        reason=reason.strip(),
        after_judgments=judgments_so_far(task_id=task.pk),
    )
    _check_rule(rule)
    _comparisons_check(rule)
    history = stopping_rule_history(task_id=task.pk)
    before = history[0] if history else None
    if before is None and not rule.is_there:
        return None
    if before is not None and all(
        getattr(rule, name) == getattr(before, name) for name in _COMPARED
    ):
        return before if before.is_there else None
    if rule.after_judgments and not rule.reason:
        raise StoppingRuleError(
            _(
                "Enter a reason: judging has started, so the rule was not set in advance. The reason is shown "
                "with the rule."
            ),
            field="reason",
        )
    rule.save(force_insert=True)
    if rule.after_judgments:
        ranking_request(task_id=task.pk)
    return rule if rule.is_there else None


def _check_rule(rule: StoppingRule) -> None:
    limits = {
        "judgments": (1, _MOST, "Enter at least 1 judgment."),
        "clusters": (2, 32_767, "Enter at least 2 clusters."),
    }
    for name, (low, high, words) in limits.items():
        value = getattr(rule, name)
        if value is not None and not low <= value <= high:
            raise StoppingRuleError(words, field=name)
    if rule.pairs_share is not None and not 0 < rule.pairs_share <= 1:
        raise StoppingRuleError("Enter a share above 0 and up to 1.", field="pairs_share")
    if not 0 < rule.confidence <= MAX_CONFIDENCE:
        raise StoppingRuleError(f"The maximum confidence is {MAX_CONFIDENCE}.", field="confidence")
    if rule.tests == StoppingRule.Tests.ANYTIME and looks_at_tests(
        {name: getattr(rule, name) for name in CRITERIA}
    ):
        _anytime_check(rule)


def _comparisons_check(rule: StoppingRule) -> None:
    if answer_kind(rule.task.protocol).compares_outputs:
        return
    for name in ("pairs_share", "clusters"):
        if getattr(rule, name) is not None:
            raise StoppingRuleError(
                _(
                    "Judges of this task see one output at a time, so it has no ranking. Use a number of judgments or "
                    "a date instead."
                ),
                field=name,
            )


def _anytime_check(rule: StoppingRule) -> None:
    active = Design.objects.filter(task=rule.task_id, kind=Design.Kind.ACTIVE)
    if active.exists():
        raise StoppingRuleError(
            _(
                "Anytime ranges cannot tell systems apart under an active design, which compares them with "
                "different opponents."
            ),
            field="tests",
        )
    if ranking_settings_in_force(task_id=rule.task_id).resample != "two_way":
        raise StoppingRuleError(
            _(
                "Anytime ranges need rankings that account for segments and judges. Change the ranking settings first."
            ),
            field="tests",
        )
