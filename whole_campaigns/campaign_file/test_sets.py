"""Parts of a campaign file about test sets, and about their tasks."""

from typing import Any, Final

from django.db.models import QuerySet
from rest_framework.serializers import Serializer

from annotation.models import TrainingBlock
from annotation.models.design import PARAMETERS
from annotation.selectors.designs import design_in_force, is_reference_shown
from annotation.selectors.task_rules import task_rules
from annotation.selectors.training import training_blocks
from annotation.services.planning.designs import design_change
from annotation.services.training import (
    training_block_change,
    training_block_create,
    training_block_remove,
)
from campaign.models import BadReference, Campaign, Output, Protocol, Segment, Task
from campaign.models.task import TaskQuerySet
from campaign.services.bad_references import (
    BadReferenceRefusedError,
    GivenBadReference,
    bad_reference_review,
    bad_reference_rewrite,
    bad_references_store,
)
from campaign.services.campaigns import task_close, task_create, task_reopen
from campaign.texts.damage import Damage
from ranking.api.rankings import (
    RankingSettingsSerializer,
    StoppingRuleSerializer,
    ranking_settings_of,
)
from ranking.selectors.runs import ranking_settings_in_force, stopping_rule_in_force
from ranking.services.ranking_settings import ranking_settings_change, stopping_rule_set
from whole_campaigns.api import TaskChangesAndClosingSerializer, task_settings_change
from whole_campaigns.campaign_file.bodies import (
    DamagedReferenceInFileSerializer,
    DesignInFileSerializer,
    TaskSettingsInFileSerializer,
    TrainingInFileSerializer,
)
from whole_campaigns.campaign_file.parts import Body, Part, differing
from whole_campaigns.campaign_file.settings import Run, body
from whole_campaigns.campaign_file.texts import (
    system_apply,
    systems_read,
    test_set_import,
    texts_compare,
    texts_read,
)

_MADE: Final = ("damage", "detail", "seed", "attempt")
_PENDING: Final = BadReference.Status.PENDING


def rankings_in_order(campaign: Campaign) -> TaskQuerySet:
    """Return the ranking task of each test set, which represents it in the file, in the order of the file."""
    rankings = Task.objects.of(campaign).filter(protocol=Protocol.RANKING)
    return rankings.select_related("test_set__campaign").order_by("test_set")


def test_sets_read(campaign: Campaign) -> list[Body]:
    """Return the test sets in order of creation."""
    return [
        _test_set_read(task, number)
        for number, task in enumerate(rankings_in_order(campaign), 1)
    ]


def _test_set_read(task: Task, number: int) -> Body:
    settings = _settings_read(task)
    del settings["segments_again"]
    test_set = task.test_set
    return {
        "name": test_set.name,
        **texts_read(task, number),
        "source_language": test_set.source_language,
        "target_language": test_set.target_language,
        "expertise": test_set.expertise,
        **settings,
        "systems": systems_read(task),
        **_if_any("damaged_references", _damaged_read(task)),
        **_task_read(task),
        **_if_any(
            "tasks", [_other_task_read(other_task) for other_task in _other_tasks(task)]
        ),
    }


def _if_any(key: str, items: list[Body]) -> Body:
    if items:
        return {key: items}
    return {}


def _other_tasks(task: Task) -> TaskQuerySet:
    """Return the other tasks of a test set, in order of creation."""
    tasks = Task.objects.filter(test_set=task.test_set_id).exclude(
        protocol=Protocol.RANKING
    )
    return tasks.select_related("test_set__campaign").order_by("pk")


def _other_task_read(task: Task) -> Body:
    return {"protocol": task.protocol, **_settings_read(task), **_task_read(task)}


def _settings_read(task: Task) -> Body:
    """Return the quotas and rules of a task."""
    rules = task_rules(task)
    return {
        "blocks_wanted": task.blocks_wanted,
        "blocks_per_segment": task.blocks_per_segment,
        **({"rules": rules} if rules else {}),
        "segments_again": task.segments_again,
    }


def _task_read(task: Task) -> Body:
    """Return training, design, ranking settings and stopping rule of a task, if it has them."""
    design = _design_read(task)
    rule = stopping_rule_in_force(task_id=task.pk)
    return {
        **_if_any(
            "training",
            [
                _training_read(training_block)
                for training_block in training_blocks(task_id=task.pk)
            ],
        ),
        **({"design": design} if design else {}),
        "ranking_settings": _ranking_settings_read(task),
        **({"stopping_rule": body(StoppingRuleSerializer(rule))} if rule else {}),
    }


def test_set_apply(part: Part, run: Run) -> None:
    """Import a test set if it is missing, and apply its settings and tasks."""
    sent = part.validated(TaskChangesAndClosingSerializer)
    rankings = rankings_in_order(run.campaign)
    task = rankings.filter(test_set__name=sent.get("name")).first()
    if task is None:
        task = test_set_import(part, sent, run)
    else:
        texts_compare(task, part, sent, run)
    task.test_set.campaign = run.campaign
    part = part.of(run.campaign, task)
    _settings_apply(task, part, TaskChangesAndClosingSerializer)
    for each in part.items_of("systems"):
        system_apply(task, each, run)
    if "damaged_references" in part:
        _damaged_apply(task, part["damaged_references"], run)
    _task_apply(task, part, run)
    for each in part.items_of("tasks"):
        _other_task_apply(task, each, run)


def _other_task_apply(ranking: Task, part: Part, run: Run) -> None:
    """Create a task if it is missing, and apply its settings."""
    task = _other_tasks(ranking).filter(protocol=part.name("protocol")).first()
    if task is None:
        sent = part.validated(TaskSettingsInFileSerializer, is_new=True)
        with part.refusals():
            task = task_create(
                test_set=ranking.test_set, protocol=sent["protocol"], by=run.by
            )
    task.test_set = ranking.test_set
    part = part.of(run.campaign, task)
    _settings_apply(task, part, TaskSettingsInFileSerializer)
    _task_apply(task, part, run)


def _settings_apply(task: Task, part: Part, kind: type[Serializer[Any]]) -> None:
    """Change the settings that differ."""
    test_set = task.test_set
    now = {
        **_settings_read(task),
        "protocol": task.protocol,
        "name": test_set.name,
        "source_language": test_set.source_language,
        "target_language": test_set.target_language,
        "expertise": test_set.expertise,
    }
    changes = part.validated(kind, now=now)
    changes.pop("closed", None)
    changes.pop("name", None)
    if changes:
        with part.refusals():
            task_settings_change(task, **changes)
        task.refresh_from_db()


def _task_apply(task: Task, part: Part, run: Run) -> None:
    """Apply what the ranking and other tasks have in common."""
    if "training" in part:
        _training_apply(task, part["training"])
    if "design" in part:
        _design_apply(task, part["design"], run)
    if "ranking_settings" in part:
        _ranking_settings_apply(task, part["ranking_settings"], run)
    if "stopping_rule" in part:
        _stopping_rule_apply(task, part, run)
    is_closed = task.closed_at is not None
    if (
        part.validated(TaskSettingsInFileSerializer).get("closed", is_closed)
        != is_closed
    ):
        (task_reopen if is_closed else task_close)(task=task)


def _damaged_read(task: Task) -> list[Body]:
    return [
        {
            "segment": row.output.segment.number,
            "text": row.output.text,
            **{name: getattr(row, name) for name in (*_MADE, "status")},
        }
        for row in _damaged_rows(task)
    ]


def _damaged_rows(task: Task) -> QuerySet[BadReference]:
    """Return all damaged references by segment, with one query."""
    rows = BadReference.objects.of(task.test_set_id).in_order()
    return rows.select_related("output__segment")


def _damaged_apply(task: Task, parts: Part, run: Run) -> None:
    """Store new damaged references, and rewrite and review existing ones."""
    rows = {row.output.segment.number: row for row in _damaged_rows(task)}
    new: dict[int, Part] = {}
    references: list[GivenBadReference] = []
    for part in parts.items():
        sent = part.validated(DamagedReferenceInFileSerializer, is_new=True)
        row = rows.get(sent["segment"])
        if row is not None:
            _damaged_change(row, part, sent, run)
        else:
            new[sent["segment"]] = part
            references.append(_given({"status": _PENDING, **sent}))
    try:
        bad_references_store(test_set=task.test_set, given=references, reviewer=run.by)
    except BadReferenceRefusedError as error:
        if error.segment is None:
            part = parts
        else:
            part = new[error.segment]
        with part.refusals():
            raise


def _given(values: Body) -> GivenBadReference:
    """Return a damaged reference with these validated values."""
    status = BadReference.Status(values["status"])
    return GivenBadReference(
        **{**values, "damage": Damage(values["damage"]), "status": status}
    )


def _damaged_change(row: BadReference, part: Part, sent: Body, run: Run) -> None:
    status = sent.get("status", row.status)
    now = {"text": row.output.text, **{name: getattr(row, name) for name in _MADE}}
    if differing(now, {name: sent[name] for name in now if name in sent}):
        with part.refusals("text"):
            given = _given({**now, **sent, "status": row.status})
            row = bad_reference_rewrite(bad_reference=row, given=given)
    if status == row.status:
        return
    if status == _PENDING:
        raise part.error(
            f"it has been reviewed and stays {row.status}",
            f"write status: {row.status}",
            "status",
        )
    with part.refusals("status"):
        bad_reference_review(
            bad_reference=row,
            approve=status == BadReference.Status.APPROVED,
            reviewer=run.by,
        )


def _training_read(block: TrainingBlock) -> Body:
    return {
        "segment": block.segment.number,
        "position": block.position,
        "explanation": block.explanation,
        "expected": {
            candidate.output.system.name: candidate.expected
            for candidate in block.candidates.all()
        },
    }


def _training_apply(task: Task, parts: Part) -> None:
    """Remove, change and add training blocks; removed ones first, which frees their positions."""
    blocks = {block.segment.number: block for block in training_blocks(task_id=task.pk)}
    kept: list[tuple[Part, TrainingBlock | None]] = []
    for part in parts.items():
        sent = part.validated(TrainingInFileSerializer)
        block = blocks.get(sent.get("segment", 0))
        if not sent.get("removed", False):
            kept.append((part, block))
        elif block is not None:
            training_block_remove(training_block=block)
    for part, block in kept:
        if block is None:
            _training_create(task, part)
        else:
            _training_change(task, block, part)


def _training_create(task: Task, part: Part) -> None:
    sent = part.validated(TrainingInFileSerializer, is_new=True)
    number = sent["segment"]
    segment = Segment.objects.filter(test_set=task.test_set_id, number=number).first()
    if segment is None:
        raise part.error(f"segment {number} not found", "correct the number", "segment")
    with part.refusals():
        training_block_create(
            task=task,
            segment=segment,
            explanation=sent["explanation"],
            expected=_expected(segment, part, sent["expected"]),
            position=sent.get("position"),
        )


def _training_change(task: Task, block: TrainingBlock, part: Part) -> None:
    changes = part.validated(TrainingInFileSerializer, now=_training_read(block))
    changes.pop("removed", None)
    if not changes:
        return
    expected = {
        candidate.output: candidate.expected for candidate in block.candidates.all()
    }
    if "expected" in changes:
        expected = _expected(block.segment, part, changes["expected"])
    block.task = task
    with part.refusals():
        training_block_change(
            training_block=block,
            explanation=changes.get("explanation", block.explanation),
            expected=expected,
            position=changes.get("position"),
        )


def _expected(
    segment: Segment, part: Part, ranks: dict[str, int | None]
) -> dict[Output, int | None]:
    """Return ranks given by the names of systems, by their outputs."""
    current = Output.objects.current().filter(segment=segment).select_related("system")
    outputs = {output.system.name: output for output in current}
    for name in ranks:
        if name not in outputs:
            raise part.error(
                f'no system "{name}" has an output of segment {segment.number}',
                "correct the name",
                "expected",
                name,
            )
    return {outputs[name]: rank for name, rank in ranks.items()}


def _design_read(task: Task) -> Body:
    """Return the active design with its seed, so that the same texts give the same HITs."""
    design = design_in_force(task_id=task.pk)
    if design is None:
        return {}
    is_ranked = design.reference_rate != 0 and is_reference_shown(task=task)
    return {**body(DesignInFileSerializer(design)), "rank_shown_reference": is_ranked}


def _design_apply(task: Task, part: Part, run: Run) -> None:
    """Activate a design if there is none, or a different one."""
    design = design_in_force(task_id=task.pk)
    sent = part.validated(DesignInFileSerializer)
    may_rank_shown = sent.pop("rank_shown_reference", False)
    for name in ("documents", "segments", "systems"):
        if name in sent:
            sent[name] = sorted(set(sent[name]))
    if design is not None:
        sent = differing({name: getattr(design, name) for name in PARAMETERS}, sent)
    if sent or design is None:
        with part.refusals():
            design_change(
                task=task,
                changed_by=run.by,
                rank_shown_reference=may_rank_shown,
                **sent,
            )


def _ranking_settings_read(task: Task) -> Body:
    return body(RankingSettingsSerializer(ranking_settings_in_force(task_id=task.pk)))


def _ranking_settings_apply(task: Task, part: Part, run: Run) -> None:
    sent = part.validated(RankingSettingsSerializer)
    with part.refusals():
        ranking_settings_change(
            task=task, changed_by=run.by, **ranking_settings_of(sent)
        )


def _stopping_rule_apply(task: Task, part: Part, run: Run) -> None:
    """Replace the stopping rule, which is whole as in REST; null removes it."""
    sent: Body = {}
    if part.get("stopping_rule") is not None:
        sent = part["stopping_rule"].validated(StoppingRuleSerializer, is_new=True)
    with part.refusals("stopping_rule"):
        stopping_rule_set(task=task, changed_by=run.by, **sent)
