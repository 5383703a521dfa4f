"""Decide about one or many judges at once, and undo a decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import QualityAction, QualityReversal
from annotation.services.quality import (
    QualityRefusedError,
    judge_reinstate,
    quality_action_revert,
    quality_action_take,
)
from campaign.models import Campaign, Judge, Task, User

#: The decision that reverts all that stands against a judge.
REINSTATE: Final = "reinstate"
#: Characters of a message to a judge, and of an organiser's note.
MESSAGE_LENGTH: Final = 2000
NOTE_LENGTH: Final = 1000


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision did.

    Attributes
    ----------
    batch : UUID
        By which it is undone.
    judges : list of Judge
        Those it changed something for.
    refused : list of (Judge, str)
        The others, each with the reason.
    """

    batch: UUID
    judges: list[Judge]
    refused: list[tuple[Judge, str]]


@transaction.atomic
def judges_decide(
    *,
    judges: Sequence[Judge],
    task: Task,
    action: str,
    user: User,
    note: str = "",
    text: str = "",
    evidence: Mapping[int, dict[str, Any]],
    batch: UUID | None = None,
) -> Decided:
    """Take an action on each of these judges, or reinstate them.

    A judge for whom there is nothing to do is left as they are, and said with the reason. `evidence` is by
    the judge's id. `batch` is chosen by whoever may send a decision again: where it was taken, nothing is done, and
    what it did is returned. Locks judges in the order of their ids, and with `batch` the campaign before them.
    """
    if batch is not None:
        Campaign.objects.select_for_update(no_key=True).get(pk=task.test_set.campaign_id)
        if before := _decided_before(task.test_set.campaign_id, batch):
            return Decided(batch, before, [])
    batch = batch or uuid4()
    done, refused = [], []
    for judge in sorted(judges, key=lambda judge: judge.pk):
        try:
            if action == REINSTATE:
                if not judge_reinstate(judge=judge, user=user, note=note, batch=batch):
                    raise QualityRefusedError(_("Nothing to do: the judge is in good standing."))
            else:
                quality_action_take(
                    judge=judge,
                    task=task,
                    action=action,
                    user=user,
                    note=note,
                    text=text,
                    evidence=evidence.get(judge.pk),
                    batch=batch,
                )
        except QualityRefusedError as error:
            refused.append((judge, str(error)))
        else:
            done.append(judge)
    return Decided(batch, done, refused)


def _decided_before(campaign_id: int, batch: UUID) -> list[Judge]:
    """Return the judges for whom a decision changed something, in the order of their ids."""
    of_campaign = Judge.objects.filter(campaign=campaign_id)
    changed = QualityAction.objects.filter(batch=batch).values("judge")
    reinstated = QualityReversal.objects.filter(batch=batch).values("action__judge")
    return list(of_campaign.filter(pk__in=changed.union(reinstated)).order_by("pk"))


@transaction.atomic
def judges_decision_undo(*, campaign: Campaign, batch: UUID, user: User) -> list[Judge]:
    """Undo a decision and return the judges for whom something changed; the history keeps both.

    What it did is reverted, and what it reverted is done again.
    """
    actions = QualityAction.objects.in_force().filter(batch=batch, judge__campaign=campaign)
    changed: dict[int, Judge] = {}
    for action in actions.select_related("judge").order_by("judge", "pk"):
        quality_action_revert(action=action, user=user)
        changed[action.judge_id] = action.judge
    reversals = QualityReversal.objects.filter(batch=batch, action__judge__campaign=campaign)
    rows = reversals.select_related("action__judge", "action__task", "action__rule")
    for reversal in rows.order_by("action__judge", "pk"):
        before = reversal.action
        again = {"action": before.pk, "rule": before.rule_id}
        if QualityAction.objects.filter(
            judge=before.judge_id, evidence__again_after__action=before.pk
        ).exists():
            continue
        try:
            quality_action_take(
                judge=before.judge,
                task=before.task,
                action=before.action,
                user=user,
                note=before.note or (str(before.rule) if before.rule else ""),
                evidence={**before.evidence, "again_after": again},
            )
        except QualityRefusedError:
            continue
        changed[before.judge_id] = before.judge
    if not changed:
        raise QualityRefusedError(_("Nothing is left to undo."))
    return list(changed.values())
