"""How fast the judges of a test set are, and what is still to be judged, to be frozen with an analysis."""

from collections import defaultdict

from django.db.models import JSONField
from django.db.models.fields.json import KeyTransform

from annotation.selectors.words_to_read import blocks_read, mean_words
from campaign.models import TestSet
from ranking.models import LatestRanking
from ranking.reports.work import WorkFacts
from ranking.selectors.overview import overviews_of_campaigns
from ranking.selectors.stopping_rules import stopping_rule_in_force

#: Of words and seconds, so that what is recorded is short.
_DECIMALS = 3


def work_facts(*, test_set: TestSet) -> WorkFacts:
    """Return what hours and days follow from. A number of queries that does not grow."""
    overviews = overviews_of_campaigns(campaigns=[test_set.campaign])[test_set.campaign_id]
    overview = next(each for each in overviews if each.test_set.pk == test_set.pk)
    rule = stopping_rule_in_force(test_set_id=test_set.pk)
    words = mean_words(test_set=test_set)
    return WorkFacts(
        judged=overview.summary.judged,
        counted=_counted(test_set),
        wanted=test_set.blocks_wanted,
        rule_judgments=None if rule is None else rule.judgments,
        today=overview.days[-1].judged,
        days=tuple(overview.whole_days),
        pace=_pace(test_set),
        base_words=None
        if words is None
        else round(words.of_block(0, test_set.campaign), _DECIMALS),
        output_words=None if words is None else round(words.output, _DECIMALS),
    )


def _counted(test_set: TestSet) -> int | None:
    """Return the judgments that count in the latest ranking; None without one."""
    latest = LatestRanking.objects.filter(pk=test_set.pk)
    # Not the whole result: it is as long as its judges are many.
    counts = latest.values_list(KeyTransform("input", "result", output_field=JSONField())).first()
    return None if counts is None else int(counts[0]["blocks"])


def _pace(test_set: TestSet) -> tuple[tuple[int, float, float], ...]:
    """Return blocks, words and seconds of each judge; not who they are."""
    read = blocks_read(test_set=test_set)
    sums: dict[int, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for judge, words, seconds in zip(read.judges, read.words, read.seconds, strict=True):
        of_judge = sums[judge]
        of_judge[0] += 1
        of_judge[1] += words
        of_judge[2] += seconds
    return tuple(
        sorted(
            (int(blocks), round(words, _DECIMALS), round(seconds, _DECIMALS))
            for blocks, words, seconds in sums.values()
        )
    )
