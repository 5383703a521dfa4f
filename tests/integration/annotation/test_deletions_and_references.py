"""Judgments, their blocks and judges, and HITs: none is lost by a deletion, however closely one follows the other."""

from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Model

from annotation.models import Block, Judgment
from campaign.models import Judge
from tests.factories import make_judge
from tests.integration.constraints.worlds import Shown, make_shown
from tests.locks import one_before_the_other

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shown() -> Shown:
    shown = make_shown()
    make_judge(shown.task.test_set.campaign)
    return shown


def judge(shown: Shown, by: Judge | None = None) -> object:
    return Judgment.objects.create(
        task=shown.task,
        client_id=uuid4(),
        judge=by or Judge.objects.get(),
        block=shown.block,
        labels=[1] * len(shown.block.outputs),
    )


def write_block(shown: Shown) -> object:
    return Block.objects.create(
        hit=shown.hit, segment=shown.block.segment, position=2, outputs=shown.block.outputs
    )


def delete(row: Model) -> object:
    """Delete a row past the ORM, which would refuse it by itself, or delete others first."""
    rows = type(row)._base_manager.filter(pk=row.pk)
    return rows._raw_delete(rows.db)


def delete_as_of_the_beginning(row: Model) -> object:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        return delete(row)


def test_a_block_is_not_deleted_while_it_is_judged(shown: Shown) -> None:
    with pytest.raises(IntegrityError, match="is judged"):
        one_before_the_other(lambda: judge(shown), lambda: delete(shown.block))
    assert Judgment.objects.get().block == shown.block


def test_a_block_that_is_being_deleted_is_not_judged(shown: Shown) -> None:
    with pytest.raises(IntegrityError, match="there is no block"):
        one_before_the_other(lambda: delete(shown.block), lambda: judge(shown))
    assert not Block.objects.filter(pk=shown.block.pk).exists()


def test_a_judge_is_not_deleted_while_they_judge(shown: Shown) -> None:
    with pytest.raises(IntegrityError, match="has judged"):
        one_before_the_other(lambda: judge(shown), lambda: delete(Judge.objects.get()))
    assert Judgment.objects.get().judge == Judge.objects.get()


def test_a_judge_who_is_being_deleted_does_not_judge(shown: Shown) -> None:
    own = Judge.objects.get()
    with pytest.raises(IntegrityError, match="there is no judge"):
        one_before_the_other(lambda: delete(own), lambda: judge(shown, own))
    assert not Judgment.objects.exists()


def test_a_hit_is_not_deleted_while_its_blocks_are_written(shown: Shown) -> None:
    delete(shown.block)
    with pytest.raises(IntegrityError, match="has blocks"):
        one_before_the_other(lambda: write_block(shown), lambda: delete(shown.hit))
    assert Block.objects.get().hit == shown.hit


def test_a_hit_that_is_being_deleted_gets_no_blocks(shown: Shown) -> None:
    delete(shown.block)
    with pytest.raises(IntegrityError, match="there is no HIT"):
        one_before_the_other(lambda: delete(shown.hit), lambda: write_block(shown))
    assert not Block.objects.exists()


@pytest.mark.parametrize("name", ["block", "hit", "judge"])
def test_they_are_deleted_only_where_what_refers_to_them_is_seen(shown: Shown, name: str) -> None:
    """In a transaction that reads as of its beginning, a judgment committed since would not be seen."""
    row = Judge.objects.get() if name == "judge" else getattr(shown, name)
    if name == "hit":
        delete(shown.block)
    with pytest.raises(DatabaseError, match="not repeatable read"):
        delete_as_of_the_beginning(row)
    assert type(row)._base_manager.filter(pk=row.pk).exists()
    delete(row)
