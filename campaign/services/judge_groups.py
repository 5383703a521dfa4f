"""Create and change groups of judges, and their members."""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.database.many_rows import pgtrigger_ignore_preset, row_locked
from campaign.models import (
    Campaign,
    GroupMember,
    Judge,
    JudgeGroup,
)
from campaign.texts.normalisation import normalise_text
from campaign.texts.refusals import RefusedError, refused_if_broken

_MAX_NAME = 60


class JudgeGroupRefusedError(RefusedError):
    """The group cannot be created or changed like this; `field` names the invalid field."""

    field = "name"


def group_name_key(name: str) -> str:
    """Return what names of one group have in common: as in the database, case, Unicode form and spaces do not matter."""
    return normalise_text(name).lower()


def judge_group_create(
    *,
    campaign: Campaign,
    name: str,
    blocks_asked: int | None = None,
) -> JudgeGroup:
    """Create a group without judges, and return it.

    Raises `JudgeGroupRefusedError` if another group of the campaign has the name, ignoring case.
    """
    return _save_group(JudgeGroup(campaign=campaign), name, blocks_asked)


def judge_group_change(
    *,
    group: JudgeGroup,
    name: str,
    blocks_asked: int | None,
) -> JudgeGroup:
    """Change the name of a group and the block quota of each of its judges; return it.

    Raises `JudgeGroupRefusedError`.
    """
    return _save_group(group, name, blocks_asked)


def _save_group(group: JudgeGroup, name: str, blocks_asked: int | None) -> JudgeGroup:
    name = normalise_text(name)
    if not name or len(name) > _MAX_NAME or any(mark in name for mark in ",;|"):
        raise JudgeGroupRefusedError(
            _(
                "Enter a group name of at most %(most)d characters without commas or semicolons.",
            )
            % {"most": _MAX_NAME},
        )
    if blocks_asked is not None and blocks_asked < 1:
        raise JudgeGroupRefusedError(
            "Enter at least 1 block, or leave empty for no limit.",
            field="blocks_asked",
        )
    group.name = name
    group.blocks_asked = blocks_asked
    refusal = JudgeGroupRefusedError(
        _("A group named “%(name)s” already exists.") % {"name": name},
    )
    with refused_if_broken("judge_group_name_unique_in_campaign", refusal):
        group.save()
    return group


@transaction.atomic
def judge_group_members_change(
    *,
    group: JudgeGroup,
    add: Collection[Judge] = (),
    remove: Collection[Judge] = (),
    question: str = "",
) -> tuple[int, int]:
    """Put judges into a group and take others out; return how many were added and removed.

    Adding existing members and removing others has no effect. `question` names the one whose answer those added gave:
    they leave with it (`judge_groups_of_answers_leave`). Locks the group's row.
    """
    row_locked(group)
    there = set(GroupMember.objects.filter(group=group).values_list("judge", flat=True))
    gone = there & {judge.pk for judge in remove}
    pgtrigger_ignore_preset()
    removed = GroupMember.objects.filter(group=group, judge__in=gone)
    removed.delete()
    new = [
        GroupMember(group=group, judge=judge, question=question)
        for judge in add
        if judge.pk not in there
    ]
    GroupMember.objects.bulk_create(new, batch_size=1000)
    return len(new), len(gone)


def judge_groups_of_answers_leave(*, judge: Judge, questions: Collection[str]) -> None:
    """Take a judge out of the groups that were made from their answers to these questions."""
    GroupMember.objects.filter(judge=judge, question__in=questions).delete()


@transaction.atomic
def judge_groups_set(*, judge: Judge, groups: Collection[JudgeGroup]) -> None:
    """Put a judge into these groups and out of all others."""
    groups_by_id = {group.pk: group for group in groups}
    rows = GroupMember.objects.filter(judge=judge)
    rows.exclude(group__in=groups_by_id).delete()
    there = set(rows.values_list("group", flat=True))
    GroupMember.objects.bulk_create(
        GroupMember(group=group, judge=judge)
        for pk, group in groups_by_id.items()
        if pk not in there
    )
