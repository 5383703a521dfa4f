"""Rows that come as JSON are those that the ORM would have written, in their order."""

from hashlib import sha256

import pytest
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from campaign.database.acting import acting_for
from campaign.database.inserting import rows_insert
from campaign.models import ActivityEvent, Invitation, InvitationRole, Judge, User
from tests.factories import make_campaign, make_judge

pytestmark = pytest.mark.django_db

TEXTS = ['a "b" \\ 100 % %s', "ünï – 中文 🙂", "{x,y}", "NULL", "", "\n\ttab"]


def fields_of(row: object) -> dict[str, object]:
    """All but what each row has of its own."""
    own = ("_state", "id", "user_id", "pseudonym", "created_at")
    return {name: value for name, value in vars(row).items() if name not in own}


def test_values_order_and_defaults_are_those_of_the_orm() -> None:
    campaign = make_campaign()
    rows = [{"name": text, "password": "!"} for text in TEXTS]
    ids = rows_insert(User, rows)
    assert [User.objects.get(pk=pk).name for pk in ids] == TEXTS
    by_orm = User.objects.create(name="x", password="!")
    by_json = User.objects.get(pk=ids[0])
    assert fields_of(by_json) | {"name": "x"} == fields_of(by_orm)
    judges = rows_insert(
        Judge,
        [
            {"user_id": user, "pseudonym": f"j{user}", "languages": tags, "expertise": TEXTS}
            for user, tags in zip(ids, ([], ["de"], ["de", "zh-Hans"], [], ["en"], []), strict=True)
        ],
        campaign_id=campaign.pk,
    )
    found = Judge.objects.in_bulk(judges)
    assert [found[pk].user_id for pk in judges] == ids
    assert [found[pk].languages for pk in judges[1:3]] == [["de"], ["de", "zh-Hans"]]
    made = Judge.objects.get(pk=make_judge(campaign, expertise=TEXTS).pk)
    assert fields_of(found[judges[0]]) == fields_of(made)


def test_bytes_and_moments_arrive_and_who_acts_is_recorded() -> None:
    judge = make_judge(make_campaign())
    user = User.objects.create_user(name="Olga", email="olga@example.org")
    token_hash, ends = sha256(b"x").digest(), timezone.now()
    with acting_for(user.pk):
        [pk] = rows_insert(
            Invitation,
            [{"token_hash": token_hash, "expires_at": ends, "note": "a%b"}],
            campaign_id=judge.campaign_id,
            user_id=judge.user_id,
            role=InvitationRole.JUDGE,
        )
    link = Invitation.objects.get(pk=pk)
    assert (bytes(link.token_hash), link.expires_at, link.note) == (token_hash, ends, "a%b")
    event = ActivityEvent.objects.get(kind="campaign.invitation", object_id=pk)
    assert event.user == user


def test_constraints_refuse_as_usual() -> None:
    judge = make_judge(make_campaign())
    again = [{"user_id": judge.user_id, "pseudonym": "other"}]
    with pytest.raises(IntegrityError, match="judge_once_per_user"), transaction.atomic():
        rows_insert(Judge, again, campaign_id=judge.campaign_id)
    with pytest.raises(DataError), transaction.atomic():
        rows_insert(User, [{"name": "x" * 151, "password": "!"}])
    assert rows_insert(User, []) == []
