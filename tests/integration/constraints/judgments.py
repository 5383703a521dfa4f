"""What judges say: judgments, skips and reports of problems."""

from functools import partial
from typing import Any
from uuid import UUID, uuid4

from annotation.models import (
    Judgment,
    JudgmentNumber,
    Skip,
)
from annotation.services.numbers import judgments_number
from tests.factories import make_judge
from tests.integration.constraints.breakages import (
    Attempt,
    Create,
    breaks,
    breaks_by_fields,
)
from tests.integration.constraints.worlds import make_shown, small_task

ONE_ID = UUID(int=1)


def first_judgment() -> Create:
    """Return what makes the first judgment of a block of five."""
    shown = make_shown()
    return partial(
        Judgment.objects.create,
        task=shown.task,
        client_id=ONE_ID,
        judge=make_judge(shown.task.test_set.campaign),
        block=shown.block,
        labels=[1, 2, 3, 4, 5],
    )


def revision() -> Create:
    """Return what makes the second judgment of a block, which supersedes the first."""
    create = first_judgment()
    create()
    return partial(create, client_id=uuid4(), supersedes=Judgment.objects.get())


def skip() -> Create:
    shown = make_shown()
    return partial(
        Skip.objects.create,
        task=shown.task,
        client_id=ONE_ID,
        judge=make_judge(shown.task.test_set.campaign),
        block=shown.block,
        reason="bad_source",
    )


def second_skip() -> Create:
    """Return what skips a block for a second judge."""
    create = skip()
    create()
    campaign = Skip.objects.get().judge.campaign
    return partial(create, client_id=uuid4(), judge=make_judge(campaign, "judge02"))


breaks_by_fields(
    "judgment_ranks_between_1_and_5",
    revision,
    {"labels": [1, 2, 3, 4, 6]},
    {"labels": [0, 2, 3, 4, 5]},
    {"labels": [None, None, None, None, None]},
    accepted={"labels": [1, None, None, 2, None]},
)
breaks_by_fields(
    "judgment_active_within_duration",
    revision,
    {"active_ms": 1001, "duration_ms": 1000},
    accepted={"active_ms": 1000, "duration_ms": 1000},
)
breaks_by_fields(
    "judgment_played_between_0_and_1",
    revision,
    {"played": [1.5, None, None, None, None]},
    {"played": [-0.1, None, None, None, None]},
    accepted={"played": [0.5, 0, 1, None, None]},
)
breaks_by_fields(
    "skip_active_within_duration",
    skip,
    {"active_ms": 1001, "duration_ms": 1000},
    accepted={"active_ms": 1000, "duration_ms": 1000},
)
breaks_by_fields(
    "judgment_labels_aligned_with_candidates",
    revision,
    {"labels": [1, 2, 3, 4]},
    {"labels": [1, 2, 3, 4, 5, 5]},
)


def second_number() -> Create:
    """Return what gives the second of two judgments its number."""
    create = first_judgment()
    first: Any = create()
    judgments_number(task_id=first.task_id)
    other = create(client_id=uuid4(), judge=make_judge(first.judge.campaign, "judge02"))
    return partial(
        JudgmentNumber.objects.create,
        judgment=other,
        task=first.task,
        number=2,
    )


@breaks("judgment_number_of_its_task")
def a_number_is_of_no_judgment_of_the_task(attempt: Attempt) -> None:
    create = second_number()
    second = Judgment.objects.latest("pk")
    here = second.task
    for wrong in (
        {"judgment_id": 10**12},
        {"task": small_task(here.test_set.campaign, "other")},
    ):
        with attempt.refuses(saying="does not belong to the task of its number"):
            create(**wrong)
    # Among many written at once, too.
    with attempt.refuses(saying="does not belong to the task of its number"):
        JudgmentNumber.objects.bulk_create(
            [
                JudgmentNumber(judgment=second, task=here, number=2),
                JudgmentNumber(judgment_id=10**12, task=here, number=3),
            ],
        )
    with attempt.accepts():
        create()


@breaks("judgment_number_append_only")
def a_number_is_changed_or_deleted(attempt: Attempt) -> None:
    create = second_number()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        JudgmentNumber.objects.filter(number=2).update(number=3)
    with attempt.refuses(saying="Cannot update or delete"):
        JudgmentNumber.objects.filter(number=2).delete()


@breaks("judgment_supersedes_own_earlier_one")
def a_judgment_supersedes_one_it_cannot(attempt: Attempt) -> None:
    create = revision()
    first = Judgment.objects.get()
    there = first.task
    other_judge = make_judge(there.test_set.campaign, "judge02")
    other_block = make_shown(there, number=2).block
    earlier = {"pk": first.pk - 1}
    for fields in ({"judge": other_judge}, {"block": other_block}, earlier):
        with attempt.refuses(saying="may only supersede"):
            create(**fields)
    with attempt.accepts():
        create()


@breaks("judgment_of_its_task")
def a_judgment_counts_in_another_task(attempt: Attempt) -> None:
    create = revision()
    other = small_task(Judgment.objects.get().judge.campaign, name="other")
    with attempt.refuses(saying="does not belong to task"):
        create(task=other)
    with attempt.accepts():
        create()


@breaks("judgment_append_only")
def a_judgment_is_changed_or_deleted(attempt: Attempt) -> None:
    create = first_judgment()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        Judgment.objects.update(labels=[5, 4, 3, 2, 1])
    with attempt.refuses(saying="Cannot update or delete"):
        Judgment.objects.get().delete()
    assert Judgment.objects.get().labels == [1, 2, 3, 4, 5]


@breaks("skip_of_its_task")
def a_skip_is_of_another_task(attempt: Attempt) -> None:
    create = second_skip()
    other = small_task(Skip.objects.get().judge.campaign, name="other")
    with attempt.refuses(saying="does not belong to task"):
        create(task=other)
    with attempt.accepts():
        create()


@breaks("skip_append_only")
def a_skip_is_changed_or_deleted(attempt: Attempt) -> None:
    create = skip()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        Skip.objects.update(reason="other")
    with attempt.refuses(saying="Cannot update or delete"):
        Skip.objects.all().delete()
