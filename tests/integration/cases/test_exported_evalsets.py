"""The files of an exported EvalSet folder belong together."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.services.systems import output_correct
from campaign.models import Campaign, Output, Task
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from ranking.models import Metric
from tests.factories import make_campaign
from tests.integration.protocols.judging import scored_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("museum")


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return scored_task(campaign)


def folder(task: Task) -> dict[str, str]:
    """Return the text of each file of the exported folder."""
    export = requested_export(task=task, kind="evalset", file_format="evalset")
    content = io.BytesIO(b"".join(export_bytes(export)))
    with zipfile.ZipFile(content) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def ends_of_spans(files: dict[str, str]) -> list[tuple[str, int, int]]:
    """Return the system and the line among its lines of each error, and where it ends."""
    ends = []
    lines_of: dict[str, int] = {}
    for row in files["human-scores/en-de.spans.merged.seg.rating"].splitlines():
        system, rating, *_judge = row.split("\t")
        line = lines_of[system] = lines_of.get(system, -1) + 1
        errors = [] if rating == "None" else json.loads(rating)["errors"]
        ends += [(system, line, error["end"]) for error in errors]
    return ends


def test_judgments_of_a_text_that_was_corrected_later_are_left_out(task: Task) -> None:
    """Case 108: 108-evalset-of-a-corrected-output."""
    before = folder(task)
    assert "README.txt" not in before
    judged = Output.objects.get(
        system__name="cobalt",
        segment__number=2,
        replaced_at=None,
    )
    output_correct(output=judged, text="Ab.", leave_out=False)
    files = folder(task)
    texts = files["system-outputs/en-de/cobalt.txt"].splitlines()
    assert texts[1] == "Ab."
    ends = ends_of_spans(files)
    assert len(ends) < len(ends_of_spans(before))
    for system, line, end in ends:
        text = files[f"system-outputs/en-de/{system}.txt"].splitlines()[line]
        assert end <= len(text)
    scores = files["human-scores/en-de.spans.seg.score"].splitlines()
    assert [row for row in scores if row.startswith("cobalt\t")][1] == "cobalt\tNone"
    assert "3 judgments" in files["README.txt"]


def test_names_that_would_become_one_file_name_stay_apart(
    task: Task,
    as_organiser: Client,
) -> None:
    names = {"cobalt": "big model", "dune": "big_model", "ember": "Big/Model"}
    for old, new in names.items():
        task.test_set.systems.filter(name=old).update(name=new)
    task.test_set.documents.filter(position=1).update(name="a b")
    task.test_set.documents.filter(position=2).update(name="a_b")
    task.test_set.campaign.judges.filter(pseudonym="ada").update(pseudonym="merged")
    files = folder(task)
    outputs = [name for name in files if name.startswith("system-outputs/en-de/")]
    assert (
        len({name.casefold() for name in outputs})
        == task.test_set.systems.filter(kind="system").count()
    )
    assert "system 'big model' is named big_model-3" in files["README.txt"].splitlines()
    assert "document 'a b' is named a_b-2" in files["README.txt"].splitlines()
    assert "judge 'merged' is named merged-2" in files["README.txt"].splitlines()
    # The folder is imported into the same test set under its own names.
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    uploaded = SimpleUploadedFile("folder.zip", content.getvalue())
    answer = as_organiser.post(
        reverse("api-metrics", args=[task.pk]),
        {"files": [uploaded]},
    )
    assert answer.status_code == 201, answer.json()
    assert set(Metric.objects.get().systems) == set(names.values())


def test_names_of_files_are_possible_on_windows(task: Task) -> None:
    names = {"cobalt": "model:7b", "dune": "CON"}
    for system, name in names.items():
        task.test_set.systems.filter(name=system).update(name=name)
    files = folder(task)
    assert {
        "system-outputs/en-de/model_7b.txt",
        "system-outputs/en-de/CON_.txt",
    } <= files.keys()
    assert "system 'model:7b' is named model_7b" in files["README.txt"]
    scores = {
        row.split("\t")[0]
        for row in files["human-scores/en-de.spans.sys.score"].splitlines()
    }
    assert {"model_7b", "CON_"} <= scores
