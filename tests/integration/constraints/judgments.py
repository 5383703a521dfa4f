"""What judges say: judgments, skips and reports of problems."""

from functools import partial
from uuid import UUID, uuid4

from annotation.models import Judgment, JudgmentSequence, ProblemReport, Skip
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_shown, small_test_set

ONE_ID = UUID(int=1)


def first_judgment() -> Create:
    """Return what makes the first judgment of a block of five."""
    shown = make_shown()
    return partial(
        Judgment.objects.create,
        test_set=shown.test_set,
        number=1,
        client_id=ONE_ID,
        judge=make_judge(shown.test_set.campaign),
        block=shown.block,
        labels=[1, 2, 3, 4, 5],
    )


def revision() -> Create:
    """Return what makes the second judgment of a block, which supersedes the first."""
    create = first_judgment()
    create()
    return partial(create, number=2, client_id=uuid4(), supersedes=Judgment.objects.get())


def skip() -> Create:
    shown = make_shown()
    return partial(
        Skip.objects.create,
        client_id=ONE_ID,
        judge=make_judge(shown.test_set.campaign),
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
        judge=make_judge(shown.test_set.campaign),
        block=shown.block,
        test_set=shown.test_set,
        kind="source",
    )


def second_problem_report() -> Create:
    create = problem_report()
    create()
    return partial(create, client_id=uuid4())


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


@breaks("judgment_number_unique_in_test_set")
def two_judgments_have_one_number(attempt: Attempt) -> None:
    create = first_judgment()
    create()
    other = make_judge(Judgment.objects.get().judge.campaign, "judge02")
    with attempt.refuses():
        create(client_id=uuid4(), judge=other)
    with attempt.accepts():
        create(client_id=uuid4(), judge=other, number=2)


@breaks("annotation.Judgment.supersedes")
def a_judgment_is_superseded_twice(attempt: Attempt) -> None:
    create = revision()
    create()
    latest = Judgment.objects.get(number=2)
    with attempt.refuses():
        create(client_id=uuid4(), number=3)
    with attempt.accepts():
        create(client_id=uuid4(), number=3, supersedes=latest)


@breaks("judgment_supersedes_its_own_kind")
def a_judgment_supersedes_one_it_cannot(attempt: Attempt) -> None:
    create = revision()
    there = Judgment.objects.get().test_set
    other_judge = make_judge(there.campaign, "judge02")
    other_block = make_shown(there, number=2).block
    earlier = {"number": 1}
    for fields in ({"judge": other_judge}, {"block": other_block}, earlier):
        with attempt.refuses(saying="another judge, block or time"):
            create(**fields)
    with attempt.accepts():
        create()


@breaks("judgment_of_its_test_set")
def a_judgment_counts_in_another_test_set(attempt: Attempt) -> None:
    create = revision()
    other = small_test_set(Judgment.objects.get().judge.campaign, name="other")
    with attempt.refuses(saying="not of test set"):
        create(test_set=other)
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


@breaks("annotation.JudgmentSequence.test_set")
def a_test_set_is_numbered_twice(attempt: Attempt) -> None:
    there = small_test_set()
    JudgmentSequence.objects.create(test_set=there)
    with attempt.refuses():
        JudgmentSequence.objects.create(test_set=there)
    with attempt.accepts():
        JudgmentSequence.objects.create(test_set=small_test_set(there.campaign, name="other"))


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


@breaks("problem_report_of_its_test_set")
def a_problem_is_reported_of_another_test_set(attempt: Attempt) -> None:
    create = second_problem_report()
    other = small_test_set(ProblemReport.objects.get().judge.campaign, name="other")
    with attempt.refuses(saying="not of test set"):
        create(test_set=other)
    with attempt.accepts():
        create()
