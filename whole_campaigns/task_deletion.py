"""Delete a task from which no judge has received work, with its rows in all apps; the last task with its test set.

`whole_campaigns.campaign_rows` lists these rows, so that no model is forgotten.
"""

from collections.abc import Iterable, Iterator
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
from campaign.models import (
    FilePart,
    Judge,
    KeptFile,
    Protocol,
    Task,
    TestSet,
    Upload,
    User,
)
from campaign.services.campaigns import TaskRefusedError, task_campaign_lock
from campaign.services.media import media_purge
from campaign.services.uploads import upload_give_up
from campaign.texts.counted import counted, counted_if_any, filled
from ranking.models import (
    Analysis,
    PublishedResult,
    RankingRun,
    RankingSettings,
    StoppingRule,
)
from whole_campaigns.campaign_rows import TABLES, task_path, test_set_path

#: Permanent records: a task with any of them cannot be deleted.
_PERMANENT_RECORDS: Final[tuple[type[Model], ...]] = (
    QualityAction,
    ProblemReport,
    RankingRun,
    PublishedResult,
)
_SETTINGS: Final[tuple[type[Model], ...]] = (
    RankingSettings,
    StoppingRule,
    QualityRule,
    Analysis,
)
#: Tables whose rows belong to a campaign, and optionally to a task.
_BY_TASK: Final[dict[type[Model], str]] = {
    QualityRule: "task",
    Analysis: "task",
    KeptFile: "task",
    FilePart: "file__task",
}


def task_deletion_refusal(*, task: Task) -> str:
    """Return the reason why a task cannot be deleted; empty if it can."""
    if task.protocol == Protocol.RANKING and not is_last_of_test_set(task):
        return _("Delete the other tasks of this test set first, or close this one.")
    if judgments_so_far(task_id=task.pk):
        return _("This task has judgments and cannot be deleted. Close it instead.")
    if is_lent(task=task) or any(
        _rows(model, task).exists() for model in _PERMANENT_RECORDS
    ):
        return _(
            "Judges have received work from this task, so it cannot be deleted. Close it instead.",
        )
    return ""


def is_last_of_test_set(task: Task) -> bool:
    """Return whether a task is the only one of its test set, which is deleted with it."""
    return (
        not Task.objects.filter(test_set=task.test_set_id).exclude(pk=task.pk).exists()
    )


def task_deletion_in_words(*, task: Task) -> list[str]:
    """Return sentences about the effects of deleting a task."""
    designs = Design.objects.filter(task=task).count()
    hits = HIT.objects.filter(task=task).count()
    training = TrainingBlock.objects.filter(task=task).count()
    has_settings = any(_rows(model, task).exists() for model in _SETTINGS)
    facts = [
        _("No judgments are lost: no judge has received work from this task."),
        counted(
            "Deletes %(count)d planned HIT.",
            "Deletes %(count)d planned HITs.",
            hits,
        ),
        counted("Deletes %(count)d design.", "Deletes %(count)d designs.", designs),
        *counted_if_any(
            "Deletes %(count)d training item.",
            "Deletes %(count)d training items.",
            training,
        ),
    ]
    if has_settings:
        facts.append(_("Deletes its ranking settings, rules and saved analyses."))
    if is_last_of_test_set(task):
        test_set = task.test_set
        segments = test_set.segments.count()
        systems = test_set.systems.competing().count()
        counts = {"segments": segments, "systems": systems}
        facts.append(
            filled(
                _("Deletes the texts: segments %(segments)s, systems %(systems)s."),
                **counts,
            ),
        )
    else:
        facts.append(_("Keeps the texts, systems and other tasks of the test set."))
    return facts


@transaction.atomic
def task_delete(*, task: Task, by: User | None) -> None:
    """Delete a task and its dependent rows, and with the last task its test set. The activity log records the author.

    Locks the rows of the campaign, the task and its planning. Raises `NotAllowedError` unless `by` may change the
    campaign (None: the operator of the server), and `TaskRefusedError` for the ranking of a test set that has other
    tasks, for a task with lent or judged HITs, and in a campaign that can no longer be changed.
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
            is_last = is_last_of_test_set(task)
            Judge.objects.filter(chosen_task=task).update(chosen_task=None)
            _delete([*_hanging(task), Task.objects.filter(pk=task.pk)])
            if is_last:
                for upload in Upload.objects.filter(test_set=task.test_set_id):
                    upload_give_up(upload=upload)
                _delete(_hanging_on_test_set(task.test_set))
                media_purge(campaign=task.test_set.campaign)
            constraints_check_now()
    except IntegrityError as error:
        raise TaskRefusedError(
            _(
                "Judges have received work from this task, so it cannot be deleted. Close it instead.",
            ),
        ) from error


def _delete(tables: Iterable[Any]) -> None:
    for rows in tables:
        rows_deleted(rows)
        # Django would otherwise read HITs, their plans and blocks into memory.
        rows._raw_delete(DEFAULT_DB_ALIAS)  # noqa: SLF001  there is no other statement a table


def _hanging_on_test_set(test_set: TestSet) -> Iterator[Any]:
    """Yield the rows of a test set without tasks, children first, and the test set itself."""
    for model in reversed(TABLES):
        lookup = test_set_path(model)
        if lookup is None:
            continue
        rows = model._meta.base_manager.filter(**{lookup: test_set.pk})
        if rows.exists():
            yield rows
    yield TestSet.objects.filter(pk=test_set.pk)


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
    if lookup is None:
        return None
    return model._meta.base_manager.filter(**{lookup: task})
