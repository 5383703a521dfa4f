"""Add, describe, withdraw and restore systems, and correct their outputs."""

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation.api.serializers import ChangeEffectsSerializer, ConfirmChangeSerializer
from annotation.pages.systems import file_size_validate
from annotation.selectors.systems import withdrawal_in_words
from annotation.services.systems import (
    output_correct,
    system_add,
    system_change,
    system_restore,
    system_withdraw,
)
from campaign.api.operations import Address, operation, row_found
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.serializers import SystemSerializer
from campaign.api.texts import OutputSerializer
from campaign.importing.uploaded_files import sent_file
from campaign.models import Output, System


class SystemAddSerializer(PlainSerializer):
    name = serializers.CharField(max_length=200)
    file = serializers.FileField(
        help_text="Outputs: plain text with one per line, or WMT SGML; plain or .gz, up to 20 MB.",
        validators=[file_size_validate],
    )


class SystemsView(Address):
    parser_classes = [MultiPartParser]
    ordering = "id"

    @operation("tasks_systems_list", SystemSerializer(many=True))
    def get(self) -> QuerySet[System]:
        """List the systems of a test set, including references and withdrawn ones."""
        return self.task.test_set.systems.all()

    @operation("system_add", {201: SystemSerializer}, takes=SystemAddSerializer)
    def post(self) -> System:
        """Add a system with an output for every segment; HITs that no judge has opened are redrawn with it.

        On an error, nothing is stored, and a 400 response names the first error.
        """
        file = self.sent["file"]
        return system_add(
            test_set=self.task.test_set,
            name=self.sent["name"],
            file=sent_file(file),
        )


class _SystemAddress(Address):
    def system(self, system_id: int) -> System:
        return row_found(self.task.test_set.systems.all(), "System not found.", pk=system_id)


class SystemView(_SystemAddress):
    @operation("system", SystemSerializer)
    def get(self, system_id: int) -> System:
        """Return a system."""
        return self.system(system_id)

    @operation("system_change", SystemSerializer, takes=SystemSerializer)
    def patch(self, system_id: int) -> System:
        """Change a system. Missing fields keep their value. The name is fixed once HITs are drawn or judged."""
        system_change(system=self.system(system_id), **self.sent)
        return self.system(system_id)


class SystemWithdrawView(_SystemAddress):
    @operation(
        "system_withdraw",
        {200: SystemSerializer, 409: ChangeEffectsSerializer},
        takes=ConfirmChangeSerializer,
    )
    def post(self, system_id: int) -> System | Response:
        """Withdraw a system from new HITs; its judgments still count. 409 without `confirm`."""
        system = self.system(system_id)
        if not self.sent["confirm"]:
            return Response({"words": withdrawal_in_words(system=system)}, status=409)
        system_withdraw(system=system)
        return self.system(system_id)


class SystemRestoreView(_SystemAddress):
    @operation("system_restore", SystemSerializer)
    def post(self, system_id: int) -> System:
        """Restore a withdrawn system; HITs that no judge has opened are redrawn with it."""
        system_restore(system=self.system(system_id))
        return self.system(system_id)


class OutputCorrectionSerializer(PlainSerializer):
    text = serializers.CharField(help_text="Corrected text.")
    leave_out = serializers.BooleanField(
        help_text="True to exclude judgments of blocks that showed the wrong text."
    )
    reason = serializers.CharField(max_length=300, required=False, default="", allow_blank=True)


class OutputCorrectView(Address):
    @operation(
        "output_correct",
        OutputSerializer,
        takes=OutputCorrectionSerializer,
    )
    def post(self, output_id: int) -> Output:
        """Replace the text of a system's output, and return the new output.

        HITs that no judge has opened are redrawn with the new text; judged blocks keep the old one.
        400 if the output was corrected in the meantime.
        """
        outputs = Output.objects.filter(system__test_set=self.task.test_set_id)
        output = row_found(outputs, "Output not found.", pk=output_id)
        return output_correct(output=output, corrected_by=self.user, **self.sent).after
