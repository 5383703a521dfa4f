"""Shapes of the judges of a campaign."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.selectors.judges import StandingOfJudge
from campaign.export.judge_links import judge_links
from campaign.formats.judge_lists import MAX_BYTES
from campaign.models import Judge
from campaign.services import AddedList, CheckedList, RowState

#: What the description of the API has names for.
STANDINGS = [each.value for each in StandingOfJudge]
ROW_STATES = [each.value for each in RowState]


class CampaignJudgeSerializer(serializers.ModelSerializer[Judge]):
    name = serializers.SerializerMethodField(help_text="As they are greeted; empty if not given.")
    address = serializers.CharField(
        source="reached_at", read_only=True, help_text="Where they were invited; may be empty."
    )
    groups = serializers.ListField(
        source="group_names", child=serializers.CharField(), read_only=True
    )
    conflicts = serializers.ListField(
        source="conflict_names",
        child=serializers.CharField(),
        read_only=True,
        help_text="Names of systems of which they are lent nothing.",
    )
    state = serializers.ChoiceField(source="standing", choices=STANDINGS, read_only=True)
    seen_at = serializers.DateTimeField(read_only=True, allow_null=True)

    class Meta:
        model = Judge
        fields = [
            *("id", "pseudonym", "name", "address", "origin", "languages", "expertise", "groups"),
            *("conflicts", "blocks_asked", "state", "seen_at", "created_at"),
        ]
        read_only_fields = fields

    @extend_schema_field(serializers.CharField())
    def get_name(self, judge: Judge) -> str:
        is_given = judge.user is not None and judge.user.name != judge.pseudonym
        return judge.user.name if is_given and judge.user is not None else ""


class CampaignJudgeChangeSerializer(serializers.Serializer[Any]):
    """What is changed of a judge; what is not named stays."""

    address = serializers.EmailField(required=False, allow_blank=True)
    languages = serializers.ListField(
        child=serializers.CharField(max_length=35), required=False, max_length=200
    )
    expertise = serializers.ListField(
        child=serializers.CharField(max_length=60), required=False, max_length=200
    )
    groups = serializers.ListField(
        child=serializers.CharField(max_length=60),
        required=False,
        max_length=200,
        help_text="Names of groups.",
    )
    conflicts = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        max_length=1000,
        help_text="Names of systems, of all test sets that have one of that name.",
    )
    confirm = serializers.BooleanField(
        default=False, help_text="Needed where it changes the work they get."
    )


class JudgeEffectsSerializer(serializers.Serializer[Any]):
    """Answered with 409: nothing was changed."""

    words = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="What it would do now."
    )


class JudgeLinkRequestSerializer(serializers.Serializer[Any]):
    confirm = serializers.BooleanField(
        default=False, help_text="Needed; without it the answer is 409 and says what it would do."
    )


class JudgeLinkMadeSerializer(serializers.Serializer[Any]):
    link = serializers.CharField(read_only=True)
    expires_at = serializers.DateTimeField(read_only=True)


class JudgeListSerializer(serializers.Serializer[Any]):
    list = serializers.CharField(
        max_length=MAX_BYTES,
        trim_whitespace=False,
        help_text="Addresses one a line, with or without names; or CSV whose header names some of email, name, "
        "languages, expertise, groups, conflicts.",
    )
    dry_run = serializers.BooleanField(default=False)
    mail = serializers.BooleanField(
        default=False, help_text="Send each their link by e-mail instead of answering with it."
    )
    language = serializers.CharField(
        default=settings.LANGUAGE_CODE,
        max_length=35,
        help_text="Of the messages: one of the interface.",
    )
    note = serializers.CharField(default="", allow_blank=True, max_length=1000)

    def validate_language(self, tag: str) -> str:
        """Refuse a language that the interface does not have."""
        if tag not in dict(settings.LANGUAGES):
            raise serializers.ValidationError(_("There are no messages in this language."))
        return tag


class JudgeListRowSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(read_only=True)
    address = serializers.CharField(read_only=True)
    name = serializers.CharField(read_only=True)
    state = serializers.ChoiceField(choices=ROW_STATES, read_only=True)
    judge = serializers.CharField(
        read_only=True, help_text="Pseudonym of the judge who has this address, or has it now."
    )
    problems = serializers.ListField(child=serializers.CharField(), read_only=True)
    link = serializers.CharField(read_only=True, help_text="Empty unless it was just made.")


class JudgeListAnswerSerializer(serializers.Serializer[Any]):
    new = serializers.IntegerField(read_only=True)
    known = serializers.IntegerField(read_only=True, help_text="Left alone.")
    again = serializers.IntegerField(read_only=True, help_text="Addresses given before.")
    wrong = serializers.IntegerField(read_only=True)
    ignored_columns = serializers.ListField(child=serializers.CharField(), read_only=True)
    rows = JudgeListRowSerializer(many=True, read_only=True)


def answer_of(
    checked: CheckedList, *, added: AddedList | None = None, base_url: str = ""
) -> dict[str, Any]:
    """Return the answer to a list, checked or added."""
    judges = [] if added is None else list(added.judges)
    made = {id(each.row): each.judge.pseudonym for each in judges}
    links = (
        {}
        if added is None
        else {
            pseudonym: link for *_address, pseudonym, link in judge_links(added, base_url=base_url)
        }
    )
    rows = []
    for row in checked.rows:
        judge = row.known_as or made.get(id(row), "")
        rows.append(
            {
                "line": row.row.line,
                "address": row.row.address,
                "name": row.row.name,
                "state": row.state.value,
                "judge": judge,
                "problems": row.problems,
                "link": links.get(judge, ""),
            }
        )
    counts = {state.value: len(checked.of(state)) for state in RowState}
    answer = {**counts, "ignored_columns": checked.ignored, "rows": rows}
    shown: dict[str, Any] = JudgeListAnswerSerializer(answer).data
    return shown
