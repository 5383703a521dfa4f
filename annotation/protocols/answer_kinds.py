"""Registry of the protocol-specific parts of answering; each protocol registers its own.

Lending, numbering, history, limits, time sheets and exports handle judgments of any protocol. The
`AnswerKind` of a protocol defines its answers: the request, the implied order of the outputs, and the
storage of everything else.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.serializers import Serializer

from annotation.models import Design, Judgment
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, Task
from campaign.texts.by_language import (
    TextsField,
    TextsJSON,
    lines_checked,
    text_in_active_language,
)
from campaign.texts.counted import counted
from campaign.texts.refusals import RefusedError

#: Answer to a block: labels, or an object with the fields of the protocol.
Answer = Any
#: Choices that a protocol leaves to organisers, in JSON.
Rules = dict[str, Any]
#: Name of a rule, with its form field, of protocols that show an output without source and references.
WHOLE_DOCUMENT: Final = "document"
WHOLE_DOCUMENT_FIELD: Final = forms.BooleanField(
    label=gettext_lazy("Judges can read the system’s outputs for the whole document"),
    initial=False,
    required=False,
)


#: Name of the rule whether judges see a segment or all segments of a HIT at a time, with its values and its form field.
PAGE: Final = "page"
SEGMENT_PAGE: Final = "segment"
DOCUMENT_PAGE: Final = "document"
PAGE_FIELD: Final = forms.ChoiceField(
    label=gettext_lazy("Shown at a time"),
    choices=[
        (SEGMENT_PAGE, gettext_lazy("One sentence")),
        (DOCUMENT_PAGE, gettext_lazy("A document, in parts of up to ten sentences")),
    ],
    initial=SEGMENT_PAGE,
    help_text=gettext_lazy(
        "A document: judges read its sentences on one page, in outputs of one system, and answer them in any order. Needs blocks of one output."
    ),
)
#: Maximum number of segments on such a page, and their number in new designs.
MOST_ON_PAGE: Final = 10


def shows_documents(rules: Mapping[str, Any]) -> bool:
    """Return whether a task with these rules shows all segments of a HIT on one page."""
    return bool(rules.get(PAGE) == DOCUMENT_PAGE)


class PageSerializer(PlainSerializer):
    """The rule of how many segments a page shows."""

    page = serializers.ChoiceField(
        choices=[SEGMENT_PAGE, DOCUMENT_PAGE],
        required=False,
        help_text="“document”: all blocks of the assignment on one page; otherwise one at a time.",
    )


#: Name of the rule with the organiser's question.
QUESTION: Final = "question"
_MAX_QUESTION: Final = 500


def key_from_name(name: str) -> str:
    """Return the key of something that an organiser names, such as a criterion; empty if the name has no Latin letter."""
    return slugify(name)[:40].lstrip("0123456789-_")


class RuleField(forms.Field):
    """A rule with a structure of its own, which its field checks and completes."""

    has_own_page = True

    def rule_value(self, value: Any) -> Any:
        """Return the rule as tasks hold it. Raises ValidationError."""
        raise NotImplementedError


class QuestionField(RuleField, TextsField):
    """The organiser's question, in place of the protocol's; empty for that."""

    has_own_page = False

    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("Question"),
            initial="",
            help_text=gettext_lazy(
                "Shown above the outputs, such as “Rank the summaries from most to least faithful.” One line for all readers, or a line per language that begins with its tag, such as “de: ”. Leave empty for the usual question."
            ),
        )

    def rule_value(self, value: Any) -> TextsJSON:
        """Return the question as tasks hold it. Raises ValidationError."""
        if not value:
            return ""
        try:
            return lines_checked(value, QUESTION, _MAX_QUESTION)
        except RefusedError as error:
            raise ValidationError(str(error)) from error


class QuestionSerializer(PlainSerializer):
    """The organiser's question."""

    question = serializers.CharField(
        required=False,
        help_text="The organiser's question in the judge's language; omitted if the protocol's applies.",
    )


def numbered_columns(name: str, kind: type, count: int) -> dict[str, type]:
    """Return columns of a table that are numbered from 1."""
    return {f"{name}{number}": kind for number in range(1, count + 1)}


def numbered_cells(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return the values of such columns."""
    return {f"{name}{number}": value for number, value in enumerate(values, 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsBeside:
    """Texts shown alongside the outputs.

    The context consists of sources and references if these are shown; otherwise of outputs by the system of a
    block's only candidate.
    """

    source: bool
    references: bool
    context: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Minimum number of judges needed to allot all texts, whether allotment is possible, and an explanation."""

    judges: int
    is_feasible: bool
    words: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """Protocol settings for allotted texts: each text goes to a fixed number of judges, who see it once in each pass.

    With several passes, judges first see all their texts, then all of them again.

    Each text of a segment goes to `raters` different judges, the same in all passes unless the
    rules say otherwise, and no judge sees a segment twice in a pass. Passes count from 1.

    Attributes
    ----------
    rules : callable
        Returns rules for the judging page in addition to `shown_rules`, given the same.
    raters : callable
        Returns the number of judges per text, given the task's rules.
    items_per_judge : callable
        Returns the maximum number of texts per judge in a pass; None for no limit.
    needs : callable
        Returns `Needs`, given the number of texts of each segment, the number of judges, the
        maximum number of texts per judge, and the task's rules.
    segments_per_hit : int
        Default for new designs.
    count : int
        Number of passes.
    together : callable, optional
        Returns groups of segment numbers that a HIT shows together, in order, with the outputs of
        one system. None if HITs may combine any segments and systems.
    are_by_others : callable
        Returns, given the task's rules, whether each pass goes to other judges, so that no judge
        sees a segment twice in the task.
    """

    rules: Callable[[int, Mapping[str, Any]], Rules]
    raters: Callable[[Mapping[str, Any]], int]
    items_per_judge: Callable[[Mapping[str, Any]], int | None]
    needs: Callable[[Sequence[int], int, int, Mapping[str, Any]], Needs]
    segments_per_hit: int
    count: int
    together: Callable[[Task], Sequence[Sequence[int]]] | None = None
    are_by_others: Callable[[Mapping[str, Any]], bool] = lambda _rules: False

    def are_seen_once(self, rules: Mapping[str, Any]) -> bool:
        """Return whether judges see each text only once under the task's rules."""
        return self.count == 1 or self.are_by_others(rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenComparison:
    """Two systems that a sort is comparing.

    Attributes
    ----------
    first, second : str
    missing : int
        Number of judgments until the comparison is evaluated again.
    """

    first: str
    second: str
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Adaptive choice of the systems to compare next, for protocols in which it depends on earlier judgments.

    Attributes
    ----------
    close : callable
        Closes the comparisons that have all their judgments, and returns how many. Called in a
        separate transaction before HITs are planned.
    open : callable
        Returns the open comparisons. Stores nothing, because it is also called for designs not yet in force.
    sentences_of_a_judge : callable
        Returns, given the task's rules, the number of sentences per comparison sampled for each
        judge; 0 to lend from the pool without samples.
    judgments : callable
        Returns, given the task's rules, the number of judgments that close a comparison.
    most : callable
        Returns the maximum number of comparisons for a number of systems.
    """

    close: Callable[[Design], int]
    open: Callable[[Design], Sequence[OpenComparison]]
    sentences_of_a_judge: Callable[[Mapping[str, Any]], int]
    judgments: Callable[[Mapping[str, Any]], int]
    most: Callable[[int], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Question asked about a block in a protocol whose repeated HITs ask about the answers to the originals.

    Attributes
    ----------
    rules : mapping
        Rules for the judging page in addition to the task's.
    is_text_alone : bool
        Whether source and references are hidden regardless of the campaign's settings.
    texts : tuple of str, optional
        Texts shown for the candidates; None to show their outputs unchanged.
    beside : tuple of mapping, optional
        Further fields of the candidates for the judging page, such as suggested errors.
    """

    rules: Rules
    is_text_alone: bool = False
    texts: tuple[str, ...] | None = None
    beside: tuple[Rules, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutJudgment:
    """Link from an answer to the earlier judgment that it is about, for protocols that ask about other judges' answers.

    Attributes
    ----------
    column : str
        Column of `AnswerKind.table` with the judgment's id.
    find : callable
        Returns the judgment's id, given an answer and the id of its block; None if the answer is
        about no judgment.
    """

    column: str
    find: Callable[[Answer, int], int | None]


class Perceived(NamedTuple):
    """Input from which a simulated judge answers a block.

    Attributes
    ----------
    qualities : sequence of float
        Stated qualities (0–100) of the candidates.
    labels : sequence of int
        Ranks that the judge would give the candidates in a ranking.
    rules : mapping
        Rules of the task and of the block's question.
    random : Random
    """

    qualities: Sequence[float]
    labels: Sequence[int]
    rules: Mapping[str, Any]
    random: Random


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKind:
    """Answer format and behaviour of a protocol.

    Attributes
    ----------
    protocol : str
        A value of `campaign.models.Protocol`.
    candidates : range
        Possible numbers of candidates in a block.
    first_candidates : int, optional
        Number of candidates per block in a task's first design; None for the usual number, or the largest allowed.
    candidates_in_words : lazy str
        Help text for organisers who choose the number of candidates; empty for the default text.
    serializer : type of Serializer, optional
        Reads the `answer` in a request. None if requests send `labels`.
    serializer_of_several : type of Serializer, optional
        Reads answers with its fields, if those to several outputs, or of tasks with other rules, have another form.
    table : type of Model
        Stores the answers: a table of the protocol with a judgment as its primary key, or `Judgment` if answers consist of
        labels only.
    row : callable
        Returns the fields of a row in `table` for an answer in a pass, except its judgment and the one that it is about. By
        default, the fields of the answer.
    about : AboutJudgment, optional
        Set if answers may be about other answers; otherwise None.
    started_from : callable
        Returns the fields of `table` for what a judge started from, given the ids of the block and of the judge.
    as_given : callable, optional
        Returns the answer as it was given, in JSON, from an object with the fields of `table`. None
        if these fields themselves are the answer.
    as_recorded : callable, optional
        Returns the same with what judges must not see, for organisers. None if there is nothing of the kind.
    cell_kinds : callable
        Returns the columns of an answer in exported tables with their types (text, integer or boolean), given the largest
        number of candidates in a block.
    cells : callable
        Returns the values of these columns for an answer in JSON. By default, its fields.
    not_in_cells : lazy str, optional
        The part of an answer that these columns omit, for organisers.
    labels : callable
        Returns the ranks of the candidates that an answer implies; 1 is best. By default, nothing is compared.
    refusal : callable
        Returns the reason why an answer to a block is refused, in words for the judge; None if it
        is accepted. Called before anything is stored.
    refusal_by_database : callable
        Returns the same after the database has refused the answer; may run queries. Checks of
        triggers on `table` are not repeated before storing (decision 123).
    rules_fields : mapping
        Maps the name of each rule to a form field, labelled for organisers, that also defines the
        rule's possible values and its default.
    changeable_rules : set of str
        Rules that change no answer, and can be changed at any time.
    of_rules : callable, optional
        Returns the answer kind of a task with these rules, for protocols whose answers depend on
        them. None if all tasks have the same.
    texts : callable, optional
        Returns the texts shown alongside the outputs in a pass (0 if there are no passes), given the
        task's rules. None if the campaign's settings define them.
    shown_rules : callable
        Returns what the judging page needs of the campaign and of the task's rules.
    rules_serializer : type of Serializer
        Describes the result of `shown_rules`.
    simulated : callable
        Returns the answer of a simulated judge.
    simulated_on : callable, optional
        Adds marked parts of the texts to that answer, given the answer, the candidates' texts, the
        task's rules and a source of randomness. None if answers do not mark parts; then no texts
        are read.
    passes : Passes, optional
        None if texts are drawn, and judges see an output once.
    best_worst : bool
        Whether labels are those of best-worst scaling: equal ones are no comparison.
    orders_outputs : bool
        Whether answers to blocks of several outputs imply an order.
    comparisons : Comparisons, optional
        For protocols that sort; only their designs are of the kind `sorting`.
    screen : str
        The protocol whose screen judges see, if different.
    first_stage : Stage, optional
        Question of original HITs if repeats ask about their answers. Repeats are lent after the
        original is done, and never to the same judge. None if all HITs ask the same.
    stages : callable, optional
        Returns the stages of blocks by their ids, given these and the id of the judge (0 if it does not matter). A fixed number of queries.
    stages_drawn : callable, optional
        Returns the stages of blocks in a HIT that is drawn but not stored, for previews, given the
        task, the segment numbers, the block ids, and the text of the only output in each block.
    score_of_one : callable, optional
        Returns the score of the only output in a block (higher is better); attention checks on such
        blocks use it. None if answers do not score single outputs.
    last_is_needed : callable, optional
        Returns the HITs that still need their last repeat, given the task's rules and the ids of
        HITs whose other repeats are done. None if the last repeat is always needed.
    simulated_knows : callable, optional
        Returns the information about blocks that simulated judges have in addition to the rules, by
        block id. Never sent to browsers.
    """

    protocol: str
    candidates: range
    serializer: type[Serializer[Any]] | None
    rules_serializer: type[Serializer[Any]]
    simulated: Callable[[Perceived], Answer]
    labels: Callable[[Answer, int], list[int | None]] = lambda _answer, candidates: [1] * candidates
    refusal: Callable[[AssignedBlock, Answer], SubmissionRefusedError | None] = (
        lambda _assigned, _answer: None
    )
    refusal_by_database: Callable[[AssignedBlock, Answer], SubmissionRefusedError | None] = (
        lambda _assigned, _answer: None
    )
    rules_fields: Mapping[str, forms.Field] = field(default_factory=dict)
    changeable_rules: Set[str] = frozenset()
    of_rules: Callable[[Mapping[str, Any]], "AnswerKind"] | None = None
    texts: Callable[[int, Mapping[str, Any]], TextsBeside] | None = None
    shown_rules: Callable[[Campaign, Mapping[str, Any]], Rules] = lambda _campaign, _rules: {}
    first_candidates: int | None = None
    candidates_in_words: str | Promise = ""
    table: type[Any] = Judgment
    row: Callable[[Answer, int], dict[str, Any]] = lambda answer, _part: dict(answer)
    serializer_of_several: type[Serializer[Any]] | None = None
    about: AboutJudgment | None = None
    started_from: Callable[[int, int], dict[str, Any]] = lambda _block_id, _judge_id: {}
    as_given: Callable[[Any], Answer] | None = None
    as_recorded: Callable[[Any], Answer] | None = None
    cell_kinds: Callable[[int], Mapping[str, type]] = lambda _candidates: {}
    cells: Callable[[Answer], Mapping[str, Any]] = dict
    not_in_cells: Promise | None = None
    simulated_on: Callable[[Answer, Sequence[str], Mapping[str, Any], Random], Answer] | None = None
    passes: Passes | None = None
    best_worst: bool = False
    orders_outputs: bool = True
    comparisons: Comparisons | None = None
    screen: str = ""
    first_stage: Stage | None = None
    stages: Callable[[Sequence[int], int], dict[int, Stage]] | None = None
    stages_drawn: (
        Callable[[Task, Sequence[int], Sequence[UUID], Sequence[str]], list[Stage]] | None
    ) = None
    score_of_one: Callable[[Answer], float] | None = None
    last_is_needed: Callable[[Mapping[str, Any], Sequence[int]], Set[int] | None] | None = None
    simulated_knows: Callable[[Sequence[int]], dict[int, Rules]] | None = None

    @property
    def has_stages(self) -> bool:
        """True if repeated HITs ask about the answers to the originals."""
        return self.first_stage is not None

    @property
    def has_answers(self) -> bool:
        """True if requests send an `answer`; otherwise they send `labels`."""
        return self.serializer is not None

    @property
    def keeps_answers(self) -> bool:
        """True if an answer holds more than labels and is stored in the protocol's own table."""
        return self.table is not Judgment

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns that store answers in addition to labels, each with its PostgreSQL type."""
        model: type[Model] = self.table
        return answer_columns(model) if self.keeps_answers else {}

    @property
    def compares_outputs(self) -> bool:
        """True if a block may show several outputs, and an answer implies their order."""
        return self.orders_outputs and self.candidates[-1] > 1

    def rules(self, given: Mapping[str, Any]) -> Rules:
        """Return a task's rules completed with defaults. Raises ValidationError for unknown rules and invalid values."""
        return rules_completed(self.rules_fields, given)

    def read(self, judgment_ids: Sequence[int], *, is_record: bool = False) -> dict[int, Answer]:
        """Return answers, as they were given or as organisers may see them, by the ids of their judgments. One query."""
        rows = self.table.objects.filter(pk__in=judgment_ids)
        found = rows.values_list("pk", *(self.columns or ("labels",)), named=True)
        form = self.as_recorded if is_record and self.as_recorded is not None else self.given
        return {row.pk: form(row) for row in found}

    def answer_of(self, judgment: Judgment) -> Answer | None:
        """Return the answer as it was given; None if there is none. One query, unless it was stored with this instance."""
        row = getattr(judgment, self._relation, None) if self.keeps_answers else judgment
        return None if row is None else self.given(row)

    def given(self, row: Any) -> Answer:
        """Return the answer of a row of `table`, as it was given."""
        if self.as_given is not None:
            return self.as_given(row)
        return {column: getattr(row, column) for column in self.columns}

    def row_of(self, answer: Answer, *, part: int, block_id: int) -> dict[str, Any]:
        """Return the fields of `table` for an answer to a block, except its judgment. One query if it is about another judgment."""
        row = self.row(answer, part)
        if self.about is not None:
            row[self.about.column] = self.about.find(answer, block_id)
        return row

    def with_judgment(self, judgment: Judgment, row: Mapping[str, Any]) -> Any:
        """Return the instance of `table` with these fields; `answer_of` then finds it on the judgment without a query."""
        # Django caches it on both ends of the relation.
        return self.table(judgment=judgment, **row)

    @property
    def _relation(self) -> str:
        return str(self.table._meta.get_field("judgment").remote_field.get_accessor_name())


def rules_completed(fields: Mapping[str, forms.Field], given: Mapping[str, Any]) -> Rules:
    """Return the value of each rule: the given one, or the initial value of its form field.

    For an optional number, None stands for its initial value.

    Raises
    ------
    ValidationError
        If a rule has no field, or its field does not take the value.
    """
    if others := sorted(set(given) - set(fields)):
        raise ValidationError(f"Unknown rule: {', '.join(others)}.")
    return {
        name: _rule_value(name, each, given.get(name, each.initial))
        for name, each in fields.items()
    }


def _rule_value(name: str, described: forms.Field, value: Any) -> Any:
    if isinstance(described, RuleField):
        return described.rule_value(value)
    if isinstance(described, forms.BooleanField):
        if type(value) is not bool:
            raise ValidationError(f"{name} must be true or false.")
    elif isinstance(described, forms.IntegerField):
        if value is None and not described.required:
            return described.initial
        low, high = described.min_value, described.max_value
        if type(value) is not int or not low <= value <= high:  # type: ignore[operator]  # no functions
            raise ValidationError(f"{name}: {value} is not between {low} and {high}.")
    elif isinstance(described, forms.ChoiceField) and value not in dict(described.choices):  # type: ignore[arg-type]  # pairs
        values = ", ".join(dict(described.choices))  # type: ignore[arg-type]  # pairs
        raise ValidationError(f"{name} must be one of: {values}.")
    return value


_KINDS: Final[dict[str, AnswerKind]] = {}


def answer_kind_register(kind: AnswerKind) -> None:
    """Register the answer kind of a protocol; called by `AppConfig.ready`."""
    _KINDS[kind.protocol] = kind


def answer_kind(protocol: str, rules: Mapping[str, Any] | None = None) -> AnswerKind:
    """Return the answer kind of a protocol, for a task with these rules if they are given."""
    kind = _KINDS[protocol]
    if rules is None or kind.of_rules is None:
        return kind
    return kind.of_rules(rules)


def answer_kind_of(task: Task) -> AnswerKind:
    """Return the answer kind of a task."""
    return answer_kind(task.protocol, task.rules)


def answer_kinds() -> list[AnswerKind]:
    """Return all answer kinds, starting with rankings."""
    return list(_KINDS.values())


def rules_shown(protocol: str, rules: Mapping[str, Any], *, campaign: Campaign, part: int) -> Rules:
    """Return the rules of the campaign and of a task that the judging page needs in a pass."""
    kind = answer_kind(protocol, rules)
    shown = dict(kind.shown_rules(campaign, rules))
    shown.pop(QUESTION, None)
    if question := rules.get(QUESTION):
        shown[QUESTION] = text_in_active_language(question)
    if shows_documents(rules):
        shown[PAGE] = DOCUMENT_PAGE
    return shown if kind.passes is None else {**shown, **kind.passes.rules(part, rules)}


def texts_beside(
    protocol: str, rules: Mapping[str, Any], *, campaign: Campaign, part: int
) -> TextsBeside:
    """Return the texts shown alongside the outputs: those set in the campaign, unless the protocol sets them."""
    texts = answer_kind(protocol, rules).texts
    if texts is not None:
        return texts(part, rules)
    return TextsBeside(
        source=campaign.show_source, references=campaign.show_reference, context=True
    )


def answer_serializers() -> list[type[Serializer[Any]]]:
    """Return the serializers of `answer` in requests and responses, for the API description."""
    found = [
        each for kind in _KINDS.values() for each in (kind.serializer, kind.serializer_of_several)
    ]
    return [serializer for serializer in found if serializer is not None]


def rules_serializers() -> list[type[Serializer[Any]]]:
    """Return the serializers of `rules` in responses."""
    return [kind.rules_serializer for kind in _KINDS.values()]


def answers_read(
    protocol: str, judgment_ids: Sequence[int], *, is_record: bool = False
) -> dict[int, Answer]:
    """Return the answers of judgments of a protocol by id, see `AnswerKind.read`. One query, or none for rankings."""
    kind = answer_kind(protocol)
    if not judgment_ids or not kind.has_answers:
        return {}
    return kind.read(judgment_ids, is_record=is_record)


def answer_of(judgment: Judgment, *, protocol: str | None = None) -> Answer | None:
    """Return the answer of a judgment; None for a ranking, which has only labels. Passing `protocol` saves a query."""
    kind = answer_kind(judgment.task.protocol if protocol is None else protocol)
    return kind.answer_of(judgment) if kind.has_answers else None


def stages_of(protocol: str, block_ids: Sequence[int], judge_id: int = 0) -> dict[int, Stage]:
    """Return the stages of a protocol's blocks for a judge, by id; empty, without a query, if all HITs ask the same."""
    kind = answer_kind(protocol)
    return {} if kind.stages is None or not block_ids else kind.stages(block_ids, judge_id)


def outputs_at_a_time(count: int) -> str:
    """Return the error message that blocks of a task must show exactly `count` outputs."""
    return counted(
        "Blocks of this task must show %(count)d output.",
        "Blocks of this task must show %(count)d outputs.",
        count,
    )


@cache
def answer_columns(model: type[Model]) -> Mapping[str, str]:
    """Return the columns of a protocol's answers except `judgment_id`, each with its PostgreSQL type."""
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    return {str(field.column): field.db_type(connection) or "" for field in fields}
