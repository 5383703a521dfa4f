"""Answers about error spans and scores: a score for each output, and the errors marked in it (ESA, contrastive ESA).

With the rule `spans_asked` off, judges give only scores, as in direct assessment; with `missing`
off, they cannot report missing content. Scores that contradict the spans are stored unchanged: it
is the judge page that asks for confirmation.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from random import Random
from typing import Any, Final

from django import forms
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models.functions import Length
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.settings import api_settings

from annotation.models import Block
from annotation.models.block import by_candidate
from annotation.protocols import (
    QUESTION,
    AnswerKind,
    Perceived,
    QuestionField,
    QuestionSerializer,
    Rules,
    numbered_cells,
    numbered_columns,
    rules_completed,
)
from annotation.selectors.shown import outputs_of
from annotation.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.models import Campaign, Protocol
from protocols.models import SpansAnswer
from protocols.spans.contradictions import ContradictionRule
from protocols.spans.records import (
    MAX_CHARACTERS,
    MAX_OUTPUTS,
    MAX_SCORE,
    MAX_SPANS,
    Severity,
    Span,
    spans_overlapping,
)

ERROR: Final = "error"
MISSING: Final = "missing"


def spans_refusal(spans: Sequence[Mapping[str, Any]], length: int, rules: Rules) -> str:
    """Return what is wrong with the spans of an output; empty if they are valid."""
    if spans and not rules["spans_asked"]:
        return "this task has scores only. Remove the spans."
    placed: list[Span] = []
    for number, span in enumerate(spans, 1):
        start, end = span["start"], span["end"]
        if span["kind"] == MISSING:
            if not rules["missing"]:
                return "this task does not allow marking missing content."
            if start is not None or end is not None:
                return f"span {number}: missing content has neither start nor end."
        elif start is None or end is None:
            return f"span {number} has no start or no end."
        elif not 0 <= start < end <= length:
            return f"span {number}, from {start} to {end}, marks no part of the text, which has {length} characters."
        placed.append(Span(start, end, Severity(span["severity"])))
    for one, other in spans_overlapping(placed):
        return f"spans {one + 1} and {other + 1} overlap."
    return ""


def text_lengths(block_id: int) -> list[int]:
    """Return the number of characters of each text of a block, in display order."""
    lengths = ArraySubquery(outputs_of().values(length=Length("text")))
    row = Block.objects.values_list(lengths, "stands_for").get(pk=block_id)
    return [length or 0 for length, *_same in by_candidate(*row)]


_KINDS: Final = (ERROR, MISSING)
_SWITCHES: Final = ("spans_asked", "missing")
#: Rule for asking judges to confirm a score.
_THRESHOLDS: Final = asdict(ContradictionRule())
_RULES: Final[dict[str, forms.Field]] = {
    QUESTION: QuestionField(),
    "spans_asked": forms.BooleanField(
        label=gettext_lazy("Judges mark errors before they score"), initial=True, required=False
    ),
    "missing": forms.BooleanField(
        label=gettext_lazy("Judges can mark missing content"),
        initial=True,
        required=False,
    ),
    **{
        # If empty, the defaults apply.
        name: forms.IntegerField(
            label=label,
            initial=_THRESHOLDS[name],
            min_value=0,
            max_value=MAX_SCORE,
            required=False,
        )
        for name, label in (
            (
                "error_free_from",
                gettext_lazy("Confirm if there are no errors and the score is below"),
            ),
            (
                "perfect_from",
                gettext_lazy("Confirm if there is an error and the score is at least"),
            ),
            (
                "major_below",
                gettext_lazy("Confirm if there is a major error and the score is at least"),
            ),
            ("margin", gettext_lazy("Confirm if there are more errors but the score is higher by")),
        )
    },
}
#: Returns the rules of a task, completed with defaults.
rules_complete: Final = partial(rules_completed, _RULES)

#: Average number of points that a simulated error costs, and the share of major errors.
_POINTS_AN_ERROR: Final = 20
_MAJOR: Final = 0.3
#: Noise of a simulated judge's scores of the same output, and the share of errors that are
#: omissions.
_NOISE: Final = 4.0
_MISSING: Final = 0.1
_A_WORD: Final = re.compile(r"\S+")


class SpanSerializer(serializers.Serializer[object]):
    """A marked error."""

    start = serializers.IntegerField(
        min_value=0,
        max_value=MAX_CHARACTERS,
        allow_null=True,
        default=None,
        help_text="The first character, in Unicode code points of the output as shown, from 0; null if missing.",
    )
    end = serializers.IntegerField(
        min_value=0,
        max_value=MAX_CHARACTERS,
        allow_null=True,
        default=None,
        help_text="The character after the last; null if missing.",
    )
    severity = serializers.ChoiceField(choices=[each.value for each in Severity])
    kind = serializers.ChoiceField(
        choices=_KINDS,
        default=ERROR,
        help_text="“missing”: content is missing from the output; has no position.",
    )


class ScoredOutputSerializer(serializers.Serializer[object]):
    """The score and the marked errors of an output."""

    score = serializers.IntegerField(
        min_value=0, max_value=MAX_SCORE, help_text="0: no meaning preserved; 100: perfect."
    )
    spans = serializers.ListField(
        child=SpanSerializer(),
        max_length=MAX_SPANS,
        default=list,
        help_text="Spans must not overlap.",
    )


class SpansAnswerSerializer(serializers.Serializer[object]):
    """Scores and errors of the outputs, in display order."""

    outputs = serializers.ListField(
        child=ScoredOutputSerializer(), min_length=1, max_length=MAX_OUTPUTS
    )

    def to_internal_value(self, data: Any) -> Any:
        """Refuse invalid answers with errors that name the output, in the form of
        `answer_validated`.
        """
        try:
            return super().to_internal_value(data)
        except serializers.ValidationError as error:
            words = list(_in_words(error.detail))
            raise serializers.ValidationError({api_settings.NON_FIELD_ERRORS_KEY: words}) from error


class ContradictionRuleSerializer(serializers.Serializer[object]):
    """Thresholds for asking the judge to confirm a score that contradicts the errors."""

    error_free_from = serializers.IntegerField(help_text="Lower scores need an error.")
    perfect_from = serializers.IntegerField(help_text="Scores from here on have no error.")
    major_below = serializers.IntegerField(help_text="Scores from here on have no major error.")
    margin = serializers.IntegerField(
        help_text="Smaller differences between scores do not contradict the numbers of errors."
    )


class SpansRulesSerializer(QuestionSerializer):
    """Options of a task with error spans and scores."""

    spans_asked = serializers.BooleanField(help_text="Judges mark errors before they score.")
    missing = serializers.BooleanField(help_text="Judges can mark missing content.")
    contradictions = ContradictionRuleSerializer()


def _in_words(detail: Any, *path: str | int) -> Iterator[str]:
    """Yield the errors, by output and span. Errors in lists are keyed by index, from 0."""
    if isinstance(detail, dict):
        for name, below in detail.items():
            step = [] if name == api_settings.NON_FIELD_ERRORS_KEY else [name]
            yield from _in_words(below, *path, *step)
    elif isinstance(detail, list):
        for below in detail:
            yield from _in_words(below, *path)
    elif len(path) > 1 and isinstance(path[1], int):
        yield _of_output(path[1], _named(path[2:], detail))
    else:
        yield _named(path, detail)


def _named(path: Sequence[str | int], words: str) -> str:
    steps = [str(step + 1 if isinstance(step, int) else step) for step in path]
    return f"{' '.join(steps)}: {words}" if steps else str(words)


def _of_output(place: int, words: str) -> str:
    """Return a message about an output, named by its letter on the page."""
    return f"Output {chr(ord('A') + place)}: {words}"


def _labels(answer: Mapping[str, Any], _candidates: int) -> list[int | None]:
    """Return the ranks implied by the scores; equal scores tie."""
    scores = [output["score"] for output in answer["outputs"]]
    order = sorted(set(scores), reverse=True)
    return [order.index(score) + 1 for score in scores]


def _refusal(assigned: AssignedBlock, answer: Mapping[str, Any]) -> SubmissionRefusedError | None:
    outputs, shown = answer["outputs"], len(assigned.candidates)
    if len(outputs) != shown:
        return answer_refused(f"{len(outputs)} outputs are scored, but {shown} are shown.")
    rules = rules_complete(assigned.rules)
    if any(spans_refusal(output["spans"], MAX_CHARACTERS, rules) for output in outputs):
        return _refusal_by_texts(assigned, answer)
    return None


def _refusal_by_texts(
    assigned: AssignedBlock, answer: Mapping[str, Any]
) -> SubmissionRefusedError | None:
    """Return the reason why a span does not fit the length of its text, naming the output."""
    rules, lengths = rules_complete(assigned.rules), text_lengths(assigned.block_id)
    for place, (output, length) in enumerate(zip(answer["outputs"], lengths, strict=True)):
        words = spans_refusal(output["spans"], length, rules)
        if words:
            return answer_refused(_of_output(place, words))
    return None


def _row(answer: Mapping[str, Any], _part: int) -> dict[str, Any]:
    outputs = answer["outputs"]
    spans = [(place, span) for place, output in enumerate(outputs, 1) for span in output["spans"]]
    return {
        "scores": [output["score"] for output in outputs],
        "span_candidates": [place for place, _span in spans],
        "span_starts": [span["start"] for _place, span in spans],
        "span_ends": [span["end"] for _place, span in spans],
        "span_majors": [span["severity"] == Severity.MAJOR for _place, span in spans],
    }


def span_json(span: Span) -> dict[str, Any]:
    """Return a span in the form of an answer."""
    return {
        "start": span.start,
        "end": span.end,
        "severity": span.severity.value,
        "kind": MISSING if span.is_missing_content else ERROR,
    }


def answer_json(answer: SpansAnswer) -> dict[str, Any]:
    """Return a stored answer in the form in which it was given."""
    outputs: list[dict[str, Any]] = [{"score": score, "spans": []} for score in answer.scores]
    spans = zip(
        answer.span_candidates,
        answer.span_starts,
        answer.span_ends,
        answer.span_majors,
        strict=True,
    )
    for candidate, start, end, is_major in spans:
        severity = Severity.MAJOR if is_major else Severity.MINOR
        outputs[candidate - 1]["spans"].append(span_json(Span(start, end, severity)))
    return {"outputs": outputs}


def _cell_kinds(candidates: int) -> dict[str, type]:
    columns = numbered_columns("score", int, candidates)
    columns |= numbered_columns("minor_errors", int, candidates)
    return columns | numbered_columns("major_errors", int, candidates)


def _cells(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the score and the numbers of errors of each output."""
    outputs = answer["outputs"]
    cells = numbered_cells("score", [output["score"] for output in outputs])
    for severity in Severity:
        counts = [
            sum(span["severity"] == severity.value for span in output["spans"])
            for output in outputs
        ]
        cells |= numbered_cells(f"{severity.value}_errors", counts)
    return cells


def spans_are_asked(rules: Mapping[str, Any]) -> bool:
    """Return whether judges of a task with these rules mark errors."""
    return bool(rules_complete(rules)["spans_asked"])


def asked_about(rules: Mapping[str, Any]) -> ContradictionRule:
    """Return the thresholds at which a task with these rules asks judges to confirm a score."""
    complete = rules_complete(rules)
    return ContradictionRule(**{name: complete[name] for name in _THRESHOLDS})


def _shown_rules(_campaign: Campaign, rules: Mapping[str, Any]) -> Rules:
    complete = rules_complete(rules)
    switches = {name: complete[name] for name in _SWITCHES}
    return {**switches, "contradictions": asdict(asked_about(complete))}


def _simulated(perceived: Perceived) -> dict[str, Any]:
    """Return scores from 0 to 100 near the outputs' qualities, in the order of their ranks."""
    judged = list(zip(perceived.qualities, perceived.labels, strict=True))
    ranks = sorted(set(perceived.labels))
    means = []
    for rank in ranks:
        own = [quality for quality, label in judged if label == rank]
        means.append(perceived.random.gauss(sum(own) / len(own), _NOISE))
    score_of: dict[int, int] = {}
    above = MAX_SCORE + 1
    for place, (rank, mean) in enumerate(zip(ranks, sorted(means, reverse=True), strict=True)):
        # Leave room for the following scores.
        above = max(len(ranks) - 1 - place, min(above - 1, round(mean)))
        score_of[rank] = above
    return {"outputs": [{"score": score_of[label], "spans": []} for label in perceived.labels]}


def _simulated_on(
    answer: Mapping[str, Any], texts: Sequence[str], rules: Mapping[str, Any], random: Random
) -> dict[str, Any]:
    """Return a simulated answer with errors marked in the texts, more for lower scores."""
    asked = rules_complete(rules)
    if not asked["spans_asked"]:
        return dict(answer)
    return {
        "outputs": [
            {
                "score": output["score"],
                "spans": list(
                    map(span_json, _drawn_spans(text, output["score"], random, asked["missing"]))
                ),
            }
            for output, text in zip(answer["outputs"], texts, strict=True)
        ]
    }


def _drawn_spans(text: str, score: int, random: Random, missing: bool) -> Iterator[Span]:
    """Yield errors on random words of a text, in order, more for a lower score."""
    words = list(_A_WORD.finditer(text))
    lost = (MAX_SCORE - score) / _POINTS_AN_ERROR
    count = min(len(words), int(lost + random.random()))
    for word in sorted(random.sample(words, count), key=lambda word: word.start()):
        severity = Severity.MAJOR if random.random() < _MAJOR else Severity.MINOR
        if missing and random.random() < _MISSING:
            yield Span(None, None, severity)
        else:
            yield Span(*word.span(), severity)


ANSWERS: Final = AnswerKind(
    protocol=Protocol.SPANS,
    candidates=range(1, MAX_OUTPUTS + 1),
    first_candidates=1,
    candidates_in_words=gettext_lazy(
        "One output: scored alone (ESA). Two to five: scored side by side (contrastive ESA)."
    ),
    serializer=SpansAnswerSerializer,
    labels=_labels,
    refusal=_refusal,
    refusal_by_database=_refusal_by_texts,
    table=SpansAnswer,
    row=_row,
    as_given=answer_json,
    cell_kinds=_cell_kinds,
    not_in_cells=gettext_lazy("positions of errors"),
    cells=_cells,
    shown_rules=_shown_rules,
    rules_serializer=SpansRulesSerializer,
    simulated=_simulated,
    score_of_one=lambda answer: float(answer["outputs"][0]["score"]),
    simulated_on=_simulated_on,
    rules_fields=_RULES,
)
