"""Test sets of one system: rated or marked where nothing is compared, from file to published page."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.selectors.systems import withdrawal_in_words
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change, design_ensure
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.systems import system_withdraw
from annotation.services.tasks import task_rules_change, task_with_rules_create
from campaign.models import Campaign, Output, Protocol, Task, Upload, User
from campaign.services.campaigns import TaskRefusedError
from campaign.services.uploads import upload_change
from desk.pages.checklist import StepState
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from ranking.reports.stored import report_in
from ranking.selectors.runs import latest_run
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.tasks import rank_task
from tests.criteria import criterion
from tests.integration.desk.test_checklist import steps_by_name
from tests.integration.publishing.bundled import bundled, files_of, packed, said
from tests.integration.uploads.conftest import FILES, Sent
from tests.integration.uploads.test_uploads import checked, imported

pytestmark = [pytest.mark.django_db]

LINES = "".join(
    json.dumps(
        {
            "document": f"talk {number // 4}",
            "source": f"Source {number}.",
            "outputs": {"voice": f"Output {number}."},
        },
    )
    + "\n"
    for number in range(8)
)


#: None of the files that uploads usually have.
ALONE: dict[str, bytes | None] = {
    **dict.fromkeys(FILES),
    "voice.jsonl": LINES.encode(),
}


def uploaded(sent: Sent, protocol: Protocol) -> Upload:
    return sent(
        ALONE,
        name="talks",
        source_language="en",
        target_language="de",
        protocol=protocol,
    )


@pytest.mark.parametrize(
    "protocol",
    [Protocol.RANKING, Protocol.TWO_OUTPUTS, Protocol.TOP, Protocol.SORTING],
)
def test_one_system_is_refused_where_outputs_are_compared(
    sent: Sent,
    protocol: Protocol,
) -> None:
    upload = uploaded(sent, protocol)
    error = checked(upload)["error"]
    assert error["problem"] == "there is only one system, voice"
    assert "choose a protocol that rates single outputs" in error["remedy"]
    job = imported(upload)
    assert "there is only one system" in job.error
    # The remedy.
    upload_change(upload=upload, protocol=Protocol.RATING)
    assert checked(upload)["error"] is None


def test_no_comparing_task_is_added_to_one_system(sent: Sent) -> None:
    imported(uploaded(sent, Protocol.RATING))
    test_set = Task.objects.get().test_set
    with pytest.raises(TaskRefusedError, match="Add a system, or choose ratings"):
        task_with_rules_create(
            test_set=test_set,
            protocol=Protocol.TWO_OUTPUTS,
            by=None,
            rules={},
        )
    task_with_rules_create(
        test_set=test_set,
        protocol=Protocol.SPANS,
        by=None,
        rules={},
    )


def test_checklist_asks_for_no_second_system(sent: Sent) -> None:
    imported(uploaded(sent, Protocol.RATING))
    campaign = Task.objects.get().test_set.campaign
    step = steps_by_name(campaign)["Systems"]
    assert (step.state, step.lines) == (StepState.DONE, ["talks: 1 system"])


def test_withdrawal_is_warned_of_by_what_the_tasks_need(sent: Sent) -> None:
    two = LINES.replace('"voice": ', '"second": "Another.", "voice": ')
    upload = sent(
        {**ALONE, "voice.jsonl": two.encode()},
        name="talks",
        source_language="en",
        target_language="de",
        protocol=Protocol.RATING,
    )
    imported(upload)
    test_set = Task.objects.get().test_set
    voice = test_set.systems.get(name="voice")
    assert "Judges need" not in " ".join(withdrawal_in_words(system=voice))
    system_withdraw(system=test_set.systems.get(name="second"))
    assert withdrawal_in_words(system=voice)[-1] == "Judges need at least one system."
    task_with_rules_create(
        test_set=test_set,
        protocol=Protocol.TWO_OUTPUTS,
        by=None,
        rules={},
    )
    two_needed = "Judges need at least two systems to rank."
    assert withdrawal_in_words(system=voice)[-1] == two_needed


MOS = {"criteria": [criterion("naturalness")], "all_at_once": True}
TWO = {"criteria": [criterion("style"), criterion("content")], "all_at_once": True}
WORLDS: list[tuple[Protocol, dict[str, Any]]] = [
    (Protocol.RATING, {"raters": 4}),
    (Protocol.RATING, MOS),
    (Protocol.RATING, TWO),
    (Protocol.SPANS, {}),
    (Protocol.SPANS, {"scored": False}),
]


def judged(sent: Sent, protocol: Protocol, rules: dict[str, Any]) -> Task:
    """Import one system, and let four judges answer about its outputs."""
    imported(uploaded(sent, protocol))
    task = Task.objects.get()
    task_rules_change(task=task, rules=rules)
    design_ensure(task=task, seed=7)
    if rules.get("all_at_once") or protocol == Protocol.SPANS:
        design_change(task=task, redundancy=2)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge(f"judge{number}", noise=5) for number in range(4)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=4,
            qualities=dict.fromkeys(outputs.values_list("pk", flat=True), 60.0),
            seed=3,
        ),
    )
    judgments_number(task_id=task.pk)
    rank_task(task.pk)
    return task


@pytest.mark.parametrize(("protocol", "rules"), WORLDS)
def test_one_system_is_judged_and_published_without_ranks(
    sent: Sent,
    protocol: Protocol,
    rules: dict[str, Any],
    client: Client,
    tmp_path: Path,
) -> None:
    task = judged(sent, protocol, rules)
    assert task.judgments.count() >= 8
    run = latest_run(task_id=task.pk)
    assert run is not None
    assert run.result["systems"] == []
    name = "rating" if protocol == Protocol.RATING else "spans"
    analysis = analysis_compute(
        analysis=analysis_ask(
            task=task,
            choice=analysis_choice(name, {}),
            is_queued=False,
        ),
    )
    report = report_in(analysis.reports or {}, "en")
    means = [table for table in report.tables if table.name.startswith("means")]
    assert means
    for table in means:
        [row] = table.rows
        cells: dict[str, Any] = dict(
            zip([column.key for column in table.columns], row, strict=True),
        )
        assert cells["system"] == "voice"
        assert cells["low"] < cells["mean"] < cells["high"]
        assert not {"rank", "cluster", "ranks"} & set(cells)
    assert "There is only one system, so there are no ranks and clusters" in " ".join(
        report.notes,
    )
    assert not {'"rank"', '"cluster"', '"rank_low"'} & set(
        re.findall(r'"\w+"', json.dumps(analysis.data)),
    )

    pages_have_no_ranks(task, client)
    published_has_no_ranks(task, tmp_path)
    exports_are_written(task)


def pages_have_no_ranks(task: Task, client: Client) -> None:
    """Open each page of results of the task."""
    client.force_login(User.objects.get(memberships__campaign=task.test_set.campaign))
    slug = task.test_set.campaign.slug
    system = task.test_set.systems.get()
    addresses = [f"/campaigns/{slug}/"]
    for name in PAGES:
        addresses.append(reverse(name, args=[slug, task.pk]))
    addresses.append(reverse("system-results", args=[slug, task.pk, system.pk]))
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, address
        main = answer.content.decode().partition('id="main"')[2]
        assert not re.search(r"<th[^>]*>(Rank|Cluster)<", main), address
        assert "tied" not in main
        assert "is number" not in main


PAGES = (
    "test-set-dashboard",
    "test-set-progress",
    "test-set-agreement",
    "test-set-data",
    "judge-quality",
    "design",
    "metrics",
    "ranking-settings",
    "publish",
)


def exports_are_written(task: Task) -> None:
    for kind, file_format in (("everything", "zip"), ("evalset", "evalset")):
        asked = requested_export(task=task, kind=kind, file_format=file_format)
        assert files_of(b"".join(export_bytes(asked)))


def published_has_no_ranks(task: Task, folder: Path) -> None:
    result, zipped = bundled(task)
    page = Client().get(f"/results/{result.address}/").content.decode()
    assert "voice" in page
    for word in ("Rank", "Cluster", "tied"):
        assert not re.search(rf">\s*{word}\b", page.partition('id="main"')[2]), word
    status, found = said(packed(folder / "bundle.zip", files_of(zipped)))
    assert (status, found["differences"]) == (0, [])


def test_edits_of_one_system_are_reported(sent: Sent) -> None:
    task = judged(sent, Protocol.EDITING, {})
    analysis = analysis_compute(
        analysis=analysis_ask(
            task=task,
            choice=analysis_choice("editing", {}),
            is_queued=False,
        ),
    )
    assert analysis.finished_at is not None


def test_command_imports_one_system_for_a_protocol_of_single_outputs(
    campaign: Campaign,
    tmp_path: Path,
) -> None:
    path = tmp_path / "voice.jsonl"
    path.write_text(LINES)
    arguments = [str(path), "--campaign=museum", "--name=talks"]
    arguments += ["--source-language=en", "--target-language=de"]
    with pytest.raises(CommandError, match="there is only one system, voice"):
        call_command("import_test_set", *arguments)
    call_command("import_test_set", *arguments, "--protocol=rating", verbosity=0)
    assert Task.objects.get().protocol == Protocol.RATING
