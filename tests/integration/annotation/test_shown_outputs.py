"""An output is shown in a block or gone, however closely the two follow each other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.models import HIT, Block
from annotation.services.planning.blocks import hits_prepare
from campaign.models import Output
from launcher.waiting import wait_until
from tests.factories import make_campaign, make_test_set
from tests.locks import somebody_waits_for_a_lock
from tests.outputs_shown import outputs_shown

Work = Callable[[], object]


def planned_output() -> int:
    """Plan a HIT; return an output it will show, which nothing else holds."""
    make_test_set(make_campaign(), planned=1, identical=())
    plan = HIT.objects.get().plan
    assert plan is not None
    return int(plan[0]["candidates"][0][0])


def write_blocks() -> object:
    return hits_prepare(test_set_id=HIT.objects.get().test_set_id, count=1)


def one_before_the_other(first: Work, second: Work) -> None:
    """Commit the first only when the second waits for it; raise what the second is refused with."""

    def elsewhere() -> None:
        try:
            second()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            refusal = pool.submit(elsewhere)
            assert wait_until(somebody_waits_for_a_lock, seconds=30)
        refusal.result(timeout=30)


@pytest.mark.django_db(transaction=True)
def test_an_output_is_not_deleted_while_a_block_that_shows_it_is_written() -> None:
    output = Output.objects.filter(pk=planned_output())
    with pytest.raises(IntegrityError, match="is shown in a block"):
        one_before_the_other(write_blocks, output.delete)
    assert output.get().pk in outputs_shown()


@pytest.mark.django_db(transaction=True)
def test_a_block_does_not_show_an_output_that_is_being_deleted() -> None:
    output = Output.objects.filter(pk=planned_output())
    with pytest.raises(IntegrityError, match="not of the segment"):
        one_before_the_other(output.delete, write_blocks)
    assert not output.exists()
    assert not Block.objects.exists()
