"""Groups of judges, for the organisers of a campaign."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_campaign
from campaign.api.pages import CursorPages, paged
from campaign.models import Campaign, Judge, JudgeGroup
from campaign.services.judge_groups import (
    judge_group_change,
    judge_group_create,
    judge_group_members_change,
)
from campaign.services.rules import MAX_BLOCKS
from ranking.selectors.judges import groups_counted, groups_listed
from ranking.services.judges import JudgeGroupInUseError, judge_group_delete

_MOST: int = 10_000


class JudgeGroupSerializer(serializers.Serializer[Any]):
    """A judge group, its number of judges and its uses."""

    id = serializers.IntegerField(source="group.pk", read_only=True)
    name = serializers.CharField(source="group.name", max_length=60)
    blocks_asked = serializers.IntegerField(
        source="group.blocks_asked",
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


class GroupMembersSerializer(serializers.Serializer[Any]):
    """IDs of judges to add and remove."""

    add = serializers.ListField(child=serializers.IntegerField(), default=list, max_length=_MOST)
    remove = serializers.ListField(child=serializers.IntegerField(), default=list, max_length=_MOST)


class GroupMembersChangedSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField(read_only=True)
    removed = serializers.IntegerField(read_only=True)


class JudgeGroupUsedSerializer(serializers.Serializer[Any]):
    """Conflict: the group is in use and was not deleted."""

    detail = serializers.CharField(read_only=True)


def _found(campaign: Campaign, group_id: int) -> JudgeGroup:
    present = JudgeGroup.objects.present().select_related("campaign")
    group = present.filter(campaign=campaign, pk=group_id).first()
    if group is None:
        raise NotFound(_("Judge group not found."))
    return group


def _answer(group: JudgeGroup, status: int = 200) -> Response:
    counted = groups_counted(campaign=group.campaign).filter(pk=group.pk)
    [row] = groups_listed(campaign=group.campaign, counted=counted)
    return Response(JudgeGroupSerializer(row).data, status=status)


class JudgeGroupsView(APIView):
    pagination_class = CursorPages
    ordering = "name"

    @extend_schema(operation_id="judge_groups", responses=JudgeGroupSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the groups of a campaign by name."""
        campaign = organised_campaign(request, slug)

        def shown(page: list[JudgeGroup]) -> Any:
            listed = groups_listed(campaign=campaign, counted=page)
            return JudgeGroupSerializer(listed, many=True).data

        return paged(self, groups_counted(campaign=campaign), shown)

    @extend_schema(
        operation_id="judge_group_create",
        request=JudgeGroupSerializer,
        responses={201: JudgeGroupSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a group without judges."""
        campaign = organised_campaign(request, slug)
        sent = JudgeGroupSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        group = judge_group_create(campaign=campaign, **sent.validated_data["group"])
        return _answer(group, 201)


class JudgeGroupView(APIView):
    @extend_schema(operation_id="judge_group", responses=JudgeGroupSerializer)
    def get(self, request: Request, slug: str, group_id: int) -> Response:
        """Return a group."""
        return _answer(_found(organised_campaign(request, slug), group_id))

    @extend_schema(
        operation_id="judge_group_change",
        request=JudgeGroupSerializer,
        responses=JudgeGroupSerializer,
    )
    def patch(self, request: Request, slug: str, group_id: int) -> Response:
        """Change the name or the block limit of a group. Omitted fields keep their values."""
        group = _found(organised_campaign(request, slug), group_id)
        sent = JudgeGroupSerializer(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        values = {"name": group.name, "blocks_asked": group.blocks_asked}
        judge_group_change(group=group, **(values | sent.validated_data.get("group", {})))
        return _answer(group)


class JudgeGroupJudgesView(APIView):
    @extend_schema(
        operation_id="judge_group_judges",
        request=GroupMembersSerializer,
        responses=GroupMembersChangedSerializer,
    )
    def post(self, request: Request, slug: str, group_id: int) -> Response:
        """Add judges to the group and remove others."""
        campaign = organised_campaign(request, slug)
        group = _found(campaign, group_id)
        sent = GroupMembersSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        chosen = {name: _judges(campaign, name, ids) for name, ids in sent.validated_data.items()}
        added, removed = judge_group_members_change(group=group, **chosen)
        return Response({"added": added, "removed": removed})


def _judges(campaign: Campaign, field: str, ids: list[int]) -> list[Judge]:
    wanted = set(ids)
    found = list(Judge.objects.filter(campaign=campaign, pk__in=wanted))
    missing = sorted(wanted - {judge.pk for judge in found})
    if missing:
        said = _("Judge %(id)d not found.") % {"id": missing[0]}
        raise ValidationError({field: [said]})
    return found


class JudgeGroupDeleteView(APIView):
    @extend_schema(
        operation_id="judge_group_delete",
        request=None,
        responses={204: None, 409: JudgeGroupUsedSerializer},
    )
    def post(self, request: Request, slug: str, group_id: int) -> Response:
        """Delete the group but not its judges. 409 while a design or a ranking uses it."""
        group = _found(organised_campaign(request, slug), group_id)
        try:
            judge_group_delete(group=group)
        except JudgeGroupInUseError as error:
            return Response({"detail": str(error)}, status=409)
        return Response(status=204)
