"""Answers of protocols, stored without a judge's browser and independent of designs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from annotation.models import Assignment, Block, Judgment
from annotation.models.hit import HIT
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.tasks import task_rules_change
from campaign.models import Campaign, Judge, Output, Protocol, Task
from campaign.services.campaigns import task_close, task_create
from protocols.models import RatingAnswer, SpansAnswer, TwoOutputsAnswer
from protocols.quiz.snippets import snippets_replace
from tests.factories import make_judge, make_task
from tests.protocol_tasks import given_snippet

LABELS = {"first": [1, 2], "second": [2, 1]}


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A judge who is shown these outputs of a segment, in this order, and answers."""

    judge: Judge
    systems: Sequence[str]
    number: int
    labels: Sequence[int]
    part: int = 0
    active_ms: int | None = None


def labelled_all(task: Task, shown: Sequence[Shown]) -> list[Judgment]:
    """Store the blocks and answers in this order, with one statement per table."""
    outputs = {
        (number, system): (segment, output)
        for segment, number, system, output in task.test_set.segments.values_list(
            "pk",
            "number",
            "outputs__system__name",
            "outputs",
        )
    }
    design, first = task.designs.latest(), 1000 + HIT.objects.count()
    hits = HIT.objects.bulk_create(
        HIT(task=task, design=design, number=number, part=each.part)
        for number, each in enumerate(shown, first)
    )
    blocks = Block.objects.bulk_create(
        Block(
            hit=hit,
            segment_id=outputs[each.number, each.systems[0]][0],
            position=1,
            outputs=[outputs[each.number, system][1] for system in each.systems],
        )
        for hit, each in zip(hits, shown, strict=True)
    )
    lent = Assignment.objects.bulk_create(
        Assignment(hit=hit, judge=each.judge, lease=("2026-11-01", "2026-11-02"))
        for hit, each in zip(hits, shown, strict=True)
    )
    return Judgment.objects.bulk_create(
        Judgment(
            task=task,
            client_id=uuid4(),
            judge=each.judge,
            block=block,
            assignment=assignment,
            labels=list(each.labels),
            active_ms=each.active_ms,
        )
        for each, block, assignment in zip(shown, blocks, lent, strict=True)
    )


def labelled(
    task: Task,
    judge: Judge,
    *systems: str,
    number: int,
    labels: Sequence[int],
    **fields: Any,
) -> Judgment:
    """Show these outputs of a segment in this order."""
    shown = Shown(judge=judge, systems=systems, number=number, labels=labels, **fields)
    return labelled_all(task, [shown])[0]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A judge who is shown two outputs of a segment, in this order, and chooses."""

    judge: Judge
    pair: Sequence[str]
    number: int
    verdict: str
    active_ms: int | None = None


def judged_all(task: Task, verdicts: Sequence[Verdict]) -> None:
    """Store the choices in this order."""
    judgments = labelled_all(
        task,
        [
            Shown(
                judge=each.judge,
                systems=each.pair,
                number=each.number,
                labels=LABELS.get(each.verdict, [1, 1]),
                active_ms=each.active_ms,
            )
            for each in verdicts
        ],
    )
    TwoOutputsAnswer.objects.bulk_create(
        TwoOutputsAnswer(judgment=judgment, verdict=each.verdict)
        for judgment, each in zip(judgments, verdicts, strict=True)
    )


def judged(
    task: Task,
    judge: Judge,
    *systems: str,
    number: int,
    verdict: str,
    active_ms: int | None = None,
) -> None:
    """Show these two outputs of a segment in this order."""
    one = Verdict(
        judge=judge,
        pair=systems,
        number=number,
        verdict=verdict,
        active_ms=active_ms,
    )
    judged_all(task, [one])


def sorted_task(campaign: Campaign) -> Task:
    """A sort of four systems, some of whose comparisons are closed, by judges who see most differences."""
    ranking = make_task(
        campaign,
        documents=(8, 8),
        systems=("amber", "cobalt", "dune", "ember"),
        identical=(),
        planned=0,
    )
    task_close(task=ranking)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.SORTING, by=None)
    task_rules_change(task=task, rules={"judgments": 6, "extension": 3})
    design_ensure(task=task, seed=7)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    campaign_simulate(
        campaign=campaign,
        judges=[
            SimulatedJudge(name, noise=20, ties_within=5)
            for name in ("ada", "ben", "cleo")
        ],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=4,
            qualities={
                pk: 10.0 * len(name)
                for pk, name in outputs.values_list("pk", "system__name")
            },
            seed=3,
        ),
    )
    pool_fill(task_id=task.pk)
    return task


def judged_task(campaign: Campaign) -> Task:
    """Two outputs with four answers: three judges, two pairs of systems, each in both orders."""
    ranking = make_task(campaign, documents=(6, 6), planned=0)
    task = task_create(
        test_set=ranking.test_set,
        protocol=Protocol.TWO_OUTPUTS,
        by=None,
    )
    task_rules_change(task=task, rules={"four_answers": True})
    design_ensure(task=task, seed=7)
    verdicts = ("first", "first", "both_fine", "second", "both_wrong")
    mirrored = {"first": "second", "second": "first"}
    chosen = []
    for place, name in enumerate(("ada", "ben", "cleo")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            # They agree about two sentences of three.
            verdict = verdicts[
                (number + (place if number % 3 == 0 else 0)) % len(verdicts)
            ]
            pair = ("cobalt", "dune") if number % 2 else ("dune", "ember")
            if place == 1:
                pair, verdict = (pair[1], pair[0]), mirrored.get(verdict, verdict)
            chosen.append(
                Verdict(judge=judge, pair=pair, number=number, verdict=verdict),
            )
    judged_all(task, chosen)
    return task


@dataclass(frozen=True, kw_only=True)
class Rated:
    """A judge who is shown an output for its fluency, and again for adequacy if that is said."""

    judge: Judge
    system: str
    number: int
    fluency: int
    adequacy: int | None = None


def rated_all(task: Task, ratings: Sequence[Rated]) -> None:
    """Store the ratings in this order."""
    said = [
        (each, part, criterion, value)
        for each in ratings
        for part, (criterion, value) in enumerate(
            (("fluency", each.fluency), ("adequacy", each.adequacy)),
            1,
        )
        if value is not None
    ]
    judgments = labelled_all(
        task,
        [
            Shown(
                judge=each.judge,
                systems=[each.system],
                number=each.number,
                labels=[1],
                part=part,
            )
            for each, part, _criterion, _value in said
        ],
    )
    RatingAnswer.objects.bulk_create(
        RatingAnswer(judgment=judgment, criteria=[criterion], points=[value])
        for judgment, (_each, _part, criterion, value) in zip(
            judgments,
            said,
            strict=True,
        )
    )


def rated(
    task: Task,
    judge: Judge,
    system: str,
    *,
    number: int,
    fluency: int,
    adequacy: int | None = None,
) -> None:
    """Show this output of a segment for its fluency, and again for adequacy if that is said."""
    one = Rated(
        judge=judge,
        system=system,
        number=number,
        fluency=fluency,
        adequacy=adequacy,
    )
    rated_all(task, [one])


def rated_task(campaign: Campaign) -> Task:
    """Four judges rate two texts of three systems per segment; Ada is mild, and Dora rates at random."""
    ranking = make_task(campaign, documents=(6, 6), planned=0)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.RATING, by=None)
    design_ensure(task=task, seed=7)
    systems = ("cobalt", "dune", "ember")
    quality = {"cobalt": 4, "dune": 3, "ember": 2}
    judges = [make_judge(campaign, name) for name in ("ada", "ben", "cleo", "dora")]
    ratings = []
    for number in range(1, 13):
        for place, judge in enumerate(judges):
            # The first two have the same text, and so have the others.
            system = systems[(number + place // 2) % 3]
            value = quality[system] + (number + place) % 2 + (place == 0)
            value = 1 + number * 7 % 5 if place == 3 else min(5, value)
            fluency, adequacy = value, max(1, value - number % 3 // 2)
            ratings.append(
                Rated(
                    judge=judge,
                    system=system,
                    number=number,
                    fluency=fluency,
                    adequacy=adequacy,
                ),
            )
    rated_all(task, ratings)
    return task


def scored_task(campaign: Campaign) -> Task:
    """Error spans and scores: three judges, three systems side by side, half of them judged by all."""
    ranking = make_task(campaign, documents=(6, 6), planned=0)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.SPANS, by=None)
    design_ensure(task=task, seed=7)
    systems = ("cobalt", "dune", "ember")
    shown, answers = [], []
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
            shown.append(
                Shown(judge=judge, systems=systems, number=number, labels=labels),
            )
            answers.append(
                SpansAnswer(
                    scores=scores,
                    span_candidates=[1, 2, 2],
                    span_starts=[place, 0, None],
                    span_ends=[place + 4, 3, None],
                    span_severities=[1 + (number % 2 == 0), 1, 2],
                ),
            )
    for answer, judgment in zip(answers, labelled_all(task, shown), strict=True):
        answer.judgment = judgment
    SpansAnswer.objects.bulk_create(answers)
    return task


def topped_task(campaign: Campaign) -> Task:
    """Top or not, three outputs at a time, beside the ranking of the same texts by two of its three judges."""
    ranking = make_task(campaign, documents=(6, 6), planned=0)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.TOP, by=None)
    for each in (task, ranking):
        design_ensure(task=each, seed=7)
    systems = ("cobalt", "dune", "ember", "amber")
    topped, ranked = [], []
    for place, name in enumerate(("ada", "ben", "cleo")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            pace = 1000 * (4 + 2 * place + number % 5)
            labels = [[1, 2, 2], [2, 1, 1], [1, 1, 2]][(number + place) % 3]
            topped.append(
                Shown(
                    judge=judge,
                    systems=systems[:3],
                    number=number,
                    labels=labels,
                    active_ms=pace,
                ),
            )
            if place < 2:
                ranked.append(
                    replace(
                        topped[-1],
                        systems=systems,
                        labels=[1, 2, 3, 4],
                        active_ms=3 * pace,
                    ),
                )
    labelled_all(task, topped)
    labelled_all(ranking, ranked)
    return task


def best_worst_task(campaign: Campaign) -> Task:
    """Best-worst scaling of three outputs by two judges."""
    task = make_task(campaign, documents=(6, 6), planned=0)
    Task.objects.filter(pk=task.pk).update(
        protocol=Protocol.TOP,
        rules={"best_worst": True},
    )
    task.refresh_from_db()
    design_ensure(task=task, seed=7)
    shown = []
    for place, name in enumerate(("ada", "ben")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            labels = [[1, 2, 3], [2, 1, 3], [1, 3, 2]][(number + place) % 3]
            systems = ("cobalt", "dune", "ember")
            shown.append(
                Shown(judge=judge, systems=systems, number=number, labels=labels),
            )
    labelled_all(task, shown)
    return task


def quizzed_task(campaign: Campaign) -> Task:
    """A quiz by simulated readers, who understand some systems better than others."""
    ranking = make_task(campaign, documents=(6, 6), planned=0)
    task_close(task=ranking)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.QUIZ, by=None)
    snippets = [
        given_snippet(
            name=f"{document}, {first}",
            document=document,
            first=first,
            last=first + 2,
            statements=("It is open.", "It is closed.", "It is old."),
            expected=(True, False, first == 1),
        )
        for document in ("document 1", "document 2")
        for first in (1, 4)
    ]
    snippets_replace(task=task, snippets=snippets)
    hits_plan(task_id=task.pk, count=30)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    campaign_simulate(
        campaign=campaign,
        judges=[SimulatedJudge(f"bot{number}", noise=4) for number in range(4)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=4,
            qualities={
                pk: 12.0 * len(name)
                for pk, name in outputs.values_list("pk", "system__name")
            },
            seed=4,
        ),
    )
    return task


def edited_task(campaign: Campaign) -> Task:
    """Blind editing by simulated judges, who begin as editors and go on as acceptors."""
    ranking = make_task(campaign, documents=(6, 6), planned=0)
    task_close(task=ranking)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.EDITING, by=None)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=6)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    campaign_simulate(
        campaign=campaign,
        judges=[SimulatedJudge(f"bot{number}", noise=4) for number in range(8)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=4,
            qualities={
                pk: 5.0 + pk * 7 % 70 for pk in outputs.values_list("pk", flat=True)
            },
            seed=3,
        ),
    )
    return task
