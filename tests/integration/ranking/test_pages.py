"""What the organiser's pages say."""

import re

import pytest
from django.test import Client

from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.pages import addresses
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_the_table_carries_what_the_plot_shows(
    as_organiser: Client,
    judged: TestSetWriter,
) -> None:
    content = as_organiser.get(addresses(judged)["dashboard"]).content.decode()
    table = re.search(r'<table class="ranking".*?</table>', content, flags=re.DOTALL)
    assert table is not None
    rows = [
        re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).replace(" ,", ",").strip()
        for row in re.findall(
            r"<tr.*?</tr>",
            re.sub(r"<svg.*?</svg>", "", table[0], flags=re.DOTALL),
            flags=re.DOTALL,
        )
    ]

    assert rows[1:] == [
        "1 A 0.900 Rank 1–2, cluster 1 18 2 0",
        "2 B 0.550 Rank 1–2, cluster 1 10 9 1",
        "3 C 0.050 Rank 3, cluster 2 1 18 1",
    ]
    assert content.count('class="begins-cluster"') == 1
    assert re.findall(r"<svg(?![^>]*aria-hidden=\"true\")", content) == []


def test_names_are_text_whatever_they_hold(
    as_organiser: Client,
    write_test_set: WriteTestSet,
) -> None:
    writer = write_test_set(["<b>A</b>", "B"], name="<script>alert(1)</script>")
    writer.judgment("<i>j</i>", writer.block(1, ["<b>A</b>", "B"]), [1, 2])
    ranking_run_compute(task_id=writer.task.pk)

    content = as_organiser.get(addresses(writer)["dashboard"]).content.decode()

    for raw in ("<script>alert", "<b>A", "<i>j"):
        assert raw not in content
