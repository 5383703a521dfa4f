"""A judge's own judgments, as the judging API gives them back."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from annotation.models import HIT, Assignment, Judgment
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.lend import leases_release
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, System
from campaign.services.judges import conflict_declare
from tests.at_work import (
    assignment_lend,
    expire,
    judge_all_of,
    judge_one_hit,
    lend,
    repeat_is_due,
)
from tests.factories import make_campaign, make_judge, make_long_task, make_task
from tests.roles import owner_cursor

pytestmark = pytest.mark.django_db
HISTORY = "/api/v1/judging/judgments/"


@pytest.fixture
def judge() -> Judge:
    task = make_task(make_campaign(), documents=(9, 9, 9), identical=())
    return make_judge(task.test_set.campaign)


def signed_in(judge: Judge) -> Client:
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    return client


@pytest.fixture
def judging(judge: Judge) -> Client:
    return signed_in(judge)


def submit(client: Client, block: dict[str, Any], rank: int = 1) -> None:
    body = {"block": block["id"], "labels": [rank] * len(block["candidates"])}
    answer = client.put(f"{HISTORY}{uuid4()}/", body, content_type="application/json")
    assert answer.status_code == 200


def judge_hits(client: Client, hits: int) -> list[dict[str, Any]]:
    done = []
    for _ in range(hits):
        hit = client.post(
            "/api/v1/judging/assignments/",
            {},
            content_type="application/json",
        ).json()
        for block in hit["blocks"]:
            submit(client, block)
            done.append(block)
    return done


def test_blocks_come_latest_first_as_they_were_shown_and_are_ranked_now(
    judging: Client,
) -> None:
    done = judge_hits(judging, 2)
    submit(judging, done[0], rank=4)
    rows = judging.get(HISTORY).json()["results"]
    assert [row["block"]["id"] for row in rows] == [
        done[0]["id"],
        *[block["id"] for block in reversed(done[1:])],
    ]
    first = rows[0]
    assert first["block"]["judgment"]["labels"] == [4] * len(done[0]["candidates"])
    assert first["block"]["state"] == "judged"
    assert (first["position"], first["total"]) == (1, 3)
    for part in ("source", "references", "context", "candidates"):
        assert first["block"][part] == done[0][part]
    assert first["rules"] == {"protocol": "ranking", "partial": False}
    assert first["languages"]["target"]["lang"] == "de"


def test_pages_follow_each_other_and_tell_nothing_of_row_numbers(
    judging: Client,
) -> None:
    done = judge_hits(judging, 3)
    seen: list[str] = []
    address: str | None = f"{HISTORY}?page_size=4"
    while address:
        page = judging.get(address).json()
        seen += [row["block"]["id"] for row in page["results"]]
        address = page["next"]
    assert seen == [block["id"] for block in reversed(done)]
    for row in judging.get(HISTORY).json()["results"]:
        assert UUID(row["assignment"])
        assert UUID(row["block"]["id"])


@pytest.mark.django_db(transaction=True)
def test_judgments_of_the_same_moment_are_on_one_page_or_the_next(
    judging: Client,
) -> None:
    done = judge_hits(judging, 2)
    moment = Judgment.objects.latest("submitted_at").submitted_at
    with owner_cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "UPDATE annotation_judgment SET submitted_at = %s",
            [moment - timedelta(minutes=1)],
        )
    first = judging.get(f"{HISTORY}?page_size=4").json()
    second = judging.get(first["next"]).json()
    seen = [row["block"]["id"] for page in (first, second) for row in page["results"]]
    assert sorted(seen) == sorted(block["id"] for block in done)


def test_judge_cannot_see_judgments_of_another(judging: Client, judge: Judge) -> None:
    judge_hits(judging, 1)
    other = signed_in(make_judge(judge.campaign, "judge02"))
    assert other.get(HISTORY).json()["results"] == []
    assert signed_in(judge).get(f"{HISTORY}?campaign=elsewhere").status_code == 403


class TestRepeats:
    @pytest.fixture
    def repeated(self) -> Assignment:
        """A HIT the judge did, of which a repeat by the same judge is planned and due."""
        task = make_long_task(make_campaign(), segments=90, systems=3)
        design_change(task=task, intra_share=0.5, repeat_gap=3)
        judge = make_judge(task.test_set.campaign)
        for _hit in range(5):
            pool_fill(task_id=task.pk, size=20)
            judge_one_hit(judge)
            repeat_is_due(judge, is_due=False)
        repeat_is_due(judge)
        pool_fill(task_id=task.pk, size=20)
        repeat = HIT.objects.incomplete().get(purpose="intra")
        return Assignment.objects.get(judge=judge, hit=repeat.repeats)

    def listed(self, judge: Judge) -> set[str]:
        rows = signed_in(judge).get(f"{HISTORY}?page_size=50").json()["results"]
        return {row["block"]["id"] for row in rows}

    def blocks(self, assignment: Assignment) -> set[str]:
        return {str(block.public_id) for block in assignment.hit.blocks.all()}

    def of_hits(self, judge: Judge, ordinals: range) -> set[str]:
        rows = Assignment.objects.filter(judge=judge, ordinal__in=ordinals)
        return {block for row in rows for block in self.blocks(row)}

    @pytest.mark.thorough
    def test_judgment_to_be_repeated_is_not_listed_before_the_repeat(
        self,
        repeated: Assignment,
    ) -> None:
        judge = repeated.judge
        before = self.listed(judge)
        assert before == self.of_hits(judge, range(1, 6))
        again = lend(judge)
        assert again.hit.repeats == repeated.hit
        assert repeated.ordinal < 3
        # As far back as the page goes from the sixth: three HITs.
        in_reach = self.of_hits(judge, range(3, 6))
        assert self.listed(judge) == in_reach
        # Half done, or left lying until the lease ran out: the rest is still to be judged.
        first, *_others = assigned_blocks(again)
        labels = [1] * len(first.candidates)
        judgment_submit(
            assigned=first,
            client_id=uuid4(),
            sent=SentJudgment(labels=labels),
        )
        expire(again)
        leases_release()
        assert self.listed(judge) == in_reach | {str(first.public_id)}
        judge_all_of(again)
        assert self.listed(judge) == before | self.blocks(again)

    @pytest.mark.thorough
    def test_a_repeat_that_was_planned_with_a_smaller_gap_hides_its_original(
        self,
        repeated: Assignment,
    ) -> None:
        task = repeated.hit.task
        design_change(task=task, repeat_gap=20)
        assert lend(repeated.judge).hit.repeats == repeated.hit
        assert not self.blocks(repeated) & self.listed(repeated.judge)

    @pytest.mark.thorough
    def test_judgment_is_listed_again_once_its_repeat_is_impossible(
        self,
        repeated: Assignment,
    ) -> None:
        """Because of a conflict declared since: the judge is lent other things from then on."""
        judge = repeated.judge
        again = lend(judge)
        assert not self.blocks(repeated) & self.listed(judge)
        conflict_declare(
            judge=judge,
            system=System.objects.get(pk=again.hit.system_ids[0]),
        )
        assert self.blocks(repeated) <= self.listed(judge)
        assert assignment_lend(judge=judge) is None
        again.refresh_from_db()
        assert again.released_at is not None
        assert self.blocks(repeated) <= self.listed(judge)
