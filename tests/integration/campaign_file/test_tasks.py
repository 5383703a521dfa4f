"""Tasks beside the ranking of a test set in the file of a campaign."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import QualityRule
from annotation.selectors.designs import design_in_force
from annotation.services.planning.designs import design_change
from annotation.services.quality import RuleTerms, quality_rule_add
from campaign.formats import FormatError
from campaign.models import Campaign, Protocol, Task, User
from campaign.services.campaigns import task_create
from ranking.models import RankingSettings
from ranking.services.ranking_settings import ranking_settings_change
from whole_campaigns.campaign_file.applying import (
    Applied,
    campaign_file,
    campaign_file_apply,
)

pytestmark = pytest.mark.django_db

MUSEUM = "slug: museum\nname: Museum\n"
ADDED = f"""\
{MUSEUM}test_sets:
  - name: museum en-de
    tasks:
      - protocol: two_outputs
        blocks_wanted: 40
        design:
          kind: balanced
          systems_per_block: 2
          seed: 9
"""


def apply(text: str, user: User | None = None) -> Applied:
    return campaign_file_apply(name="c.yaml", content=text.encode(), by=user)


def words(applied: Applied) -> list[str]:
    return [change.words for change in applied.changes]


def of_two_outputs(campaign: Campaign) -> Task:
    return Task.objects.of(campaign).get(protocol=Protocol.TWO_OUTPUTS)


@pytest.mark.thorough
def test_a_file_chooses_systems_and_whether_segments_come_again(
    campaign: Campaign,
) -> None:
    text = ADDED.replace("seed: 9", "seed: 9\n          systems: [dune, amber, dune]")
    text = text.replace(
        "blocks_wanted: 40",
        "blocks_wanted: 40\n        segments_again: true",
    )
    apply(text)
    task = of_two_outputs(campaign)
    design = design_in_force(task_id=task.pk)
    assert design is not None
    assert (task.segments_again, design.systems) == (True, ["amber", "dune"])
    assert words(apply(text)) == []
    said = campaign_file(campaign=campaign).decode()
    assert "segments_again: true" in said
    with pytest.raises(FormatError, match="granite"):
        apply(text.replace("dune", "granite"))


@pytest.mark.thorough
def test_a_file_adds_a_task_once_and_changes_it(campaign: Campaign) -> None:
    apply(ADDED)
    task = of_two_outputs(campaign)
    design = design_in_force(task_id=task.pk)
    assert design is not None
    assert (task.blocks_wanted, design.kind, design.seed) == (40, "balanced", 9)
    assert words(apply(ADDED)) == []
    changed = apply(
        ADDED.replace("blocks_wanted: 40", "blocks_wanted: 50\n        closed: true"),
    )
    assert words(changed) == [
        "− test_sets › museum en-de › tasks › two_outputs › closed: false → true",
        "~ test_sets › museum en-de › tasks › two_outputs › blocks_wanted: 40 → 50",
    ]
    task.refresh_from_db()
    assert task.closed_at is not None
    # What the file does not name stays.
    assert words(apply(f"{MUSEUM}test_sets:\n  - name: museum en-de\n")) == []
    assert of_two_outputs(campaign) == task


@pytest.mark.thorough
def test_the_file_makes_tasks_designs_and_rules_again(
    campaign: Campaign,
    user: User,
    tmp_path: Path,
) -> None:
    ranking = Task.objects.of(campaign).get(test_set__name="museum en-de")
    task = task_create(
        test_set=ranking.test_set,
        protocol="two_outputs",
        by=None,
        blocks_wanted=8,
    )
    design_change(task=task, kind="balanced", systems_per_block=2, seed=2**127 + 9)
    ranking_settings_change(task=task, confidence=0.8, reason="Pairs.", changed_by=user)
    terms = RuleTerms(
        measure="seconds",
        direction="below",
        threshold=2.0,
        minimum=30,
        action="warn",
        task=task,
    )
    quality_rule_add(campaign=campaign, terms=terms, user=user)
    call_command("campaign_file", "museum", folder=tmp_path, people=True)
    content = (tmp_path / "campaign.yaml").read_bytes()
    assert content.count(b"protocol: two_outputs") == 2
    assert len(list((tmp_path / "texts").iterdir())) == 2
    Campaign.objects.filter(pk=campaign.pk).update(slug="original")

    call_command(
        "apply_campaign",
        str(tmp_path / "campaign.yaml"),
        yes=True,
        by=user.email,
        verbosity=0,
    )

    again = Campaign.objects.get(slug="museum")
    assert campaign_file(campaign=again, people=True) == content
    made = of_two_outputs(again)
    design = design_in_force(task_id=made.pk)
    assert design is not None
    assert (made.blocks_wanted, design.seed) == (8, 2**127 + 9)
    assert RankingSettings.objects.filter(task=made).latest("pk").confidence == 0.8
    assert QualityRule.objects.get(task=made).threshold == 2.0
