"""Answers that are imported again, by page, REST and command: a later export of the tool that collected them."""

import json
from collections.abc import Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.importing.answer_storing import (
    MISSING_KEPT,
    MISSING_WITHDRAWN,
    OLDER,
    REPLACED_STORED,
    RESTORED,
)
from annotation.importing.answers import (
    AnswersImported,
    ImportOptions,
    answers_import,
)
from annotation.importing.stored_answers import NoLongerInFile
from annotation.models import Block, BlockControl, Judgment, JudgmentSequence
from campaign.formats.archives import opener
from campaign.formats.repeats import COUNTED_ONCE
from campaign.formats.streams import StoredFile
from campaign.importing.errors import ImportRefusedError
from campaign.models import Campaign, Output, Protocol, Task
from campaign.services.campaigns import task_create
from protocols.spans.files.answers import scores_read
from protocols.spans.files.formats import read_spans
from tests.counters import counters_by_row, counters_stored
from tests.exporting import exported
from tests.factories import make_organiser, make_task

pytestmark = pytest.mark.django_db

_CASE = Path(__file__).parents[2] / "data/cases/files/97-pearmut-log-imported-again"


def _texts() -> dict[str, tuple[str, dict[str, str]]]:
    found = {}
    for line in (_CASE / "friday.jsonl").read_text().splitlines():
        for item in json.loads(line)["item"]:
            found[item["item_id"]] = item["src"], item["tgt"]
    return found


@pytest.fixture
def task(campaign: Campaign) -> Task:
    """Return a task with the texts of the case."""
    ranking = make_task(
        campaign,
        systems=("alpha", "beta"),
        documents=(6,),
        identical=(),
        with_reference=False,
        planned=0,
    )
    for number, (source, outputs) in _texts().items():
        segment = ranking.test_set.segments.get(number=int(number))
        segment.source_text = source
        segment.save()
        for system, text in outputs.items():
            Output.objects.filter(segment=segment, system__name=system).update(
                text=text,
            )
    return task_create(test_set=ranking.test_set, protocol=Protocol.SPANS, by=None)


def _imported(
    task: Task,
    name: str,
    choice: NoLongerInFile | None = None,
) -> AnswersImported:
    path = _CASE / name
    file = StoredFile(name, opener(path))
    return answers_import(
        task=task,
        files=[file],
        options=ImportOptions(no_longer_in_file=choice),
    )


def _means(judgments: Any) -> Mapping[str, float]:
    scores: dict[str, list[float]] = {}
    for judgment in judgments:
        for output in judgment.outputs:
            for system in output.systems:
                scores.setdefault(system, []).append(output.score)
    return {system: round(fmean(values), 1) for system, values in scores.items()}


def _losses(imported: AnswersImported) -> dict[str, int]:
    return {loss.what: loss.count for loss in imported.losses}


def test_later_export_supersedes_the_answers_that_judges_revised(task: Task) -> None:
    """Case 97."""
    _imported(task, "monday.jsonl")
    friday = _imported(task, "friday.jsonl")
    assert (friday.judgments, friday.already_there) == (2, 1)
    assert _losses(friday)[REPLACED_STORED] == 1
    assert _means(scores_read(task=task).judgments) == {"alpha": 61.7, "beta": 63.3}
    revised = Judgment.objects.of(task.pk).exclude(supersedes=None).get()
    assert Judgment.objects.get(superseded_by=revised).block == revised.block
    # All of it once more changes nothing.
    again = _imported(task, "friday.jsonl")
    assert (again.judgments, again.already_there) == (0, 3)
    assert counters_stored(task_id=task.pk) == counters_by_row(task_id=task.pk)


def test_figures_of_an_export_are_those_of_the_campaign(
    task: Task,
    tmp_path: Path,
) -> None:
    for name in ("monday.jsonl", "friday.jsonl"):
        _imported(task, name)
    log = tmp_path / "exported.jsonl"
    log.write_text(exported(task, "pearmut-log"))
    assert _means(read_spans([str(log)]).judgments) == {"alpha": 61.7, "beta": 63.3}


def test_earlier_export_changes_no_answer(task: Task) -> None:
    _imported(task, "friday.jsonl")
    with pytest.raises(
        ImportRefusedError,
        match="1 stored answer of an earlier import is not in",
    ):
        _imported(task, "monday.jsonl")
    monday = _imported(task, "monday.jsonl", NoLongerInFile.KEEP)
    assert (monday.judgments, monday.already_there) == (0, 1)
    assert _losses(monday) == {OLDER: 1, MISSING_KEPT: 1}
    assert _means(scores_read(task=task).judgments) == {"alpha": 61.7, "beta": 63.3}


def test_answers_that_a_later_export_lacks_wait_for_the_organiser(task: Task) -> None:
    for name in ("monday.jsonl", "friday.jsonl"):
        _imported(task, name)
    with pytest.raises(
        ImportRefusedError,
        match="2 stored answers of an earlier import are not",
    ):
        _imported(task, "reset.jsonl")
    assert _means(scores_read(task=task).judgments) == {"alpha": 61.7, "beta": 63.3}
    kept = _imported(task, "reset.jsonl", NoLongerInFile.KEEP)
    assert _losses(kept)[MISSING_KEPT] == 2
    assert _means(scores_read(task=task).judgments) == {"alpha": 61.7, "beta": 63.3}
    withdrawn = _imported(task, "reset.jsonl", NoLongerInFile.WITHDRAW)
    assert _losses(withdrawn)[MISSING_WITHDRAWN] == 2
    assert _means(scores_read(task=task).judgments) == {"alpha": 85.0, "beta": 50.0}
    assert Judgment.objects.of(task.pk).count() == 4
    assert Block.objects.filter(control=BlockControl.WITHDRAWN).count() == 2
    assert JudgmentSequence.objects.get(task=task).judged == 1


def test_withdrawn_answers_count_again_if_a_later_export_has_them(task: Task) -> None:
    _imported(task, "monday.jsonl")
    _imported(task, "reset.jsonl", NoLongerInFile.WITHDRAW)
    assert _means(scores_read(task=task).judgments) == {"alpha": 85.0, "beta": 50.0}
    monday = _imported(task, "monday.jsonl")
    assert (monday.already_there, _losses(monday)) == (2, {RESTORED: 1})
    assert _means(scores_read(task=task).judgments) == {"alpha": 87.5, "beta": 45.0}
    assert JudgmentSequence.objects.get(task=task).judged == 2


def test_answers_about_other_outputs_of_a_segment_are_no_revisions(
    campaign: Campaign,
) -> None:
    """A judge of a sort compares an output with several others."""
    texts = make_task(campaign, planned=0).test_set
    task = task_create(test_set=texts, protocol=Protocol.SORTING, by=None)
    line = {"segment": 2, "judge": "ada", "first": "dune", "answer": "first"}
    for other in ("cobalt", "ember"):
        content = json.dumps({**line, "second": other}).encode()
        file = StoredFile(f"{other}.jsonl", partial(BytesIO, content))
        assert answers_import(task=task, files=[file]).judgments == 1
    assert Judgment.objects.of(task.pk).current().counted().count() == 2


def test_rest_asks_before_answers_are_withdrawn(task: Task, client: Client) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    for name in ("monday.jsonl", "friday.jsonl"):
        _imported(task, name)

    def send(**more: str) -> Any:
        file = SimpleUploadedFile("reset.jsonl", (_CASE / "reset.jsonl").read_bytes())
        return client.post(f"/api/v1/tasks/{task.pk}/answers/", {"file": file, **more})

    refused = send()
    assert refused.status_code == 400
    assert (
        "2 stored answers of an earlier import are not in the file"
        in refused.content.decode()
    )
    answer = send(no_longer_in_file="withdraw")
    assert MISSING_WITHDRAWN in [loss["what"] for loss in answer.json()["losses"]]
    assert send(no_longer_in_file="perhaps").status_code == 400


def test_page_asks_before_answers_are_withdrawn(task: Task, client: Client) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    for name in ("monday.jsonl", "friday.jsonl"):
        _imported(task, name)
    address = f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/answers/"

    def send(choice: str) -> Any:
        file = SimpleUploadedFile("reset.jsonl", (_CASE / "reset.jsonl").read_bytes())
        return client.post(
            address,
            {"file": file, "no_longer_in_file": choice},
            follow=True,
        )

    refused = send("")
    assert refused.status_code == 400
    assert (
        "2 stored answers of an earlier import are not in the file"
        in refused.content.decode()
    )
    assert MISSING_WITHDRAWN in send("withdraw").content.decode()


def test_changed_rating_without_a_time_waits_for_the_organiser(
    campaign: Campaign,
) -> None:
    texts = make_task(campaign, planned=0).test_set
    task = task_create(test_set=texts, protocol=Protocol.RATING, by=None)

    def send(value: int, choice: NoLongerInFile | None = None) -> AnswersImported:
        line = {
            "segment": 2,
            "systems": ["dune"],
            "judge": "ada",
            "criterion": "fluency",
        }
        content = json.dumps({**line, "value": value}).encode()
        file = StoredFile(f"{value}.jsonl", partial(BytesIO, content))
        return answers_import(
            task=task,
            files=[file],
            options=ImportOptions(no_longer_in_file=choice),
        )

    def values() -> list[int]:
        current = Judgment.objects.of(task.pk).current().counted()
        return [
            value for (value,) in current.values_list("ratinganswer__points", flat=True)
        ]

    send(4)
    with pytest.raises(ImportRefusedError, match="1 stored answer"):
        send(2)
    kept = send(2, NoLongerInFile.KEEP)
    assert (kept.judgments, values(), _losses(kept)) == (0, [4], {MISSING_KEPT: 1})
    # An answer that differs is not there.
    assert kept.already_there == 0
    assert (send(2, NoLongerInFile.WITHDRAW).judgments, values()) == (1, [2])


def test_five_way_file_that_holds_its_rows_twice_is_imported_once(
    campaign: Campaign,
) -> None:
    task = make_task(campaign, planned=0)
    head = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,system1rank,system2rank\n"
    rows = [f"en,de,{segment},,,ada,1,cobalt,2,dune,1,2\n" for segment in (2, 3)]

    def send(*lines: str) -> AnswersImported:
        content = "".join([head, *lines]).encode()
        return answers_import(
            task=task,
            files=[StoredFile("j.csv", partial(BytesIO, content))],
        )

    doubled = send(*rows, *rows)
    assert (doubled.judgments, doubled.repeated, _losses(doubled)) == (
        2,
        0,
        {COUNTED_ONCE: 2},
    )
    once = send(*rows)
    assert (once.judgments, once.already_there) == (0, 2)
    # One row more is a judgment on purpose.
    more = send(*rows, rows[0])
    assert (more.judgments, more.repeated, more.already_there) == (1, 1, 2)
