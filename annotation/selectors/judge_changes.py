"""What a change of judges, or of their groups, would do to the work they get: said before it is done."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import HIT, JudgeTally
from annotation.selectors.at_work import assignments_held
from annotation.selectors.pool import systems_not_lent, tasks_open_to_judge
from annotation.selectors.progress import judge_work
from campaign.models import GroupMember, Judge, JudgeGroup, Task


@dataclass(frozen=True, slots=True)
class _Work:
    """What a judge may be lent, is asked for, holds and has reserved."""

    tasks: dict[int, str]
    wanted: int | None
    held: dict[int, int]
    reserved: set[int]


def judge_change_in_words(*, judge: Judge, change: Callable[[], object]) -> list[str]:
    """Return sentences on what a change of a judge would do to their work; empty where it does nothing.

    `change` is done and taken back, so that what is said follows from the rules that lending has.
    """
    with transaction.atomic():
        before = _work(judge)
        change()
        after = _work(judge)
        transaction.set_rollback(True)
    judge.refresh_from_db()
    return [*_tasks(before, after), *_blocks(before, after), *_limit(before, after)]


def _work(judge: Judge) -> _Work:
    hidden = systems_not_lent(judge)
    held = (
        assignments_held()
        .filter(judge=judge)
        .exclude(hit__system_ids__overlap=hidden)
        .values_list("hit_id", "hit__segment_ids")
    )
    reserved = HIT.objects.filter(reserved_for=judge, reserved_until__gt=Now()).available()
    return _Work(
        tasks={task.pk: task.called for task in tasks_open_to_judge(judge).named()},
        wanted=judge_work(judge).wanted,
        held={hit: len(segments) for hit, segments in held},
        reserved=set(reserved.excluding_systems(hidden).values_list("pk", flat=True)),
    )


def _tasks(before: _Work, after: _Work) -> list[str]:
    lost = [name for pk, name in before.tasks.items() if pk not in after.tasks]
    won = [name for pk, name in after.tasks.items() if pk not in before.tasks]
    said = []
    if lost:
        said.append(
            _("They get no more sentences of %(names)s; what they hold they may finish.")
            % {"names": ", ".join(lost)}
        )
    if won:
        said.append(_("They get sentences of %(names)s, too.") % {"names": ", ".join(won)})
    return said


def _blocks(before: _Work, after: _Work) -> list[str]:
    said = []
    given_back = sum(count for hit, count in before.held.items() if hit not in after.held)
    if given_back:
        words = ngettext(
            "%(count)d sentence that they hold now is taken from them and lent to others.",
            "%(count)d sentences that they hold now are taken from them and lent to others.",
            given_back,
        )
        said.append(words % {"count": given_back})
    freed = len(before.reserved - after.reserved)
    if freed:
        words = ngettext(
            "%(count)d HIT that is reserved for them goes to others within the hour.",
            "%(count)d HITs that are reserved for them go to others within the hour.",
            freed,
        )
        said.append(words % {"count": freed})
    return said


def _limit(before: _Work, after: _Work) -> list[str]:
    if before.wanted == after.wanted:
        return []
    return [
        _("They are asked for %(after)s blocks in all; until now %(before)s.")
        % {"after": after.wanted or "∞", "before": before.wanted or "∞"}
    ]


def group_only_in_words(*, task: Task, group: JudgeGroup) -> list[str]:
    """Return sentences on what a design for a group alone means for a test set's judges now. Three queries."""
    count = GroupMember.objects.filter(group=group, judge__withdrawn_at=None).count()
    words = ngettext(
        "Only the %(count)d judge of “%(group)s” is lent HITs of %(task)s.",
        "Only the %(count)d judges of “%(group)s” are lent HITs of %(task)s.",
        count,
    )
    said = [words % {"count": count, "group": group.name, "task": task.called}]
    outside = ~Q(judge__in=GroupMember.objects.filter(group=group).values("judge"))
    judged = JudgeTally.objects.filter(outside, task=task, judged__gt=0).count()
    if judged:
        words = ngettext(
            "%(count)d judge who judged it is not in the group; what they judged stays and counts.",
            "%(count)d judges who judged it are not in the group; what they judged stays and counts.",
            judged,
        )
        said.append(words % {"count": judged})
    holding = assignments_held().filter(outside, hit__task=task).values("judge").distinct().count()
    if holding:
        words = ngettext(
            "%(count)d of those outside is at work now and may finish what they hold.",
            "%(count)d of those outside are at work now and may finish what they hold.",
            holding,
        )
        said.append(words % {"count": holding})
    return said
