"""Read, answer and close the problem reports of a campaign; for its organisers."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers

from annotation.models import ProblemReply, ProblemReportKind
from annotation.pages.judgment_tables import ProblemReportFilter
from annotation.selectors.judgment_list import problem_reports_of
from annotation.services.problem_reports import (
    REPLY_LENGTH,
    problem_reply,
    problem_reply_take_back,
)
from campaign.api.filters import filter_parameters, filtered
from campaign.api.operations import Address, operation


class ProblemReplySerializer(serializers.Serializer[Any]):
    """A reply to a report; its text is empty if it withdraws another reply."""

    number = serializers.IntegerField(help_text="Number among the replies to this report, from 1.")
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


class OrganisersProblemReportSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    task = serializers.IntegerField(source="task_id")
    segment = serializers.IntegerField(source="block.segment.number")
    judge = serializers.CharField(source="judge.pseudonym")
    kind = serializers.ChoiceField(choices=ProblemReportKind.values)
    comment = serializers.CharField()
    created_at = serializers.DateTimeField()
    closed = serializers.BooleanField(source="is_closed")
    replies = ProblemReplySerializer(many=True)


class ProblemReplyRequestSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=REPLY_LENGTH,
        help_text="Shown to the judge. Do not name systems.",
    )
    closed = serializers.BooleanField(
        source="closes", default=True, help_text="False keeps the report open or reopens it."
    )
    seen = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=2**31 - 2,
        help_text="Number of replies you have read. 409 if there are more.",
    )


class ProblemReportsView(Address):
    @operation(
        "campaigns_problem_reports",
        OrganisersProblemReportSerializer(many=True),
        parameters=filter_parameters(ProblemReportFilter),
    )
    def get(self) -> QuerySet[Any, Any]:
        """List problem reports with their replies, newest first."""
        replies = ProblemReply.objects.select_related("created_by", "takes_back")
        rows = problem_reports_of(campaign=self.campaign).prefetch_related(
            Prefetch("replies", queryset=replies.order_by("number"))
        )
        return filtered(ProblemReportFilter, self.request, rows, campaign=self.campaign)


class ProblemRepliesView(Address):
    @operation(
        "campaigns_problem_reply",
        {201: ProblemReplySerializer},
        takes=ProblemReplyRequestSerializer,
    )
    def post(self, report_id: int) -> ProblemReply:
        """Reply to a report, close it, or reopen it."""
        report = get_object_or_404(problem_reports_of(campaign=self.campaign), pk=report_id)
        return problem_reply(report=report, user=self.user, **self.sent)


class ProblemReplyTakeBackView(Address):
    @operation("campaigns_problem_reply_take_back", {201: ProblemReplySerializer})
    def post(self, report_id: int, number: int) -> ProblemReply:
        """Withdraw a reply: the judge no longer sees it, and the report returns to its previous state."""
        replies = ProblemReply.objects.filter(
            report__task__test_set__campaign=self.campaign, report=report_id
        )
        reply = get_object_or_404(replies, number=number)
        return problem_reply_take_back(reply=reply, user=self.user)
