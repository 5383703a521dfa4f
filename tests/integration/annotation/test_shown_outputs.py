"""An output is shown in a block or gone, however closely the two follow each other."""

import pytest
from django.db import IntegrityError

from annotation.models import HIT, Block
from annotation.services.planning.batch import hits_prepare
from campaign.models import Output
from tests.factories import make_campaign, make_task
from tests.locks import one_before_the_other
from tests.outputs_shown import outputs_shown


def planned_output() -> int:
    """Plan a HIT; return an output it will show, which nothing else holds."""
    make_task(make_campaign(), planned=1, identical=())
    plan = HIT.objects.get().plan
    assert plan is not None
    return int(plan[0]["candidates"][0][0])


def write_blocks() -> object:
    return hits_prepare(task_id=HIT.objects.get().task_id, count=1)


@pytest.mark.django_db(transaction=True)
def test_an_output_is_not_deleted_while_a_block_that_shows_it_is_written() -> None:
    output = Output.objects.filter(pk=planned_output())
    with pytest.raises(IntegrityError, match="is shown in a block"):
        one_before_the_other(write_blocks, output.delete)
    assert output.get().pk in outputs_shown()


@pytest.mark.django_db(transaction=True)
def test_a_block_does_not_show_an_output_that_is_being_deleted() -> None:
    output = Output.objects.filter(pk=planned_output())
    with pytest.raises(IntegrityError, match="does not belong to the segment"):
        one_before_the_other(output.delete, write_blocks)
    assert not output.exists()
    assert not Block.objects.exists()
