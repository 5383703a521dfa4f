"""Blocks that a sort still needs for its open comparisons, and the sentences that judges have done."""

from collections import Counter

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from annotation.models import (
    HIT,
    Assignment,
    Block,
    Design,
    Exposure,
    HITPurpose,
    Judgment,
    Skip,
)
from annotation.models.hit import HITQuerySet
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.designs import design_in_force
from campaign.models import Segment, Task

#: Path to the two systems that a planned HIT compares; all its blocks compare the same two.
COMPARISON = "why__blocks__0__comparison"
#: The same path in a HIT of imported answers.
COMPARISON_IMPORTED = "why__comparison"


def blocks_wanted(*, design: Design) -> list[tuple[str, str, int]]:
    """Return each open comparison with the number of blocks of first HITs still to be planned.

    This is the number of missing judgments less the blocks already planned or lent, so skipped,
    returned and withdrawn blocks are planned again. Two queries, plus those of the protocol.
    """
    comparisons = answer_kind_of(design.task).comparisons
    if comparisons is None:
        return []
    waiting = _blocks_waiting(HIT.objects.filter(task=design.task_id))
    # A sample is for one judge alone.
    if sentences_of_a_judge(design.task):
        judges = 1
    else:
        judges = design.redundancy
    open_comparisons = []
    for comparison in comparisons.open(design):
        first, second = comparison.first, comparison.second
        missing = comparison.missing - waiting[first, second]
        blocks = -(-missing // judges)
        open_comparisons.append((first, second, blocks))
    return open_comparisons


def will_ask_more(*, task_id: int, judge_id: int) -> bool:
    """Return whether a sort is in progress that may ask this judge about sentences they have not seen."""
    design = design_in_force(task_id=task_id)
    if design is None or design.kind != Design.Kind.SORTING:
        return False
    comparisons = answer_kind_of(design.task).comparisons
    exposures = Exposure.objects.filter(
        judge=judge_id,
        segment=OuterRef("pk"),
        apart=design.task.exposed_apart,
    )
    unseen = Segment.objects.filter(
        ~Exists(exposures),
        test_set=design.task.test_set_id,
    )
    return (
        comparisons is not None and unseen.exists() and bool(comparisons.open(design))
    )


def hits_of_closed(*, design: Design, hits: HITQuerySet) -> list[HIT]:
    """Return those of these HITs whose comparison is no longer open."""
    comparisons = answer_kind_of(design.task).comparisons
    if comparisons is None:
        return []
    pairs = {}
    for pk, pair in hits.values_list("pk", COMPARISON):
        if pair:
            pairs[pk] = pair
    if not pairs:
        return []
    open_now = set()
    for comparison in comparisons.open(design):
        open_now.add((comparison.first, comparison.second))
    closed_hits = []
    for pk, pair in pairs.items():
        if tuple(pair) not in open_now:
            closed_hits.append(pk)
    return list(hits.filter(pk__in=closed_hits))


def sentences_of_a_judge(task: Task) -> int:
    """Return the number of sentences of a comparison sampled for each judge; 0 without samples."""
    comparisons = answer_kind_of(task).comparisons
    if comparisons is None:
        return 0
    return comparisons.sentences_of_a_judge


def sentences_taken(
    *,
    judge_id: int,
    task_id: int,
    planned: bool = True,
) -> Counter[tuple[str, str]]:
    """Return the number of sentences per comparison that this judge has judged, holds or, with `planned`, is to get.

    Skipped and returned sentences do not count, nor do checks and repeats.
    """
    sentences: Counter[tuple[str, str]] = Counter()
    judged = (
        Judgment.objects.of(task_id)
        .current()
        .filter(judge=judge_id, block__control="", block__hit__purpose=HITPurpose.FIRST)
    )
    pairs = (
        judged.order_by()
        .values_list(f"block__hit__{COMPARISON}")
        .annotate(count=Count("pk"))
    )
    known_pairs = {}
    for pair, count in pairs:
        if pair:
            known_pairs[tuple(pair)] = count
    sentences.update(known_pairs)
    hits = HIT.objects.filter(task=task_id, purpose=HITPurpose.FIRST)
    leases = Assignment.objects.filter(
        judge=judge_id,
        hit=OuterRef("pk"),
        completed_at__isnull=True,
        released_at__isnull=True,
        lease__endswith__gt=Now(),
    )
    sentences.update(_blocks_waiting(hits.filter(Exists(leases))))
    if planned:
        sentences.update(
            _blocks_waiting(hits.filter(~Exists(leases), reserved_for=judge_id)),
        )
    return sentences


def blocks_of(hit: HIT) -> Counter[tuple[str, str]]:
    """Return the number of sentences that a HIT still asks about, by comparison."""
    return _blocks_waiting(HIT.objects.filter(pk=hit.pk))


def _blocks_waiting(of: HITQuerySet) -> Counter[tuple[str, str]]:
    """Return the number of planned or lent blocks not yet judged or skipped, by comparison, excluding checks."""
    blocks = blocks_waiting(of).order_by().values_list(f"hit__{COMPARISON}")
    counts = blocks.annotate(count=Count("pk"))
    known_pairs = {}
    for pair, count in counts:
        if pair:
            known_pairs[tuple(pair)] = count
    return Counter(known_pairs)


def blocks_waiting(of: HITQuerySet) -> QuerySet[Block]:
    """Return the planned or lent blocks that nobody has judged or skipped, excluding checks."""
    judged = Judgment.objects.filter(block=OuterRef("pk"))
    skipped = Skip.objects.filter(block=OuterRef("pk"))
    return Block.objects.filter(
        ~Exists(judged),
        ~Exists(skipped),
        hit__in=of.incomplete(),
        control="",
    )
