"""Add, describe, withdraw and restore systems, and correct their outputs."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
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
from campaign.api.base import TaskAPIView, row_or_404
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


class SystemsView(TaskAPIView):
    parser_classes = [MultiPartParser]
    ordering = "id"

    @extend_schema("tasks_systems_list", responses=SystemSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the systems of a test set, including references and withdrawn ones."""
        return self.paginated(self.task.test_set.systems.all(), SystemSerializer)

    @extend_schema(
        "system_add",
        request=SystemAddSerializer,
        responses={201: SystemSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Add a system with an output for every segment; HITs that no judge has opened are redrawn with it.

        On an error, nothing is stored, and a 400 response names the first error.
        """
        data = self.validated(SystemAddSerializer)
        file = data["file"]
        return self.serialized(
            system_add(
                test_set=self.task.test_set,
                name=data["name"],
                file=sent_file(file),
            ),
            SystemSerializer,
            status=201,
        )


class _SystemAPIView(TaskAPIView):
    def system(self, system_id: int) -> System:
        return row_or_404(
            self.task.test_set.systems.all(),
            "System not found.",
            pk=system_id,
        )


class SystemView(_SystemAPIView):
    @extend_schema("system", responses=SystemSerializer)
    def get(self, request: Request, task_id: int, system_id: int) -> Response:
        """Return a system."""
        return self.serialized(self.system(system_id), SystemSerializer)

    @extend_schema(
        "system_change",
        request=SystemSerializer,
        responses=SystemSerializer,
    )
    def patch(self, request: Request, task_id: int, system_id: int) -> Response:
        """Change a system. Missing fields keep their value. The name is fixed once HITs are drawn or judged."""
        data = self.validated(SystemSerializer)
        system_change(system=self.system(system_id), **data)
        return self.serialized(self.system(system_id), SystemSerializer)


class SystemWithdrawView(_SystemAPIView):
    @extend_schema(
        "system_withdraw",
        request=ConfirmChangeSerializer,
        responses={200: SystemSerializer, 409: ChangeEffectsSerializer},
    )
    def post(self, request: Request, task_id: int, system_id: int) -> Response:
        """Withdraw a system from new HITs; its judgments still count. 409 without `confirm`."""
        data = self.validated(ConfirmChangeSerializer)
        system = self.system(system_id)
        if not data["confirm"]:
            return Response({"words": withdrawal_in_words(system=system)}, status=409)
        system_withdraw(system=system)
        return self.serialized(self.system(system_id), SystemSerializer)


class SystemRestoreView(_SystemAPIView):
    @extend_schema("system_restore", request=None, responses=SystemSerializer)
    def post(self, request: Request, task_id: int, system_id: int) -> Response:
        """Restore a withdrawn system; HITs that no judge has opened are redrawn with it."""
        system_restore(system=self.system(system_id))
        return self.serialized(self.system(system_id), SystemSerializer)


class OutputCorrectionSerializer(PlainSerializer):
    text = serializers.CharField(help_text="Corrected text.")
    leave_out = serializers.BooleanField(
        help_text="True to exclude judgments of blocks that showed the wrong text.",
    )
    reason = serializers.CharField(
        max_length=300,
        required=False,
        default="",
        allow_blank=True,
    )


class OutputCorrectView(TaskAPIView):
    @extend_schema(
        "output_correct",
        request=OutputCorrectionSerializer,
        responses=OutputSerializer,
    )
    def post(self, request: Request, task_id: int, output_id: int) -> Response:
        """Replace the text of a system's output, and return the new output.

        HITs that no judge has opened are redrawn with the new text; judged blocks keep the old one.
        400 if the output was corrected in the meantime.
        """
        data = self.validated(OutputCorrectionSerializer)
        outputs = Output.objects.filter(system__test_set=self.task.test_set_id)
        output = row_or_404(outputs, "Output not found.", pk=output_id)
        return self.serialized(
            output_correct(output=output, corrected_by=self.user, **data).after,
            OutputSerializer,
        )
