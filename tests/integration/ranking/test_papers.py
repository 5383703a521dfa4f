"""Tables and figures of Bojar et al. (2011) and Koehn (2012), asked of a campaign as everybody can.

The released judgments are imported, each question is asked over REST, and the answer is compared with what is printed, to
the digits that are printed. Then the same figures are read off the tables of the page. docs/papers.md says of all tables and figures where they are, or why they are not.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from campaign.models import Task
from campaign.services.jobs import jobs_run_waiting
from tests.factories import make_campaign, make_organiser
from tests.page_tables import PageTable, page_tables
from tests.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]

FOLDERS = {"cs-en": "wmt12-cs-en", "es-en": "wmt12-es-en"}
#: Bojar et al. (2011), Table 1: systems, blocks, labels, comparisons, reference ≥ others, κ with oneself and others.
TABLE_1 = {
    "cs-en": (13, 543, 2691, 5375, "0.976", "0.700", "0.504"),
    "es-en": (15, 1140, 5665, 11307, "0.989", "0.693", "0.508"),
}
#: Tables 5 and 10: score against block count, and against the share of blocks beside the reference.
TABLE_5 = {"cs-en": "-0.290", "es-en": "-0.240"}
TABLE_10 = {"cs-en": "-0.041", "es-en": "0.341"}
# The second pair of most tables by `make test-thorough`: its numbers are those of tests/unit/ranking/core, too.
PAIR = pytest.mark.parametrize(
    "pair",
    ["cs-en", pytest.param("es-en", marks=pytest.mark.thorough)],
)
BOTH_PAIRS = pytest.mark.parametrize("pair", TABLE_1)


class Asking:
    """A test set into which released judgments were imported, and questions to it."""

    def __init__(self, client: Client, task: Task) -> None:
        self.client, self.task = client, task

    def ask(self, kind: str, **options: Any) -> dict[str, Any]:
        """Return the answer to a question, as REST gives it."""
        asked = self.client.post(
            f"/api/v1/tasks/{self.task.pk}/analyses/",
            {"kind": kind, "options": options},
            content_type="application/json",
        )
        assert asked.status_code in {200, 202}, asked.json()
        jobs_run_waiting()
        found = self.client.get(asked.json()["address"]).json()
        assert found["state"] == "done", found["error"]
        answer: dict[str, Any] = found["answer"]
        return answer

    def page(self, kind: str, **options: Any) -> str:
        """Return the page of a question that was asked."""
        query = {
            name: {True: "yes", False: "no"}[value]
            if isinstance(value, bool)
            else value
            for name, value in options.items()
        }
        address = reverse(
            "analysis",
            args=[self.task.test_set.campaign.slug, self.task.pk, kind],
            query=query,
        )
        return self.client.get(address, headers={"HX-Request": "true"}).content.decode()

    def tables(self, kind: str, **options: Any) -> dict[str, PageTable]:
        """Return the tables of the report on the page of a question that was asked."""
        found = page_tables(self.page(kind, **options))
        return {table.name.removeprefix(f"{kind}-"): table for table in found}

    def ranked(self, **options: Any) -> PageTable:
        """Return the table of the ranking on the page of one that was asked."""
        return page_tables(self.page("ranking", **options))[0]

    def table_of_campaign(self, kind: str, **options: Any) -> PageTable:
        """Ask for a table over test sets by its page, and return it as it is shown there."""
        address = reverse(
            "campaign-table",
            args=[self.task.test_set.campaign.slug, kind],
        )
        self.client.post(address, options)
        jobs_run_waiting()
        section = self.client.get(address, options, headers={"HX-Request": "true"})
        first, *_others = page_tables(section.content.decode())
        return first


@pytest.fixture(scope="module")
def imported(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    real_data: Path,
) -> Iterator[dict[str, Task]]:
    """Each of the files, imported into a campaign of its own."""
    files = {
        f"wmt10-{pair}": real_data / "wmt10" / f"judgments.{pair}.csv"
        for pair in TABLE_1
    }
    files["wmt12-cs-en"] = real_data / FOLDERS["cs-en"] / "judgments.csv"
    if "thorough" in request.config.option.markexpr:
        files["wmt12-es-en"] = real_data / FOLDERS["es-en"] / "judgments.csv"

    def make() -> dict[str, Task]:
        return {name: task_of(name, path) for name, path in files.items()}

    with shared_rows(django_db_blocker, make) as made:
        yield made


def task_of(name: str, path: Path) -> Task:
    campaign = make_campaign(name)
    call_command(
        "import_answers",
        str(path),
        campaign=name,
        test_set="released",
        create_test_set=True,
        verbosity=0,
    )
    return Task.objects.get(test_set__campaign=campaign)


def asking(client: Client, task: Task) -> Asking:
    client.force_login(make_organiser(task.test_set.campaign))
    return Asking(client, task)


@pytest.fixture
def wmt10(client: Client, imported: dict[str, Task], pair: str) -> Asking:
    return asking(client, imported[f"wmt10-{pair}"])


@pytest.fixture
def wmt12(client: Client, imported: dict[str, Task], pair: str) -> Asking:
    return asking(client, imported[f"wmt12-{pair}"])


def printed(value: float) -> str:
    return f"{value:.3f}"


# --- Bojar et al. (2011) --------------------------------------------------------------------------


@pytest.mark.thorough
@BOTH_PAIRS
def test_table_1(wmt10: Asking, pair: str) -> None:
    agreement = wmt10.ask(
        "agreement",
        chance="uniform",
        reference="include",
        by_length=False,
    )
    diagnosis = wmt10.ask("diagnosis")
    assert TABLE_1[pair] == (
        diagnosis["systems"],
        diagnosis["blocks"] + diagnosis["input"]["skipped"],
        diagnosis["labels"],
        diagnosis["comparisons"],
        printed(diagnosis["geq_others"]["_ref"]),
        printed(agreement["intra"]["kappa"]),
        printed(agreement["inter"]["kappa"]),
    )
    asked = {"chance": "uniform", "reference": "include", "by_length": False}
    shown = wmt10.tables("agreement", **asked)["agreement"]
    assert shown.column("κ") == [TABLE_1[pair][6], TABLE_1[pair][5]]
    assert shown.column("In words")[0] == "moderate"
    shares = wmt10.tables("diagnosis")["systems"].named("≥ others")
    assert shares["Reference"] == TABLE_1[pair][4]
    # The whole row, as it is printed.
    asked = {"chance": "uniform", "skipped_blocks": "count"}
    (row, _average) = wmt10.table_of_campaign("agreement", **asked).rows
    assert row[2:] == [
        f"{each:,}" if isinstance(each, int) else each for each in TABLE_1[pair]
    ]


@pytest.mark.thorough
@BOTH_PAIRS
def test_tables_5_and_10_and_figure_3(wmt10: Asking, pair: str) -> None:
    asked = {"skipped_blocks": "count", "rounded": True}
    diagnosis = wmt10.ask("diagnosis", **asked)
    assert printed(diagnosis["score_by_times_judged"]["pearson"]) == TABLE_5[pair]
    assert printed(diagnosis["score_by_reference"]["pearson"]) == TABLE_10[pair]
    # The figures are on the page: a point for each system, the numbers of each below, and the two correlations, with intervals.
    page = wmt10.page("diagnosis", **asked)
    assert page.count('class="dot"') > 2 * diagnosis["systems"]
    minus = str.maketrans("-", "−")
    times = TABLE_5[pair].translate(minus)
    share = TABLE_10[pair].translate(minus)
    assert f"Correlation of score and times judged: Pearson {times} [" in page
    assert (
        f"Correlation of score and share of blocks with the reference: Pearson {share} ["
        in page
    )
    systems = wmt10.tables("diagnosis", **asked)["systems"]
    # Pages spell out what answers call "_ref".
    assert systems.named("Times judged") == {
        {"_ref": "Reference"}.get(name, name): f"{count:,}"
        for name, count in diagnosis["times_judged"].items()
    }
    assert systems.named("≥ others") == {
        {"_ref": "Reference"}.get(name, name): printed(share)
        for name, share in diagnosis["geq_others"].items()
    }
    # Without the blocks that nobody labelled anything in, the last digits differ where there are any.
    skipped = diagnosis["input"]["skipped"]
    without = wmt10.ask("diagnosis", rounded=True)["score_by_times_judged"]["pearson"]
    assert (printed(without) == TABLE_5[pair]) is (skipped == 0)


# --- Koehn (2012) ---------------------------------------------------------------------------------


def expected_of(real_data: Path, pair: str) -> dict[str, Any]:
    path = real_data / FOLDERS[pair] / "expected.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@PAIR
def test_tables_2_and_3_ranges_and_clusters_of_this_pair(
    wmt12: Asking,
    real_data: Path,
    pair: str,
) -> None:
    """Printed are English–Czech and French–English; the same of the pairs we have, as they were counted."""
    expected = expected_of(real_data, pair)
    asked = {"ranges": "percentile", "resample": "blocks", "resamples": 1000}
    rows = wmt12.ask("ranking", **asked)["rankings"][0]["systems"]
    shown = wmt12.ranked(**asked)
    for heading, field in (
        ("From", "rank_low"),
        ("To", "rank_high"),
        ("Cluster", "cluster"),
    ):
        assert shown.named(heading) == {row["system"]: str(row[field]) for row in rows}
    clusters: dict[int, list[str]] = {}
    for row in rows:
        clusters.setdefault(row["cluster"], []).append(row["system"])
    if pair == "cs-en":
        (published,) = expected["clusters_blocks"]
        assert list(clusters.values()) == published["clusters"]
        for row in rows:
            seen = expected["rank_ranges_blocks"][row["system"]]
            assert seen["lo_seen"][0] <= row["rank_low"] <= seen["lo_seen"][1]
            assert seen["hi_seen"][0] <= row["rank_high"] <= seen["hi_seen"][1]
        return
    counted = expected["bootstrap"]["block_bootstrap"]
    assert list(clusters.values()) == counted["clusters"]
    for row in rows:
        low, high = counted["ranges"][row["system"]]
        assert abs(row["rank_low"] - low) <= 1
        assert abs(row["rank_high"] - high) <= 1
