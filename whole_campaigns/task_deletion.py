"""Delete a task from which no judge has received work, with its rows in all apps.

`whole_campaigns.campaign_rows` lists these rows, so that no model is forgotten.
"""

from collections.abc import Iterator
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, IntegrityError, transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from annotation.models import (
    HIT,
    Design,
    HITSequence,
    ProblemReport,
    QualityAction,
    QualityRule,
    TrainingBlock,
)
from annotation.selectors.task_rules import is_lent, judgments_so_far
from campaign.database.many_rows import constraints_check_now
from campaign.database.recording import rows_deleted
from campaign.models import FilePart, Judge, KeptFile, Protocol, Task, User
from campaign.services.campaigns import TaskRefusedError, task_campaign_lock
from campaign.texts.counted import counted, counted_if_any
from ranking.models import Analysis, PublishedResult, RankingRun, RankingSettings, StoppingRule
from whole_campaigns.campaign_rows import TABLES, task_path

#: Permanent records: a task with any of them cannot be deleted.
_KEPT: Final[tuple[type[Model], ...]] = (QualityAction, ProblemReport, RankingRun, PublishedResult)
#: Tables whose rows belong to a campaign, and optionally to a task.
_BY_TASK: Final[dict[type[Model], str]] = {
    QualityRule: "task",
    Analysis: "task",
    KeptFile: "task",
    FilePart: "file__task",
}


def task_deletion_refusal(*, task: Task) -> str:
    """Return the reason why a task cannot be deleted; empty if it can."""
    if task.protocol == Protocol.RANKING:
        return _("The five-way ranking of a test set cannot be deleted. Close it instead.")
    if judgments_so_far(task_id=task.pk):
        return _("This task has judgments and cannot be deleted. Close it instead.")
    if is_lent(task=task) or any(_rows(model, task).exists() for model in _KEPT):
        return _(
            "Judges have received work from this task, so it cannot be deleted. Close it instead."
        )
    return ""


def task_deletion_in_words(*, task: Task) -> list[str]:
    """Return sentences about the effects of deleting a task."""
    designs = Design.objects.filter(task=task).count()
    hits = HIT.objects.filter(task=task).count()
    training = TrainingBlock.objects.filter(task=task).count()
    settings = sum(
        _rows(model, task).count()
        for model in (RankingSettings, StoppingRule, QualityRule, Analysis)
    )
    facts = [
        _("No judgments are lost: no judge has received work from this task."),
        counted("Deletes %(count)d planned HIT.", "Deletes %(count)d planned HITs.", hits),
        counted("Deletes %(count)d design.", "Deletes %(count)d designs.", designs),
        *counted_if_any(
            "Deletes %(count)d training sentence.",
            "Deletes %(count)d training sentences.",
            training,
        ),
    ]
    if settings:
        facts.append(_("Deletes its ranking settings, rules and saved analyses."))
    facts.append(_("Keeps the texts, systems and other tasks of the test set."))
    return facts


@transaction.atomic
def task_delete(*, task: Task, by: User | None) -> None:
    """Delete a task and its dependent rows. The activity log records the author.

    Locks the rows of the campaign, the task and its planning. Raises `NotAllowedError` unless `by` may change the
    campaign (None: the operator of the server), and `TaskRefusedError` for the ranking of a test set, for a task with
    lent or judged HITs, and in a campaign that can no longer be changed.
    """
    task_campaign_lock(task.test_set, by)
    HITSequence.objects.select_for_update().filter(task=task).first()
    # From now on, none of its HITs can be lent.
    Task.objects.select_for_update().get(pk=task.pk)
    refused = task_deletion_refusal(task=task)
    if refused:
        raise TaskRefusedError(refused)
    try:
        with transaction.atomic():
            Judge.objects.filter(chosen_task=task).update(chosen_task=None)
            for rows in [*_hanging(task), Task.objects.filter(pk=task.pk)]:
                rows_deleted(rows)
                # Django would otherwise read HITs, their plans and blocks into memory.
                rows._raw_delete(DEFAULT_DB_ALIAS)  # noqa: SLF001  there is no other statement a table
            constraints_check_now()
    except IntegrityError as error:
        raise TaskRefusedError(
            _(
                "Judges have received work from this task, so it cannot be deleted. Close it instead."
            )
        ) from error


def _hanging(task: Task) -> Iterator[Any]:
    """Yield the dependent rows of a task, children first, for tables that have any."""
    # The role of the application may not even delete zero rows from some tables.
    for model in reversed(TABLES):
        rows = _rows(model, task)
        if rows is not None and rows.exists():
            yield rows


def _rows(model: type[Model], task: Task) -> Any:
    """Return the rows of a table that depend on a task; None if its rows never do."""
    lookup = _BY_TASK.get(model) or task_path(model)
    return None if lookup is None else model._meta.base_manager.filter(**{lookup: task})
