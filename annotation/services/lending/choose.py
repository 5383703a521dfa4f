"""Choose the next HIT to lend to a judge, from everything that is known about them, and lock its row until the commit.

Each claim is one query of the same form, because the response time must not reveal the kind of HIT.
Chance decides for each judge if an attention check or a repeat is due
(`annotation.sampling.rates`), and the planner keeps a HIT of each kind ready. The number of queries
is the same in all cases.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, FilteredRelation, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotation.models import (
    HIT,
    Assignment,
    Design,
    HITPurpose,
    JudgeAccount,
    TrainingBlock,
)
from annotation.models.hit import HITQuerySet
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.sampling.rates import attention_due, intra_due
from annotation.selectors.comparisons import (
    blocks_of,
    sentences_of_a_judge,
    sentences_taken,
)
from annotation.selectors.judges import JudgeStanding, judge_standing
from annotation.selectors.passes import is_full, passes_so_far
from annotation.selectors.pool import (
    HITRequest,
    chosen_or_all,
    has_check_to_lend,
    hits_for_judge,
    hits_intra,
    hits_near,
    hits_reserved,
    hits_standby,
    hits_standby_near,
    suitable_tasks,
)
from annotation.selectors.progress import JudgeWork, judges_with_work
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.lending.work_requests import NONE_LEFT_VALID_FOR
from campaign.database.many_rows import TABLE_SCANS_OFF
from campaign.models import ConflictOfInterest, Instructions, Judge, System, Task

# A planner that has not answered a request for so long is down.
_PLANNER_SILENT_AFTER: Final = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class ReservedKind:
    """A kind of HIT that is reserved for a judge: its purpose, and whether it holds an attention check."""

    purpose: str
    holds_check: bool


@dataclass(frozen=True, slots=True)
class LendingRules:
    """Rules of a task's protocol that lending follows.

    Attributes
    ----------
    has_passes : bool
        Whether the task allots texts, which judges see in one or several passes.
    has_later_passes : bool
        Whether judges see their texts in several passes.
    limits_texts : bool
        Whether the number of texts per judge is limited.
    sentences_of_a_judge : int
        Number of sentences per comparison sampled for each judge in a sort; 0 without samples.
    """

    has_passes: bool = False
    has_later_passes: bool = False
    limits_texts: bool = False
    sentences_of_a_judge: int = 0

    @classmethod
    def of_task(cls, task: Task) -> "LendingRules":
        """Return the rules of a task."""
        rules = cls(sentences_of_a_judge=sentences_of_a_judge(task))
        passes = answer_kind_of(task).passes
        if passes is None:
            return rules
        return replace(
            rules,
            has_passes=True,
            has_later_passes=passes.count > 1,
            limits_texts=passes.items_per_judge is not None,
        )


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task whose HITs may be lent to the judge.

    Attributes
    ----------
    task : Task
    rules : LendingRules
    account : JudgeAccount
        HITs of the task lent to the judge so far; not stored before the first one.
    design : Design or None
        The design in force; None before there is one.
    reserved : frozenset of ReservedKind
        Incomplete HITs reserved for the judge.
    has_training : bool
    is_none_left : bool
        Whether the planner recently found nothing to draw for the judge.
    is_planner_silent : bool
        Whether the judge requested work a while ago and the planner has not answered, so it is down.
    """

    task: Task
    rules: LendingRules
    account: JudgeAccount
    design: Design | None
    reserved: frozenset[ReservedKind]
    has_training: bool
    is_none_left: bool
    is_planner_silent: bool

    @property
    def attention_every(self) -> int:
        """Average number of HITs between attention checks; 0 without checks."""
        if self.design is None:
            return 0
        return self.design.attention_every

    @property
    def is_all_there_is(self) -> bool:
        """True if the planner will draw nothing else for the judge now."""
        return self.is_none_left or self.is_planner_silent

    @property
    def has_repeat(self) -> bool:
        """True if a repeat of one of their HITs is planned."""
        return any(kind.purpose == HITPurpose.INTRA for kind in self.reserved)

    def has_reserved(self, *, holds_check: bool | None) -> bool:
        """Return whether a new HIT is reserved for them: one with a check, one without, or, for None, any."""
        for kind in self.reserved:
            is_new = kind.purpose not in {HITPurpose.INTRA, HITPurpose.TRAINING}
            if is_new and holds_check in {None, kind.holds_check}:
                return True
        return False


@dataclass(frozen=True, slots=True)
class LendingContext:
    """State that lending needs about a judge who requests a HIT.

    Attributes
    ----------
    judge : Judge
        With their campaign; their row is locked.
    now : datetime
        By the database's clock.
    standing : JudgeStanding
    owes_acceptance : bool
        Whether they must accept instructions first.
    work : JudgeWork
    conflicts : list of int
        Systems they must not see.
    withdrawn : list of int
        Withdrawn systems of the campaign, which are lent to no judge.
    begun : list of Assignment
        Assignments they hold, or held until the lease ran out, whose HITs are incomplete, with their HITs.
    tasks : list of OpenTask
        Only the chosen task if the judge chose one, which applies to `begun`, too: other
        assignments end with their lease, or continue when the judge returns to their task.
        Empty unless the campaign is open.
    """

    judge: Judge
    now: datetime
    standing: JudgeStanding
    owes_acceptance: bool
    work: JudgeWork
    conflicts: list[int]
    withdrawn: list[int]
    begun: list[Assignment]
    tasks: list[OpenTask]

    @property
    def is_past_closing(self) -> bool:
        """True if the campaign's closing time has passed."""
        closes_at = self.judge.campaign.closes_at
        return closes_at is not None and closes_at <= self.now

    @property
    def blocks_begun(self) -> int:
        """Number of blocks of the assignments in `begun`, done or not."""
        return sum(len(assignment.hit.segment_ids) for assignment in self.begun)

    def request(self, task: Task) -> HITRequest:
        """Return the judge's request for a HIT of a task."""
        return HITRequest(
            judge_id=self.judge.pk,
            task_id=task.pk,
            conflicts=[*self.conflicts, *self.withdrawn],
            apart=task.exposed_apart,
        )


@cache
def _judges_with_context() -> QuerySet[Judge]:
    """Return all judges, with what `LendingContext` has from one row. Built once a process, like `judges_with_work`."""
    judge = OuterRef("pk")
    withdrawn = System.objects.filter(
        test_set__campaign=OuterRef("campaign"),
        withdrawn_at__isnull=False,
    )
    conflicts = ConflictOfInterest.objects.filter(judge=judge).order_by()
    return judges_with_work().annotate(
        now=Now(),
        owes_acceptance=Exists(Instructions.objects.demanded_of(judge)),
        conflict_ids=ArraySubquery(conflicts.values("system")),
        withdrawn_ids=ArraySubquery(withdrawn.values("pk")),
    )


def lending_context_lock(judge: Judge) -> LendingContext:
    """Lock the judge's row until the commit and return what lending needs to know about them.

    Seven queries, regardless of the number of tasks.
    """
    # A separate statement: the next ones see what was committed before the lock was free. Until
    # the commit, neither lending nor foreign key lookups scan tables.
    locks = Judge.objects.select_for_update(no_key=True).annotate(
        table_scans=TABLE_SCANS_OFF,
    )
    locks.only("pk").get(pk=judge.pk)
    locked: Any = _judges_with_context().get(pk=judge.pk)
    tasks = _open_tasks(locked, locked.now)
    begun = (
        Assignment.objects.filter(judge=judge, completed_at__isnull=True)
        .filter(Q(released_at__isnull=True) | Q(hit__completed_at__isnull=True))
        .select_related("hit")
        .order_by("pk")
    )
    if [task.task.pk for task in tasks] == [locked.chosen_task_id]:
        begun = begun.filter(hit__task=locked.chosen_task_id)
    return LendingContext(
        judge=locked,
        now=locked.now,
        standing=judge_standing(locked, now=locked.now),
        owes_acceptance=locked.owes_acceptance,
        work=JudgeWork.of(locked),
        conflicts=locked.conflict_ids,
        withdrawn=locked.withdrawn_ids,
        begun=list(begun),
        tasks=tasks,
    )


def _open_tasks(judge: Judge, now: datetime) -> list[OpenTask]:
    """Return the task the judge chose, or all that are open to them. Three queries, four if a design is for a group."""
    annotated = Task.objects.order_by("pk").annotate(
        account=FilteredRelation("accounts", condition=Q(accounts__judge=judge)),
        has_training=Exists(TrainingBlock.objects.filter(task=OuterRef("pk"))),
    )
    with_accounts = annotated.select_related("account")  # type: ignore[misc]  # the relation above
    suitable = chosen_or_all(suitable_tasks(judge, with_accounts), judge.chosen_task_id)
    reserved = HIT.objects.filter(reserved_for=judge).incomplete()
    kinds: dict[int, set[ReservedKind]] = defaultdict(set)
    for row in reserved.values("task_id", "purpose", "holds_check"):
        kinds[row["task_id"]].add(ReservedKind(row["purpose"], row["holds_check"]))
    return [
        _open_task(
            row.task,
            # There is none before the first HIT.
            getattr(row.task, "account", JudgeAccount(judge=judge, task=row.task)),
            design=row.design,
            reserved=frozenset(kinds[row.task.pk]),
            now=now,
        )
        for row in suitable
    ]


def _open_task(
    task: Any,
    account: JudgeAccount,
    *,
    design: Design | None,
    reserved: frozenset[ReservedKind],
    now: datetime,
) -> OpenTask:
    """Return a task, annotated with `has_training`, as lending needs it."""
    none_left_at = account.none_left_at
    requested_at = account.requested_at
    is_none_left = (
        none_left_at is not None and none_left_at >= now - NONE_LEFT_VALID_FOR
    )
    is_silent = requested_at is not None and requested_at < now - _PLANNER_SILENT_AFTER
    return OpenTask(
        task=task,
        rules=LendingRules.of_task(task),
        account=account,
        design=design,
        reserved=reserved,
        has_training=task.has_training,
        is_none_left=is_none_left,
        is_planner_silent=is_silent,
    )


_SOURCES: Final[dict[str, Callable[[HITRequest], HITQuerySet]]] = {
    "pool": hits_near,
    "whole_pool": hits_for_judge,
    "standby": hits_standby_near,
    "whole_standby": hits_standby,
    "reserved": hits_reserved,
    "repeats": hits_intra,
}


def hit_claim(
    source: str,
    request: HITRequest,
    *,
    holds_check: bool | None = None,
) -> HIT | None:
    """Lock and return the first available HIT of a source that this judge may be lent; None if there is none.

    `holds_check` restricts this to HITs with, or without, an attention check.
    """
    hits = _SOURCES[source](request).available().holding_check(holds_check)
    return hits.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()


def hit_choose(*, task: OpenTask, judge: Judge, request: HITRequest) -> HIT | None:
    """Lock and return the HIT that comes next; None if none of the task is available.

    Training comes first, then a repeat if one is due, HITs reserved for the judge, the pool, and
    HITs on standby.
    """
    if task.rules.has_passes:
        return _choose_of_pass(task, request)
    if task.has_training:
        round_ = training_round_due(
            judge=judge,
            task_id=task.task.pk,
            hits_lent=task.account.hits_lent,
        )
        if round_ is not None:
            # Nothing else is lent before training is done; if it is not planned yet, the judge asks
            # again.
            training = hits_training(judge=judge, task_id=task.task.pk)
            suitable = training.excluding_systems(request.conflicts).available()
            return suitable.select_for_update(skip_locked=True, no_key=True).first()
    if not task.attention_every:
        holds_check = None
    else:
        holds_check = _is_check_due(task, judge, request)
    hit = None
    if task.has_repeat and _is_intra_due(task, judge):
        hit = hit_claim("repeats", request)
    hit = hit or _claim_next(task, request, holds_check=holds_check)
    if hit is None and holds_check:
        # The HITs with a check are being lent to others at this moment.
        hit = _claim_next(task, request, holds_check=False)
    if hit is None and holds_check is not None and task.is_all_there_is:
        # No other HIT will be drawn for this judge, or the planner is down: one check too many is
        # better than no work.
        hit = _claim_next(task, request, holds_check=None)
    return hit


def is_pool_open(*, task: OpenTask, judge: Judge) -> bool:
    """Return whether the judge may be lent any HIT of the pool now, other than those reserved for them."""
    if task.rules.sentences_of_a_judge:
        return False
    if task.rules.has_passes and (
        task.rules.has_later_passes or task.rules.limits_texts
    ):
        so_far = passes_so_far(judge_id=judge.pk, task_id=task.task.pk)
        is_at_limit = task.rules.limits_texts and is_full(
            task_id=task.task.pk,
            texts=so_far.texts,
        )
        return not (so_far.is_past_first or is_at_limit)
    if task.has_training:
        due = training_round_due(
            judge=judge,
            task_id=task.task.pk,
            hits_lent=task.account.hits_lent,
        )
        return due is None
    return True


def _choose_of_pass(task: OpenTask, request: HITRequest) -> HIT | None:
    """Lock and return the HIT that comes next in a task with passes.

    Once a later pass is planned for a judge, they are lent nothing more of the first, even if
    others return HITs, and nothing of the later one while they hold a HIT of an earlier one.
    """
    if task.rules.has_later_passes or task.rules.limits_texts:
        so_far = passes_so_far(judge_id=request.judge_id, task_id=task.task.pk)
        if so_far.is_past_first:
            if so_far.holds_earlier:
                return None
            return hit_claim("repeats", request)
        if task.rules.limits_texts and is_full(
            task_id=task.task.pk,
            texts=so_far.texts,
        ):
            return None
    # Unlimited distance: HITs that cannot be lent must not hide the rounds after them.
    return hit_claim("whole_pool", request)


def _choose_of_sample(
    request: HITRequest,
    *,
    most: int,
    holds_check: bool | None,
) -> HIT | None:
    """Lock and return the first HIT of the judge's samples within their limit per comparison; None if there is none.

    No comparison gets more than `most` of the judge's sentences, including judged and held ones,
    regardless of how often they ask. The judge's row is locked, so that nothing else is lent to
    them meanwhile.
    """
    hits = hits_reserved(request).available().filter(purpose=HITPurpose.FIRST)
    sentences = None
    # A HIT that is being dropped at this moment is skipped.
    for hit in hits.select_for_update(skip_locked=True, no_key=True, of=("self",)):
        if holds_check not in (None, hit.holds_check):
            continue
        if sentences is None:
            sentences = sentences_taken(
                judge_id=request.judge_id,
                task_id=request.task_id,
                planned=False,
            )
        if all(
            sentences[pair] + block_count <= most
            for pair, block_count in blocks_of(hit).items()
        ):
            return hit
    return None


def _claim_next(
    task: OpenTask,
    request: HITRequest,
    *,
    holds_check: bool | None,
) -> HIT | None:
    if task.rules.sentences_of_a_judge:
        return _choose_of_sample(
            request,
            most=task.rules.sentences_of_a_judge,
            holds_check=holds_check,
        )
    whole = "whole_" if task.is_planner_silent else ""
    sources = [f"{whole}pool", f"{whole}standby"]
    if task.has_reserved(holds_check=holds_check):
        sources.insert(0, "reserved")
    claimed = (
        hit_claim(source, request, holds_check=holds_check) for source in sources
    )
    return next(filter(None, claimed), None)


def _is_check_due(task: OpenTask, judge: Judge, request: HITRequest) -> bool:
    """Return whether the next HIT should hold an attention check, because one is due and available."""
    # Always looked up, so that the response time does not reveal whether one is due.
    is_available = has_check_to_lend(request)
    return (
        is_available
        and task.design is not None
        and attention_due(
            seed=task.design.seed,
            judge=judge.pseudonym,
            every=task.attention_every,
            checks=task.account.checks_lent,
            hits_since=task.account.hits_since_check,
        )
    )


def _is_intra_due(task: OpenTask, judge: Judge) -> bool:
    return task.design is not None and intra_due(
        seed=task.design.seed,
        judge=judge.pseudonym,
        share=task.design.intra_share,
        repeat_gap=task.design.repeat_gap,
        repeats=task.account.intra_lent,
        hits_since=task.account.hits_since_repeat,
    )
