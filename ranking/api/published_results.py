"""Published results of a test set, for its members; what everybody reads is at `url`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_task, reader
from campaign.api.pages import CursorPages
from campaign.models import MembershipRole, Task
from ranking.api.published_serializers import (
    BundleAskSerializer,
    PublishAwaitedSerializer,
    PublishConflictSerializer,
    PublishedChangesSerializer,
    PublishedDraftSerializer,
    PublishedResultBriefSerializer,
    PublishedResultSerializer,
    PublishSerializer,
)
from ranking.models import Analysis, PublishedResult
from ranking.selectors.published_results import versions_of
from ranking.selectors.result_bundles import bundle_bytes, bundle_of
from ranking.selectors.runs import latest_run
from ranking.services.publishing import (
    PublishingRefusedError,
    RankingChangedError,
    embargo_check,
    firmness_ask,
    firmness_is_known,
    has_failed,
    published_draft,
    result_bundle_ask,
    result_embargo_change,
    result_publish,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
    version_check,
)


class PublishedResultsView(generics.ListAPIView[PublishedResult]):
    """The versions of a test set, the newest first, without their content."""

    serializer_class = PublishedResultBriefSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[PublishedResult, Any]:
        task = organised_task(self.request, self.kwargs["task_id"])
        self._task = task
        return versions_of(task_id=task.pk).defer("content", "labels", "wordings")

    def get_serializer_context(self) -> dict[str, Any]:
        context = dict(super().get_serializer_context())
        return {**context, **_rights(getattr(self, "_task", None))}

    @extend_schema(
        operation_id="published_results_publish",
        request=PublishSerializer,
        responses={
            200: PublishedDraftSerializer,
            201: PublishedResultSerializer,
            202: PublishAwaitedSerializer,
            409: PublishConflictSerializer,
        },
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Publish the present ranking as the next version. It is kept for good, and frozen.

        With `dry_run`, 200 says what would be published. 409 if that is not what was `seen`, or not `version`.
        """
        task = organised_task(request, task_id)
        sent = PublishSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        chosen = {
            "task": task,
            "anonymous": sent.validated_data["anonymous"],
            "words": sent.words,
            "with_firmness": sent.validated_data["firmness"],
        }
        try:
            with _Refusals():
                return _published(request, chosen, sent.validated_data)
        except RankingChangedError as error:
            return Response(PublishConflictSerializer({"detail": str(error)}).data, status=409)


def _published(request: Request, chosen: dict[str, Any], asked: Mapping[str, Any]) -> Response:
    """Answer a request that is in order: publish, or say what would be published or is awaited."""
    task, until = chosen["task"], asked["embargo_until"]
    version_check(asked["version"], task=task)
    awaited = _firmness_awaited(request, chosen, until)
    if awaited is not None:
        said = {"detail": _("Being computed"), "analysis": awaited.pk}
        return Response(said, status=202, headers={"Retry-After": "5"})
    if asked["dry_run"]:
        draft = published_draft(**chosen)
        embargo_check(until, now=draft.published_at)
        return Response(PublishedDraftSerializer(draft).data)
    result = result_publish(
        **chosen,
        by=reader(request),
        embargo_until=until,
        with_texts=asked["texts"],
        seen=asked["seen"],
        version=asked["version"],
    )
    return _answer(request, task, result.version, status=201)


def _firmness_awaited(
    request: Request, chosen: dict[str, Any], embargo_until: datetime | None
) -> Analysis | None:
    """Return what a worker computes for the result that is asked for; None where nothing is awaited."""
    if not chosen["with_firmness"]:
        return None
    task = chosen["task"]
    run = latest_run(task_id=task.pk)
    if run is None or firmness_is_known(run):
        return None
    # What is refused is refused before work is done for it.
    draft = published_draft(**chosen, run=run)
    embargo_check(embargo_until, now=draft.published_at)
    analysis = firmness_ask(task=task, run=run, by=reader(request))
    if analysis is None or analysis.finished_at is not None or has_failed(analysis):
        return None
    return analysis


class PublishedResultView(APIView):
    @extend_schema(operation_id="published_result", responses=PublishedResultSerializer)
    def get(self, request: Request, task_id: int, version: int) -> Response:
        """Return a version with its content."""
        return _answer(request, organised_task(request, task_id), version)

    @extend_schema(
        operation_id="published_result_change",
        request=PublishedChangesSerializer,
        responses=PublishedResultSerializer,
    )
    def patch(self, request: Request, task_id: int, version: int) -> Response:
        """Change who may see a version, or retract it; all of it or nothing."""
        task = organised_task(request, task_id)
        result = _found(task, version)
        sent = PublishedChangesSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with _Refusals(), transaction.atomic():
            _change(result, sent.validated_data)
        return _answer(request, task, version)


class ResultBundleView(APIView):
    @extend_schema(
        operation_id="published_result_bundle",
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, task_id: int, version: int) -> HttpResponseBase:
        """Return the bundle of a version, from which `reproduce` computes it again."""
        bundle = bundle_of(_found(organised_task(request, task_id), version))
        if bundle is None:
            raise NotFound(_("This version has no bundle yet."))
        name = f"bundle-{bundle.result.address}.zip"
        return StreamingHttpResponse(
            bundle_bytes(bundle),
            content_type="application/zip",
            headers={
                "Content-Length": str(bundle.size),
                "Content-Disposition": f'attachment; filename="{name}"',
                "Cache-Control": "no-store",
            },
        )

    @extend_schema(
        operation_id="published_result_bundle_make",
        request=BundleAskSerializer,
        responses={202: PublishedResultSerializer},
    )
    def post(self, request: Request, task_id: int, version: int) -> Response:
        """Have the bundle of a version made that has none. `bundle` of the version says when it is there."""
        task = organised_task(request, task_id)
        sent = BundleAskSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with _Refusals():
            result_bundle_ask(
                result=_found(task, version),
                with_texts=sent.validated_data["texts"],
                by=reader(request),
            )
        return _answer(request, task, version, status=202)


class _Refusals:
    """Answers what a service refuses with 400, at the field where there is one."""

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        if isinstance(error, PublishingRefusedError) and not isinstance(error, RankingChangedError):
            raise ValidationError({error.field or "result": [str(error)]}) from error


def _change(result: PublishedResult, changes: dict[str, Any]) -> None:
    if "embargo_until" in changes:
        result_embargo_change(result=result, until=changes["embargo_until"])
    if "reviewer_link" in changes:
        if changes["reviewer_link"]:
            result_reviewer_link_make(result=result)
        else:
            result_reviewer_link_end(result=result)
    if "retraction_reason" in changes:
        if changes["retraction_reason"]:
            result_retract(result=result, reason=changes["retraction_reason"])
        else:
            result_retraction_undo(result=result)


def _found(task: Task, version: int) -> PublishedResult:
    result: PublishedResult | None = versions_of(task_id=task.pk).filter(version=version).first()
    if result is None:
        raise NotFound(_("This test set has no such version."))
    return result


def _answer(request: Request, task: Task, version: int, status: int = 200) -> Response:
    context = {"request": request} | _rights(task)
    result = _found(task, version)
    return Response(PublishedResultSerializer(result, context=context).data, status=status)


def _rights(task: Any) -> dict[str, bool]:
    role = getattr(task, "role", None)
    return {"may_change": role is not None and MembershipRole(role).may_change}
