"""Machine judges and their judgments."""

from typing import Any
from uuid import uuid4

from django.db.models.functions import Now

from annotation.models import Block, MachineJudgment
from campaign.models import Campaign, MachineJudge, Task
from tests.integration.constraints.breakages import Attempt, breaks
from tests.integration.constraints.worlds import make_person, make_shown, small_task


def add_machine(**fields: Any) -> MachineJudge:
    given = {
        "campaign": Campaign.objects.get(),
        "name": "bot",
        "version": "1",
        **fields,
    }
    return MachineJudge.objects.create(created_by=make_person(), **given)


def add_judgment(**fields: Any) -> MachineJudgment:
    block = (
        Block.objects.select_related("hit").first()
        or make_shown(Task.objects.get()).block
    )
    given = {
        "client_id": uuid4(),
        "machine": MachineJudge.objects.first() or add_machine(),
        "task_id": block.hit.task_id,
        "segment_id": block.segment_id,
        "block": block,
        "part": 0,
        "is_reversed": False,
        "outputs": block.outputs,
        "labels": [1] * len(block.outputs),
        **fields,
    }
    return MachineJudgment.objects.create(**given)


@breaks("machine_name_and_version_not_empty")
def a_machine_has_no_version(attempt: Attempt) -> None:
    small_task()
    with attempt.refuses():
        add_machine(version="")
    with attempt.accepts():
        add_machine()


@breaks("machine_token_digest_unique")
def two_machines_have_a_token(attempt: Attempt) -> None:
    small_task()
    add_machine(token_digest="1")
    with attempt.refuses():
        add_machine(version="2", token_digest="1")
    with attempt.accepts():
        add_machine(version="2")
        add_machine(version="3")


@breaks("machine_withdrawn_has_no_token")
def a_withdrawn_machine_keeps_its_token(attempt: Attempt) -> None:
    small_task()
    with attempt.refuses():
        add_machine(token_digest="1", withdrawn_at=Now())
    with attempt.accepts():
        add_machine(withdrawn_at=Now())


@breaks("machine_terms_immutable")
def a_prompt_is_changed(attempt: Attempt) -> None:
    small_task()
    add_machine()
    with attempt.refuses(saying="Cannot update"):
        MachineJudge.objects.update(prompt="Rank the last first.")
    with attempt.accepts():
        MachineJudge.objects.update(token_digest="2")


@breaks("machine_judgment_append_only")
def a_judgment_is_changed(attempt: Attempt) -> None:
    small_task()
    add_judgment()
    with attempt.refuses(saying="Cannot update"):
        MachineJudgment.objects.update(labels=[2])
    with attempt.refuses(saying="delete"):
        MachineJudgment.objects.all().delete()
    with attempt.accepts():
        add_judgment(is_reversed=True)


@breaks("machine_judgment_block_once_per_order")
def a_block_is_answered_twice(attempt: Attempt) -> None:
    small_task()
    add_judgment(labels=[], skip_reason="other")
    add_judgment()
    with attempt.refuses():
        add_judgment()
    with attempt.accepts():
        add_judgment(is_reversed=True)
        add_judgment(labels=[], skip_reason="other")


@breaks("machine_judgment_ranks_iff_not_skipped")
def ranks_are_missing(attempt: Attempt) -> None:
    small_task()
    wrongs: list[dict[str, Any]] = [
        {"labels": []},
        {"labels": [6]},
        {"labels": [1], "skip_reason": "other"},
    ]
    for wrong in wrongs:
        with attempt.refuses():
            add_judgment(**wrong)
    with attempt.accepts():
        add_judgment()
