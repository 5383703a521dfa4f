"""Show and change the state of a campaign and its tasks, and the effects of a change."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.selectors.effects import (
    closing_in_words,
    state_effects,
    task_at_work,
    transitions_possible,
)
from campaign.api.operations import Address, operation, reader
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, CampaignState, MembershipRole, Task, Transition
from campaign.pages.desk import transitions_of
from campaign.services.campaigns import (
    campaign_delete,
    campaign_extend,
    campaign_restore,
    campaign_state_change,
    task_close,
    task_reopen,
)


class StateSerializer(PlainSerializer):
    """State of a campaign, and the transitions possible now."""

    state = serializers.ChoiceField(choices=CampaignState.choices, read_only=True)
    state_since = serializers.DateTimeField(read_only=True)
    closes_at = serializers.DateTimeField(
        allow_null=True, help_text="Time of automatic closing; null to close manually."
    )
    transitions = serializers.ListField(
        child=serializers.ChoiceField(choices=Transition.choices),
        read_only=True,
        help_text="Transitions that are possible now and allowed for you.",
    )


class TransitionRequestSerializer(PlainSerializer):
    dry_run = serializers.BooleanField(
        default=False, help_text="Return the effects without changing anything."
    )
    name = serializers.CharField(
        default="", allow_blank=True, help_text="Required for `delete`: the campaign's name."
    )


class JudgesNeededSerializer(PlainSerializer):
    """A task that needs more than one judge."""

    task = serializers.IntegerField(source="task.pk", read_only=True)
    needed = serializers.IntegerField(
        read_only=True, help_text="Minimum number of judges to complete the design."
    )
    there = serializers.IntegerField(read_only=True, help_text="Number of judges available for it.")
    group = serializers.CharField(
        read_only=True, help_text="Required judge group; empty if any judge will do."
    )
    is_feasible = serializers.BooleanField(read_only=True)
    words = serializers.ListField(child=serializers.CharField(), read_only=True)


class StateEffectsSerializer(PlainSerializer):
    """Effect of a transition: planned in a dry run, done otherwise."""

    transition = serializers.ChoiceField(choices=Transition.choices, read_only=True)
    is_possible = serializers.BooleanField(read_only=True)
    judges = serializers.IntegerField(read_only=True, help_text="Judges at work.")
    sentences = serializers.IntegerField(read_only=True, help_text="Sentences in hand.")
    judged = serializers.IntegerField(read_only=True, help_text="Total number of judged blocks.")
    judges_needed = JudgesNeededSerializer(
        many=True, read_only=True, help_text="For opening: the open tasks that need several judges."
    )
    facts = serializers.ListField(child=serializers.CharField(), read_only=True)
    state = serializers.CharField(
        read_only=True,
        help_text="State of the campaign afterwards; “deleted” if permanently deleted.",
    )


class _StateAddress(Address):
    def state(self, campaign: Campaign) -> dict[str, Any]:
        role = MembershipRole(campaign.memberships.get(user=self.user).role)
        return {
            "state": campaign.state,
            "state_since": campaign.state_since,
            "closes_at": campaign.closes_at,
            "transitions": transitions_of(role, transitions_possible(campaign)),
        }


class CampaignStateView(_StateAddress):
    @operation("campaign_state", StateSerializer)
    def get(self) -> dict[str, Any]:
        """Return the state of a campaign and the possible transitions."""
        return self.state(self.campaign)

    @operation("campaign_extend", StateSerializer, takes=StateSerializer)
    def patch(self) -> dict[str, Any]:
        """Set the time of automatic closing."""
        if self.sent:
            campaign_extend(campaign=self.campaign, blocks_wanted={}, **self.sent)
        return self.state(self.campaign)


class CampaignTransitionView(Address):
    @operation("campaign_transition", StateEffectsSerializer, takes=TransitionRequestSerializer)
    def post(self, transition: str) -> Response:
        """Change the state of a campaign, or with `dry_run` return the effects.

        `open`, `pause`, `resume`, `close`, `reopen`, `archive`, `unarchive`, or `delete` with its `name`.
        """
        if transition not in Transition:
            raise NotFound
        wanted, campaign = Transition(transition), self.campaign
        dry_run, name = self.sent["dry_run"], self.sent["name"]
        # Computed before the change.
        shown = StateEffectsSerializer(state_effects(campaign=campaign, transition=wanted)).data
        state: str = campaign.state
        if wanted == Transition.DELETE and not dry_run:
            is_gone = campaign_delete(campaign=campaign, typed_name=name, by=self.user)
            state = "deleted" if is_gone else CampaignState.BIN
        elif not dry_run:
            campaign_state_change(campaign=campaign, transition=wanted, by=self.user)
            state = campaign.state
        return Response({**shown, "state": state})


class CampaignRestoreView(_StateAddress):
    @extend_schema(operation_id="campaign_restore", request=None, responses=StateSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Restore a campaign that you own from the bin."""
        binned = Campaign.objects.with_role_of(reader(request)).filter(state=CampaignState.BIN)
        campaign = get_object_or_404(binned, slug=slug)
        campaign_restore(campaign=campaign, by=reader(request))
        return Response(StateSerializer(self.state(campaign)).data)


class ClosingSerializer(PlainSerializer):
    """Closing state of a test set, and the judges at work in it now."""

    closed_at = serializers.DateTimeField(allow_null=True, read_only=True)
    judges = serializers.IntegerField(read_only=True, help_text="Judges at work.")
    blocks = serializers.IntegerField(read_only=True, help_text="Blocks in hand.")
    words = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="Effects of closing it now."
    )


class ClosingRequestSerializer(PlainSerializer):
    closed = serializers.BooleanField()
    confirm = serializers.BooleanField(
        default=False, help_text="Required to close it while judges are at work."
    )


class ClosingView(Address):
    @operation("task_closing", ClosingSerializer)
    def get(self) -> dict[str, Any]:
        """Return whether a test set is closed, and the effects of closing it now."""
        return closing_answer(self.task)

    @operation(
        "task_close_or_reopen",
        {200: ClosingSerializer, 409: ClosingSerializer},
        takes=ClosingRequestSerializer,
    )
    def put(self) -> dict[str, Any] | Response:
        """Close or reopen a test set for judges. 409 without `confirm` while judges are at work."""
        task = self.task
        if not self.sent["closed"]:
            task_reopen(task=task)
        elif self.sent["confirm"] or not task_at_work(task=task).judges:
            task_close(task=task)
        else:
            return self.answer(closing_answer(task), ClosingSerializer, 409)
        task.refresh_from_db(fields=["closed_at"])
        return closing_answer(task)


def closing_answer(task: Task) -> dict[str, Any]:
    """Return whether a task is closed, and the effects of closing it now."""
    now = task_at_work(task=task)
    return {
        "closed_at": task.closed_at,
        "judges": now.judges,
        "blocks": now.blocks,
        "words": closing_in_words(task=task),
    }
