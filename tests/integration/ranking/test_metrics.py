"""Metrics of a test set: scores from files by page, REST and command, metrics of texts, and both compared with rankings and scores of judges."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Design
from campaign.formats.archives import archive_files, opener
from campaign.formats.evalset import read_evalset
from campaign.formats.streams import StoredFile
from campaign.models import Campaign, Document, JobState, Output, Segment, Task
from campaign.services.jobs import (
    JobCancelledError,
    JobProgress,
    job_run,
    jobs_run_waiting,
)
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from ranking.models import Metric
from ranking.reports.analyses.options import OptionError
from ranking.reports.stored import report_in
from ranking.selectors.metrics import compared_texts, metric_with_scores
from ranking.services.metrics import MetricRefusedError, metric_store, metrics_ask
from ranking.services.published_results.sections import available_completing
from tests.factories import make_campaign, make_task
from tests.integration.machines.answering import machine_judges
from tests.integration.protocols.judging import rated_task, scored_task
from tests.integration.ranking.answered import answer
from tests.integration.ranking.two_tasks import SEGMENTS, SYSTEMS, two_tasks
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(campaign: Campaign) -> Task:
    """Amber before birch before cobalt before dune, by three judges."""
    return two_tasks(campaign)


def lines(**more: Any) -> str:
    """Return scores that prefer later systems: dune to cobalt to birch to amber."""
    return "".join(
        json.dumps(
            {"system": system, "segment": number, "metric": "ODD", "score": place}
            | more,
        )
        + "\n"
        for place, system in enumerate(SYSTEMS)
        for number in range(1, SEGMENTS + 1)
    )


def post(
    client: Client,
    task: Task,
    text: str,
    name: str = "odd.jsonl",
    **more: object,
) -> Any:
    files = [SimpleUploadedFile(name, text.encode())]
    asked = {"files": files, **more}
    return client.post(reverse("api-metrics", args=[task.pk]), asked)


def test_metrics_of_texts_are_computed_once(task: Task) -> None:
    job = metrics_ask(test_set=task.test_set, metrics=["BLEU", "WER", "PER"])
    assert metrics_ask(test_set=task.test_set, metrics=["BLEU", "WER", "PER"]) == job
    jobs_run_waiting()
    job.refresh_from_db()
    assert (job.state, job.error, job.result["computed"]) == (JobState.DONE, "", 12)
    bleu, theirs = Metric.objects.get(name="BLEU"), sacrebleu.BLEU()
    outputs, references = compared_texts(test_set=task.test_set)
    texts = [text or "" for text in outputs["amber"]]
    expected = theirs.corpus_score(texts, [[each[0] for each in references]])
    assert metric_with_scores(bleu).scores[
        bleu.systems.index("amber")
    ] == pytest.approx(expected.score)
    assert bleu.signature == str(theirs.get_signature())
    # Only the system whose text has changed is computed again.
    Output.objects.filter(system__name="dune", segment__number=1).update(text="Anders.")
    again = metrics_ask(test_set=task.test_set, metrics=["BLEU"])
    jobs_run_waiting()
    again.refresh_from_db()
    assert again.result["computed"] == 1
    assert Metric.objects.get(name="BLEU").pk != bleu.pk


def test_a_cancelled_job_stores_nothing(
    task: Task,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cancelled(*_progress: object) -> None:
        raise JobCancelledError

    monkeypatch.setattr(JobProgress, "__call__", cancelled)
    job = metrics_ask(test_set=task.test_set, metrics=["BLEU", "chrF"])
    job_run(job_id=job.pk)
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert not Metric.objects.exists()
    for segment in task.test_set.segments.all():
        segment.references.all().delete()
    with pytest.raises(MetricRefusedError, match="no references"):
        metrics_ask(test_set=task.test_set, metrics=["BLEU"])


def test_scores_are_imported_once_and_deleted(task: Task, as_organiser: Client) -> None:
    # References that the test set lacks are skipped.
    other = '{"system": "refB", "segment": 1, "metric": "ODD", "score": 1}\n'
    answered = post(as_organiser, task, lines(signature="v1") + other)
    assert answered.status_code == 201, answered.json()
    assert answered.json()["remarks"] == ["Skipped, not in the test set: refB."]
    [metric] = answered.json()["metrics"]
    assert (metric["name"], metric["signature"], metric["missing"]) == ("ODD", "v1", 0)
    [remark] = post(as_organiser, task, lines(signature="v1")).json()["remarks"]
    assert remark == "Skipped, imported before with the same scores: 1."
    refused = post(as_organiser, task, lines(signature="v1", score=1)).json()
    assert "Other scores" in refused["errors"]["files"][0]
    listed = as_organiser.get(reverse("api-metrics", args=[task.pk])).json()
    assert [row["name"] for row in listed["results"]] == ["ODD"]
    one = reverse("api-metric", args=[task.pk, metric["id"]])
    assert as_organiser.get(one).json()["systems"] == list(SYSTEMS)
    assert as_organiser.delete(one).status_code == 204
    assert as_organiser.get(one).status_code == 404


def test_error_rate_without_direction_is_reported(
    task: Task,
    as_organiser: Client,
) -> None:
    [remark] = post(as_organiser, task, lines(metric="TER")).json()["remarks"]
    assert "error rate" in remark
    negated = lines(metric="TER", score=-1, signature="negated")
    turned = lines(metric="TER", higher_is_better=False, signature="turned")
    for text in (negated, turned):
        assert post(as_organiser, task, text).json()["remarks"] == []


def test_lower_is_better_does_not_overrule_a_file(
    task: Task,
    as_organiser: Client,
) -> None:
    asked = {"lower_is_better": "true"}
    contradicted = post(
        as_organiser,
        task,
        lines(higher_is_better=True),
        "comet.jsonl",
        **asked,
    )
    assert contradicted.status_code == 400
    assert "comet.jsonl, line 1" in json.dumps(contradicted.json())
    page = as_organiser.post(
        reverse("metrics", args=[task.test_set.campaign.slug, task.pk]),
        {
            "action": "import",
            "files": SimpleUploadedFile(
                "comet.jsonl",
                lines(higher_is_better=True).encode(),
            ),
            "lower_is_better": "on",
        },
    )
    assert page.status_code == 400
    assert not Metric.objects.exists()
    for name, direction in (("TER", {}), ("WER", {"higher_is_better": False})):
        text = lines(metric=name, **direction)
        [metric] = post(as_organiser, task, text, **asked).json()["metrics"]
        assert metric["higher_is_better"] is False


def test_a_bad_file_is_refused_and_changes_nothing(
    task: Task,
    as_organiser: Client,
) -> None:
    for text, name, said in (
        ('{"system": "zinc", "segment": 1, "score": 1}\n', "a.jsonl", "zinc"),
        ("system\tsegment\tscore\namber\t99\t1\n", "M.tsv", "line 2"),
        ("amber\t0.5\namber 0.5 0.6\n", "M.seg.score", "line 2"),
        ("system\tsegment\tscore\namber\t0\t1\namber\t1\t1\n", "M.tsv", "segment 0"),
        ("amber\t0.5\n" * (SEGMENTS - 1), "M.seg.score", f"line {SEGMENTS - 1}"),
        ("amber\t0.5\n" * (SEGMENTS + 1), "M.seg.score", f"line {SEGMENTS + 1}"),
    ):
        answered = post(as_organiser, task, text, name)
        assert answered.status_code == 400
        assert said in json.dumps(answered.json())
        page = as_organiser.post(
            reverse("metrics", args=[task.test_set.campaign.slug, task.pk]),
            {"action": "import", "files": SimpleUploadedFile(name, text.encode())},
        )
        assert (page.status_code, said in page.content.decode()) == (400, True)
    assert not Metric.objects.exists()


def test_a_test_set_of_judged_segments_alone_takes_scores_of_these(
    campaign: Campaign,
    as_organiser: Client,
) -> None:
    task = make_task(campaign, documents=(3,), planned=0)
    task.test_set.segments.get(number=2).delete()
    system = task.test_set.systems.filter(kind="system").first()
    answered = post(
        as_organiser,
        task,
        f"{system}\t1\n{system}\t2\n{system}\t3\n",
        "M.seg.score",
    )
    assert answered.json()["remarks"] == ["Skipped, not in the test set: 1 segment."]
    metric = Metric.objects.get()
    assert (metric.missing, metric.numbers[[0, 2], 0].tolist()) == (0, [1.0, 3.0])


def test_a_metric_contradicts_pairs_that_people_separate(
    task: Task,
    as_organiser: Client,
) -> None:
    post(as_organiser, task, lines())
    address = reverse("api-metrics-compute", args=[task.pk])
    queued = as_organiser.post(address, {"metrics": ["WER"]}, "application/json")
    assert queued.status_code == 202
    jobs_run_waiting()
    found = agreement(task, "metric_orders")
    odd = next(each for each in found["metrics"] if each["name"] == "ODD")
    assert [row["system"] for row in odd["rows"]] == list(SYSTEMS[::-1])
    assert (odd["agreeing"], len(odd["contradictions"])) == (
        0,
        len(found["people"]["separated"]),
    )
    assert {row["segment"] for row in odd["discords"]} <= set(range(1, SEGMENTS + 1))
    assert [each["texts"] for each in found["corpus"]] == ["", "1", *SYSTEMS]
    here = [task.test_set.campaign.slug, task.pk]
    asked: dict[str, str | int] = {"analysis": "metric_orders", "resamples": 100}
    page = as_organiser.get(reverse("metrics", args=here), asked)
    assert "ODD and people" in page.content.decode()
    assert (
        reverse("segment", args=[*here, odd["discords"][0]["segment"]])
        in page.content.decode()
    )


def test_an_exported_evalset_folder_is_read_again(
    task: Task,
    as_organiser: Client,
    tmp_path: Path,
) -> None:
    post(as_organiser, task, lines())
    gap = {"system": "amber", "segment": 2, "metric": "GAP", "score": 1}
    post(as_organiser, task, json.dumps(gap) + "\n", "gap.jsonl")
    metrics_ask(test_set=task.test_set, metrics=["TER"])
    jobs_run_waiting()
    archive = tmp_path / "folder.zip"
    archive.write_bytes(exported(task))
    with archive_files(StoredFile("folder.zip", opener(archive))) as files:
        names, read = {file.name for file in files}, read_evalset("folder", files)
    assert {
        "sources/en-de.txt",
        "references/en-de.refA.txt",
        "documents/en-de.docs",
    } <= names
    assert {f"system-outputs/en-de/{system}.txt" for system in SYSTEMS} <= names
    # WMT's scorer refuses metrics with missing scores.
    assert "metric-scores-incomplete/en-de/GAP-refA.seg.score" in names
    assert "metric-scores/en-de/ODD-refA.seg.score" in names
    by_name = {each.name: each for each in read.scores}
    people = by_name["ranking"]
    assert (people.is_human, people.systems, people.values.shape) == (
        True,
        SYSTEMS,
        (SEGMENTS, len(SYSTEMS)),
    )
    assert np.argsort(-people.of_systems).tolist() == [0, 1, 2, 3]
    # Amber won all comparisons of five segments in six, and lost one of three in the others.
    assert people.values[:6, 0].tolist() == pytest.approx([1, 1, 1, 1, 1, 1 / 3])
    assert by_name["ODD"].values[0].tolist() == [0, 1, 2, 3]
    ter = metric_with_scores(Metric.objects.get(name="TER"))
    assert np.allclose(by_name["TER"].values, ter.values)
    assert np.allclose(by_name["TER"].of_systems, ter.scores)
    # What was exported is imported into the same test set, by command.
    Metric.objects.all().delete()
    call_command("rest", "POST", f"tasks/{task.pk}/metrics/", f"files@{archive}")
    again = Metric.objects.order_by("is_human", "name")
    assert [each.name for each in again] == ["GAP", "ODD", "TER", "ranking"]
    assert [each.missing for each in again] == [SEGMENTS - 1, 0, 0, 0]
    assert (again[1].systems, again[1].uses_reference) == (list(SYSTEMS), True)


def exported(task: Task) -> bytes:
    return b"".join(
        export_bytes(
            requested_export(task=task, kind="evalset", file_format="evalset"),
        ),
    )


def test_an_exported_evalset_folder_has_error_spans(campaign: Campaign) -> None:
    task = scored_task(campaign)
    archive = zipfile.ZipFile(io.BytesIO(exported(task)))
    ada, merged, scores = (
        archive.read(f"human-scores/en-de.spans.{name}").decode().splitlines()
        for name in ("ada.seg.rating", "merged.seg.rating", "seg.score")
    )
    systems = task.test_set.systems.filter(kind="system").count()
    assert len(ada) == len(merged) == 12 * systems
    given = next(row for row in ada if row.startswith("dune\t{"))
    system, rating, judge = given.split("\t")
    marked, missing = json.loads(rating)["errors"]
    assert (system, judge) == ("dune", "ada")
    assert (marked["start"], marked["end"], marked["severity"]) == (0, 3, "minor")
    assert (missing["category"], missing["severity"]) == ("omission", "major")
    assert missing["is_source_error"]
    assert "amber\tNone" in merged
    # The mean of the judges' scores, not of their ranks.
    assert scores[0] == "cobalt\t68.0"


def stored(task: Task, systems: list[str], name: str = "COMET", **more: Any) -> None:
    segments = Segment.objects.filter(test_set=task.test_set).count()
    values = np.random.default_rng(1).normal(
        np.arange(len(systems)),
        1,
        (segments, len(systems)),
    )
    values[0, 0] = np.nan
    given = {"test_set": task.test_set, "systems": systems, "values": values, **more}
    metric_store(name=name, file_name="scores.tsv", **given)


def agreement(task: Task, name: str = "metrics", **options: Any) -> Any:
    return answer(task, name, resamples=100, **options).data


def test_metrics_are_compared_with_rankings_or_with_imported_human_scores(
    varied: TestSetWriter,
) -> None:
    stored(varied.task, ["A", "B", "C"])
    stored(varied.task, ["A", "B"], name="MQM", is_human=True)
    said = agreement(varied.task)
    comet, mqm = said["metrics"]
    assert (said["people"]["from"], comet["metric"], comet["missing"]) == (
        "rankings",
        "COMET",
        1,
    )
    assert (set(comet["scores"]), set(mqm["scores"])) == ({"A", "B", "C"}, {"A", "B"})
    assert mqm["is_human"]
    assert {"tau_wmt14", "acc_eq", "acc_eq_folds"} <= set(comet["segments"])
    highest, lowest = (
        said[name]["segments"]["acc_eq"]["value"] for name in ("ceiling", "floor")
    )
    assert highest > lowest
    said = agreement(varied.task, human="MQM")
    assert said["people"]["from"] == "scores"
    assert [each["metric"] for each in said["metrics"]] == ["COMET"]


def test_metrics_are_compared_with_scores_of_judges() -> None:
    task = rated_task(make_campaign())
    stored(
        task,
        sorted(
            task.test_set.systems.filter(kind="system").values_list("name", flat=True),
        ),
    )
    said = agreement(task)
    assert said["people"]["from"] == "scores"
    assert "kendall_by_segment" in said["metrics"][0]["segments"]


def unjudged(varied: TestSetWriter, count: int = 18) -> Document:
    """Add segments that nobody judges, in a document of their own."""
    document = Document.objects.create(
        test_set=varied.task.test_set,
        name="web/other",
        position=2,
    )
    with varied.at_once():
        for number in range(13, 13 + count):
            varied.block(number, ["A", "B", "C"])
    Segment.objects.filter(number__gt=12).update(document=document)
    return document


def test_a_metric_completes_the_ranking_on_segments_that_people_did_not_judge(
    varied: TestSetWriter,
    as_organiser: Client,
) -> None:
    unjudged(varied)
    stored(varied.task, ["A", "B", "C"])
    stored(varied.task, ["A", "B", "C"], name="CONSTANT", values=np.ones((30, 3)))
    found = agreement(varied.task, "predicted_ranking")
    assert (found["metric"], found["judged"], found["segments"]) == ("COMET", 12, 30)
    by_people = agreement(varied.task, "ranking")["rankings"][0]["systems"]
    of_people = {row["system"]: row for row in found["systems"]}
    for row in by_people:
        own = of_people[row["system"]]
        assert own["people_score"]["value"] == row["score"]
        assert own["people_rank"] == row["rank"]
    # The share is that of the comparison of metrics, to the bit.
    comet = agreement(varied.task)["metrics"][0]
    assert found["judgments_saved"] == comet["systems"]["judgments_saved"]
    constant = agreement(varied.task, "predicted_ranking", metric="CONSTANT")
    for row in constant["systems"]:
        assert row["score"] == row["people_score"]
        assert (row["rank_low"], row["rank_high"]) == (
            row["people_rank_low"],
            row["people_rank_high"],
        )
    here = [varied.campaign.slug, varied.task.pk]
    asked: dict[str, str | int] = {"analysis": "predicted_ranking", "resamples": 100}
    page = as_organiser.get(reverse("metrics", args=here), asked)
    assert "random sample" in page.content.decode()
    stored(varied.task, ["A", "B"], name="NARROW")
    narrow = agreement(varied.task, "predicted_ranking", metric="NARROW")
    assert (narrow["left_out"], found["left_out"]) == (["C"], [])


def test_a_metric_of_judged_segments_alone_is_not_the_default(
    varied: TestSetWriter,
) -> None:
    stored(varied.task, ["A", "B", "C"], name="FULL")
    unjudged(varied)
    alone = answer(varied.task, "predicted_ranking", resamples=100)
    data: Any = alone.data
    assert (data["judged"], data["segments"]) == (12, 12)
    assert (data["weight"], data["judgments_saved"]["value"]) == (0, 0)
    for row in data["systems"]:
        assert row["score"] == row["people_score"]
    report = report_in(alone.reports or {}, "en")
    assert any("only segments that people judged" in note for note in report.notes)
    stored(varied.task, ["A", "B", "C"], name="WIDE")
    found = agreement(varied.task, "predicted_ranking")
    assert (found["metric"], found["segments"]) == ("WIDE", 30)


def test_a_metric_completes_only_the_chosen_documents(varied: TestSetWriter) -> None:
    unjudged(varied)
    stored(varied.task, ["A", "B", "C"])
    found = agreement(varied.task, "predicted_ranking", documents=["d"])
    assert (found["judged"], found["segments"]) == (12, 12)
    assert found["sample_p"] is None
    assert agreement(varied.task, documents=["d"])["metrics"][0]["unjudged"] == 0


def test_a_machine_judge_completes_a_ranking(varied: TestSetWriter) -> None:
    unjudged(varied)
    stored(varied.task, ["A", "B", "C"])
    machine_judges(varied.campaign, varied.task)
    found = agreement(varied.task, "predicted_ranking", metric="judgebot 1")
    assert (found["metric"], found["judged"], found["segments"]) == (
        "judgebot 1",
        12,
        30,
    )


def test_a_metric_does_not_take_the_name_of_a_machine_judge(
    varied: TestSetWriter,
) -> None:
    unjudged(varied)
    machine_judges(varied.campaign, varied.task)
    before = agreement(varied.task, "predicted_ranking", metric="judgebot 1")
    stored(varied.task, ["A", "B", "C"], name="judgebot 1")
    names = "metric:judgebot 1, machine:judgebot 1"
    with pytest.raises(OptionError, match=names):
        agreement(varied.task, "predicted_ranking", metric="judgebot 1")
    found = {}
    for kind in ("machine", "metric"):
        name = f"{kind}:judgebot 1"
        found[kind] = agreement(varied.task, "predicted_ranking", metric=name)
    assert found["machine"] == before | {"metric": "machine:judgebot 1"}
    assert found["metric"]["is_machine"] is False
    available = available_completing(task=varied.task, machines=["judgebot 1"])
    assert [each.name for each in available] == names.split(", ")


@pytest.mark.parametrize(
    ("design", "chosen", "is_drawn"),
    [
        ({}, [], True),
        ({"segment_order": "sequential"}, [], False),
        ({"segments": [1, 2]}, [], False),
        ({"documents": [1]}, [], False),
        ({"documents": [1]}, ["d"], True),
    ],
)
def test_the_design_tells_whether_judged_segments_are_a_random_sample(
    varied: TestSetWriter,
    design: dict[str, Any],
    chosen: list[str],
    is_drawn: bool,
) -> None:
    unjudged(varied)
    stored(varied.task, ["A", "B", "C"])
    Design.objects.create(task=varied.task, **design)
    found = agreement(varied.task, "predicted_ranking", documents=chosen)
    assert found["is_drawn_at_random"] is is_drawn


def test_judgments_saved_of_a_domain_count_its_unjudged_segments(
    varied: TestSetWriter,
) -> None:
    document = unjudged(varied)
    Segment.objects.filter(number__lte=6).update(document=document)
    stored(varied.task, ["A", "B", "C"])
    [group] = agreement(varied.task, by="domain")["groups"]
    assert (group["group"], group["segments"]) == ("web", 6)
    assert group["metrics"]["COMET"]["unjudged"] == 18
    assert group["metrics"]["COMET"]["systems"]["judgments_saved"]["value"] > 0


def test_an_unknown_metric_cannot_complete_a_ranking(varied: TestSetWriter) -> None:
    stored(varied.task, ["A", "B", "C"])
    stored(varied.task, ["A", "B"], name="MQM", is_human=True)
    with pytest.raises(OptionError, match="Available: COMET"):
        agreement(varied.task, "predicted_ranking", metric="MQM")


def test_means_of_judges_are_completed_by_a_metric() -> None:
    task = rated_task(make_campaign())
    systems = sorted(
        task.test_set.systems.filter(kind="system").values_list("name", flat=True),
    )
    stored(task, systems)
    found = agreement(task, "predicted_ranking")
    by_people = {
        row["system"]: row["people_score"]["value"] for row in found["systems"]
    }
    scores = agreement(task)["people"]["systems"]
    assert by_people == pytest.approx(scores)
