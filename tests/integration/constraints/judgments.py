"""What judges say: judgments, skips and reports of problems."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pgtrigger
from django.utils import timezone

from annotation.models import (
    Block,
    JudgedQuarterHour,
    JudgeTally,
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    PageChanges,
    ProblemReply,
    ProblemReport,
    RankingRequest,
    Skip,
    UncountedSkip,
    UnnumberedJudgment,
    WorkedQuarterHour,
)
from annotation.services import judgments_number
from campaign.models import User
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
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


def problem_report() -> Create:
    shown = make_shown()
    return partial(
        ProblemReport.objects.create,
        client_id=ONE_ID,
        judge=make_judge(shown.task.test_set.campaign),
        block=shown.block,
        task=shown.task,
        kind="source",
    )


def second_problem_report() -> Create:
    create = problem_report()
    create()
    return partial(create, client_id=uuid4())


def second_reply() -> Create:
    """Return what makes the second reply to a report that the first one closed."""
    report: Any = problem_report()()
    fields = {"report": report, "created_by": User.objects.create_user(name="Olga")}
    ProblemReply.objects.create(**fields, number=1, closed=True)
    return partial(ProblemReply.objects.create, **fields, number=2, closed=False, text="Again.")


breaks_by_fields(
    "judgment_ranks_between_1_and_5",
    revision,
    {"labels": [1, 2, 3, 4, 6]},
    {"labels": [0, 2, 3, 4, 5]},
    {"labels": [None, None, None, None, None]},
    accepted={"labels": [1, None, None, 2, None]},
)
breaks_by_fields(
    "judgment_active_within_its_time_on_the_clock",
    revision,
    {"active_ms": 1001, "duration_ms": 1000},
    accepted={"active_ms": 1000, "duration_ms": 1000},
)
breaks_by_fields(
    "judgment_labels_aligned_with_candidates",
    revision,
    {"labels": [1, 2, 3, 4]},
    {"labels": [1, 2, 3, 4, 5, 5]},
)
breaks_by_fields("annotation.Judgment.client_id", revision, {"client_id": ONE_ID})
breaks_by_fields("judgment_one_first_per_judge_and_block", revision, {"supersedes": None})
breaks_by_fields("annotation.Skip.client_id", second_skip, {"client_id": ONE_ID})
breaks_by_fields(
    "skip_active_within_its_time_on_the_clock",
    skip,
    {"active_ms": 1001, "duration_ms": 1000},
    accepted={"active_ms": 1000, "duration_ms": 1000},
)
breaks_by_fields("skip_reason_is_known", skip, {"reason": "tired"}, accepted={"reason": "other"})
breaks_by_fields("annotation.ProblemReport.client_id", second_problem_report, {"client_id": ONE_ID})
breaks_by_fields(
    "problem_report_kind_is_known", problem_report, {"kind": "weather"}, accepted={"kind": "page"}
)
breaks_by_fields(
    "problem_report_of_something_else_says_what",
    problem_report,
    {"kind": "other"},
    accepted={"kind": "other", "comment": "The clock runs backwards."},
)

breaks_by_fields(
    "problem_reply_says_closes_or_takes_back",
    second_reply,
    {"text": ""},
    accepted={"text": "", "closed": True},
)
breaks_by_fields(
    "problem_reply_follows_the_last", second_reply, {"number": 1}, {"number": 3}, accepted={}
)


def second_number() -> Create:
    """Return what gives the second of two judgments its number."""
    create = first_judgment()
    first: Any = create()
    judgments_number(task_id=first.task_id)
    other = create(client_id=uuid4(), judge=make_judge(first.judge.campaign, "judge02"))
    return partial(JudgmentNumber.objects.create, judgment=other, task=first.task, number=2)


breaks_by_fields("judgment_number_unique_in_task", second_number, {"number": 1})


@breaks("annotation.JudgmentNumber.judgment")
def a_judgment_has_two_numbers(attempt: Attempt) -> None:
    create = second_number()
    first = Judgment.objects.earliest("pk")
    with attempt.refuses():
        create(judgment=first)
    with attempt.accepts():
        create()


@breaks("number_of_a_judgment")
def a_number_is_of_no_judgment_of_the_task(attempt: Attempt) -> None:
    create = second_number()
    second = Judgment.objects.latest("pk")
    here = second.task
    for wrong in ({"judgment_id": 10**12}, {"task": small_task(here.test_set.campaign, "other")}):
        with attempt.refuses(saying="none of the test set"):
            create(**wrong)
    # Among many written at once, too.
    with attempt.refuses(saying="none of the test set"):
        JudgmentNumber.objects.bulk_create(
            [
                JudgmentNumber(judgment=second, task=here, number=2),
                JudgmentNumber(judgment_id=10**12, task=here, number=3),
            ]
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


@breaks("annotation.Judgment.supersedes")
def a_judgment_is_superseded_twice(attempt: Attempt) -> None:
    create = revision()
    create()
    latest = Judgment.objects.latest("pk")
    # By another judge: by the same one it would break `judgment_one_first_per_judge_and_block`, too.
    with attempt.refuses():
        create(client_id=uuid4(), judge=make_judge(latest.judge.campaign, "another"))
    with attempt.accepts():
        create(client_id=uuid4(), supersedes=latest)


@breaks("judgment_supersedes_its_own_kind")
def a_judgment_supersedes_one_it_cannot(attempt: Attempt) -> None:
    create = revision()
    first = Judgment.objects.get()
    there = first.task
    other_judge = make_judge(there.test_set.campaign, "judge02")
    other_block = make_shown(there, number=2).block
    earlier = {"pk": first.pk - 1}
    for fields in ({"judge": other_judge}, {"block": other_block}, earlier):
        with attempt.refuses(saying="another judge, block or time"):
            create(**fields)
    with attempt.accepts():
        create()


@breaks("judgment_of_its_task")
def a_judgment_counts_in_another_task(attempt: Attempt) -> None:
    create = revision()
    other = small_task(Judgment.objects.get().judge.campaign, name="other")
    with attempt.refuses(saying="not of test set"):
        create(task=other)
    with attempt.accepts():
        create()


@breaks("judgment_of_a_block")
def a_judgment_is_of_no_block(attempt: Attempt) -> None:
    create = first_judgment()
    with attempt.refuses(saying="there is no block"):
        create(block=Block(pk=10**12))
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


@breaks("annotation.JudgmentSequence.task")
def a_task_is_numbered_twice(attempt: Attempt) -> None:
    there = small_task()
    JudgmentSequence.objects.create(task=there)
    with attempt.refuses():
        JudgmentSequence.objects.create(task=there)
    with attempt.accepts():
        JudgmentSequence.objects.create(task=small_task(there.test_set.campaign, name="other"))


@breaks("annotation.UnnumberedJudgment.judgment")
def a_judgment_waits_twice(attempt: Attempt) -> None:
    judgment: Any = first_judgment()()
    with attempt.refuses():
        UnnumberedJudgment.objects.create(judgment=judgment, task=judgment.task)
    UnnumberedJudgment.objects.all().delete()
    with attempt.accepts():
        UnnumberedJudgment.objects.create(judgment=judgment, task=judgment.task)


@breaks("annotation.UncountedSkip.skip")
def a_skip_waits_twice(attempt: Attempt) -> None:
    skipped: Any = skip()()
    with attempt.refuses():
        UncountedSkip.objects.create(skip=skipped, task=skipped.task)
    UncountedSkip.objects.all().delete()
    with attempt.accepts():
        UncountedSkip.objects.create(skip=skipped, task=skipped.task)


@breaks("annotation.PageChanges.task")
def changes_of_a_task_are_counted_twice(attempt: Attempt) -> None:
    there = small_task()
    PageChanges.objects.create(task=there)
    with attempt.refuses():
        PageChanges.objects.create(task=there)
    with attempt.accepts():
        PageChanges.objects.create(task=small_task(there.test_set.campaign, name="other"))


@breaks("annotation.RankingRequest.task")
def a_ranking_is_requested_twice(attempt: Attempt) -> None:
    there = small_task()
    RankingRequest.objects.create(task=there)
    with attempt.refuses():
        RankingRequest.objects.create(task=there)
    with attempt.accepts():
        RankingRequest.objects.create(task=small_task(there.test_set.campaign, name="other"))


def tally() -> Create:
    """Return what counts a second judge's judgments in a test set where one judge has a tally."""
    first: Any = first_judgment()()
    judgments_number(task_id=first.task_id)
    return partial(
        JudgeTally.objects.create,
        task=first.task,
        judge=make_judge(first.judge.campaign, "judge02"),
        judged=1,
        last_at=first.submitted_at,
    )


@breaks("judge_tally_once_per_task_and_judge")
def a_judge_is_counted_twice(attempt: Attempt) -> None:
    create = tally()
    with attempt.refuses():
        create(judge=Judgment.objects.get().judge)
    with attempt.accepts():
        create()


@breaks("judged_quarter_hour_once")
def a_quarter_of_an_hour_is_counted_twice(attempt: Attempt) -> None:
    there, start = small_task(), timezone.now()
    JudgedQuarterHour.objects.create(task=there, start=start, judged=1)
    with attempt.refuses():
        JudgedQuarterHour.objects.create(task=there, start=start, judged=1)
    with attempt.accepts():
        later = start + timedelta(minutes=15)
        JudgedQuarterHour.objects.create(task=there, start=later, judged=1)


@breaks("worked_quarter_hour_once")
def a_judges_quarter_of_an_hour_is_counted_twice(attempt: Attempt) -> None:
    there, start = small_task(), timezone.now()
    judge = make_judge(there.test_set.campaign)
    create = partial(
        WorkedQuarterHour.objects.create,
        judge=judge,
        task=there,
        sentences=1,
        active_ms=1,
        untimed=0,
    )
    create(start=start)
    with attempt.refuses():
        create(start=start)
    with attempt.accepts():
        create(start=start + timedelta(minutes=15))


@breaks("skip_of_its_task")
def a_skip_is_of_another_task(attempt: Attempt) -> None:
    create = second_skip()
    other = small_task(Skip.objects.get().judge.campaign, name="other")
    with attempt.refuses(saying="not of test set"):
        create(task=other)
    with attempt.accepts():
        create()


@breaks("skip_once_per_judge_and_block")
def a_judge_skips_a_block_twice(attempt: Attempt) -> None:
    create = second_skip()
    with attempt.refuses():
        create(judge=Skip.objects.get().judge)
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


@breaks("problem_report_append_only")
def a_problem_report_is_changed_or_deleted(attempt: Attempt) -> None:
    create = problem_report()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        ProblemReport.objects.update(kind="page")
    with attempt.refuses(saying="Cannot update or delete"):
        ProblemReport.objects.all().delete()


@breaks("problem_report_of_its_task")
def a_problem_is_reported_of_another_task(attempt: Attempt) -> None:
    create = second_problem_report()
    other = small_task(ProblemReport.objects.get().judge.campaign, name="other")
    with attempt.refuses(saying="not of test set"):
        create(task=other)
    with attempt.accepts():
        create()


@breaks("problem_reply_append_only")
def a_reply_is_changed_or_deleted(attempt: Attempt) -> None:
    create = second_reply()
    with attempt.accepts():
        create()
    with attempt.refuses(saying="Cannot update"):
        ProblemReply.objects.update(text="Never mind.")
    with attempt.refuses(saying="Cannot update or delete"):
        ProblemReply.objects.all().delete()


@breaks("problem_reply_number_once")
def two_replies_have_one_number(attempt: Attempt) -> None:
    create = second_reply()
    # The trigger sees what is committed; this is left for two who answer at once.
    trigger = "annotation.ProblemReply:problem_reply_follows_the_last"
    with pgtrigger.ignore(trigger), attempt.refuses():
        create(number=1)
    with attempt.accepts():
        create()


@breaks("annotation.ProblemReply.takes_back")
def a_reply_is_taken_back_twice(attempt: Attempt) -> None:
    create = second_reply()
    back = partial(create, text="", takes_back=ProblemReply.objects.get())
    with attempt.accepts():
        back()
    back()
    with attempt.refuses():
        back(number=3)


@breaks("problem_reply_takes_back_its_own")
def a_reply_of_another_report_is_taken_back(attempt: Attempt) -> None:
    create = second_reply()
    first = ProblemReply.objects.get()
    report = first.report
    other = ProblemReport.objects.create(
        client_id=uuid4(),
        judge=report.judge,
        block=report.block,
        task=report.task,
        kind="page",
    )
    with attempt.refuses(saying="can be taken back"):
        create(report=other, number=1, text="", takes_back=first)
    back = create(text="", takes_back=first)
    # Nor is a taking back.
    with attempt.refuses(saying="can be taken back"):
        create(number=3, text="", takes_back=back)
    with attempt.accepts():
        create(number=3)
