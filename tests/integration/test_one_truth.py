"""Pages, files and REST say the same of one campaign, in each of its states."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from annotation.services.numbers import judgments_number
from campaign.models import Campaign, CampaignState
from ranking.services.runs import ranking_run_compute
from tests.factories import make_campaign, make_organiser
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

STATES = ("draft", "open", "paused", "closed", "archived")
#: What ranges account for, wherever it is said.
ACCOUNTED = re.compile(
    r"account for (?!segments and judges where)((?:[a-z]+(?:,| ))*?[a-z]+)[.,](?= |$)"
)
#: Blocks judged.
JUDGED = re.compile(r"\b(\d+) blocks? judged")


def told(answer: Any) -> str:
    """What is read of an answer, in one line."""
    body = b"".join(answer) if getattr(answer, "streaming", False) else answer.content
    text = re.sub(r"(?s)<script.*?</script>|<option.*?</option>|<[^>]+>", " ", body.decode())
    return " ".join(unescape(text).split())


def test_state_counts_and_ranges_are_said_alike_everywhere(client: Client) -> None:
    campaign = make_campaign("museum", state="draft")
    writer = TestSetWriter(campaign, "museum en-de", ("amber", "birch", "cobalt"))
    for segment in (1, 2, 3):
        block = writer.block(segment, ["amber", "birch", "cobalt"])
        for judge in ("ada", "bob"):
            writer.judge(judge)
            writer.judgment(judge, block, [1, 2, 2])
    task = writer.task
    judgments_number(task_id=task.pk)
    assert ranking_run_compute(task_id=task.pk) is not None
    client.force_login(make_organiser(campaign))
    of_campaign, of_task = "/campaigns/museum/", f"/campaigns/museum/tasks/{task.pk}/"
    pages = (
        "/campaigns/",
        *(
            f"{of_campaign}{part}"
            for part in ("", "test-sets/", "state/", "settings/", "tables/clusters/")
        ),
        *(
            f"{of_task}{part}"
            for part in ("", "judgments/", "judges/", "publish/", "analyses/ranking/")
        ),
        f"/api/v1/tasks/{task.pk}/rankings/latest/",
        "/api/v1/campaigns/museum/",
        f"/api/v1/tasks/{task.pk}/",
    )
    for state in STATES:
        # Each follows the one before.
        Campaign.objects.update(state=state)
        task.refresh_from_db()
        said: dict[str, dict[str, set[str]]] = {"accounted": {}, "judged": {}}
        for address in pages:
            asked = (
                f"{address}?state=archived"
                if address == "/campaigns/" and state == "archived"
                else address
            )
            answer = client.get(asked, follow=True)
            assert answer.status_code == 200, (state, address)
            text = told(answer)
            for kind, pattern in (("accounted", ACCOUNTED), ("judged", JUDGED)):
                for found in pattern.findall(text):
                    said[kind].setdefault(found, set()).add(address)
            assert ("still open" in text) <= (state == "open"), (state, address)
            if "/api/" in address and '"state"' in text:
                assert f'"state":"{state}"' in text.replace(" ", ""), (state, address)
        assert said["judged"].keys() == {"6"}, (state, said)
        assert len(said["accounted"]) == 1, (state, said)
        assert task.test_set.tasks.get().state == CampaignState(state)
