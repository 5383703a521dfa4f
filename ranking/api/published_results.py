"""Published results of a task, for its members; the public version is at `url`."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import TaskAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.export.downloads import streamed_download
from campaign.models import MembershipRole, Task, User
from campaign.selectors.exported_files import exported_bytes
from ranking.models import Analysis, PublishedResult
from ranking.selectors.published_results import versions_of
from ranking.selectors.runs import latest_run
from ranking.services.published_results.bundles import result_bundle_ask
from ranking.services.published_results.content import FrontMatter
from ranking.services.published_results.naming import LONGEST_WORDING
from ranking.services.published_results.publish import (
    PublishedDraft,
    ResultChoices,
    embargo_check,
    is_publishable,
    published_draft,
    result_embargo_change,
    result_publish,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
    version_check,
)
from ranking.services.published_results.sections import (
    PARTS,
    ChosenSections,
    has_failed,
    section_answer,
    unfinished_ask,
)

_TEXT: int = 5_000
_LINE: int = 300


class ResultBundleSerializer(serializers.Serializer[PublishedResult]):
    """The zip for recomputing a result. It never changes once created."""

    is_made = serializers.SerializerMethodField(
        help_text="False while judging continues or a worker creates it.",
    )
    texts = serializers.BooleanField(
        source="bundle_has_texts",
        help_text="Whether sources, references and outputs are included.",
    )
    bytes = serializers.IntegerField(source="bundle.size", default=0)
    sha256 = serializers.CharField(source="bundle.digest", default="")
    url = serializers.SerializerMethodField(
        help_text="Public once the result is public.",
    )
    files = serializers.JSONField(
        source="bundle_files",
        help_text="Name, size in bytes and SHA-256 of each file.",
    )
    error = serializers.CharField(
        source="bundle_job.error",
        default="",
        help_text="Error if it could not be created.",
    )

    def get_is_made(self, result: PublishedResult) -> bool:
        """Return whether the zip is available."""
        return result.bundle_id is not None

    def get_url(self, result: PublishedResult) -> str | None:
        """Return the address of the zip."""
        if result.bundle_id is None:
            return None
        address = reverse("published-file", args=[result.address, "bundle.zip"])
        url: str = self.context["request"].build_absolute_uri(address)
        return url


class BundleAskSerializer(PlainSerializer):
    texts = serializers.BooleanField(
        default=False,
        help_text="Include sources, references and outputs.",
    )


class PublishedResultBriefSerializer(serializers.ModelSerializer[PublishedResult]):
    """A version and its visibility."""

    url = serializers.SerializerMethodField(help_text="Public page.")
    ranking = serializers.IntegerField(
        source="run_id",
        read_only=True,
        help_text="The saved ranking that it froze.",
    )
    is_embargoed = serializers.BooleanField(read_only=True)
    reviewer_url = serializers.SerializerMethodField(
        help_text="Link for reviewers during an embargo; null if there is none, and for analysts.",
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
        if not result.reviewer_token or not self.context["may_change"]:
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
        read_only=True,
        help_text="`digest` is the SHA-256 of its RFC 8785 form.",
    )
    names = serializers.JSONField(
        source="labels",
        read_only=True,
        help_text="Published name of each system, by ID.",
    )

    class Meta(PublishedResultBriefSerializer.Meta):
        fields = [
            *PublishedResultBriefSerializer.Meta.fields,
            "content",
            "names",
            "wordings",
        ]
        read_only_fields = fields


class ReasonWordingSerializer(PlainSerializer):
    """Replacement for a reason."""

    reason = serializers.CharField(
        max_length=_TEXT,
        trim_whitespace=False,
        help_text="The original reason.",
    )
    wording = serializers.CharField(max_length=LONGEST_WORDING)


class PublishSerializer(PlainSerializer):
    """Data to publish with the result."""

    anonymous = serializers.ListField(
        child=serializers.CharField(max_length=200),
        default=list,
        help_text="Systems to anonymise as “System A”, “System B” …",
    )
    authors = serializers.ListField(
        child=serializers.CharField(max_length=_LINE),
        default=list,
        help_text="Authors for the citation.",
    )
    acknowledgement = serializers.CharField(
        max_length=_TEXT,
        default="",
        allow_blank=True,
    )
    contact = serializers.CharField(
        max_length=_LINE,
        default="",
        allow_blank=True,
        help_text="Contact for readers.",
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
    predicted_ranking = serializers.BooleanField(
        default=False,
        help_text="Include the latest prediction-powered ranking of the same judgments, metrics and machine judges, or one "
        "by the metric or machine judge that saves the most judgments. As with firmness, the answer is 202 until it is computed.",
    )
    completed_by = serializers.CharField(
        max_length=500,
        default="",
        allow_blank=True,
        help_text="Name of the metric or machine judge of the prediction-powered ranking, as in the analysis `metrics`; "
        "empty for the one described there. 400 if there is none.",
    )
    texts = serializers.BooleanField(
        default=False,
        help_text="Include sources, references and outputs in the public bundle.",
    )
    dry_run = serializers.BooleanField(
        default=False,
        help_text="Return the preview without publishing.",
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

    def validate_wordings(self, sent: list[dict[str, str]]) -> dict[str, str]:
        """Return rewordings by reason. Refuse two for one reason, because the last one would silently win."""
        wordings: dict[str, str] = {}
        for row in sent:
            reason = row["reason"]
            if reason in wordings:
                message = _("More than one replacement for “%(reason)s”.")
                raise ValidationError(message % {"reason": reason})
            wordings[reason] = row["wording"]
        return wordings


class PublishAwaitedSerializer(PlainSerializer):
    """Not published yet: repeat the request."""

    detail = serializers.CharField(read_only=True)
    analysis = serializers.IntegerField(
        read_only=True,
        help_text="ID of the analysis in progress.",
    )


class PublishedDraftSerializer(serializers.Serializer[PublishedDraft]):
    """Preview of the result."""

    version = serializers.IntegerField(read_only=True)
    seen = serializers.CharField(
        source="fingerprint",
        read_only=True,
        help_text="Send it to publish exactly this preview.",
    )
    content = serializers.JSONField(
        read_only=True,
        help_text="`published_at` will differ.",
    )
    names = serializers.JSONField(
        source="labels",
        read_only=True,
        help_text="Published name of each system, by ID.",
    )
    wordings = serializers.JSONField(
        read_only=True,
        help_text="Published wording of each reason.",
    )


class PublishedChangesSerializer(PlainSerializer):
    """Changes to a version. Omitted fields keep their values."""

    embargo_until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Only while under embargo. Null makes it public; this cannot be undone.",
    )
    reviewer_link = serializers.BooleanField(
        required=False,
        help_text="True creates the link for reviewers, false disables it.",
    )
    retraction_reason = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=_TEXT,
        help_text="Retracts the version; empty undoes the retraction.",
    )


class _ResultAPIView(TaskAPIView):
    def get_serializer_context(self) -> dict[str, Any]:
        task: Any = self.task
        may_change = MembershipRole(task.role).may_change
        return {**super().get_serializer_context(), "may_change": may_change}

    def result(self, version: int) -> PublishedResult:
        versions: QuerySet[PublishedResult] = versions_of(task_id=self.task.pk)
        return row_or_404(versions, "Version not found.", version=version)


class PublishedResultsView(_ResultAPIView):
    @extend_schema(
        "tasks_published_results_list",
        responses=PublishedResultBriefSerializer(many=True),
    )
    def get(self, request: Request, task_id: int) -> Response:
        """List the published versions of a test set, newest first, without content."""
        return self.paginated(
            versions_of(task_id=self.task.pk).defer("content", "labels", "wordings"),
            PublishedResultBriefSerializer,
        )

    @extend_schema(
        "published_results_publish",
        request=PublishSerializer,
        responses={
            201: PublishedResultSerializer,
            200: PublishedDraftSerializer,
            202: PublishAwaitedSerializer,
        },
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Publish the latest ranking as the next version.

        With `dry_run`, return a preview with 200. 409 if `seen` or `version` do not match.
        """
        data = self.validated(PublishSerializer)
        until = data["embargo_until"]
        version_check(data["version"], task=self.task)
        front_matter = FrontMatter(
            authors=tuple(data["authors"]),
            acknowledgement=data["acknowledgement"],
            contact=data["contact"],
            change_note=data["change_note"],
            wordings=data["wordings"],
        )
        choices = ResultChoices(
            anonymous=data["anonymous"],
            front_matter=front_matter,
            sections=ChosenSections(
                names=tuple(name for name in PARTS if data[name]),
                completed_by=data["completed_by"],
            ),
            with_texts=data["texts"],
        )
        awaited = _pending_analysis(self.user, self.task, choices, until)
        if awaited is not None:
            pending = {"detail": "Being computed", "analysis": awaited.pk}
            return Response(pending, status=202, headers={"Retry-After": "5"})
        if data["dry_run"]:
            draft = published_draft(task=self.task, choices=choices)
            embargo_check(until, now=draft.published_at)
            return self.serialized(draft, PublishedDraftSerializer)
        result = result_publish(
            task=self.task,
            by=self.user,
            choices=choices,
            embargo_until=until,
            fingerprint=data["seen"],
            version=data["version"],
        )
        return self.serialized(
            self.result(result.version),
            PublishedResultSerializer,
            status=201,
        )


def _pending_analysis(
    by: User,
    task: Task,
    choices: ResultChoices,
    embargo_until: datetime | None,
) -> Analysis | None:
    """Return the pending analysis that the requested result includes; None if there is none."""
    run = latest_run(task_id=task.pk)
    if run is None:
        return None
    sections = choices.sections
    lacking = ["answers"]
    if is_publishable(run):
        lacking = []
        for name in sections.names:
            if section_answer(name, run=run, chosen=sections) is None:
                lacking.append(name)
        if not lacking:
            return None
        # Check for refusals before starting computations.
        draft = published_draft(task=task, choices=choices, run=run)
        embargo_check(embargo_until, now=draft.published_at)
    for analysis in unfinished_ask(
        lacking,
        task=task,
        run=run,
        by=by,
        chosen=sections,
    ):
        if not has_failed(analysis):
            return analysis
    return None


class PublishedResultView(_ResultAPIView):
    @extend_schema("published_result", responses=PublishedResultSerializer)
    def get(self, request: Request, task_id: int, version: int) -> Response:
        """Return a version with its content."""
        return self.serialized(self.result(version), PublishedResultSerializer)

    @extend_schema(
        "published_result_change",
        request=PublishedChangesSerializer,
        responses=PublishedResultSerializer,
    )
    def patch(self, request: Request, task_id: int, version: int) -> Response:
        """Change the visibility of a version or retract it, all or nothing."""
        data = self.validated(PublishedChangesSerializer)
        result = self.result(version)
        with transaction.atomic():
            _change(result, data)
        return self.serialized(self.result(version), PublishedResultSerializer)


class PublishedBundleView(_ResultAPIView):
    sends_file = True

    @extend_schema(
        "published_result_bundle",
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, task_id: int, version: int) -> HttpResponseBase:
        """Return the bundle of a version, for the `reproduce` command."""
        bundle = self.result(version).bundle
        if bundle is None:
            raise NotFound(_("This version has no bundle yet."))
        return streamed_download(
            bundle.name,
            exported_bytes(bundle),
            {"Content-Length": str(bundle.size)},
        )

    @extend_schema(
        "published_result_bundle_make",
        request=BundleAskSerializer,
        responses={202: PublishedResultSerializer},
    )
    def post(self, request: Request, task_id: int, version: int) -> Response:
        """Create the bundle of a version that has none, once judging has ended. `bundle` of the version shows when it is available."""
        data = self.validated(BundleAskSerializer)
        result_bundle_ask(
            result=self.result(version),
            with_texts=data["texts"],
            by=self.user,
        )
        return self.serialized(
            self.result(version),
            PublishedResultSerializer,
            status=202,
        )


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
