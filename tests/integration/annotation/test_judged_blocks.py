"""A judgment is of a block that is there, however closely its deletion and the judgment follow each other."""

from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from annotation.models import Block, Judgment
from tests.factories import make_judge
from tests.integration.constraints.worlds import Shown, make_shown
from tests.locks import one_before_the_other

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shown() -> Shown:
    shown = make_shown()
    make_judge(shown.task.test_set.campaign)
    return shown


def judge(shown: Shown) -> object:
    return Judgment.objects.create(
        task=shown.task,
        client_id=uuid4(),
        judge=shown.task.test_set.campaign.judges.get(),
        block=shown.block,
        labels=[1] * len(shown.block.outputs),
    )


def delete(shown: Shown) -> object:
    """Delete the block past the ORM, which would refuse it by itself."""
    rows = Block.objects.filter(pk=shown.block.pk)
    return rows._raw_delete(rows.db)


def test_a_block_is_not_deleted_while_it_is_judged(shown: Shown) -> None:
    with pytest.raises(IntegrityError, match="is judged"):
        one_before_the_other(lambda: judge(shown), lambda: delete(shown))
    assert Judgment.objects.get().block == shown.block


def test_a_block_that_is_being_deleted_is_not_judged(shown: Shown) -> None:
    with pytest.raises(IntegrityError, match="there is no block"):
        one_before_the_other(lambda: delete(shown), lambda: judge(shown))
    assert not Block.objects.filter(pk=shown.block.pk).exists()


def test_blocks_are_deleted_only_where_judgments_are_seen(shown: Shown) -> None:
    """In a transaction that reads as of its beginning, a judgment committed since would not be seen."""

    @transaction.atomic
    def delete_as_of_the_beginning() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        delete(shown)

    with pytest.raises(DatabaseError, match="not repeatable read"):
        delete_as_of_the_beginning()
    assert Block.objects.filter(pk=shown.block.pk).exists()
