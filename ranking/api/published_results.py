"""Published results of a task, for its members; the public version is at `url`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_task, reader
from campaign.api.pages import CursorPages
from campaign.export.downloads import streamed_download
from campaign.models import MembershipRole, Task
from campaign.selectors.exported_files import exported_bytes
from ranking.models import Analysis, PublishedResult
from ranking.selectors.published_results import versions_of
from ranking.selectors.runs import latest_run
from ranking.services.publishing.bundles import result_bundle_ask
from ranking.services.publishing.content import (
    PARTS,
    PublishedWords,
    answer_ask,
    answer_found,
    has_failed,
)
from ranking.services.publishing.naming import (
    LONGEST_WORDING,
)
from ranking.services.publishing.publish import (
    PublishedDraft,
    embargo_check,
    published_draft,
    result_embargo_change,
    result_publish,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
    version_check,
)

_TEXT: int = 5_000
_LINE: int = 300


class ResultBundleSerializer(serializers.Serializer[PublishedResult]):
    """The zip for recomputing a result. It never changes once created."""

    is_made = serializers.SerializerMethodField(help_text="False while a worker creates it.")
    texts = serializers.BooleanField(
        source="bundle_has_texts", help_text="Whether sources, references and outputs are included."
    )
    bytes = serializers.IntegerField(source="bundle.size", default=0)
    sha256 = serializers.CharField(source="bundle.digest", default="")
    url = serializers.SerializerMethodField(help_text="Public once the result is public.")
    files = serializers.JSONField(
        source="bundle_files", help_text="Name, size in bytes and SHA-256 of each file."
    )
    error = serializers.CharField(
        source="bundle_job.error", default="", help_text="Error if it could not be created."
    )

    def get_is_made(self, result: PublishedResult) -> bool:
        """Return whether it can be read."""
        return result.bundle_id is not None

    def get_url(self, result: PublishedResult) -> str | None:
        """Return the address of the zip."""
        if result.bundle_id is None:
            return None
        address = reverse("published-file", args=[result.address, "bundle.zip"])
        url: str = self.context["request"].build_absolute_uri(address)
        return url


class BundleAskSerializer(serializers.Serializer[Any]):
    texts = serializers.BooleanField(
        default=False, help_text="Include sources, references and outputs."
    )


class PublishedResultBriefSerializer(serializers.ModelSerializer[PublishedResult]):
    """A version and its visibility."""

    url = serializers.SerializerMethodField(help_text="Public page.")
    ranking = serializers.IntegerField(
        source="run_id", read_only=True, help_text="The saved ranking that it froze."
    )
    is_embargoed = serializers.BooleanField(read_only=True)
    reviewer_url = serializers.SerializerMethodField(
        help_text="Link for reviewers during an embargo; null if there is none, and for analysts."
    )
    bundle = serializers.SerializerMethodField(help_text="Null if none was requested.")

    class Meta:
        model = PublishedResult
        fields = [
            "version",
            "digest",
            "url",
            "ranking",
            "published_at",
            "is_embargoed",
            "embargo_until",
            "reviewer_url",
            "retracted_at",
            "retraction_reason",
            "bundle",
        ]
        read_only_fields = fields

    def get_url(self, result: PublishedResult) -> str:
        """Return the address of the public page."""
        return self._absolute(reverse("published-result", args=[result.address]))

    def get_reviewer_url(self, result: PublishedResult) -> str | None:
        """Return the link for reviewers."""
        if result.reviewer_token is None or not self.context["may_change"]:
            return None
        token = result.reviewer_token
        return self._absolute(reverse("published-review", args=[result.address, token]))

    @extend_schema_field(ResultBundleSerializer(allow_null=True))
    def get_bundle(self, result: PublishedResult) -> dict[str, Any] | None:
        """Return the bundle."""
        if result.bundle_has_texts is None:
            return None
        return dict(ResultBundleSerializer(result, context=self.context).data)

    def _absolute(self, address: str) -> str:
        url: str = self.context["request"].build_absolute_uri(address)
        return url


class PublishedResultSerializer(PublishedResultBriefSerializer):
    """A version with the content of its `result.json`."""

    content = serializers.JSONField(
        read_only=True, help_text="`digest` is the SHA-256 of its RFC 8785 form."
    )
    names = serializers.JSONField(
        source="labels", read_only=True, help_text="Published name of each system, by ID."
    )

    class Meta(PublishedResultBriefSerializer.Meta):
        fields = [*PublishedResultBriefSerializer.Meta.fields, "content", "names", "wordings"]
        read_only_fields = fields


class ReasonWordingSerializer(serializers.Serializer[Any]):
    """Replacement for a reason."""

    reason = serializers.CharField(
        max_length=_TEXT, trim_whitespace=False, help_text="The original reason."
    )
    wording = serializers.CharField(max_length=LONGEST_WORDING)


class PublishSerializer(serializers.Serializer[Any]):
    """Data published with the result."""

    anonymous = serializers.ListField(
        child=serializers.CharField(max_length=200),
        default=list,
        help_text="Systems to anonymize as “System A”, “System B” …",
    )
    authors = serializers.ListField(
        child=serializers.CharField(max_length=_LINE),
        default=list,
        help_text="Authors for the citation.",
    )
    acknowledgement = serializers.CharField(max_length=_TEXT, default="", allow_blank=True)
    contact = serializers.CharField(
        max_length=_LINE, default="", allow_blank=True, help_text="Contact for readers."
    )
    change_note = serializers.CharField(
        max_length=_TEXT,
        default="",
        allow_blank=True,
        help_text="Changes since the last version; not for the first version.",
    )
    wordings = ReasonWordingSerializer(
        many=True,
        default=list,
        help_text="Replacements for reasons of ranking settings, stopping rule and exclusions, if a system is "
        "anonymous. The result says that they were reworded.",
    )
    firmness = serializers.BooleanField(
        default=True,
        help_text="Include the number of judgments that decide first place. The answer is 202 while a worker "
        "computes it; false publishes without it.",
    )
    metrics = serializers.BooleanField(
        default=True,
        help_text="Include the agreement of metrics with judges, if the test set has metrics. As with firmness, the "
        "answer is 202 until it is computed.",
    )
    texts = serializers.BooleanField(
        default=False,
        help_text="Include sources, references and outputs in the public bundle.",
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Return the preview without publishing."
    )
    seen = serializers.CharField(
        max_length=64,
        default="",
        allow_blank=True,
        help_text="Value from a dry run; 409 if the result has changed since.",
    )
    version = serializers.IntegerField(
        min_value=1,
        default=None,
        allow_null=True,
        help_text="Expected version number; 409 if the next version is another one, so a repeated request does not "
        "publish twice.",
    )
    embargo_until = serializers.DateTimeField(
        default=None,
        allow_null=True,
        help_text="Null to publish immediately. This cannot be undone.",
    )

    @property
    def words(self) -> PublishedWords:
        """The texts in valid data."""
        sent = self.validated_data
        return PublishedWords(
            authors=tuple(sent["authors"]),
            acknowledgement=sent["acknowledgement"],
            contact=sent["contact"],
            change_note=sent["change_note"],
            wordings=sent["wordings"],
        )

    def validate_wordings(self, sent: list[dict[str, str]]) -> dict[str, str]:
        """Return other words by their reasons. Refuse two of one: the last one would silently count."""
        reasons = [each["reason"] for each in sent]
        for at, reason in enumerate(reasons):
            if reason in reasons[:at]:
                said = _("More than one replacement for “%(reason)s”.") % {"reason": reason}
                raise ValidationError(said)
        return {each["reason"]: each["wording"] for each in sent}


class PublishAwaitedSerializer(serializers.Serializer[Any]):
    """Not published yet: repeat the request."""

    detail = serializers.CharField(read_only=True)
    analysis = serializers.IntegerField(read_only=True, help_text="ID of the analysis in progress.")


class PublishedDraftSerializer(serializers.Serializer[PublishedDraft]):
    """Preview of the result."""

    version = serializers.IntegerField(read_only=True)
    seen = serializers.CharField(
        read_only=True, help_text="Send it to publish exactly this preview."
    )
    content = serializers.JSONField(read_only=True, help_text="`published_at` will differ.")
    names = serializers.JSONField(
        source="labels", read_only=True, help_text="Published name of each system, by ID."
    )
    wordings = serializers.JSONField(read_only=True, help_text="Published wording of each reason.")


class PublishConflictSerializer(serializers.Serializer[Any]):
    """Not published: the result or the version has changed."""

    detail = serializers.CharField(read_only=True)


class PublishedChangesSerializer(serializers.Serializer[Any]):
    """Changes to a version. Omitted fields keep their values."""

    embargo_until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Only while under embargo. Null makes it public; this cannot be undone.",
    )
    reviewer_link = serializers.BooleanField(
        required=False, help_text="True creates the link for reviewers, false disables it."
    )
    retraction_reason = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=_TEXT,
        help_text="Retracts the version; empty undoes the retraction.",
    )


class PublishedResultsView(generics.ListAPIView[PublishedResult]):
    """Published versions of a test set, newest first, without content."""

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
        """Publish the latest ranking as the next version.

        With `dry_run`, return a preview with 200. 409 if `seen` or `version` do not match.
        """
        task = organised_task(request, task_id)
        sent = PublishSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        chosen = {
            "task": task,
            "anonymous": sent.validated_data["anonymous"],
            "words": sent.words,
            "parts": [name for name in PARTS if sent.validated_data[name]],
        }
        return _published(request, chosen, sent.validated_data)


def _published(request: Request, chosen: dict[str, Any], asked: Mapping[str, Any]) -> Response:
    """Answer a valid request: publish, or return the preview or the pending analyses."""
    task, until = chosen["task"], asked["embargo_until"]
    version_check(asked["version"], task=task)
    awaited = _awaited(request, chosen, until)
    if awaited is not None:
        said = {"detail": "Being computed", "analysis": awaited.pk}
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


def _awaited(
    request: Request, chosen: dict[str, Any], embargo_until: datetime | None
) -> Analysis | None:
    """Return the analysis that the requested result waits for; None if there is none."""
    task, by = chosen["task"], reader(request)
    run = latest_run(task_id=task.pk)
    if run is None:
        return None
    lacking = [name for name in chosen["parts"] if answer_found(name, run=run) is None]
    if not lacking:
        return None
    # Check for refusals before starting computations.
    draft = published_draft(**chosen, run=run)
    embargo_check(embargo_until, now=draft.published_at)
    asked = [answer_ask(name, task=task, run=run, by=by) for name in lacking]
    return next(
        (each for each in asked if each and each.finished_at is None and not has_failed(each)), None
    )


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
        """Change the visibility of a version or retract it, all or nothing."""
        task = organised_task(request, task_id)
        result = _found(task, version)
        sent = PublishedChangesSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with transaction.atomic():
            _change(result, sent.validated_data)
        return _answer(request, task, version)


class ResultBundleView(APIView):
    @extend_schema(
        operation_id="published_result_bundle",
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, task_id: int, version: int) -> HttpResponseBase:
        """Return the bundle of a version, for the `reproduce` command."""
        bundle = _found(organised_task(request, task_id), version).bundle
        if bundle is None:
            raise NotFound(_("This version has no bundle yet."))
        return streamed_download(
            bundle.name, exported_bytes(bundle), {"Content-Length": str(bundle.size)}
        )

    @extend_schema(
        operation_id="published_result_bundle_make",
        request=BundleAskSerializer,
        responses={202: PublishedResultSerializer},
    )
    def post(self, request: Request, task_id: int, version: int) -> Response:
        """Create the bundle of a version that has none. `bundle` of the version shows when it is available."""
        task = organised_task(request, task_id)
        sent = BundleAskSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        result_bundle_ask(
            result=_found(task, version),
            with_texts=sent.validated_data["texts"],
            by=reader(request),
        )
        return _answer(request, task, version, status=202)


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
        raise NotFound("Version not found.")
    return result


def _answer(request: Request, task: Task, version: int, status: int = 200) -> Response:
    context = {"request": request} | _rights(task)
    result = _found(task, version)
    return Response(PublishedResultSerializer(result, context=context).data, status=status)


def _rights(task: Any) -> dict[str, bool]:
    role = getattr(task, "role", None)
    return {"may_change": role is not None and MembershipRole(role).may_change}
