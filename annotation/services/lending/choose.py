"""Choose the next HIT to lend to a judge, from everything that is known about them, and lock its row until the commit.

Each claim is one query of the same form, because the response time must not reveal the kind of HIT.
Chance decides for each judge if an attention check or a repeat is due
(`annotation.sampling.rates`), and the planner keeps a HIT of each kind ready. The number of queries
is the same in all cases.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Unpack
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
from annotation.models.hit import HITQuerySet
from annotation.protocols.answer_kinds import answer_kind
from annotation.sampling.rates import attention_due, intra_due
from annotation.selectors.comparisons import blocks_of, sentences_taken
from annotation.selectors.designs import designs_in_force
from annotation.selectors.judges import JudgeStatus, messages_in_force, status_from_actions
from annotation.selectors.passes import is_full, passes_so_far
from annotation.selectors.pool import (
    ASKED_FIELDS,
    JudgeAsks,
    chosen_or_all,
    design_is_for,
    has_check_to_lend,
    hits_for_judge,
    hits_intra,
    hits_near,
    hits_reserved,
    hits_standby,
    hits_standby_near,
    tasks_open_to_some,
)
from annotation.selectors.progress import JudgeWork, work_annotations
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.lending.work_requests import NONE_LEFT_VALID_FOR
from campaign.database.prepared import Parameter, PreparedQuery, field_names, instance_from
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
    # The task allots texts, which judges see in one or several passes.
    has_passes: bool
    # Judges see their texts in several passes.
    has_later_passes: bool
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
    warned_for : tuple of str
        The measure of each rule that warned them, newest first; empty for a warning by an organiser.
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
    is_past_closing : bool
        Whether its closing time has passed.
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
    warned_for: tuple[str, ...]
    is_asked_again: bool
    messages: tuple[str, ...]
    has_declined: bool
    owes_acceptance: bool
    campaign_state: str
    is_past_closing: bool
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


# NULL without a closing time.
_IS_PAST_CLOSING: Final = ExpressionWrapper(
    Q(campaign__closes_at__lte=Now()), output_field=BooleanField()
)


def _judge_locked(judge_id: int | Parameter) -> QuerySet[Judge, Any]:
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
        "is_past_closing": _IS_PAST_CLOSING,
        "actions": ArraySubquery(
            actions.order_by("-id").values(row=JSONArray("action", "rule__measure"))
        ),
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
    first=PreparedQuery("judge_lock", _judge_locked, {"judge_id": BigIntegerField()}),
)


def lending_context_lock(judge: Judge) -> LendingContext:
    """Lock the judge's row until the commit and return what lending needs to know about them.

    One round trip, regardless of the number of tasks.
    """
    [(campaign_state, lease_minutes, chosen, declined_at, *row)] = _CONTEXT.rows(judge_id=judge.pk)
    now, is_past_closing, actions, messages, owes_acceptance, *row = row
    conflicts, withdrawn, begun, open_sets, *work = row
    kinds = {action for action, _measure in actions}
    mine = chosen_or_all([_open_task(**each) for each in open_sets if _is_for_them(each)], chosen)
    if [task.id for task in mine] == [chosen]:
        begun = [each for each in begun if each[2] == chosen]
    return LendingContext(
        now=now,
        judge_status=status_from_actions(kinds),
        warned_for=tuple(
            measure or "" for action, measure in actions if action == QualityActionKind.WARN
        ),
        is_asked_again=QualityActionKind.AGAIN in kinds,
        messages=tuple(messages),
        has_declined=declined_at is not None,
        owes_acceptance=owes_acceptance,
        campaign_state=campaign_state,
        is_past_closing=bool(is_past_closing),
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
    kind = answer_kind(protocol, rules)
    passes = kind.passes
    *counts, is_none_left, is_silent = lent or [*(0 for _name in LENT), False, False]
    return OpenTask(
        id=id,
        has_passes=passes is not None,
        has_later_passes=passes is not None and passes.count > 1,
        limits_texts=passes is not None and passes.items_per_judge is not None,
        sentences_of_a_judge=kind.comparisons.sentences_of_a_judge if kind.comparisons else 0,
        apart=protocol if segments_again else "",
        has_training=has_training,
        reserved=frozenset((purpose, check) for purpose, check in reserved or ()),
        is_none_left=bool(is_none_left),
        is_planner_silent=bool(is_silent),
        **dict(zip(LENT, counts, strict=True)),
        **dict(zip(_DESIGN, (design or (None, 0.0, 0, 0, True))[:-1], strict=True)),
    )


def _locked(
    hits: Callable[..., HITQuerySet], *, holds_check: bool | None, **asked: Any
) -> QuerySet[HIT, Any]:
    available = hits(**asked).available().holding_check(holds_check)
    locked = available.select_for_update(skip_locked=True, no_key=True, of=("self",))
    return locked.values_list(*field_names(HIT))[:1]


# One query per value of `holds_check`, because a query parameter would rule out the partial
# indexes.
_CLAIMS: Final = {
    (source, holds_check): PreparedQuery(
        f"hit_claim_{source}_{kind}", partial(_locked, hits, holds_check=holds_check), ASKED_FIELDS
    )
    for source, hits in {
        "pool": hits_near,
        "whole_pool": hits_for_judge,
        "standby": hits_standby_near,
        "whole_standby": hits_standby,
        "reserved": hits_reserved,
        "repeats": hits_intra,
    }.items()
    for holds_check, kind in {None: "any", True: "check", False: "plain"}.items()
}


def hit_claim(
    source: str, *, holds_check: bool | None = None, **asks: Unpack[JudgeAsks]
) -> HIT | None:
    """Lock and return the first available HIT of a source that this judge may be lent; None if there is none.

    `holds_check` restricts this to HITs with, or without, an attention check.
    """
    row = _CLAIMS[source, holds_check].row(**asks)
    return None if row is None else instance_from(HIT, row)


def hit_choose(*, task: OpenTask, judge: Judge, asks: JudgeAsks) -> HIT | None:
    """Lock and return the HIT that comes next; None if none of the task is available.

    Training comes first, then a repeat if one is due, HITs reserved for the judge, the pool, and
    HITs on standby.
    """
    if task.has_passes:
        return _choose_of_pass(task, asks)
    if task.has_training:
        round_ = training_round_due(judge=judge, task_id=task.id, hits_lent=task.hits_lent)
        if round_ is not None:
            # Nothing else is lent before training is done; if it is not planned yet, the judge asks
            # again.
            training = hits_training(judge=judge, task_id=task.id)
            suitable = training.excluding_systems(asks["conflicts"]).available()
            return suitable.select_for_update(skip_locked=True, no_key=True).first()
    holds_check = None if not task.attention_every else _with_check(task, judge, asks)
    hit = None
    if task.has_repeat and _is_intra_due(task, judge):
        hit = hit_claim("repeats", **asks)
    hit = hit or _claim_next(task, asks, holds_check=holds_check)
    if hit is None and holds_check:
        # The HITs with a check are being lent to others at this moment.
        hit = _claim_next(task, asks, holds_check=False)
    if hit is None and holds_check is not None and task.is_all_there_is:
        # No other HIT will be drawn for this judge, or the planner is down: one check too many is
        # better than no work.
        hit = _claim_next(task, asks, holds_check=None)
    return hit


def is_pool_open(*, task: OpenTask, judge: Judge) -> bool:
    """Return whether the judge may be lent any HIT of the pool now, other than those reserved for them."""
    if task.sentences_of_a_judge:
        return False
    if task.has_passes and (task.has_later_passes or task.limits_texts):
        so_far = passes_so_far(judge_id=judge.pk, task_id=task.id)
        is_at_limit = task.limits_texts and is_full(task_id=task.id, texts=so_far.texts)
        return not (so_far.is_past_first or is_at_limit)
    if task.has_training:
        due = training_round_due(judge=judge, task_id=task.id, hits_lent=task.hits_lent)
        return due is None
    return True


def _choose_of_pass(task: OpenTask, asks: JudgeAsks) -> HIT | None:
    """Lock and return the HIT that comes next in a task with passes.

    Once a later pass is planned for a judge, they are lent nothing more of the first, even if
    others return HITs, and nothing of the later one while they hold a HIT of an earlier one.
    """
    if task.has_later_passes or task.limits_texts:
        so_far = passes_so_far(judge_id=asks["judge_id"], task_id=task.id)
        if so_far.is_past_first:
            return None if so_far.holds_earlier else hit_claim("repeats", **asks)
        if task.limits_texts and is_full(task_id=task.id, texts=so_far.texts):
            return None
    # Unlimited distance: HITs that cannot be lent must not hide the rounds after them.
    return hit_claim("whole_pool", **asks)


def _choose_of_sample(asks: JudgeAsks, *, most: int, holds_check: bool | None) -> HIT | None:
    """Lock and return the first HIT of the judge's samples within their limit per comparison; None if there is none.

    No comparison gets more than `most` of the judge's sentences, including judged and held ones,
    regardless of how often they ask. The judge's row is locked, so that nothing else is lent to
    them meanwhile.
    """
    hits = hits_reserved(**asks).available().filter(purpose=HITPurpose.FIRST)
    taken = None
    # A HIT that is being dropped at this moment is skipped.
    for hit in hits.select_for_update(skip_locked=True, no_key=True, of=("self",)):
        if holds_check not in (None, hit.holds_check):
            continue
        if taken is None:
            taken = sentences_taken(
                judge_id=asks["judge_id"], task_id=asks["task_id"], planned=False
            )
        if all(taken[pair] + asked <= most for pair, asked in blocks_of(hit).items()):
            return hit
    return None


def _claim_next(task: OpenTask, asks: JudgeAsks, *, holds_check: bool | None) -> HIT | None:
    if task.sentences_of_a_judge:
        return _choose_of_sample(asks, most=task.sentences_of_a_judge, holds_check=holds_check)
    whole = "whole_" if task.is_planner_silent else ""
    sources = [f"{whole}pool", f"{whole}standby"]
    if task.has_reserved(holds_check=holds_check):
        sources.insert(0, "reserved")
    claimed = (hit_claim(source, holds_check=holds_check, **asks) for source in sources)
    return next(filter(None, claimed), None)


def _with_check(task: OpenTask, judge: Judge, asks: JudgeAsks) -> bool:
    """Return whether the next HIT should hold an attention check, because one is due and available."""
    # Always looked up, so that the response time does not reveal whether one is due.
    is_available = has_check_to_lend(**asks)
    return (
        is_available
        and task.seed is not None
        and attention_due(
            seed=task.seed,
            judge=judge.pseudonym,
            every=task.attention_every,
            checks=task.checks_lent,
            hits_since=task.hits_since_check,
        )
    )


def _is_intra_due(task: OpenTask, judge: Judge) -> bool:
    return task.seed is not None and intra_due(
        seed=task.seed,
        judge=judge.pseudonym,
        share=task.intra_share,
        repeat_gap=task.repeat_gap,
        repeats=task.intra_lent,
        hits_since=task.hits_since_repeat,
    )
