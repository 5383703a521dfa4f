"""Test sets without a ranking in the file of a campaign, such as those of one system."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.selectors.task_rules import task_rules
from campaign.formats import FormatError
from campaign.models import Campaign, Protocol, Task
from tests.factories import make_server_organiser
from whole_campaigns.campaign_file.applying import (
    Applied,
    campaign_file,
    campaign_file_apply,
)
from whole_campaigns.campaign_file.parts import TextFolders

pytestmark = pytest.mark.django_db

CAMPAIGN = "slug: voices\nname: Voices\n"
TALKS = """\
test_sets:
  - name: talks
    protocol: rating
    texts:
      files: [talks.jsonl]
    source_language: en
    target_language: de
    blocks_wanted: 40
    rules:
      raters: 3
"""


@pytest.fixture(autouse=True)
def _owner() -> None:
    """Own the campaigns of files that are applied without a user."""
    make_server_organiser()


def apply(text: str, folder: Path | None = None) -> Applied:
    folders = None
    if folder is not None:
        folders = TextFolders.of(folder / "campaign.yaml")
    return campaign_file_apply(
        name="campaign.yaml",
        content=text.encode(),
        by=None,
        folders=folders,
    )


def texts_write(folder: Path, *systems: str) -> Path:
    lines = []
    for number in range(8):
        outputs = {system: f"Output {number} of {system}." for system in systems}
        segment = {
            "document": f"talk {number // 4}",
            "source": f"Source {number}.",
            "outputs": outputs,
        }
        lines.append(json.dumps(segment) + "\n")
    (folder / "talks.jsonl").write_text("".join(lines))
    return folder


@pytest.fixture
def one_system(tmp_path: Path) -> Path:
    return texts_write(tmp_path, "voice")


@pytest.fixture
def two_systems(tmp_path: Path) -> Path:
    return texts_write(tmp_path, "amber", "birch")


def protocols() -> list[str]:
    tasks = Task.objects.filter(test_set__campaign__slug="voices")
    return list(tasks.order_by("pk").values_list("protocol", flat=True))


def test_file_creates_a_test_set_of_one_system(one_system: Path) -> None:
    apply(CAMPAIGN + TALKS, one_system)
    task = Task.objects.get()
    assert task.protocol == Protocol.RATING
    assert task.blocks_wanted == 40
    assert task_rules(task)["raters"] == 3
    assert [system.name for system in task.test_set.systems.all()] == ["voice"]
    assert apply(CAMPAIGN + TALKS, one_system).changes == []
    changed = apply(CAMPAIGN + TALKS.replace("40", "50") + "    closed: true\n")
    assert [change.words for change in changed.changes] == [
        "− test_sets › talks › closed: false → true",
        "~ test_sets › talks › blocks_wanted: 40 → 50",
    ]


def test_written_file_makes_the_same_campaign_again(
    one_system: Path,
    tmp_path: Path,
) -> None:
    apply(CAMPAIGN + TALKS + "    segments_again: true\n", one_system)
    written = tmp_path / "written"
    call_command("campaign_file", "voices", folder=written, people=True)
    content = (written / "campaign.yaml").read_bytes()
    assert b"name: talks\n    protocol: rating\n" in content
    assert b"segments_again: true" in content
    Campaign.objects.filter(slug="voices").update(slug="original")
    call_command(
        "apply_campaign",
        str(written / "campaign.yaml"),
        yes=True,
        verbosity=0,
    )
    again = Campaign.objects.get(slug="voices")
    assert campaign_file(campaign=again, people=True) == content


def test_one_system_is_refused_where_outputs_are_compared(one_system: Path) -> None:
    for protocol in ("ranking", "two_outputs"):
        with pytest.raises(FormatError, match="there is only one system, voice"):
            apply(CAMPAIGN + TALKS.replace("rating", protocol), one_system)
    with pytest.raises(FormatError, match="only one system, voice"):
        apply(CAMPAIGN + TALKS.replace("    protocol: rating\n", ""), one_system)
    added = "    tasks:\n      - protocol: two_outputs\n"
    with pytest.raises(FormatError, match="this protocol compares outputs"):
        apply(CAMPAIGN + TALKS + added, one_system)
    assert not Campaign.objects.filter(slug="voices").exists()


def test_unknown_protocol_is_refused_with_the_known_ones(one_system: Path) -> None:
    with pytest.raises(FormatError, match="choose one of: ranking") as refused:
        apply(CAMPAIGN + TALKS.replace("rating", "rting"), one_system)
    assert refused.value.field == "test_sets.talks.protocol"


def test_file_of_a_test_set_names_its_task_and_adds_others(two_systems: Path) -> None:
    apply(CAMPAIGN + TALKS, two_systems)
    # Without the protocol, keys are those of the only task.
    apply(f"{CAMPAIGN}test_sets:\n  - name: talks\n    blocks_wanted: 60\n")
    assert Task.objects.get().blocks_wanted == 60
    with_spans = TALKS + "    tasks:\n      - protocol: spans\n"
    apply(CAMPAIGN + with_spans.replace("40", "60"))
    assert protocols() == ["rating", "spans"]
    # A ranking represents its test set, as if it had been there from the beginning.
    ranked = f"{CAMPAIGN}test_sets:\n  - name: talks\n    protocol: ranking\n"
    assert [change.words for change in apply(ranked).changes] != []
    assert protocols() == ["rating", "spans", "ranking"]
    assert apply(ranked).changes == []
    written = campaign_file(campaign=Campaign.objects.get(slug="voices"))
    assert b"name: talks\n    protocol" not in written
    assert written.count(b"protocol: ") == 2
    # Earlier files, which name the rating, still change it.
    apply(CAMPAIGN + TALKS.replace("40", "70"))
    assert Task.objects.get(protocol=Protocol.RATING).blocks_wanted == 70


def test_rule_of_a_test_set_without_ranking_comes_back(one_system: Path) -> None:
    apply(CAMPAIGN + TALKS, one_system)
    rule = (
        "quality_rules:\n  - {measure: seconds, direction: below, threshold: 2, "
        "minimum: 30, action: warn, test_set: talks, protocol: rating}\n"
    )
    apply(CAMPAIGN + rule)
    written = campaign_file(campaign=Campaign.objects.get(slug="voices")).decode()
    assert apply(written).changes == []
    assert "test_set: talks\n    protocol: rating" in written
