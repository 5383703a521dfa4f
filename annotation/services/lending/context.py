"""Lock a judge's row and read everything lending needs to know about them, in one round trip."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Exists,
    ExpressionWrapper,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import JSONArray, JSONObject, Now
from django.db.models.lookups import GreaterThanOrEqual

from annotation.models import (
    HIT,
    Assignment,
    HITPurpose,
    JudgeAccount,
    QualityAction,
    QualityActionKind,
    TrainingBlock,
)
from annotation.protocols import answer_kind
from annotation.selectors.designs import designs_in_force
from annotation.selectors.judges import (
    JudgeStatus,
    messages_in_force,
    status_from_actions,
)
from annotation.selectors.pool import chosen_or_all, design_is_for, tasks_open_to_some
from annotation.selectors.progress import JudgeWork, work_annotations
from annotation.services.lending.work_requests import NONE_LEFT_VALID_FOR
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import ConflictOfInterest, Instructions, Judge, System, Task


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task whose HITs may be lent to the judge, and the number of its HITs lent to them so far."""

    id: int
    hits_lent: int
    intra_lent: int
    checks_lent: int
    hits_since_check: int
    hits_since_repeat: int
    # The planner recently found nothing to draw for them.
    is_none_left: bool
    # The judge requested work a while ago and the planner has not answered, so it is down.
    is_planner_silent: bool
    has_training: bool
    # Purpose of the HITs reserved for them, and whether these hold an attention check.
    reserved: frozenset[tuple[str, bool]]
    # From the design in force; None and 0 before there is one.
    seed: int | None
    intra_share: float
    repeat_gap: int
    attention_every: int
    # The protocol allots texts, which judges see once or twice.
    has_passes: bool
    # Judges see their texts twice.
    has_second_pass: bool
    # The number of texts per judge is limited.
    limits_texts: bool
    # `Task.exposed_apart`.
    apart: str
    # Number of sentences per comparison sampled for each judge in a sort; 0 without samples.
    sentences_of_a_judge: int

    @property
    def is_all_there_is(self) -> bool:
        """True if the planner will draw nothing else for the judge now."""
        return self.is_none_left or self.is_planner_silent

    @property
    def has_repeat(self) -> bool:
        """True if a repeat of one of their HITs is planned."""
        return any(purpose == HITPurpose.INTRA for purpose, _check in self.reserved)

    def has_reserved(self, *, holds_check: bool | None) -> bool:
        """Return whether a new HIT is reserved for them: one with a check, one without, or, for None, any."""
        return any(
            purpose not in (HITPurpose.INTRA, HITPurpose.TRAINING) and holds_check in (None, check)
            for purpose, check in self.reserved
        )


@dataclass(frozen=True, slots=True)
class LendingContext:
    """State that lending needs about a judge who requests a HIT.

    Attributes
    ----------
    now : datetime
        By the database's clock.
    judge_status : JudgeStatus
    is_asked_again : bool
        Whether organisers asked them to judge again.
    messages : tuple of str
        Organisers' messages to them within a week, newest first.
    has_declined : bool
        Whether they declined to take part.
    owes_acceptance : bool
        Whether they must accept instructions first.
    campaign_state : str
        A `CampaignState`; there are no tasks unless it is open.
    lease_minutes : int
    work : JudgeWork
    conflicts : tuple of int
        Systems they must not see.
    withdrawn : tuple of int
        Withdrawn systems of the campaign, which are lent to no judge.
    begun : dict of UUID to int
        Assignments they hold, or held until the lease ran out, whose HITs are incomplete: public id
        to id.
    blocks_begun : int
        Blocks of these assignments, done or not.
    tasks : tuple of OpenTask
        Only the chosen task if the judge chose one, which applies to `begun`, too: other
        assignments end with their lease, or continue when the judge returns to their task.
    """

    now: datetime
    judge_status: JudgeStatus
    is_asked_again: bool
    messages: tuple[str, ...]
    has_declined: bool
    owes_acceptance: bool
    campaign_state: str
    lease_minutes: int
    work: JudgeWork
    conflicts: tuple[int, ...]
    withdrawn: tuple[int, ...]
    begun: dict[UUID, int]
    blocks_begun: int
    tasks: tuple[OpenTask, ...]


# Counters of the judge's account, and columns of the design in force.
LENT: Final = ("hits_lent", "intra_lent", "checks_lent", "hits_since_check", "hits_since_repeat")
_DESIGN: Final = ("seed", "intra_share", "repeat_gap", "attention_every")
_IS_SILENT: Final = ExpressionWrapper(
    Q(requested_at__lt=Now() - timedelta(seconds=10)), output_field=BooleanField()
)


def _locked(judge_id: int | Parameter) -> QuerySet[Judge, Any]:
    # Like `ASSIGNMENT_LOCK` for submissions: until the commit, neither lending nor foreign key
    # lookups scan tables.
    setting = Func(
        Value("enable_seqscan"),
        Value("off"),
        Value(True),
        function="set_config",
        output_field=TextField(),
    )
    locked = Judge.objects.select_for_update(no_key=True).filter(pk=judge_id)
    return locked.values_list(setting)


def _context(judge_id: int | Parameter) -> QuerySet[Judge, Any]:
    judge = OuterRef("pk")
    actions = QualityAction.objects.in_force().filter(judge=judge)
    begun = (
        Assignment.objects.filter(judge=judge, completed_at__isnull=True)
        .filter(Q(released_at__isnull=True) | Q(hit__completed_at__isnull=True))
        .order_by("id")
    )
    withdrawn = System.objects.filter(
        test_set__campaign=OuterRef("campaign"), withdrawn_at__isnull=False
    )
    annotations = {
        "now": Now(),
        "actions": ArraySubquery(actions.values("action")),
        "messages": ArraySubquery(messages_in_force(judge).values("text")),
        "owes_acceptance": Exists(Instructions.objects.demanded_of(judge)),
        "conflict_ids": ArraySubquery(
            ConflictOfInterest.objects.filter(judge=judge).values("system")
        ),
        "withdrawn_ids": ArraySubquery(withdrawn.values("pk")),
        "begun": ArraySubquery(
            begun.values(row=JSONArray("public_id", "id", "hit__task", "hit__segment_ids__len"))
        ),
        "open": ArraySubquery(_open_tasks(judge)),
        **work_annotations(),
    }
    return (
        Judge.objects.filter(pk=judge_id)
        .annotate(**annotations)
        .values_list(
            "campaign__state",
            "campaign__lease_minutes",
            "chosen_task",
            "declined_at",
            *annotations,
        )
    )


def _open_tasks(judge: OuterRef) -> QuerySet[Task, Any]:
    """Return the tasks open to the judge, each as the arguments of `_open_task`."""
    inner, task = OuterRef(judge), OuterRef("pk")
    account = JudgeAccount.objects.filter(judge=inner, task=task)
    design = designs_in_force(task_id=task)
    reserved = HIT.objects.filter(reserved_for=inner, task=task).incomplete()
    is_none_left = GreaterThanOrEqual(F("none_left_at"), Now() - NONE_LEFT_VALID_FOR)
    arguments = JSONObject(
        id="pk",
        protocol="protocol",
        rules="rules",
        segments_again="segments_again",
        has_training=Exists(TrainingBlock.objects.filter(task=task)),
        reserved=ArraySubquery(reserved.values(row=JSONArray("purpose", "holds_check"))),
        lent=Subquery(account.values(row=JSONArray(*LENT, is_none_left, _IS_SILENT))),
        design=Subquery(design.values(row=JSONArray(*_DESIGN, design_is_for(judge)))),
    )
    return tasks_open_to_some(judge).values(row=arguments)


_CONTEXT = PreparedQuery(
    "lending_context",
    _context,
    {"judge_id": BigIntegerField()},
    first=PreparedQuery("judge_lock", _locked, {"judge_id": BigIntegerField()}),
)


def lending_context_lock(judge: Judge) -> LendingContext:
    """Lock the judge's row until the commit and return what lending needs to know about them.

    One round trip, regardless of the number of tasks.
    """
    [(campaign_state, lease_minutes, chosen, declined_at, *row)] = _CONTEXT.rows(judge_id=judge.pk)
    now, actions, messages, owes_acceptance, conflicts, withdrawn, begun, open_sets, *work = row
    mine = chosen_or_all([_open_task(**each) for each in open_sets if _is_for_them(each)], chosen)
    if [task.id for task in mine] == [chosen]:
        begun = [each for each in begun if each[2] == chosen]
    return LendingContext(
        now=now,
        judge_status=status_from_actions(actions),
        is_asked_again=QualityActionKind.AGAIN in actions,
        messages=tuple(messages),
        has_declined=declined_at is not None,
        owes_acceptance=owes_acceptance,
        campaign_state=campaign_state,
        lease_minutes=lease_minutes,
        work=JudgeWork.counted(*work),
        conflicts=tuple(conflicts),
        withdrawn=tuple(withdrawn),
        begun={UUID(public_id): assignment_id for public_id, assignment_id, *_hit in begun},
        blocks_begun=sum(each[-1] for each in begun),
        tasks=tuple(mine),
    )


def _is_for_them(task: dict[str, Any]) -> bool:
    """Return whether the design in force is for all judges, or for a group of this judge."""
    design = task["design"]
    return design is None or bool(design[-1])


def _open_task(
    *,
    id: int,  # noqa: A002  as the column
    protocol: str,
    rules: dict[str, Any],
    segments_again: bool,
    lent: list[Any] | None,
    design: list[Any] | None,
    has_training: bool,
    reserved: list[tuple[str, bool]] | None,
) -> OpenTask:
    kind = answer_kind(protocol)
    passes = kind.passes
    *counts, is_none_left, is_silent = lent or [*(0 for _name in LENT), False, False]
    return OpenTask(
        id=id,
        has_passes=passes is not None,
        has_second_pass=passes is not None and passes.count > 1,
        limits_texts=passes is not None and passes.items_per_judge(rules) is not None,
        sentences_of_a_judge=kind.comparisons.sentences_of_a_judge(rules)
        if kind.comparisons
        else 0,
        apart=protocol if segments_again else "",
        has_training=has_training,
        reserved=frozenset((purpose, check) for purpose, check in reserved or ()),
        is_none_left=bool(is_none_left),
        is_planner_silent=bool(is_silent),
        **dict(zip(LENT, counts, strict=True)),
        **dict(zip(_DESIGN, (design or (None, 0.0, 0, 0, True))[:-1], strict=True)),
    )
