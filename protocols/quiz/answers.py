"""Answers to quizzes: readers of one system's output decide which statements about it are true
(Berka et al. 2011).

A HIT is a snippet, with a block for each segment. Statements are asked with the last block;
judgments of the others only record that they were read.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, TypedDict, cast
from uuid import UUID

from django import forms
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils.functional import Promise
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
)
from annotation.protocols.submissions import (
    AssignedBlock,
    SubmissionRefusedError,
    answer_refused,
)
from campaign.api.constants import ConstantField
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Output, Protocol, Task
from protocols.models import QuizAnswer, Snippet
from protocols.quiz.snippets import (
    MOST_SEGMENTS,
    MOST_STATEMENTS,
    segments_read_together,
)


def _stages(statements: list[str], last: UUID, texts: Sequence[str]) -> list[Stage]:
    """Return the stages of the blocks of a HIT; the last block asks about the statements."""
    rules = {"statements": statements, "asked_with": str(last)}
    stages = []
    for count in range(1, len(texts) + 1):
        stages.append(Stage(rules=rules, texts=("\n".join(texts[:count]),)))
    return stages


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


class QuizRules(TypedDict):
    """Rules of a quiz, completed."""

    readers: int
    document: bool


class QuizAnswerSerializer(PlainSerializer):
    """Answers to statements about a snippet."""

    kind = ConstantField("quiz")
    answers = serializers.ListField(
        child=serializers.BooleanField(allow_null=True),
        max_length=MOST_STATEMENTS,
        help_text="True or false for each statement, null for no answer; empty for a block without statements.",
    )


class QuizRulesSerializer(PlainSerializer):
    """The statements of a HIT in a quiz."""

    protocol = ConstantField(Protocol.QUIZ)
    statements = serializers.ListField(
        child=serializers.CharField(),
        help_text="Statements about the whole snippet.",
    )
    asked_with = serializers.UUIDField(
        help_text="Block with which the statements are shown (the last).",
    )


class QuizAnswerJSON(TypedDict):
    """Answers to the statements that are asked with a block; None for no answer."""

    answers: Sequence[bool | None]


class QuizPasses(Passes):
    """One pass, in which each snippet of a system goes to a fixed number of readers."""

    def judges_needed(self, texts: Sequence[int], judges: int, most: int) -> Needs:
        """Return the number of judges needed for none to read a snippet twice, and whether there are
        enough.
        """
        if not texts:
            sentences = [_("No snippets yet. Upload snippets with their statements.")]
            return Needs(judges=0, is_feasible=False, sentences=sentences)
        systems = max(texts)
        needed = systems * self.raters
        sentences = [
            ngettext(
                "At least %(needed)d judges are needed: %(systems)d systems, with %(readers)d reader per snippet, and no judge reads a snippet twice.",
                "At least %(needed)d judges are needed: %(systems)d systems, with %(readers)d readers per snippet, and no judge reads a snippet twice.",
                self.raters,
            )
            % {"systems": systems, "readers": self.raters, "needed": needed},
        ]
        if judges < needed:
            sentences.append(
                ngettext(
                    "There is %(count)d so far.",
                    "There are %(count)d so far.",
                    judges,
                )
                % {"count": judges},
            )
        return Needs(judges=needed, is_feasible=judges >= needed, sentences=sentences)


class QuizAnswers(AnswerKind):
    """Answers to the statements about a snippet: true, false or none."""

    protocol = Protocol.QUIZ
    sentence = gettext_lazy(
        "Readers read a few sentences of one system’s output and mark statements about them as true or false.",
    )
    work = gettext_lazy(
        "You read short texts and decide whether statements about them are true.",
    )
    candidates = range(1, 2)
    serializer = QuizAnswerSerializer
    table = QuizAnswer
    rules_serializer = QuizRulesSerializer
    rules_fields = {
        "readers": forms.IntegerField(
            label=gettext_lazy("Readers per system and snippet"),
            initial=1,
            min_value=1,
            max_value=50,
        ),
        WHOLE_DOCUMENT: WHOLE_DOCUMENT_FIELD,
    }
    screen_words = {
        "quiz_reading": gettext_lazy("Read the text. Statements about it follow."),
        "quiz_question": gettext_lazy(
            "Which of these statements are true according to the text?",
        ),
        "quiz_read": gettext_lazy("Continue"),
        "quiz_yes": gettext_lazy("yes"),
        "quiz_no": gettext_lazy("no"),
        "quiz_unsure": gettext_lazy("no answer"),
        "quiz_was_read": gettext_lazy("read"),
        "quiz_answered": gettext_lazy("{answered} of {count} answered"),
        "quiz_wanted": gettext_lazy("Answer each statement: yes, no, or no answer."),
    }

    def criterion(self, *, outputs_are_media: bool = False) -> Promise | str:
        return gettext_lazy("Answer from the text alone, not from what you know.")

    @property
    def typed_rules(self) -> QuizRules:
        return cast("QuizRules", self.rules)

    @property
    def passes(self) -> QuizPasses:
        return QuizPasses(
            raters=self.typed_rules["readers"],
            items_per_judge=None,
            segments_per_hit=MOST_SEGMENTS,
            count=1,
        )

    def texts(self, part: int) -> TextsBeside:
        """Return the texts shown: readers see only outputs."""
        context = self.typed_rules["document"]
        return TextsBeside(source=False, references=False, context=context)

    def stages(self, block_ids: Sequence[int], judge_id: int) -> dict[int, Stage]:
        """Return the stages of all blocks of the given blocks' HITs by ID: the snippet's text so far,
        and questions. One query.

        All blocks of a HIT have the same rules: the statements, and the block that asks them.
        """
        stages: dict[int, Stage] = {}
        for _hit, rows in groupby(_blocks_shown(block_ids), key=attrgetter("hit")):
            blocks = list(rows)
            last = blocks[-1]
            texts = [block.text or "" for block in blocks]
            of_hit = _stages(last.statements or [], last.public_id, texts)
            for block, stage in zip(blocks, of_hit, strict=True):
                stages[block.pk] = stage
        return stages

    def stages_drawn(
        self,
        task: Task,
        segments: Sequence[int],
        block_ids: Sequence[UUID],
        texts: Sequence[str],
    ) -> list[Stage]:
        """Return the stages of a HIT that is drawn but not stored. One query."""
        snippet = Snippet.objects.filter(
            task=task,
            document__segments__number=segments[-1],
            last=F("document__segments__position"),
        ).first()
        return _stages(
            [] if snippet is None else snippet.statements,
            block_ids[-1],
            texts,
        )

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: QuizAnswerJSON,
    ) -> SubmissionRefusedError | None:
        if assigned.is_imported:
            # `protocols.quiz.files` compares the statements of the file with those of the task.
            return None
        statements = statements_asked(assigned.block_id)
        if len(answer["answers"]) == statements:
            return None
        return answer_refused(
            f"Send one answer per statement (there are {statements}), or null for no answer.",
        )

    def cell_kinds(self, candidates: int) -> dict[str, type]:
        return numbered_columns("answer", bool, MOST_STATEMENTS)

    def cells(self, answer: QuizAnswerJSON) -> dict[str, object]:
        return numbered_cells("answer", answer["answers"])

    def read_together(self, task: Task) -> Sequence[Sequence[int]]:
        return segments_read_together(task)

    def simulated(self, perceived: Perceived) -> QuizAnswerJSON:
        """Simulate answers: understand a statement with a probability of the stated quality in percent,
        else guess.
        """
        understood = min(1.0, max(0.0, perceived.qualities[0] / 100))
        right = understood + (1 - understood) * _GUESSED
        expected = cast("Sequence[bool]", perceived.question.get("expected", ()))
        answers = []
        for truth in expected:
            answers.append(truth == (perceived.random.random() < right))
        return {"answers": answers}

    def simulated_knows(self, block_ids: Sequence[int]) -> dict[int, Rules]:
        """Return the expected answers to each block's questions."""
        expected = Subquery(_ended_with_a_block().values("expected"))
        rows = Block.objects.filter(pk__in=block_ids).values_list("pk", expected)
        expected_by_block: dict[int, Rules] = {}
        for pk, answers in rows:
            expected_by_block[pk] = {"expected": answers or []}
        return expected_by_block


ANSWERS: Final = QuizAnswers
