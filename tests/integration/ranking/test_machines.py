"""Machine judges beside people and metrics, in analyses of stored answers."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Judgment, MachineJudgment
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_ensure
from campaign.models import Campaign, MachineJudge, Protocol, Task, User
from campaign.services.campaigns import task_create
from campaign.services.machines import MachineTerms, machine_add
from protocols.models import SpansAnswer
from ranking.core.beside import OutputScores
from ranking.reports.analyses.kind import JUDGMENT_OPTIONS
from ranking.reports.analyses.options import completed
from ranking.reports.metric_agreement import metrics_tables
from ranking.reports.stored import report_in
from ranking.selectors.analyses import output_scores
from ranking.selectors.chosen_judgments import judgments_chosen
from ranking.selectors.machines import machine_answers, machine_digests
from ranking.services.analyses import analysis_reproduce
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.machines.answering import machine_judges
from tests.integration.protocols.judging import (
    Shown,
    labelled_all,
    quizzed_task,
    rated_task,
    scored_task,
    topped_task,
)
from tests.integration.protocols.test_criteria_report import rated
from tests.integration.ranking.answered import answer
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def copied(task: Task, judge: str) -> MachineJudge:
    """Add a machine judge that answers as a person did."""
    campaign = task.test_set.campaign
    by = User.objects.create_user(name="copier")
    machine, _token = machine_add(
        campaign=campaign,
        by=by,
        terms=MachineTerms(name="copier", version="1"),
    )
    kind = answer_kind_of(task)
    judgments_number(task_id=task.pk)
    judgments = Judgment.objects.of(task.pk).counted().filter(judge__pseudonym=judge)
    MachineJudgment.objects.bulk_create(
        MachineJudgment(
            client_id=uuid4(),
            machine=machine,
            task=task,
            segment=judgment.block.segment,
            block=judgment.block,
            part=judgment.block.hit.part,
            is_reversed=False,
            outputs=judgment.block.outputs,
            stands_for=judgment.block.stands_for,
            labels=judgment.labels,
            answer=kind.answer_of(judgment),
        )
        for judgment in judgments.select_related(
            "block__hit",
            "block__segment",
        ).order_by("pk")
    )
    return machine


def data_of(task: Task, kind: str, **options: Any) -> dict[str, Any]:
    data: dict[str, Any] | None = answer(task, kind, **options).data
    assert data is not None
    return data


def by_output(scores: OutputScores | None) -> dict[tuple[int, str], float]:
    assert scores is not None
    return {
        (int(segment), scores.systems[system]): float(score)
        for segment, system, score in zip(
            scores.segment,
            scores.system,
            scores.score,
            strict=True,
        )
    }


def scored_alone(campaign: Campaign) -> Task:
    """Error spans and scores: two judges see one output at a time, the same ones."""
    ranking = make_task(campaign, documents=(12,), planned=0)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.SPANS, by=None)
    design_ensure(task=task, seed=7)
    shown = []
    answers = []
    for place, name in enumerate(("ada", "ben")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            system = ("cobalt", "dune", "ember")[number % 3]
            shown.append(
                Shown(judge=judge, systems=[system], number=number, labels=[1]),
            )
            score = 20 + 30 * (number % 3) + (7 * number + 5 * place) % 17
            answers.append(
                SpansAnswer(
                    scores=[score],
                    span_candidates=[],
                    span_starts=[],
                    span_ends=[],
                    span_severities=[],
                ),
            )
    for stored, judgment in zip(answers, labelled_all(task, shown), strict=True):
        stored.judgment = judgment
    SpansAnswer.objects.bulk_create(answers)
    return task


SCORED = {
    "ratings in passes": lambda: rated_task(make_campaign()),
    "scores": lambda: scored_task(make_campaign()),
    "scores of one output at a time": lambda: scored_alone(make_campaign()),
    "criteria with weights": lambda: rated(1),
}


@pytest.mark.parametrize("of", SCORED)
def test_same_answers_have_the_same_scores(of: str) -> None:
    task = SCORED[of]()
    judge, *others = judges_of(task)
    copied(task, judge)
    options = completed(JUDGMENT_OPTIONS, {"without": others})
    chosen = judgments_chosen(task=task, options=options)
    people = output_scores(task=task, watermark=10_000, chosen=chosen)
    systems = list(task.test_set.systems.values_list("name", flat=True))
    chosen = replace(chosen, machines=machine_digests(task_id=task.pk))
    [machine] = machine_answers(task=task, chosen=chosen, systems=systems)
    assert by_output(machine.scores) == by_output(people)
    data = answer(task, "machines", without=others).data
    assert data is not None
    figures = data["figures"]
    values = {each["figure"]: each["value"]["value"] for each in figures}
    if of == "scores":
        assert values["agreement"] == 1
    else:
        # Nobody rates two texts of a segment: systems with the same text have one.
        assert (values["same_score"], values["score_distance"]) == (1, 0)
        assert values["score_correlation"] == pytest.approx(1)
        assert "agreement" not in values
    compared = [each for each in figures if each["people"] is not None]
    assert {each["difference"]["value"] for each in compared} == {0}
    [metric] = data_of(task, "metrics", resamples=100, without=others)["metrics"]
    assert (metric["metric"], metric["is_machine"]) == ("copier 1", True)
    assert {
        value["value"] for name, value in metric["segments"].items() if name == "acc_eq"
    } <= {1}


def test_outputs_rated_one_at_a_time_are_compared_with_the_same_ratings_of_people() -> (
    None
):
    task = rated_task(make_campaign())
    # Ada and Ben rate the same texts, and so do Cleo and Dora.
    copied(task, "ben")
    analysis = answer(task, "machines")
    assert analysis.data is not None
    figures: dict[tuple[str, str], Any] = {}
    for each in analysis.data["figures"]:
        figures[each["figure"], each["system"]] = each
    distance = figures["score_distance", ""]
    # Half of the machine judge's pairs are Ben with himself.
    value, people = distance["value"]["value"], distance["people"]["value"]
    assert value == pytest.approx(people / 2)
    assert distance["difference"]["value"] == pytest.approx(value - people)
    assert distance["value"]["low"] is not None
    assert distance["comparisons"] == 12
    assert 0 < figures["score_correlation", ""]["people"]["value"] < 1
    assert ("score", "cobalt") in figures
    [table, *_others] = report_in(analysis.reports or {}, "en").tables
    assert [row[1] for row in table.rows[:3]] == [
        "Same score as a person",
        "Distance from a person’s score",
        "Correlation with a person’s scores",
    ]


def test_scores_of_one_output_at_a_time_have_agreement_and_ceiling() -> None:
    task = scored_alone(make_campaign())
    copied(task, "ben")
    figures = {}
    for each in data_of(task, "machines")["figures"]:
        figures[each["figure"], each["system"]] = each
    correlation = figures["score_correlation", ""]
    assert 0.8 < correlation["people"]["value"] < correlation["value"]["value"] < 1
    assert correlation["difference"]["low"] is not None
    mean = figures["score", "cobalt"]
    assert mean["value"]["value"] - mean["people"]["value"] == pytest.approx(
        mean["difference"]["value"],
    )


def test_quiz_has_no_scores_to_compare() -> None:
    task = quizzed_task(make_campaign())
    copied(task, judges_of(task)[0])
    with pytest.raises(ValueError, match="no scores to compare"):
        answer(task, "machines")


def judges_of(task: Task) -> list[str]:
    """Return the judges of a task, the one with the most judgments first."""
    names = Judgment.objects.of(task.pk).values_list("judge__pseudonym", flat=True)
    return [name for name, _count in Counter(names).most_common()]


def test_choices_are_compared() -> None:
    task = topped_task(make_campaign())
    copied(task, judges_of(task)[0])
    data = answer(task, "machines").data
    assert data is not None
    assert [each["figure"] for each in data["figures"]][:4] == [
        "agreement",
        "kappa",
        "ties",
        "first",
    ]


def test_request_counts_the_answers_of_its_time(varied: TestSetWriter) -> None:
    machine_judges(varied.campaign, varied.task)
    analyses = [answer(varied.task, kind) for kind in ("machines", "metrics")]
    assert data_of(varied.task, "machines")["machines"][0]["judgments"] == 24
    machine_judges(varied.campaign, varied.task, name="later")
    for analysis in analyses:
        assert analysis_reproduce(analysis)[0] == analysis.data
    names = {row["machine"] for row in data_of(varied.task, "machines")["machines"]}
    assert names == {"judgebot 1", "later 1"}


def test_excluded_judges_are_no_people_to_compare_with(varied: TestSetWriter) -> None:
    machine_judges(
        varied.campaign,
        varied.task,
        ranks=lambda _candidates: [2, 1, 3],
        asked_twice=False,
    )
    found = {
        without: data_of(varied.task, "machines", without=without)["figures"][0]
        for without in (("j0", "j1"), ("j2", "j3", "j4", "j5"))
    }
    # A third of all people rank like the machine, on all of three pairs, and the others on two.
    values = [each["value"]["value"] for each in found.values()]
    assert values == [pytest.approx(2 / 3), 1]


def test_task_without_answers_of_machines_is_refused(varied: TestSetWriter) -> None:
    with pytest.raises(ValueError, match="machine"):
        answer(varied.task, "machines")


def test_machines_are_marked_beside_metrics(varied: TestSetWriter) -> None:
    machine_judges(varied.campaign, varied.task)
    machine_judges(varied.campaign, varied.task, name="other")
    labels = {"judgebot 1 (machine judge)", "other 1 (machine judge)"}
    orders = answer(varied.task, "metric_orders", resamples=100)
    [first, *_others] = report_in(orders.reports or {}, "en").tables
    assert {row[0] for row in first.rows} == labels
    data: Any = data_of(varied.task, "metrics", resamples=100, by="document")
    # Machine judges that score all systems on every segment are tested against each other.
    data["tests"] = [{"metric": "judgebot 1", "other": "other 1"}]
    tables = {table.name: table for table in metrics_tables(data, 0.95)}
    for name in ("systems", "segments"):
        assert {row[0] for row in tables[name].rows[:2]} == labels
    assert set(tables["tests"].rows[0][:2]) == labels
    assert {row[1] for row in tables["groups"].rows} == labels


def test_machine_that_ties_everything_saves_nothing_and_breaks_nothing(
    varied: TestSetWriter,
) -> None:
    """prometheus-eval/prometheus-eval 58: a fault gave every output the same score."""
    machine_judges(
        varied.campaign,
        varied.task,
        ranks=lambda candidates: [1] * len(candidates),
    )
    found: dict[str, Any] = {}
    for kind in ("machines", "metrics", "predicted_ranking"):
        found[kind] = data_of(varied.task, kind)
        json.dumps(found[kind], allow_nan=False)
    for row in found["predicted_ranking"]["systems"]:
        assert row["score"] == row["people_score"]
    [metric] = found["metrics"]["metrics"]
    assert not {"kendall", "spearman", "pearson"} & metric["systems"].keys()


def test_pages_link_to_the_analysis(
    varied: TestSetWriter,
    as_organiser: Client,
) -> None:
    quality = reverse("judge-quality", args=[varied.campaign.slug, varied.task.pk])
    machines = reverse("machines", args=[varied.campaign.slug])
    assert "analyses/machines/" not in as_organiser.get(quality).content.decode()
    assert quality not in as_organiser.get(machines).content.decode()
    machine_judges(varied.campaign, varied.task)
    assert f'href="{quality}#machines"' in as_organiser.get(machines).content.decode()
    assert "analyses/machines/" in as_organiser.get(quality).content.decode()
