"""A campaign made in the browser and the same written as YAML draw the same HITs; the example in the docs applies."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import HIT
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Task, User
from campaign.services.jobs import jobs_run_waiting
from campaign.services.members import organiser_add
from tests.factories import make_campaign
from tests.integration.campaign_file.test_round_trip import drawn
from tests.integration.uploads.conftest import FILES
from whole_campaigns.campaign_file.applying import campaign_file

import annotation.tasks  # noqa: F401  isort: skip  the worker's handlers

WRITTEN = """\
slug: written
name: By hand
lease_minutes: 30
show_reference: false
test_sets:
  - name: news
    texts:
      files: [news]
    source_language: de
    target_language: en
    design: {kind: balanced, seed: 99, segments_per_hit: 2, systems_per_block: 2}
"""


def in_browser(client: Client) -> Task:
    """Make a campaign by the pages, and its test set by the requests of its pages."""
    client.post(reverse("campaign-new"), {"slug": "browser", "name": "By hand"})
    settings = {"judged_0": "translations", "lease_minutes": 30, "show_source": "on"}
    assert (
        client.post(
            reverse("campaign-settings", args=["browser"]),
            settings,
        ).status_code
        == 302
    )
    uploads = "/api/v1/campaigns/browser/uploads/"
    upload = f"{uploads}{client.post(uploads).json()['id']}/"
    for name, content in FILES.items():
        file = {"name": name, "size": len(content)}
        made = client.post(
            f"{upload}files/",
            file,
            content_type="application/json",
        ).json()
        client.put(
            f"{upload}files/{made['id']}/content/?offset=0",
            content,
            content_type="application/octet-stream",
        )
    decided = {"name": "news", "source_language": "de", "target_language": "en"}
    client.patch(upload, decided, content_type="application/json")
    assert client.post(f"{upload}import/").status_code == 202
    assert jobs_run_waiting() == 1
    return Task.objects.get(test_set__campaign__slug="browser")


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_yaml_and_browser_give_the_same_hits(client: Client, tmp_path: Path) -> None:
    user = User.objects.create_user(
        name="Olga",
        email="olga@example.org",
        is_staff=True,
    )
    organiser_add(campaign=make_campaign("earlier"), user=user)
    client.force_login(user)
    task = in_browser(client)
    design_change(
        task=task,
        kind="balanced",
        seed=99,
        segments_per_hit=2,
        systems_per_block=2,
    )
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "campaign.yaml").write_text(WRITTEN)

    call_command(
        "apply_campaign",
        str(tmp_path / "campaign.yaml"),
        yes=True,
        verbosity=0,
    )

    written = Task.objects.get(test_set__campaign__slug="written")
    for each in (task, written):
        hits_plan(task_id=each.pk, count=6)
    assert drawn(written.test_set.campaign) == drawn(task.test_set.campaign)
    assert HIT.objects.filter(task=written).count() == 6
    files = [campaign_file(campaign=each.test_set.campaign) for each in (written, task)]
    assert files[0].replace(b"slug: written", b"slug: browser") == files[1]
