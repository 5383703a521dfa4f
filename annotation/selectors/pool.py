"""The pool: HITs that a judge may be lent, and tasks open to them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Case,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Now

from annotation.models import (
    HIT,
    Assignment,
    Design,
    HITPurpose,
    JudgeAccount,
    Judgment,
    Skip,
)
from annotation.models.hit import POOLED, HITQuerySet
from annotation.selectors.designs import designs_of_tasks
from campaign.models import (
    CampaignState,
    ConflictOfInterest,
    GroupMember,
    Judge,
    Segment,
    System,
    Task,
)
from campaign.models.task import TaskQuerySet
from campaign.texts.languages import reads_languages


@dataclass(frozen=True)
class HITRequest:
    """A judge's request for a HIT of a task, with the systems they must not see.

    `apart` is `Task.exposed_apart`, which selects the exposures that count as having seen a
    segment.
    """

    judge_id: int
    task_id: int
    conflicts: list[int]
    apart: str

    @cached_property
    def near(self) -> HITQuerySet:
        """The HITs of `hits_near`. Built once, because lending asks for them twice, and building takes longer than asking."""
        return _near(hits_for_judge(self), _task_hits(self).pooled())


# Covers several runs of the planner, which runs every ten seconds.
CHANGED_WITHIN: Final = timedelta(minutes=1)
# Number of HITs of the pool that are considered for a judge while the planner is running.
_NEAR: Final = 1000
# Number of lent HITs among which one is sought that a waiting judge could be lent later.
_LOOKED_AT: Final = 30


# Whether a task's test set has texts.
_HAS_TEXTS: Final = Exists(
    Segment.objects.filter(
        test_set=OuterRef("test_set"),
        number=1,
        source_text__isnull=False,
    ),
)


def tasks_to_plan() -> TaskQuerySet:
    """Return the tasks that have texts to judge, by id.

    Covers open, paused and closed campaigns; before a campaign opens, its design may still change.
    """
    planned = [CampaignState.OPEN, CampaignState.PAUSED, CampaignState.CLOSED]
    with_texts = Task.objects.filter(_HAS_TEXTS).order_by("pk")
    return with_texts.filter(test_set__campaign__state__in=planned)


def tasks_changed() -> TaskQuerySet:
    """Return those of `tasks_to_plan` whose pool may be short now.

    That is the case if a judge waits for HITs or was lent some recently, or if the campaign or its
    design is new.
    """
    since = Now() - CHANGED_WITHIN
    accounts = JudgeAccount.objects.filter(task=OuterRef("pk"))
    designs = Design.objects.filter(task=OuterRef("pk"), created_at__gte=since)
    return tasks_to_plan().filter(
        Exists(
            accounts.filter(Q(requested_at__isnull=False) | Q(last_lent_at__gte=since)),
        )
        | Exists(designs)
        | Q(test_set__campaign__state_since__gte=since),
    )


@dataclass(frozen=True, slots=True)
class SuitableTask:
    """A task whose HITs a judge may be lent, with its test set, and its design in force; None before there is one."""

    task: Task
    design: Design | None


def suitable_tasks(
    judge: Judge,
    among: TaskQuerySet | None = None,
) -> list[SuitableTask]:
    """Return the tasks of the judge's campaign whose languages and subject they know.

    Leaves out closed tasks, those whose design is for a group that the judge is not in, and all
    tasks while the campaign is not open. `among` restricts and annotates them. Two queries, three
    if a design is for a group.
    """
    if among is None:
        among = Task.objects.order_by("pk")
    open_to_all = among.filter(
        _HAS_TEXTS,
        Q(test_set__campaign__closes_at=None)
        | Q(test_set__campaign__closes_at__gt=Now()),
        closed_at=None,
        test_set__campaign=judge.campaign_id,
        test_set__campaign__state=CampaignState.OPEN,
    )
    tasks = list(open_to_all.select_related("test_set"))
    designs = designs_of_tasks(tasks)
    groups = []
    for design in designs.values():
        if design.judge_group_id is not None:
            groups.append(design.judge_group_id)
    members: set[tuple[int, int]] = set()
    if groups:
        memberships = GroupMember.objects.filter(judge=judge, group__in=groups)
        members.update(memberships.values_list("group", "judge"))
    suitable = []
    for task in tasks:
        row = SuitableTask(task, designs.get(task.pk))
        if is_for_judge(task, row.design, judge, members):
            suitable.append(row)
    return suitable


def is_for_judge(
    task: Task,
    design: Design | None,
    judge: Judge,
    members: Collection[tuple[int, int]],
) -> bool:
    """Return whether a judge knows the languages and the subject of a task, and its design is for them.

    `members` are pairs of a judge group and a judge. Without a design, a task is for all judges.
    """
    if design is None or design.judge_group_id is None:
        return knows(judge, task)
    return knows(judge, task) and (design.judge_group_id, judge.pk) in members


def knows(judge: Judge, task: Task) -> bool:
    """Return whether a judge knows the languages and the subject of a task."""
    test_set = task.test_set
    pair = (test_set.source_language, test_set.target_language)
    knows_subject = set(test_set.expertise) <= set(judge.expertise)
    return knows_subject and reads_languages(judge.languages, pair)


def tasks_open_to_judge(judge: Judge, among: TaskQuerySet | None = None) -> list[Task]:
    """Return the tasks of `suitable_tasks`, with their test sets."""
    return [row.task for row in suitable_tasks(judge, among)]


def tasks_to_work_on(judge: Judge) -> list[Task]:
    """Return the task the judge chose, or all that are open to them."""
    suitable = chosen_or_all(suitable_tasks(judge), judge.chosen_task_id)
    return [row.task for row in suitable]


def chosen_or_all(
    suitable: list[SuitableTask],
    chosen_id: int | None,
) -> list[SuitableTask]:
    """Return the task the judge chose if it is suitable, otherwise all that are."""
    chosen = []
    for row in suitable:
        if row.task.pk == chosen_id:
            chosen.append(row)
    return chosen or suitable


def hits_for_judge(request: HITRequest) -> HITQuerySet:
    """Return the HITs of the pool that this judge may be lent, currently available or not, by number.

    Scans the index `hit_pool`, whose length depends on the pool, not on the history.
    """
    return _suitable(_task_hits(request).pooled().unreserved(), request)


def hits_standby(request: HITRequest) -> HITQuerySet:
    """Return the HITs on standby that this judge may be lent, by number."""
    return _suitable(_task_hits(request).standby(), request)


def hits_near(request: HITRequest) -> HITQuerySet:
    """Return those of `hits_for_judge` within the first thousand numbers of the pool."""
    return request.near


def hits_standby_near(request: HITRequest) -> HITQuerySet:
    """Return those of `hits_standby` within the first thousand numbers on standby."""
    return _near(hits_standby(request), _task_hits(request).standby())


def _task_hits(request: HITRequest) -> HITQuerySet:
    return HIT.objects.filter(task=request.task_id)


def _suitable(hits: HITQuerySet, request: HITRequest) -> HITQuerySet:
    """Return the HITs of unseen segments without systems that the judge must not see, by number."""
    unseen = hits.unseen_by(request.judge_id, request.apart)
    return unseen.excluding_systems(request.conflicts).order_by("number")


def _near(hits: HITQuerySet, among: HITQuerySet) -> HITQuerySet:
    # For a judge who has seen nearly all segments, nearly all HITs are skipped, at 0.05 ms each;
    # the planner draws suitable ones.
    first = among.order_by("number").values("number")[:1]
    return hits.filter(number__lt=Subquery(first) + _NEAR)


def hits_reserved(request: HITRequest) -> HITQuerySet:
    """Return the HITs reserved for this judge that they may be lent, except their own repeats."""
    hits = _task_hits(request).filter(reserved_for=request.judge_id).incomplete()
    new = hits.exclude(purpose__in=[HITPurpose.INTRA, HITPurpose.TRAINING])
    return _suitable(new, request)


def hits_intra(request: HITRequest) -> HITQuerySet:
    """Return the planned repeats of this judge's own HITs, by number; they have seen their segments."""
    hits = _task_hits(request).filter(
        reserved_for=request.judge_id,
        purpose=HITPurpose.INTRA,
    )
    return hits.incomplete().excluding_systems(request.conflicts).order_by("number")


def assignments_untouched(request: HITRequest) -> QuerySet[Assignment]:
    """Return the assignments of others with a HIT that this judge may be lent and its holder has not begun, latest first.

    Every judge keeps the first HIT that they hold, because they may be reading it.
    """
    suitable = _suitable(
        _task_hits(request).filter(purpose__in=POOLED).unreserved(),
        request,
    )
    leases = Assignment.objects.filter(
        completed_at=None,
        released_at=None,
        lease__endswith__gt=Now(),
    )
    before = leases.filter(judge=OuterRef("judge"), pk__lt=OuterRef("pk"))
    return (
        leases.filter(
            Exists(before),
            hit__in=suitable.incomplete().order_by().values("pk"),
        )
        .exclude(judge=request.judge_id)
        .exclude(Exists(_done_by_holder(Judgment)))
        .exclude(Exists(_done_by_holder(Skip)))
        .order_by("-pk")
    )


def accounts_waiting(accounts: QuerySet[JudgeAccount]) -> QuerySet[JudgeAccount]:
    """Return those of these accounts whose judge could be lent a HIT that another judge holds now."""
    conflicts = ConflictOfInterest.objects.filter(judge=OuterRef("judge")).values(
        "system",
    )
    apart = Case(
        When(task__segments_again=True, then="task__protocol"),
        default=Value(""),
    )
    judge = OuterRef(OuterRef("judge"))
    # Where many HITs are lent, a judge who may have none of the first will have none of the others.
    lent = HIT.objects.filter(
        task=OuterRef(OuterRef("task")),
        purpose__in=POOLED,
    ).incomplete()
    first = (
        lent.filter(available_at__gt=Now()).order_by("number").values("pk")[:_LOOKED_AT]
    )
    suitable = (
        HIT.objects.filter(pk__in=first)
        .unseen_by(judge, OuterRef(OuterRef("apart")))
        .excluding_systems(OuterRef("conflict_ids"))
    )
    annotated = accounts.annotate(apart=apart, conflict_ids=ArraySubquery(conflicts))
    return annotated.filter(Exists(suitable))


def is_touched(assignment: Assignment) -> bool:
    """Return whether the judge has judged or skipped a block of an assignment."""
    own = Assignment.objects.filter(pk=assignment.pk)
    touched = Exists(_done_by_holder(Judgment)) | Exists(_done_by_holder(Skip))
    return own.filter(touched).exists()


def _done_by_holder(model: type[Judgment] | type[Skip]) -> QuerySet[Any]:
    """Return the outer assignment's judgments, or skips."""
    return model.objects.filter(block__hit=OuterRef("hit"), judge=OuterRef("judge"))


def conflicts_of(judge: Judge) -> list[int]:
    """Return the ids of the systems with which this judge has a conflict of interest."""
    return list(judge.conflicts.values_list("system_id", flat=True))


def systems_not_lent(judge: Judge) -> list[int]:
    """Return the ids of systems not to be lent to this judge: withdrawn ones and those with a conflict of interest."""
    withdrawn = System.objects.filter(
        test_set__campaign=judge.campaign_id,
        withdrawn_at__isnull=False,
    )
    return [*conflicts_of(judge), *withdrawn.values_list("pk", flat=True)]


def hit_request(judge: Judge, *, task: Task) -> HITRequest:
    """Return a judge's request for a HIT of this task. Two queries."""
    return HITRequest(
        judge_id=judge.pk,
        task_id=task.pk,
        conflicts=systems_not_lent(judge),
        apart=task.exposed_apart,
    )


def has_available_hit(request: HITRequest, *, holds_check: bool | None = None) -> bool:
    """Return whether a HIT is available for this judge: reserved for them, or near the start of the pool.

    `holds_check` restricts this to HITs with, or without, an attention check. HITs on standby do
    not count, because the planner plans others in their place.
    """
    near = hits_near(request).available().holding_check(holds_check)
    reserved = hits_reserved(request).available().holding_check(holds_check)
    return near.exists() or reserved.exists()


def has_check_to_lend(request: HITRequest) -> bool:
    """Return whether a HIT with an attention check can be lent to this judge now, if necessary from standby."""
    sources = [hits_near(request), hits_reserved(request), hits_standby_near(request)]
    first, *others = (
        hits.holding_check(True).available().order_by().values("pk") for hits in sources
    )
    # One query, so that the response time does not reveal the source.
    return bool(first.union(*others, all=True)[:1])
