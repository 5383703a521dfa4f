"""Answers that put outputs in no order: ratings without weights, and marked errors without scores, of several outputs.

Wherever a ranking would be, there is none, and requests for one get the reason and what to do instead.
"""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from annotation.models.judge_measures import JudgeMeasure
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.tasks import task_rules_change
from campaign.formats import FormatError
from campaign.models import Output, Protocol, Task
from campaign.services.campaigns import task_close
from ranking.export.asked import ExportRefusedError, requested_export
from ranking.export.kinds import KINDS
from ranking.export.writing import export_bytes
from ranking.models import JudgeMeasures, RankingSettings
from ranking.pages.shared_results import shared_result
from ranking.reports.analyses.options import OptionError
from ranking.selectors.analyses import table_answer
from ranking.selectors.runs import latest_run
from ranking.services.analyses import analysis_ask, analysis_choice
from ranking.services.ranking_settings import StoppingRuleError, stopping_rule_set
from ranking.services.reproduced_runs import runs_check
from ranking.tasks import rank_task
from tests.criteria import FOUR
from tests.factories import make_organiser
from tests.integration.protocols.every import plans_delete
from tests.integration.publishing.bundled import bundled, files_of, packed, said
from tests.integration.rest.test_lists import results
from tests.protocol_tasks import make_task_of_protocol
from tests.shared_rows import shared_rows
from whole_campaigns.campaign_file.applying import (
    campaign_content,
    campaign_file_apply,
)

pytestmark = pytest.mark.django_db

#: Measures that follow from ranks.
BY_RANKS = (
    JudgeMeasure.TIES,
    JudgeMeasure.ONE_LABEL,
    JudgeMeasure.SHOWN_ORDER,
    JudgeMeasure.TYPED_IN_ORDER,
    JudgeMeasure.POSITION,
    JudgeMeasure.INTER,
    JudgeMeasure.INTRA,
    JudgeMeasure.DISAGREES,
)
UNWEIGHTED = [{**criterion, "weight": 0} for criterion in FOUR]
RULES: dict[Protocol, dict[str, Any]] = {
    Protocol.RATING: {"criteria": UNWEIGHTED, "all_at_once": True},
    Protocol.SPANS: {"scored": False},
}
REASONS: dict[str, str] = {
    Protocol.RATING: "No criterion has a weight",
    Protocol.SPANS: "Judges give no scores",
}


def judged(protocol: Protocol) -> Task:
    """Three judges answer about two outputs on a screen; the ranking is computed."""
    task = make_task_of_protocol(
        protocol,
        slug=f"unordered-{protocol.replace('_', '-')}",
    )
    plans_delete(task)
    task_rules_change(task=task, rules=RULES[protocol])
    design_change(
        task=task,
        kind="balanced",
        systems_per_block=2,
        redundancy=2,
        segments_per_hit=3,
        reference_rate=0.0,
    )
    hits_plan(task_id=task.pk, count=12)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge(f"judge{number}", noise=0) for number in range(3)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=3,
            qualities=dict.fromkeys(outputs.values_list("pk", flat=True), 40.0),
            seed=3,
        ),
    )
    judgments_number(task_id=task.pk)
    rank_task(task.pk)
    return task


def make_tasks() -> dict[Protocol, int]:
    return {protocol: judged(protocol).pk for protocol in RULES}


@pytest.fixture(scope="module")
def tasks(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[dict[Protocol, int]]:
    with shared_rows(django_db_blocker, make_tasks) as made:
        yield made


@pytest.fixture(params=list(RULES))
def task(request: pytest.FixtureRequest, tasks: dict[Protocol, int]) -> Task:
    related = Task.objects.select_related("test_set__campaign")
    return related.get(pk=tasks[request.param])


@pytest.fixture
def organiser(task: Task, client: Client) -> Client:
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def test_the_ranking_has_no_systems_and_no_ties(task: Task) -> None:
    run = latest_run(task_id=task.pk)
    assert run is not None
    counted = run.result["input"]
    assert counted["blocks"] == judgments_number(task_id=task.pk)
    assert (counted["comparisons"], counted["ties"]) == (0, 0)
    assert (run.result["systems"], run.result["pairs"]) == ([], [])
    assert {row["reason"] for row in run.result["not_estimable"]} == {"no_comparison"}
    assert run.result["agreement"]["comparisons"] == 0
    checked = runs_check(task_id=task.pk)
    assert (checked.differing, checked.refused) == ([], [])


def test_rest_has_neither_ranks_nor_comparisons(task: Task, organiser: Client) -> None:
    latest = organiser.get(f"/api/v1/tasks/{task.pk}/rankings/latest/").json()
    assert (latest["systems"], latest["pairs"]) == ([], [])
    kept = organiser.post(f"/api/v1/tasks/{task.pk}/rankings/keep/").json()
    saved = organiser.get(f"/api/v1/tasks/{task.pk}/rankings/{kept['id']}/").json()
    assert saved["systems"] == []
    assert results(organiser, reverse("api-comparisons", args=[task.pk])) == []
    rows = results(organiser, reverse("api-judgments", args=[task.pk]))
    assert rows
    assert {label for row in rows for label in row["labels"]} == {None}
    assert all(row["answer"]["outputs"] for row in rows)


def test_filters_find_no_ties(task: Task, organiser: Client) -> None:
    address = reverse("api-judgments", args=[task.pk])
    assert results(organiser, f"{address}?ties=yes") == []
    system = task.test_set.systems.filter(kind="system").first()
    assert system is not None
    assert results(organiser, f"{address}?system={system.name}")
    assert results(organiser, f"{address}?system={system.name}&outcome=tied") == []


def test_pages_of_judgments_show_no_ranks(task: Task, organiser: Client) -> None:
    of = [task.test_set.campaign.slug, task.pk]
    listed = organiser.get(reverse("judgments", args=of)).content.decode()
    assert " = " not in listed.partition("<tbody")[2]
    one = organiser.get(reverse("judgment", args=[*of, 1])).content.decode()
    assert one.count("no rank") == 2
    assert "rank 1" not in one


def test_a_requested_ranking_is_refused_with_the_reason(
    task: Task,
    organiser: Client,
) -> None:
    asked = organiser.post(
        f"/api/v1/tasks/{task.pk}/rankings/",
        {},
        content_type="application/json",
    )
    assert asked.status_code == 400
    assert REASONS[task.protocol] in str(asked.json())
    with pytest.raises(OptionError, match=REASONS[task.protocol]):
        analysis_ask(task=task, choice=analysis_choice("pairs", {}))
    with pytest.raises(StoppingRuleError, match=REASONS[task.protocol]):
        stopping_rule_set(task=task, reason="Enough.", clusters=2)
    page = reverse("ranking-settings", args=[task.test_set.campaign.slug, task.pk])
    assert REASONS[task.protocol] in organiser.get(page).content.decode()


def test_ranking_settings_are_refused_with_the_reason(
    task: Task,
    organiser: Client,
) -> None:
    campaign = task.test_set.campaign
    page = reverse("ranking-settings", args=[campaign.slug, task.pk])
    assert organiser.post(page, {"resample": "segments"}).status_code == 409
    rest = organiser.patch(
        reverse("api-ranking-settings", args=[task.pk]),
        {"resample": "segments", "reason": "Asked."},
        content_type="application/json",
    )
    assert rest.status_code == 409
    assert REASONS[task.protocol] in rest.json()["detail"]
    changed = "      ranking_settings: {resample: segments, reason: Asked.}\n"
    with pytest.raises(FormatError, match=REASONS[task.protocol]):
        campaign_file_apply(
            name="c.yaml",
            content=(named_in_file(task) + changed).encode(),
            by=None,
        )
    assert not RankingSettings.objects.filter(task=task).exists()


def named_in_file(task: Task) -> str:
    """Return the beginning of a campaign file that names only the task."""
    campaign = task.test_set.campaign
    return (
        f"slug: {campaign.slug}\nname: {campaign.name}\ntest_sets:\n"
        f"  - name: {task.test_set.name}\n    tasks:\n    - protocol: {task.protocol}\n"
    )


def test_campaign_file_has_no_ranking_settings(task: Task) -> None:
    campaign = task.test_set.campaign
    [test_set] = campaign_content(campaign=campaign)["test_sets"]
    [own] = [one for one in test_set["tasks"] if one["protocol"] == task.protocol]
    assert "ranking_settings" not in own
    # Files of earlier versions have the defaults here, which change nothing.
    defaults = "      ranking_settings: {resample: two_way, confidence: 0.95}\n"
    applied = campaign_file_apply(
        name="c.yaml",
        content=(named_in_file(task) + defaults).encode(),
        by=None,
    )
    assert applied.changes == []


@pytest.mark.parametrize(
    "kind",
    [name for name, kind in KINDS.items() if kind.has_ranks_only],
)
def test_ranks_are_not_exported(task: Task, kind: str, organiser: Client) -> None:
    for file_format in KINDS[kind].formats:
        with pytest.raises(ExportRefusedError, match=REASONS[task.protocol]):
            requested_export(task=task, kind=kind, file_format=file_format)
    offered = results(organiser, f"/api/v1/tasks/{task.pk}/exports/kinds/")
    assert kind not in {row["name"] for row in offered}


def test_exported_judgments_have_no_ranks(task: Task) -> None:
    asked = requested_export(task=task, kind="judgments", file_format="csv")
    table = b"".join(export_bytes(asked)).decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert rows
    assert {row["label1"] for row in rows} == {""}
    everything = requested_export(task=task, kind="everything", file_format="zip")
    assert not {"counted.csv", "comparisons.csv"} & set(
        files_of(b"".join(export_bytes(everything))),
    )


def test_a_link_to_results_shows_the_answers(task: Task) -> None:
    # While judging is open, results of today are not shared.
    task_close(task=task)
    shared = shared_result(task=task, is_anonymous=False)
    assert "plots" not in shared
    assert "tied" not in shared["summary"].headline


def test_the_bundle_reproduces_and_ranks_nothing(
    task: Task,
    tmp_path: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _result, zipped = bundled(task)
    files = files_of(zipped)
    assert not [name for name in files if name.startswith(("ranking.", "pairs."))]
    status, found = said(packed(tmp_path / "bundle.zip", files))
    assert (status, found["differences"]) == (0, [])
    assert found["ranking"]["systems"] == []
    path = tmp_path / "judgments.csv"
    path.write_bytes(files["judgments.csv"])
    with pytest.raises(CommandError, match="no block has a rank"):
        call_command("rank_judgments", str(path))


def test_judges_are_not_measured_by_ranks_that_nobody_gave(task: Task) -> None:
    """All labels are equal, so that every judge would seem to tie all outputs, or to rank nothing."""
    measured = JudgeMeasures.objects.filter(task=task)
    assert measured.count() == 3
    names: set[str] = set().union(*(row.measures for row in measured))
    assert not names & set(BY_RANKS)
    assert JudgeMeasure.SECONDS in names


def test_a_table_of_the_campaign_counts_no_comparisons(task: Task) -> None:
    choice = analysis_choice("collected", {}, of_campaign=True)
    report, _answer = table_answer(campaign=task.test_set.campaign, choice=choice)
    assert report is not None
    [row] = [row for row in report.data["test_sets"] if row["id"] == task.pk]
    assert row["blocks"] == judgments_number(task_id=task.pk)
    assert (row["comparisons"], row["decided"]) == (0, 0)
