"""Set the rule by which judging of a test set is to end."""

from datetime import date
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.protocols import answer_kind
from annotation.selectors.task_rules import judgments_so_far
from annotation.services.numbers import ranking_request
from campaign.models import Task, User
from ranking.models import StoppingRule
from ranking.selectors.settings import ranking_settings_in_force
from ranking.selectors.stopping_rules import stopping_rule_history
from ranking.services.settings import MAX_CONFIDENCE
from ranking.wording.stopping_rules import CRITERIA, looks_at_tests

_COMPARED: Final = (*CRITERIA, "tests", "confidence")
_MOST: Final = 2**31 - 1


class StoppingRuleError(ValueError):
    """A rule cannot be like this; `field` names the part at fault."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


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
    """Put a rule in force in place of the one before; without a criterion there is none any more.

    It is stored as a row, with how many judgments there were; from the first judgment on it needs a reason. Nothing
    is stored if it says the same as before. The worker is told to rank again. Locks the test set.

    Returns the rule in force, None if there is none. Raises `StoppingRuleError`, and changes nothing, where it makes
    no sense.
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
    _check(rule)
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
                "There are judgments already, so this rule was not fixed before the start. Say why it is set now: "
                "the reason is shown with it."
            ),
            field="reason",
        )
    rule.save(force_insert=True)
    if rule.after_judgments:
        ranking_request(task_id=task.pk)
    return rule if rule.is_there else None


def _check(rule: StoppingRule) -> None:
    limits = {
        "judgments": (1, _MOST, _("At least one judgment.")),
        "clusters": (2, 32_767, _("At least two clusters.")),
    }
    for name, (low, high, words) in limits.items():
        value = getattr(rule, name)
        if value is not None and not low <= value <= high:
            raise StoppingRuleError(words, field=name)
    if rule.pairs_share is not None and not 0 < rule.pairs_share <= 1:
        raise StoppingRuleError(_("A share is above 0 and at most 1."), field="pairs_share")
    if not 0 < rule.confidence <= MAX_CONFIDENCE:
        raise StoppingRuleError(
            _("The confidence is at most %(most)s.") % {"most": MAX_CONFIDENCE}, field="confidence"
        )
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
                    "Judges of this task see one output at a time, so no systems are told apart by its rankings: "
                    "stop after a number of judgments, or on a day."
                ),
                field=name,
            )


def _anytime_check(rule: StoppingRule) -> None:
    active = Design.objects.filter(task=rule.task_id, kind=Design.Kind.ACTIVE)
    if active.exists():
        raise StoppingRuleError(
            _(
                "An active design compares systems with different opponents, so that anytime "
                "ranges could tell none of them apart."
            ),
            field="tests",
        )
    if ranking_settings_in_force(task_id=rule.task_id).resample != "two_way":
        raise StoppingRuleError(
            _(
                "Ranges that hold at any time need rankings that account for segments and judges: change the "
                "ranking settings first."
            ),
            field="tests",
        )
