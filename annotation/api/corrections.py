"""Correct a wrong output."""

from typing import Any

from rest_framework import serializers

from annotation.services.corrections import output_correct
from campaign.api.access import row_found
from campaign.api.operations import Address, operation
from campaign.api.texts import OutputSerializer
from campaign.models import Output


class OutputCorrectionSerializer(serializers.Serializer[Any]):
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
