"""A judge downloads what is kept about them, and asks that nothing leads to them any more."""

import json
import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now
from django.test import Client

from annotation.models import Judgment
from annotation.services.judges import erasure_carry_out, erasures_due_carry_out
from annotation.services.planning.pool import hits_plan
from campaign.models import (
    ActivityEvent,
    BrowserVisit,
    ConflictOfInterest,
    ErasureRequest,
    FilePart,
    Invitation,
    Judge,
    KeptFile,
    Mail,
    Membership,
    MembershipRole,
    Task,
    User,
)
from campaign.services.erasures import (
    ErasureRefusedError,
    erasure_ask,
    erasure_counts,
    erasure_refuse,
    erasure_withdraw,
    judge_unlink,
)
from campaign.services.exported_files import exported_file_keep
from campaign.services.judges import JudgeChanges, judge_change, judge_link_create
from campaign.tasks import send_mails
from ranking.models import RankingRun
from ranking.services.run_results import run_result
from ranking.services.runs import ranking_run_compute
from tests.at_work import judge_one_hit
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db

NAME = "Ada Lovelace"


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign("campaign"), systems=("secretron", "b", "c"))


@pytest.fixture
def judge(task: Task) -> Judge:
    """A judge who has judged, of whom everything is kept that can be."""
    judge = make_judge(task.test_set.campaign, "quiet-fox")
    assert judge.user is not None
    judge.user.name, judge.user.email = NAME, "ada@example.org"
    judge.user.save()
    judge_change(
        judge=judge,
        changes=JudgeChanges(address="ada@example.org", expertise=["engines"]),
    )
    Judge.objects.filter(pk=judge.pk).update(note=f"{NAME}, a friend")
    judge_link_create(judge=judge)
    BrowserVisit.objects.create(
        judge=judge,
        at_work=True,
        browser=b"\1" * 32,
        device="iPhone",
    )
    hits_plan(task_id=task.pk, count=3)
    judge_one_hit(judge)
    ConflictOfInterest.objects.create(
        judge=judge,
        system=task.test_set.systems.get(name="c"),
    )
    return judge


def signed_in(user: User | None) -> Client:
    client = Client()
    assert user is not None
    client.force_login(user)
    return client


def every_row() -> str:
    """Return all rows of all tables as text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT t::text FROM {connection.ops.quote_name(table)} t")
            found += [row for (row,) in cursor.fetchall()]
    return "\n".join(found)


def test_a_judge_downloads_what_is_kept_about_them_and_no_name_of_a_system(
    judge: Judge,
) -> None:
    client = signed_in(judge.user)
    assert "Download your data" in client.get("/judge/campaign/data/").content.decode()
    answer = client.get("/judge/campaign/data.zip")
    with zipfile.ZipFile(BytesIO(answer.content)) as archive:
        assert set(archive.namelist()) == {"README.txt", "data.json"}
        text = archive.read("data.json").decode()
        assert "quiet-fox" in archive.read("README.txt").decode()
    kept = json.loads(text)
    assert kept["account"]["name"] == NAME
    assert kept["judge"]["expertise"] == ["engines"]
    assert kept["visits"][0]["device"] == "iPhone"
    judged = Judgment.objects.filter(judge=judge)
    assert len(kept["judgments"]) == judged.count() > 0
    assert {row["sent"][0]["active_ms"] for row in kept["judgments"]} == set(
        judged.values_list("active_ms", flat=True),
    )
    assert "secretron" not in text
    assert "a friend" not in text
    over_rest = client.get("/api/v1/judging/data/", {"campaign": "campaign"}).json()
    assert over_rest["judgments"] == kept["judgments"]


def test_after_it_nothing_leads_to_the_person_and_each_ranking_is_the_same_bits(
    task: Task,
    judge: Judge,
) -> None:
    organiser = make_organiser(task.test_set.campaign)
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    assert "Lovelace" in every_row()
    before = list(Judgment.objects.order_by("pk").values())
    client = signed_in(judge.user)
    assert client.post("/judge/campaign/data/", {"action": "ask"}).status_code == 302
    asked = ErasureRequest.objects.get()
    organisers = signed_in(organiser)
    address = f"/campaigns/campaign/people/erasures/{asked.pk}/carry-out/"
    assert "This cannot be undone" in organisers.post(address).content.decode()
    assert ErasureRequest.objects.get().is_open
    organisers.post(address, {"act": "yes"})
    asked.refresh_from_db()
    assert asked.carried_out_at is not None
    assert asked.answered_by == organiser
    assert asked.removed["visits"] == 1
    assert asked.removed["links"] == 1
    send_mails()  # The last one to them: until then it needs their address.
    rows = every_row()
    assert "Lovelace" not in rows
    assert "ada@" not in rows
    assert "engines" not in rows
    assert client.get("/judge/campaign/").status_code == 302  # To sign in.
    assert list(Judgment.objects.order_by("pk").values()) == before
    assert Judge.objects.get(pk=judge.pk).pseudonym == "quiet-fox"
    kept = RankingRun.objects.get(pk=run.pk)
    assert run_result(kept) == kept.result
    assert not Invitation.objects.filter(user=judge.user).exists()
    assert ActivityEvent.objects.filter(kind="campaign.erasurerequest").count() == 2


def test_judge_is_not_erased_without_an_open_request(judge: Judge) -> None:
    withdrawn = erasure_ask(judge=judge)
    assert erasure_withdraw(judge=judge) == 1
    refused = erasure_ask(judge=judge)
    erasure_refuse(request=refused, reason="You are in a dispute about pay.", by=None)
    for request in (withdrawn, refused):
        with pytest.raises(ErasureRefusedError):
            erasure_carry_out(request=request, by=None)
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        judge_unlink(judge=judge)
    assert judge.user is not None
    assert User.objects.get(pk=judge.user.pk).name == NAME


#: Changes of the activity log that are no erasure.
FORBIDDEN = {
    "add": """ changes = changes || '{"languages": [[], ["de"]]}'""",
    "replace": """ changes = '{"pseudonym": [null, "other"]}'""",
    "rename": "object_name = 'other'",
    "attribute": "user_id = (SELECT max(id) FROM campaign_user)",
    "backdate": "happened_at = happened_at - interval '1 day'",
}


def execute(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("change", FORBIDDEN)
def test_open_request_lets_the_activity_log_only_lose_data(
    judge: Judge,
    change: str,
) -> None:
    judge_change(judge=judge, changes=JudgeChanges(expertise=["trains"]))
    erasure_ask(judge=judge)
    statement = f"UPDATE campaign_activityevent SET {FORBIDDEN[change]}"
    with pytest.raises(DatabaseError, match=r"Cannot update|permission denied"):
        execute(statement)


def test_activity_log_loses_data_only_while_a_request_is_open(judge: Judge) -> None:
    statement = "UPDATE campaign_activityevent SET changes = '{}', object_name = '', user_id = NULL"
    with pytest.raises(DatabaseError, match="Cannot update"):
        execute(statement)
    erasure_ask(judge=judge)
    execute(statement)
    assert not ActivityEvent.objects.exclude(changes={}).exists()
    erasure_withdraw(judge=judge)
    with pytest.raises(DatabaseError, match="Cannot update"):
        execute(statement)


def test_unanswered_erasure_request_is_carried_out(judge: Judge) -> None:
    asked = erasure_ask(judge=judge)
    assert erasures_due_carry_out() == 0
    assert asked.due_at - asked.asked_at == timedelta(days=30)
    ErasureRequest.objects.update(due_at=Now())
    assert erasures_due_carry_out() == 1
    asked.refresh_from_db()
    assert asked.carried_out_at is not None
    assert asked.answered_by is None
    with pytest.raises(ErasureRefusedError, match="already been erased"):
        erasure_ask(judge=judge)


def test_a_refusal_needs_a_reason_which_the_judge_reads(
    task: Task,
    judge: Judge,
) -> None:
    organisers = signed_in(make_organiser(task.test_set.campaign))
    asked = erasure_ask(judge=judge)
    address = f"/campaigns/campaign/people/erasures/{asked.pk}/refuse/"
    organisers.post(address, {"reason": " "})
    assert ErasureRequest.objects.get().is_open
    organisers.post(address, {"reason": "A dispute about pay"})
    assert (
        "A dispute about pay"
        in signed_in(judge.user).get("/judge/campaign/data/").content.decode()
    )
    again = erasure_ask(judge=judge)
    assert again.pk != asked.pk
    assert erasure_ask(judge=judge) == again


def test_the_page_counts_what_goes_and_as_much_is_removed(
    task: Task,
    judge: Judge,
) -> None:
    exported = exported_file_keep(
        task=task,
        content=[f"{NAME},ada@example.org".encode()],
        by=None,
        kind="named-judges",
        file_format="csv",
        name="named.csv",
        until=1,
        watermark=1,
        names_people=True,
    )
    pseudonyms = exported_file_keep(
        task=task,
        content=[b"quiet-fox"],
        by=None,
        kind="judges",
        file_format="csv",
        name="judges.csv",
        until=1,
        watermark=1,
    )
    counts = erasure_counts(judge=judge)
    assert counts == {
        "visits": 1,
        "links": 1,
        "mails": 0,
        "conflicts of interest": 1,
        "exported files that name judges": 1,
    }
    asked = erasure_ask(judge=judge)
    organisers = signed_in(make_organiser(task.test_set.campaign))
    question = organisers.post(
        f"/campaigns/campaign/people/erasures/{asked.pk}/carry-out/",
    )
    assert (
        "visits 1, links 1, e-mails 0, conflicts of interest 1"
        in question.content.decode()
    )
    removed = erasure_carry_out(request=asked, by=None).removed
    assert counts.items() <= removed.items()
    assert list(KeptFile.objects.all()) == [pseudonyms]
    assert not FilePart.objects.filter(file_id=exported.pk).exists()
    assert not any(
        bytes(part.content).find(b"ada@") >= 0 for part in FilePart.objects.all()
    )
    assert set(erasure_counts(judge=Judge.objects.get(pk=judge.pk)).values()) == {0}


def test_request_for_a_password_is_erased_with_the_account(judge: Judge) -> None:
    mail = {"kind": "password", "language": "en", "base_url": "", "state": "failed"}
    Mail.objects.create(address="Ada@example.org", **mail)
    other = Mail.objects.create(address="bob@example.org", **mail)
    erasure_carry_out(request=erasure_ask(judge=judge), by=None)
    assert list(Mail.objects.filter(kind="password")) == [other]


def test_erased_judge_keeps_other_roles(task: Task, judge: Judge) -> None:
    elsewhere = make_judge(
        make_task(make_campaign("elsewhere")).test_set.campaign,
        "other-name",
    )
    Judge.objects.filter(pk=elsewhere.pk).update(user=judge.user)
    assert judge.user is not None
    member = Membership.objects.create(
        campaign=elsewhere.campaign,
        user=judge.user,
        role=MembershipRole.OWNER,
    )
    erasure_carry_out(request=erasure_ask(judge=judge), by=None)
    assert member.user.name == NAME
    assert User.objects.get(pk=member.user_id).name == NAME
    erased = Judge.objects.get(pk=judge.pk)
    assert erased.user_id not in {None, member.user_id}
