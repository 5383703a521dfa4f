"""Groups of judges, for the organisers of a campaign."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.selectors.judge_groups import groups_counted, groups_listed
from annotation.services.judge_groups import judge_group_delete
from campaign.api.base import CampaignAPIView, row_or_404
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

    def create(self, validated_data: dict[str, Any]) -> JudgeGroup:
        """Create a group without judges."""
        campaign = self.context["view"].campaign
        return judge_group_create(campaign=campaign, **validated_data)

    def update(
        self,
        instance: JudgeGroup,
        validated_data: dict[str, Any],
    ) -> JudgeGroup:
        """Change the given fields of a group."""
        values = {"name": instance.name, "blocks_asked": instance.blocks_asked}
        return judge_group_change(group=instance, **(values | validated_data))


class GroupMembersSerializer(PlainSerializer):
    """IDs of judges to add and remove."""

    add = serializers.ListField(
        child=serializers.IntegerField(),
        default=list,
        max_length=_MOST,
    )
    remove = serializers.ListField(
        child=serializers.IntegerField(),
        default=list,
        max_length=_MOST,
    )


class GroupMembersChangedSerializer(PlainSerializer):
    added = serializers.IntegerField(read_only=True)
    removed = serializers.IntegerField(read_only=True)


class _GroupAPIView(CampaignAPIView):
    ordering = "name"

    def group(self, group_id: int) -> JudgeGroup:
        present = JudgeGroup.objects.present().filter(campaign=self.campaign)
        message = "Judge group not found."
        return row_or_404(present.select_related("campaign"), message, pk=group_id)

    def page_rows(self, page: Any) -> Any:
        return groups_listed(campaign=self.campaign, counted=page)

    def counted_group(self, group: JudgeGroup) -> Any:
        [row] = self.page_rows(
            groups_counted(campaign=self.campaign).filter(pk=group.pk),
        )
        return row


class JudgeGroupsView(_GroupAPIView):
    @extend_schema("judge_groups", responses=JudgeGroupSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the groups of a campaign by name."""
        return self.paginated(
            groups_counted(campaign=self.campaign),
            JudgeGroupSerializer,
        )

    @extend_schema(
        "judge_group_create",
        request=JudgeGroupSerializer,
        responses={201: JudgeGroupSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a group without judges."""
        return self.serialized(
            self.counted_group(self.saved(JudgeGroupSerializer)),
            JudgeGroupSerializer,
            status=201,
        )


class JudgeGroupView(_GroupAPIView):
    @extend_schema("judge_group", responses=JudgeGroupSerializer)
    def get(self, request: Request, slug: str, group_id: int) -> Response:
        """Return a group."""
        return self.serialized(
            self.counted_group(self.group(group_id)),
            JudgeGroupSerializer,
        )

    @extend_schema(
        "judge_group_change",
        request=JudgeGroupSerializer,
        responses=JudgeGroupSerializer,
    )
    def patch(self, request: Request, slug: str, group_id: int) -> Response:
        """Change the name or the block limit of a group. Omitted fields keep their values."""
        group = self.saved(JudgeGroupSerializer, self.group(group_id))
        return self.serialized(self.counted_group(group), JudgeGroupSerializer)


class JudgeGroupJudgesView(_GroupAPIView):
    @extend_schema(
        "judge_group_judges",
        request=GroupMembersSerializer,
        responses=GroupMembersChangedSerializer,
    )
    def post(self, request: Request, slug: str, group_id: int) -> Response:
        """Add judges to the group and remove others."""
        data = self.validated(GroupMembersSerializer)
        group = self.group(group_id)
        chosen = {name: _judges(self.campaign, name, ids) for name, ids in data.items()}
        added, removed = judge_group_members_change(
            group=group,
            add=chosen["add"],
            remove=chosen["remove"],
        )
        return self.serialized(
            {"added": added, "removed": removed},
            GroupMembersChangedSerializer,
        )


def _judges(campaign: Campaign, field: str, ids: list[int]) -> list[Judge]:
    judge_ids = set(ids)
    judges = list(Judge.objects.filter(campaign=campaign, pk__in=judge_ids))
    missing = sorted(judge_ids - {judge.pk for judge in judges})
    if missing:
        raise ValidationError({field: [f"Judge {missing[0]} not found."]})
    return judges


class JudgeGroupDeleteView(_GroupAPIView):
    @extend_schema("judge_group_delete", request=None, responses={204: None})
    def post(self, request: Request, slug: str, group_id: int) -> Response:
        """Delete the group but not its judges. 409 while a design or a ranking uses it."""
        judge_group_delete(group=self.group(group_id))
        return Response(status=204)
