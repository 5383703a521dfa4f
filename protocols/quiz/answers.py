"""Answers to quizzes: readers of one system's output decide which statements about it are true
(Berka et al. 2011).

A HIT is a snippet, with a block for each segment. Statements are asked with the last block;
judgments of the others only record that they were read.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from django import forms
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from rest_framework import serializers

from annotation.models import Block
from annotation.protocols.answer_kinds import (
    WHOLE_DOCUMENT,
    WHOLE_DOCUMENT_FIELD,
    AnswerKind,
    Needs,
    Passes,
    Perceived,
    Rules,
    Stage,
    TextsBeside,
    numbered_cells,
    numbered_columns,
    rules_completed,
)
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Output, Protocol, Task
from protocols.models import QuizAnswer, Snippet
from protocols.quiz.snippets import MOST_SEGMENTS, MOST_STATEMENTS, segments_read_together


def stages(block_ids: Sequence[int], _judge_id: int) -> dict[int, Stage]:
    """Return the stages of all blocks of the given blocks' HITs by ID: the snippet's text so far,
    and questions. One query.

    All blocks of a HIT have the same rules: the statements, and the block that asks them.
    """
    found: dict[int, Stage] = {}
    for _hit, of_hit in groupby(_blocks_shown(block_ids), key=lambda row: row.hit):
        blocks = list(of_hit)
        texts = [block.text or "" for block in blocks]
        of_blocks = _stages(blocks[-1].statements or [], blocks[-1].public_id, texts)
        found |= zip((block.pk for block in blocks), of_blocks, strict=True)
    return found


def stages_drawn(
    task: Task, segments: Sequence[int], ids: Sequence[UUID], texts: Sequence[str]
) -> list[Stage]:
    """Return the stages of a HIT that is drawn but not stored. One query."""
    snippet = Snippet.objects.filter(
        task=task,
        document__segments__number=segments[-1],
        last=F("document__segments__position"),
    ).first()
    return _stages([] if snippet is None else snippet.statements, ids[-1], texts)


def _stages(statements: list[str], last: UUID, texts: Sequence[str]) -> list[Stage]:
    """Return the stages of the blocks of a HIT; the last block asks about the statements."""
    rules = {"statements": statements, "asked_with": str(last)}
    return [
        Stage(rules=rules, texts=("\n".join(texts[:place]),)) for place in range(1, len(texts) + 1)
    ]


def _blocks_shown(block_ids: Sequence[int]) -> QuerySet[Block, Any]:
    """Return all blocks of the given blocks' HITs, with the statements of the snippets that end
    with them.
    """
    hits = Block.objects.filter(pk__in=block_ids).values("hit")
    text = Output.objects.filter(pk=OuterRef("output"))
    return (
        Block.objects.filter(hit__in=hits)
        .order_by("hit", "position")
        .annotate(
            output=F("outputs__0"),
            text=Subquery(text.values("text")),
            statements=Subquery(_ended_with_a_block().values("statements")),
        )
        .values_list("hit", "pk", "public_id", "text", "statements", named=True)
    )


def _ended_with_a_block() -> QuerySet[Snippet]:
    """Return the snippet that ends with a block's segment, as a subquery on blocks."""
    return Snippet.objects.filter(
        task=OuterRef("hit__task"),
        document=OuterRef("segment__document"),
        last=OuterRef("segment__position"),
    )


def statements_asked(block_id: int) -> int:
    """Return the number of statements asked with a block. One query."""
    statements = Subquery(_ended_with_a_block().values("statements"))
    return len(Block.objects.values_list(statements, flat=True).get(pk=block_id) or ())


#: Simulated readers guess the statements that they do not understand, and half of their guesses are
#: right.
_GUESSED: Final = 0.5


_RULES: Final = {
    "readers": forms.IntegerField(
        label=gettext_lazy("Readers per system and snippet"),
        initial=1,
        min_value=1,
        max_value=50,
    ),
    WHOLE_DOCUMENT: WHOLE_DOCUMENT_FIELD,
}


class QuizAnswerSerializer(PlainSerializer):
    """Answers to statements about a snippet."""

    answers = serializers.ListField(
        child=serializers.BooleanField(allow_null=True),
        max_length=MOST_STATEMENTS,
        help_text="True or false for each statement, null for no answer; empty for a block without statements.",
    )


class QuizRulesSerializer(PlainSerializer):
    """The statements of a HIT in a quiz."""

    statements = serializers.ListField(
        child=serializers.CharField(), help_text="Statements about the whole snippet."
    )
    asked_with = serializers.UUIDField(
        help_text="Block with which the statements are shown (the last)."
    )


def _refusal_by_database(
    assigned: AssignedBlock, answer: Mapping[str, Any]
) -> SubmissionRefusedError | None:
    asked = statements_asked(assigned.block_id)
    if len(answer["answers"]) == asked:
        return None
    return answer_refused(
        f"Send one answer per statement (there are {asked}), or null for no answer."
    )


def _knows(block_ids: Sequence[int]) -> dict[int, Rules]:
    """Return the expected answers to each block's questions, for simulated readers only."""
    expected = Subquery(_ended_with_a_block().values("expected"))
    rows = Block.objects.filter(pk__in=block_ids).values_list("pk", expected)
    return {pk: {"expected": answers or []} for pk, answers in rows}


def _simulated(perceived: Perceived) -> dict[str, list[bool]]:
    """Simulate answers: understand a statement with a probability of the stated quality in percent,
    else guess.
    """
    understood = min(1.0, max(0.0, perceived.qualities[0] / 100))
    right = understood + (1 - understood) * _GUESSED
    expected: Sequence[bool] = perceived.rules.get("expected", ())
    return {"answers": [each == (perceived.random.random() < right) for each in expected]}


def _texts(_part: int, rules: Mapping[str, Any]) -> TextsBeside:
    """Return the texts shown: readers see only outputs."""
    context = rules_completed(_RULES, rules)[WHOLE_DOCUMENT]
    return TextsBeside(source=False, references=False, context=context)


def _needs(texts: Sequence[int], judges: int, _most: int, rules: Mapping[str, Any]) -> Needs:
    """Return the number of judges needed for none to read a snippet twice, and whether there are
    enough.
    """
    if not texts:
        words = [_("No snippets yet. Upload snippets with their statements.")]
        return Needs(judges=0, is_feasible=False, words=words)
    systems, readers = max(texts), int(rules_completed(_RULES, rules)["readers"])
    needed = systems * readers
    words = [
        ngettext(
            "At least %(needed)d judges are needed: %(systems)d systems, with %(readers)d reader per snippet, and no judge reads a snippet twice.",
            "At least %(needed)d judges are needed: %(systems)d systems, with %(readers)d readers per snippet, and no judge reads a snippet twice.",
            readers,
        )
        % {"systems": systems, "readers": readers, "needed": needed}
    ]
    if judges < needed:
        words.append(
            ngettext("There is %(count)d so far.", "There are %(count)d so far.", judges)
            % {"count": judges}
        )
    return Needs(judges=needed, is_feasible=judges >= needed, words=words)


ANSWERS: Final = AnswerKind(
    protocol=Protocol.QUIZ,
    candidates=range(1, 2),
    serializer=QuizAnswerSerializer,
    refusal_by_database=_refusal_by_database,
    table=QuizAnswer,
    cell_kinds=lambda _candidates: numbered_columns("answer", bool, MOST_STATEMENTS),
    cells=lambda answer: numbered_cells("answer", answer["answers"]),
    rules_serializer=QuizRulesSerializer,
    simulated=_simulated,
    simulated_knows=_knows,
    stages=stages,
    stages_drawn=stages_drawn,
    texts=_texts,
    passes=Passes(
        rules=lambda _part, _rules: {},
        raters=lambda rules: int(rules_completed(_RULES, rules)["readers"]),
        items_per_judge=lambda _rules: None,
        needs=_needs,
        segments_per_hit=MOST_SEGMENTS,
        count=1,
        together=segments_read_together,
    ),
    rules_fields=_RULES,
)
