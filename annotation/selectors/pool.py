from django.db.models import Exists, OuterRef, QuerySet

from campaign.models import Judge, Segment, TestSet


def test_sets_to_plan() -> QuerySet[TestSet]:
    """Test sets that have texts to judge, in a fixed order."""
    with_text = Segment.objects.filter(test_set=OuterRef("pk"), number=1, source_text__isnull=False)
    return TestSet.objects.filter(Exists(with_text)).order_by("id")


def test_sets_open_to_judge(judge: Judge) -> QuerySet[TestSet]:
    """Those of the judge's campaign whose two languages they read."""
    test_sets = test_sets_to_plan().filter(campaign=judge.campaign_id)
    if judge.languages:
        test_sets = test_sets.filter(
            source_language__in=judge.languages, target_language__in=judge.languages
        )
    return test_sets
