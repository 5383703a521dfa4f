"""Judgments, skips, comparisons and problem reports for the members of a campaign, paginated or as a file."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import F, Prefetch
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.serializers import AnswerField
from annotation.export.five_way import systems_shown
from annotation.models import (
    Judgment,
    JudgmentNumber,
    ProblemReply,
    ProblemReportKind,
    Skip,
)
from annotation.pages.judgment_tables import (
    JudgmentFilter,
    ProblemReportFilter,
    SkipFilter,
)
from annotation.protocols.answer_kinds import Answer, answer_kind_of, answers_read
from annotation.selectors.judgment_list import (
    Comparison,
    Outcome,
    comparison_matches,
    comparisons_of,
    counted_in_rankings,
    numbers_to_filter,
    problem_reports_of,
    skips_listed,
)
from annotation.services.numbers import judgments_number
from annotation.services.problem_reports import (
    REPLY_LENGTH,
    problem_reply,
    problem_reply_take_back,
)
from campaign.api.base import CampaignAPIView, TaskAPIView
from campaign.api.pagination import CursorPages
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Task


class JudgmentRecordSerializer(PlainSerializer):
    """A judgment with everything a ranking needs."""

    id = serializers.UUIDField(source="client_id")
    number = serializers.IntegerField(
        help_text="Number in the test set, from 1 without gaps.",
    )
    judge = serializers.CharField(source="judge.pseudonym")
    segment = serializers.IntegerField(
        source="block.segment.number",
        help_text="Number in the test set, from 1.",
    )
    document = serializers.CharField(source="block.segment.document.name")
    candidates = serializers.SerializerMethodField(
        help_text="In display order, each with the systems that produced the text.",
    )
    labels = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=5, allow_null=True),
        help_text="Rank of each candidate from 1 (best) to 5 (worst), or null; null where an answer does not order the candidates.",
    )
    answer = serializers.SerializerMethodField(
        help_text="The answer, from which the labels follow; null for rankings.",
    )
    duration_ms = serializers.IntegerField(
        allow_null=True,
        help_text="Time from display to submission in milliseconds.",
    )
    active_ms = serializers.IntegerField(
        allow_null=True,
        help_text="Time without breaks in milliseconds.",
    )
    played = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        allow_null=True,
        help_text="Share of each candidate's recording that was played, from 0 to 1; null without a recording.",
    )
    comment = serializers.CharField()
    submitted_at = serializers.DateTimeField()
    supersedes = serializers.UUIDField(
        source="supersedes.client_id",
        allow_null=True,
        default=None,
        help_text="The earlier judgment of the same judge and block that this one replaces.",
    )
    current = serializers.BooleanField(
        help_text="False if a later judgment (up to `until`, if given) supersedes it.",
    )
    control = serializers.CharField(
        source="block.control",
        help_text="“attention”, “training”, or empty. Controls do not count in rankings.",
    )
    rehearsal_of = serializers.CharField(
        allow_null=True,
        help_text="Campaign that a simulated judge rehearsed; null outside rehearsals.",
    )

    @extend_schema_field(AnswerField(allow_null=True))
    def get_answer(self, judgment: Judgment) -> Answer | None:
        answers: dict[int, Answer] = self.context["answers"]
        return answers.get(judgment.pk)

    def get_candidates(self, judgment: Judgment) -> list[list[str]]:
        names: dict[int, str] = self.context["names"]
        systems_by_block: dict[int, list[list[int]]] = self.context["systems"]
        return [
            [names[system] for system in systems]
            for systems in systems_by_block[judgment.block_id]
        ]


class UntilSerializer(PlainSerializer):
    until = serializers.IntegerField(
        required=False,
        min_value=0,
        help_text="Highest judgment number to include, such as a ranking's watermark.",
    )


class JudgmentsView(TaskAPIView):
    filterset_class = JudgmentFilter
    ordering = "number"

    @extend_schema(
        "tasks_judgments_list",
        parameters=[UntilSerializer],
        responses=JudgmentRecordSerializer(many=True),
    )
    def get(self, request: Request, task_id: int) -> Response:
        """List the judgments of a test set by number, including superseded ones."""
        query = UntilSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        until: int | None = query.validated_data.get("until")
        # Number waiting judgments first, so that every acknowledged judgment is included.
        judgments_number(task_id=self.task.pk)
        judgment_numbers = self.filter_queryset(numbers_to_filter(task=self.task))
        if until is not None:
            judgment_numbers = judgment_numbers.filter(number__lte=until)
        numbers: Any = self.paginate_queryset(judgment_numbers)
        records = judgments_recorded(numbers, task=self.task, until=until)
        kind = answer_kind_of(self.task)
        for record in records:
            record["answer"] = kind.named(record["answer"])
        return self.get_paginated_response(records)


def judgments_recorded(
    page: Sequence[JudgmentNumber],
    *,
    task: Task,
    until: int | None,
) -> list[dict[str, Any]]:
    """Return the records of the judgments with these numbers, in this order. A fixed number of queries.

    A judgment is current if no judgment up to number `until` supersedes it. If `until` is None, all
    judgments are considered.
    """
    recorded = _judgments_with_numbers(page, until)
    kind = answer_kind_of(task)
    for judgment in recorded:
        judgment.labels = list(kind.ranks(judgment.labels))
    context = {
        "systems": systems_shown(judgment.block_id for judgment in recorded),
        "answers": answers_read(
            task.protocol,
            [judgment.pk for judgment in recorded],
            is_record=True,
        ),
        "names": dict(task.test_set.systems.values_list("id", "name")),
    }
    return list(JudgmentRecordSerializer(recorded, many=True, context=context).data)


def _judgments_with_numbers(
    page: Sequence[JudgmentNumber],
    until: int | None,
) -> list[Judgment]:
    """Return the judgments with these numbers in this order, each with its `number` and whether it is `current`."""
    ids = [number.judgment_id for number in page]
    by_id = Judgment.objects.select_related(
        "judge",
        "block__segment__document",
        "supersedes",
    ).annotate(rehearsal_of=F("judge__campaign__rehearsal_of__slug"))
    judgments: dict[int, Any] = by_id.in_bulk(ids)
    later = JudgmentNumber.objects.filter(judgment__supersedes__in=ids)
    if until is not None:
        later = later.filter(number__lte=until)
    superseded = set(later.values_list("judgment__supersedes", flat=True))
    for number in page:
        judgment = judgments[number.judgment_id]
        judgment.number = number.number
        judgment.current = judgment.pk not in superseded
    return [judgments[id_] for id_ in ids]


class ComparisonFilter(JudgmentFilter):
    """Filters for the judgments from which comparisons are taken. Only judgments that count in rankings are listed."""

    counts = None  # type: ignore[assignment]  # removes the filter


class ComparisonSerializer(PlainSerializer):
    """Two outputs of a block compared by a judge, in display order unless `system` is given."""

    judgment = serializers.IntegerField(
        min_value=1,
        help_text="Number of the judgment.",
    )
    judge = serializers.CharField()
    segment = serializers.IntegerField(min_value=1)
    document = serializers.CharField()
    first = serializers.ListField(
        child=serializers.CharField(),
        help_text="Systems that produced this text.",
    )
    second = serializers.ListField(child=serializers.CharField())
    first_label = serializers.IntegerField(
        min_value=1,
        max_value=5,
        help_text="From 1 (best) to 5 (worst).",
    )
    second_label = serializers.IntegerField(min_value=1, max_value=5)
    outcome = serializers.ChoiceField(
        choices=Outcome.choices,
        help_text="Outcome for the first text.",
    )


class ComparisonPages(CursorPages):
    """Pagination by judgment: all comparisons of a judgment are on one page."""

    page_size_query_description = (
        "Judgments per page, each with all its comparisons. Default 100, at most 1,000."
    )


class ComparisonsView(TaskAPIView):
    filterset_class = ComparisonFilter
    pagination_class = ComparisonPages
    ordering = "number"

    @extend_schema("tasks_comparisons_list", responses=ComparisonSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the comparisons of the judgments that count, by judgment number.

        A judgment of five outputs gives ten; one of the best and the worst of them gives seven. With `system`, only its comparisons are listed, and it comes first.
        Use `exports/` to download all of them.
        """
        # Number waiting judgments first, so that every acknowledged judgment is included.
        judgments_number(task_id=self.task.pk)
        return self.paginated(
            self.filter_queryset(
                numbers_to_filter(task=self.task).filter(counted_in_rankings()),
            ),
            ComparisonSerializer,
        )

    def page_rows(self, page: Any) -> list[dict[str, Any]]:
        judgments = judgments_recorded(page, task=self.task, until=None)
        best_worst = answer_kind_of(self.task).best_worst
        parameters = self.request.query_params
        rows: list[dict[str, Any]] = []
        for judgment in judgments:
            rows.extend(_rows(judgment, parameters, best_worst=best_worst))
        return rows


def _rows(
    judgment: Mapping[str, Any],
    parameters: Mapping[str, str],
    *,
    best_worst: bool,
) -> Iterator[dict[str, object]]:
    labels = judgment["labels"]
    for comparison in comparisons_of(
        judgment["candidates"],
        labels,
        best_worst=best_worst,
    ):
        for turned in _matching_comparisons(comparison, parameters):
            yield {
                "judgment": judgment["number"],
                **{name: judgment[name] for name in ("judge", "segment", "document")},
                **{name: getattr(turned, name) for name in ("first", "second")},
                **{
                    name: getattr(turned, name)
                    for name in ("first_label", "second_label")
                },
                "outcome": turned.outcome,
            }


def _matching_comparisons(
    comparison: Comparison,
    parameters: Mapping[str, str],
) -> list[Comparison]:
    """Return the comparison if it matches the filter, turned so that the requested system comes first."""
    named = {name: parameters.get(name, "") for name in ("system", "other", "outcome")}
    if not named["system"]:
        return [comparison]
    turned_rows = []
    for turn in (comparison, comparison.turned()):
        if comparison_matches(turn, **named):
            turned_rows.append(turn)
    return turned_rows[:1]


class SkippedSerializer(serializers.ModelSerializer[Skip]):
    id = serializers.UUIDField(source="client_id")
    judge = serializers.CharField(source="judge.pseudonym")
    segment = serializers.IntegerField(source="block.segment.number")
    document = serializers.CharField(source="block.segment.document.name")
    judged_later = serializers.BooleanField(
        source="is_judged",
        help_text="True if the judge answered the sentence later.",
    )

    class Meta:
        model = Skip
        fields = [
            "id",
            "judge",
            "segment",
            "document",
            "reason",
            "comment",
            "duration_ms",
            "active_ms",
            "created_at",
            "judged_later",
        ]


class SkipsView(TaskAPIView):
    filterset_class = SkipFilter
    ordering = "id"

    @extend_schema("tasks_skips_list", responses=SkippedSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List skips with their reasons, oldest first."""
        return self.paginated(
            self.filter_queryset(skips_listed(task=self.task)),
            SkippedSerializer,
        )


class ProblemReplySerializer(PlainSerializer):
    """A reply to a report; its text is empty if it withdraws another reply."""

    number = serializers.IntegerField(
        help_text="Number among the replies to this report, from 1.",
    )
    text = serializers.CharField()
    closed = serializers.BooleanField(help_text="True if this reply closes the report.")
    takes_back = serializers.IntegerField(
        source="takes_back.number",
        allow_null=True,
        default=None,
        help_text="Number of the reply that this one takes back.",
    )
    created_by = serializers.CharField(source="created_by.name")
    created_at = serializers.DateTimeField()


class OrganisersProblemReportSerializer(PlainSerializer):
    id = serializers.IntegerField()
    task = serializers.IntegerField(source="task_id")
    segment = serializers.IntegerField(source="block.segment.number")
    judge = serializers.CharField(source="judge.pseudonym")
    kind = serializers.ChoiceField(choices=ProblemReportKind.values)
    comment = serializers.CharField()
    created_at = serializers.DateTimeField()
    closed = serializers.BooleanField(source="is_closed")
    replies = ProblemReplySerializer(many=True)


class ProblemReplyRequestSerializer(PlainSerializer):
    text = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=REPLY_LENGTH,
        help_text="Shown to the judge. Do not name systems.",
    )
    closed = serializers.BooleanField(
        source="closes",
        default=True,
        help_text="False keeps the report open or reopens it.",
    )
    seen = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=2**31 - 2,
        help_text="Number of replies you have read. 409 if there are more.",
    )


class ProblemReportsView(CampaignAPIView):
    filterset_class = ProblemReportFilter

    @extend_schema(
        "campaigns_problem_reports",
        responses=OrganisersProblemReportSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List problem reports with their replies, newest first."""
        replies = ProblemReply.objects.select_related("created_by", "takes_back")
        rows = problem_reports_of(campaign=self.campaign).prefetch_related(
            Prefetch("replies", queryset=replies.order_by("number")),
        )
        return self.paginated(
            self.filter_queryset(rows),
            OrganisersProblemReportSerializer,
        )

    def get_filterset_kwargs(self) -> dict[str, Any]:
        return {"campaign": self.campaign}


class ProblemRepliesView(CampaignAPIView):
    @extend_schema(
        "campaigns_problem_reply",
        request=ProblemReplyRequestSerializer,
        responses={201: ProblemReplySerializer},
    )
    def post(self, request: Request, slug: str, report_id: int) -> Response:
        """Reply to a report, close it, or reopen it."""
        data = self.validated(ProblemReplyRequestSerializer)
        report = get_object_or_404(
            problem_reports_of(campaign=self.campaign),
            pk=report_id,
        )
        return self.serialized(
            problem_reply(report=report, user=self.user, **data),
            ProblemReplySerializer,
            status=201,
        )


class ProblemReplyTakeBackView(CampaignAPIView):
    @extend_schema(
        "campaigns_problem_reply_take_back",
        request=None,
        responses={201: ProblemReplySerializer},
    )
    def post(
        self,
        request: Request,
        slug: str,
        report_id: int,
        number: int,
    ) -> Response:
        """Withdraw a reply: the judge no longer sees it, and the report returns to its previous state."""
        replies = ProblemReply.objects.filter(
            report__task__test_set__campaign=self.campaign,
            report=report_id,
        )
        reply = get_object_or_404(replies, number=number)
        return self.serialized(
            problem_reply_take_back(reply=reply, user=self.user),
            ProblemReplySerializer,
            status=201,
        )
