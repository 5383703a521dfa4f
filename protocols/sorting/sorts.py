"""The current sort of a task: its judgments, open comparisons, and closing of complete ones.

A judgment belongs to the comparison that its HIT was drawn for or its file names, even if a third
system wrote the same text.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery

from annotation.export.five_way import systems_shown
from annotation.models import Design, HITSequence, Judgment, JudgmentSequence
from annotation.models.judgment import JudgmentQuerySet
from annotation.protocols import OpenComparison
from annotation.selectors.comparisons import COMPARISON, COMPARISON_IMPORTED
from annotation.selectors.designs import systems_drawn
from annotation.selectors.judges import excluded_judges
from annotation.services.numbers import judgments_number
from campaign.models import Output, Task
from campaign.texts.normalisation import normalise_text
from protocols.frame.stored import judgments_of
from protocols.models import ClosedComparison, SystemSort
from protocols.sorting.statistics.merge_insertion import (
    Pair,
    Verdict,
    draw,
    next_comparisons,
    pair_of,
)
from protocols.sorting.statistics.verdicts import (
    Answer,
    Decision,
    VerdictRule,
    closed,
    counting,
    decide_in_order,
    sort_replayed,
)

#: Seven judges with 100 sentences each (Vilar et al. 2007), extended once by the share of one
#: judge.
DEFAULTS: Final[Mapping[str, int]] = {"judgments": 700, "extension": 100, "most_of_a_judge": 0}
MOST: Final = 100_000


def rules_complete(rules: Mapping[str, Any]) -> dict[str, int]:
    """Return the rules of a task, completed with defaults."""
    return {**DEFAULTS, **rules}


def verdict_rule(task: Task) -> VerdictRule:
    """Return the rule that closes the comparisons of a task."""
    rules = rules_complete(task.rules)
    return VerdictRule(quota=rules["judgments"], extension=rules["extension"])


_OF_HIT: Final = tuple(f"block__hit__{path}" for path in (COMPARISON, COMPARISON_IMPORTED))


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
    wanted = list(pairs)
    if not wanted:
        return {}
    judgments = current
    if judgments is None:
        until = Judgment.objects.of(task.pk).counted().until(watermark)
        judgments = judgments_of(until, without=without, documents=documents)
    judgments = judgments.filter(
        reduce(or_, (Q(**{path: list(pair)}) for pair in wanted for path in _OF_HIT))
    )
    rows = list(
        judgments.order_by("numbered__number").values_list(
            *("numbered__number", "judge__pseudonym", "block__segment__number", "block_id"),
            *("labels", *_OF_HIT, "superseded_by__numbered__number"),
        )
    )
    ids = dict(task.test_set.systems.values_list("name", "id"))
    shown = systems_shown({row[3] for row in rows})
    found: dict[Pair, list[Answer]] = defaultdict(list)
    for number, judge, segment, block, labels, planned, imported, later in rows:
        first, second = planned or imported
        place = 0 if ids[first] in shown[block][0] else 1
        ahead = labels[1 - place] - labels[place]
        is_current = later is None or later > watermark
        found[first, second].append(Answer(number, judge, segment, ahead, is_current))
    return found


def watermark_now(task: Task) -> int:
    """Return the number of the last judgment."""
    sequence = JudgmentSequence.objects.filter(task=task)
    return sequence.values_list("last_number", flat=True).first() or 0


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
        watermark=watermark_now(task),
    )


def verdicts_closed(sort: SystemSort) -> list[Verdict]:
    """Return the verdicts of a sort; an unsaved sort has none."""
    if not sort.has_begun:
        return []
    rows = sort.verdicts.order_by("step").values_list("winner", "loser")
    return [Verdict(winner, loser) for winner, loser in rows]


def decisions(
    sort: SystemSort,
    pairs: Sequence[Pair],
    *,
    watermark: int,
    without: Collection[str] | None = None,
) -> dict[Pair, tuple[Decision, list[Answer]]]:
    """Return the decision on each comparison based on judgments up to the watermark, and the
    judgments that count.

    Superseded judgments do not count, nor do those of judges in `without` (by default, the
    currently excluded).
    """
    task = sort.task
    if without is None:
        without = excluded_judges(campaign_id=task.test_set.campaign_id)
    given = answers_given(task=task, watermark=watermark, pairs=pairs, without=without)
    rule, most = verdict_rule(task), rules_complete(task.rules)["most_of_a_judge"]
    found: dict[Pair, tuple[Decision, list[Answer]]] = {}
    for pair in pairs:
        if pair not in given and not outputs_differ(sort, pair):
            # No judge is available: R stays 0.
            found[pair] = closed(*pair, 0, 0, seed=sort.seed), []
            continue
        current = (each for each in given.get(pair, ()) if each.is_current)
        answers = counting(current, most_of_a_judge=most)
        signs = [each.answer for each in answers]
        found[pair] = decide_in_order(*pair, signs, rule, seed=sort.seed), answers
    return found


def sort_decided(
    sort: SystemSort,
    rows: Iterable[ClosedComparison],
    *,
    watermark: int,
    without: Collection[str] | None = None,
) -> tuple[dict[Pair, Decision], dict[Pair, list[Answer]]]:
    """Return decisions in the order of the sort, closed comparisons first, and the judgments behind
    new decisions.

    Complete comparisons count as closed, since the same judgments will close them.
    """
    used: dict[Pair, list[Answer]] = {}

    def decide_all(pairs: Sequence[Pair]) -> dict[Pair, Decision]:
        new = decisions(sort, pairs, watermark=watermark, without=without)
        used.update({pair: answers[: each.asked] for pair, (each, answers) in new.items()})
        return {pair: decision for pair, (decision, _answers) in new.items()}

    before = {
        pair_of(row.winner, row.loser): Decision(
            row.winner, row.loser, len(row.judgments), 0, arbitrary=row.is_drawn
        )
        for row in rows
    }
    return sort_replayed(sort.systems, sort.seed, decide_all, before)[1], used


def outputs_differ(sort: SystemSort, pair: Pair) -> bool:
    """Return whether two systems have different outputs for any segment of the test set."""
    first, second = (
        Output.objects.current().filter(
            system__test_set=sort.task.test_set_id, system__name=name, text__isnull=False
        )
        for name in pair
    )
    other = second.filter(segment=OuterRef("segment"))
    texts = first.annotate(other=Subquery(other.values("text")[:1])).filter(other__isnull=False)
    differing = texts.exclude(text=F("other")).values_list("text", "other").iterator()
    return any(normalise_text(one or "") != normalise_text(two) for one, two in differing)


def comparisons_open(design: Design) -> list[OpenComparison]:
    """Return the open comparisons of a task's sort, with the number of judgments each still
    needs.
    """
    sort = sort_in_force(design)
    if len(sort.systems) < 2:
        return []
    state = next_comparisons(sort.systems, verdicts_closed(sort), sort.seed)
    pairs = [pair_of(*pair) for pair in state.open]
    found = decisions(sort, pairs, watermark=watermark_now(design.task))
    return [
        OpenComparison(first=first, second=second, missing=found[first, second][0].missing)
        for first, second in pairs
    ]


def comparisons_close(design: Design) -> int:
    """Store the verdicts decided by the judgments so far, and return their number.

    Starts the sort of the participating systems if needed. Runs in one transaction under the
    planning lock, so that nothing is planned for a comparison that is closing, and each is closed
    only once.
    """
    judgments_number(task_id=design.task_id)
    with transaction.atomic():
        HITSequence.objects.get_or_create(task=design.task)
        HITSequence.objects.select_for_update().get(task=design.task)
        return _close(design)


def _close(design: Design) -> int:
    sort, watermark = sort_in_force(design), watermark_now(design.task)
    if len(sort.systems) < 2:
        return 0
    if not sort.has_begun:
        sort.save(force_insert=True)
    before = list(sort.verdicts.order_by("step"))
    decided, used = sort_decided(sort, before, watermark=watermark)
    new = [pair for pair in used if decided[pair].winner]
    for step, pair in enumerate(new, len(before) + 1):
        decision, signs = decided[pair], Counter(each.answer for each in used[pair])
        for_winner = 1 if decision.winner == pair[0] else -1
        ClosedComparison.objects.create(
            sort=sort,
            step=step,
            winner=decision.winner or "",
            loser=decision.loser or "",
            wins=signs[for_winner],
            losses=signs[-for_winner],
            same=signs[0],
            is_drawn=decision.arbitrary,
            judgments=[each.number for each in used[pair]],
            watermark=watermark,
        )
    return len(new)
