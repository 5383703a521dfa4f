"""Designs and HITs of a test set, for members of its campaign."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import generics, serializers

from annotation.models import HIT, Design
from annotation.selectors.hits import designs_of, hit_state, hits_explained
from annotation.services.planning.designs import PARAMETERS
from campaign.api.access import organised_task, readable_task
from campaign.api.pages import CursorPages


class DesignSerializer(serializers.ModelSerializer[Design]):
    seed = serializers.CharField(
        read_only=True,
        help_text="A whole number of up to 128 bits, in digits: too large for a JSON number.",
    )
    changed_by = serializers.CharField(
        source="changed_by_name", allow_null=True, help_text="Null where nobody chose it."
    )

    judge_group = serializers.CharField(
        source="judge_group.name",
        allow_null=True,
        default=None,
        help_text="The group whose judges alone are lent HITs of the test set; null: all who may.",
    )

    class Meta:
        model = Design
        fields = ["id", *PARAMETERS, "created_at", "changed_by"]
        read_only_fields = fields


class DesignsView(generics.ListAPIView[Design]):
    """The designs of a test set, the one in force first, with who changed them and when."""

    serializer_class = DesignSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[Design]:
        task = readable_task(self.request, self.kwargs["task_id"])
        return designs_of(task_id=task.pk)


class HITSerializer(serializers.ModelSerializer[HIT]):
    """A HIT and why it was drawn."""

    design = serializers.IntegerField(source="design_id")
    repeats = serializers.IntegerField(
        source="repeats.number",
        allow_null=True,
        default=None,
        help_text="The number of the first HIT that this one repeats.",
    )
    reserved_for = serializers.CharField(
        source="reserved_for.pseudonym", allow_null=True, default=None
    )
    state = serializers.SerializerMethodField()
    why = serializers.JSONField(help_text="What explains the draw, of the HIT and of its blocks.")

    class Meta:
        model = HIT
        fields = ["number", "design", "purpose", "repeats", "reserved_for", "state", "why"]
        read_only_fields = fields

    @extend_schema_field(
        serializers.ChoiceField(choices=["waiting", "available", "lent", "done", "withdrawn"])
    )
    def get_state(self, hit: HIT) -> str:
        return hit_state(hit)


class HITsView(generics.ListAPIView[HIT]):
    """The HITs of a test set by number, and why each was drawn."""

    serializer_class = HITSerializer
    pagination_class = CursorPages
    ordering = "number"

    def get_queryset(self) -> QuerySet[Any]:
        task = organised_task(self.request, self.kwargs["task_id"])
        return hits_explained(task_id=task.pk)
