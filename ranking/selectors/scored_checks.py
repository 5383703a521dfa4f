"""The judged attention checks of blocks that show one output, with what their judges scored beside them."""

from collections import defaultdict

from annotation.export.shown import systems_shown
from annotation.models import BlockControl, Judgment
from annotation.protocols import answer_kind
from campaign.models import Task
from ranking.core.judges.tallies import ScoredCheck, ScoredOutput

# Judgment, judge, HIT, place in it, segment, block, and its control.
_COLUMNS = (
    "pk",
    "judge__pseudonym",
    "block__hit_id",
    "block__position",
    "block__segment__number",
    "block_id",
    "block__control",
)


def scored_checks(*, task: Task, watermark: int) -> list[ScoredCheck]:
    """Read the checks among the judgments 1…`watermark`, by the primary key of their judgments.

    One query where there is none, five otherwise, and nothing is read of HITs without a check.
    """
    kind = answer_kind(task.protocol)
    if kind.score_of_one is None:
        return []
    judged = Judgment.objects.of(task.pk).current(watermark=watermark)
    checks = judged.filter(block__control=BlockControl.ATTENTION, labels__len=1)
    hits = set(checks.order_by().values_list("block__hit_id", flat=True))
    if not hits:
        return []
    rows = list(judged.filter(block__hit__in=hits).order_by("pk").values_list(*_COLUMNS))
    answers = kind.read([row[0] for row in rows])
    shown = systems_shown({row[5] for row in rows})
    names = dict(task.test_set.systems.values_list("id", "name"))
    others: dict[tuple[str, int], list[tuple[int, ScoredOutput]]] = defaultdict(list)
    found: list[tuple[int, tuple[str, int], int, float]] = []
    for judgment, judge, hit, position, segment, block, control in rows:
        score = kind.score_of_one(answers[judgment])
        if control == BlockControl.ATTENTION:
            found.append((position, (judge, hit), segment, score))
        elif not control:
            systems = tuple(names[id_] for ids in shown[block] for id_ in ids)
            others[judge, hit].append((position, ScoredOutput(systems, score)))
    return [
        ScoredCheck(
            judge=by[0],
            segment=segment,
            score=score,
            others=[
                each for _place, each in sorted(others[by], key=lambda row: abs(row[0] - position))
            ],
        )
        for position, by, segment, score in found
    ]
