"""Answers of protocols without a judge's browser, whatever a design would show."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from annotation.models import Assignment, Block, Judgment
from annotation.models.hit import HIT
from annotation.services import design_ensure, hits_plan, pool_fill, task_rules_change
from annotation.services.simulation import SimulatedJudge, campaign_simulate
from campaign.models import Campaign, Judge, Output, Protocol, Task
from campaign.services import task_close, task_create
from protocols.rating.models import Answer as Rating
from protocols.spans.models import Answer as Scored
from protocols.two_outputs.models import Answer
from tests.factories import make_judge, make_task

LABELS = {"first": [1, 2], "second": [2, 1]}


def judged(
    task: Task,
    judge: Judge,
    *systems: str,
    number: int,
    verdict: str,
    active_ms: int | None = None,
) -> None:
    """Show these two outputs of a segment in this order."""
    labels = LABELS.get(verdict, [1, 1])
    judgment = labelled(task, judge, *systems, number=number, labels=labels, active_ms=active_ms)
    Answer.objects.create(judgment=judgment, verdict=verdict)


def labelled(
    task: Task,
    judge: Judge,
    *systems: str,
    number: int,
    labels: Sequence[int],
    part: int = 0,
    **fields: Any,
) -> Judgment:
    """Show these outputs of a segment in this order."""
    segment = task.test_set.segments.get(number=number)
    outputs = [segment.outputs.get(system__name=name).pk for name in systems]
    hit = HIT.objects.create(
        task=task, design=task.designs.latest(), number=1000 + HIT.objects.count(), part=part
    )
    block = Block.objects.create(hit=hit, segment=segment, position=1, outputs=outputs)
    lent = Assignment.objects.create(hit=hit, judge=judge, lease=("2026-11-01", "2026-11-02"))
    return Judgment.objects.create(
        task=task,
        client_id=uuid4(),
        judge=judge,
        block=block,
        assignment=lent,
        labels=list(labels),
        **fields,
    )


def sorted_task(campaign: Campaign) -> Task:
    """A sort of four systems, some of whose comparisons are closed, by judges who see most differences."""
    ranking = make_task(
        campaign, documents=(8, 8), systems=("amber", "cobalt", "dune", "ember"), identical=()
    )
    task_close(task=ranking)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.SORTING, by=None)
    task_rules_change(task=task, rules={"judgments": 6, "extension": 3})
    design_ensure(task=task, seed=7)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    campaign_simulate(
        campaign=campaign,
        judges=[SimulatedJudge(name, noise=20, ties_within=5) for name in ("ada", "ben", "cleo")],
        languages=["en", "de"],
        hits_each=4,
        qualities={pk: 10.0 * len(name) for pk, name in outputs.values_list("pk", "system__name")},
        seed=3,
    )
    pool_fill(task_id=task.pk)
    return task


def judged_task(campaign: Campaign) -> Task:
    """Two outputs with four answers: three judges, two pairs of systems, each in both orders."""
    ranking = make_task(campaign, documents=(6, 6))
    task = task_create(test_set=ranking.test_set, protocol=Protocol.TWO_OUTPUTS, by=None)
    task_rules_change(task=task, rules={"four_answers": True})
    design_ensure(task=task, seed=7)
    verdicts = ("first", "first", "both_fine", "second", "both_wrong")
    mirrored = {"first": "second", "second": "first"}
    for place, name in enumerate(("ada", "ben", "cleo")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            # They agree about two sentences of three.
            verdict = verdicts[(number + (place if number % 3 == 0 else 0)) % len(verdicts)]
            pair = ("cobalt", "dune") if number % 2 else ("dune", "ember")
            if place == 1:
                pair, verdict = (pair[1], pair[0]), mirrored.get(verdict, verdict)
            judged(task, judge, *pair, number=number, verdict=verdict)
    return task


def rated(
    task: Task, judge: Judge, system: str, *, number: int, fluency: int, adequacy: int | None = None
) -> None:
    """Show this output of a segment for its fluency, and again for adequacy if that is said."""
    for part, value in enumerate((fluency, adequacy), 1):
        if value is not None:
            criterion = "fluency" if part == 1 else "adequacy"
            judgment = labelled(task, judge, system, number=number, labels=[1], part=part)
            Rating.objects.create(judgment=judgment, criterion=criterion, value=value)


def rated_task(campaign: Campaign) -> Task:
    """Four judges rate two texts of three systems a segment; Ada is mild, and Dora rates at random."""
    ranking = make_task(campaign, documents=(6, 6))
    task = task_create(test_set=ranking.test_set, protocol=Protocol.RATING, by=None)
    design_ensure(task=task, seed=7)
    systems = ("cobalt", "dune", "ember")
    quality = {"cobalt": 4, "dune": 3, "ember": 2}
    judges = [make_judge(campaign, name) for name in ("ada", "ben", "cleo", "dora")]
    for number in range(1, 13):
        for place, judge in enumerate(judges):
            # The first two have the same text, and so have the others.
            system = systems[(number + place // 2) % 3]
            value = quality[system] + (number + place) % 2 + (place == 0)
            value = 1 + number * 7 % 5 if place == 3 else min(5, value)
            fluency, adequacy = value, max(1, value - number % 3 // 2)
            rated(task, judge, system, number=number, fluency=fluency, adequacy=adequacy)
    return task


def scored_task(campaign: Campaign) -> Task:
    """Error spans and scores: three judges, three systems side by side, half of them judged by all."""
    ranking = make_task(campaign, documents=(6, 6))
    task = task_create(test_set=ranking.test_set, protocol=Protocol.SPANS, by=None)
    design_ensure(task=task, seed=7)
    systems = ("cobalt", "dune", "ember")
    for place, name in enumerate(("ada", "ben", "cleo")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            if number % 2 and number % 3 != place:
                continue
            # Some like one system less than others do, and none is always the best.
            scores = [
                85 - 3 * place - 7 * ((number + place) % 4),
                72 + (5 * number) % 17,
                60 + (11 * number + 13 * place) % 29,
            ]
            order = sorted(set(scores), reverse=True)
            labels = [order.index(score) + 1 for score in scores]
            judgment = labelled(task, judge, *systems, number=number, labels=labels)
            Scored.objects.create(
                judgment=judgment,
                scores=scores,
                span_candidates=[1, 2, 2],
                span_starts=[place, 0, None],
                span_ends=[place + 4, 3, None],
                span_majors=[number % 2 == 0, False, True],
            )
    return task


def topped_task(campaign: Campaign) -> Task:
    """Top or not, three outputs at a time, beside the ranking of the same texts by two of its three judges."""
    ranking = make_task(campaign, documents=(6, 6))
    task = task_create(test_set=ranking.test_set, protocol=Protocol.TOP, by=None)
    for each in (task, ranking):
        design_ensure(task=each, seed=7)
    systems = ("cobalt", "dune", "ember", "amber")
    for place, name in enumerate(("ada", "ben", "cleo")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            pace = 1000 * (4 + 2 * place + number % 5)
            labelled(
                task,
                judge,
                *systems[:3],
                number=number,
                labels=[[1, 2, 2], [2, 1, 1], [1, 1, 2]][(number + place) % 3],
                active_ms=pace,
            )
            if place < 2:
                ranks = [1, 2, 3, 4]
                labelled(ranking, judge, *systems, number=number, labels=ranks, active_ms=3 * pace)
    return task


def edited_task(campaign: Campaign) -> Task:
    """Blind editing by simulated judges, who begin as editors and go on as acceptors."""
    ranking = make_task(campaign, documents=(6, 6))
    task_close(task=ranking)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.EDITING, by=None)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=6)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    campaign_simulate(
        campaign=campaign,
        judges=[SimulatedJudge(f"bot{number}", noise=4) for number in range(8)],
        languages=["en", "de"],
        hits_each=4,
        qualities={pk: 5.0 + pk * 7 % 70 for pk in outputs.values_list("pk", flat=True)},
        seed=3,
    )
    return task
