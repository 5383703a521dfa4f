"""Campaigns with all that a file may say."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.quality import quality_rules_suggest
from annotation.services.training import training_propose
from campaign.models import BadReference, Campaign, System, User
from campaign.services.bad_references import bad_reference_review, bad_references_make
from campaign.services.campaigns import campaign_change
from campaign.services.instructions import instructions_write
from campaign.services.invitations import invitation_create_for_anybody
from campaign.services.judge_groups import (
    judge_group_create,
    judge_groups_set,
)
from campaign.services.judges import (
    conflict_declare,
)
from campaign.services.panels import panel_create
from ranking.services.ranking_settings import ranking_settings_change, stopping_rule_set
from tests.factories import make_campaign, make_judge, make_organiser, make_task

MUSEUM = Path(__file__).parents[3] / "demo/museum"

#: A small campaign whose texts are the first sentences of the museum.
NEW = """\
version: 1
slug: tour
name: A tour
lease_minutes: 45
instructions:
  - language: en
    text: |
      Read both.

      Then rank.
test_sets:
  - name: en-de
    texts:
      files: [texts/en-de.tsv]
    source_language: en
    target_language: de
    blocks_wanted: 90
    systems:
      - name: amber
        team: Ours
    design:
      kind: balanced
      seed: 7
    ranking_settings:
      confidence: 0.9
quality_rules:
  - measure: seconds
    direction: below
    threshold: 5
    minimum: 30
    action: warn
judges:
  - pseudonym: Ada
    languages: [de, en]
    conflicts: [{system: birch}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With texts for the file, which stands beside them."""
    (tmp_path / "texts").mkdir()
    lines = (MUSEUM / "en-de.tsv").read_text().splitlines()[:13]
    (tmp_path / "texts/en-de.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "campaign.yaml").write_text(NEW)
    return tmp_path


@pytest.fixture
def user() -> User:
    return User.objects.create_user(
        name="Petra",
        email="petra@example.org",
        is_staff=True,
    )


@pytest.fixture
def campaign() -> Campaign:
    """Made by hand, in every part that a file says."""
    campaign = make_campaign(pay="€15 an hour: “fair”", blocks_per_judge=30)
    user = make_organiser(campaign)
    campaign_change(campaign=campaign, contact="olga@example.org", lease_minutes=17)
    task = make_task(campaign, planned=0, expertise=["law", "no"])
    bad_references_make(test_set=task.test_set, seed=2**127 + 5)
    damaged = BadReference.objects.in_order()
    for row in damaged[:4]:
        bad_reference_review(bad_reference=row, approve=True, reviewer=user)
    bad_reference_review(bad_reference=damaged[4], approve=False, reviewer=user)
    training_propose(task=task, count=2)
    design_change(
        task=task,
        changed_by=user,
        kind="balanced",
        seed=2**127 + 1,
        reference_rate=0.25,
        bad_reference_rate=0.4,
        length_limits=[[30, 3]],
        inter_share=0.1,
        documents=[1, 2],
        rank_shown_reference=True,
    )
    hits_plan(task_id=task.pk, count=12)
    make_task(campaign, name="Zweites: no", with_reference=False, planned=0)
    System.objects.filter(name="cobalt").update(
        team="No",
        constrained=True,
        contact="c@c.org",
    )
    for language, text in (("en", "Rank.\n\nTwo  \nlines."), ("de", "Ordne.")):
        instructions_write(
            campaign=campaign,
            language=language,
            text=text,
            demands_acceptance=False,
            user=user,
        )
    experts = judge_group_create(campaign=campaign, name="Experts: no", blocks_asked=12)
    design_change(task=task, judge_group=experts)
    ranking_settings_change(
        task=task,
        confidence=0.9,
        judge_group=experts,
        method="bojar",
        reason="As in: 2012",
        changed_by=user,
    )
    stopping_rule_set(
        task=task,
        pairs_share=0.9,
        judgments=3000,
        until=date(2999, 12, 12),
        reason="Money: ends",
        changed_by=user,
    )
    quality_rules_suggest(campaign=campaign, user=user)
    panel_create(
        campaign=campaign,
        kind="prolific",
        user=user,
        name="P",
        blocks_asked=10,
        minutes_allowed=40,
    )
    links: list[tuple[str, dict[str, Any]]] = [
        ("Poster: no", {"languages": ["de"], "asks_languages": True}),
        ("", {}),
        ("", {"expires_at": datetime(2999, 5, 1, 18, tzinfo=UTC)}),
    ]
    for note, more in links:
        invitation_create_for_anybody(
            campaign=campaign,
            cap=7,
            note=note,
            created_by=user,
            **more,
        )
    judge = make_judge(campaign, "Ada", languages=["de", "en"], expertise=["law"])
    judge_groups_set(judge=judge, groups=[experts])
    conflict_declare(
        judge=judge,
        system=System.objects.filter(name="dune").order_by("pk")[0],
    )
    campaign.refresh_from_db()
    return campaign
