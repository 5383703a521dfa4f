"""Published results of a test set, for its members; what everybody reads is at `url`."""

from collections.abc import Iterable, Mapping
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
    PublishedWords,
    firmness_ask,
    firmness_is_known,
    frozen_metrics,
    has_failed,
    metric_agreement_ask,
)
from ranking.services.publishing.naming import (
    LONGEST_WORDING,
    PublishingRefusedError,
    wordings_of,
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
    """The zip from which a result is computed again; it never changes once it is made."""

    is_made = serializers.SerializerMethodField(
        help_text="Until then a worker makes it, and there is nothing to fetch."
    )
    texts = serializers.BooleanField(
        source="bundle_has_texts", help_text="Whether sources, references and outputs are in it."
    )
    bytes = serializers.IntegerField(source="bundle.size", default=0)
    sha256 = serializers.CharField(source="bundle.digest", default="")
    url = serializers.SerializerMethodField(help_text="For everybody, once the result is open.")
    files = serializers.JSONField(
        source="bundle_files", help_text="Name, bytes and SHA-256 of each file in it."
    )
    error = serializers.CharField(
        source="bundle_job.error", default="", help_text="Why it could not be made."
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
        default=False, help_text="Sources, references and outputs are in it, too."
    )


class PublishedResultBriefSerializer(serializers.ModelSerializer[PublishedResult]):
    """A version, and who may see it."""

    url = serializers.SerializerMethodField(help_text="Of its page, for everybody.")
    ranking = serializers.IntegerField(
        source="run_id", read_only=True, help_text="The kept ranking that it froze."
    )
    is_embargoed = serializers.BooleanField(read_only=True)
    reviewer_url = serializers.SerializerMethodField(
        help_text="The link for reviewers, by which it is read under an embargo; null if there is none, "
        "and for analysts."
    )
    bundle = serializers.SerializerMethodField(help_text="Null if nobody has asked for one.")

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
    """A version with its content, as `result.json` at its address has it."""

    content = serializers.JSONField(
        read_only=True, help_text="`digest` is the SHA-256 of its text by RFC 8785."
    )
    names = serializers.JSONField(
        source="labels", read_only=True, help_text="What each system is called in it, by id."
    )

    class Meta(PublishedResultBriefSerializer.Meta):
        fields = [*PublishedResultBriefSerializer.Meta.fields, "content", "names", "wordings"]
        read_only_fields = fields


class ReasonWordingSerializer(serializers.Serializer[Any]):
    """What readers read in place of a reason."""

    reason = serializers.CharField(
        max_length=_TEXT, trim_whitespace=False, help_text="As it was given."
    )
    wording = serializers.CharField(max_length=LONGEST_WORDING)


class PublishSerializer(serializers.Serializer[Any]):
    """What is said beside the result."""

    anonymous = serializers.ListField(
        child=serializers.CharField(max_length=200),
        default=list,
        help_text="Names of systems that are called “System A”, “System B” … in it.",
    )
    authors = serializers.ListField(
        child=serializers.CharField(max_length=_LINE), default=list, help_text="For the citation."
    )
    acknowledgement = serializers.CharField(max_length=_TEXT, default="", allow_blank=True)
    contact = serializers.CharField(
        max_length=_LINE, default="", allow_blank=True, help_text="Whom readers may ask."
    )
    change_note = serializers.CharField(
        max_length=_TEXT,
        default="",
        allow_blank=True,
        help_text="What has changed since the last version; not of the first.",
    )
    wordings = ReasonWordingSerializer(
        many=True,
        default=list,
        help_text="Other words for reasons of the ranking settings, of the stopping rule and of exclusions, where "
        "a system is not named. The result says that they were reworded.",
    )
    firmness = serializers.BooleanField(
        default=True,
        help_text="How many judgments decide first place. Where that is not known yet, a worker is asked, and "
        "the answer is 202 until it is; false publishes without it.",
    )
    metrics = serializers.BooleanField(
        default=True,
        help_text="Include the agreement of metrics with judges, if the test set has metrics. As with firmness, the "
        "answer is 202 until it is computed.",
    )
    texts = serializers.BooleanField(
        default=False,
        help_text="Sources, references and outputs are in its bundle, which everybody can download.",
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Say what would be published, and publish nothing."
    )
    seen = serializers.CharField(
        max_length=64,
        default="",
        allow_blank=True,
        help_text="Of a dry run: where something else would be published now, the answer is 409.",
    )
    version = serializers.IntegerField(
        min_value=1,
        default=None,
        allow_null=True,
        help_text="Which version it is to be. Where another one is next, the answer is 409: a request that is "
        "sent again publishes nothing twice.",
    )
    embargo_until = serializers.DateTimeField(
        default=None, allow_null=True, help_text="Null: it is open to everybody at once, for good."
    )

    @property
    def words(self) -> PublishedWords:
        """What valid data says."""
        sent = self.validated_data
        return PublishedWords(
            authors=tuple(sent["authors"]),
            acknowledgement=sent["acknowledgement"],
            contact=sent["contact"],
            change_note=sent["change_note"],
            wordings=_wordings(sent["wordings"]),
        )

    def validate_wordings(self, sent: list[dict[str, str]]) -> list[dict[str, str]]:
        """Refuse two of one reason: the last one would silently count."""
        try:
            _wordings(sent)
        except PublishingRefusedError as error:
            raise ValidationError(str(error)) from error
        return sent


def _wordings(sent: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return wordings_of((each["reason"], each["wording"]) for each in sent)


class PublishAwaitedSerializer(serializers.Serializer[Any]):
    """Nothing was published yet: send the request again."""

    detail = serializers.CharField(read_only=True)
    analysis = serializers.IntegerField(
        read_only=True, help_text="The analysis that a worker computes."
    )


class PublishedDraftSerializer(serializers.Serializer[PublishedDraft]):
    """What would be published; nothing is yet."""

    version = serializers.IntegerField(read_only=True)
    seen = serializers.CharField(
        read_only=True, help_text="Sent with the request that publishes, it publishes just this."
    )
    content = serializers.JSONField(
        read_only=True, help_text="`published_at` in it will be another one."
    )
    names = serializers.JSONField(
        source="labels", read_only=True, help_text="What each system is called in it, by id."
    )
    wordings = serializers.JSONField(
        read_only=True, help_text="What stands in it for which reason that was given."
    )


class PublishConflictSerializer(serializers.Serializer[Any]):
    """Nothing was published: it would be something else, or another version."""

    detail = serializers.CharField(read_only=True)


class PublishedChangesSerializer(serializers.Serializer[Any]):
    """What changes of a version; what is not named stays."""

    embargo_until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Only while it is under an embargo. Null opens it to everybody, for good.",
    )
    reviewer_link = serializers.BooleanField(
        required=False, help_text="True makes the link for reviewers, false ends it."
    )
    retraction_reason = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=_TEXT,
        help_text="Retracts it; empty takes the retraction back.",
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
            "with_metrics": sent.validated_data["metrics"],
        }
        return _published(request, chosen, sent.validated_data)


def _published(request: Request, chosen: dict[str, Any], asked: Mapping[str, Any]) -> Response:
    """Answer a request that is in order: publish, or say what would be published or is awaited."""
    task, until = chosen["task"], asked["embargo_until"]
    version_check(asked["version"], task=task)
    awaited = _awaited(request, chosen, until)
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


def _awaited(
    request: Request, chosen: dict[str, Any], embargo_until: datetime | None
) -> Analysis | None:
    """Return what a worker computes for the result that is asked for; None where nothing is awaited."""
    task, by = chosen["task"], reader(request)
    run = latest_run(task_id=task.pk)
    if run is None:
        return None
    lacks_firmness = chosen["with_firmness"] and not firmness_is_known(run)
    lacks_metrics = chosen["with_metrics"] and frozen_metrics(run) is None
    if not (lacks_firmness or lacks_metrics):
        return None
    # What is refused is refused before work is done for it.
    draft = published_draft(**chosen, run=run)
    embargo_check(embargo_until, now=draft.published_at)
    asked = [
        firmness_ask(task=task, run=run, by=by) if lacks_firmness else None,
        metric_agreement_ask(task=task, run=run, by=by) if lacks_metrics else None,
    ]
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
        """Change who may see a version, or retract it; all of it or nothing."""
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
        """Return the bundle of a version, from which `reproduce` computes it again."""
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
        """Have the bundle of a version made that has none. `bundle` of the version says when it is there."""
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
        raise NotFound(_("This test set has no such version."))
    return result


def _answer(request: Request, task: Task, version: int, status: int = 200) -> Response:
    context = {"request": request} | _rights(task)
    result = _found(task, version)
    return Response(PublishedResultSerializer(result, context=context).data, status=status)


def _rights(task: Any) -> dict[str, bool]:
    role = getattr(task, "role", None)
    return {"may_change": role is not None and MembershipRole(role).may_change}
