"""Registry of the protocol-specific parts of answering; each protocol registers its own.

Lending, numbering, history, limits, time sheets and exports handle judgments of any protocol. The
`AnswerKind` of a protocol defines its answers: the request, the implied order of the outputs, and the
storage of everything else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.serializers import Serializer
from rest_framework.settings import api_settings

from annotation.models import Design, Judgment
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.sampling.parameters import FEWEST_CANDIDATES
from campaign.api.constants import ConstantField
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import content_validated
from campaign.models import Campaign, Protocol, Task
from campaign.texts.by_language import (
    TextsField,
    TextsJSON,
    lines_checked,
    text_in_active_language,
)
from campaign.texts.counted import counted
from campaign.texts.joining import labelled
from campaign.texts.refusals import RefusedError
from campaign.texts.studies import Preset, presets_register, study_register

#: Answer to a block: labels, or an object with the fields of the protocol.
Answer = Any
#: Choices that a protocol leaves to organisers, as stored in JSON; `AnswerKind.rules` has types.
Rules = Mapping[str, object]
#: The same completed with defaults: the `TypedDict` of the protocol.
CompleteRules = Any
#: What a judging page is sent of them, as `AnswerKind.rules_serializer` describes.
ShownRules = Mapping[str, object]
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
        "A document: judges read its sentences on one page, in outputs of one system, and answer them in any order. Needs blocks of one output.",
    ),
)
#: Maximum number of segments on such a page, and their number in new designs.
MOST_ON_PAGE: Final = 10


def shows_documents(rules: Rules) -> bool:
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


_KEY_LENGTH: Final = 40


def key_from_name(name: str, taken: Collection[str], *, instead: str) -> str:
    """Return a key, which none of `taken` is, for something that an organiser names, such as a criterion.

    Names without Latin letters get the key `instead`. Equal keys are numbered from 2.
    """
    start = slugify(name)[:_KEY_LENGTH].lstrip("0123456789-_") or instead
    key = start
    number = 1
    while key in taken:
        number += 1
        end = f"-{number}"
        key = f"{start[: _KEY_LENGTH - len(end)]}{end}"
    return key


class RuleField(forms.Field, ABC):
    """A rule with a structure of its own, which its field checks and completes."""

    has_own_page = True

    @abstractmethod
    def rule_value(self, value: Any) -> Any:
        """Return the rule as tasks hold it. Raises ValidationError."""


class QuestionField(RuleField, TextsField):
    """The organiser's question, in place of the protocol's; empty for that."""

    has_own_page = False

    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("Question"),
            initial="",
            help_text=gettext_lazy(
                "Shown above the outputs, such as “Rank the summaries from most to least faithful.” One line for all readers, or a line per language that begins with its tag, such as “de: ”. Leave empty for the usual question.",
            ),
        )

    def rule_value(self, value: Any) -> TextsJSON:
        """Return the question as tasks hold it. Raises ValidationError."""
        if value is None or value in ("", {}, []):
            return ""
        try:
            return lines_checked(value, QUESTION, _MAX_QUESTION)
        except RefusedError as error:
            raise ValidationError(str(error)) from error


#: The field by which the answers in REST name their form.
KIND: Final = "kind"
#: The field by which the rules in REST name their protocol.
PROTOCOL: Final = "protocol"


def named_kind(serializer: type[Serializer[Any]], name: str = KIND) -> str:
    """Return the constant by which a serializer of answers or rules names itself."""
    return cast("ConstantField", serializer().fields[name]).value


class QuestionSerializer(PlainSerializer):
    """The organiser's question."""

    question = serializers.CharField(
        required=False,
        help_text="The organiser's question in the judge's language; omitted if the protocol's applies.",
    )


def numbered_columns(name: str, kind: type, count: int) -> dict[str, type]:
    """Return columns of a table that are numbered from 1."""
    return {f"{name}{number}": kind for number in range(1, count + 1)}


def numbered_cells(name: str, values: Sequence[object]) -> dict[str, object]:
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
    sentences: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes(ABC):
    """Protocol settings for allotted texts: each text goes to a fixed number of judges, who see it once in each pass.

    With several passes, judges first see all their texts, then all of them again.

    Each text of a segment goes to `raters` different judges, the same in all passes unless the
    rules say otherwise, and no judge sees a segment twice in a pass. Passes count from 1.

    Attributes
    ----------
    raters : int
        Number of judges per text.
    items_per_judge : int, optional
        Maximum number of texts per judge in a pass; None for no limit.
    segments_per_hit : int
        Default for new designs.
    count : int
        Number of passes.
    are_by_others : bool
        Whether each pass goes to other judges, so that no judge sees a segment twice in the task.
    """

    raters: int
    items_per_judge: int | None
    segments_per_hit: int
    count: int
    are_by_others: bool = False

    @property
    def are_seen_once(self) -> bool:
        """True if judges see each text only once."""
        return self.count == 1 or self.are_by_others

    @abstractmethod
    def judges_needed(self, texts: Sequence[int], judges: int, most: int) -> Needs:
        """Return the judges needed to allot all texts.

        Parameters are the number of texts of each segment, the number of judges, and the maximum
        number of texts per judge.
        """


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


class Comparisons(ABC):
    """Adaptive choice of the systems to compare next, for protocols in which it depends on earlier judgments.

    Attributes
    ----------
    sentences_of_a_judge : int
        Number of sentences per comparison sampled for each judge; 0 to lend from the pool without
        samples.
    judgments : int
        Number of judgments that close a comparison.
    """

    sentences_of_a_judge: int
    judgments: int

    @abstractmethod
    def close(self, design: Design) -> int:
        """Close the comparisons that have all their judgments, and return how many.

        Called in a separate transaction before HITs are planned.
        """

    @abstractmethod
    def open(self, design: Design) -> Sequence[OpenComparison]:
        """Return the open comparisons.

        Stores nothing, because it is also called for designs not yet in force.
        """

    @abstractmethod
    def answers_unasked(self, design: Design) -> int:
        """Return the number of current answers to comparisons that have not been asked for, as those of files can be."""

    @abstractmethod
    def most(self, systems: int) -> int:
        """Return the maximum number of comparisons for a number of systems."""


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


class Perceived(NamedTuple):
    """Input from which a simulated judge answers a block.

    Attributes
    ----------
    qualities : sequence of float
        Stated qualities (0–100) of the candidates.
    labels : sequence of int
        Ranks that the judge would give the candidates in a ranking.
    question : mapping
        What the judge knows about the block: the rules of its stage, and `AnswerKind.simulated_knows`.
    random : Random
    """

    qualities: Sequence[float]
    labels: Sequence[int]
    question: Rules
    random: Random


class ScoresOneOutput(ABC):
    """Mixed into the answers of protocols that score the only output of a block."""

    @abstractmethod
    def score_of_one(self, answer: Answer) -> float:
        """Return the score of the only output in a block (higher is better), for attention checks."""


class AnswerKind(ABC):
    """Answers of a protocol, under the rules of a task.

    Each protocol has a subclass that overrides what differs from the defaults. A new protocol
    must define the attributes without a value and the abstract methods.

    Attributes
    ----------
    protocol : Protocol
    sentence : lazy str
        The question to judges, in a sentence for organisers.
    candidates : range
        Possible numbers of candidates in a block.
    first_candidates : int, optional
        Number of candidates per block in a task's first design; None for the usual number, or the largest allowed.
    candidates_in_words : lazy str
        Help text for organisers who choose the number of candidates; empty for the default text.
    question_about_media : lazy str
        Question to judges about recordings, pictures and videos, if the usual one is about meaning and fluency.
    serializer : type of Serializer, optional
        Reads the `answer` in a request. None if requests send `labels`.
    serializer_of_several : type of Serializer, optional
        Reads answers with its fields, if those to several outputs, or of tasks with other rules, have another form.
    rules_serializer : type of Serializer
        Describes the result of `shown_rules`.
    rules_fields : mapping
        Maps the name of each rule to a form field, labelled for organisers, that also defines the
        rule's possible values and its default.
    changeable_rules : set of str
        Rules that change no answer, and can be changed at any time.
    table : type of Model
        Stores the answers: a table of the protocol with a judgment as its primary key, or `Judgment` if answers consist of
        labels only.
    about_column : str
        Column of `table` with the judgment that an answer is about, for protocols that ask about other judges' answers.
    not_in_cells : lazy str, optional
        The part of an answer that `cells` omit, for organisers.
    screen : str
        The protocol whose screen judges see, if different.
    screen_words : mapping of str to lazy str
        Strings for the scripts of the protocol's screen, which contain none themselves.
    best_worst : bool
        Whether labels are those of best-worst scaling: equal ones are no comparison.
    orders_outputs : bool
        Whether answers to blocks of several outputs imply an order.
    passes : Passes, optional
        None if texts are drawn, and judges see an output once.
    comparisons : Comparisons, optional
        For protocols that sort; only their designs are of the kind `sorting`.
    first_stage : Stage, optional
        Question of original HITs if repeats ask about their answers. Repeats are lent after the
        original is done, and never to the same judge. None if all HITs ask the same.
    last_repeats_needed : function, optional
        Returns those of the given HITs, whose other repeats are done, that still need their last
        repeat. None if it is always needed.
    """

    protocol: Protocol
    sentence: Promise
    rules_serializer: type[Serializer[Any]]
    screen_words: Mapping[str, Promise] = MappingProxyType({})
    serializer: type[Serializer[Any]] | None = None
    serializer_of_several: type[Serializer[Any]] | None = None
    rules_fields: Mapping[str, forms.Field] = MappingProxyType({})
    changeable_rules: Set[str] = frozenset()
    first_candidates: int | None = None
    candidates_in_words: str | Promise = ""
    question_about_media: str | Promise = ""
    table: type[Any] = Judgment
    about_column: str = ""
    not_in_cells: Promise | None = None
    screen: str = ""
    best_worst: bool = False
    first_stage: Stage | None = None

    def __init__(self, stored_rules: Rules) -> None:
        self.stored_rules = stored_rules

    @classmethod
    def of(cls, stored_rules: Rules) -> "AnswerKind":
        """Return the answers of a task with these rules."""
        return cls(stored_rules)

    # What the rules of the task decide.

    @property
    @abstractmethod
    def candidates(self) -> range: ...

    @property
    def rules(self) -> Rules:
        """The task's rules completed with defaults. Raises ValidationError for unknown rules and invalid values."""
        return rules_completed(self.rules_fields, self.stored_rules)

    @property
    def orders_outputs(self) -> bool:
        return True

    @property
    def passes(self) -> Passes | None:
        return None

    @property
    def comparisons(self) -> Comparisons | None:
        return None

    @property
    def last_repeats_needed(self) -> Callable[[Sequence[int]], Set[int]] | None:
        return None

    # What the study is called, and what its judges are told.

    @property
    def name(self) -> Promise | str:
        """The established name of the study, for organisers and readers of results."""
        return self.protocol.label

    @property
    @abstractmethod
    def work(self) -> Promise | str:
        """Describe the work in a sentence for judges, which promises only what the rules ask."""

    def criterion(self, *, outputs_are_media: bool = False) -> Promise | str:
        """Return what decides an answer, in sentences for starter instructions: the organiser's question, if there is one."""
        if self.own_question:
            return self.own_question
        return _BETTER_MEDIA if outputs_are_media else _BETTER

    # What judges see.

    @property
    def own_question(self) -> str | None:
        """The organiser's question in the active language.

        Empty if judges read the protocol's usual question; None if organisers cannot replace that.
        """
        if QUESTION not in self.rules_fields:
            return None
        question = self.stored_rules.get(QUESTION, "")
        return text_in_active_language(cast("TextsJSON", question))

    @property
    def rules_without_effect(self) -> Set[str]:
        """Rules that change nothing beside the task's others; its settings page leaves them out."""
        return frozenset()

    @property
    def asks_otherwise(self) -> bool:
        """True if the organiser replaced what the protocol asks about an output, so that it is no longer ESA, for example."""
        return False

    def shown_rules(self, campaign: Campaign, part: int) -> ShownRules:
        """Return what the judging page needs of the campaign and of the task's rules in a pass (0 without passes)."""
        return {}

    def texts(self, part: int) -> TextsBeside | None:
        """Return the texts shown alongside the outputs in a pass; None if the campaign's settings define them."""
        return None

    def stages(self, block_ids: Sequence[int], judge_id: int) -> dict[int, Stage]:
        """Return the stages of blocks by their ids, for a judge (0 if it does not matter).

        A fixed number of queries. Empty, without a query, if all HITs ask the same.
        """
        return {}

    def stages_drawn(
        self,
        task: Task,
        segments: Sequence[int],
        block_ids: Sequence[UUID],
        texts: Sequence[str],
    ) -> list[Stage] | None:
        """Return the stages of the blocks of a HIT that is drawn but not stored, for previews.

        `segments` are numbers, and `texts` those of the only output in each block. None if the
        blocks of a HIT do not depend on each other.
        """
        return None

    # What judges send.

    def validated(self, sent: Any) -> Answer:
        """Return the answer in a request, as the serializer that its fields belong to validates it.

        Raises
        ------
        ValidationError of Django REST framework
            Its `detail` has the reasons under `answer`.
        """
        serializer = self._serializer_of(sent)
        if serializer is None or sent is None:
            return sent
        try:
            answer = content_validated(serializer, sent, "answer.")
        except serializers.ValidationError as error:
            raise serializers.ValidationError(
                {"answer": list(_errors_in_words(error.detail))},
            ) from error
        answer.pop(KIND, None)
        return answer

    def _serializer_of(self, answer: Any) -> type[Serializer[Any]] | None:
        """Return the serializer that an answer names, or that its other fields belong to."""
        other = self.serializer_of_several
        if other is None or not isinstance(answer, dict):
            return self.serializer
        fields = other().fields.keys() - {KIND}
        if answer.get(KIND) == named_kind(other) or fields & answer.keys():
            return other
        return self.serializer

    def named(self, answer: Answer | None) -> Answer | None:
        """Return an answer as REST and the judging page have it: with the name of its form."""
        serializer = self._serializer_of(answer)
        if serializer is None or answer is None:
            return answer
        return {KIND: named_kind(serializer), **answer}

    @abstractmethod
    def refusal(
        self,
        assigned: AssignedBlock,
        answer: Answer,
    ) -> SubmissionRefusedError | None:
        """Return the reason why an answer is refused, in words for the judge; None if it is accepted.

        May run queries. Every writer calls it before anything is stored, imports also.
        """

    def labels(self, answer: Answer, candidates: int) -> list[int | None]:
        """Return the ranks of the candidates that an answer implies; 1 is best. By default, nothing is compared."""
        return [1] * candidates

    # How answers are stored and read.

    def row(self, answer: Answer, part: int) -> dict[str, object]:
        """Return the fields of `table` for an answer in a pass, except its judgment. By default, those of the answer."""
        return dict(answer)

    def row_of(self, answer: Answer, *, part: int, block_id: int) -> dict[str, object]:
        """Return the same for an answer to a block, with the answer that it is about. May run a query."""
        return self.row(answer, part)

    def started_from(self, block_id: int, judge_id: int) -> dict[str, object]:
        """Return the fields of `table` for what a judge started from."""
        return {}

    def submitted(self, row: Any) -> Answer:
        """Return the answer of a row of `table`, as it was given, in JSON. By default, the row's columns."""
        return {column: getattr(row, column) for column in self.columns}

    def recorded(self, row: Any) -> Answer:
        """Return the same with what judges must not see, for organisers."""
        return self.submitted(row)

    def read(
        self,
        judgment_ids: Sequence[int],
        *,
        is_record: bool = False,
    ) -> dict[int, Answer]:
        """Return answers, as they were given or as organisers may see them, by the ids of their judgments. One query."""
        judged = self.table.objects.filter(pk__in=judgment_ids)
        rows = judged.values_list("pk", *(self.columns or ("labels",)), named=True)
        form = self.recorded if is_record else self.submitted
        return {row.pk: form(row) for row in rows}

    def answer_of(self, judgment: Judgment) -> Answer | None:
        """Return the answer as it was given; None if there is none. One query, unless it was stored with this instance."""
        row: Any = judgment
        if self.keeps_answers:
            row = getattr(judgment, self._relation, None)
        if row is None:
            return None
        return self.submitted(row)

    def with_judgment(self, judgment: Judgment, row: Mapping[str, object]) -> Any:
        """Return the instance of `table` with these fields; `answer_of` then finds it on the judgment without a query."""
        # Django caches it on both ends of the relation.
        return self.table(judgment=judgment, **row)

    def cell_kinds(self, candidates: int) -> Mapping[str, type]:
        """Return the columns of an answer in exported tables with their types (text, integer or boolean).

        `candidates` is the largest number of candidates in a block.
        """
        return {}

    def cells(self, answer: Answer) -> Mapping[str, object]:
        """Return the values of these columns for an answer in JSON. By default, its fields."""
        return dict(answer)

    # How texts are allotted, and HITs repeated.

    def read_together(self, task: Task) -> Sequence[Sequence[int]] | None:
        """Return groups of segment numbers that a HIT shows together, in order, with the outputs of one system.

        None if HITs may combine any segments and systems.
        """
        return None

    # How simulated judges answer.

    @abstractmethod
    def simulated(self, perceived: Perceived) -> Answer:
        """Return the answer of a simulated judge."""

    def simulated_on(
        self,
        answer: Answer,
        texts: Sequence[str],
        random: Random,
    ) -> Answer:
        """Return that answer with parts marked or changed in the texts of the candidates."""
        return answer

    def simulated_knows(self, block_ids: Sequence[int]) -> dict[int, Rules]:
        """Return what simulated judges know about blocks besides the rules, by id. Never sent to browsers."""
        return {}

    # What follows from the above.

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
        if self.keeps_answers:
            return answer_columns(model)
        return {}

    @property
    def fewest_systems(self) -> int:
        """How many systems a test set needs: two, or one if judges may see single outputs."""
        return min(FEWEST_CANDIDATES, self.candidates[0])

    @property
    def compares_outputs(self) -> bool:
        """True if a block may show several outputs, and an answer implies their order."""
        return self.orders_outputs and self.candidates[-1] > 1

    @property
    def why_not_ranked(self) -> str:
        """Return why answers compare no outputs, and what to do instead; for protocols that do not compare them."""
        return _("Judges see one output at a time, so systems cannot be ranked.")

    @property
    def equal_labels_tie(self) -> bool:
        """True if outputs with the same label are tied."""
        return self.orders_outputs and not self.best_worst

    def ranks(self, labels: Sequence[int | None]) -> Sequence[int | None]:
        """Return the labels of a stored judgment as ranks: none for outputs that the answer does not order.

        Rows of the database have a label for each output all the same.
        """
        if self.orders_outputs or len(labels) == 1:
            return labels
        return [None] * len(labels)

    @property
    def _relation(self) -> str:
        return str(
            self.table._meta.get_field("judgment").remote_field.get_accessor_name(),
        )


def _errors_in_words(detail: Any, *path: str | int) -> Iterator[str]:
    """Yield the errors of an answer after their places, such as “outputs 2 score”; lists count from 1."""
    if isinstance(detail, dict):
        for step, below in detail.items():
            yield from _errors_in_words(below, *path, step)
    elif isinstance(detail, list):
        for below in detail:
            yield from _errors_in_words(below, *path)
    else:
        named = [step for step in path if step != api_settings.NON_FIELD_ERRORS_KEY]
        steps = []
        for step in named:
            steps.append(str(step + 1 if isinstance(step, int) else step))
        yield labelled(" ".join(steps), str(detail)) if steps else str(detail)


def rules_completed(
    fields: Mapping[str, forms.Field],
    stored: Rules,
) -> dict[str, object]:
    """Return the value of each rule: the stored one, or the initial value of its form field.

    For an optional number, None stands for its initial value.

    Raises
    ------
    ValidationError
        If a rule has no field, or its field does not take the value.
    """
    if others := sorted(set(stored) - set(fields)):
        raise ValidationError(f"Unknown rule: {', '.join(others)}.")
    completed = {}
    for name, field in fields.items():
        completed[name] = _rule_value(name, field, stored.get(name, field.initial))
    return completed


def _rule_value(name: str, rule_field: forms.Field, value: Any) -> object:
    if isinstance(rule_field, RuleField):
        return rule_field.rule_value(value)
    if isinstance(rule_field, forms.BooleanField):
        if type(value) is not bool:
            raise ValidationError(f"{name} must be true or false.")
    elif isinstance(rule_field, forms.IntegerField):
        if value is None and not rule_field.required:
            return rule_field.initial
        low = rule_field.min_value
        high = rule_field.max_value
        if type(value) is not int or not low <= value <= high:  # type: ignore[operator]  # no functions
            raise ValidationError(f"{name}: {value} is not between {low} and {high}.")
    elif isinstance(rule_field, forms.ChoiceField) and value not in dict(
        rule_field.choices,  # type: ignore[arg-type]
    ):  # pairs
        values = ", ".join(dict(rule_field.choices))  # type: ignore[arg-type]  # pairs
        raise ValidationError(f"{name} must be one of: {values}.")
    return value


_BETTER: Final = gettext_lazy(
    "An output is better if it keeps more of the meaning of the source. If two keep the same amount, the more fluent one is better.",
)
_BETTER_MEDIA: Final = gettext_lazy(
    "An output is better if its overall quality is better. If there is a source, the output should also fit it.",
)
_KINDS: Final[dict[str, type[AnswerKind]]] = {}


def answer_kind_register(
    kind: type[AnswerKind],
    presets: Sequence[Preset] = (),
) -> None:
    """Register the answers of a protocol, and its studies to choose from; called by `AppConfig.ready`.

    Without presets, its only study is that of the default rules.
    """
    _KINDS[kind.protocol] = kind
    study_register(kind.protocol, kind.of)
    usual = Preset(
        name=kind.protocol.value,
        label=kind.protocol.label,
        sentence=kind.sentence,
        protocol=kind.protocol,
    )
    presets_register(kind.protocol, presets or [usual])


def answer_kind(protocol: str, rules: Rules | None = None) -> AnswerKind:
    """Return the answers of a protocol in a task with these rules, or with the defaults."""
    return _KINDS[protocol].of(rules or {})


def answer_kind_of(task: Task) -> AnswerKind:
    """Return the answers of a task."""
    return answer_kind(task.protocol, task.rules)


def answer_kinds() -> list[AnswerKind]:
    """Return the answers of all protocols under default rules, starting with rankings."""
    return [answer_kind(protocol) for protocol in _KINDS]


def rules_shown(
    protocol: str,
    rules: Rules,
    *,
    campaign: Campaign,
    part: int,
    outputs_are_media: bool = False,
) -> ShownRules:
    """Return the rules of the campaign and of a task that the judging page needs in a pass."""
    kind = answer_kind(protocol, rules)
    rules_sent = dict(kind.shown_rules(campaign, part))
    rules_sent[PROTOCOL] = protocol
    rules_sent.pop(QUESTION, None)
    question = rules.get(QUESTION)
    if question:
        rules_sent[QUESTION] = text_in_active_language(cast("TextsJSON", question))
    elif outputs_are_media and kind.question_about_media:
        rules_sent[QUESTION] = str(kind.question_about_media)
    if shows_documents(rules):
        rules_sent[PAGE] = DOCUMENT_PAGE
    return rules_sent


def texts_beside(
    protocol: str,
    rules: Rules,
    *,
    campaign: Campaign,
    part: int,
) -> TextsBeside:
    """Return the texts shown alongside the outputs: those set in the campaign, unless the protocol sets them."""
    texts = answer_kind(protocol, rules).texts(part)
    if texts is not None:
        return texts
    return TextsBeside(
        source=campaign.show_source,
        references=campaign.show_reference,
        context=True,
    )


def answer_serializers() -> dict[str, Serializer[Any] | type[Serializer[Any]]]:
    """Return the serializers of `answer` in requests and responses by their names, for the API description."""
    serializers_of_kinds: dict[str, Serializer[Any] | type[Serializer[Any]]] = {}
    for kind in _KINDS.values():
        for serializer in (kind.serializer, kind.serializer_of_several):
            if serializer is not None:
                serializers_of_kinds[named_kind(serializer)] = serializer
    return serializers_of_kinds


def rules_serializers() -> dict[str, Serializer[Any] | type[Serializer[Any]]]:
    """Return the serializers of `rules` in responses by protocol."""
    return {
        named_kind(kind.rules_serializer, PROTOCOL): kind.rules_serializer
        for kind in _KINDS.values()
    }


def answers_read(
    protocol: str,
    judgment_ids: Sequence[int],
    *,
    is_record: bool = False,
) -> dict[int, Answer]:
    """Return the answers of judgments of a protocol by id, see `AnswerKind.read`. One query, or none for rankings."""
    kind = answer_kind(protocol)
    if not judgment_ids or not kind.has_answers:
        return {}
    return kind.read(judgment_ids, is_record=is_record)


def answer_of(judgment: Judgment, *, protocol: str | None = None) -> Answer | None:
    """Return the answer of a judgment; None for a ranking, which has only labels. Passing `protocol` saves a query."""
    kind = answer_kind(judgment.task.protocol if protocol is None else protocol)
    if kind.has_answers:
        return kind.answer_of(judgment)
    return None


def stages_of(
    protocol: str,
    block_ids: Sequence[int],
    judge_id: int = 0,
) -> dict[int, Stage]:
    """Return the stages of a protocol's blocks for a judge, by id; empty, without a query, if all HITs ask the same."""
    if not block_ids:
        return {}
    return answer_kind(protocol).stages(block_ids, judge_id)


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
    columns = {}
    for field in model._meta.concrete_fields:
        if not field.primary_key:
            columns[str(field.column)] = field.db_type(connection) or ""
    return columns
