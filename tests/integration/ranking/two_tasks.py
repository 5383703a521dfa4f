"""A test set that was judged by two protocols: a ranking of four outputs, and two outputs at a time."""

from itertools import combinations

from annotation.services.planning.designs import design_ensure
from campaign.models import Campaign, Protocol, Task
from campaign.services.campaigns import task_create
from tests.factories import make_judge, make_task
from tests.integration.protocols.judging import Shown, Verdict, judged_all, labelled_all

SYSTEMS = ("amber", "birch", "cobalt", "dune")
SEGMENTS = 24
#: Milliseconds of each judgment.
RANKED_MS, CHOSEN_MS = 60_000, 12_000


def two_tasks(campaign: Campaign) -> Task:
    """Return the ranking, amber first and dune last; of two outputs dune is better than amber, and the others are as ranked.

    Three judges of each, who agree about most sentences.
    """
    ranking = make_task(
        campaign,
        documents=(SEGMENTS // 2, SEGMENTS // 2),
        systems=SYSTEMS,
        with_reference=False,
        identical=(),
        planned=0,
    )
    rankers = [make_judge(campaign, name) for name in ("j0", "j1", "j2")]
    labelled_all(
        ranking,
        [
            Shown(
                judge=rankers[number % 3],
                systems=SYSTEMS,
                number=number,
                labels=[2, 1, 3, 4] if number % 6 == 0 else [1, 2, 3, 4],
                active_ms=RANKED_MS,
            )
            for number in range(1, SEGMENTS + 1)
        ],
    )
    task = task_create(
        test_set=ranking.test_set,
        protocol=Protocol.TWO_OUTPUTS,
        by=None,
    )
    design_ensure(task=task, seed=7)
    judges = [make_judge(campaign, name) for name in ("ada", "ben", "cleo")]
    chosen = []
    for place, pair in enumerate(combinations(SYSTEMS, 2)):
        for number in range(1, SEGMENTS + 1):
            is_first = (pair != ("amber", "dune")) is not (number % 8 == place)
            chosen.append(
                Verdict(
                    judge=judges[(number + place) % 3],
                    pair=pair,
                    number=number,
                    verdict="first" if is_first else "second",
                    active_ms=CHOSEN_MS,
                ),
            )
    judged_all(task, chosen)
    return ranking
