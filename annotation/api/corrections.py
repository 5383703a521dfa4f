"""Correct a wrong output."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.services.corrections import CorrectionRefusedError, output_correct
from campaign.api.access import organised_task
from campaign.api.texts import OutputSerializer
from campaign.models import Output, User


class OutputCorrectionSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="Corrected text.")
    leave_out = serializers.BooleanField(
        help_text="True to exclude judgments of blocks that showed the wrong text."
    )
    reason = serializers.CharField(max_length=300, required=False, default="", allow_blank=True)


class OutputCorrectView(APIView):
    @extend_schema(
        operation_id="output_correct",
        request=OutputCorrectionSerializer,
        responses={200: OutputSerializer},
    )
    def post(self, request: Request, task_id: int, output_id: int) -> Response:
        """Replace the text of a system's output, and return the new output.

        HITs that no judge has opened are redrawn with it; judged blocks keep the old text. 400 if the output was
        corrected in the meantime.
        """
        task = organised_task(request, task_id)
        output = Output.objects.filter(pk=output_id, system__test_set=task.test_set_id).first()
        if output is None:
            raise NotFound(_("Output not found."))
        sent = OutputCorrectionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        user = request.user if isinstance(request.user, User) else None
        try:
            correction = output_correct(output=output, corrected_by=user, **sent.validated_data)
        except CorrectionRefusedError as error:
            raise ValidationError({"text": [str(error)]}) from error
        return Response(OutputSerializer(correction.after).data)
