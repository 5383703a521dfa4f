"""How fast the judges of a test set are, and what is still to be judged, to be frozen with an analysis."""

from collections import defaultdict

from django.db.models import JSONField
from django.db.models.fields.json import KeyTransform

from annotation.protocols import answer_kind
from annotation.selectors.words_to_read import blocks_read, mean_words
from campaign.models import Task
from ranking.models import LatestRanking
from ranking.reports.inputs import WorkFacts
from ranking.selectors.overview import overviews_of_campaigns
from ranking.selectors.stopping_rules import stopping_rule_in_force

#: Of words and seconds, so that what is recorded is short.
_DECIMALS = 3


def work_facts(*, task: Task) -> WorkFacts:
    """Return what hours and days follow from. A number of queries that does not grow."""
    overviews = overviews_of_campaigns(campaigns=[task.test_set.campaign])[
        task.test_set.campaign_id
    ]
    overview = next(each for each in overviews if each.task.pk == task.pk)
    rule = stopping_rule_in_force(task_id=task.pk)
    words = mean_words(task=task)
    return WorkFacts(
        judged=overview.summary.judged,
        counted=_counted(task),
        most_shown=answer_kind(task.protocol).candidates[-1],
        wanted=task.blocks_wanted,
        rule_judgments=None if rule is None else rule.judgments,
        today=overview.days[-1].judged,
        days=tuple(overview.whole_days),
        pace=_pace(task),
        base_words=None
        if words is None
        else round(words.of_block(0, task.test_set.campaign), _DECIMALS),
        output_words=None if words is None else round(words.output, _DECIMALS),
    )


def _counted(task: Task) -> int | None:
    """Return the judgments that count in the latest ranking; None without one."""
    latest = LatestRanking.objects.filter(pk=task.pk)
    # Not the whole result: it is as long as its judges are many.
    counts = latest.values_list(KeyTransform("input", "result", output_field=JSONField())).first()
    return None if counts is None else int(counts[0]["blocks"])


def _pace(task: Task) -> tuple[tuple[int, float, float], ...]:
    """Return blocks, words and seconds of each judge; not who they are."""
    read = blocks_read(task=task)
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
