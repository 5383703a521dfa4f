"""The command that changes how rank ranges are made."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from ranking.core.rankings.rank import only_estimable
from ranking.services.runs import ranking_run_compute
from tests.exporting import exported
from tests.integration.ranking.pages import addresses
from tests.integration.ranking.writing import (
    TestSetWriter,
    documents_of,
    settings_change,
)

pytestmark = pytest.mark.django_db


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("chosen", "arguments", "size"),
    [
        ({}, [], None),
        ({"resample": "judges"}, ["--resample", "judges"], 2),
        ({"ranges": "confidence_set"}, ["--rank-ranges", "confidence_set"], 6),
        (
            {"ranges": "sign_test", "correction": "holm"},
            ["--rank-ranges", "sign_test", "--correction", "holm"],
            6,
        ),
    ],
)
def test_the_page_rest_and_the_command_on_the_downloaded_file_give_the_same_bits(
    as_organiser: Client,
    varied: TestSetWriter,
    tmp_path: Path,
    chosen: dict[str, Any],
    arguments: list[str],
    size: int | None,
) -> None:
    """For one document, for two, which are too few, and for six."""
    if size is not None:
        documents_of(varied, size)
    settings_change(varied, **chosen)
    ranking_run_compute(task_id=varied.task.pk)
    rest = as_organiser.get(reverse("api-ranking-latest", args=[varied.task.pk])).json()
    dashboard = as_organiser.get(addresses(varied)["dashboard"])
    file = tmp_path / "judgments.csv"
    file.write_text(exported(varied.task), encoding="utf-8")
    out = StringIO()
    call_command(
        "rank_judgments",
        str(file),
        *arguments,
        "--format",
        "json",
        stdout=out,
    )
    (said,) = json.loads(out.getvalue())["rankings"]

    (plot,) = dashboard.context["plots"]
    assert [only_estimable(line.row) for line in plot.rows] == rest["systems"]
    assert said["systems"] == rest["systems"]
    assert said["pairs"] == rest["pairs"]
    # One document says nothing of others, and a file need not mean it.
    assert said["limits"] == [
        limit for limit in rest["limits"] if limit != "one_document"
    ]
    for name in ("effective_segments", "effective_documents", "effective_judges"):
        assert said[name] == rest["input"][name]
