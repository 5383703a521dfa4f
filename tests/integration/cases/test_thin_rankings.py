"""A ranking of one block, of groups that nothing compares, and of ties alone: right at every door."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from ranking.models import PublishedResult
from ranking.services.runs import ranking_run_compute
from tests.factories import make_campaign, make_organiser
from tests.integration.publishing.bundled import bundled, said
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import TestSetWriter
from tests.some_now import some_now

pytestmark = pytest.mark.django_db

NOT_YET = "not estimable yet (Effective blocks: 1 of 10)."


@pytest.fixture
def one_block() -> TestSetWriter:
    """Five systems in one judged block."""
    return ranked({("A", "B", "C", "D", "E"): [1, 2, 3, 4, 5]}, segments=1, judges=1)


@pytest.fixture
def disconnected() -> TestSetWriter:
    """A before B before C, and D before E: no block has systems of both groups."""
    return ranked(
        {("A", "B", "C"): [1, 2, 3], ("D", "E"): [1, 2]},
        segments=10,
        judges=2,
    )


@pytest.fixture
def all_ties() -> TestSetWriter:
    """Five systems that are always equal."""
    return ranked({("A", "B", "C", "D", "E"): [1, 1, 1, 1, 1]}, segments=10, judges=2)


def ranked(
    labels: dict[tuple[str, ...], list[int]],
    *,
    segments: int,
    judges: int,
) -> TestSetWriter:
    writer = TestSetWriter(make_campaign("thin"), "news", sorted(sum(labels, ())))
    with writer.at_once():
        for segment in range(1, segments + 1):
            for systems, ranks in labels.items():
                block = writer.block(segment, systems)
                for judge in range(judges):
                    writer.judgment(f"j{judge}", block, ranks)
    assert ranking_run_compute(task_id=writer.task.pk) is not None
    return writer


@pytest.fixture
def organiser_of(client: Client) -> Any:
    def sign_in(writer: TestSetWriter) -> Client:
        client.force_login(make_organiser(writer.campaign))
        return client

    return sign_in


# --- The dashboard ------------------------------------------------------------------------------


def tables_of(page: str, name: str) -> list[list[str]]:
    """Return the rows of each ranking on a page, as words."""
    tables = re.findall(rf'<table class="{name}".*?</table>', page, flags=re.DOTALL)
    return [
        [
            re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip()
            for row in re.findall(
                r"<tr.*?</tr>",
                re.sub(r"<svg.*?</svg>", "", table, flags=re.DOTALL),
                re.DOTALL,
            )[1:]
        ]
        for table in tables
    ]


def test_the_dashboard_of_one_block_says_what_is_missing_once(
    one_block: TestSetWriter,
    organiser_of: Any,
) -> None:
    page = organiser_of(one_block).get(addresses(one_block)["dashboard"])
    assert text_of(page).count(NOT_YET) == 1
    assert "cluster 1" not in text_of(page)
    assert 'class="range"' not in page.content.decode()


def test_the_dashboard_lists_systems_that_are_always_equal_as_tied(
    all_ties: TestSetWriter,
    organiser_of: Any,
) -> None:
    page = organiser_of(all_ties).get(addresses(all_ties)["dashboard"])
    (rows,) = tables_of(page.content.decode(), "ranking")
    assert [row.split()[:3] for row in rows] == [
        ["1–5,", "tied", name] for name in "ABCDE"
    ]
    assert "All 5 systems are tied" in text_of(page)
    assert "κ is undefined: all shared comparisons are ties." in text_of(page)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["one_block", "disconnected", "all_ties"])
def test_pages_about_a_system_are_shown(
    name: str,
    request: pytest.FixtureRequest,
    organiser_of: Any,
) -> None:
    writer = request.getfixturevalue(name)
    client = organiser_of(writer)
    for system in writer.task.test_set.systems.all():
        page = client.get(
            reverse(
                "system-results",
                args=[writer.campaign.slug, writer.task.pk, system.pk],
            ),
        )
        assert page.status_code == 200
        said = text_of(page)
        assert "None" not in said
        assert ("Effective blocks: 1 of 10" in said) == (name == "one_block")
        assert ("tied for ranks 1–5" in said) == (name == "all_ties")
        assert ("Ranked only against" in said) == (name == "disconnected")
    if name == "disconnected":
        assert "Ranked only against D:" in said


# --- REST ---------------------------------------------------------------------------------------


def latest(writer: TestSetWriter, client: Client) -> dict[str, Any]:
    answer = client.get(f"/api/v1/tasks/{writer.task.pk}/rankings/latest/")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_rest_has_no_range_cluster_or_p_value_of_one_block(
    one_block: TestSetWriter,
    organiser_of: Any,
) -> None:
    found = latest(one_block, organiser_of(one_block))
    for row in found["systems"]:
        assert [row[name] for name in ("rank_low", "rank_high", "cluster")] == [
            None,
        ] * 3
        assert row["shortage"] == {"unit": "blocks", "found": 1.0, "needed": 10}
    assert {pair["p_value"] for pair in found["pairs"]} == {None}
    assert not any(pair["significant"] for pair in found["pairs"])


# --- Published results and bundles --------------------------------------------------------------


def files_of(result: PublishedResult, client: Client) -> dict[str, str]:
    names = ("ranking.csv", "ranking.md", "ranking.tex", "ranking.svg", "pairs.csv")
    found = {}
    for name in names:
        answer = client.get(reverse("published-file", args=[result.address, name]))
        assert answer.status_code == 200
        found[name] = b"".join(answer).decode()
    return found


@pytest.mark.parametrize("name", ["one_block", "disconnected", "all_ties"])
def test_published_files_and_pages_of_thin_rankings(
    name: str,
    request: pytest.FixtureRequest,
    client: Client,
) -> None:
    writer = request.getfixturevalue(name)
    result, _zipped = bundled(writer.task)
    files = files_of(result, client)
    page = client.get(reverse("published-result", args=[result.address]))
    embedded = client.get(reverse("published-embed", args=[result.address]))
    image = client.get(reverse("published-file", args=[result.address, "ranking.png"]))
    assert {each.status_code for each in (page, embedded, image)} == {200}
    rows = list(csv.DictReader(io.StringIO(files["ranking.csv"])))
    tables = tables_of(page.content.decode(), "ranking")
    circles = len(ET.fromstring(files["ranking.svg"]).findall(".//{*}circle"))
    assert circles == 5
    for text in (*files.values(), text_of(page), text_of(embedded)):
        assert "None" not in text
    if name == "one_block":
        assert {
            row["rank_low"] + row["rank_high"] + row["cluster"] for row in rows
        } == {""}
        assert text_of(page).count(NOT_YET) == text_of(embedded).count(NOT_YET) == 1
        assert (
            files["ranking.md"].count(NOT_YET)
            == files["ranking.tex"].count(NOT_YET)
            == 1
        )
        assert result.content["finding"]["clusters"] is None
    elif name == "disconnected":
        assert [row["group"] for row in rows] == ["1", "1", "1", "2", "2"]
        assert [len(each) for each in tables] == [3, 2]
        assert files["ranking.md"].count("not compared with other groups") == 2
        assert result.content["finding"]["first"] == []
    else:
        assert {(row["rank"], row["last_rank"]) for row in rows} == {("1", "5")}
        assert all(row.split()[1:3] == ["1–5,", "tied"] for row in tables[0])
        assert files["ranking.md"].count("1–5, tied") == 5


@pytest.mark.parametrize("name", ["one_block", "disconnected", "all_ties"])
def test_bundles_of_thin_rankings_are_reproduced(
    name: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    writer = request.getfixturevalue(name)
    _result, zipped = bundled(writer.task)
    path = tmp_path / "bundle.zip"
    path.write_bytes(zipped)
    status, found = said(path)
    assert (status, found["is_same"], found["differences"]) == (0, True, [])
    out = io.StringIO()
    call_command("reproduce", str(path), stdout=out)
    assert "None" not in out.getvalue()
    assert out.getvalue().count("1–5, tied") == (5 if name == "all_ties" else 0)
    assert out.getvalue().count("group 2: not compared") == (
        1 if name == "disconnected" else 0
    )
    assert out.getvalue().count("Effective blocks: 1 of 10") == (
        1 if name == "one_block" else 0
    )


# --- Analyses -----------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("name", some_now(["one_block", "disconnected", "all_ties"]))
@pytest.mark.parametrize(
    "kind",
    [
        "ranking",
        "pairs",
        "methods",
        "without",
        "firmness",
        "diagnosis",
        "stopping",
        "beside",
    ],
)
def test_analyses_of_thin_rankings_are_told(
    name: str,
    kind: str,
    request: pytest.FixtureRequest,
) -> None:
    writer = request.getfixturevalue(name)

    def told(form: str) -> str:
        out = io.StringIO()
        call_command(
            "analyse",
            kind,
            campaign=writer.campaign.slug,
            test_set="news",
            format=form,
            stdout=out,
        )
        return out.getvalue()

    if (kind, name) == ("firmness", "disconnected"):
        with pytest.raises(CommandError, match="no overall first place"):
            told("json")
        return
    data, text = json.loads(told("json")), told("text")
    assert "None" not in text
    if kind == "ranking":
        assert len(data["rankings"][0]["systems"]) == 5
    if kind == "methods":
        assert text.count("Ranks") == 1 + (name == "disconnected")
    if kind == "pairs" and name != "one_block":
        tested = {
            (pair["system"], pair["other"])
            for pair in data["pairs"]
            if pair["p_value"] is not None
        }
        assert len(tested) == (4 if name == "disconnected" else 10)
    if kind == "pairs" and name == "one_block":
        assert {pair["p_value"] for pair in data["pairs"]} == {None}
