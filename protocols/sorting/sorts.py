"""The sort of a task that is in force, and the comparisons that it asks for now."""

from collections.abc import Collection, Sequence

from django.db.models import F, OuterRef, Subquery

from annotation.models import Design, JudgmentSequence
from annotation.protocols import OpenComparison
from annotation.selectors import excluded_judges
from annotation.selectors.designs import systems_drawn
from campaign.models import Output, Task
from campaign.texts.normalisation import normalise_text
from protocols.sorting.judged import PairOf, answers_given, pair_of
from protocols.sorting.models import SystemSort
from protocols.sorting.rules import most_of_a_judge, verdict_rule
from protocols.sorting.statistics.closing import Answer, counting, decide_in_order
from protocols.sorting.statistics.draws import draw, drawn_winner
from protocols.sorting.statistics.merge_insertion import SortState, Verdict, next_comparisons
from protocols.sorting.statistics.verdicts import Decision

_TWO = 2


def watermark_now(task: Task) -> int:
    """Return the number of the last judgment."""
    sequence = JudgmentSequence.objects.filter(task=task)
    return sequence.values_list("last_number", flat=True).first() or 0


def sort_in_force(design: Design) -> SystemSort:
    """Return the sort of the systems that take part now: the last one of the task, or else one that is not saved."""
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
        # 32 bits: it is told as a number, and does not tell the design's.
        seed=draw(design.seed, "sort") >> 32,
        watermark=watermark_now(task),
    )


def verdicts_closed(sort: SystemSort) -> list[Verdict]:
    """Return all that a sort remembers; nothing of one that is not saved."""
    if not sort.has_begun:
        return []
    rows = sort.verdicts.order_by("step").values_list("winner", "loser")
    return [Verdict(winner, loser) for winner, loser in rows]


def state_of(sort: SystemSort, verdicts: Sequence[Verdict]) -> SortState | None:
    """Return how far a sort is; None where there are fewer than two systems to sort."""
    if len(sort.systems) < _TWO:
        return None
    return next_comparisons(sort.systems, verdicts, sort.seed)


def decisions(
    sort: SystemSort,
    pairs: Sequence[PairOf],
    *,
    watermark: int,
    without: Collection[str] | None = None,
) -> dict[PairOf, tuple[Decision, list[Answer]]]:
    """Return of each comparison whether its judgments up to the watermark close it, and those that count by number.

    Judgments that another took the place of do not count, nor those of judges who are excluded now, or of those named.
    """
    task = sort.task
    if without is None:
        without = excluded_judges(campaign_id=task.test_set.campaign_id)
    given = answers_given(task=task, watermark=watermark, pairs=pairs, without=without)
    rule, most = verdict_rule(task), most_of_a_judge(task.rules)
    found: dict[PairOf, tuple[Decision, list[Answer]]] = {}
    for pair in pairs:
        if pair not in given and not outputs_differ(sort, pair):
            # Nobody can be asked: R is 0 for good.
            winner = drawn_winner(*pair, sort.seed)
            loser = pair[1] if winner == pair[0] else pair[0]
            found[pair] = (Decision(winner, loser, 0, 0, arbitrary=True), [])
            continue
        current = (each.answer for each in given.get(pair, ()) if each.is_current)
        answers = counting(current, most_of_a_judge=most)
        signs = [each.answer for each in answers]
        found[pair] = (decide_in_order(*pair, signs, rule, seed=sort.seed), answers)
    return found


def outputs_differ(sort: SystemSort, pair: PairOf) -> bool:
    """Return whether two systems have different outputs of any segment of the test set."""
    first, second = (
        Output.objects.filter(
            system__test_set=sort.task.test_set_id, system__name=name, text__isnull=False
        )
        for name in pair
    )
    other = second.filter(segment=OuterRef("segment"))
    texts = first.annotate(other=Subquery(other.values("text")[:1])).filter(other__isnull=False)
    differing = texts.exclude(text=F("other")).values_list("text", "other").iterator()
    return any(normalise_text(one or "") != normalise_text(two) for one, two in differing)


def comparisons_open(design: Design) -> list[OpenComparison]:
    """Return the comparisons that a task's sort asks for now, with what each of them lacks."""
    sort = sort_in_force(design)
    state = state_of(sort, verdicts_closed(sort))
    if state is None or not state.open:
        return []
    pairs = [pair_of(*pair) for pair in state.open]
    found = decisions(sort, pairs, watermark=watermark_now(design.task))
    return [
        OpenComparison(first=first, second=second, missing=found[first, second][0].missing)
        for first, second in pairs
    ]
