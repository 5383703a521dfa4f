"""What a judge has judged and skipped, to look at and to change."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.serializers import (
    BlockSerializer,
    LanguagesSerializer,
    RulesField,
    protocol_field,
)
from annotation.api.views import judge_or_403, languages_data
from annotation.selectors import (
    DoneBlock,
    OwnDoneBlock,
    has_older_done_blocks,
    own_done_blocks,
    own_done_blocks_data,
)
from campaign.api.pages import CursorPages


class JudgedBlockSerializer(serializers.Serializer[object]):
    assignment = serializers.UUIDField()
    position = serializers.IntegerField(help_text="In its HIT, from 1.")
    total = serializers.IntegerField(help_text="Blocks of its HIT.")
    judged_at = serializers.DateTimeField(help_text="When you judged it last, or skipped it.")
    languages = LanguagesSerializer()
    protocol = protocol_field()
    rules = RulesField()
    block = BlockSerializer()


class JudgedBlocksSerializer(serializers.Serializer[object]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    has_older = serializers.BooleanField(
        help_text="Whether older ones are left out, which you see again when you hold no HIT."
    )
    results = JudgedBlockSerializer(many=True)


class _Pages(CursorPages):
    """By time: a cursor of row ids would tell how many judgments others have made."""

    page_size = 20
    max_page_size = 50
    page_size_query_description = "Blocks in a page: 20 unless said otherwise, at most 50."


class OwnJudgmentsView(APIView):
    ordering = "-done_at"
    pagination_class = _Pages

    @extend_schema(
        operation_id="judging_judgments",
        parameters=[
            OpenApiParameter("campaign", str, description="Where you judge in several."),
            OpenApiParameter("cursor", str, description=_Pages.cursor_query_description),
            OpenApiParameter("page_size", int, description=_Pages.page_size_query_description),
        ],
        responses={200: JudgedBlocksSerializer},
    )
    def get(self, request: Request) -> Response:
        """Your judged and skipped blocks as they are now, the latest first.

        To take a skip back, judge its block.

        While you hold a HIT of a test set in which some are judged twice by the same judge, those are
        left out that are further back than its `revisable_hits`.
        """
        judge = judge_or_403(request, request.query_params.get("campaign"))
        pages = _Pages()
        done: Any = own_done_blocks(judge)
        blocks: list[DoneBlock] = pages.paginate_queryset(done, request, self) or []
        rows = [_data(row) for row in own_done_blocks_data(blocks, judge=judge)]
        answer = pages.get_paginated_response(JudgedBlockSerializer(rows, many=True).data)
        answer.data["has_older"] = has_older_done_blocks(judge)
        return answer


def _data(row: OwnDoneBlock) -> dict[str, object]:
    return {
        "assignment": row.assignment,
        "position": row.position,
        "total": row.total,
        "judged_at": row.judged_at,
        "languages": languages_data(row.source_language, row.target_language),
        "protocol": row.protocol,
        "rules": row.rules,
        "block": row.block,
    }
