"""Groups of judges, for the organisers of a campaign."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from annotation.selectors.judge_groups import groups_counted, groups_listed
from annotation.services.judge_groups import JudgeGroupInUseError, judge_group_delete
from campaign.api.operations import Address, operation, row_found
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, Judge, JudgeGroup
from campaign.services.campaigns import MAX_BLOCKS
from campaign.services.judge_groups import (
    judge_group_change,
    judge_group_create,
    judge_group_members_change,
)

_MOST: int = 10_000


class JudgeGroupSerializer(PlainSerializer):
    """A judge group with its number of judges and its uses."""

    id = serializers.IntegerField(source="pk", read_only=True)
    name = serializers.CharField(max_length=60)
    blocks_asked = serializers.IntegerField(
        allow_null=True,
        required=False,
        min_value=1,
        max_value=MAX_BLOCKS,
        help_text="Maximum blocks per judge; null for the campaign's limit.",
    )
    judges = serializers.IntegerField(read_only=True)
    uses = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
        help_text="Designs and rankings that use the group, in words.",
    )


class GroupMembersSerializer(PlainSerializer):
    """IDs of judges to add and remove."""

    add = serializers.ListField(child=serializers.IntegerField(), default=list, max_length=_MOST)
    remove = serializers.ListField(child=serializers.IntegerField(), default=list, max_length=_MOST)


class GroupMembersChangedSerializer(PlainSerializer):
    added = serializers.IntegerField(read_only=True)
    removed = serializers.IntegerField(read_only=True)


class _GroupAddress(Address):
    ordering = "name"

    def group(self, group_id: int) -> JudgeGroup:
        present = JudgeGroup.objects.present().filter(campaign=self.campaign)
        said = "Judge group not found."
        return row_found(present.select_related("campaign"), said, pk=group_id)

    def rows(self, page: Any) -> Any:
        return groups_listed(campaign=self.campaign, counted=page)

    def shown(self, group: JudgeGroup) -> Any:
        [row] = self.rows(groups_counted(campaign=self.campaign).filter(pk=group.pk))
        return row


class JudgeGroupsView(_GroupAddress):
    @operation("judge_groups", JudgeGroupSerializer(many=True))
    def get(self) -> QuerySet[JudgeGroup]:
        """Return the groups of a campaign by name."""
        return groups_counted(campaign=self.campaign)

    @operation("judge_group_create", {201: JudgeGroupSerializer}, takes=JudgeGroupSerializer)
    def post(self) -> Any:
        """Create a group without judges."""
        return self.shown(judge_group_create(campaign=self.campaign, **self.sent))


class JudgeGroupView(_GroupAddress):
    @operation("judge_group", JudgeGroupSerializer)
    def get(self, group_id: int) -> Any:
        """Return a group."""
        return self.shown(self.group(group_id))

    @operation("judge_group_change", JudgeGroupSerializer, takes=JudgeGroupSerializer)
    def patch(self, group_id: int) -> Any:
        """Change the name or the block limit of a group. Omitted fields keep their values."""
        group = self.group(group_id)
        values = {"name": group.name, "blocks_asked": group.blocks_asked}
        judge_group_change(group=group, **(values | self.sent))
        return self.shown(group)


class JudgeGroupJudgesView(_GroupAddress):
    @operation("judge_group_judges", GroupMembersChangedSerializer, takes=GroupMembersSerializer)
    def post(self, group_id: int) -> dict[str, int]:
        """Add judges to the group and remove others."""
        group = self.group(group_id)
        chosen = {name: _judges(self.campaign, name, ids) for name, ids in self.sent.items()}
        added, removed = judge_group_members_change(group=group, **chosen)
        return {"added": added, "removed": removed}


def _judges(campaign: Campaign, field: str, ids: list[int]) -> list[Judge]:
    wanted = set(ids)
    found = list(Judge.objects.filter(campaign=campaign, pk__in=wanted))
    missing = sorted(wanted - {judge.pk for judge in found})
    if missing:
        raise ValidationError({field: [f"Judge {missing[0]} not found."]})
    return found


class JudgeGroupDeleteView(_GroupAddress):
    @operation("judge_group_delete")
    def post(self, group_id: int) -> Response | None:
        """Delete the group but not its judges. 409 while a design or a ranking uses it."""
        try:
            judge_group_delete(group=self.group(group_id))
        except JudgeGroupInUseError as error:
            return Response({"detail": str(error)}, status=409)
        return None
