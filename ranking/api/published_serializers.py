"""What REST says of published results, and takes to publish one."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from ranking.models import PublishedResult, ResultBundle
from ranking.selectors.result_bundles import bundle_asked
from ranking.services.publishing import (
    LONGEST_WORDING,
    PublishedDraft,
    PublishedWords,
    PublishingRefusedError,
    wordings_of,
)

_TEXT: int = 5_000
_LINE: int = 300


class ResultBundleSerializer(serializers.Serializer[ResultBundle]):
    """The zip from which a result is computed again; it never changes once it is made."""

    is_made = serializers.BooleanField(
        help_text="Until then a worker makes it, and there is nothing to fetch."
    )
    texts = serializers.BooleanField(
        source="has_texts", help_text="Whether sources, references and outputs are in it."
    )
    bytes = serializers.IntegerField(source="size")
    sha256 = serializers.CharField(source="digest")
    url = serializers.SerializerMethodField(help_text="For everybody, once the result is open.")
    files = serializers.JSONField(help_text="Name, bytes and SHA-256 of each file in it.")
    error = serializers.CharField(
        source="job.error", default="", help_text="Why it could not be made."
    )

    def get_url(self, bundle: ResultBundle) -> str | None:
        """Return the address of the zip."""
        if not bundle.is_made:
            return None
        address = reverse("published-file", args=[bundle.result.address, "bundle.zip"])
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
        bundle = bundle_asked(result)
        if bundle is None:
            return None
        return dict(ResultBundleSerializer(bundle, context=self.context).data)

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
