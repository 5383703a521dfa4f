"""Immediate effects of a change of judges, of a design or of a campaign's state, in numbers and in words."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import (
    HIT,
    Assignment,
    Block,
    Design,
    HITSequence,
    JudgeTally,
    Judgment,
    JudgmentSequence,
    Skip,
)
from annotation.selectors.judges import actions_that_stop, people_taking_part
from annotation.selectors.judges_needed import JudgesNeeded, judges_needed
from annotation.selectors.pool import systems_not_lent, tasks_open_to_judge
from annotation.selectors.progress import judge_work
from campaign.database.many_rows import count_of
from campaign.models import (
    Campaign,
    CampaignState,
    GroupMember,
    Judge,
    JudgeGroup,
    Participation,
    Task,
    Transition,
)
from campaign.models.campaign import TRANSITIONS
from campaign.selectors.credentials import Access, judge_access
from campaign.selectors.tasks import goes_with, is_judged
from campaign.texts.counted import counted, counted_if_any
from campaign.texts.joining import comma_list, labelled, sentence_list


@dataclass(frozen=True, slots=True)
class AtWork:
    """Number of judges who hold a HIT now, and the blocks of these HITs that they have not done yet."""

    judges: int
    blocks: int


@dataclass(frozen=True, slots=True)
class JudgeShare:
    """Judges' contribution to a task: their judged blocks, all judged blocks, and how many judges hold a HIT now."""

    judged: int
    judged_by_all: int
    at_work: int


def task_at_work(*, task: Task) -> AtWork:
    """Return how many judges are at work in a task, and their blocks, by the database's clock. One query."""
    return _current_work(assignments_held().filter(hit__task=task))


def _current_work(assignments: QuerySet[Assignment]) -> AtWork:
    mine = {"block": OuterRef("pk"), "judge": OuterRef(OuterRef("judge"))}
    is_done = Exists(Judgment.objects.filter(**mine)) | Exists(
        Skip.objects.filter(**mine),
    )
    open_blocks = Block.objects.filter(~is_done, hit=OuterRef("hit"))
    rows = list(assignments.values_list("judge", count_of(open_blocks, "hit")))
    return AtWork(
        judges=len({judge for judge, _blocks in rows}),
        blocks=sum(blocks for _judge, blocks in rows),
    )


def closing_in_words(*, task: Task) -> list[str]:
    """Return the effects of closing a task now as sentences."""
    return [
        _current_work_in_words(task_at_work(task=task)),
        _("They can finish these items but get no new ones. All judgments are kept."),
    ]


def _current_work_in_words(now: AtWork) -> str:
    return _("Judges at work: %(judges)d. Items in hand: %(sentences)d.") % {
        "judges": now.judges,
        "sentences": now.blocks,
    }


def judges_share(*, judges: Collection[Judge], task: Task) -> JudgeShare:
    """Return these judges' share of a task's judgments, and their held HITs. Three queries."""
    tallies = JudgeTally.objects.filter(task=task, judge__in=judges)
    all_ = JudgmentSequence.objects.filter(task=task).values_list("judged", flat=True)
    at_work = (
        assignments_held()
        .filter(judge__in=judges)
        .aggregate(judges=Count("judge", distinct=True))
    )
    return JudgeShare(
        judged=tallies.aggregate(judged=Sum("judged"))["judged"] or 0,
        judged_by_all=all_.first() or 0,
        at_work=at_work["judges"],
    )


def assignments_held() -> QuerySet[Assignment]:
    """Return the assignments that judges hold now, by the database's clock."""
    # Not `lease__contains`, which may use the index of all leases ever granted.
    return Assignment.objects.filter(
        completed_at__isnull=True,
        released_at__isnull=True,
        lease__startswith__lte=Now(),
        lease__endswith__gt=Now(),
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """A judge's open tasks, block quota, held HITs, reserved HITs and access."""

    tasks: dict[int, str]
    quota: int | None
    held_hits: dict[int, int]
    reserved: set[int]
    access: Access


def judge_change_in_words(*, judge: Judge, change: Callable[[], object]) -> list[str]:
    """Return the effects of changing a judge on their work as sentences; empty if there are none.

    `change` is made and rolled back, so that the effects follow from the actual lending rules.
    """
    with transaction.atomic():
        before = _work(judge)
        change()
        after = _work(judge)
        transaction.set_rollback(True)
    judge.refresh_from_db()
    return [
        *_tasks(before, after),
        *_blocks(before, after),
        *_limit(before, after),
        *_access(before.access, after.access),
    ]


def _work(judge: Judge) -> _Work:
    # As stored: the change may not have touched this instance.
    stored = Judge.objects.get(pk=judge.pk)
    tasks = tasks_open_to_judge(stored, Task.objects.order_by("pk").named())
    hidden = systems_not_lent(judge)
    held_hits = (
        assignments_held()
        .filter(judge=judge)
        .exclude(hit__system_ids__overlap=hidden)
        .values_list("hit_id", "hit__segment_ids")
    )
    reserved = HIT.objects.filter(
        reserved_for=judge,
        reserved_until__gt=Now(),
    ).available()
    return _Work(
        tasks={task.pk: task.called for task in tasks},
        quota=judge_work(judge).quota,
        held_hits={hit: len(segments) for hit, segments in held_hits},
        reserved=set(reserved.excluding_systems(hidden).values_list("pk", flat=True)),
        access=judge_access(judge=judge),
    )


def _tasks(before: _Work, after: _Work) -> Iterator[str]:
    lost = []
    for pk, name in before.tasks.items():
        if pk not in after.tasks:
            lost.append(name)
    won = []
    for pk, name in after.tasks.items():
        if pk not in before.tasks:
            won.append(name)
    if lost:
        yield _("No new items from %(names)s; those in hand can be finished.") % {
            "names": comma_list(lost),
        }
    if won:
        yield _("New items also from %(names)s.") % {"names": comma_list(won)}


def _blocks(before: _Work, after: _Work) -> list[str]:
    given_back = 0
    for hit, count in before.held_hits.items():
        if hit not in after.held_hits:
            given_back += count
    return [
        *counted_if_any(
            "%(count)d item in hand goes to other judges.",
            "%(count)d items in hand go to other judges.",
            given_back,
        ),
        *counted_if_any(
            "%(count)d reserved HIT goes to other judges within an hour.",
            "%(count)d reserved HITs go to other judges within an hour.",
            len(before.reserved - after.reserved),
        ),
    ]


def _limit(before: _Work, after: _Work) -> Iterator[str]:
    if before.quota != after.quota:
        yield _("Target: %(after)s blocks in total (now %(before)s).") % {
            "after": after.quota or "∞",
            "before": before.quota or "∞",
        }


def _access(before: Access, after: Access) -> list[str]:
    links = before.links - after.links
    return [
        *([_("Links that stop working: %(what)s.") % {"what": links}] if links else []),
        *counted_if_any(
            "%(count)d browser is signed out.",
            "%(count)d browsers are signed out.",
            before.browsers - after.browsers,
        ),
    ]


def group_only_in_words(*, task: Task, group: JudgeGroup) -> list[str]:
    """Return the effects on the task's judges of restricting its design to a group, as sentences. Three queries."""
    members = GroupMember.objects.filter(group=group)
    outside = ~Q(judge__in=members.values("judge"))
    holding = (
        assignments_held().filter(outside, hit__task=task).values("judge").distinct()
    )
    return [
        counted(
            "Only the %(count)d judge in “%(group)s” gets HITs from %(task)s.",
            "Only the %(count)d judges in “%(group)s” get HITs from %(task)s.",
            members.filter(judge__withdrawn_at=None).count(),
            group=group.name,
            task=task.called,
        ),
        *counted_if_any(
            "%(count)d judge who has already judged is not in the group; their judgments still count.",
            "%(count)d judges who have already judged are not in the group; their judgments still count.",
            JudgeTally.objects.filter(outside, task=task, judged__gt=0).count(),
        ),
        *counted_if_any(
            "%(count)d judge outside the group is at work and can finish the HIT in hand.",
            "%(count)d judges outside the group are at work and can finish the HITs in hand.",
            holding.count(),
        ),
    ]


@dataclass(frozen=True, slots=True)
class DesignEffects:
    """Effects of changing a task's design now.

    Attributes
    ----------
    first : int
        Number of the first HIT that the new design can draw.
    stay : int
        HITs planned and not yet lent, which stay as drawn.
    go : int
        HITs on standby, which will be redrawn.
    lent : int
        HITs that judges hold or have done, which are unaffected.
    task : Task
    """

    first: int
    stay: int
    go: int
    lent: int
    task: Task

    @property
    def is_any_planned(self) -> bool:
        """True if any HIT was planned before the change."""
        return self.stay + self.go + self.lent > 0


def design_effects(*, task: Task) -> DesignEffects:
    """Return the effects of a change of design now. Four queries."""
    hits = HIT.objects.filter(task=task)
    was_lent = Exists(Assignment.objects.filter(hit=OuterRef("pk")))
    numbers = HITSequence.objects.filter(task=task).values_list(
        "last_number",
        flat=True,
    )
    waiting = hits.incomplete().exclude(purpose="training").filter(~was_lent)
    return DesignEffects(
        first=(numbers.first() or 0) + 1,
        stay=waiting.filter(is_standby=False).count(),
        go=waiting.filter(is_standby=True).count(),
        lent=hits.exclude(purpose="training").filter(was_lent).count(),
        task=task,
    )


def design_effects_in_words(
    effects: DesignEffects,
    *,
    design: Design | None = None,
    group: JudgeGroup | None = None,
) -> list[str]:
    """Return the effects of a change of design as sentences, with the number of judges needed.

    `design` is the new one, None if it is in force already; `group` is its new judge group.
    """
    sentences = [
        _("The new design applies from HIT %(number)d.") % {"number": effects.first},
        counted(
            "%(count)d planned HIT stays as drawn.",
            "%(count)d planned HITs stay as drawn.",
            effects.stay,
        ),
        *counted_if_any(
            "%(count)d HIT on standby is redrawn.",
            "%(count)d HITs on standby are redrawn.",
            effects.go,
        ),
        *counted_if_any(
            "%(count)d HIT in progress or done is not affected.",
            "%(count)d HITs in progress or done are not affected.",
            effects.lent,
        ),
    ]
    if group is not None:
        sentences += group_only_in_words(task=effects.task, group=group)
    return [*sentences, *design_needs_in_words(task=effects.task, design=design)]


def design_needs_in_words(*, task: Task, design: Design | None = None) -> list[str]:
    """Describe how many judges a task needs with a design, or the one in force; empty if one is enough."""
    if design is None:
        designs = None
    else:
        designs = {task.pk: design}
    sentences = []
    for needed in judges_needed([task], designs=designs):
        sentences.extend(needed.words)
    return sentences


_OPENING: Final = frozenset({Transition.OPEN, Transition.RESUME, Transition.REOPEN})


@dataclass(frozen=True, slots=True)
class StateEffects:
    """Effects that a state transition would have now; computing them changes nothing.

    Attributes
    ----------
    transition : Transition
    is_possible : bool
        Whether the campaign's state allows it.
    judges : int
        Judges who hold sentences now.
    sentences : int
        Sentences that they hold and have not answered yet.
    judged : int
        Blocks judged in total.
    judges_needed : sequence of JudgesNeeded
        When opening: needs of the open tasks that need more than one judge.
    facts : sequence of str
    """

    transition: Transition
    is_possible: bool
    judges: int
    sentences: int
    judged: int
    judges_needed: Sequence[JudgesNeeded]
    facts: Sequence[str]


def state_effects(*, campaign: Campaign, transition: Transition) -> StateEffects:
    """Return the effects of a transition of this campaign now."""
    now = _current_work(
        assignments_held().filter(hit__task__test_set__campaign=campaign),
    )
    counted = JudgmentSequence.objects.filter(task__test_set__campaign=campaign)
    judged = counted.aggregate(judged=Sum("judged"))["judged"] or 0
    current_work = _current_work_in_words(now)
    needed: list[JudgesNeeded] = []
    if transition in _OPENING:
        open_tasks = list(Task.objects.of(campaign).named().filter(closed_at=None))
        needed = judges_needed(open_tasks)
        facts = list(_opening(campaign, open_tasks, needed))
    else:
        facts = _facts(campaign, transition, current_work, judged)
    if transition == Transition.CLOSE:
        facts += _participants_in_words(campaign)
    return StateEffects(
        transition=transition,
        is_possible=CampaignState(campaign.state) in TRANSITIONS[transition][0],
        judges=now.judges,
        sentences=now.blocks,
        judged=judged,
        judges_needed=needed,
        facts=[*_rehearsal(campaign, transition), *facts],
    )


def transitions_possible(campaign: Campaign) -> list[Transition]:
    """Return the transitions possible for a campaign now; none for a rehearsal."""
    if campaign.rehearsal_of_id is not None:
        return []
    transitions = []
    for transition, (sources, _after) in TRANSITIONS.items():
        if campaign.state in sources:
            transitions.append(transition)
    return transitions


def _rehearsal(campaign: Campaign, transition: Transition) -> list[str]:
    if transition not in {Transition.OPEN, Transition.DELETE}:
        return []
    if not Campaign.objects.filter(rehearsal_of=campaign).exists():
        return []
    return [
        _(
            "The rehearsal, its simulated judges and their judgments are permanently deleted.",
        ),
    ]


def _facts(
    campaign: Campaign,
    transition: Transition,
    current_work: str,
    judged: int,
) -> list[str]:
    if transition == Transition.DELETE:
        return _deleting(campaign, current_work, judged)
    saved = sentence_list([current_work, _("Their submissions are still saved.")])
    at_once = _(
        "Judges stop after their current item. Judges who are offline stop when they reconnect.",
    )
    facts = {
        Transition.PAUSE: [
            saved,
            _("Judges get no new items and see that the campaign is paused."),
            at_once,
        ],
        Transition.CLOSE: [
            saved,
            _("Judges get no new items and see that the campaign is closed."),
            at_once,
        ],
        Transition.ARCHIVE: [
            sentence_list(
                [
                    current_work,
                    _(
                        "Their submissions are still saved, but items not loaded yet are withdrawn.",
                    ),
                ],
            ),
            _(
                "The campaign becomes read-only and is hidden from the list of campaigns.",
            ),
        ],
        Transition.UNARCHIVE: [
            _(
                "The campaign returns to the list and can be edited, but stays closed to judges.",
            ),
        ],
    }
    return facts[transition]


def _participants_in_words(campaign: Campaign) -> list[str]:
    """Describe what happens to the participants of panels who are at work; empty if there are none."""
    under_way = Participation.objects.under_way().filter(panel__campaign=campaign)
    return counted_if_any(
        "%(count)d participant from a panel is at work. They finish with their completion code if they have judged an item.",
        "%(count)d participants from panels are at work. They finish with their completion code if they have judged an item.",
        under_way.count(),
    )


def _opening(
    campaign: Campaign,
    open_tasks: Sequence[Task],
    needed: Sequence[JudgesNeeded],
) -> Iterator[str]:
    people = people_taking_part().filter(campaign=campaign)
    judges = people.exclude(Exists(actions_that_stop(OuterRef("pk")))).count()
    test_sets = len({task.test_set_id for task in open_tasks})
    yield counted(
        "%(count)d judge can start right away.",
        "%(count)d judges can start right away.",
        judges,
    )
    yield counted("%(count)d test set opens.", "%(count)d test sets open.", test_sets)
    if not test_sets:
        yield _("Add a test set first: there is nothing to judge.")
    for needs in needed:
        yield from (labelled(needs.task.called, sentence) for sentence in needs.words)


def _deleting(campaign: Campaign, current_work: str, judged: int) -> list[str]:
    if not is_judged(campaign=campaign):
        return [
            _(
                "The campaign has no judgments, so it is deleted immediately and cannot be restored.",
            ),
            current_work,
        ]
    return [
        counted(
            "%(count)d judged item moves to the bin with it.",
            "%(count)d judged items move to the bin with it.",
            judged,
        ),
        sentence_list([current_work, _("Their submissions are still saved.")]),
        _(
            "Judges see that the campaign is closed. It is permanently deleted after 30 days.",
        ),
        *goes_with(campaign),
    ]
