"""The answers to quizzes: readers of one system's output say which statements about it are true (Berka et al. 2011).

A HIT is a snippet, a block each of its segments. Statements are asked with the last of them; of those before, a judgment
says that they were read.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from rest_framework import serializers

from annotation.protocols import AnswerKind, Needs, Passes, Rules, TextsBeside
from annotation.submissions import AssignedBlock, SubmissionRefusedError
from campaign.models import Campaign, Protocol
from protocols.quiz.models import Answer
from protocols.quiz.shown import asked_with, stages, stages_drawn
from protocols.quiz.snippet_files import MOST_STATEMENTS
from protocols.quiz.snippets import segments_read_together

_READERS: Final = 1
_MOST_READERS: Final = 50
_MOST_SEGMENTS: Final = 50
#: Simulated readers guess where they do not understand, which is half of the answers.
_GUESSED: Final = 0.5


class QuizAnswerSerializer(serializers.Serializer[object]):
    """What a reader says of statements about what they read."""

    answers = serializers.ListField(
        child=serializers.BooleanField(allow_null=True),
        max_length=MOST_STATEMENTS,
        help_text="Whether each statement is true, null for no answer; empty for a block with which none is asked.",
    )


class QuizRulesSerializer(serializers.Serializer[object]):
    """What a HIT of a quiz asks."""

    statements = serializers.ListField(
        child=serializers.CharField(), help_text="About the whole snippet, true or false."
    )
    asked_with = serializers.UUIDField(help_text="The block with which they are asked: the last.")


def _labels(_answer: Mapping[str, Any], candidates: int) -> list[int | None]:
    """Return that nothing is compared: one output is shown."""
    return [1] * candidates


def _refusal_by_database(
    assigned: AssignedBlock, answer: Mapping[str, Any]
) -> SubmissionRefusedError | None:
    asked = len(asked_with(assigned.block_id).statements)
    if len(answer["answers"]) == asked:
        return None
    if not asked:
        words = _("No statement is asked about with this sentence: its answers are empty.")
    else:
        words = ngettext(
            "There is %(count)d statement: answer it, with null where you give no answer.",
            "There are %(count)d statements: answer each, with null where you give no answer.",
            asked,
        ) % {"count": asked}
    return SubmissionRefusedError(words, field="answer")


def _as_given(row: Any) -> dict[str, list[bool | None]]:
    return {"answers": row.answers}


def _rules(rules: Mapping[str, Any]) -> Rules:
    others = sorted(set(rules) - {"readers"})
    if others:
        raise ValidationError(
            _("This protocol has no rule “%(name)s”.") % {"name": ", ".join(others)}
        )
    readers = rules.get("readers", _READERS)
    if (
        not isinstance(readers, int)
        or isinstance(readers, bool)
        or not 1 <= readers <= _MOST_READERS
    ):
        raise ValidationError(
            _("%(name)s is a whole number from 1 to %(most)s.")
            % {"name": "readers", "most": _MOST_READERS}
        )
    return {"readers": readers}


def _shown_rules(_campaign: Campaign, _rules: Mapping[str, Any]) -> Rules:
    """Return nothing: what is asked depends on the HIT."""
    return {}


def _knows(block_id: int) -> Rules:
    """Return the expected answers to what is asked with a block. For simulated readers alone."""
    return {"expected": asked_with(block_id).expected}


def _simulated(
    qualities: Sequence[float],
    _labels: Sequence[int | None],
    rules: Mapping[str, Any],
    random: Random,
) -> dict[str, list[bool]]:
    """Understand a statement with a chance of the stated quality in a hundred, and guess otherwise."""
    understood = min(1.0, max(0.0, qualities[0] / 100))
    right = understood + (1 - understood) * _GUESSED
    return {
        "answers": [
            each if random.random() < right else not each for each in rules.get("expected", ())
        ]
    }


def _texts(_part: int, _rules: Mapping[str, Any]) -> TextsBeside:
    """Return that readers see outputs and nothing else."""
    return TextsBeside(source=False, references=False, context=False)


def _needs(texts: Sequence[int], judges: int, _most: int, rules: Mapping[str, Any]) -> Needs:
    """Return how many judges it takes if none is to read a snippet twice, and whether there are as many."""
    if not texts:
        words = [_("It has no snippets yet: upload them with the statements to be answered.")]
        return Needs(judges=0, is_feasible=False, words=words)
    systems, readers = max(texts), int(_rules(rules)["readers"])
    needed = systems * readers
    words = [
        ngettext(
            "A snippet is read in the outputs of %(systems)d systems, each by %(readers)d judge, and by nobody twice: it takes at least %(needed)d judges.",
            "A snippet is read in the outputs of %(systems)d systems, each by %(readers)d judges, and by nobody twice: it takes at least %(needed)d judges.",
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


QUIZ: Final = AnswerKind(
    protocol=Protocol.QUIZ,
    candidates=range(1, 2),
    serializer=QuizAnswerSerializer,
    labels=_labels,
    refusal=lambda _assigned, _answer: None,
    refusal_by_database=_refusal_by_database,
    table=Answer,
    row=lambda answer, _part: {"answers": list(answer["answers"])},
    as_given=_as_given,
    rules=_rules,
    shown_rules=_shown_rules,
    rules_serializer=QuizRulesSerializer,
    simulated=_simulated,
    simulated_knows=_knows,
    stages=stages,
    stages_drawn=stages_drawn,
    passes=Passes(
        texts=_texts,
        rules=lambda _part, _rules: {},
        raters=lambda rules: int(_rules(rules)["readers"]),
        items_per_judge=lambda _rules: None,
        needs=_needs,
        segments_per_hit=_MOST_SEGMENTS,
        count=1,
        together=segments_read_together,
    ),
    rules_fields={
        "readers": forms.IntegerField(
            label=gettext_lazy("Readers of each system’s output of a snippet"),
            min_value=1,
            max_value=_MOST_READERS,
        )
    },
)
