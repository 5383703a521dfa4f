"""Pages, files and REST say the same of one campaign, in each of its states."""

import re
from collections.abc import Iterable, Iterator
from html import unescape

import pytest
from django.test import Client

from annotation.services.numbers import judgments_number
from campaign.models import Campaign
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


def told(body: str) -> str:
    """The words of an answer, in one line."""
    text = re.sub(r"(?s)<script.*?</script>|<option.*?</option>|<[^>]+>", " ", body)
    return " ".join(unescape(text).split())


#: Pages of one judge alone, and of all that ranges may account for.
OTHERS = re.compile(r"/judges/\d+/$|/ranking-settings/$")
#: Links that lead out of the campaign, or make something new of it.
ELSEWHERE = re.compile(r"/(sign-out|language|live|plots)/|/plots|\.(svg|png)$")


def links(text: str, campaign: str) -> set[str]:
    """The addresses of the campaign that a page links to, without what they choose of lists."""
    found = re.findall(r'href="(/campaigns/[^"#?]*)', unescape(text))
    return {each for each in found if each.startswith(campaign) and not ELSEWHERE.search(each)}


def walked(client: Client, starts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The first page or file of each shape that links lead to, with its text."""
    left = sorted(starts)
    shapes = {re.sub(r"\d+", "1", address) for address in left}
    while left:
        address = left.pop()
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        body = b"".join(answer) if getattr(answer, "streaming", False) else answer.content
        if not body.startswith(b"PK"):
            text = body.decode()
            yield address, text
            for each in sorted(links(text, "/campaigns/museum/")):
                shape = re.sub(r"\d+", "1", each)
                if shape not in shapes:
                    shapes.add(shape)
                    left.append(each)


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
    over_rest = f"/api/v1/tasks/{task.pk}/"
    starts = (
        "/campaigns/museum/",
        "/api/v1/campaigns/museum/",
        over_rest,
        f"{over_rest}rankings/latest/",
        f"{over_rest}exports/stream/?kind=counted&file_format=jsonl",
    )
    for state in STATES:
        # Each follows the one before.
        Campaign.objects.update(state=state)
        said: dict[str, dict[str, set[str]]] = {"accounted": {}, "judged": {}}
        pages = 0
        for address, body in walked(client, starts):
            pages += 1
            text = told(body)
            for kind, pattern in (("accounted", ACCOUNTED), ("judged", JUDGED)):
                for found in () if OTHERS.search(address) else pattern.findall(text):
                    said[kind].setdefault(found, set()).add(address)
            assert ("still open" in text) <= (state == "open"), (state, address)
            if "/api/" in address and '"state"' in text:
                assert f'"state":"{state}"' in text.replace(" ", ""), (state, address)
            if address.endswith(("stream/?kind=counted&file_format=jsonl", "stream=on")):
                rows = len(body.splitlines()) - address.endswith("stream=on")
                said["judged"].setdefault(str(rows), set()).add(address)
        assert said["judged"].keys() == {"6"}, (state, said)
        assert len(said["accounted"]) == 1, (state, said)
        assert pages > 50
