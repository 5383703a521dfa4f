"""Machine judges of a campaign: add them, replace their tokens, withdraw them."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from annotation.selectors.machines import machines_of
from campaign.api.operations import Address, operation, row_found
from campaign.models import MachineJudge
from campaign.services.machines import machine_add, machine_token_replace, machine_withdraw


class MachineMakeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=60)
    version = serializers.CharField(
        max_length=60, help_text="Another version of a program is another machine judge."
    )
    prompt = serializers.CharField(default="", allow_blank=True, trim_whitespace=False)
    settings = serializers.CharField(default="", allow_blank=True, trim_whitespace=False)
    asked_twice = serializers.BooleanField(
        default=False, help_text="Repeats blocks of several outputs in reverse order."
    )


class MachineSerializer(MachineMakeSerializer):
    id = serializers.IntegerField()
    judged = serializers.IntegerField(default=0, help_text="Number of blocks judged.")
    skipped = serializers.IntegerField(default=0, help_text="Number of blocks skipped.")
    created_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)


class MachineWithTokenSerializer(MachineSerializer):
    token = serializers.SerializerMethodField(help_text="For `/api/v1/judging/`. Shown only once.")

    def get_token(self, _machine: MachineJudge) -> str:
        return str(self.context["view"].token)


class _MachineAddress(Address):
    ordering = "id"
    token = ""

    def machine(self, machine_id: int) -> MachineJudge:
        return row_found(machines_of(campaign_id=self.campaign.pk), pk=machine_id)


class MachinesView(_MachineAddress):
    @operation("machines", MachineSerializer(many=True))
    def get(self) -> QuerySet[MachineJudge]:
        """List the machine judges of a campaign. Their answers never count."""
        return machines_of(campaign_id=self.campaign.pk)

    @operation("machine_add", {201: MachineWithTokenSerializer}, takes=MachineMakeSerializer)
    def post(self) -> MachineJudge:
        """Add a machine judge; the response has its token."""
        machine, self.token = machine_add(campaign=self.campaign, by=self.user, **self.sent)
        return machine


class MachineView(_MachineAddress):
    @operation("machine", MachineSerializer)
    def get(self, machine_id: int) -> MachineJudge:
        """Return a machine judge."""
        return self.machine(machine_id)

    @operation("machine_withdraw")
    def delete(self, machine_id: int) -> None:
        """Withdraw a machine judge: its token ends, and its judgments are kept."""
        machine_withdraw(machine=self.machine(machine_id))


class MachineTokenView(_MachineAddress):
    @operation("machine_token_replace", MachineWithTokenSerializer)
    def post(self, machine_id: int) -> MachineJudge:
        """Create a new token; the previous one ends, and a withdrawn machine judge may judge again."""
        machine = self.machine(machine_id)
        self.token = machine_token_replace(machine=machine)
        return machine
