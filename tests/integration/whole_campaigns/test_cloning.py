"""A clone is the campaign again, field by field, without its work and without its people if they are not wanted."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import ForeignKey, Model, Q
from django.test import Client
from django.urls import reverse

from annotation.models import Design, PageChanges, QualityRule
from annotation.services.planning.designs import design_change
from annotation.services.quality import quality_rules_suggest
from annotation.services.training import training_propose
from campaign.models import (
    ActivityEvent,
    BadReference,
    Campaign,
    Invitation,
    Judge,
    Membership,
    Output,
    Protocol,
    System,
    Task,
    User,
)
from campaign.services.bad_references import bad_reference_review, bad_references_make
from campaign.services.campaigns import task_close
from campaign.services.instructions import instructions_write
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from campaign.services.judges import (
    conflict_declare,
    judge_withdraw,
)
from protocols.models import Snippet, SuggestedSpans
from ranking.models import Metric, RankingSettings, StoppingRule
from tests.at_work import judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from whole_campaigns.campaign_rows import (
    CLONED,
    ONLY,
    TABLES,
    Part,
    campaign_rows,
    columns,
)
from whole_campaigns.cloning import INSTEAD, NOT_OF_THE_DRAFT, campaign_clone

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Campaign:
    """With a row of each model that is cloned, judged a little."""
    campaign = make_campaign(pay="€15 an hour", blocks_per_judge=30, lease_minutes=17)
    task = make_task(campaign)
    judge_all_of(lend(make_judge(campaign, "second")))
    make_task(campaign, name="second", documents=(2,), source_language="cs", planned=0)
    user = make_organiser(campaign)
    quality_rules_suggest(campaign=campaign, user=user)
    old, *_others = QualityRule.objects.order_by("pk")
    QualityRule.objects.filter(pk=old.pk).update(switched_off_at="2026-01-01T00:00:00Z")
    QualityRule.objects.create(
        campaign=campaign,
        task=task,
        measure=old.measure,
        direction=old.direction,
        threshold=old.threshold,
        minimum=3,
        action="warn",
        replaces=old,
    )
    RankingSettings.objects.create(task=task, confidence=0.9, changed_by=user)
    StoppingRule.objects.create(task=task, pairs_share=0.9, after_judgments=0)
    Metric.objects.create(
        test_set=task.test_set,
        name="COMET",
        file_name="x.tsv",
        systems=["A"],
        packed=b"1",
    )
    bad_references_make(test_set=task.test_set, share=0.5, seed=3)
    for each in BadReference.objects.all():
        bad_reference_review(bad_reference=each, approve=True, reviewer=user)
    quiz = Task.objects.create(test_set=task.test_set, protocol=Protocol.QUIZ)
    segment = task.test_set.segments.earliest("number")
    Snippet.objects.create(
        task=quiz,
        number=1,
        name="first",
        document=segment.document,
        first=1,
        last=1,
        statements=["It is open."],
        expected=[True],
    )
    SuggestedSpans.objects.create(
        task=Task.objects.create(test_set=task.test_set, protocol=Protocol.SPANS),
        output=Output.objects.filter(segment=segment).earliest("pk"),
        source="xCOMET",
        start={"spans": [], "is_shown": True},
    )
    training_propose(task=task, count=1)
    judge = make_judge(campaign, "first", languages=["en", "de"])
    Judge.objects.filter(pk=judge.pk).update(chosen_task=task)
    conflict_declare(
        judge=judge,
        system=System.objects.filter(test_set_id=task.test_set_id)[0],
    )
    withdrawn = make_judge(campaign, "withdrawn")
    group = judge_group_create(campaign=campaign, name="experts", blocks_asked=9)
    judge_group_members_change(group=group, add=[judge, withdrawn])
    judge_withdraw(judge=withdrawn)
    make_judge(campaign, "simulated", origin=Judge.Origin.SIMULATED)
    instructions_write(
        campaign=campaign,
        language="en",
        text="Rank.",
        demands_acceptance=True,
    )
    task_close(task=task)
    return campaign


def clone_of(source: Campaign, *, texts: bool = True, people: bool = True) -> Campaign:
    clone = campaign_clone(
        source=source,
        slug="again",
        name="Museum, again",
        texts=texts,
        people=people,
        by=User.objects.get(email="organiser@example.org"),
    )
    connection.check_constraints()
    return clone.campaign


def rows(
    model: type[Model],
    campaign: Campaign,
    *,
    chosen: bool,
) -> list[dict[str, Any]]:
    """All columns but keys, those of users and those that are something else in a clone, by primary key."""
    own = campaign_rows(model, campaign.pk).values()
    if chosen and model in ONLY:
        own = own.filter(ONLY[model])
    left_out = {
        field.attname
        for field in columns(model)
        if field.primary_key
        or isinstance(field, ForeignKey)
        or field.column in INSTEAD.get(model, {})
        or (model is Design and field.attname == "seed")
    }
    return [{name: row[name] for name in row if name not in left_out} for row in own]


def test_the_source_has_a_row_of_each_model_that_is_cloned(source: Campaign) -> None:
    """Otherwise the next test would compare nothing with nothing."""
    assert [model for model in CLONED if not rows(model, source, chosen=True)] == []


def test_clone_has_equal_fields(source: Campaign) -> None:
    clone = clone_of(source)
    for model in CLONED:
        assert rows(model, clone, chosen=False) == rows(model, source, chosen=True), (
            model
        )
    same = [
        field.attname
        for field in Campaign._meta.concrete_fields
        if field.attname not in NOT_OF_THE_DRAFT
    ]
    source.refresh_from_db()
    assert {name: getattr(clone, name) for name in same} == {
        name: getattr(source, name) for name in same
    }
    assert (clone.state, clone.closes_at, clone.name) == (
        "draft",
        None,
        "Museum, again",
    )


def test_a_seed_that_became_public_foretells_nothing_of_the_clone(
    source: Campaign,
) -> None:
    task = Task.objects.of(source).get(
        test_set__name="museum en-de",
        protocol=Protocol.RANKING,
    )
    design_change(task=task, seed=71)
    design_change(task=task, redundancy=2)
    before = list(
        campaign_rows(Design, source.pk).order_by("pk").values_list("seed", flat=True),
    )

    clone = clone_of(source)

    after = list(
        campaign_rows(Design, clone.pk).order_by("pk").values_list("seed", flat=True),
    )
    assert len(after) == len(before)
    assert not set(after) & set(before)
    # A change of something else stays one.
    assert after[-1] == after[-2]


def test_foreign_keys_of_a_clone_stay_inside_it(source: Campaign) -> None:
    clone = clone_of(source)
    place = {
        (model, campaign.pk): {
            pk: number
            for number, (pk,) in enumerate(
                campaign_rows(model, campaign.pk)
                .filter(ONLY.get(model, Q()))
                .values_list("pk"),
            )
        }
        for model in CLONED
        for campaign in (source, clone)
    }
    followed = 0
    for model in CLONED:
        for field in columns(model):
            if not isinstance(field, ForeignKey) or field.related_model not in CLONED:
                continue
            if field.column in INSTEAD.get(model, {}):
                continue
            led = []
            for campaign in (source, clone):
                own = campaign_rows(model, campaign.pk)
                if model in ONLY:
                    own = own.filter(ONLY[model])
                to = place[field.related_model, campaign.pk]
                led.append(
                    [key and to[key] for (key,) in own.values_list(field.attname)],
                )
            assert led[0] == led[1], field
            followed += len(led[0])
    assert followed > 100


def test_the_source_stays_as_it_was(source: Campaign) -> None:
    before = {model: list(campaign_rows(model, source.pk)) for model in TABLES}
    clone_of(source)
    assert {model: list(campaign_rows(model, source.pk)) for model in TABLES} == before


def test_judges_are_new_people_with_links_of_their_own(
    source: Campaign,
    client: Client,
) -> None:
    by = User.objects.get(email="organiser@example.org")
    clone = campaign_clone(
        source=source,
        slug="b",
        name="B",
        texts=True,
        people=True,
        by=by,
    )
    judges = {judge.pseudonym: judge for judge in clone.campaign.judges.all()}
    assert (
        sorted(judges)
        == ["first", "second"]
        == [judge.pseudonym for judge, _token in clone.links]
    )
    for name, judge in judges.items():
        assert judge.user_id != source.judges.get(pseudonym=name).user_id
        assert judge.user is not None
        assert not judge.user.has_usable_password()
    client.post(reverse("invitation", args=[clone.links[0][1]]))
    page = client.get(reverse("judge", args=["b"]))
    assert page.status_code == 200
    assert "This campaign has not started yet." in page.content.decode()


@pytest.mark.parametrize(
    ("texts", "people"),
    [(True, False), (False, True), (False, False)],
)
def test_parts_that_are_not_wanted_stay_behind(
    source: Campaign,
    texts: bool,
    people: bool,
) -> None:
    clone = clone_of(source, texts=texts, people=people)
    wanted = (
        {Part.ALWAYS}
        | ({Part.TEXTS} if texts else set())
        | ({Part.PEOPLE} if people else set())
    )
    # Triggers note that rules and ranking settings were written, and what was made.
    noted = {PageChanges, ActivityEvent}
    filled = {
        model for model in TABLES if campaign_rows(model, clone.pk).exists()
    } - noted
    expected = {model for model, parts in CLONED.items() if parts <= wanted}
    assert filled == expected | {Campaign, Membership} | (
        {Invitation} if people else set()
    )
    [by] = clone.memberships.values_list("user__email", "role")
    assert by == ("organiser@example.org", "owner")
    assert clone.quality_rules.filter(task=None).exists()
    assert clone.quality_rules.exclude(task=None).exists() == texts


def test_clone_sends_daily_mail_only_on_request(source: Campaign) -> None:
    Membership.objects.filter(campaign=source).update(daily_alerts=True)
    clone = clone_of(source, texts=False, people=True)
    assert list(clone.memberships.values_list("daily_alerts", flat=True)) == [False]
