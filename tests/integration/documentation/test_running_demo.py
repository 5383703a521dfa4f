"""The demo is as its guide describes it, and every command of the documentation runs as it stands beside it.

Commands are run in the folder that the README makes, and by an installed wheel in another folder. A page's blocks are
run in order, each command with exit status 0. What a reader replaces is replaced here, too: addresses, folders, numbers
of tasks, a token, and `./quintet` by the installed `quintet`. Blocks that no test can run say why in a comment before
them.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from annotation.models import Judgment, QualityAction, TrainingBlock
from annotation.protocols.answer_kinds import answer_kinds
from annotation.selectors.designs import reference_uses
from campaign.formats.yaml_tree import read_yaml
from campaign.models import BadReference, Campaign, Judge, Protocol, Task
from config.database_address import database_settings
from launcher.data_directory import read_json
from ranking.models import RankingRun
from ranking.selectors.judges import measures_by_judge
from tests.described_answers import AnswersWalk
from tests.documentation.pages import PAGES, Block, read_page
from tests.documentation.reader import (
    Reader,
    clone_made,
    demo_started,
    wheel_installed,
)
from tests.documentation.world import World
from tests.rest_operations import description
from tests.shared_rows import shared_rows
from tests.walked_pages import broken_links
from whole_campaigns.campaign_file.applying import campaign_file, campaign_file_check

#: Pages whose commands are run in CI; `make test-thorough` runs those of the others, too.
IN_EVERY_RUN = ("README.md", "docs/backups.md", "docs/operators.md", "docs/rest.md")
#: What only a checkout has: the Makefile, and the environment that it makes.
_OF_A_CHECKOUT = re.compile(r"\bmake |\.venv/bin/")


# Expected Wins, wins, losses, ties and rank range over the released judgments of WMT12
# Czech–English: computed apart from this code, with the published order and clusters.
WMT12 = [
    ("onlineB", 0.64541, 2329, 1274, 509, (1, 1), 1),
    ("uedin-wmt12", 0.599657, 2206, 1453, 632, (2, 2), 2),
    ("cu-bojar", 0.529739, 1969, 1733, 554, (3, 4), 3),
    ("onlineA", 0.528591, 1976, 1742, 597, (3, 4), 3),
    ("uk-dan-moses", 0.377908, 1380, 2311, 616, (5, 5), 4),
    ("jhu-heiro", 0.318696, 1161, 2508, 600, (6, 6), 5),
]


def blocks_to_run(page: str) -> list[Block]:
    """Return the blocks of commands and programs of a page that no comment keeps from being run."""
    return [
        block
        for block in read_page(page).blocks
        if (block.is_commands or block.is_program) and not block.marker
    ]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(clone_made, id="checkout"),
        pytest.param(wheel_installed, id="wheel", marks=pytest.mark.thorough),
    ],
)
def reader(request: pytest.FixtureRequest) -> Iterator[Reader]:
    """Somebody who started the demo. Not in pytest's folder: PostgreSQL may not enter it."""
    with tempfile.TemporaryDirectory(prefix="quintet-documentation-") as name:
        above = Path(name).resolve()
        above.chmod(0o711)
        reader = Reader(above, request.param(above))
        with demo_started(reader):
            yield reader


@pytest.fixture
def guide_file(
    reader: Reader,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Path]:
    """Connect to the database of the demo, and undo what the test does there; yield a copy of the guide."""
    services = read_json(reader.home / "services.json")
    monkeypatch.setattr(settings, "SECRET_KEY", services["SECRET_KEY"])
    connection.close()
    for name, value in database_settings(services["DATABASE_URL"]).items():
        monkeypatch.setitem(connection.settings_dict, name, value)
    guide_file = tmp_path / "demo.json"
    shutil.copy2(reader.home / "demo.json", guide_file)
    with shared_rows(django_db_blocker, lambda: guide_file):
        yield guide_file
    connection.close()


def load(path: Path, base_url: str) -> dict[str, Any]:
    call_command("load_demo", base_url=base_url, write=path, verbosity=0)
    guide: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return guide


def slug_of_its_file(campaign: Campaign) -> str:
    """Return the slug in the file of a campaign, which keeps to the schema."""
    tree = read_yaml(campaign.slug, campaign_file(campaign=campaign, people=True))
    campaign_file_check(tree)
    return str(tree.value["slug"])


def test_demo_is_as_its_guide_says(guide_file: Path, client: Client) -> None:
    """One story, which begins before commands change the demo: its campaigns, where its links lead, loading it again."""
    guide = json.loads(guide_file.read_text(encoding="utf-8"))
    base_url = guide["base_url"]

    def local(url: str) -> str:
        return url.removeprefix(base_url)

    assert set(guide) == {
        *(
            "base_url",
            "organiser",
            "newcomers",
            "judges",
            "protocols",
            "api_token",
            "campaign",
            "tasks",
        ),
    }
    assert guide_file.stat().st_mode & 0o077 == 0

    wmt12 = RankingRun.objects.filter(task__test_set__campaign__slug="wmt12").latest()
    found = [
        (
            row["system"],
            round(row["score"], 6),
            row["wins"],
            row["losses"],
            row["ties"],
            (row["rank_low"], row["rank_high"]),
            row["cluster"],
        )
        for row in wmt12.result["systems"]
    ]
    assert found == WMT12
    assert wmt12.result["input"]["comparisons"] == 12775
    assert wmt12.result["input"]["ties"] == 1754
    assert wmt12.result["input"]["judges"] == 45

    museum = Task.objects.get(test_set__name="Museum English–German")
    assert museum.test_set.documents.count() >= 4
    assert museum.test_set.systems.filter(kind="system").count() == 8
    simulated = Judgment.objects.filter(judge__origin=Judge.Origin.SIMULATED)
    assert simulated.count() > 400
    assert Judgment.objects.filter(judge__origin=Judge.Origin.PERSON).count() == 0
    agreement = RankingRun.objects.filter(task=museum).latest().result["agreement"]
    lowest = min(agreement["judges"], key=lambda row: row["p_agree"] - row["p_chance"])
    assert lowest["judge"] == "sim-careless"
    warned = QualityAction.objects.values_list("judge__pseudonym", "action").distinct()
    assert list(warned) == [("sim-careless", "warn")]
    measures = measures_by_judge(task_id=museum.pk)
    assert measures["sim-careful-1"]["bad_reference"]["value"] > 0.8
    assert measures["sim-careless"]["bad_reference"]["value"] < 0.6
    # The reference is shown, so that nobody ranks it; where it is hidden, it shows who reads.
    assert not any("reference" in each for each in measures.values())
    other = Task.objects.get(test_set__campaign__slug="museum-hidden")
    hidden = measures_by_judge(task_id=other.pk)
    assert hidden["sim-careful-1"]["reference"]["value"] > 0.8
    assert hidden["sim-careless"]["reference"]["value"] < 0.6
    both_shown_and_ranked = [
        use
        for campaign in Campaign.objects.filter(show_reference=True)
        for use in reference_uses(tasks=Task.objects.of(campaign).all())
        if use.is_ranked
    ]
    assert Campaign.objects.count() == 4
    assert all(slug_of_its_file(each) == each.slug for each in Campaign.objects.all())
    assert both_shown_and_ranked == []
    damaged = BadReference.objects.of(museum.test_set_id)
    assert {row.status for row in damaged} == {"approved", "pending"}
    assert (
        not TrainingBlock.objects.exists()
    )  # whoever opens a judge's link judges at once

    assert (
        client.post(local(guide["organiser"]["url"]), follow=True)
        .redirect_chain[0][0]
        .startswith(f"/campaigns/{guide['campaign']}/")
    )
    for judge in guide["judges"]:
        browser = Client()
        assert browser.post(local(judge["url"])).headers["Location"] == "/judge/museum/"
        assert browser.get("/judge/museum/").status_code == 200
        lent = browser.post(
            "/api/v1/judging/assignments/",
            {},
            content_type="application/json",
        )
        assert len(lent.json()["blocks"]) == 3

    assert [each["protocol"] for each in guide["protocols"]] == [
        *(kind.protocol for kind in answer_kinds()),
        Protocol.SPANS,
        Protocol.RATING,
        Protocol.SPANS,
        Protocol.RATING,
    ]
    *_single, side_by_side, criteria, mqm, sound = guide["protocols"]
    assert "Read aloud" in sound["name"]
    assert (
        side_by_side["name"]
        == "Error spans and scores (ESA) (English–Arabic, side by side)"
    )
    for each in guide["protocols"]:
        names = {sound["name"]: "Read aloud", mqm["name"]: "English–Arabic, MQM"}
        for few in (side_by_side, criteria):
            names[few["name"]] = "English–Arabic, side by side"
        name = names.get(each["name"], "English–German, in every way")
        task = Task.objects.get(
            test_set__campaign__slug="museum-protocols",
            test_set__name=name,
            protocol=each["protocol"],
        )
        # Each judge meets the twelve Arabic or spoken sentences once.
        least = 36 if each["name"] in names else 40
        assert Judgment.objects.filter(task=task).count() >= least, each["protocol"]
        browser = Client()
        assert (
            browser.post(local(each["url"])).headers["Location"]
            == "/judge/museum-protocols/"
        )
        lent = browser.post(
            "/api/v1/judging/assignments/",
            {},
            content_type="application/json",
        )
        assert lent.json()["protocol"] == each["protocol"]
        if each is criteria:
            assert [every["key"] for every in lent.json()["rules"]["criteria"]] == [
                "adequacy",
                "fluency",
            ]
            assert {len(block["candidates"]) for block in lent.json()["blocks"]} == {2}
        if each is mqm:
            assert lent.json()["rules"]["categories"]
            assert not lent.json()["rules"]["scored"]
        if each is sound:
            [candidate] = lent.json()["blocks"][0]["candidates"]
            assert candidate["media"][0]["kind"] == "audio"
        if each is side_by_side:
            assert {len(block["candidates"]) for block in lent.json()["blocks"]} == {3}
        address = reverse("test-set-dashboard", args=["museum-protocols", task.pk])
        page = client.get(address).content.decode()
        assert "No ranking yet" not in page, each["protocol"]
        assert "<tbody" in page.partition('id="headline"')[2]

    walk = AnswersWalk(client, description())
    assert walk.differences == []
    assert len(walk.answered) > 50

    newcomer = Client()
    newcomer.get(local(guide["newcomers"]["url"]))
    reads = {"language": ["en", "ar"]}
    came = newcomer.post(local(guide["newcomers"]["url"]), reads, follow=True)
    assert came.redirect_chain[-1][0] == "/judge/museum/instructions/"
    assert 'hreflang="ar"' in came.content.decode()

    judgments, runs = Judgment.objects.count(), RankingRun.objects.count()
    again = load(guide_file, "http://demo.example.org")
    assert (Judgment.objects.count(), RankingRun.objects.count()) == (judgments, runs)
    assert again["organiser"]["password"] == guide["organiser"]["password"]
    assert again["judges"][0]["url"] == guide["judges"][0]["url"].replace(
        base_url,
        "http://demo.example.org",
    )

    guide_file.unlink()
    renewed = load(guide_file, base_url)
    assert renewed["judges"][0]["url"] != guide["judges"][0]["url"]
    assert Client().get(local(guide["judges"][0]["url"])).status_code == 404


@pytest.mark.thorough
def test_links_between_pages_of_the_demo_lead_somewhere(
    guide_file: Path,
    client: Client,
) -> None:
    guide = json.loads(guide_file.read_text(encoding="utf-8"))
    link = guide["organiser"]["url"].removeprefix(guide["base_url"])
    client.post(link, follow=True)
    assert broken_links(client, "/campaigns/museum-protocols/") == {}


@dataclass(frozen=True)
class Started:
    """A reader whose demo runs, and what it has."""

    reader: Reader
    world: World

    def run(self, block: Block) -> None:
        """Run a block of a page, unless it is about a checkout and this is none."""
        if (
            _OF_A_CHECKOUT.search(block.text)
            and not self.reader.installation.is_checkout
        ):
            return
        if block.is_program:
            self.reader.run_program(block.text, self._replaced(block))
            return
        for command in block.commands:
            self.reader.run(command, self._replaced(block))

    def _replaced(self, block: Block) -> dict[str, str]:
        """Return what stands for examples; a command may need what the one before it has made."""
        return {**self.reader.replaced(), **self.world.replaced(block)}


@pytest.fixture(scope="module")
def started(reader: Reader) -> Started:
    """The reader, with the campaign that the pages assume."""
    return Started(reader, World(reader.run, reader.address))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[] if page in IN_EVERY_RUN else [pytest.mark.thorough])
        for page in PAGES
        if blocks_to_run(page)
    ],
)
def test_commands_of_a_page_run(started: Started, page: str) -> None:
    for block in blocks_to_run(page):
        started.run(block)
