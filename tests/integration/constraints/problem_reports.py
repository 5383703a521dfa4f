"""Problems that judges report, and replies to them."""

from functools import partial
from typing import Any
from uuid import uuid4

from annotation.models import (
    ProblemReply,
    ProblemReport,
)
from campaign.models import User
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.judgments import ONE_ID
from tests.integration.constraints.worlds import make_shown, small_task


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
