"""Registry of the protocol-specific parts of answering, filled by the protocols.

Lending, numbering, history, limits, time sheets and exports know judgments, and no protocol. A
protocol's `AnswerKind` defines its answers: the request, the implied order of the outputs, and the
storage of the rest.
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
from django.utils.translation import ngettext
from rest_framework.serializers import Serializer

from annotation.models import Design, Judgment
from annotation.submissions import AssignedBlock, SubmissionRefusedError
from campaign.models import Campaign, Task

#: Answer to a block: labels, or an object with the protocol's fields.
Answer = Any
#: Only in protocols with passes.
LAST_PASS: Final = 2
#: Choices that a protocol leaves to the organiser, in JSON.
Rules = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsBeside:
    """Texts shown beside the outputs."""

    source: bool
    references: bool
    context: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Minimum number of judges needed to allot all texts, whether enough are available, and an explanation."""

    judges: int
    is_feasible: bool
    words: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """Protocol settings for allotted texts: each text goes to a fixed number of judges, who see it once or twice.

    Where it is twice, they first see all of them, then all of them again.

    Each text of a segment goes to `raters` different judges, the same in both passes unless the
    rules say otherwise, and no judge sees a segment twice in a pass. Passes count from 1.

    Attributes
    ----------
    texts : callable
        Returns what is shown beside the outputs in a pass, by the task's rules.
    rules : callable
        Returns what the judge page must know beside `shown_rules`, likewise.
    raters : callable
        Returns the number of judges per text, by the task's rules.
    items_per_judge : callable
        Returns the maximum number of texts per judge in a pass; None: no limit.
    needs : callable
        Returns what it takes: of the number of texts of each segment, judges, the most texts of one of them, and the
        task's rules.
    segments_per_hit : int
        Default of a new design.
    count : int
        How often judges see the texts: 1, and all that is said here of the second pass is of no concern, or 2.
    together : callable, optional
        Returns the numbers of the segments that a HIT shows together, in their order, each of its HITs in the outputs
        of one system. None: a HIT shows segments from anywhere, and texts of all systems.
    is_second_by_others : callable
        Returns, by the task's rules, whether a text is shown in the second pass to other judges than in the first, so
        that no judge sees a segment twice in the task.
    """

    texts: Callable[[int, Mapping[str, Any]], TextsBeside]
    rules: Callable[[int, Mapping[str, Any]], Rules]
    raters: Callable[[Mapping[str, Any]], int]
    items_per_judge: Callable[[Mapping[str, Any]], int | None]
    needs: Callable[[Sequence[int], int, int, Mapping[str, Any]], Needs]
    segments_per_hit: int
    count: int = LAST_PASS
    together: Callable[[Task], Sequence[Sequence[int]]] | None = None
    is_second_by_others: Callable[[Mapping[str, Any]], bool] = lambda _rules: False

    def are_seen_once(self, rules: Mapping[str, Any]) -> bool:
        """Return whether a judge sees a text once, by the task's rules."""
        return self.count == 1 or self.is_second_by_others(rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenComparison:
    """Two systems that a sort compares now.

    Attributes
    ----------
    first, second : str
    missing : int
        Judgments that it is still to get before it is looked at again.
    """

    first: str
    second: str
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Adaptive choice of the systems to compare next, for protocols where it depends on earlier judgments.

    Attributes
    ----------
    close : callable
        Closes the comparisons that have all their judgments, and returns their number. Before HITs are planned, in
        a transaction of its own.
    open : callable
        Returns the comparisons that are open now. Stores nothing: it is also called for designs not yet in force.
    sentences_of_a_judge : callable
        Returns, by the task's rules, the number of sentences of a comparison sampled for each judge. 0: no
        samples, judges are lent what the pool has.
    judgments : callable
        Returns, by the task's rules, the number of judgments that close a comparison.
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
    """Questions a block asks in a protocol whose repeated HITs ask about the answers to the original ones.

    Attributes
    ----------
    rules : mapping
        What the judge page must know of it beside the rules of the task.
    is_text_alone : bool
        Whether source, references and neighbours are hidden, whatever the campaign shows.
    texts : tuple of str, optional
        What is shown of the candidates; None: their outputs as they are.
    """

    rules: Rules
    is_text_alone: bool = False
    texts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutJudgment:
    """Link from an answer to the earlier judgment it is about, for protocols that ask about other judges' answers.

    Attributes
    ----------
    column : str
        Of the `table` of the `AnswerKind`, which holds it.
    find : callable
        Returns its id, of an answer and of the id of the block it is given to; None where it is about none.
    """

    column: str
    find: Callable[[Answer, int], int | None]


class Perceived(NamedTuple):
    """Describe what a simulated judge perceives of a block, and answers by.

    Attributes
    ----------
    qualities : sequence of float
        Stated qualities (0–100) of the candidates.
    labels : sequence of int
        Those that the candidates would get in a ranking.
    rules : mapping
        Of the task and of what the block asks.
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
        How many a block may show.
    first_candidates : int, optional
        How many the blocks of a task's first design show; None: as many as any design's, or the most there may be.
    candidates_in_words : lazy str
        Describes blocks of this size to organisers who choose one; empty where the design implies it.
    serializer : type of Serializer, optional
        Of the `answer` of a request. None: what is said is `labels`.
    table : type of Model
        Whose rows say what answers say: of the protocol, with a judgment as its primary key; or `Judgment` where labels
        say all of an answer, so that nothing else is kept.
    row : callable
        Returns the fields of that for an answer in a pass, without its judgment and the one it is about. By default, those of the answer.
    about : AboutJudgment, optional
        None: no answer is about another.
    as_given : callable, optional
        Returns an answer as it was given, in JSON, of anything that has the fields of `table`. None: these fields are the answer.
    labels : callable
        Returns the order of the candidates that an answer implies: 1 is best. By default, nothing is compared.
    refusal : callable
        Returns why an answer to a block is not taken, in words for the judge; None if it is. Asked before anything is stored.
    refusal_by_database : callable
        Returns the same once the database refused the answer, and may read what it takes: what the triggers of `table` ask of
        every answer is not read before it as well (decision 123).
    rules_fields : mapping
        A form field of each rule by its name, labelled in words for organisers: `rules_completed` reads from it which values
        the rule takes, and which it has unless chosen.
    shown_rules : callable
        Returns what the judge page must know of the campaign and of the task's rules.
    rules_serializer : type of Serializer
        Describes that.
    simulated : callable
        Returns the answer of a simulated judge.
    simulated_on : callable, optional
        Returns that answer with what it says of parts of the texts: of the answer, the texts of the candidates,
        the task's rules, and chance. None: it says nothing of parts, and no text is read for it.
    passes : Passes, optional
        None: texts are drawn, and judges see an output once.
    comparisons : Comparisons, optional
        Of a protocol that sorts: its designs are of the kind `sorting`, and no others are.
    screen : str
        The protocol whose screen judges see, if not its own.
    first_stage : Stage, optional
        Questions of HITs that repeat no other, if those that do ask about their answers. The latter are lent once the first one is done, and never to the same judge. None: all HITs ask the same.
    stages : callable, optional
        Returns what blocks ask, by their ids, and what is shown of their outputs. As many queries, whatever their number.
    stages_drawn : callable, optional
        Returns the same of the blocks of a HIT that is drawn and not stored, for previews: of the task, the numbers of
        their segments, their ids, and the texts of their outputs, of which each shows one.
    score_of_one : callable, optional
        Returns the score that an answer gives the one output of its block, more is better: what attention checks of such
        blocks are measured by. None: blocks of one have none.
    last_is_needed : callable, optional
        Returns, by the task's rules and the ids of HITs, about which of these HITs one judge more is still to be asked when all
        but the last of the HITs that repeat them are done; None where all are asked in any case.
    simulated_knows : callable, optional
        Returns what simulated judges are told of blocks beside the rules, by the ids of these. No browser is told.
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
    shown_rules: Callable[[Campaign, Mapping[str, Any]], Rules] = lambda _campaign, _rules: {}
    first_candidates: int | None = None
    candidates_in_words: str | Promise = ""
    table: type[Any] = Judgment
    row: Callable[[Answer, int], dict[str, Any]] = lambda answer, _part: dict(answer)
    about: AboutJudgment | None = None
    as_given: Callable[[Any], Answer] | None = None
    simulated_on: Callable[[Answer, Sequence[str], Mapping[str, Any], Random], Answer] | None = None
    passes: Passes | None = None
    comparisons: Comparisons | None = None
    screen: str = ""
    first_stage: Stage | None = None
    stages: Callable[[Sequence[int]], dict[int, Stage]] | None = None
    stages_drawn: (
        Callable[[Task, Sequence[int], Sequence[UUID], Sequence[str]], list[Stage]] | None
    ) = None
    score_of_one: Callable[[Answer], float] | None = None
    last_is_needed: Callable[[Mapping[str, Any], Sequence[int]], Set[int] | None] | None = None
    simulated_knows: Callable[[Sequence[int]], dict[int, Rules]] | None = None

    @property
    def has_stages(self) -> bool:
        """True if HITs that repeat others ask about the answers to these."""
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
        """The columns of answers that are kept beside labels, each with its PostgreSQL type."""
        model: type[Model] = self.table
        return answer_columns(model) if self.keeps_answers else {}

    @property
    def compares_outputs(self) -> bool:
        """True if a block may show several outputs, so that an answer implies an order."""
        return self.candidates[-1] > 1

    def rules(self, given: Mapping[str, Any]) -> Rules:
        """Return the rules of a task, complete. Raises ValidationError for others than the protocol has."""
        return rules_completed(self.rules_fields, given)

    def read(self, judgment_ids: Sequence[int]) -> dict[int, Answer]:
        """Return answers by the ids of their judgments, as they were given. One query."""
        rows = self.table.objects.filter(pk__in=judgment_ids)
        found = rows.values_list("pk", *(self.columns or ("labels",)), named=True)
        return {row.pk: self.given(row) for row in found}

    def answer_of(self, judgment: Judgment) -> Answer | None:
        """Return an answer as it was given; one query, unless it was stored with this very instance. None if there is none."""
        row = getattr(judgment, self._relation, None) if self.keeps_answers else judgment
        return None if row is None else self.given(row)

    def given(self, row: Any) -> Answer:
        """Return the answer of a row of `table`, as it was given."""
        if self.as_given is not None:
            return self.as_given(row)
        return {column: getattr(row, column) for column in self.columns}

    def row_of(self, answer: Answer, *, part: int, block_id: int) -> dict[str, Any]:
        """Return the fields of `table` for an answer to a block, without its judgment. A query if it is about another."""
        row = self.row(answer, part)
        if self.about is not None:
            row[self.about.column] = self.about.find(answer, block_id)
        return row

    def with_judgment(self, judgment: Judgment, row: Mapping[str, Any]) -> Any:
        """Return the instance of `table` with these fields; `answer_of` takes it from the judgment and reads nothing."""
        # Django keeps it with both ends of the relation.
        return self.table(judgment=judgment, **row)

    @property
    def _relation(self) -> str:
        return str(self.table._meta.get_field("judgment").remote_field.get_accessor_name())


def rules_completed(fields: Mapping[str, forms.Field], given: Mapping[str, Any]) -> Rules:
    """Return the value of each rule, which is the initial one of its form field unless another is given.

    A number that a form may leave empty is what it is unless chosen where None is given.

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
    """Make a protocol known; for `AppConfig.ready`."""
    _KINDS[kind.protocol] = kind


def answer_kind(protocol: str) -> AnswerKind:
    """Return the answer kind of a protocol."""
    return _KINDS[protocol]


def answer_kinds() -> list[AnswerKind]:
    """Return all kinds of answers, that of rankings first."""
    return list(_KINDS.values())


def rules_shown(protocol: str, rules: Mapping[str, Any], *, campaign: Campaign, part: int) -> Rules:
    """Return the rules of the campaign and of a task that the judge page needs, in a pass."""
    kind = answer_kind(protocol)
    shown = kind.shown_rules(campaign, rules)
    return shown if kind.passes is None else {**shown, **kind.passes.rules(part, rules)}


def texts_beside(
    protocol: str, rules: Mapping[str, Any], *, campaign: Campaign, part: int
) -> TextsBeside:
    """Return the texts shown beside the outputs: as set in the campaign, unless the protocol has passes."""
    passes = answer_kind(protocol).passes
    if passes is not None:
        return passes.texts(part, rules)
    return TextsBeside(
        source=campaign.show_source, references=campaign.show_reference, context=True
    )


def answer_serializers() -> list[type[Serializer[Any]]]:
    """Return the serializers of `answer` in requests and responses, for the description of the API."""
    return [kind.serializer for kind in _KINDS.values() if kind.serializer is not None]


def rules_serializers() -> list[type[Serializer[Any]]]:
    """Return the serializers of `rules` in responses."""
    return [kind.rules_serializer for kind in _KINDS.values()]


def answers_read(protocol: str, judgment_ids: Sequence[int]) -> dict[int, Answer]:
    """Return the answers of these judgments of a protocol, by id. One query, or none for rankings."""
    kind = answer_kind(protocol)
    return kind.read(judgment_ids) if judgment_ids and kind.has_answers else {}


def answer_of(judgment: Judgment, *, protocol: str | None = None) -> Answer | None:
    """Return the answer of a judgment; None for a ranking, whose labels are the answer. `protocol` saves a query."""
    kind = answer_kind(judgment.task.protocol if protocol is None else protocol)
    return kind.answer_of(judgment) if kind.has_answers else None


def stages_of(protocol: str, block_ids: Sequence[int]) -> dict[int, Stage]:
    """Return the stages of a protocol's blocks, by id; empty, and without a query, if all HITs ask the same."""
    kind = answer_kind(protocol)
    return {} if kind.stages is None or not block_ids else kind.stages(block_ids)


def outputs_at_a_time(count: int) -> str:
    """Return the error that blocks of a task must show exactly `count` outputs."""
    return ngettext(
        "Blocks of this task must show %(count)d output.",
        "Blocks of this task must show %(count)d outputs.",
        count,
    ) % {"count": count}


@cache
def answer_columns(model: type[Model]) -> Mapping[str, str]:
    """Return the columns of the answers of a protocol but `judgment_id`, each with its PostgreSQL type."""
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    return {str(field.column): field.db_type(connection) or "" for field in fields}
