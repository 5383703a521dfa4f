"""Answers about error spans and scores: a score for each output, and the errors marked in it (ESA, contrastive ESA).

With the rule `spans_asked` off, judges give only scores, as in direct assessment; with `scored` off, only
errors, as in MQM. Scores that contradict the spans are stored unchanged: it is the judge page that asks for
confirmation.

Errors alone imply no labels: weights can change later, so all numbers are computed from the errors when they
are read, and the outputs of a judgment tie.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from random import Random
from statistics import fmean
from typing import Final, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef
from django.db.models.functions import JSONArray, Length
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from rest_framework import serializers

from annotation.models import Block
from annotation.models.block import by_candidate
from annotation.models.hit import IsAnyOf
from annotation.protocols.answer_kinds import (
    AnswerKind,
    PageSerializer,
    Perceived,
    QuestionSerializer,
    Rules,
    ScoresOneOutput,
    ShownRules,
    Stage,
    numbered_cells,
    numbered_columns,
)
from annotation.protocols.submissions import (
    AssignedBlock,
    SubmissionRefusedError,
    answer_refused,
)
from annotation.selectors.shown import outputs_of
from campaign.api.constants import ConstantField
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, Judge, Protocol
from campaign.texts.joining import labelled, sentence_list
from protocols.models import SpansAnswer, SuggestedSpans
from protocols.spans.presets import (
    ESA,
    MQM,
    MQM_GOOGLE,
    SCORES,
    SPANS_PRESETS,
)
from protocols.spans.records import (
    ERROR,
    MAX_CHARACTERS,
    MAX_OUTPUTS,
    MAX_SCORE,
    MAX_SPANS,
    MISSING,
    SOURCE,
    OutputJSON,
    Severity,
    Span,
    SpanJSON,
    SpansAnswerJSON,
    Start,
    StartJSON,
    spans_overlapping,
)
from protocols.spans.rules import (
    FIELDS,
    WEIGHTS,
    SpansRules,
    asked_about,
    categories_of,
    has_categories,
    is_scored,
    kinds_allowed,
    rules_complete,
    severities_of,
    spans_are_asked,
    weights_of,
)
from protocols.spans.taxonomy import MAX_CATEGORY, TAXONOMIES
from protocols.spans.weights import Weights

#: Names of severities, and when judges choose each.
SEVERITY_NAMES: Final = {
    Severity.NEUTRAL: pgettext_lazy("severity", "neutral"),
    Severity.MINOR: gettext_lazy("minor"),
    Severity.MAJOR: gettext_lazy("major"),
    Severity.CRITICAL: pgettext_lazy("severity", "critical"),
}
_SEVERITY_MEANINGS: Final = {
    Severity.NEUTRAL: gettext_lazy("a difference that is not an error."),
    Severity.MINOR: gettext_lazy("style, grammar or choice of words could be better."),
    Severity.MAJOR: gettext_lazy(
        "the meaning is changed, or the text is hard to understand.",
    ),
    Severity.CRITICAL: gettext_lazy("the text is unusable or does harm."),
}


class TextLengths(NamedTuple):
    """Numbers of characters of an output and its source."""

    output: int
    source: int


def spans_refusal(
    spans: Sequence[SpanJSON],
    lengths: TextLengths,
    rules: SpansRules,
    *,
    is_imported: bool = False,
) -> str:
    """Return what is wrong with the spans of an output; empty if they are valid.

    Files may have categories that judges cannot choose, and overlapping spans: some tools mark each error on its own.
    """
    if spans and not rules["spans_asked"]:
        return "this task has scores only. Remove the spans."
    valid: list[Span] = []
    for number, values in enumerate(spans, 1):
        try:
            span = span_read(values)
        except ValueError as error:
            return f"span {number}: {error}."
        problem = _span_refusal(span, lengths, rules)
        if not problem and not is_imported:
            problem = _category_refusal(span.category, rules)
        if problem:
            return f"span {number}{problem}"
        valid.append(span)
    if is_imported:
        return ""
    for one, other in spans_overlapping(valid):
        return f"spans {one + 1} and {other + 1} overlap."
    return ""


def _span_refusal(span: Span, lengths: TextLengths, rules: SpansRules) -> str:
    """Return what is wrong with a span, after its number; empty if it is valid."""
    if span.is_missing_content and not rules["missing"]:
        return ": this task does not allow marking missing content."
    if span.kind not in kinds_allowed(rules):
        return f": this task has no marks of the kind “{span.kind}”."
    if span.severity not in rules["severities"]:
        return f": this task has no {span.severity} errors."
    if span.kind == SOURCE:
        length = lengths.source
    else:
        length = lengths.output
    if span.end is not None and span.end > length:
        return f", from {span.start} to {span.end}, marks no part of the text, which has {length} characters."
    return ""


def _category_refusal(category: str, rules: SpansRules) -> str:
    if not category:
        return ": choose a category." if has_categories(rules) else ""
    if rules["free_categories"] or category in categories_of(rules):
        return ""
    return f": this task has no category “{category}”."


def span_read(span: SpanJSON) -> Span:
    """Return a span of an answer, or one that was suggested."""
    return Span(
        start=span.get("start"),
        end=span.get("end"),
        severity=Severity(span["severity"]),
        category=span.get("category", ""),
        kind=span.get("kind", ERROR),
    )


def start_read(start: StartJSON) -> Start:
    """Return what a judge started from, as `start_object` stores it."""
    return Start(
        spans=tuple(map(span_read, start["spans"])),
        is_shown=start.get("is_shown", True),
        planted=start.get("planted"),
    )


def text_lengths(assigned: AssignedBlock) -> list[TextLengths]:
    """Return the number of characters of each text of a block, in display order, with that of the source.

    One query, or none for an imported answer.
    """
    texts = assigned.unstored_texts
    if texts is not None:
        source_length = len(texts.source or "")
        return [
            TextLengths(len(text or ""), source_length) for text in texts.candidates
        ]
    block = Block.objects.annotate(
        output_lengths=ArraySubquery(outputs_of().values(length=Length("text"))),
        source_length=Length("segment__source_text"),
    ).get(pk=assigned.block_id)
    lengths = []
    for length, *_same in by_candidate(block.output_lengths, block.stands_for):
        lengths.append(TextLengths(length or 0, block.source_length or 0))
    if assigned.is_reversed:
        return lengths[::-1]
    return lengths


#: Average number of points that a simulated error costs, and the share of major errors.
_POINTS_AN_ERROR: Final = 20
_MAJOR: Final = 0.3
#: Noise of a simulated judge's scores of the same output, and the share of errors that are
#: omissions.
_NOISE: Final = 4.0
_MISSING: Final = 0.1
_A_WORD: Final = re.compile(r"\S+")
#: The category that simulated judges enter in tasks without a list.
_ENTERED_CATEGORY: Final = "Other"


class SpanSerializer(PlainSerializer):
    """A marked error."""

    start = serializers.IntegerField(
        min_value=0,
        max_value=MAX_CHARACTERS,
        allow_null=True,
        default=None,
        help_text="The first character, in Unicode code points of the text as shown, from 0; null for missing content and special marks.",
    )
    end = serializers.IntegerField(
        min_value=0,
        max_value=MAX_CHARACTERS,
        allow_null=True,
        default=None,
        help_text="The character after the last; null for missing content and special marks.",
    )
    severity = serializers.ChoiceField(
        choices=[severity.value for severity in Severity],
    )
    kind = serializers.CharField(
        max_length=MAX_CATEGORY,
        default=ERROR,
        help_text="“error”: in the output; “source”: in the source; “missing”: content is missing from the output; otherwise a special mark of the task.",
    )
    category = serializers.CharField(
        max_length=MAX_CATEGORY,
        required=False,
        help_text="A category of the task, such as “Accuracy/Addition”.",
    )


class ScoredOutputSerializer(PlainSerializer):
    """The score and the marked errors of an output."""

    score = serializers.IntegerField(
        min_value=0,
        max_value=MAX_SCORE,
        allow_null=True,
        default=None,
        help_text="0: no meaning preserved; 100: perfect. Null if the task asks for no scores.",
    )
    spans = serializers.ListField(
        child=SpanSerializer(),
        max_length=MAX_SPANS,
        default=list,
        help_text="Spans must not overlap.",
    )


class SpansAnswerSerializer(PlainSerializer):
    """Scores and errors of the outputs, in display order."""

    kind = ConstantField("spans")
    outputs = serializers.ListField(
        child=ScoredOutputSerializer(),
        min_length=1,
        max_length=MAX_OUTPUTS,
    )


class ContradictionRuleSerializer(PlainSerializer):
    """Thresholds for asking the judge to confirm a score that contradicts the errors."""

    error_free_from = serializers.IntegerField(help_text="Lower scores need an error.")
    perfect_from = serializers.IntegerField(
        help_text="Scores from here on have no error.",
    )
    major_below = serializers.IntegerField(
        help_text="Scores from here on have no major error.",
    )
    margin = serializers.IntegerField(
        help_text="Smaller differences between scores do not contradict the numbers of errors.",
    )


class SpansRulesSerializer(PageSerializer, QuestionSerializer):
    """Options of a task with error spans and scores."""

    protocol = ConstantField(Protocol.SPANS)
    spans_asked = serializers.BooleanField(
        help_text="Judges mark errors before they score.",
    )
    scored = serializers.BooleanField(help_text="Judges score each output.")
    missing = serializers.BooleanField(help_text="Judges can mark missing content.")
    source_marked = serializers.BooleanField(
        help_text="Judges can mark errors in the source.",
    )
    marks = serializers.ListField(
        child=serializers.CharField(),
        help_text="Special marks without a position.",
    )
    severities = serializers.ListField(
        child=serializers.ChoiceField(
            choices=[severity.value for severity in Severity],
        ),
    )
    categories = serializers.ListField(
        child=serializers.CharField(),
        help_text="Those below another follow a slash.",
    )
    free_categories = serializers.BooleanField(
        help_text="Judges can enter other categories.",
    )
    contradictions = ContradictionRuleSerializer()


def _output_message(index: int, problem: str) -> str:
    """Return a message about an output, named by its letter on the page."""
    return f"Output {chr(ord('A') + index)}: {problem}"


#: Severities by the number that the table holds.
_SEVERITIES: Final = tuple(Severity)


def span_json(span: Span) -> SpanJSON:
    """Return a span in the form of an answer."""
    values: SpanJSON = {
        "start": span.start,
        "end": span.end,
        "severity": span.severity.value,
        "kind": span.kind,
    }
    if span.category:
        values["category"] = span.category
    return values


def answer_json(answer: SpansAnswer) -> SpansAnswerJSON:
    """Return a stored answer in the form in which it was given."""
    outputs: list[OutputJSON] = []
    for score in answer.scores:
        outputs.append({"score": score, "spans": []})
    count = len(answer.span_candidates)
    spans = zip(
        answer.span_starts,
        answer.span_ends,
        [_SEVERITIES[number] for number in answer.span_severities],
        answer.span_categories or [""] * count,
        answer.span_kinds or [ERROR] * count,
        strict=True,
    )
    for candidate, span in zip(answer.span_candidates, spans, strict=True):
        outputs[candidate - 1]["spans"].append(span_json(Span(*span)))
    return {"outputs": outputs}


def _starts(
    block_ids: Sequence[int],
    judge_id: int,
) -> dict[int, list[StartJSON | None]]:
    """Return the starts of each block's candidates: the first suggestion for an output that is not by the judge. One query."""
    own = Judge.objects.filter(pk=judge_id).values("pseudonym")
    of_block = SuggestedSpans.objects.filter(
        IsAnyOf(F("output"), OuterRef("outputs")),
        task=OuterRef("hit__task"),
    )
    suggested = of_block.exclude(source__in=own).order_by("-pk")
    blocks = Block.objects.filter(pk__in=block_ids).annotate(
        suggested=ArraySubquery(suggested.values(row=JSONArray("output", "start"))),
    )
    starts = {}
    for block in blocks.only("outputs", "stands_for"):
        by_output: dict[int, StartJSON] = dict(block.suggested)
        of_outputs = [by_output.get(output) for output in block.outputs]
        starts_of_block = []
        for of_candidate in by_candidate(of_outputs, block.stands_for):
            starts_of_block.append(next(filter(None, of_candidate), None))
        starts[block.pk] = starts_of_block
    return starts


def _suggestion_shown(stored: StartJSON | None) -> Rules:
    """Return the field of a candidate with the errors suggested in it, if they are shown."""
    if stored is None:
        return {}
    start = start_read(stored)
    if not start.is_shown or not start.spans:
        return {}
    return {"suggested": [span_json(span) for span in start.spans]}


class SpansAnswers(ScoresOneOutput, AnswerKind):
    """Errors marked in outputs, scores of outputs, or both."""

    protocol = Protocol.SPANS
    sentence = gettext_lazy(
        "Judges mark errors in one to five outputs and score each from 0 to 100.",
    )
    candidates = range(1, MAX_OUTPUTS + 1)
    first_candidates = 1
    candidates_in_words = gettext_lazy(
        "One output: scored alone (ESA). Two to five: scored side by side (contrastive ESA).",
    )
    serializer = SpansAnswerSerializer
    rules_serializer = SpansRulesSerializer
    rules_fields = FIELDS
    changeable_rules = frozenset({WEIGHTS})
    table = SpansAnswer
    not_in_cells = gettext_lazy("positions of errors")
    screen_words = {
        "spans_question": gettext_lazy(
            "Mark the errors and give a score from 0 to 100.",
        ),
        "marks_question": gettext_lazy("Mark the errors."),
        "scores_question": gettext_lazy("Give a score from 0 to 100."),
        "output": gettext_lazy("Output {letter}"),
        "output_alone": gettext_lazy("Output"),
        "source_of_output": gettext_lazy("Source of output {letter}"),
        "neutral_error": gettext_lazy("neutral mark"),
        "critical_error": gettext_lazy("critical error"),
        "neutral": SEVERITY_NAMES[Severity.NEUTRAL],
        "critical": SEVERITY_NAMES[Severity.CRITICAL],
        "severity_wanted": gettext_lazy(
            "The selected words have no severity yet. Choose one, or cancel the selection.",
        ),
        "still_to_categorise": gettext_lazy("Errors without a category: {letters}"),
        "still_to_categorise_alone": gettext_lazy(
            "There are errors without a category",
        ),
        "errors_said": gettext_lazy("Errors: {n}"),
        "minor_error": gettext_lazy("minor error"),
        "major_error": gettext_lazy("major error"),
        "minor": SEVERITY_NAMES[Severity.MINOR],
        "major": SEVERITY_NAMES[Severity.MAJOR],
        "suggested": pgettext_lazy("error", "suggested"),
        "remove": gettext_lazy("Remove"),
        "cancel": gettext_lazy("Cancel"),
        "unmarked": gettext_lazy("unmarked"),
        "selected": pgettext_lazy("output", "selected"),
        "missing_content": gettext_lazy("missing content"),
        "nothing_missing": gettext_lazy("nothing missing"),
        "mark_undone": gettext_lazy("Change of marks undone."),
        "marks_full": gettext_lazy("No more errors can be marked in this output."),
        "by_characters": gettext_lazy("Arrow keys move by character."),
        "by_words": gettext_lazy("Arrow keys move by word."),
        "score_of": gettext_lazy("Score of output {letter}, 0 to 100"),
        "score_alone": gettext_lazy("Score, 0 to 100"),
        "no_score": gettext_lazy("No score yet."),
        "score_invalid": gettext_lazy("Enter a whole number from 0 to 100."),
        "still_to_score": gettext_lazy("{letters} not scored yet"),
        "still_to_score_alone": gettext_lazy("Not scored yet"),
        "all_scored": gettext_lazy("All scored"),
        "perfect_with_error": gettext_lazy(
            "Output {letter} has a marked error and a score of {score}.",
        ),
        "high_with_major": gettext_lazy(
            "Output {letter} has a major error and a score of {score}.",
        ),
        "low_without_error": gettext_lazy(
            "Output {letter} has no marked error and a score of {score}.",
        ),
        "perfect_with_error_alone": gettext_lazy(
            "This output has a marked error and a score of {score}.",
        ),
        "high_with_major_alone": gettext_lazy(
            "This output has a major error and a score of {score}.",
        ),
        "low_without_error_alone": gettext_lazy(
            "This output has no marked error and a score of {score}.",
        ),
        "better_with_more_errors": gettext_lazy(
            "Output {better} has more errors than output {worse} but a higher score: {score} against {other_score}.",
        ),
    }

    @cached_property
    def typed_rules(self) -> SpansRules:
        return rules_complete(self.stored_rules)

    @property
    def is_scored(self) -> bool:
        return is_scored(self.stored_rules)

    @property
    def name(self) -> Promise | str:
        rules = self.stored_rules
        if not spans_are_asked(rules):
            return SCORES
        if self.is_scored:
            return self.protocol.label if has_categories(rules) else ESA
        if not has_categories(rules):
            return gettext_lazy("Error spans")
        if rules.get("categories") == list(TAXONOMIES["google-2021"]):
            return MQM_GOOGLE
        return MQM

    @property
    def work(self) -> str:
        rules = self.stored_rules
        if not spans_are_asked(rules):
            return _("You give each output a score from 0 to 100.")
        if self.is_scored:
            return _(
                "You mark the errors in an output and give it a score from 0 to 100.",
            )
        if has_categories(rules):
            return _("You mark the errors in an output and categorise each.")
        return _("You mark the errors in an output.")

    def criterion(self, *, outputs_are_media: bool = False) -> str:
        rules = self.stored_rules
        sentences: list[object] = [self.own_question]
        if spans_are_asked(rules):
            for severity in reversed(severities_of(rules)):
                name = capfirst(str(SEVERITY_NAMES[severity]))
                sentences.append(labelled(name, _SEVERITY_MEANINGS[severity]))
        if self.is_scored:
            sentences.append(_("The score is for the whole output."))
        return sentence_list(sentences)

    @property
    def asks_otherwise(self) -> bool:
        rules = self.stored_rules
        return not (self.is_scored and spans_are_asked(rules)) or has_categories(rules)

    @property
    def orders_outputs(self) -> bool:
        return self.is_scored

    @property
    def why_not_ranked(self) -> str:
        if not self.orders_outputs:
            return _(
                "Judges give no scores, so marked errors do not order outputs. Compare systems by weights of errors in the analysis of error spans.",
            )
        return super().why_not_ranked

    @cached_property
    def severities(self) -> list[Severity]:
        return severities_of(self.stored_rules)

    @cached_property
    def categories(self) -> list[str]:
        return categories_of(self.stored_rules)

    def shown_rules(self, campaign: Campaign, part: int) -> ShownRules:
        rules = self.typed_rules
        return {
            "spans_asked": rules["spans_asked"],
            "missing": rules["missing"],
            "source_marked": rules["source_marked"],
            "marks": rules["marks"],
            "severities": rules["severities"],
            "free_categories": rules["free_categories"],
            "categories": categories_of(rules),
            "scored": is_scored(rules),
            "contradictions": asdict(asked_about(rules)),
        }

    def stages(self, block_ids: Sequence[int], judge_id: int) -> dict[int, Stage]:
        """Return the errors suggested in each block's candidates. Without any, a candidate looks as if it is shown without."""
        stages = {}
        for block_id, starts in _starts(block_ids, judge_id).items():
            suggestions = tuple(_suggestion_shown(start) for start in starts)
            stages[block_id] = Stage(rules={}, beside=suggestions)
        return stages

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: SpansAnswerJSON,
    ) -> SubmissionRefusedError | None:
        outputs = answer["outputs"]
        candidates = len(assigned.candidates)
        if len(outputs) != candidates:
            return answer_refused(
                f"{len(outputs)} outputs are answered, but {candidates} are shown.",
            )
        if self.is_scored:
            problem = "give a score."
        else:
            problem = "this task asks for no scores."
        for index, output in enumerate(outputs):
            if self.is_scored is (output["score"] is None):
                return answer_refused(_output_message(index, problem))
        if not any(output["spans"] for output in outputs):
            return None
        lengths = text_lengths(assigned)
        for index, (output, length) in enumerate(zip(outputs, lengths, strict=True)):
            problem = spans_refusal(
                output["spans"],
                length,
                self.typed_rules,
                is_imported=assigned.is_imported,
            )
            if problem:
                return answer_refused(_output_message(index, problem))
        return None

    def labels(self, answer: SpansAnswerJSON, candidates: int) -> list[int | None]:
        """Return the ranks implied by the scores; equal scores, and outputs without scores, tie."""
        if not self.is_scored:
            return [1] * candidates
        scores = [output["score"] or 0 for output in answer["outputs"]]
        order = sorted(set(scores), reverse=True)
        return [order.index(score) + 1 for score in scores]

    def score_of_one(self, answer: SpansAnswerJSON) -> float:
        """Return the score of the only output, given or by the weights of its errors."""
        [output] = answer["outputs"]
        return output_score(output, weights_of(self.stored_rules))

    def row(self, answer: SpansAnswerJSON, part: int) -> dict[str, object]:
        outputs = answer["outputs"]
        starts = [output.get("start") for output in outputs]
        candidates = []
        spans = []
        usual_kinds = []
        for number, output in enumerate(outputs, 1):
            for sent in output["spans"]:
                span = span_read(sent)
                candidates.append(number)
                spans.append(span)
                if span.start is None:
                    usual_kinds.append(MISSING)
                else:
                    usual_kinds.append(ERROR)
        row: dict[str, object] = {
            "starts": None,
            "scores": [output["score"] for output in outputs],
            "span_candidates": candidates,
            "span_starts": [span.start for span in spans],
            "span_ends": [span.end for span in spans],
            "span_severities": [_SEVERITIES.index(span.severity) for span in spans],
            "span_categories": [],
            "span_kinds": [],
        }
        if any(starts):
            row["starts"] = starts
        categories = [span.category for span in spans]
        if any(categories):
            row["span_categories"] = categories
        kinds = [span.kind for span in spans]
        if kinds != usual_kinds:
            row["span_kinds"] = kinds
        return row

    def started_from(self, block_id: int, judge_id: int) -> dict[str, object]:
        starts = _starts([block_id], judge_id)[block_id]
        return {"starts": starts if any(starts) else None}

    def submitted(self, row: SpansAnswer) -> SpansAnswerJSON:
        return answer_json(row)

    def recorded(self, row: SpansAnswer) -> SpansAnswerJSON:
        """Return a stored answer with what the judge started from in each output."""
        outputs = answer_json(row)["outputs"]
        for output, start in zip(outputs, row.starts or [], strict=False):
            output["start"] = start
        return {"outputs": outputs}

    def cell_kinds(self, candidates: int) -> dict[str, type]:
        columns: dict[str, type] = (
            {"starts": str} if self.typed_rules["spans_asked"] else {}
        )
        if self.is_scored:
            columns |= numbered_columns("score", int, candidates)
        for severity in self.severities:
            columns |= numbered_columns(f"{severity}_errors", int, candidates)
        return columns

    def cells(self, answer: SpansAnswerJSON) -> dict[str, object]:
        """Return the score and the numbers of errors of each output, and in JSON what the judge started from."""
        outputs = answer["outputs"]
        cells: dict[str, object] = {}
        starts = [output.get("start") for output in outputs]
        if any(starts):
            cells["starts"] = json.dumps(starts, ensure_ascii=False)
        if self.is_scored:
            cells |= numbered_cells("score", [output["score"] for output in outputs])
        for severity in self.severities:
            counts = []
            for output in outputs:
                counts.append(
                    sum(span["severity"] == severity for span in output["spans"]),
                )
            cells |= numbered_cells(f"{severity}_errors", counts)
        return cells

    def simulated(self, perceived: Perceived) -> SpansAnswerJSON:
        """Return scores from 0 to 100 near the outputs' qualities, in the order of their ranks."""
        qualities: dict[int, list[float]] = defaultdict(list)
        for label, quality in zip(perceived.labels, perceived.qualities, strict=True):
            qualities[label].append(quality)
        ranks = sorted(qualities)
        means = []
        for rank in ranks:
            means.append(perceived.random.gauss(fmean(qualities[rank]), _NOISE))
        means.sort(reverse=True)
        score_of: dict[int, int] = {}
        above = MAX_SCORE + 1
        for index, (rank, mean) in enumerate(zip(ranks, means, strict=True)):
            # Leave room for the following scores.
            following = len(ranks) - 1 - index
            above = max(following, min(above - 1, round(mean)))
            score_of[rank] = above
        outputs: list[OutputJSON] = []
        for label in perceived.labels:
            outputs.append({"score": score_of[label], "spans": []})
        return {"outputs": outputs}

    def simulated_on(
        self,
        answer: SpansAnswerJSON,
        texts: Sequence[str],
        random: Random,
    ) -> SpansAnswerJSON:
        """Return a simulated answer with errors marked in the texts, more for lower scores."""
        if not self.typed_rules["spans_asked"]:
            return answer
        outputs: list[OutputJSON] = []
        for output, text in zip(answer["outputs"], texts, strict=True):
            score = output["score"]
            spans = []
            for span in self._drawn_spans(text, score or 0, random):
                spans.append(span_json(span))
            outputs.append({"score": score if self.is_scored else None, "spans": spans})
        return {"outputs": outputs}

    def _drawn_spans(self, text: str, score: int, random: Random) -> Iterator[Span]:
        """Yield errors on random words of a text, in order, more for a lower score."""
        words = list(_A_WORD.finditer(text))
        lost = (MAX_SCORE - score) / _POINTS_AN_ERROR
        count = min(len(words), int(lost + random.random()))
        for word in sorted(random.sample(words, count), key=lambda word: word.start()):
            severity = self._drawn_severity(random)
            is_missing = self.typed_rules["missing"] and random.random() < _MISSING
            if is_missing:
                start = None
                end = None
            else:
                start, end = word.span()
            if self.categories:
                category = random.choice(self.categories)
            elif has_categories(self.stored_rules):
                category = _ENTERED_CATEGORY
            else:
                category = ""
            yield Span(start, end, severity, category)

    def _drawn_severity(self, random: Random) -> Severity:
        if random.random() < _MAJOR:
            severity = Severity.MAJOR
        else:
            severity = Severity.MINOR
        if severity in self.severities:
            return severity
        return self.severities[0]


def output_score(output: OutputJSON, weights: Weights) -> float:
    """Return the score of an output in an answer, given or by the weights of its errors."""
    if output["score"] is not None:
        return float(output["score"])
    error_points = 0.0
    for span in output["spans"]:
        error_points += weights.weight_of(span_read(span))
    return 0.0 - error_points


ANSWERS: Final = SpansAnswers
PRESETS: Final = SPANS_PRESETS
