from collections.abc import Collection

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import HIT, Assignment
from annotation.models.pool import HITQuerySet
from campaign.models import Judge, Segment, System, TestSet


def test_sets_to_plan() -> QuerySet[TestSet]:
    """Test sets that have texts to judge, in a fixed order."""
    with_text = Segment.objects.filter(test_set=OuterRef("pk"), number=1, source_text__isnull=False)
    return TestSet.objects.filter(Exists(with_text)).order_by("id")


def test_sets_open_to_judge(judge: Judge) -> QuerySet[TestSet]:
    """Those of the judge's campaign whose two languages they read and whose subject they know."""
    test_sets = test_sets_to_plan().filter(
        campaign=judge.campaign_id, expertise__contained_by=judge.expertise
    )
    if judge.languages:
        test_sets = test_sets.filter(
            source_language__in=judge.languages, target_language__in=judge.languages
        )
    return test_sets


def test_set_chosen(judge: Judge) -> int | None:
    """The test set the judge chose, if it is still theirs to judge; no query where they chose none."""
    if judge.chosen_test_set_id is None:
        return None
    mine = test_sets_open_to_judge(judge).filter(pk=judge.chosen_test_set_id)
    return mine.values_list("pk", flat=True).first()


def test_sets_to_work_on(judge: Judge) -> list[TestSet]:
    """The test set the judge chose, or all that are open to them. One query."""
    mine = list(test_sets_open_to_judge(judge))
    return [row for row in mine if row.pk == judge.chosen_test_set_id] or mine


def hits_for_judge(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """What of the pool this judge may be lent, waiting or not, by number.

    One walk over the index `hit_pool`: as long as the pool, however many HITs there are.
    """
    return (
        HIT.objects.filter(test_set=test_set_id)
        .pooled()
        .for_anybody()
        .unseen_by(judge.pk)
        .without(conflicts)
        .order_by("number")
    )


def hits_reserved(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """What is kept for this judge and still suits them, repeats of their own aside."""
    return (
        HIT.objects.filter(test_set=test_set_id, reserved_for=judge)
        .open()
        .exclude(purpose__in=[HIT.Purpose.INTRA, HIT.Purpose.TRAINING])
        .unseen_by(judge.pk)
        .without(conflicts)
        .order_by("number")
    )


def hits_intra(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """The judge's own HITs that wait to be judged by them again."""
    return (
        HIT.objects.filter(test_set=test_set_id, reserved_for=judge, purpose=HIT.Purpose.INTRA)
        .open()
        .without(conflicts)
        .order_by("number")
    )


def damaged_systems(test_set_id: int) -> list[int]:
    """The systems of a test set that are damaged references."""
    return list(
        System.objects.filter(test_set=test_set_id, kind=System.Kind.BAD_REFERENCE).values_list(
            "id", flat=True
        )
    )


def attention_due(*, judge: Judge, test_set_id: int, every: int, damaged: Collection[int]) -> bool:
    """Whether none of the judge's last `every` − 1 HITs of the test set held an attention check.

    Training aside. A judge who was lent fewer waits for the first until their `every`-th HIT.
    """
    latest = (
        Assignment.objects.filter(judge=judge, hit__test_set=test_set_id)
        .exclude(hit__purpose=HIT.Purpose.TRAINING)
        .order_by("-ordinal")
        .values_list("hit__system_ids", flat=True)[: every - 1]
    )
    shown = list(latest)
    return len(shown) == every - 1 and not any(set(damaged).intersection(ids) for ids in shown)


def conflicts_of(judge: Judge) -> list[int]:
    """Systems of which this judge must see nothing."""
    return list(judge.conflicts.values_list("system_id", flat=True))


def has_work_waiting(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> bool:
    """Whether a HIT lies ready for this judge."""
    reads = (hits_reserved, hits_for_judge)
    return any(
        read(judge=judge, test_set_id=test_set_id, conflicts=conflicts).waiting().exists()
        for read in reads
    )
