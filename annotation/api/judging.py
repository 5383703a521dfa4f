"""Judging API, used by the judging page: work, answers, problem reports, and a judge's earlier answers.

Assignments and judgments are built in the shape of the serializers that describe them, which a test compares. Passing
them through these serializers would cost 0.7 ms more per judged block.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, Final, cast
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.machine_judging import (
    MachinePace,
    machine_answer_data,
    machine_next,
)
from annotation.api.serializers import (
    COMMENT_LENGTH,
    AssignmentRequestSerializer,
    AssignmentSerializer,
    BlockDocumentSerializer,
    BlockSerializer,
    JudgmentRequestSerializer,
    JudgmentSerializer,
    LanguagesSerializer,
    NotYetSerializer,
    PausedSerializer,
    ProgressSerializer,
    RefusalSerializer,
    RulesField,
    SkipRequestSerializer,
    SkipSerializer,
    protocol_field,
)
from annotation.models import Judgment, MachineJudgment, ProblemReportKind, Skip
from annotation.models.judge_measures import JudgeMeasure
from annotation.protocols.answer_kinds import answer_kind, answer_of, texts_beside
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judges import JudgeStanding, JudgeStatus
from annotation.selectors.judging import (
    assigned_block,
    assignments_taken_back,
    has_older_done_blocks,
    judge_assigned,
    judge_of_user,
    own_done_blocks,
    own_done_blocks_data,
)
from annotation.selectors.judgment_list import OWN_REPORTS_SHOWN, own_problem_reports
from annotation.selectors.machines import block_of_machine
from annotation.selectors.progress import judge_work
from annotation.selectors.shown import assignment_data, document_of_block
from annotation.selectors.shown_data import AssignmentShown, ProgressShown
from annotation.selectors.training import training_feedback
from annotation.services.lending.lend import (
    LendingRefusedError,
    LentAssignment,
    assignment_lend,
)
from annotation.services.lending.work_requests import (
    NoWork,
    NoWorkReason,
    lending_stopped,
    reason_to_stop,
    work_request,
)
from annotation.services.machines import SentByMachine, machine_judgment_submit
from annotation.services.panels import panel_participation_refresh
from annotation.services.problem_reports import problem_report
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.accounts.browsers import activity_record
from campaign.api.authentication import machine_of
from campaign.api.base import BaseAPIView
from campaign.api.pagination import CursorPages
from campaign.api.plain_serializer import PlainSerializer
from campaign.database.logged import judge_logged
from campaign.export.downloads import media_answer
from campaign.models import Judge, MachineJudge, User
from campaign.selectors.media import is_media_signature_of_machine, media_of_judge
from campaign.texts.media import MEDIA_TYPES

logger = logging.getLogger(__name__)

#: Header of a 204 response.
NO_WORK_REASON: Final = "No-Work-Reason"
CAMPAIGN = OpenApiParameter(
    "campaign",
    str,
    description="Slug, if you judge in several campaigns.",
)
_GZIP = GZipMiddleware(lambda _request: HttpResponse())


NOT_A_JUDGE: Final = gettext_lazy("You are not a judge in this campaign.")


class IsJudge(BasePermission):
    """Judges of the campaign that the request names."""

    message = NOT_A_JUDGE

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return whether the user is a judge in the campaign."""
        user = cast("User", request.user)
        slug = request.query_params.get("campaign")
        return judge_of_user(user=user, campaign_slug=slug) is not None


class JudgeAPIView(BaseAPIView):
    """View of the judging API, for the signed-in judge."""

    pagination_class: Any = None
    throttle_classes = (MachinePace,)
    #: Whether the token of a machine judge gives access, too.
    serves_machines = False

    @cached_property
    def judge(self) -> Judge:
        """The user's judge in the requested campaign. Raises PermissionDenied."""
        return self.judge_in(self.request.query_params.get("campaign"))

    def judge_in(self, campaign_slug: str | None) -> Judge:
        """Return the user's judge in a campaign. Raises PermissionDenied."""
        user = cast("User", self.request.user)
        judge = judge_of_user(user=user, campaign_slug=campaign_slug)
        if judge is None:
            raise PermissionDenied(NOT_A_JUDGE)
        judge_logged(judge.pk)
        return judge

    def assigned(self, public_id: UUID) -> AssignedBlock:
        """Return a block that was lent to the user. Raises NotFound."""
        user = cast("User", self.request.user)
        block = assigned_block(user=user, public_id=public_id)
        if block is None:
            raise NotFound(_("Item not found."))
        judge_logged(block.judge_id)
        return block

    def put_by_machine(
        self,
        machine: MachineJudge,
        client_id: UUID,
        data: dict[str, Any],
    ) -> dict[str, object]:
        """Store a machine's answer or skip, and return its data. Raises NotFound, ValidationError and SubmissionRefusedError."""
        block = block_of_machine(machine=machine, public_id=data["block"])
        if block is None:
            raise NotFound(_("Item not found."))
        kind = answer_kind(block.hit.task.protocol)
        answer = kind.validated(data.get("answer"))
        stored = machine_judgment_submit(
            machine=machine,
            machine_block=block,
            client_id=client_id,
            sent=cast("SentByMachine", {**data, "answer": answer}),
        )
        return machine_answer_data(stored, block)

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, SubmissionRefusedError):
            return refusal(exc)
        return super().handle_exception(exc)


def _lent_data(lent: LentAssignment, judge: Judge) -> AssignmentShown:
    return {
        **assignment_data(lent.assignment, campaign=judge.campaign),
        "progress": cast("ProgressShown", asdict(lent.context.work.progress)),
        "notice": "\n".join(_messages(lent.context.standing)),
    }


def _messages(standing: JudgeStanding) -> Iterator[str]:
    """Return organisers' messages to the judge, newest first."""
    for text in standing.messages:
        yield _("A message from the organisers: %(text)s") % {"text": text}
    if standing.is_asked_again:
        yield _(
            "The organisers ask you to review your latest answers and change any that you now see differently. Thank you.",
        )
    if standing.status == JudgeStatus.WARNED:
        yield from dict.fromkeys(_warning(measure) for measure in standing.warned_for)


_OF_PACE: Final = frozenset({JudgeMeasure.SECONDS, JudgeMeasure.PACE})
_OF_PATTERN: Final = frozenset(
    {
        JudgeMeasure.ONE_LABEL,
        JudgeMeasure.POSITION,
        JudgeMeasure.SHOWN_ORDER,
        JudgeMeasure.TIES,
        JudgeMeasure.TYPED_IN_ORDER,
    },
)


def _warning(measure: str) -> str:
    """Return the note to a judge whom a rule on this measure warned; an organiser's warning has none.

    Controls and repeats have the note of other differences, because judges must not recognise them.
    """
    if not measure:
        return _(
            "A note from the organisers: please take your time and read every output before you answer. Thank you.",
        )
    if measure in _OF_PACE:
        return _(
            "A note from the organisers: your pace is unusual for the length of your texts. Please read every output before you answer. Thank you.",
        )
    if measure in _OF_PATTERN:
        return _(
            "A note from the organisers: many of your answers follow a pattern, such as equal ranks or the order on the "
            "screen. Please read every output before you answer. Thank you.",
        )
    return _(
        "A note from the organisers: some of your rankings differ from what they expected. "
        "Please take your time and read every output before you rank it. Thank you.",
    )


def _lent(request: Request, response: Response, judge: Judge) -> Response:
    """Complete a response that lends a HIT: record the browser as active and compress the response.

    Compression saves two thirds, and the response contains no secrets.
    """
    activity_record(request, response, judge=judge)
    return _compress_response(request, response)


def _compress_response(request: Request, response: Response) -> Response:
    response.add_post_render_callback(
        lambda sent: _GZIP.process_response(request, sent),
    )
    return response


def _next_data(
    judge: Judge,
    after: UUID,
    in_hand: Sequence[UUID],
) -> AssignmentShown | None:
    """Lend the next HIT along with a stored judgment; None if there is none or lending fails."""
    try:
        panel_participation_refresh(judge=judge)
        lent = assignment_lend(judge=judge, after=after, in_hand=in_hand)
        if lent is None:
            return None
        return _lent_data(lent, judge)
    except LendingRefusedError:
        return None
    except Exception:
        # The judge must not be told that their judgment failed.
        logger.exception(
            "Cannot lend judge %s a HIT together with a judgment.",
            judge.pk,
        )
        return None


class AssignmentsView(JudgeAPIView):
    serves_machines = True

    @extend_schema(
        "judging_assignment_lend",
        parameters=[
            OpenApiParameter(
                NO_WORK_REASON,
                str,
                OpenApiParameter.HEADER,
                enum=["done", "none_left", "time_over", "returned", "screened_out"],
                response=[204],
                description="You have judged all sentences asked of you, no others are left for you, or your study is over: "
                "its time has passed, you have returned it, or it has no more sentences for you.",
            ),
        ],
        request=AssignmentRequestSerializer,
        responses={
            200: AssignmentSerializer,
            202: NotYetSerializer,
            204: OpenApiResponse(description="No more work for you."),
            403: PausedSerializer,
        },
    )
    def post(self, request: Request) -> Response:
        """Lend a HIT, or return the one still held.

        202 means that work may become available soon: ask again after `retry_after` seconds. A machine judge gets blocks of a HIT
        that people have judged, then of a segment that the design keeps for machine judges alone; nothing is lent.
        """
        data = self.validated(AssignmentRequestSerializer)
        machine = machine_of(request)
        if machine is not None:
            return self._to_machine(machine, data)
        in_hand = data.get("in_hand", ())
        judge = self.judge_in(data.get("campaign"))
        panel_participation_refresh(judge=judge)
        try:
            lent = assignment_lend(
                judge=judge,
                after=data.get("after"),
                in_hand=in_hand,
            )
        except LendingRefusedError as error:
            code = str(error)
            return Response({"detail": str(_STOPPED[code]), "code": code}, status=403)
        if lent is not None:
            return _lent(request, Response(_lent_data(lent, judge)), judge)
        # Judges who still have work do not trigger planning.
        if in_hand:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return _no_work(work_request(judge=judge))

    def _to_machine(self, machine: MachineJudge, data: dict[str, Any]) -> Response:
        """Return blocks for a machine judge; none while the campaign lends nothing to people either."""
        assignment = machine_next(machine, data)
        if assignment:
            return _compress_response(self.request, Response(assignment))
        stopped = lending_stopped(campaign_id=machine.campaign_id)
        return _no_work(stopped or NoWork(NoWorkReason.NONE_LEFT))


_STOPPED: Final = {
    "paused": gettext_lazy("Your judging is paused. The organisers will contact you."),
    "excluded": gettext_lazy(
        "You no longer take part in this campaign. Your judgments are kept. If you have questions, ask the organisers.",
    ),
    "declined": gettext_lazy("You declined to take part."),
    "instructions": gettext_lazy("Please read and accept the instructions first."),
    "questions": gettext_lazy("Please answer the questions of the organisers first."),
}


def _no_work(work: NoWork) -> Response:
    if work.retry_after is None:
        headers = {NO_WORK_REASON: work.reason.value}
        return Response(status=status.HTTP_204_NO_CONTENT, headers=headers)
    data = {"state": work.reason.value, "retry_after": work.retry_after}
    return Response(
        NotYetSerializer(data).data,
        status=status.HTTP_202_ACCEPTED,
        headers={"Retry-After": str(work.retry_after)},
    )


_REFUSED: Final = {400: RefusalSerializer, 429: RefusalSerializer}
_REFUSED_OR_ELSEWHERE: Final = {**_REFUSED, 409: RefusalSerializer}


class JudgmentView(JudgeAPIView):
    serves_machines = True

    @extend_schema(
        "judging_judgment_submit",
        request=JudgmentRequestSerializer,
        responses={200: JudgmentSerializer, **_REFUSED_OR_ELSEWHERE},
    )
    def put(self, request: Request, client_id: UUID) -> Response:
        """Submit a judgment under an id of your choice; repeating an id changes nothing.

        With `after`, the response includes the next HIT.
        """
        data = self.validated(JudgmentRequestSerializer)
        machine = machine_of(request)
        if machine is not None:
            stored = self.put_by_machine(machine, client_id, data)
            if "after" in data:
                stored["next"] = machine_next(machine, data)
            return _compress_response(request, Response(stored))
        after = data.pop("after", None)
        in_hand = data.pop("in_hand", ())
        assigned = self.assigned(data.pop("block"))
        kind = answer_kind(assigned.protocol)
        data["answer"] = kind.validated(data.pop("answer", None))
        judgment = judgment_submit(
            assigned=assigned,
            client_id=client_id,
            sent=SentJudgment(**data),
        )
        stored = {
            **_judgment_data(judgment, assigned),
            "stopped": reason_to_stop(assigned),
            "taken_back": [],
            "next": None,
        }
        if after is None:
            return Response(stored)
        judge = judge_assigned(assigned)
        stored["next"] = _next_data(judge, after, in_hand)
        if in_hand:
            stored["taken_back"] = assignments_taken_back(
                judge=judge,
                public_ids=in_hand,
            )
        return _lent(request, Response(stored), judge)


class DocumentView(JudgeAPIView):
    @extend_schema("judging_document", responses=BlockDocumentSerializer)
    def get(self, request: Request, block: UUID) -> Response:
        """Return source and reference of the surrounding document, up to 200 segments on either side."""
        assigned = self.assigned(block)
        campaign = judge_assigned(assigned).campaign
        beside = texts_beside(
            assigned.protocol,
            assigned.rules,
            campaign=campaign,
            part=assigned.part,
        )
        address = media_of_judge(assigned.judge_id, campaign)
        document = document_of_block(assigned.block_id, beside=beside, address=address)
        if document is None:
            raise NotFound(_("This task does not show surrounding text."))
        response = Response(
            asdict(document),
            headers={"Cache-Control": "private, max-age=3600"},
        )
        return _compress_response(request, response)


class MediaView(JudgeAPIView):
    sends_file = True
    serves_machines = True

    @extend_schema(
        "judging_media",
        responses={
            **{
                (status, content_type): OpenApiTypes.BINARY
                for status in (200, 206)
                for content_type in sorted(set(MEDIA_TYPES.values()))
            },
            416: OpenApiResponse(description="Range not satisfiable."),
        },
    )
    def get(self, request: Request, signature: str, file_name: str) -> HttpResponseBase:
        """Return a picture, recording or video, or the range requested by `Range`, to a machine judge that got its address with a block."""
        machine = machine_of(request)
        if machine is None or not is_media_signature_of_machine(
            signature,
            machine_id=machine.pk,
            name=file_name,
        ):
            raise NotFound
        campaign_id = machine.campaign_id
        return media_answer(request.headers, campaign_id=campaign_id, name=file_name)


class SkipView(JudgeAPIView):
    serves_machines = True

    @extend_schema(
        "judging_skip_submit",
        request=SkipRequestSerializer,
        responses={200: SkipSerializer, **_REFUSED_OR_ELSEWHERE},
    )
    def put(self, request: Request, client_id: UUID) -> Response:
        """Skip a block, with a reason."""
        data = self.validated(SkipRequestSerializer)
        machine = machine_of(request)
        if machine is not None:
            return Response(self.put_by_machine(machine, client_id, data))
        assigned = self.assigned(data.pop("block"))
        skip = skip_submit(assigned=assigned, client_id=client_id, **data)
        return Response(_skip_data(skip, assigned))


class ProgressView(JudgeAPIView):
    @extend_schema(
        "judging_progress",
        parameters=[CAMPAIGN],
        responses=ProgressSerializer,
    )
    def get(self, request: Request) -> Response:
        """Return your progress."""
        return self.serialized(judge_work(self.judge).progress, ProgressSerializer)


def _judgment_data(judgment: Judgment, assigned: AssignedBlock) -> dict[str, object]:
    is_of_the_block = judgment.block_id == assigned.block_id
    data = {
        "id": judgment.client_id,
        "labels": judgment.labels,
        "answer": _answer_of(
            judgment,
            protocol=assigned.protocol if is_of_the_block else None,
        ),
        "duration_ms": judgment.duration_ms,
        "active_ms": judgment.active_ms,
        "comment": judgment.comment,
        "submitted_at": judgment.submitted_at,
    }
    if is_of_the_block:
        return {
            **data,
            "block": assigned.public_id,
            "assignment": assigned.assignment_public_id,
            # Only training has feedback, so other submissions need no query for it.
            "feedback": _feedback(judgment) if assigned.is_training else None,
        }
    # The id was used before, for another block: return the stored answer.
    assignment = judgment.assignment
    return {
        **data,
        "block": judgment.block.public_id,
        "assignment": assignment and assignment.public_id,
        "feedback": _feedback(judgment),
    }


def _skip_data(skip: Skip, assigned: AssignedBlock) -> dict[str, object]:
    return {
        "id": skip.client_id,
        "block": skip.block.public_id,
        "reason": skip.reason,
        "duration_ms": skip.duration_ms,
        "active_ms": skip.active_ms,
        "comment": skip.comment,
        "assignment": skip.assignment and skip.assignment.public_id,
        "stopped": reason_to_stop(assigned),
    }


def _feedback(judgment: Judgment) -> dict[str, object] | None:
    feedback = training_feedback(judgment)
    if feedback is None:
        return None
    return asdict(feedback)


def refusal(error: SubmissionRefusedError) -> Response:
    """Return the reason why a rule or limit refuses a submission, in words and by candidate.

    409 if the judge has answered the block elsewhere, 429 if the same request may succeed later,
    otherwise 400.
    """
    stored = error.stored
    data: dict[str, object] = {
        "detail": error.message,
        "errors": {error.field: [error.message]},
        "missing": error.missing,
        "retry_after": error.retry_after,
        "stored": stored
        and {
            "id": stored.client_id,
            "labels": stored.labels,
            "answer": _answer_of(stored),
            "comment": stored.comment,
        },
    }
    body = RefusalSerializer(data).data
    if error.is_conflict:
        return Response(body, status=status.HTTP_409_CONFLICT)
    if error.retry_after is None:
        return Response(body, status=status.HTTP_400_BAD_REQUEST)
    return Response(
        body,
        status=status.HTTP_429_TOO_MANY_REQUESTS,
        headers={"Retry-After": str(error.retry_after)},
    )


def _answer_of(
    stored: Judgment | MachineJudgment,
    *,
    protocol: str | None = None,
) -> Any:
    """Return the answer with the name of its form. Passing `protocol` saves a query."""
    if protocol is None:
        protocol = stored.task.protocol
    if isinstance(stored, MachineJudgment):
        answer = stored.answer
    else:
        answer = answer_of(stored, protocol=protocol)
    return answer_kind(protocol).named(answer)


class JudgedBlockSerializer(PlainSerializer):
    assignment = serializers.UUIDField()
    position = serializers.IntegerField(help_text="Position in the HIT, from 1.")
    total = serializers.IntegerField(help_text="Number of blocks in the HIT.")
    judged_at = serializers.DateTimeField(
        help_text="Time of your latest answer or skip.",
    )
    languages = LanguagesSerializer()
    protocol = protocol_field()
    rules = RulesField()
    block = BlockSerializer()


class JudgedBlocksSerializer(PlainSerializer):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    has_older = serializers.BooleanField(
        help_text="True if older blocks are left out while you hold a HIT.",
    )
    results = JudgedBlockSerializer(many=True)


class _Pages(CursorPages):
    """Pages ordered by time: a cursor of row ids would reveal how many judgments others have made."""

    page_size = 20
    max_page_size = 50
    page_size_query_description = "Blocks per page. Default 20, at most 50."


class OwnJudgmentsView(JudgeAPIView):
    ordering = "-done_at"
    pagination_class = _Pages

    @extend_schema(
        "judging_judgments",
        parameters=[
            CAMPAIGN,
            OpenApiParameter(
                "cursor",
                str,
                description=_Pages.cursor_query_description,
            ),
            OpenApiParameter(
                "page_size",
                int,
                description=_Pages.page_size_query_description,
            ),
        ],
        responses=JudgedBlocksSerializer,
    )
    def get(self, request: Request) -> Response:
        """List your judged and skipped blocks, newest first. To undo a skip, judge its block.

        While you hold a HIT of a test set with repeated blocks, blocks beyond its `revisable_hits` are left out.
        """
        blocks: Any = own_done_blocks(self.judge)
        page = self.paginate_queryset(blocks) or []
        rows = own_done_blocks_data(page, judge=self.judge)
        answer = self.get_paginated_response(
            JudgedBlockSerializer(rows, many=True).data,
        )
        answer.data["has_older"] = has_older_done_blocks(self.judge)
        return answer


class ProblemReportRequestSerializer(PlainSerializer):
    block = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=ProblemReportKind.values)
    comment = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=COMMENT_LENGTH,
        default="",
    )


class ProblemReportSerializer(PlainSerializer):
    id = serializers.UUIDField(source="client_id")
    block = serializers.UUIDField(source="block.public_id")
    kind = serializers.CharField()
    comment = serializers.CharField()


class AnswerSerializer(PlainSerializer):
    """An organiser's answer to a problem report."""

    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class OwnProblemReportSerializer(ProblemReportSerializer):
    created_at = serializers.DateTimeField()
    closed = serializers.BooleanField(source="is_closed")
    answers = AnswerSerializer(many=True)


class OwnProblemReportsView(JudgeAPIView):
    @extend_schema(
        "judging_problem_reports",
        parameters=[CAMPAIGN],
        responses=OwnProblemReportSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List your latest 50 reports and the replies."""
        rows = own_problem_reports(self.judge)[:OWN_REPORTS_SHOWN]
        return Response(OwnProblemReportSerializer(rows, many=True).data)


class ProblemReportView(JudgeAPIView):
    @extend_schema(
        "judging_problem_report",
        request=ProblemReportRequestSerializer,
        responses={200: ProblemReportSerializer, **_REFUSED},
    )
    def put(self, request: Request, client_id: UUID) -> Response:
        """Report a problem with a block, in addition to judging or skipping it."""
        data = self.validated(ProblemReportRequestSerializer)
        assigned = self.assigned(data.pop("block"))
        return self.serialized(
            problem_report(assigned=assigned, client_id=client_id, **data),
            ProblemReportSerializer,
        )
