"""Moves between two databases: what refuses one, and that no two commands move the same campaign."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DEFAULT_DB_ALIAS
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaign.database.cell_ids import cell_ids_begin
from campaign.models import Campaign, CampaignMove, Session, Task, User
from cells.cell_map import CellMap
from cells.databases import asked_by_default
from cells.forgetting import campaign_forget
from cells.moving import Moved, MoveRefusedError, campaign_move, campaign_reopen
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.roles import owner_cursor
from tests.second_database import second_database

pytestmark = [pytest.mark.usefixtures("as_owner"), pytest.mark.django_db(transaction=True)]


@pytest.fixture
def target(transactional_db: None, settings: Settings) -> Iterator[BaseDatabaseWrapper]:
    """The database of cell 1, empty as that of the tests, which is cell 0."""
    with second_database("cell", is_copy=True) as other:
        settings.CELL = 1
        with asked_by_default(other):
            cell_ids_begin(using=DEFAULT_DB_ALIAS)
        settings.CELL = 0
        yield other


@pytest.fixture
def campaign(target: BaseDatabaseWrapper) -> Campaign:
    campaign = make_campaign()
    make_task(campaign)
    make_judge(campaign)
    return campaign


def move(campaign: Campaign, target: BaseDatabaseWrapper) -> Moved:
    return campaign_move(campaign=campaign, target=target, say=lambda _line: None)


@pytest.fixture
def command(
    target: BaseDatabaseWrapper, campaign: Campaign, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> list[str]:
    """The command with a map; connected to `target`, whose address need not be written for it."""
    monkeypatch.setattr(
        "cells.management.commands.move_campaign.database_of", lambda _url: nullcontext(target)
    )
    return ["move_campaign", campaign.slug, "--to", "target", "--map", str(tmp_path / "cells.map")]


def test_a_campaign_is_open_where_it_moved_and_closed_where_it_was(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    moved = move(campaign, target)
    assert (moved.to_cell, moved.tasks) == (1, [Task.objects.of(campaign).get().pk])
    assert CampaignMove.objects.get().moved_at is not None
    with asked_by_default(target):
        assert Campaign.objects.get() == campaign
        assert not CampaignMove.objects.exists()
    assert move(campaign, target) == moved


def reopen(campaign: Campaign, target: BaseDatabaseWrapper) -> None:
    campaign_reopen(campaign=campaign, target=target)


@pytest.mark.thorough
@pytest.mark.parametrize("other_command", [reopen, move])
def test_no_other_command_comes_between(
    campaign: Campaign,
    target: BaseDatabaseWrapper,
    other_command: Callable[[Campaign, BaseDatabaseWrapper], object],
) -> None:
    """It would take the mark away, and judges would write what is not copied any more."""
    CampaignMove.objects.create(campaign=campaign, to_cell=1)
    with owner_cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_lock(hashtextextended(%s, 0))",
            [f"move of campaign {campaign.pk}"],
        )
        with pytest.raises(MoveRefusedError, match="Another command"):
            other_command(campaign, target)
        assert CampaignMove.objects.exists()
        cursor.execute("SELECT pg_advisory_unlock_all()")
    reopen(campaign, target)
    assert not CampaignMove.objects.exists()


@pytest.mark.thorough
def test_it_is_not_opened_again_by_a_question_to_the_wrong_cell(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    """Cell 2 may have the copy already."""
    CampaignMove.objects.create(campaign=campaign, to_cell=2)
    with pytest.raises(MoveRefusedError, match="moved to cell 2, or was"):
        reopen(campaign, target)
    with pytest.raises(MoveRefusedError, match="moved to cell 2, or was"):
        move(campaign, target)
    assert CampaignMove.objects.exists()


@pytest.mark.thorough
def test_an_old_copy_is_not_opened_beside_it(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    move(campaign, target)
    CampaignMove.objects.all().delete()  # as a backup from before has it
    make_judge(campaign, "late")
    for _attempt in range(2):
        with pytest.raises(MoveRefusedError, match="open here, and the other cell has it too"):
            move(campaign, target)
    assert not CampaignMove.objects.exists()


def test_what_it_left_behind_is_not_copied_once_the_other_cell_forgot_it(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    CampaignMove.objects.create(campaign=campaign, to_cell=1, moved_at=timezone.now())
    with pytest.raises(MoveRefusedError, match="does not have it any more"):
        move(campaign, target)
    with asked_by_default(target):
        assert not Campaign.objects.exists()
    assert CampaignMove.objects.get().moved_at is not None


@pytest.mark.thorough
def test_who_writes_already_is_waited_for_and_not_for_ever(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    """Their statement may have looked for the mark before it was there."""
    with owner_cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT pg_current_xact_id()")
        with pytest.raises(MoveRefusedError, match="Somebody has been writing"):
            campaign_move(campaign=campaign, target=target, patience=0, say=lambda _line: None)
        assert not CampaignMove.objects.exists()
        cursor.execute("ROLLBACK")
    assert move(campaign, target).to_cell == 1


@pytest.mark.thorough
def test_a_cell_of_another_version_takes_no_campaign(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    with target.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('a', 'b', now())"
        )
    with pytest.raises(MoveRefusedError, match="same version"):
        move(campaign, target)


@pytest.mark.thorough
def test_two_campaigns_have_not_one_name(campaign: Campaign, target: BaseDatabaseWrapper) -> None:
    with asked_by_default(target):
        make_campaign(campaign.slug)
    with pytest.raises(MoveRefusedError, match="this short name"):
        move(campaign, target)


def test_a_copy_that_is_not_the_same_is_given_up(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    with target.cursor() as cursor:
        cursor.execute("""
            CREATE FUNCTION other_name() RETURNS trigger LANGUAGE plpgsql
            AS $$BEGIN NEW.pseudonym := 'somebody'; RETURN NEW; END$$;
            CREATE TRIGGER other_name BEFORE INSERT ON campaign_judge
            FOR EACH ROW EXECUTE FUNCTION other_name()
        """)
    with pytest.raises(MoveRefusedError, match="copy of campaign_judge is not the same"):
        move(campaign, target)
    assert not CampaignMove.objects.exists()
    with asked_by_default(target):
        assert not Campaign.objects.exists()


@pytest.mark.thorough
def test_who_is_somebody_else_there_signs_in_there_anew(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    """By address one person is one account; a session of the other account is not copied."""
    addresses = ["both@example.org", "here@example.org"]
    both, here = (make_organiser(campaign, address) for address in addresses)
    for user in (both, here):
        Client().force_login(user)
    with asked_by_default(target):
        there = make_organiser(make_campaign("there"), addresses[0].upper())
    move(campaign, target)
    with asked_by_default(target):
        members = campaign.memberships.order_by("pk").values_list("user", flat=True)
        assert list(members) == [there.pk, here.pk]
        assert list(Session.objects.values_list("user", flat=True)) == [here.pk]
        assert User.objects.filter(email__iexact=addresses[0]).count() == 1


@pytest.mark.thorough
def test_only_what_has_moved_is_forgotten(campaign: Campaign, target: BaseDatabaseWrapper) -> None:
    stays = make_campaign("stays")
    make_task(stays)
    CampaignMove.objects.create(campaign=campaign, to_cell=1)
    with pytest.raises(MoveRefusedError, match="has not moved"):
        campaign_forget(campaign=campaign)
    move(campaign, target)
    campaign_forget(campaign=campaign)
    assert list(Campaign.objects.all()) == [stays]
    assert Task.objects.get().test_set.campaign == stays
    with pytest.raises(MoveRefusedError, match="has not moved"):
        campaign_forget(campaign=stays)


@pytest.mark.thorough
def test_what_one_campaign_left_is_deleted_at_a_time(
    campaign: Campaign, target: BaseDatabaseWrapper
) -> None:
    move(campaign, target)
    with owner_cursor() as cursor:
        name = "rows left by campaigns"
        cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])
        with pytest.raises(MoveRefusedError, match="Another command is deleting"):
            campaign_forget(campaign=campaign)
        # The server notices the end of a session only after a while.
        cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
    assert Campaign.objects.exists()
    campaign_forget(campaign=campaign)
    assert not Campaign.objects.exists()


@pytest.mark.thorough
def test_the_map_must_know_the_cell_before_anything_moves(
    command: list[str],
) -> None:
    CellMap({0: "10.0.0.1:8000"}).write(Path(command[-1]))
    with pytest.raises(CommandError, match="where cell 1 is"):
        call_command(*command, stdout=StringIO())
    assert not CampaignMove.objects.exists()


@pytest.mark.thorough
def test_what_the_map_learned_meanwhile_stays_in_it(
    campaign: Campaign, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(command[-1])
    before = CellMap({0: "10.0.0.1:8000", 1: "10.0.0.2:8000"})
    before.write(path)

    def moves_as_another_does(**arguments: object) -> Moved:
        moved = campaign_move(**arguments)  # type: ignore[arg-type]
        before.moved("another", [7], 1).write(path)
        return moved

    monkeypatch.setattr(
        "cells.management.commands.move_campaign.campaign_move", moves_as_another_does
    )
    call_command(*command, stdout=StringIO())
    assert CellMap.read(path).campaigns == {"another": 1, campaign.slug: 1}
