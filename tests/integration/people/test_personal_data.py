"""Every field about a person is declared, and erasure and the download do with it what is declared."""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.test import Client

from annotation.export.own_data import own_data_json
from annotation.services.judges import erasure_carry_out
from campaign.database.personal import (
    COMPLETE,
    DOWNLOADED,
    ERASED,
    NOT_DOWNLOADED,
    PersonalData,
    owner_of,
    personal_data,
    personal_models,
)
from campaign.models import (
    ActivityEvent,
    BrowserVisit,
    ConflictOfInterest,
    GroupMember,
    IdempotentAnswer,
    Judge,
    JudgeGroup,
    Mail,
    Participation,
    Task,
    User,
)
from campaign.models.questions import questions_checked, questions_stored
from campaign.services.api_tokens import token_create
from campaign.services.campaigns import campaign_change
from campaign.services.erasures import erasure_ask
from campaign.services.exported_files import exported_file_keep
from campaign.services.invitations import invitation_create_for_anybody
from campaign.services.judges import judge_link_create
from campaign.services.questions import (
    judge_answers_delete,
    judge_answers_write,
    judge_group_from_answer,
)
from campaign.tasks import send_mails
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.people.test_erasure import every_row
from tests.recruiting import make_panel

Model = type[models.Model]
#: Apps with data of people; tables of Django itself have none.
#: Fields that are always empty in rows of judges.
ALWAYS_EMPTY = {"campaign.Invitation.accepted_at"}
APPS = (
    "campaign",
    "annotation",
    "ranking",
    "protocols",
    "account",
    "mfa",
    "socialaccount",
)


def foreign_keys(model: Model) -> list[Any]:
    """Return the foreign keys of a model, except to the author of a row."""
    fields = [field for field in model._meta.concrete_fields if field.is_relation]
    return [field for field in fields if not getattr(field, "is_author", False)]


def belongs_to_person(model: Model) -> bool:
    """Return whether each row belongs to a judge or a user, directly or through another row."""
    if model in {Judge, User}:
        return True
    required = [field.related_model for field in foreign_keys(model) if not field.null]
    return any(belongs_to_person(parent) for parent in required if parent is not model)


def is_about_people(model: Model) -> bool:
    """Return whether rows may say something about a person."""
    named = {field.related_model for field in foreign_keys(model)}
    return belongs_to_person(model) or not named.isdisjoint({Judge, User})


def undeclared(model: Model, declared: PersonalData | None) -> list[str]:
    """Return what is missing or wrong in the declaration of a model."""
    if declared is None:
        return [f"{model._meta.label} has no `personal`"]
    present = {
        field.name for field in model._meta.concrete_fields if not field.primary_key
    }
    present -= {declared.person.partition("__")[0]} - declared.fields.keys()
    missing = [
        f"{model._meta.label}.{name}" for name in present ^ declared.fields.keys()
    ]
    incomplete = [
        name for name, handling in declared.fields.items() if handling not in COMPLETE
    ]
    if declared.rows_deleted:
        incomplete += declared.fields.keys() - set(declared.names(ERASED))
    return missing + [f"{model._meta.label}.{name}" for name in incomplete]


def test_every_field_about_a_person_is_declared() -> None:
    models_of_people = [
        model
        for model in apps.get_models()
        if model._meta.app_label in APPS
        and not model._meta.proxy
        and is_about_people(model)
    ]
    assert {Judge, User, Mail, Participation, EmailAddress} <= set(models_of_people)
    problems = [undeclared(model, personal_data(model)) for model in models_of_people]
    assert [problem for of_model in problems for problem in of_model] == []


def test_undeclared_field_is_noticed() -> None:
    field = models.CharField(max_length=10)
    field.contribute_to_class(Judge, "shoe_size")
    try:
        assert undeclared(Judge, Judge.personal) == ["campaign.Judge.shoe_size"]
    finally:
        Judge._meta.local_fields.remove(field)
        Judge._meta._expire_cache()  # type: ignore[attr-defined]
        delattr(Judge, "shoe_size")


@pytest.fixture
def judge(db: None) -> Judge:
    """A judge with a row in every table that erasure changes."""
    task = make_task(make_campaign("campaign"), systems=("amber", "birch"))
    campaign = task.test_set.campaign
    judge = make_judge(campaign, "quiet-fox")
    user = judge.user
    assert user is not None
    User.objects.filter(pk=user.pk).update(email="ada@example.org", last_login=Now())
    Client().force_login(user)
    token_create(user=user)
    IdempotentAnswer.objects.create(user=user, key="k", status=201, body=b"x")
    link, _token = judge_link_create(judge=judge)
    BrowserVisit.objects.create(
        judge=judge,
        at_work=True,
        browser=b"\1" * 32,
        device="iPhone",
    )
    about = {"campaign": campaign, "judge": judge}
    Mail.objects.create(
        kind="judge",
        state="sent",
        sent_at=Now(),
        invitation=link,
        **about,
    )
    ConflictOfInterest.objects.create(
        judge=judge,
        system=task.test_set.systems.get(name="amber"),
    )
    open_link, _token = invitation_create_for_anybody(campaign=campaign, cap=3)
    Judge.objects.filter(pk=judge.pk).update(
        service="SONA",
        external_id="external",
        joined_by=open_link,
        joined_browser=b"\1" * 32,
    )
    panel = make_panel(campaign)
    Participation.objects.create(
        panel=panel,
        judge=judge,
        session_id="s",
        blocks_asked=3,
        blocks_before=0,
    )
    group = JudgeGroup.objects.create(campaign=campaign, name="some")
    GroupMember.objects.create(judge=judge, group=group, question="age")
    address = EmailAddress.objects.create(user=user, email="ada@example.org")
    EmailConfirmation.objects.create(email_address=address, key="key")
    Authenticator.objects.create(user=user, type="totp", data={})
    account = SocialAccount.objects.create(user=user, provider="oidc", uid="uid")
    app = SocialApp.objects.create(provider="oidc", name="oidc", client_id="id")
    SocialToken.objects.create(account=account, app=app, token="token")
    return judge


@dataclass
class Planted:
    """A value that occurs nowhere else, in a field of a row of the judge."""

    field: str
    marker: str
    is_downloaded: bool


def planted_value(field: Any, number: int) -> tuple[Any, str] | None:
    """Return a unique value for a field and its text in a row; None for fields with few possible values."""
    marker = f"zq{number:03d}zq"
    if field.choices or field.is_relation:
        return None
    if isinstance(field, models.EmailField):
        return f"{marker}@example.org", marker
    if isinstance(field, models.CharField | models.TextField):
        return marker, marker
    if isinstance(field, ArrayField):
        return [marker], marker
    if isinstance(field, models.JSONField):
        return {"value": marker}, marker
    if isinstance(field, models.BinaryField):
        return marker.encode(), marker.encode().hex()
    if isinstance(field, models.DateTimeField):
        return datetime(1700 + number, 1, 1, tzinfo=UTC), f"{1700 + number}-01-01"
    return None


def plant(judge: Judge) -> Iterator[Planted]:
    """Store a value in every erased field of the judge's rows. Fails if a table has no row of the judge."""
    number = 0
    for model, declared in personal_models():
        if not declared.names(ERASED) or model is ActivityEvent:
            continue
        owner = judge.pk if owner_of(model, declared) is Judge else judge.user_id
        rows = model.objects.filter(**{declared.person or "pk": owner})  # type: ignore[attr-defined]
        assert rows.exists(), (
            f"Add a row of {model._meta.label} to the judge of this test."
        )
        for name in declared.names(ERASED):
            number += 1
            label = f"{model._meta.label}.{name}"
            planted = planted_value(model._meta.get_field(name), number)
            if planted is not None and label not in ALWAYS_EMPTY:
                value, marker = planted
                # Of recorded models, the log has the value, too.
                rows.update(**{name: value})
                is_downloaded = DOWNLOADED in declared.fields[name]
                yield Planted(label, marker, is_downloaded)


def test_erasure_leaves_no_erased_value_in_any_table_file_or_log(
    judge: Judge,
    caplog: pytest.LogCaptureFixture,
) -> None:
    planted = list(plant(judge))
    exported_file_keep(
        task=Task.objects.get(),
        content=[" ".join(value.marker for value in planted).encode()],
        by=None,
        kind="named-judges",
        file_format="csv",
        name="named.csv",
        until=1,
        watermark=1,
        names_people=True,
    )
    before = every_row()
    assert [value for value in planted if value.marker not in before] == []
    caplog.set_level("DEBUG")
    erasure_carry_out(request=erasure_ask(judge=judge), by=None)
    send_mails()
    left = f"{every_row()}\n{caplog.text}"
    assert [value.field for value in planted if value.marker in left] == []


#: Erased fields that exports under the pseudonym contain, apart from the activity log.
EXPORTED = {"campaign.Judge.languages"}


def test_exports_under_pseudonyms_contain_no_other_erased_value(judge: Judge) -> None:
    planted = list(plant(judge))
    export = requested_export(
        task=Task.objects.get(),
        kind="everything",
        file_format="zip",
    )
    with zipfile.ZipFile(BytesIO(b"".join(export_bytes(export)))) as archive:
        names = [
            name for name in archive.namelist() if not name.startswith("activity.")
        ]
        files = "".join(archive.read(name).decode() for name in names)
    assert "quiet-fox" in files
    assert {value.field for value in planted if value.marker in files} == EXPORTED


def test_log_of_undone_conflict_is_emptied_by_erasure(judge: Judge) -> None:
    conflict = ConflictOfInterest.objects.get()
    conflict.delete()
    events = ActivityEvent.objects.filter(kind="campaign.conflictofinterest")
    assert events.exclude(changes={}).count() == 2
    erasure_carry_out(request=erasure_ask(judge=judge), by=None)
    assert events.exclude(changes={}).count() == 0


def test_deleted_answer_leaves_nothing_derived_in_any_table_file_or_log(
    judge: Judge,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither its text nor that the judge gave it."""
    caplog.set_level("DEBUG")
    campaign = judge.campaign
    question = {
        "name": "remarks",
        "kind": "text",
        "texts": [{"language": "en", "question": "Anything else?"}],
    }
    campaign_change(campaign=campaign, questions=questions_checked([question]))
    campaign.refresh_from_db()
    marker = "zq-answer-zq"
    judge_answers_write(
        judge=judge,
        questions=questions_stored(campaign.questions),
        values={"remarks": marker},
        language="en",
    )
    group = judge_group_from_answer(
        campaign=campaign,
        question="remarks",
        answer=marker,
        name="those",
    )
    task = Task.objects.get()
    exported = requested_export(task=task, kind="judge-answers", file_format="csv")
    content = b"".join(export_bytes(exported))
    assert marker in content.decode()
    exported_file_keep(
        task=task,
        content=[content],
        by=None,
        kind="judge-answers",
        file_format="csv",
        name="answers.csv",
        until=1,
        watermark=1,
        names_people=exported.kind.names_people,
    )
    assert marker in every_row()
    judge_answers_delete(judge=judge)
    assert marker not in f"{every_row()}\n{caplog.text}"
    assert not group.members.exists()
    about = ActivityEvent.objects.filter(kind="campaign.groupmember")
    assert not about.filter(changes__group_id__contains=group.pk).exists()


def test_erasure_ends_only_the_groups_made_from_answers(judge: Judge) -> None:
    experts = JudgeGroup.objects.create(campaign=judge.campaign, name="experts")
    GroupMember.objects.create(judge=judge, group=experts)
    erasure_carry_out(request=erasure_ask(judge=judge), by=None)
    left = GroupMember.objects.filter(judge=judge)
    assert [member.group for member in left] == [experts]


def test_download_contains_exactly_the_declared_values(judge: Judge) -> None:
    planted = list(plant(judge))
    downloaded = own_data_json(
        Judge.objects.select_related("user", "campaign").get(pk=judge.pk),
    )
    assert "quiet-fox" in json.loads(downloaded)["judge"]["pseudonym"]
    wrong = [
        value
        for value in planted
        if (value.marker in downloaded) != value.is_downloaded
    ]
    assert [value.field for value in wrong] == []


def test_download_names_every_declared_field(judge: Judge) -> None:
    downloaded = own_data_json(judge)
    sections = json.loads(downloaded)
    rows = {
        Judge: sections["judge"],
        User: sections["account"],
        Mail: sections["mails"][0],
        BrowserVisit: sections["visits"][0],
        Participation: sections["participations"][0],
        SocialAccount: sections["account"]["single_sign_on"][0],
        GroupMember: sections["judge"]["groups_from_answers"][0],
    }
    for model, row in rows.items():
        declared = personal_data(model)
        assert declared is not None
        assert set(declared.names(DOWNLOADED)) <= row.keys()
        assert row.keys().isdisjoint(declared.names(NOT_DOWNLOADED))
