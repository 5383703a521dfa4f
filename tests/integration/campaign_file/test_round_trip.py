"""The file of a campaign makes that campaign again: the same bytes, the same HITs; and says no secret."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from annotation.models import HIT
from annotation.sampling.plans import HITPlan
from annotation.selectors.hits import plans_read
from annotation.services.planning.pool import hits_plan
from campaign.formats.yaml_tree import read_yaml
from campaign.models import Campaign, Invitation, Output, Panel, Task, User
from campaign.services.judges import judge_link_create
from tests.factories import empty_task
from tests.integration.constraints.rules import models_of_the_project
from whole_campaigns.campaign_file.applying import campaign_file, campaign_file_apply
from whole_campaigns.campaign_file.parts import TextFolders

pytestmark = pytest.mark.django_db


def drawn(campaign: Campaign) -> dict[str, list[HITPlan]]:
    """Return the HITs of each test set: what they show, by names of systems and numbers of segments."""
    outputs = Output.objects.filter(system__test_set__campaign=campaign)
    names = dict(outputs.values_list("pk", "system__name"))
    return {
        task.test_set.name: [_named(plan, names) for plan in _plans(task)]
        for task in Task.objects.filter(test_set__campaign=campaign)
    }


def _plans(task: Task) -> list[HITPlan]:
    hits = HIT.objects.filter(task=task)
    return sorted(
        plans_read(list(hits.values_list("pk", flat=True))).values(),
        key=_number,
    )


def _number(plan: HITPlan) -> int:
    return plan.number


def _named(plan: HITPlan, names: dict[int, str]) -> Any:
    return (
        plan.number,
        plan.why,
        [
            replace(
                block,
                candidates=[[names[pk] for pk in each] for each in block.candidates],  # type: ignore[arg-type]
            )
            for block in plan.blocks
        ],
    )


def rows() -> dict[str, list[Any]]:
    """Return where each row of the database stands: any write moves it."""
    found = {}
    with connection.cursor() as cursor:
        for model in models_of_the_project():
            table = connection.ops.quote_name(model._meta.db_table)
            cursor.execute(f"SELECT ctid::text, xmin::text FROM {table} ORDER BY ctid")
            found[table] = cursor.fetchall()
    return found


@pytest.mark.thorough
def test_the_file_makes_the_campaign_again(
    campaign: Campaign,
    user: User,
    tmp_path: Path,
) -> None:
    call_command("campaign_file", "museum", folder=tmp_path, people=True)
    content = (tmp_path / "campaign.yaml").read_bytes()
    assert content == campaign_file(campaign=campaign, people=True)
    original = drawn(campaign)
    assert len(original["museum en-de"]) == 12
    assert "_badref" in str(original["museum en-de"])
    Campaign.objects.filter(pk=campaign.pk).update(slug="original")

    call_command(
        "apply_campaign",
        str(tmp_path / "campaign.yaml"),
        yes=True,
        by=user.email,
        verbosity=0,
    )

    again = Campaign.objects.get(slug="museum")
    assert again.state == "draft"
    assert campaign_file(campaign=again, people=True) == content
    hits_plan(
        task_id=Task.objects.of(again).get(test_set__name="museum en-de").pk,
        count=12,
    )
    assert drawn(again) == original
    assert [each.user for each in again.memberships.all()] == [user]


@pytest.mark.thorough
def test_the_same_file_again_changes_no_row(
    campaign: Campaign,
    user: User,
    tmp_path: Path,
) -> None:
    call_command("campaign_file", "museum", folder=tmp_path, people=True)
    content = (tmp_path / "campaign.yaml").read_bytes()
    before = rows()
    applied = campaign_file_apply(
        name="c",
        content=content,
        by=user,
        folders=TextFolders.of(tmp_path / "campaign.yaml"),
    )
    assert (applied.changes, applied.notes) == ([], [])
    assert rows() == before


def test_file_has_no_secrets_and_no_people(campaign: Campaign) -> None:
    judge_link_create(judge=campaign.judges.get())
    text = campaign_file(campaign=campaign).decode()
    panel = Panel.objects.get()
    secrets = [
        panel.key,
        panel.events_key,
        panel.completion_code,
        panel.screened_out_code,
    ]
    for secret in [
        *secrets,
        Invitation.objects.get(user__isnull=False).token_hash.hex(),
    ]:
        assert secret not in text
    for person in ("olga@example.org", "c@c.org", "Ada", "Olga"):
        assert person not in text
    assert "Ada" in campaign_file(campaign=campaign, people=True).decode()
    assert "olga@example.org" in campaign_file(campaign=campaign, people=True).decode()


def test_texts_of_imported_judgments_are_not_named(campaign: Campaign) -> None:
    empty_task(
        campaign=campaign,
        name="imported",
        source_language="cs",
        target_language="en",
    )
    said = read_yaml("c", campaign_file(campaign=campaign)).value["test_sets"]
    assert [each.get("texts", {}).get("files") for each in said] == [
        ["texts/1-museum-en-de.jsonl"],
        ["texts/2-zweites-no.jsonl"],
        None,
    ]


#: Keys as version 0.2 wrote them: the kind of each system, times with an offset, no key for a reference that is not ranked.
EARLIER = """\
version: 1
slug: museum
name: Museum
test_sets:
  - name: museum en-de
    expertise: [law, 'no']
    systems:
      - {name: _ref, kind: reference, constrained: null, approach: '', withdrawn: false}
    design:
      kind: balanced
      seed: 170141183460469231731687303715884105729
      reference_rate: 0.25
      judge_group: 'Experts: no'
      rank_shown_reference: true
    stopping_rule:
      {pairs_share: 0.9, clusters: null, judgments: 3000, until: '2999-12-12', tests: anytime}
  - name: 'Zweites: no'
    design: {kind: uniform, seed: 7, reference_rate: null}
quality_rules:
  - {measure: seconds, direction: below, threshold: 5.0, minimum: 30, action: warn, test_set: null}
links:
  - {note: '', cap: 7, languages: [], expires_at: '2999-05-01T18:00:00+00:00'}
judges:
  - {pseudonym: Ada, conflicts: [{system: dune, test_set: museum en-de}]}
"""


def test_a_file_of_an_earlier_release_applies(campaign: Campaign, user: User) -> None:
    del campaign
    applied = campaign_file_apply(name="c", content=EARLIER.encode(), by=user)
    assert (applied.changes, applied.links) == ([], [])
