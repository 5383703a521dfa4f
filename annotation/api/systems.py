"""Systems: adding, describing, withdrawing and restoring them."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.serializers import ChangeEffectsSerializer, ConfirmChangeSerializer
from annotation.pages.systems import MAX_BYTES
from annotation.selectors.systems import withdrawal_in_words
from annotation.services.systems import (
    system_add,
    system_change,
    system_restore,
    system_withdraw,
)
from campaign.api.access import organised_task, readable_task
from campaign.api.serializers import SystemSerializer
from campaign.api.views import SystemsView
from campaign.formats import InputFile
from campaign.models import System, Task


def _found(task: Task, system_id: int) -> System:
    system = task.test_set.systems.filter(pk=system_id).first()
    if system is None:
        raise NotFound(_("System not found."))
    return system


def _answer(system: System) -> Response:
    system.refresh_from_db()
    return Response(SystemSerializer(system).data)


class SystemAddSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200)
    file = serializers.FileField(
        help_text="Outputs: plain text with one per line, or WMT SGML; plain or .gz, up to 20 MB."
    )

    def validate_file(self, file: Any) -> Any:
        """Refuse a file that is too large."""
        if file.size > MAX_BYTES:
            raise ValidationError([_("The file is larger than 20 MB. Compress it as .gz.")])
        return file


class SystemsAndMoreView(SystemsView):
    """Systems of a test set, including references and withdrawn ones."""

    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="system_add",
        request={"multipart/form-data": SystemAddSerializer},
        responses={201: SystemSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Add a system with an output for every segment; HITs that no judge has opened are redrawn with it.

        400 names the first error, and nothing is stored.
        """
        task = organised_task(request, task_id)
        sent = SystemAddSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        file = sent.validated_data["file"]
        system = system_add(
            test_set=task.test_set,
            name=sent.validated_data["name"],
            file=InputFile(file.name, file),
        )
        return Response(SystemSerializer(system).data, status=201)


class SystemView(APIView):
    @extend_schema(operation_id="system", responses=SystemSerializer)
    def get(self, request: Request, task_id: int, system_id: int) -> Response:
        """Return a system."""
        task = readable_task(request, task_id)
        system = _found(task, system_id)
        return _answer(system)

    @extend_schema(
        operation_id="system_change", request=SystemSerializer, responses=SystemSerializer
    )
    def patch(self, request: Request, task_id: int, system_id: int) -> Response:
        """Change a system. Missing fields keep their value. The name is fixed once HITs are drawn or judged."""
        system = _found(organised_task(request, task_id), system_id)
        sent = SystemSerializer(system, data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        system_change(system=system, **sent.validated_data)
        return _answer(system)


class SystemWithdrawView(APIView):
    @extend_schema(
        operation_id="system_withdraw",
        request=ConfirmChangeSerializer,
        responses={200: SystemSerializer, 409: ChangeEffectsSerializer},
    )
    def post(self, request: Request, task_id: int, system_id: int) -> Response:
        """Withdraw a system from new HITs; its judgments still count. 409 without `confirm`."""
        system = _found(organised_task(request, task_id), system_id)
        sent = ConfirmChangeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        if not sent.validated_data["confirm"]:
            return Response({"words": withdrawal_in_words(system=system)}, status=409)
        system_withdraw(system=system)
        return _answer(system)


class SystemRestoreView(APIView):
    @extend_schema(operation_id="system_restore", request=None, responses=SystemSerializer)
    def post(self, request: Request, task_id: int, system_id: int) -> Response:
        """Restore a withdrawn system; HITs that no judge has opened are redrawn with it."""
        system = _found(organised_task(request, task_id), system_id)
        system_restore(system=system)
        return _answer(system)
