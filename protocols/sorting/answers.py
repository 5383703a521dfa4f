"""Answers in a sort (the better of two outputs, or the same quality), and the sort of a task: its judgments, open
comparisons, and closing of complete ones.

Labels hold the whole answer. A judgment belongs to the comparison that its HIT was drawn for or its
file names, even if a third system wrote the same text.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import Final, TypedDict, cast

from django import forms
from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.export.five_way import systems_shown
from annotation.models import Design, HITSequence, Judgment, JudgmentSequence
from annotation.models.judgment import JudgmentQuerySet
from annotation.protocols.answer_kinds import (
    QUESTION,
    Comparisons,
    OpenComparison,
    QuestionField,
    QuestionSerializer,
    Rules,
    rules_completed,
)
from annotation.selectors.comparisons import COMPARISON, COMPARISON_IMPORTED
from annotation.selectors.designs import systems_drawn
from annotation.selectors.judges import excluded_judges
from annotation.services.numbers import judgments_number
from campaign.api.constants import ConstantField
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Output, Protocol, Task
from campaign.texts.by_language import TextsJSON
from campaign.texts.normalisation import normalise_text
from protocols.frame.lines import judgments_of
from protocols.frame.two_outputs import LABELS, TwoOutputsKind, VerdictJSON
from protocols.models import ClosedComparison, SystemSort, Verdict
from ranking.core.sorting import (
    Answer,
    Decision,
    Pair,
    closed,
    counting,
    decide_in_order,
    draw,
    most_comparisons,
    pair_of,
    sort_replayed,
)

MOST: Final = 100_000
_number: Final = partial(
    forms.IntegerField,
    min_value=0,
    max_value=MOST,
    required=False,
)
#: By default, seven judges with 100 sentences each (Vilar et al. 2007), extended once by the share
#: of one judge.
RULES: Final = {
    QUESTION: QuestionField(),
    "judgments": _number(
        label=gettext_lazy("Judgments per comparison"),
        help_text=gettext_lazy(
            "A comparison closes at this number (700: seven judges with 100 sentences each).",
        ),
        min_value=1,
        initial=700,
    ),
    "extension": _number(
        label=gettext_lazy("Extra judgments after a tie"),
        help_text=gettext_lazy("If still tied, the winner is drawn at random."),
        initial=100,
    ),
    "most_of_a_judge": _number(
        label=gettext_lazy("Maximum judgments per judge and comparison"),
        help_text=gettext_lazy(
            "Each judge receives at most this many randomly drawn sentences (100 in the paper). Enter 0 for no limit.",
        ),
        initial=0,
    ),
}


class SortingRules(TypedDict):
    """Rules of a sort, completed."""

    question: TextsJSON
    judgments: int
    extension: int
    most_of_a_judge: int


class Quota(TypedDict):
    """Numbers of judgments that close a comparison of a task."""

    quota: int
    extension: int


def rules_complete(rules: Rules) -> SortingRules:
    """Return the rules of a task, completed with defaults."""
    return cast("SortingRules", rules_completed(RULES, rules))


def quota_of(task: Task) -> Quota:
    """Return the numbers of judgments that close a comparison of a task."""
    rules = rules_complete(task.rules)
    return {"quota": rules["judgments"], "extension": rules["extension"]}


def answers_given(
    *,
    task: Task,
    pairs: Iterable[Pair],
    watermark: int = 0,
    without: Collection[str] = (),
    documents: Collection[str] | None = None,
    current: JudgmentQuerySet | None = None,
) -> dict[Pair, list[Answer]]:
    """Return the answers to comparisons, by number: of `current` judgments, or of 1…`watermark`
    without some judges.

    Each is from the viewpoint of the first system of its pair. Attention checks are left out.
    Always three queries.
    """
    planned, imported = (
        f"block__hit__{path}" for path in (COMPARISON, COMPARISON_IMPORTED)
    )
    pair_lists = [list(pair) for pair in pairs]
    if not pair_lists:
        return {}
    judgments = current
    if judgments is None:
        until = Judgment.objects.of(task.pk).counted().until(watermark)
        judgments = judgments_of(until, without=without, documents=documents)
    rows = list(
        judgments.filter(
            Q(**{f"{planned}__in": pair_lists}) | Q(**{f"{imported}__in": pair_lists}),
        )
        .order_by("numbered__number")
        .values(
            "block_id",
            "labels",
            number=F("numbered__number"),
            judge_name=F("judge__pseudonym"),
            segment=F("block__segment__number"),
            pair_planned=F(planned),
            pair_imported=F(imported),
            later=F("superseded_by__numbered__number"),
        ),
    )
    ids = dict(task.test_set.systems.values_list("name", "id"))
    systems = systems_shown({row["block_id"] for row in rows})
    answers: dict[Pair, list[Answer]] = defaultdict(list)
    for row in rows:
        first, second = row["pair_planned"] or row["pair_imported"]
        if ids[first] in systems[row["block_id"]][0]:
            position = 0
        else:
            position = 1
        # Every label of a verdict is a rank.
        labels = cast("list[int]", row["labels"])
        ahead = labels[1 - position] - labels[position]
        later = row["later"]
        answers[first, second].append(
            Answer(
                row["number"],
                row["judge_name"],
                row["segment"],
                ahead,
                is_current=later is None or later > watermark,
            ),
        )
    return answers


def last_number(task: Task) -> int:
    """Return the number of the last numbered judgment; 0 without any."""
    numbers = JudgmentSequence.objects.filter(task=task).values_list(
        "last_number",
        flat=True,
    )
    return numbers.first() or 0


def sort_in_force(design: Design) -> SystemSort:
    """Return the sort of the participating systems: the latest of the task, or else a new unsaved
    one.
    """
    task = design.task
    taking_part = systems_drawn(task=task, design=design).filter(outputs__isnull=False)
    systems = sorted(set(taking_part.values_list("name", flat=True)))
    last = SystemSort.objects.filter(task=task).order_by("-number").first()
    if last is not None and last.systems == systems:
        return last
    return SystemSort(
        task=task,
        number=last.number + 1 if last else 1,
        systems=systems,
        # 32 bits: it is published as a number, and does not reveal the design's seed.
        seed=draw(design.seed, "sort") >> 32,
        watermark=last_number(task),
    )


def sort_decided(
    sort: SystemSort,
    *,
    watermark: int,
    without: Collection[str] | None = None,
) -> tuple[dict[Pair, Decision], dict[Pair, list[Answer]]]:
    """Return decisions in the order of the sort, closed comparisons first, and the judgments behind
    new decisions.

    Complete comparisons count as closed, since the same judgments will close them. Superseded
    judgments do not count, nor do those of judges in `without` (by default, the currently excluded).
    """
    task = sort.task
    used = {}
    if without is None:
        without = excluded_judges(campaign_id=task.test_set.campaign_id)
    most = rules_complete(task.rules)["most_of_a_judge"]

    def decide_all(pairs: Sequence[Pair]) -> dict[Pair, Decision]:
        answers_by_pair = answers_given(
            task=task,
            watermark=watermark,
            pairs=pairs,
            without=without,
        )
        new = {}
        for pair in pairs:
            current = []
            for answer in answers_by_pair.get(pair, ()):
                if answer.is_current:
                    current.append(answer)
            used[pair] = counting(current, most_of_a_judge=most)
            signs = []
            for answer in used[pair]:
                signs.append(answer.answer)
            new[pair] = decide_in_order(*pair, signs, **quota_of(task), seed=sort.seed)
            if pair not in answers_by_pair and not outputs_differ(sort, pair):
                # No judge is available: R stays 0.
                new[pair] = closed(*pair, 0, 0, seed=sort.seed)
            del used[pair][new[pair].judgments :]
        return new

    before = {}
    if sort.pk:
        for row in sort.verdicts.filter(watermark__lte=watermark).order_by("step"):
            before[pair_of(row.winner, row.loser)] = Decision(
                row.winner,
                row.loser,
                len(row.judgments),
                0,
                arbitrary=row.is_drawn,
            )
    return sort_replayed(sort.systems, sort.seed, decide_all, before)[1], used


def outputs_differ(sort: SystemSort, pair: Pair) -> bool:
    """Return whether two systems have different outputs for any segment of the test set."""
    outputs = Output.objects.current().filter(
        system__test_set=sort.task.test_set_id,
        text__isnull=False,
    )
    other = outputs.filter(system__name=pair[1], segment=OuterRef("segment")).values(
        "text",
    )
    first = outputs.filter(system__name=pair[0]).annotate(other=Subquery(other[:1]))
    texts = first.filter(other__isnull=False).exclude(text=F("other"))
    differing = texts.values_list("text", "other").iterator()
    return any(
        normalise_text(one or "") != normalise_text(two) for one, two in differing
    )


def comparisons_open(design: Design) -> list[OpenComparison]:
    """Return the open comparisons of a task's sort, with the number of judgments each still
    needs.
    """
    sort = sort_in_force(design)
    if len(sort.systems) < 2:
        return []
    decided, _used = sort_decided(sort, watermark=last_number(design.task))
    open_comparisons = []
    for (first, second), decision in decided.items():
        if not decision.winner:
            open_comparisons.append(
                OpenComparison(first=first, second=second, missing=decision.missing),
            )
    return open_comparisons


def answers_unasked(design: Design) -> int:
    """Return the number of current answers to comparisons that the sort of a task has not reached."""
    sort = sort_in_force(design)
    watermark = last_number(design.task)
    reached: Collection[Pair] = ()
    if len(sort.systems) > 1:
        reached, _used = sort_decided(sort, watermark=watermark)
    unreached = []
    names = design.task.test_set.systems.values_list("name", flat=True)
    for pair in combinations(sorted(names), 2):
        if pair not in reached:
            unreached.append(pair)
    answers_by_pair = answers_given(
        task=design.task,
        pairs=unreached,
        watermark=watermark,
        without=excluded_judges(campaign_id=design.task.test_set.campaign_id),
    )
    unasked = 0
    for answers in answers_by_pair.values():
        unasked += sum(answer.is_current for answer in answers)
    return unasked


def comparisons_close(design: Design) -> int:
    """Store the verdicts decided by the judgments so far, and return their number.

    Starts the sort of the participating systems if needed. Runs in one transaction under the
    planning lock, so that nothing is planned for a comparison that is closing, and each is closed
    only once.
    """
    judgments_number(task_id=design.task_id)
    with transaction.atomic():
        HITSequence.objects.select_for_update().get_or_create(task=design.task)
        sort = sort_in_force(design)
        watermark = last_number(design.task)
        if len(sort.systems) < 2:
            return 0
        if not sort.pk:
            sort.save(force_insert=True)
        decided, used = sort_decided(sort, watermark=watermark)
        new = []
        for pair in used:
            if decided[pair].winner:
                new.append(pair)
        for step, pair in enumerate(new, len(decided) - len(used) + 1):
            decision = decided[pair]
            signs = Counter(used_answer.answer for used_answer in used[pair])
            if decision.winner == pair[0]:
                for_winner = 1
            else:
                for_winner = -1
            numbers = []
            for answer in used[pair]:
                numbers.append(answer.number)
            ClosedComparison.objects.create(
                sort=sort,
                step=step,
                winner=decision.winner or "",
                loser=decision.loser or "",
                wins=signs[for_winner],
                losses=signs[-for_winner],
                same=signs[0],
                is_drawn=decision.arbitrary,
                judgments=numbers,
                watermark=watermark,
            )
    return len(new)


_VERDICTS: Final[dict[tuple[int | None, int | None], str]] = {
    LABELS[verdict]: verdict.value
    for verdict in (Verdict.FIRST, Verdict.SAME, Verdict.SECOND)
}


class SortingAnswerSerializer(PlainSerializer):
    """The better of two outputs, in display order."""

    kind = ConstantField("sorting")
    verdict = serializers.ChoiceField(choices=list(_VERDICTS.values()))


class SortingRulesSerializer(QuestionSerializer):
    """Rules of a sort for judges."""

    protocol = ConstantField(Protocol.SORTING)


class SortComparisons(Comparisons):
    """The comparisons of a task's sort."""

    def __init__(self, rules: SortingRules) -> None:
        self.sentences_of_a_judge = rules["most_of_a_judge"]
        self.judgments = rules["judgments"]

    def close(self, design: Design) -> int:
        return comparisons_close(design)

    def open(self, design: Design) -> list[OpenComparison]:
        return comparisons_open(design)

    def answers_unasked(self, design: Design) -> int:
        return answers_unasked(design)

    def most(self, systems: int) -> int:
        return most_comparisons(systems)


class SortingAnswers(TwoOutputsKind):
    """Which of the outputs of two systems is better."""

    protocol = Protocol.SORTING
    sentence = gettext_lazy(
        "Judges compare the outputs of two systems; each result decides which pair comes next.",
    )
    work = gettext_lazy("You compare two outputs and choose the better one.")
    question_about_media = gettext_lazy("Which output has the better overall quality?")
    serializer = SortingAnswerSerializer
    rules_serializer = SortingRulesSerializer
    rules_fields = RULES
    screen = Protocol.TWO_OUTPUTS

    @property
    def comparisons(self) -> SortComparisons:
        return SortComparisons(rules_complete(self.stored_rules))

    def submitted(self, row: Judgment) -> VerdictJSON:
        first, second = row.labels
        return {"verdict": _VERDICTS[first, second]}


ANSWERS: Final = SortingAnswers
