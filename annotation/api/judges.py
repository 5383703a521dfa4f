"""Judges of a campaign: list them, add many, change which work they get, and replace links."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.serializers import ChangeEffectsSerializer, ConfirmChangeSerializer
from annotation.pages.judges import CampaignJudgeFilter
from annotation.selectors.effects import judge_change_in_words
from annotation.selectors.judges import StandingOfJudge, campaign_judges
from campaign.api.base import CampaignAPIView, refused_at, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.serializers import MessageSerializer
from campaign.export.downloads import judge_links
from campaign.formats import FormatError
from campaign.formats.isolation import isolated
from campaign.formats.judge_lists import MAX_BYTES, judge_list_read
from campaign.models import Campaign, Judge, JudgeGroup, System
from campaign.selectors.credentials import judge_access
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.judge_groups import group_name_key
from campaign.services.judge_lists import (
    CheckedList,
    JudgeListRefusedError,
    RowState,
    judge_list_add,
    judge_list_check,
)
from campaign.services.judges import JudgeChanges, judge_change, judge_link_replace

#: Enum values named in the API description.
STANDINGS = [standing_of_judge.value for standing_of_judge in StandingOfJudge]
ROW_STATES = [row_state.value for row_state in RowState]


class CampaignJudgeSerializer(serializers.ModelSerializer[Judge]):
    name = serializers.SerializerMethodField(help_text="Display name; may be empty.")
    address = serializers.CharField(
        source="reached_at",
        read_only=True,
        help_text="Address of the invitation; may be empty.",
    )
    groups = serializers.ListField(
        source="group_names",
        child=serializers.CharField(),
        read_only=True,
    )
    conflicts = serializers.ListField(
        source="conflict_names",
        child=serializers.CharField(),
        read_only=True,
        help_text="Names of systems whose outputs the judge never gets.",
    )
    state = serializers.ChoiceField(
        source="standing",
        choices=STANDINGS,
        read_only=True,
    )
    seen_at = serializers.DateTimeField(read_only=True, allow_null=True)

    class Meta:
        model = Judge
        fields = [
            "id",
            "pseudonym",
            "name",
            "address",
            "origin",
            "languages",
            "expertise",
            "groups",
            "conflicts",
            "blocks_asked",
            "state",
            "seen_at",
            "created_at",
        ]
        read_only_fields = fields

    def get_name(self, judge: Judge) -> str:
        is_given = judge.user is not None and judge.user.name != judge.pseudonym
        if is_given and judge.user is not None:
            return judge.user.name
        return ""


class CampaignJudgeChangeSerializer(PlainSerializer):
    """Change the given fields of a judge, and leave the others as they are."""

    address = serializers.EmailField(required=False, allow_blank=True)
    languages = serializers.ListField(
        child=serializers.CharField(max_length=35),
        required=False,
        max_length=200,
    )
    expertise = serializers.ListField(
        child=serializers.CharField(max_length=60),
        required=False,
        max_length=200,
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
        help_text="Names of systems, in all test sets that have them.",
    )
    confirm = serializers.BooleanField(
        default=False,
        help_text="Required if it changes the judge's work. Without it, 409 returns the effects.",
    )


class JudgeLinkMadeSerializer(PlainSerializer):
    link = serializers.CharField(read_only=True)
    expires_at = serializers.DateTimeField(read_only=True)


class JudgeListSerializer(MessageSerializer):
    list = serializers.CharField(
        max_length=MAX_BYTES,
        trim_whitespace=False,
        help_text="One judge per line, with or without a name, or CSV with any of the columns email, name, languages, expertise, groups, conflicts; of a machine judge: name, machine (true), version, prompt, settings, asked_twice.",
    )
    dry_run = serializers.BooleanField(default=False)
    mail = serializers.BooleanField(
        default=False,
        help_text="Send the links by e-mail instead of returning them.",
    )


class JudgeListRowSerializer(PlainSerializer):
    line = serializers.IntegerField(read_only=True)
    address = serializers.CharField(read_only=True)
    name = serializers.CharField(read_only=True)
    machine = serializers.BooleanField(
        read_only=True,
        help_text="Whether the row is about a machine judge.",
    )
    state = serializers.ChoiceField(choices=ROW_STATES, read_only=True)
    judge = serializers.CharField(
        read_only=True,
        help_text="Pseudonym of the judge with this address; name and version of the machine judge that was already there.",
    )
    problems = serializers.ListField(child=serializers.CharField(), read_only=True)
    link = serializers.CharField(
        read_only=True,
        help_text="Only for judges just added.",
    )


class JudgeListAnswerSerializer(PlainSerializer):
    new = serializers.IntegerField(read_only=True)
    known = serializers.IntegerField(
        read_only=True,
        help_text="Judges who were already there.",
    )
    again = serializers.IntegerField(read_only=True, help_text="Duplicate rows.")
    wrong = serializers.IntegerField(read_only=True)
    ignored_columns = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
    )
    rows = JudgeListRowSerializer(many=True, read_only=True)


class _JudgeAPIView(CampaignAPIView):
    ordering = "pseudonym"

    def judge(self, judge_id: int) -> Judge:
        judge: Judge = row_or_404(
            campaign_judges(campaign=self.campaign),
            "Judge not found.",
            pk=judge_id,
        )
        judge.campaign = self.campaign
        return judge


class CampaignJudgesView(_JudgeAPIView):
    filterset_class = CampaignJudgeFilter

    @extend_schema(
        "campaigns_judges_list",
        responses=CampaignJudgeSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the judges of a campaign by pseudonym, for its organisers."""
        return self.paginated(
            self.filter_queryset(campaign_judges(campaign=self.campaign)),
            CampaignJudgeSerializer,
        )

    @extend_schema(
        "campaign_judges_add",
        request=JudgeListSerializer,
        responses={201: JudgeListAnswerSerializer, 200: JudgeListAnswerSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a list of judges, all or none; with `dry_run`, only check each row (200).

        The links of new judges are returned only once, or not at all if they are sent by e-mail.
        400 with the rows if any of them has errors.
        """
        sent = self.validated(JudgeListSerializer)
        text = sent["list"]
        with refused_at("list", FormatError):
            judges = isolated("list", len(text), partial(judge_list_read, text))
        if sent["dry_run"]:
            checked = judge_list_check(
                campaign=self.campaign,
                judges=judges,
                needs_addresses=bool(sent["mail"]),
            )
            return self.serialized(_answer(checked, {}), JudgeListAnswerSerializer)
        base_url = request.build_absolute_uri("/")
        mail = {
            "base_url": base_url,
            "language": sent["language"],
            "note": sent["note"],
        }
        try:
            added = judge_list_add(
                campaign=self.campaign,
                judges=judges,
                mail=mail if sent["mail"] else None,
                by=self.user,
            )
        except JudgeListRefusedError as error:
            lines = [
                f"Line {row.row.line}: {' '.join(row.problems)}"
                for row in error.checked.rows
                if row.problems
            ]
            raise ValidationError({"list": [str(error), *lines]}) from error
        links = {
            name: link
            for *_address, name, link in judge_links(added, base_url=base_url)
        }
        return self.serialized(
            _answer(added, links),
            JudgeListAnswerSerializer,
            status=201,
        )


def _answer(checked: CheckedList, links: dict[str, str]) -> dict[str, object]:
    """Return the response for a list that was checked or added; `links` maps new judges' pseudonyms to links."""
    rows = []
    for row in checked.rows:
        judge = row.known_as
        if row.judge is not None:
            judge = row.judge.pseudonym
        rows.append(
            {
                "line": row.row.line,
                "address": row.row.address,
                "name": row.row.name,
                "machine": row.row.machine is not None,
                "state": row.state.value,
                "judge": judge,
                "problems": row.problems,
                "link": links.get(judge, ""),
            },
        )
    counts = {state.value: len(checked.of(state)) for state in RowState}
    return {**counts, "ignored_columns": checked.ignored, "rows": rows}


class CampaignJudgeView(_JudgeAPIView):
    @extend_schema("campaign_judge", responses=CampaignJudgeSerializer)
    def get(self, request: Request, slug: str, judge_id: int) -> Response:
        """Return a judge, for organisers of the campaign."""
        return self.serialized(self.judge(judge_id), CampaignJudgeSerializer)

    @extend_schema(
        "campaign_judge_change",
        request=CampaignJudgeChangeSerializer,
        responses={200: CampaignJudgeSerializer, 409: ChangeEffectsSerializer},
    )
    def patch(self, request: Request, slug: str, judge_id: int) -> Response:
        """Change a judge. Missing fields keep their value, and lists replace the previous ones.

        409 without `confirm` if the change affects their work.
        """
        data = self.validated(CampaignJudgeChangeSerializer)
        judge = self.judge(judge_id)
        changes = judge_changes(self.campaign, judge, data)
        if not data.get("confirm"):
            sentences = judge_change_in_words(
                judge=Judge.objects.get(pk=judge.pk),
                change=lambda: judge_change(
                    judge=Judge.objects.get(pk=judge.pk),
                    changes=changes,
                ),
            )
            if sentences:
                return Response({"words": sentences}, status=409)
        judge_change(judge=Judge.objects.get(pk=judge.pk), changes=changes)
        return self.serialized(self.judge(judge_id), CampaignJudgeSerializer)


def judge_changes(
    campaign: Campaign,
    judge: Judge,
    sent: dict[str, Any],
) -> JudgeChanges:
    """Return the changes that were sent. Raises ValidationError for unknown groups and systems."""
    expertise = None
    if "expertise" in sent:
        expertise = sorted({tag.lower() for tag in sent["expertise"]})
    groups = None
    if "groups" in sent:
        groups = _groups_named(campaign, sent["groups"])
    changes = JudgeChanges(
        address=sent.get("address"),
        languages=sent.get("languages"),
        expertise=expertise,
        groups=groups,
    )
    if "conflicts" not in sent:
        return changes
    conflicting = _systems_named(campaign, sent["conflicts"])
    there = set(System.objects.filter(conflicts__judge=judge))
    # A conflict is kept if its system is named again, even if the system belongs to another
    # test set.
    remaining = {system for system in there if system.name in sent["conflicts"]}
    remaining_names = {system.name for system in remaining}
    return replace(
        changes,
        conflicts=[
            system for system in conflicting if system.name not in remaining_names
        ],
        no_conflicts=there - remaining,
    )


def _groups_named(campaign: Campaign, names: list[str]) -> list[JudgeGroup]:
    present = JudgeGroup.objects.present().filter(campaign=campaign)
    by_name = {group_name_key(group.name): group for group in present}
    return [
        _row_by_name(by_name, group_name_key(name), "groups", name) for name in names
    ]


def _systems_named(campaign: Campaign, names: list[str]) -> set[System]:
    """Return all systems with these names; test sets have systems of the same name."""
    by_name: dict[str, list[System]] = {}
    for system in System.objects.filter(test_set__campaign=campaign).order_by("id"):
        by_name.setdefault(system.name, []).append(system)
    systems = set()
    for name in names:
        systems.update(_row_by_name(by_name, name, "conflicts", name))
    return systems


_T = TypeVar("_T")


def _row_by_name(rows_by_name: Mapping[str, _T], key: str, field: str, name: str) -> _T:
    if key not in rows_by_name:
        raise ValidationError({field: [f"“{name}” not found."]})
    return rows_by_name[key]


class CampaignJudgeLinkView(_JudgeAPIView):
    @extend_schema(
        "campaign_judge_link",
        request=ConfirmChangeSerializer,
        responses={201: JudgeLinkMadeSerializer, 409: ChangeEffectsSerializer},
    )
    def post(self, request: Request, slug: str, judge_id: int) -> Response:
        """Replace all links of a judge with a new one, which is returned only once. 409 without `confirm`."""
        data = self.validated(ConfirmChangeSerializer)
        judge = self.judge(judge_id)
        if not data["confirm"]:
            sentences = [
                f"Links that stop working: {judge_access(judge=judge).links}.",
                _("Browsers already signed in stay signed in."),
            ]
            return Response({"words": sentences}, status=409)
        with refused_at("body", CredentialRefusedError):
            link, token = judge_link_replace(judge=judge, by=self.user)
        address = request.build_absolute_uri(reverse("invitation", args=[token]))
        return self.serialized(
            {"link": address, "expires_at": link.expires_at},
            JudgeLinkMadeSerializer,
            status=201,
        )
