"""Show and change the state of a campaign and its tasks, and the effects of a change."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.selectors.effects import (
    closing_in_words,
    state_effects,
    task_at_work,
    transitions_possible,
)
from campaign.api.base import CampaignAPIView, ResearchAPIView, TaskAPIView
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import (
    Campaign,
    CampaignState,
    MembershipRole,
    Task,
    Transition,
    User,
)
from campaign.pages.desk import transitions_of
from campaign.services.campaigns import (
    campaign_delete,
    campaign_extend,
    campaign_restore,
    campaign_state_change,
    task_close,
    task_reopen,
)
from campaign.services.members import change_demand


class StateSerializer(PlainSerializer):
    """State of a campaign, and the transitions possible now."""

    state = serializers.ChoiceField(choices=CampaignState.choices, read_only=True)
    state_since = serializers.DateTimeField(read_only=True)
    closes_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Time of automatic closing; null to close manually.",
    )
    transitions = serializers.ListField(
        child=serializers.ChoiceField(choices=Transition.choices),
        read_only=True,
        help_text="Transitions that are possible now and allowed for you.",
    )


class TransitionRequestSerializer(PlainSerializer):
    dry_run = serializers.BooleanField(
        default=False,
        help_text="Return the effects without changing anything.",
    )
    name = serializers.CharField(
        default="",
        allow_blank=True,
        help_text="Required for `delete`: the campaign's name.",
    )


class JudgesNeededSerializer(PlainSerializer):
    """A task that needs more than one judge."""

    task = serializers.IntegerField(source="task.pk", read_only=True)
    needed = serializers.IntegerField(
        read_only=True,
        help_text="Minimum number of judges to complete the design.",
    )
    there = serializers.IntegerField(
        read_only=True,
        help_text="Number of judges available for it.",
    )
    group = serializers.CharField(
        read_only=True,
        help_text="Required judge group; empty if any judge will do.",
    )
    is_feasible = serializers.BooleanField(read_only=True)
    words = serializers.ListField(child=serializers.CharField(), read_only=True)


class StateEffectsSerializer(PlainSerializer):
    """Effect of a transition: planned in a dry run, done otherwise."""

    transition = serializers.ChoiceField(choices=Transition.choices, read_only=True)
    is_possible = serializers.BooleanField(read_only=True)
    judges = serializers.IntegerField(read_only=True, help_text="Judges at work.")
    sentences = serializers.IntegerField(read_only=True, help_text="Sentences in hand.")
    judged = serializers.IntegerField(
        read_only=True,
        help_text="Total number of judged blocks.",
    )
    judges_needed = JudgesNeededSerializer(
        many=True,
        read_only=True,
        help_text="For opening: the open tasks that need several judges.",
    )
    facts = serializers.ListField(child=serializers.CharField(), read_only=True)
    state = serializers.CharField(
        read_only=True,
        help_text="State of the campaign afterwards; “deleted” if permanently deleted.",
    )


def _state(campaign: Campaign, user: User) -> dict[str, object]:
    role = MembershipRole(campaign.memberships.get(user=user).role)
    return {
        "state": campaign.state,
        "state_since": campaign.state_since,
        "closes_at": campaign.closes_at,
        "transitions": transitions_of(role, transitions_possible(campaign)),
    }


class CampaignStateView(CampaignAPIView):
    @extend_schema("campaign_state", responses=StateSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the state of a campaign and the possible transitions."""
        return self.serialized(_state(self.campaign, self.user), StateSerializer)

    @extend_schema(
        "campaign_extend",
        request=StateSerializer,
        responses=StateSerializer,
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Set the time of automatic closing."""
        data = self.validated(StateSerializer)
        if data:
            campaign_extend(campaign=self.campaign, blocks_wanted={}, **data)
        return self.serialized(_state(self.campaign, self.user), StateSerializer)


class CampaignTransitionView(CampaignAPIView):
    # The campaign may be deleted when the request is repeated with its Idempotency-Key.
    permission_classes = [IsAuthenticated]

    @extend_schema(
        "campaign_transition",
        request=TransitionRequestSerializer,
        responses=StateEffectsSerializer,
    )
    def post(self, request: Request, slug: str, transition: str) -> Response:
        """Change the state of a campaign, or with `dry_run` return the effects.

        `open`, `pause`, `resume`, `close`, `reopen`, `archive`, `unarchive`, or `delete` with its `name`.
        """
        if transition not in Transition:
            raise NotFound
        change_demand(self.get_role())
        data = self.validated(TransitionRequestSerializer)
        requested = Transition(transition)
        campaign = self.campaign
        dry_run = data["dry_run"]
        name = data["name"]
        # Computed before the change.
        effects = StateEffectsSerializer(
            state_effects(campaign=campaign, transition=requested),
        ).data
        state: str = campaign.state
        if requested == Transition.DELETE and not dry_run:
            is_gone = campaign_delete(campaign=campaign, typed_name=name, by=self.user)
            if is_gone:
                state = "deleted"
            else:
                state = CampaignState.BIN
        elif not dry_run:
            campaign_state_change(campaign=campaign, transition=requested, by=self.user)
            state = campaign.state
        return Response({**effects, "state": state})


class CampaignRestoreView(ResearchAPIView):
    @extend_schema(
        operation_id="campaign_restore",
        request=None,
        responses=StateSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Restore a campaign that you own from the bin."""
        binned = Campaign.objects.with_role_of(self.user).filter(
            state=CampaignState.BIN,
        )
        campaign = get_object_or_404(binned, slug=slug)
        campaign_restore(campaign=campaign, by=self.user)
        return Response(StateSerializer(_state(campaign, self.user)).data)


class ClosingSerializer(PlainSerializer):
    """Closing state of a test set, and the judges at work in it now."""

    closed_at = serializers.DateTimeField(allow_null=True, read_only=True)
    judges = serializers.IntegerField(read_only=True, help_text="Judges at work.")
    blocks = serializers.IntegerField(read_only=True, help_text="Blocks in hand.")
    words = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
        help_text="Effects of closing it now.",
    )


class ClosingRequestSerializer(PlainSerializer):
    closed = serializers.BooleanField()
    confirm = serializers.BooleanField(
        default=False,
        help_text="Required to close it while judges are at work.",
    )


class ClosingView(TaskAPIView):
    @extend_schema("task_closing", responses=ClosingSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return whether a test set is closed, and the effects of closing it now."""
        return self.serialized(closing_answer(self.task), ClosingSerializer)

    @extend_schema(
        "task_close_or_reopen",
        request=ClosingRequestSerializer,
        responses={200: ClosingSerializer, 409: ClosingSerializer},
    )
    def put(self, request: Request, task_id: int) -> Response:
        """Close or reopen a test set for judges. 409 without `confirm` while judges are at work."""
        data = self.validated(ClosingRequestSerializer)
        task = self.task
        if not data["closed"]:
            task_reopen(task=task)
        elif data["confirm"] or not task_at_work(task=task).judges:
            task_close(task=task)
        else:
            return self.serialized(closing_answer(task), ClosingSerializer, status=409)
        task.refresh_from_db(fields=["closed_at"])
        return self.serialized(closing_answer(task), ClosingSerializer)


def closing_answer(task: Task) -> dict[str, object]:
    """Return whether a task is closed, and the effects of closing it now."""
    now = task_at_work(task=task)
    return {
        "closed_at": task.closed_at,
        "judges": now.judges,
        "blocks": now.blocks,
        "words": closing_in_words(task=task),
    }
